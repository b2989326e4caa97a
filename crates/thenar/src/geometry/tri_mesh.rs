//! Triangle surfaces.

use crate::math::Vec3;

/// An indexed triangle surface; triangles are counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriMesh {
    /// Vertex positions, metres.
    pub positions: Vec<Vec3>,
    /// Vertex indices of each triangle.
    pub triangles: Vec<[u32; 3]>,
}

impl TriMesh {
    /// The three corners of a triangle.
    #[must_use]
    pub fn corners(&self, triangle: usize) -> [Vec3; 3] {
        self.triangles[triangle].map(|v| self.positions[v as usize])
    }

    /// Volume enclosed, m³; negative if the triangles face inwards. Meaningful for closed surfaces only.
    #[must_use]
    pub fn volume(&self) -> f64 {
        let tetrahedra = (0..self.triangles.len()).map(|t| {
            let [a, b, c] = self.corners(t);
            a.dot(b.cross(c))
        });
        tetrahedra.sum::<f64>() / 6.0
    }

    /// Area of the surface, m².
    #[must_use]
    pub fn area(&self) -> f64 {
        (0..self.triangles.len()).map(|t| self.triangle_area(t)).sum()
    }

    /// Area of one triangle, m².
    #[must_use]
    pub fn triangle_area(&self, triangle: usize) -> f64 {
        let [a, b, c] = self.corners(triangle);
        0.5 * (b - a).cross(c - a).length()
    }

    /// A third of the area of the triangles around each vertex, m²; sums to [`TriMesh::area`].
    #[must_use]
    pub fn vertex_areas(&self) -> Vec<f64> {
        let mut areas = vec![0.0; self.positions.len()];
        for (t, triangle) in self.triangles.iter().enumerate() {
            let third = self.triangle_area(t) / 3.0;
            for &v in triangle {
                areas[v as usize] += third;
            }
        }
        areas
    }

    /// Unit normals per vertex, averaged over the triangles around it by area.
    #[must_use]
    pub fn vertex_normals(&self) -> Vec<Vec3> {
        let mut normals = vec![Vec3::ZERO; self.positions.len()];
        for (t, triangle) in self.triangles.iter().enumerate() {
            let [a, b, c] = self.corners(t);
            for &v in triangle {
                normals[v as usize] += (b - a).cross(c - a);
            }
        }
        normals.into_iter().map(Vec3::normalize_or_zero).collect()
    }

    /// Every edge once, as `[smaller, larger]` vertex index, sorted.
    #[must_use]
    pub fn edges(&self) -> Vec<[u32; 2]> {
        let mut edges: Vec<[u32; 2]> = (self.triangles.iter())
            .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
            .map(|[a, b]| [a.min(b), a.max(b)])
            .collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// Least and greatest corner of the box around all vertices.
    #[must_use]
    pub fn bounds(&self) -> [Vec3; 2] {
        let empty = [Vec3::INFINITY, Vec3::NEG_INFINITY];
        self.positions.iter().fold(empty, |[low, high], &p| [low.min(p), high.max(p)])
    }

    /// The mirror image across the plane x = 0, still facing outwards.
    #[must_use]
    pub fn mirrored(&self) -> TriMesh {
        TriMesh {
            positions: self.positions.iter().map(|p| Vec3::new(-p.x, p.y, p.z)).collect(),
            triangles: self.triangles.iter().map(|&[a, b, c]| [a, c, b]).collect(),
        }
    }
}
