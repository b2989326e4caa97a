//! Penalty contact of a point with a rigid object [CLAP eqs. 12–13].
//!
//! The point `x` is seen in the object's frame, `y = Rᵀ (x − p)`, where the distance field and the friction anchor
//! rest. Its velocity there is `Rᵀ (ẋ − v − ω × (x − p))`, so both bodies receive the force at the same point `x` and
//! neither energy makes a spurious torque. With `n` the field's gradient, the residual `ρ = g n + (I − n nᵀ)(y − a)`
//! holds the gap and the tangential offset from the anchor at once, with stiffness `k_n n nᵀ + k_t (I − n nᵀ)`.

use crate::math::{Mat3, Vec3};

/// One touching point in world axes, ready to be spread over the blocks of both sides.
#[derive(Clone, Copy, Debug, Default)]
pub struct PointContact {
    /// Where the two sides touch: the skin vertex itself, metres.
    pub point: Vec3,
    /// Unit normal from the object to the skin.
    pub normal: Vec3,
    /// Signed gap: negative where the point is inside the object, metres.
    pub gap: f64,
    /// Tangential offset from the friction anchor, metres.
    pub offset: Vec3,
    /// Normal stiffness `w k_n`, N/m.
    pub normal_stiffness: f64,
    /// Tangential stiffness, N/m: that of a sticking point, or the secant of a slipping one.
    pub tangent_stiffness: f64,
}

impl PointContact {
    /// Residual `ρ = g n + s`.
    #[must_use]
    pub fn residual(&self) -> Vec3 {
        self.normal * self.gap + self.offset
    }

    /// Stiffness `k_n n nᵀ + k_t (I − n nᵀ)`.
    #[must_use]
    pub fn stiffness(&self) -> Mat3 {
        let n = self.normal;
        let d = self.normal_stiffness - self.tangent_stiffness;
        let t = self.tangent_stiffness;
        Mat3::from_cols(
            Vec3::new(d * n.x * n.x + t, d * n.y * n.x, d * n.z * n.x),
            Vec3::new(d * n.x * n.y, d * n.y * n.y + t, d * n.z * n.y),
            Vec3::new(d * n.x * n.z, d * n.y * n.z, d * n.z * n.z + t),
        )
    }

    /// Force on the skin point, newtons: `−K ρ`.
    #[must_use]
    pub fn force(&self) -> Vec3 {
        -(self.normal * (self.normal_stiffness * self.gap) + self.offset * self.tangent_stiffness)
    }
}

/// Stiffness of a frictional point whose tangential offset will be `offset` (metres) under a normal force `normal`
/// (newtons): the full `k_t` while it sticks, and the secant `μ f_n / |s|` that gives Coulomb's force once it slips.
#[must_use]
pub fn friction_stiffness(stick: f64, offset: f64, friction: f64, normal: f64) -> f64 {
    let limit = friction * normal.max(0.0);
    if stick * offset <= limit { stick } else { limit / offset }
}

/// How far the anchor must follow a slipping point so that `k_t |s| = μ f_n`: the part of the offset that remains.
#[must_use]
pub fn remaining_offset(stick: f64, offset: Vec3, friction: f64, normal: f64) -> Vec3 {
    let limit = friction * normal.max(0.0);
    let length = offset.length();
    if stick * length <= limit { offset } else { offset * (limit / (stick * length)) }
}
