//! Stiff energies for the joints between bones [CLAP §3.2; hinge, universal joint and limits are ours].
//!
//! All have the blocks of two bodies: centre of mass and rotation of the first, then of the second.

use super::spring::{ScalarSpring, Spring};
use crate::math::{Mat3, Pose, Vec3, skew};

/// Keeps a point of two bodies together [CLAP eq. 6]: `½ k ‖x_a + R_a r_a − x_b − R_b r_b‖²`.
///
/// `ra` and `rb` are relative to the centres of mass, in each body's frame; `stiffness` in N/m.
#[must_use]
pub fn spherical(a: &Pose, ra: Vec3, b: &Pose, rb: Vec3, stiffness: f64) -> Spring<4> {
    let (arm_a, arm_b) = (a.rotation * ra, b.rotation * rb);
    Spring {
        residual: a.position + arm_a - b.position - arm_b,
        stiffness: Mat3::from_diagonal(Vec3::splat(stiffness)),
        jacobian: [Mat3::IDENTITY, -skew(arm_a), -Mat3::IDENTITY, skew(arm_b)],
    }
}

/// Keeps an axis of two bodies aligned: `½ k ‖R_a a − R_b b‖²`; with [`spherical`] it makes a hinge.
///
/// `axis_a` and `axis_b` are unit vectors in each body's frame; `stiffness` in N m.
#[must_use]
pub fn aligned(a: &Pose, axis_a: Vec3, b: &Pose, axis_b: Vec3, stiffness: f64) -> Spring<4> {
    let (u, v) = (a.rotation * axis_a, b.rotation * axis_b);
    Spring {
        residual: u - v,
        stiffness: Mat3::from_diagonal(Vec3::splat(stiffness)),
        jacobian: [Mat3::ZERO, -skew(u), Mat3::ZERO, skew(v)],
    }
}

/// Keeps two axes perpendicular: `½ k ((R_a a)·(R_b b))²`; with [`spherical`] it makes a universal joint.
#[must_use]
pub fn perpendicular(a: &Pose, axis_a: Vec3, b: &Pose, axis_b: Vec3, stiffness: f64) -> ScalarSpring<4> {
    let (u, v) = (a.rotation * axis_a, b.rotation * axis_b);
    ScalarSpring { residual: u.dot(v), stiffness, jacobian: [Vec3::ZERO, u.cross(v), Vec3::ZERO, v.cross(u)] }
}

/// How an angle between two bodies is measured: about `axis` from `from` (both fixed in body a) to `to` (fixed in b).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AngleGauge {
    /// Unit axis in the frame of body a.
    pub axis: Vec3,
    /// Unit vector perpendicular to the axis in the frame of body a, where the angle is zero.
    pub from: Vec3,
    /// Vector in the frame of body b whose direction is measured.
    pub to: Vec3,
}

impl AngleGauge {
    /// The angle in radians, right-handed about the axis, in (−π, π], and its derivative by the rotation of body b
    /// (the derivative by body a is its negative, because turning both changes nothing).
    #[must_use]
    pub fn measure(&self, a: &Pose, b: &Pose) -> (f64, Vec3) {
        let (u, p, c) = (a.rotation * self.axis, a.rotation * self.from, b.rotation * self.to);
        let (sine, cosine) = (p.cross(c).dot(u), p.dot(c));
        let length_squared = sine * sine + cosine * cosine;
        if length_squared < 1e-12 {
            return (0.0, Vec3::ZERO); // looking along the axis: the angle is undefined, and so is its limit
        }
        let d_sine = c.cross(u.cross(p));
        let d_cosine = c.cross(p);
        (libm::atan2(sine, cosine), (d_sine * cosine - d_cosine * sine) / length_squared)
    }
}

/// One-sided limit of an angle: `½ k max(0, φ − φ_max)²` above, mirrored below; `None` inside the range.
///
/// `range` in radians, `stiffness` in N m/rad.
#[must_use]
pub fn limit(a: &Pose, b: &Pose, gauge: &AngleGauge, range: [f64; 2], stiffness: f64) -> Option<ScalarSpring<4>> {
    let (angle, by_b) = gauge.measure(a, b);
    let residual = if angle > range[1] {
        angle - range[1]
    } else if angle < range[0] {
        angle - range[0]
    } else {
        return None;
    };
    Some(ScalarSpring { residual, stiffness, jacobian: [Vec3::ZERO, -by_b, Vec3::ZERO, by_b] })
}
