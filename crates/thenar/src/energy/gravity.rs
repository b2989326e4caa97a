//! Weight.

use crate::math::Vec3;

/// Earth's gravity, m/s².
pub const STANDARD_GRAVITY: Vec3 = Vec3::new(0.0, -9.81, 0.0);

/// Potential energy `−m g·x` of a mass at `x`, joules.
#[must_use]
pub fn potential(mass: f64, gravity: Vec3, x: Vec3) -> f64 {
    -mass * gravity.dot(x)
}

/// The force that goes with it, newtons.
#[must_use]
pub fn weight(mass: f64, gravity: Vec3) -> Vec3 {
    gravity * mass
}
