//! Solvers of the step's linear problem.

pub mod dense;
pub mod direct;
pub mod gauss_seidel;
pub mod pcg;
pub mod points;

pub use direct::SolveError;
