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
//! | [`energy`] | one file per energy term, and the linear problem they are appended to |
//! | [`tracking`] | tracked frames and how the simulated hand follows them |
//! | [`collide`] | which surface points touch which objects |
//! | [`contact`] | contact methods |
//! | [`solve`] | solvers of the step's linear problem |
//! | [`world`] | [`world::World`], its step and what comes out of it |
#![warn(missing_docs)]

pub mod collide;
pub mod contact;
pub mod energy;
pub mod geometry;
pub mod hand;
pub mod math;
pub mod solve;
pub mod sparse;
pub mod tracking;
pub mod world;
