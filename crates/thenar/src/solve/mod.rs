//! Solvers of the step's linear problem.

mod anderson;
pub mod constraints;
pub mod dense;
pub mod direct;
pub mod gauss_seidel;
pub mod pcg;

pub use direct::SolveError;
