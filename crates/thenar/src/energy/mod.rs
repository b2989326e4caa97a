//! Energy terms: what pulls, holds and pushes. Each supplies its value, its forces and a stiffness matrix.

pub mod tissue;
