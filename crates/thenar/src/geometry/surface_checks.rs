//! Is a triangle surface the boundary of a solid? Checks for our own surfaces and for foreign ones.

use super::TriMesh;
use super::orientation::segment_pierces_triangle;
use crate::math::Vec3;

/// Why a triangle surface does not bound a solid, and where.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SurfaceError {
    /// No triangles at all.
    #[error("the surface has no triangles")]
    Empty,
    /// A triangle names a vertex that does not exist.
    #[error("triangle {triangle} names vertex {vertex}, but there are only {vertices} vertices")]
    IndexOutOfRange {
        /// The triangle.
        triangle: usize,
        /// The index it names.
        vertex: u32,
        /// How many vertices exist.
        vertices: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} is at {at}, which is not finite")]
    NotFinite {
        /// The vertex.
        vertex: usize,
        /// Its position.
        at: Vec3,
    },
    /// A triangle uses one vertex twice.
    #[error("triangle {triangle} uses a vertex twice near {at}; remove it or weld the vertices")]
    Degenerate {
        /// The triangle.
        triangle: usize,
        /// Where it is, metres.
        at: Vec3,
    },
    /// An edge has a triangle on one side only.
    #[error("the surface is open at edge {edge:?} near {at}; close the hole or weld duplicate vertices")]
    Open {
        /// The vertices of the edge.
        edge: [u32; 2],
        /// Middle of the edge, metres.
        at: Vec3,
    },
    /// More than two triangles meet at an edge, or two with opposite orientation.
    #[error("{faces} triangles meet at edge {edge:?} near {at} where two of opposite direction should")]
    NonManifoldEdge {
        /// The vertices of the edge.
        edge: [u32; 2],
        /// How many triangles use it.
        faces: usize,
        /// Middle of the edge, metres.
        at: Vec3,
    },
    /// Two fans of triangles touch in one vertex only.
    #[error("separate fans of triangles touch at vertex {vertex} near {at}; split the vertex")]
    NonManifoldVertex {
        /// The vertex.
        vertex: u32,
        /// Its position, metres.
        at: Vec3,
    },
    /// Two triangles pierce one another.
    #[error("triangles {triangles:?} cross near {at} ({count} such pairs)")]
    SelfIntersection {
        /// The first such pair.
        triangles: [u32; 2],
        /// Where, metres.
        at: Vec3,
        /// How many pairs cross.
        count: usize,
    },
    /// The triangles face inwards.
    #[error("the surface faces inwards (volume {volume} m³); reverse its triangles")]
    InsideOut {
        /// Signed volume, m³.
        volume: f64,
    },
}

/// A directed edge and the triangle that uses it.
type HalfEdge = (u32, u32, u32);

impl TriMesh {
    /// Checks that every edge joins two triangles of consistent direction and that every vertex has one fan.
    ///
    /// # Errors
    /// The first defect found, with its place.
    pub fn check_closed_manifold(&self) -> Result<(), SurfaceError> {
        self.check_indices()?;
        let half_edges = self.sorted_half_edges();
        self.check_edges(&half_edges)?;
        self.check_vertices(&half_edges)
    }

    /// True if [`TriMesh::check_closed_manifold`] finds nothing.
    #[must_use]
    pub fn is_closed_manifold(&self) -> bool {
        self.check_closed_manifold().is_ok()
    }

    /// Checks that the surface bounds a solid: closed, manifold, facing outwards, without self-intersections.
    ///
    /// # Errors
    /// The first defect found, with its place.
    pub fn check_solid(&self) -> Result<(), SurfaceError> {
        self.check_closed_manifold()?;
        let volume = self.volume();
        if volume <= 0.0 {
            return Err(SurfaceError::InsideOut { volume });
        }
        let crossings = self.self_intersections();
        match crossings.first() {
            None => Ok(()),
            Some(&triangles) => {
                let [a, b, c] = self.corners(triangles[0] as usize);
                Err(SurfaceError::SelfIntersection { triangles, at: (a + b + c) / 3.0, count: crossings.len() })
            }
        }
    }

    /// Vertices - edges + triangles: 2 for every closed surface without handles. Unused vertices do not count.
    #[must_use]
    pub fn euler_characteristic(&self) -> i64 {
        let mut used = vec![false; self.positions.len()];
        for &v in self.triangles.iter().flatten() {
            used[v as usize] = true;
        }
        let vertices = used.iter().filter(|&&u| u).count();
        vertices as i64 - self.edges().len() as i64 + self.triangles.len() as i64
    }

    /// All pairs of triangles that pierce one another, sorted. Triangles that share an edge are not compared.
    #[must_use]
    pub fn self_intersections(&self) -> Vec<[u32; 2]> {
        let boxes: Vec<[Vec3; 2]> = (0..self.triangles.len())
            .map(|t| {
                let [a, b, c] = self.corners(t);
                [a.min(b).min(c), a.max(b).max(c)]
            })
            .collect();
        let [low, high] = self.bounds();
        let axis = longest_axis(high - low);
        let mut order: Vec<u32> = (0..self.triangles.len() as u32).collect();
        order.sort_by(|&i, &j| boxes[i as usize][0][axis].total_cmp(&boxes[j as usize][0][axis]).then(i.cmp(&j)));

        let mut crossings = Vec::new();
        let mut active: Vec<u32> = Vec::new();
        for &t in &order {
            let [t_low, t_high] = boxes[t as usize];
            active.retain(|&other| boxes[other as usize][1][axis] >= t_low[axis]);
            for &other in &active {
                let [o_low, o_high] = boxes[other as usize];
                if t_low.cmple(o_high).all() && o_low.cmple(t_high).all() && self.triangles_cross(t, other) {
                    crossings.push([t.min(other), t.max(other)]);
                }
            }
            active.push(t);
        }
        crossings.sort_unstable();
        crossings
    }

    fn check_indices(&self) -> Result<(), SurfaceError> {
        if self.triangles.is_empty() {
            return Err(SurfaceError::Empty);
        }
        if let Some(vertex) = self.positions.iter().position(|p| !p.is_finite()) {
            return Err(SurfaceError::NotFinite { vertex, at: self.positions[vertex] });
        }
        for (triangle, corners) in self.triangles.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&v| v as usize >= self.positions.len()) {
                return Err(SurfaceError::IndexOutOfRange { triangle, vertex, vertices: self.positions.len() });
            }
            let &[a, b, c] = corners;
            if a == b || b == c || c == a {
                return Err(SurfaceError::Degenerate { triangle, at: self.positions[a as usize] });
            }
        }
        Ok(())
    }

    fn sorted_half_edges(&self) -> Vec<HalfEdge> {
        let mut half_edges: Vec<HalfEdge> = (self.triangles.iter().enumerate())
            .flat_map(|(t, &[a, b, c])| [(a, b, t as u32), (b, c, t as u32), (c, a, t as u32)])
            .collect();
        half_edges.sort_unstable();
        half_edges
    }

    fn check_edges(&self, half_edges: &[HalfEdge]) -> Result<(), SurfaceError> {
        let uses = |a: u32, b: u32| {
            let start = half_edges.partition_point(|&(x, y, _)| (x, y) < (a, b));
            half_edges[start..].iter().take_while(|&&(x, y, _)| (x, y) == (a, b)).count()
        };
        for &(a, b, _) in half_edges {
            let (along, against) = (uses(a, b), uses(b, a));
            let edge = [a.min(b), a.max(b)];
            let at = 0.5 * (self.positions[a as usize] + self.positions[b as usize]);
            match (along, against) {
                (1, 1) => {}
                (1, 0) => return Err(SurfaceError::Open { edge, at }),
                _ => return Err(SurfaceError::NonManifoldEdge { edge, faces: along + against, at }),
            }
        }
        Ok(())
    }

    /// Walks once around each vertex: the walk must meet all triangles there.
    fn check_vertices(&self, half_edges: &[HalfEdge]) -> Result<(), SurfaceError> {
        let mut start = 0;
        while start < half_edges.len() {
            let vertex = half_edges[start].0;
            let fan = half_edges[start..].iter().take_while(|h| h.0 == vertex).count();
            let spokes = &half_edges[start..start + fan];
            let mut spoke = spokes[0].1;
            let mut steps = 0;
            while let Ok(i) = spokes.binary_search_by(|h| h.1.cmp(&spoke)) {
                let triangle = self.triangles[spokes[i].2 as usize];
                spoke = triangle.into_iter().find(|&v| v != vertex && v != spoke).unwrap_or(vertex);
                steps += 1;
                if spoke == spokes[0].1 || steps > fan {
                    break;
                }
            }
            if steps != fan {
                return Err(SurfaceError::NonManifoldVertex { vertex, at: self.positions[vertex as usize] });
            }
            start += fan;
        }
        Ok(())
    }

    fn triangles_cross(&self, s: u32, t: u32) -> bool {
        let (a, b) = (self.triangles[s as usize], self.triangles[t as usize]);
        if a.iter().filter(|v| b.contains(v)).count() >= 2 {
            return false;
        }
        self.edges_pierce(a, b) || self.edges_pierce(b, a)
    }

    /// Does an edge of `a` that does not touch `b` pierce `b`?
    fn edges_pierce(&self, a: [u32; 3], b: [u32; 3]) -> bool {
        let corners = b.map(|v| self.positions[v as usize]);
        (0..3)
            .map(|k| [a[k], a[(k + 1) % 3]])
            .filter(|edge| !edge.iter().any(|v| b.contains(v)))
            .any(|[i, j]| segment_pierces_triangle(self.positions[i as usize], self.positions[j as usize], corners))
    }
}

fn longest_axis(extent: Vec3) -> usize {
    (0..3).max_by(|&i, &j| extent[i].total_cmp(&extent[j])).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::isosurface;

    fn tetrahedron() -> TriMesh {
        TriMesh {
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z],
            triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]],
        }
    }

    #[test]
    fn a_tetrahedron_bounds_a_solid() {
        let mesh = tetrahedron();
        assert_eq!(mesh.check_solid(), Ok(()));
        assert_eq!(mesh.euler_characteristic(), 2);
        assert!((mesh.volume() - 1.0 / 6.0).abs() < 1e-15);
        assert!((mesh.vertex_areas().iter().sum::<f64>() - mesh.area()).abs() < 1e-15);
    }

    #[test]
    fn a_hole_is_reported_with_its_place() {
        let mut mesh = tetrahedron();
        mesh.triangles.pop();
        let Err(SurfaceError::Open { edge, .. }) = mesh.check_closed_manifold() else { panic!("the hole went unseen") };
        assert!([[0, 2], [0, 3], [2, 3]].contains(&edge));
    }

    #[test]
    fn a_third_triangle_at_an_edge_is_reported() {
        let mut mesh = tetrahedron();
        mesh.positions.push(-Vec3::ONE);
        mesh.triangles.push([0, 1, 4]);
        assert!(matches!(
            mesh.check_closed_manifold(),
            Err(SurfaceError::NonManifoldEdge { .. } | SurfaceError::Open { .. })
        ));
    }

    #[test]
    fn solids_that_touch_in_one_vertex_are_reported() {
        let mut mesh = tetrahedron();
        mesh.positions.extend([-Vec3::X, -Vec3::Y, -Vec3::Z]);
        mesh.triangles.extend([[0, 4, 5], [0, 6, 4], [4, 6, 5], [0, 5, 6]]);
        assert!(matches!(mesh.check_closed_manifold(), Err(SurfaceError::NonManifoldVertex { vertex: 0, .. })));
    }

    #[test]
    fn inward_faces_and_bad_numbers_are_reported() {
        let mut mesh = tetrahedron();
        mesh.triangles.iter_mut().for_each(|t| t.swap(0, 1));
        assert!(matches!(mesh.check_solid(), Err(SurfaceError::InsideOut { .. })));
        mesh.positions[2].y = f64::NAN;
        assert!(matches!(mesh.check_solid(), Err(SurfaceError::NotFinite { vertex: 2, .. })));
        mesh.triangles[0][0] = 9;
        mesh.positions[2].y = 1.0;
        assert!(matches!(mesh.check_solid(), Err(SurfaceError::IndexOutOfRange { triangle: 0, vertex: 9, .. })));
    }

    #[test]
    fn crossing_solids_are_found() {
        let mut mesh = tetrahedron();
        let shifted = tetrahedron();
        mesh.positions.extend(shifted.positions.iter().map(|&p| p + Vec3::new(0.1, 0.15, -0.3)));
        mesh.triangles.extend(shifted.triangles.iter().map(|t| t.map(|v| v + 4)));
        assert!(matches!(mesh.check_solid(), Err(SurfaceError::SelfIntersection { .. })));
        mesh.positions[4..].iter_mut().for_each(|p| *p += Vec3::splat(2.0));
        assert_eq!(mesh.check_solid(), Ok(()));
    }

    /// Triangles of a plane differ from it by rounding only, and cross nothing.
    #[test]
    fn flat_parts_are_no_crossings() {
        // a ball cut by planes that are tilted a little against the grid, in many sizes
        for size in (0..24).map(|i| 0.02 + 1e-3 * f64::from(i)) {
            for tilt in [Vec3::new(0.009, 0.15, 1.0), Vec3::new(-0.03, 0.002, 1.0)].map(Vec3::normalize) {
                let field = |p: Vec3| (p.length() - size).max(tilt.dot(p) - 0.3 * size);
                let corner = Vec3::splat(1.2 * size);
                let mesh = isosurface(&field, [-corner, corner], size / 12.0).triangulate();
                assert_eq!(mesh.check_solid(), Ok(()), "{size} m");
            }
        }
    }
}
