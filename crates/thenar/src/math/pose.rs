//! A rigid placement: rotation and translation.

use super::{Quat, Vec3};

/// A rigid placement in space; maps local points `r` to `position + rotation * r`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Origin of the local frame, metres.
    pub position: Vec3,
    /// Orientation of the local frame, a unit quaternion.
    pub rotation: Quat,
}

impl Pose {
    /// The frame of the world itself.
    pub const IDENTITY: Pose = Pose { position: Vec3::ZERO, rotation: Quat::IDENTITY };

    /// A placement from its parts.
    #[must_use]
    pub const fn new(position: Vec3, rotation: Quat) -> Self {
        Pose { position, rotation }
    }

    /// Maps a local point to the outer frame.
    #[must_use]
    pub fn point(&self, local: Vec3) -> Vec3 {
        self.position + self.rotation * local
    }

    /// Maps a point of the outer frame into the local one.
    #[must_use]
    pub fn local(&self, point: Vec3) -> Vec3 {
        self.rotation.inverse() * (point - self.position)
    }

    /// The placement that undoes this one.
    #[must_use]
    pub fn inverse(&self) -> Pose {
        let rotation = self.rotation.inverse();
        Pose { position: rotation * -self.position, rotation }
    }

    /// True if every number is finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.position.is_finite() && self.rotation.is_finite()
    }
}

impl std::ops::Mul for Pose {
    type Output = Pose;

    /// `(a * b).point(r) == a.point(b.point(r))`
    fn mul(self, inner: Pose) -> Pose {
        Pose { position: self.point(inner.position), rotation: self.rotation * inner.rotation }
    }
}

impl Default for Pose {
    fn default() -> Self {
        Pose::IDENTITY
    }
}
