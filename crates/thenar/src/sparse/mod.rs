//! Symmetric matrices of 3x3 blocks and their solvers.
//!
//! A [`BlockPattern`] says once which blocks may be non-zero; a [`BlockMatrix`] holds their values. [`Symbolic`] plans a
//! factorisation of the pattern, [`Cholesky`] carries it out for one set of values after another without allocating.

mod assembly;
mod block;
mod cholesky;
mod elimination;
mod front;
mod lanes;
mod matrix;
mod ordering;
mod parts;
mod path;
mod pattern;
mod pcg;
mod rows;
mod symbolic;
mod triangular;

pub use block::Block;
pub use cholesky::{Cholesky, NotPositiveDefinite, Scalar};
pub use lanes::{LANES, add_gram};
pub use matrix::BlockMatrix;
pub use ordering::minimum_degree;
pub use path::EliminationPath;
pub use pattern::{BlockPattern, Slot};
pub use pcg::{FactorPreconditioner, Jacobi, LinearOperator, MatrixOperator, Pcg, PcgInfo, PcgParams, Preconditioner};
pub use rows::{RowSolver, SparseRows};
pub use symbolic::Symbolic;
