//! What the mesher knows about the shape it fills.

use crate::geometry::SurfaceDistance;
use crate::math::Vec3;

/// The surface, and how long edges should be where.
pub(super) struct Domain<'a> {
    pub surface: &'a SurfaceDistance,
    pub sizing: &'a dyn Fn(Vec3) -> f64,
}

impl Domain<'_> {
    /// Wanted edge length.
    pub fn size(&self, p: Vec3) -> f64 {
        (self.sizing)(p)
    }

    /// Nearest point of the surface.
    pub fn project(&self, p: Vec3) -> Vec3 {
        self.surface.nearest(p).map_or(p, |n| n.point)
    }

    /// True if the middle of the face and of its sides lie within `reach` of the surface.
    pub fn face_is_near(&self, [a, b, c]: [Vec3; 3], reach: f64) -> bool {
        let samples = [(a + b + c) / 3.0, 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)];
        samples.iter().all(|&s| self.surface.is_within(s, reach))
    }
}
