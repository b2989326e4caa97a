//! Virtual coupling of a body to a pose that is held constant within the step [CLAP eq. 14].

use super::spring::Spring;
use crate::math::{Mat3, Pose, Quat, Vec3, rotation_log};

/// Linear part: `½ k ‖x − x_target‖²` over the block of the centre of mass; `stiffness` in N/m.
#[must_use]
pub fn linear(body: &Pose, target: Vec3, stiffness: f64) -> Spring<1> {
    Spring {
        residual: body.position - target,
        stiffness: Mat3::from_diagonal(Vec3::splat(stiffness)),
        jacobian: [Mat3::IDENTITY],
    }
}

/// Angular part: `½ k ‖Δθ‖²`, `Δθ` the axis-angle of `R R_targetᵀ`, over the block of the rotation; N m/rad.
///
/// The gradient is `k Δθ` exactly, because the inverse left Jacobian of the logarithm leaves `Δθ` itself unchanged;
/// the Jacobian is taken as the identity, which is its Gauss–Newton Hessian to second order in the angle.
#[must_use]
pub fn angular(body: &Pose, target: Quat, stiffness: f64) -> Spring<1> {
    Spring {
        residual: rotation_log(body.rotation * target.inverse()),
        stiffness: Mat3::from_diagonal(Vec3::splat(stiffness)),
        jacobian: [Mat3::IDENTITY],
    }
}

/// Stiffness of a spring whose force may not exceed `cap`: the secant `min(k, cap / |r|)` keeps the energy convex.
#[must_use]
pub fn capped(stiffness: f64, stretch: f64, cap: f64) -> f64 {
    if stiffness * stretch > cap { cap / stretch } else { stiffness }
}
