//! Symmetric matrices of 3x3 blocks and their solvers.
