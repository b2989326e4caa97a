//! Axis-aligned boxes.

use crate::math::{Mat3, Pose, Vec3};

/// An axis-aligned box; the empty box has `min > max` and grows around whatever is added to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Least corner, metres.
    pub min: Vec3,
    /// Greatest corner, metres.
    pub max: Vec3,
}

impl Aabb {
    /// The box that holds nothing.
    pub const EMPTY: Aabb = Aabb { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// A box from its least and greatest corner.
    #[must_use]
    pub const fn new(min: Vec3, max: Vec3) -> Self {
        Aabb { min, max }
    }

    /// The box centred on the origin with these half extents.
    #[must_use]
    pub fn from_half(half: Vec3) -> Self {
        Aabb { min: -half, max: half }
    }

    /// The smallest box around all points; [`Aabb::EMPTY`] for none.
    #[must_use]
    pub fn around(points: impl IntoIterator<Item = Vec3>) -> Self {
        let mut bounds = Aabb::EMPTY;
        for point in points {
            bounds.add(point);
        }
        bounds
    }

    /// Grows the box around a point.
    pub fn add(&mut self, point: Vec3) {
        self.min = self.min.min(point);
        self.max = self.max.max(point);
    }

    /// The smallest box around both.
    #[must_use]
    pub fn union(&self, other: &Aabb) -> Aabb {
        Aabb { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The box moved outwards by `margin` on every side.
    #[must_use]
    pub fn grown(&self, margin: f64) -> Aabb {
        Aabb { min: self.min - Vec3::splat(margin), max: self.max + Vec3::splat(margin) }
    }

    /// The smallest box around this one moved by a placement; unbounded if it is.
    #[must_use]
    pub fn placed(&self, pose: &Pose) -> Aabb {
        if !self.size().is_finite() {
            return Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY);
        }
        let half = self.size() * 0.5;
        let middle = pose.point(self.centre());
        let axes = Mat3::from_quat(pose.rotation);
        let reach = axes.x_axis.abs() * half.x + axes.y_axis.abs() * half.y + axes.z_axis.abs() * half.z;
        Aabb::new(middle - reach, middle + reach)
    }

    /// True if the boxes share a point.
    #[must_use]
    pub fn overlaps(&self, other: &Aabb) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// True if the point is inside or on the border.
    #[must_use]
    pub fn contains(&self, point: Vec3) -> bool {
        self.min.cmple(point).all() && point.cmple(self.max).all()
    }

    /// True if the box holds nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.min.cmple(self.max).all()
    }

    /// Middle of the box.
    #[must_use]
    pub fn centre(&self) -> Vec3 {
        (self.min + self.max) * 0.5
    }

    /// Edge lengths.
    #[must_use]
    pub fn size(&self) -> Vec3 {
        self.max - self.min
    }

    /// Distance from a point to the box, 0 inside.
    #[must_use]
    pub fn distance(&self, point: Vec3) -> f64 {
        (point - point.clamp(self.min, self.max)).length()
    }
}
