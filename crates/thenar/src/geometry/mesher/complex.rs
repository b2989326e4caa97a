//! A tetrahedral mesh that can be edited: elements come and go, stars are kept up to date.

use crate::geometry::TetMesh;
use crate::geometry::tet_mesh::{TET_EDGES, TET_FACES, tet_volume};
use crate::math::Vec3;

const DEAD: [u32; 4] = [u32::MAX; 4];

/// An editable tetrahedral complex.
pub(super) struct Complex {
    pub positions: Vec<Vec3>,
    /// Wanted edge length at each node.
    pub sizes: Vec<f64>,
    pub on_boundary: Vec<bool>,
    tets: Vec<[u32; 4]>,
    stars: Vec<Vec<u32>>,
    live: usize,
}

/// Volume over edge length: 1 for the regular tetrahedron, 0 for a flat one, negative when inverted
/// [Parthasarathy et al. 1994].
pub(super) fn quality(p: [Vec3; 4]) -> f64 {
    let squares: f64 = TET_EDGES.iter().map(|&[i, j]| p[i].distance_squared(p[j])).sum();
    let mean = squares / 6.0;
    6.0 * std::f64::consts::SQRT_2 * tet_volume(p) / (mean * mean.sqrt())
}

impl Complex {
    pub fn new(mesh: &TetMesh, size: &dyn Fn(Vec3) -> f64) -> Self {
        let mut complex = Complex {
            positions: mesh.positions.clone(),
            sizes: mesh.positions.iter().map(|&p| size(p)).collect(),
            on_boundary: vec![false; mesh.positions.len()],
            tets: Vec::with_capacity(mesh.tets.len()),
            stars: vec![Vec::new(); mesh.positions.len()],
            live: 0,
        };
        for &tet in &mesh.tets {
            complex.add(tet);
        }
        for (face, _) in mesh.boundary_faces() {
            for n in face {
                complex.on_boundary[n as usize] = true;
            }
        }
        complex
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.live
    }

    pub fn add(&mut self, tet: [u32; 4]) -> u32 {
        let t = self.tets.len() as u32;
        self.tets.push(tet);
        for n in tet {
            self.stars[n as usize].push(t);
        }
        self.live += 1;
        t
    }

    pub fn remove(&mut self, t: u32) {
        for n in self.tets[t as usize] {
            self.stars[n as usize].retain(|&s| s != t);
        }
        self.tets[t as usize] = DEAD;
        self.live -= 1;
    }

    pub fn add_node(&mut self, position: Vec3, size: f64, on_boundary: bool) -> u32 {
        self.positions.push(position);
        self.sizes.push(size);
        self.on_boundary.push(on_boundary);
        self.stars.push(Vec::new());
        self.positions.len() as u32 - 1
    }

    pub fn tet(&self, t: u32) -> [u32; 4] {
        self.tets[t as usize]
    }

    /// Indices of all elements ever made; some are dead.
    pub fn slots(&self) -> u32 {
        self.tets.len() as u32
    }

    pub fn is_live(&self, t: u32) -> bool {
        self.tets[t as usize] != DEAD
    }

    pub fn nodes(&self) -> u32 {
        self.positions.len() as u32
    }

    pub fn star(&self, n: u32) -> &[u32] {
        &self.stars[n as usize]
    }

    pub fn corners(&self, tet: [u32; 4]) -> [Vec3; 4] {
        tet.map(|n| self.positions[n as usize])
    }

    pub fn tet_quality(&self, t: u32) -> f64 {
        quality(self.corners(self.tet(t)))
    }

    pub fn star_quality(&self, n: u32) -> f64 {
        self.star(n).iter().map(|&t| self.tet_quality(t)).fold(f64::INFINITY, f64::min)
    }

    /// Least quality in the star of `n` if it stood at `p`; stops early below `floor`.
    pub fn star_quality_at(&self, n: u32, p: Vec3, floor: f64) -> f64 {
        let mut worst = f64::INFINITY;
        for &t in self.star(n) {
            let tet = self.tet(t);
            let corners = tet.map(|m| if m == n { p } else { self.positions[m as usize] });
            worst = worst.min(quality(corners));
            if worst < floor {
                break;
            }
        }
        worst
    }

    /// Elements around the edge.
    pub fn edge_star(&self, a: u32, b: u32) -> Vec<u32> {
        self.star(a).iter().copied().filter(|&t| self.tet(t).contains(&b)).collect()
    }

    /// Nodes joined to `n` by an edge, ascending.
    pub fn neighbours(&self, n: u32) -> Vec<u32> {
        let mut all: Vec<u32> = self.star(n).iter().flat_map(|&t| self.tet(t)).filter(|&m| m != n).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Boundary faces at `n`, counter-clockwise from outside, each with its element.
    pub fn boundary_faces_at(&self, n: u32) -> Vec<([u32; 3], u32)> {
        let mut faces: Vec<([u32; 3], [u32; 3], u32)> = Vec::new();
        for &t in self.star(n) {
            let tet = self.tet(t);
            for f in TET_FACES {
                let face = f.map(|i| tet[i]);
                if face.contains(&n) {
                    let mut key = face;
                    key.sort_unstable();
                    faces.push((key, face, t));
                }
            }
        }
        faces.sort_unstable();
        let mut out = Vec::new();
        let mut i = 0;
        while i < faces.len() {
            if i + 1 < faces.len() && faces[i].0 == faces[i + 1].0 {
                i += 2;
            } else {
                out.push((faces[i].1, faces[i].2));
                i += 1;
            }
        }
        out
    }

    /// All edges, each once, lower node first, ascending.
    pub fn edges(&self) -> Vec<(u32, u32)> {
        let mut edges = Vec::with_capacity(6 * self.live);
        for tet in self.tets.iter().filter(|t| **t != DEAD) {
            for [i, j] in TET_EDGES {
                edges.push((tet[i].min(tet[j]), tet[i].max(tet[j])));
            }
        }
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// Length of an edge in units of the wanted length there.
    pub fn relative_length(&self, a: u32, b: u32) -> f64 {
        let size = 0.5 * (self.sizes[a as usize] + self.sizes[b as usize]);
        self.positions[a as usize].distance(self.positions[b as usize]) / size
    }

    /// A plain mesh without the gaps that editing left; nodes keep their order.
    pub fn to_mesh(&self) -> TetMesh {
        let mut index = vec![u32::MAX; self.positions.len()];
        let mut positions = Vec::new();
        for (n, star) in self.stars.iter().enumerate() {
            if !star.is_empty() {
                index[n] = positions.len() as u32;
                positions.push(self.positions[n]);
            }
        }
        let tets = self.tets.iter().filter(|t| **t != DEAD).map(|t| t.map(|n| index[n as usize])).collect();
        TetMesh { positions, tets }
    }
}

/// Area vector of a triangle (twice its area, outwards for a boundary face).
pub(super) fn area_vector([a, b, c]: [Vec3; 3]) -> Vec3 {
    (b - a).cross(c - a)
}
