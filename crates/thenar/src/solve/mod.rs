//! Solvers of the step's linear problem.

pub mod dense;
pub mod direct;

pub use direct::SolveError;
