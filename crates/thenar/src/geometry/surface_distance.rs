//! Signed distance to a closed triangle surface.

use super::TriMesh;
use super::triangle_tree::{Nearest, TriangleTree};
use crate::math::Vec3;
use std::collections::BTreeMap;

/// Exact signed distance to a closed surface, negative inside.
///
/// The sign comes from angle-weighted pseudonormals [Bærentzen & Aanæs 2005, "Signed distance computation using the
/// angle weighted pseudonormal"], which are right at edges and corners too.
#[derive(Clone, Debug)]
pub struct SurfaceDistance {
    tree: TriangleTree,
    triangles: Vec<[u32; 3]>,
    face_normals: Vec<Vec3>,
    /// Sum of the two face normals across each side (opposite corner 0, 1, 2) of each triangle.
    side_normals: Vec<[Vec3; 3]>,
    corner_normals: Vec<Vec3>,
}

impl SurfaceDistance {
    /// Prepares a closed surface whose triangles point outwards.
    #[must_use]
    pub fn new(surface: &TriMesh) -> Self {
        let mut face_normals = Vec::with_capacity(surface.triangles.len());
        let mut corner_normals = vec![Vec3::ZERO; surface.positions.len()];
        let mut sides: BTreeMap<(u32, u32), Vec3> = BTreeMap::new();
        for t in &surface.triangles {
            let p = t.map(|v| surface.positions[v as usize]);
            let n = (p[1] - p[0]).cross(p[2] - p[0]).normalize_or_zero();
            face_normals.push(n);
            for i in 0..3 {
                let (u, v) = (p[(i + 1) % 3] - p[i], p[(i + 2) % 3] - p[i]);
                corner_normals[t[i] as usize] += n * libm::atan2(u.cross(v).length(), u.dot(v));
                let (a, b) = (t[(i + 1) % 3], t[(i + 2) % 3]);
                *sides.entry((a.min(b), a.max(b))).or_insert(Vec3::ZERO) += n;
            }
        }
        let side_normals = surface
            .triangles
            .iter()
            .map(|t| {
                std::array::from_fn(|i| {
                    let (a, b) = (t[(i + 1) % 3], t[(i + 2) % 3]);
                    sides[&(a.min(b), a.max(b))]
                })
            })
            .collect();
        SurfaceDistance {
            tree: TriangleTree::new(surface),
            triangles: surface.triangles.clone(),
            face_normals,
            side_normals,
            corner_normals,
        }
    }

    /// Outward normal (not of unit length) at a nearest point: of the face, or averaged at edges and corners.
    #[must_use]
    pub fn normal_at(&self, nearest: &Nearest) -> Vec3 {
        let t = nearest.triangle as usize;
        let zeros = nearest.weights.iter().filter(|w| **w <= 1e-12).count();
        match zeros {
            0 => self.face_normals[t],
            1 => {
                let opposite = nearest.weights.iter().position(|w| *w <= 1e-12).unwrap_or(0);
                self.side_normals[t][opposite]
            }
            _ => {
                let corner = nearest.weights.iter().position(|w| *w > 1e-12).unwrap_or(0);
                self.corner_normals[self.triangles[t][corner] as usize]
            }
        }
    }

    /// Nearest point of the surface.
    #[must_use]
    pub fn nearest(&self, p: Vec3) -> Option<Nearest> {
        self.tree.nearest(p)
    }

    /// True if the surface comes within `reach` metres of the point.
    #[must_use]
    pub fn is_within(&self, p: Vec3, reach: f64) -> bool {
        self.tree.is_within(p, reach)
    }

    /// Signed distance, metres; infinite for an empty surface.
    #[must_use]
    pub fn distance(&self, p: Vec3) -> f64 {
        let Some(nearest) = self.tree.nearest(p) else { return f64::INFINITY };
        let distance = nearest.distance_squared.sqrt();
        if (p - nearest.point).dot(self.normal_at(&nearest)) < 0.0 { -distance } else { distance }
    }
}
