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
    /// The outward normal at rest along the three edges from the element's first node, metres: with the deformed edges it
    /// gives the normal at any time.
    pub across: Vec3,
}

impl SurfacePoint {
    /// What [`SurfacePoint::across`] holds for a unit normal at rest.
    #[must_use]
    pub fn normal_at_rest(normal: Vec3, nodes: [u32; 4], rest: &[Vec3]) -> Vec3 {
        let [a, b, c, d] = nodes.map(|n| rest[n as usize]);
        let edges = [b - a, c - a, d - a];
        let volume = edges[0].dot(edges[1].cross(edges[2]));
        Vec3::from_array(edges.map(|e| e.dot(normal))) / volume
    }

    /// Outward unit normal where the nodes are at `field`: the cofactor of the deformation carries the normal at rest.
    #[must_use]
    pub fn outward(&self, field: &[Vec3]) -> Vec3 {
        let [a, b, c, d] = self.nodes.map(|n| field[n as usize]);
        let (u, v, w) = (b - a, c - a, d - a);
        let normal = v.cross(w) * self.across.x + w.cross(u) * self.across.y + u.cross(v) * self.across.z;
        normal.normalize_or_zero()
    }

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
    /// How far apart its points are on average, metres.
    pub spacing: f64,
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
        let area: f64 = points.iter().map(|p| p.area).sum();
        let spacing = (area / points.len().max(1) as f64).sqrt();
        SoftSurface { points, starts, spacing }
    }

    /// Number of groups.
    #[must_use]
    pub fn group_count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }
}
