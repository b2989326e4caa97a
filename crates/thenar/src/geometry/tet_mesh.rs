//! Tetrahedral meshes and how good they are.

use super::TriMesh;
use crate::math::Vec3;
use std::collections::BTreeMap;

/// A tetrahedral mesh; `det [b-a, c-a, d-a] > 0` for every element `[a, b, c, d]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TetMesh {
    /// Node positions, metres.
    pub positions: Vec<Vec3>,
    /// Node indices of each tetrahedron.
    pub tets: Vec<[u32; 4]>,
}

/// The faces of a positive tetrahedron, counter-clockwise seen from outside; face `i` is opposite node `i`.
pub const TET_FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// The six edges of a tetrahedron as pairs of local nodes.
pub const TET_EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/// Signed volume of the tetrahedron, positive for a right-handed one.
#[must_use]
pub fn tet_volume(p: [Vec3; 4]) -> f64 {
    (p[1] - p[0]).cross(p[2] - p[0]).dot(p[3] - p[0]) / 6.0
}

/// The six dihedral angles, radians, in the order of [`TET_EDGES`]; meaningless for a flat element.
#[must_use]
pub fn dihedral_angles(p: [Vec3; 4]) -> [f64; 6] {
    let normal = |f: [usize; 3]| (p[f[1]] - p[f[0]]).cross(p[f[2]] - p[f[0]]);
    let normals = TET_FACES.map(normal);
    TET_EDGES.map(|[i, j]| {
        // The two faces that meet in edge ij are those opposite the other two nodes.
        let mut others = (0..4).filter(|&k| k != i && k != j);
        let (k, l) = (others.next().unwrap_or(0), others.next().unwrap_or(0));
        let (a, b) = (normals[k], normals[l]);
        std::f64::consts::PI - libm::atan2(a.cross(b).length(), a.dot(b))
    })
}

/// Longest edge over the least height, scaled to 1 for the regular tetrahedron; infinite for a flat element.
#[must_use]
pub fn aspect_ratio(p: [Vec3; 4]) -> f64 {
    let longest = TET_EDGES.iter().map(|&[i, j]| p[i].distance(p[j])).fold(0.0, f64::max);
    let largest_area =
        TET_FACES.iter().map(|f| 0.5 * (p[f[1]] - p[f[0]]).cross(p[f[2]] - p[f[0]]).length()).fold(0.0, f64::max);
    let height = 3.0 * tet_volume(p) / largest_area;
    // A regular tetrahedron with edge 1 is sqrt(2/3) high.
    if height > 0.0 { longest / height * (2.0f64 / 3.0).sqrt() } else { f64::INFINITY }
}

/// Barycentric weights of a point, one per node; `None` for a flat element.
#[must_use]
pub fn barycentric(p: [Vec3; 4], point: Vec3) -> Option<[f64; 4]> {
    let whole = tet_volume(p);
    if whole.abs() < f64::MIN_POSITIVE {
        return None;
    }
    let b = tet_volume([p[0], point, p[2], p[3]]) / whole;
    let c = tet_volume([p[0], p[1], point, p[3]]) / whole;
    let d = tet_volume([p[0], p[1], p[2], point]) / whole;
    Some([1.0 - b - c - d, b, c, d])
}

/// Extremes over all elements of a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TetQuality {
    /// Least dihedral angle, degrees.
    pub min_dihedral_deg: f64,
    /// Greatest dihedral angle, degrees.
    pub max_dihedral_deg: f64,
    /// Greatest [`aspect_ratio`].
    pub worst_aspect: f64,
    /// Least signed volume of an element, m³.
    pub min_volume: f64,
}

impl TetMesh {
    /// Corner positions of element `t`.
    #[must_use]
    pub fn corners(&self, t: usize) -> [Vec3; 4] {
        self.tets[t].map(|n| self.positions[n as usize])
    }

    /// Sum of the signed element volumes, m³.
    #[must_use]
    pub fn volume(&self) -> f64 {
        (0..self.tets.len()).map(|t| tet_volume(self.corners(t))).sum()
    }

    /// Dihedral angles, aspect ratios and volumes at their worst.
    #[must_use]
    pub fn quality(&self) -> TetQuality {
        let mut worst =
            TetQuality { min_dihedral_deg: 180.0, max_dihedral_deg: 0.0, worst_aspect: 0.0, min_volume: f64::INFINITY };
        for t in 0..self.tets.len() {
            let corners = self.corners(t);
            for angle in dihedral_angles(corners) {
                worst.min_dihedral_deg = worst.min_dihedral_deg.min(angle.to_degrees());
                worst.max_dihedral_deg = worst.max_dihedral_deg.max(angle.to_degrees());
            }
            worst.worst_aspect = worst.worst_aspect.max(aspect_ratio(corners));
            worst.min_volume = worst.min_volume.min(tet_volume(corners));
        }
        worst
    }

    /// The faces that belong to one element only, counter-clockwise seen from outside, each with its element.
    #[must_use]
    pub fn boundary_faces(&self) -> Vec<([u32; 3], u32)> {
        let mut faces: Vec<([u32; 3], [u32; 3], u32)> = Vec::with_capacity(4 * self.tets.len());
        for (t, tet) in self.tets.iter().enumerate() {
            for f in TET_FACES {
                let face = f.map(|i| tet[i]);
                let mut key = face;
                key.sort_unstable();
                faces.push((key, face, t as u32));
            }
        }
        faces.sort_unstable();
        let mut boundary = Vec::new();
        let mut i = 0;
        while i < faces.len() {
            let run = faces[i..].iter().take_while(|f| f.0 == faces[i].0).count();
            if run == 1 {
                boundary.push((faces[i].1, faces[i].2));
            }
            i += run;
        }
        boundary
    }

    /// The boundary as a surface that uses the nodes of the mesh (inner nodes stay in the list, unused).
    #[must_use]
    pub fn boundary(&self) -> TriMesh {
        TriMesh {
            positions: self.positions.clone(),
            triangles: self.boundary_faces().into_iter().map(|(face, _)| face).collect(),
        }
    }

    /// Euler characteristic `V - E + F` of the boundary: 2 for anything like a ball, 0 for a torus.
    #[must_use]
    pub fn boundary_euler(&self) -> i64 {
        euler_characteristic(self.boundary_faces().into_iter().map(|(face, _)| face))
    }

    /// The same mesh seen in a mirror at the plane `x = 0`, again with positive elements.
    #[must_use]
    pub fn mirrored_x(&self) -> TetMesh {
        TetMesh {
            positions: self.positions.iter().map(|p| Vec3::new(-p.x, p.y, p.z)).collect(),
            tets: self.tets.iter().map(|&[a, b, c, d]| [a, b, d, c]).collect(),
        }
    }
}

/// `V - E + F` of a set of triangles, counting only vertices that are used.
pub fn euler_characteristic(triangles: impl IntoIterator<Item = [u32; 3]>) -> i64 {
    let mut edges: BTreeMap<(u32, u32), ()> = BTreeMap::new();
    let mut vertices: BTreeMap<u32, ()> = BTreeMap::new();
    let mut faces = 0;
    for t in triangles {
        faces += 1;
        for i in 0..3 {
            let (a, b) = (t[i], t[(i + 1) % 3]);
            edges.insert((a.min(b), a.max(b)), ());
            vertices.insert(a, ());
        }
    }
    vertices.len() as i64 - edges.len() as i64 + faces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn regular() -> [Vec3; 4] {
        [Vec3::new(1.0, 1.0, 1.0), Vec3::new(-1.0, 1.0, -1.0), Vec3::new(1.0, -1.0, -1.0), Vec3::new(-1.0, -1.0, 1.0)]
    }

    #[test]
    fn the_regular_tetrahedron_is_perfect() {
        let p = regular();
        assert!(tet_volume(p) > 0.0);
        for angle in dihedral_angles(p) {
            assert!((angle - libm::acos(1.0 / 3.0)).abs() < 1e-12);
        }
        assert!((aspect_ratio(p) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn barycentric_weights_rebuild_the_point() {
        let p = regular();
        let point = Vec3::new(0.1, -0.2, 0.15);
        let w = barycentric(p, point).unwrap();
        let rebuilt = p[0] * w[0] + p[1] * w[1] + p[2] * w[2] + p[3] * w[3];
        assert!((rebuilt - point).length() < 1e-12);
        assert!((w.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn boundary_of_two_glued_elements_is_a_closed_surface() {
        let mesh = TetMesh {
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE],
            tets: vec![[0, 1, 2, 3], [1, 2, 3, 4]],
        };
        assert_eq!(mesh.boundary_faces().len(), 6);
        assert_eq!(mesh.boundary_euler(), 2);
        let mirrored = mesh.mirrored_x();
        assert!((mirrored.volume() - mesh.volume()).abs() < 1e-15);
        // Faces point outwards: the surface encloses the volume of the mesh.
        let surface: f64 = mesh
            .boundary_faces()
            .iter()
            .map(|(f, _)| {
                let [a, b, c] = f.map(|n| mesh.positions[n as usize]);
                a.dot(b.cross(c)) / 6.0
            })
            .sum();
        assert!((surface - mesh.volume()).abs() < 1e-12);
    }
}
