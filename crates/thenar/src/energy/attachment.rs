//! Springs that hold the tissue on the bones.

use super::spring::Spring;
use crate::math::{Mat3, Pose, Vec3, skew};

/// Coupling of one element and one bone [CLAP eq. 11]: `½ k ‖p + R l − Σ wᵢ xᵢ‖²`.
///
/// Blocks: the four nodes, the bone's centre of mass, the bone's rotation. `local` is relative to the centre of mass,
/// metres; `stiffness` is `k_total N / N_total`, N/m.
#[must_use]
pub fn attachment(nodes: &[Vec3; 4], weights: &[f64; 4], bone: &Pose, local: Vec3, stiffness: f64) -> Spring<6> {
    let arm = bone.rotation * local;
    let carried = nodes[0] * weights[0] + nodes[1] * weights[1] + nodes[2] * weights[2] + nodes[3] * weights[3];
    let w = |i: usize| Mat3::from_diagonal(Vec3::splat(-weights[i]));
    Spring {
        residual: bone.position + arm - carried,
        stiffness: Mat3::from_diagonal(Vec3::splat(stiffness)),
        jacobian: [w(0), w(1), w(2), w(3), Mat3::IDENTITY, -skew(arm)],
    }
}
