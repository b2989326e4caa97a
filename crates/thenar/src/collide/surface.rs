//! The points of a soft body that can touch.

use crate::math::Vec3;

/// A skin vertex carried by an element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// The four nodes of the element.
    pub nodes: [u32; 4],
    /// Barycentric weights.
    pub weights: [f64; 4],
    /// The element.
    pub tet: u32,
    /// Area the point stands for, m².
    pub area: f64,
    /// Index of the skin vertex.
    pub vertex: u32,
    /// The patch it belongs to.
    pub patch: u8,
}

impl SurfacePoint {
    /// Interpolates a nodal field at the point.
    #[inline]
    #[must_use]
    pub fn interpolate(&self, field: &[Vec3]) -> Vec3 {
        let (n, w) = (&self.nodes, &self.weights);
        field[n[0] as usize] * w[0]
            + field[n[1] as usize] * w[1]
            + field[n[2] as usize] * w[2]
            + field[n[3] as usize] * w[3]
    }
}

/// All contact points of one soft body, grouped so that whole groups can be skipped.
#[derive(Clone, Debug, Default)]
pub struct SoftSurface {
    /// The points, group after group.
    pub points: Vec<SurfacePoint>,
    /// Group `g` holds `points[starts[g]..starts[g + 1]]`.
    pub starts: Vec<u32>,
}

impl SoftSurface {
    /// Groups points by patch.
    #[must_use]
    pub fn new(mut points: Vec<SurfacePoint>) -> Self {
        points.sort_by_key(|p| (p.patch, p.vertex));
        let mut starts = vec![0];
        for i in 1..points.len() {
            if points[i].patch != points[i - 1].patch {
                starts.push(i as u32);
            }
        }
        starts.push(points.len() as u32);
        SoftSurface { points, starts }
    }

    /// Number of groups.
    #[must_use]
    pub fn group_count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }
}
