//! Solvers of the step's linear problem: the energies, with what of contact the matrix holds.
//!
//! # Constants
//!
//! | constant | value | why |
//! |---|---|---|
//! | `BORDER_ITERATIONS` | 12 | contacts between objects are judged anew at most this often per solve: two or three times is usual, and what is left goes on in the next round of the step |

pub mod direct;
pub mod pcg;

pub use direct::SolveError;
