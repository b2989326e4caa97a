//! Energies of the hand, one file each [CLAP eq. 5].
//!
//! Every term but tissue and inertia is a [`Spring`]: a residual, its stiffness and its Jacobian over a few blocks.
//! The conformance suite checks each by finite differences and for symmetry, definiteness and balance of forces.

pub mod attachment;
pub mod attachments;
pub mod blended;
#[cfg(test)]
mod conformance;
#[cfg(test)]
mod conformance_tests;
pub mod coupling;
pub mod gravity;
pub mod held;
pub mod inertia;
pub mod joint;
pub mod joints;
pub mod problem;
pub mod reduced;
pub mod reduced_attachments;
mod spring;
pub mod tether;
pub mod tissue;

pub use spring::{ScalarSpring, Spring};
