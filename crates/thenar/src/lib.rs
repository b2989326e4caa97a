//! Thenar: a soft human hand for virtual worlds.
//!
//! A tracked hand comes in; deformed skin, grasped objects and contact forces come out. Units are SI throughout
//! (metres, kilograms, seconds, newtons), the frame is right-handed with Y up, and state is `f64`.
//!
//! The modules depend on one another in one direction only, in the order of this list:
//!
//! | module | what it holds |
//! |---|---|
//! | [`math`] | vectors, rotations, polar decomposition, SIMD lanes |
//! | [`sparse`] | block-sparse symmetric matrices and their solvers |
//! | [`geometry`] | triangle and tetrahedral meshes, distance fields, the mesher |
//! | [`hand`] | anatomy, skin, skeleton, tissue: everything that makes a [`hand::HandModel`] |
//! | [`tracking`] | tracked frames and how the simulated hand follows them |
//! | [`energy`] | one file per energy term |
#![warn(missing_docs)]

pub mod energy;
pub mod geometry;
pub mod hand;
pub mod math;
pub mod sparse;
pub mod tracking;
