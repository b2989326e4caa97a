//! The stretches of one element, and what moves them.

use crate::body::{StretchElement, StretchLimits};
use crate::math::{Mat3, Vec3, signed_svd};

/// Principal stretches of an element with their directions: `F = P Σ Qᵀ`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// Stretches, descending; the last is negative where the element is inside out.
    pub sigma: [f64; 3],
    /// `P`: directions in the world.
    pub now: Mat3,
    /// `Q`: directions at rest.
    pub rest: Mat3,
}

impl Stretch {
    /// The stretches of a deformation gradient.
    #[must_use]
    pub fn of(deformation: &Mat3) -> Stretch {
        let svd = signed_svd(deformation);
        Stretch { sigma: svd.sigma.to_array(), now: svd.u, rest: svd.v }
    }

    /// `∂σ_i/∂x_a = p_i (q_i · ∇N_a)` for the four nodes, 1/m.
    #[must_use]
    pub fn gradient(&self, i: usize, element: &StretchElement) -> [Vec3; 4] {
        let (p, q) = (self.now.col(i), self.rest.col(i));
        element.gradients.map(|gradient| p * q.dot(gradient))
    }

    /// Volume over that at rest, `J = σ₁ σ₂ σ₃`; negative inside out.
    #[must_use]
    pub fn volume(&self) -> f64 {
        self.sigma.iter().product()
    }

    /// `∂J/∂σ_i`: the product of the other two.
    #[must_use]
    pub fn volume_by_stretch(&self) -> [f64; 3] {
        let [a, b, c] = self.sigma;
        [b * c, a * c, a * b]
    }

    /// `∂J/∂x_a = Σ_i ∂J/∂σ_i p_i (q_i · ∇N_a)` for the four nodes, 1/m.
    #[must_use]
    pub fn volume_gradient(&self, element: &StretchElement) -> [Vec3; 4] {
        let scaled = Mat3::from_diagonal(Vec3::from_array(self.volume_by_stretch()));
        let cofactor = self.now * scaled * self.rest.transpose();
        element.gradients.map(|gradient| cofactor * gradient)
    }

    /// How far the stretch that is worst, or the volume, is beyond its limits; negative within them.
    #[must_use]
    pub fn beyond(&self, limits: &StretchLimits) -> f64 {
        // they are sorted
        let stretches = (limits.least - self.sigma[2]).max(self.sigma[0] - limits.most);
        if limits.volume > 0.0 { stretches.max(limits.volume - self.volume()) } else { stretches }
    }
}

/// How far the worst stretch of a deformation gradient, or its volume, is beyond its limits, 0 within them.
///
/// Most elements are within, which needs no singular values: `FᵀF − s_min²` and `s_max² − FᵀF` are positive definite (their leading
/// minors are positive) and `det F` exceeds its limit, or 0.
#[inline]
#[must_use]
pub fn beyond(deformation: &Mat3, limits: &StretchLimits) -> f64 {
    if is_within(deformation, limits) { 0.0 } else { Stretch::of(deformation).beyond(limits).max(0.0) }
}

/// True if all stretches and the volume are within their limits.
#[inline]
pub(super) fn is_within(f: &Mat3, limits: &StretchLimits) -> bool {
    let (a, b, c) = (f.x_axis, f.y_axis, f.z_axis);
    let products = [a.dot(a), b.dot(b), c.dot(c), a.dot(b), a.dot(c), b.dot(c)];
    let positive = |sign: f64, at: f64| {
        let [x, y, z] = [products[0], products[1], products[2]].map(|d| sign * (d - at));
        let [xy, xz, yz] = [products[3], products[4], products[5]].map(|d| sign * d);
        let minor = x * y - xy * xy;
        x > 0.0 && minor > 0.0 && z * minor - yz * (x * yz - xy * xz) + xz * (xy * yz - y * xz) > 0.0
    };
    positive(1.0, limits.least * limits.least)
        && positive(-1.0, limits.most * limits.most)
        && a.dot(b.cross(c)) > limits.volume
}
