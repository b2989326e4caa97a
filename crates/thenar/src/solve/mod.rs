//! Solvers of the step's linear problem.

pub mod dense;
pub mod direct;
pub mod pcg;

pub use direct::SolveError;
