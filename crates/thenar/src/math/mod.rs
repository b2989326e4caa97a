//! Vectors, rotations and the small dense algebra of the engine.
//!
//! Types come from `glam` in double precision under short names. Transcendental functions go through the `libm` crate
//! (also inside `glam`, by its feature), so that results do not depend on the platform's C library.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
pub mod dense;
mod executor;
mod kernels;
mod polar;
mod pose;
mod real;
mod rotation;
mod svd;
mod vector;

pub use dense::dot;
pub(crate) use executor::Shared;
pub use executor::{Executor, Serial};
pub use glam::{DMat3 as Mat3, DQuat as Quat, DVec3 as Vec3};
pub use kernels::Kernels;
pub(crate) use kernels::dispatch;
pub use polar::polar_rotation;
pub(crate) use polar::{MatrixLanes, mul_vector, quaternion_matrix, refine_rotation, transpose_mul};
pub use pose::Pose;
pub use real::Real;
pub use rotation::{rotation_exp, rotation_log, skew};
pub use svd::{SignedSvd, signed_svd};
pub(crate) use vector::{Array, Double, Quad, Vector};
