//! Fine points carried by a coarse tetrahedral mesh.

use super::TetMesh;
use super::triangle_tree::TriangleTree;
use crate::math::{Mat3, Vec3};

/// For each embedded point, the tetrahedron that carries it and its barycentric weights (which sum to 1).
///
/// A point outside the mesh is carried by the nearest tetrahedron with slightly negative weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Embedding {
    /// Index of the carrying tetrahedron, per point.
    pub tets: Vec<u32>,
    /// Barycentric weights in that tetrahedron, per point.
    pub weights: Vec<[f64; 4]>,
}

impl Embedding {
    /// Fraction of the points with no weight below `-slack`.
    #[must_use]
    pub fn fraction_within(&self, slack: f64) -> f64 {
        let inside = self.weights.iter().filter(|w| least(w) >= -slack).count();
        inside as f64 / self.weights.len().max(1) as f64
    }

    /// Position of point `i` when the nodes stand at `nodes`.
    #[must_use]
    pub fn point(&self, mesh: &TetMesh, nodes: &[Vec3], i: usize) -> Vec3 {
        let tet = mesh.tets[self.tets[i] as usize];
        (0..4).map(|k| nodes[tet[k] as usize] * self.weights[i][k]).sum()
    }
}

fn least(weights: &[f64; 4]) -> f64 {
    weights.iter().copied().fold(f64::INFINITY, f64::min)
}

/// Weights this little below zero still count as inside: rounding on shared faces.
const ON_FACE: f64 = 1e-9;

/// Finds the element that holds a point, by a uniform grid over the elements.
#[derive(Clone, Debug)]
pub struct TetLocator {
    lo: Vec3,
    cell: f64,
    cells: [usize; 3],
    /// Elements of cell `c` are `members[starts[c]..starts[c + 1]]`.
    starts: Vec<u32>,
    members: Vec<u32>,
    /// Per element: last corner and the matrix that maps offsets from it to the first three weights.
    maps: Vec<(Vec3, Mat3)>,
    faces: TriangleTree,
    face_tets: Vec<u32>,
    face_normals: Vec<Vec3>,
}

impl TetLocator {
    /// Prepares the lookup for a mesh at rest.
    #[must_use]
    pub fn new(mesh: &TetMesh) -> Self {
        let maps = (0..mesh.tets.len())
            .map(|t| {
                let [a, b, c, d] = mesh.corners(t);
                (d, Mat3::from_cols(a - d, b - d, c - d).inverse())
            })
            .collect();
        let boxes: Vec<(Vec3, Vec3)> = (0..mesh.tets.len())
            .map(|t| {
                let c = mesh.corners(t);
                (c[0].min(c[1]).min(c[2]).min(c[3]), c[0].max(c[1]).max(c[2]).max(c[3]))
            })
            .collect();
        let lo = boxes.iter().fold(Vec3::INFINITY, |m, b| m.min(b.0));
        let hi = boxes.iter().fold(Vec3::NEG_INFINITY, |m, b| m.max(b.1));
        let mean = boxes.iter().map(|b| (b.1 - b.0).element_sum() / 3.0).sum::<f64>() / boxes.len().max(1) as f64;
        let extent = (hi - lo).max(Vec3::ZERO);
        // Half an element per cell, and never more than about two million cells.
        let cell = (0.5 * mean).max((extent.x * extent.y * extent.z / 2e6).cbrt_or_zero()).max(f64::MIN_POSITIVE);
        let cells = [extent.x, extent.y, extent.z].map(|e| if e.is_finite() { (e / cell) as usize + 1 } else { 1 });
        let mut locator = TetLocator {
            lo,
            cell,
            cells,
            starts: Vec::new(),
            members: Vec::new(),
            maps,
            faces: TriangleTree::new(&mesh.boundary()),
            face_tets: Vec::new(),
            face_normals: Vec::new(),
        };
        let mut entries: Vec<(u32, u32)> = Vec::new();
        for (t, (from, to)) in boxes.iter().enumerate() {
            let (a, b) = (locator.cell_of(*from), locator.cell_of(*to));
            for k in a[2]..=b[2] {
                for j in a[1]..=b[1] {
                    for i in a[0]..=b[0] {
                        entries.push((locator.index([i, j, k]), t as u32));
                    }
                }
            }
        }
        entries.sort_unstable();
        locator.starts = vec![0; cells.iter().product::<usize>() + 1];
        for (c, _) in &entries {
            locator.starts[*c as usize + 1] += 1;
        }
        for c in 1..locator.starts.len() {
            locator.starts[c] += locator.starts[c - 1];
        }
        locator.members = entries.into_iter().map(|(_, t)| t).collect();
        for (face, t) in mesh.boundary_faces() {
            let [a, b, c] = face.map(|n| mesh.positions[n as usize]);
            locator.face_tets.push(t);
            locator.face_normals.push((b - a).cross(c - a).normalize_or_zero());
        }
        locator
    }

    fn cell_of(&self, p: Vec3) -> [usize; 3] {
        let c = (p - self.lo) / self.cell;
        let clamp = |v: f64, n: usize| (v.max(0.0) as usize).min(n - 1);
        [clamp(c.x, self.cells[0]), clamp(c.y, self.cells[1]), clamp(c.z, self.cells[2])]
    }

    fn index(&self, [i, j, k]: [usize; 3]) -> u32 {
        ((k * self.cells[1] + j) * self.cells[0] + i) as u32
    }

    /// Barycentric weights of a point in an element, whether inside or not.
    #[must_use]
    pub fn weights(&self, tet: u32, p: Vec3) -> [f64; 4] {
        let (corner, map) = self.maps[tet as usize];
        let w = map * (p - corner);
        [w.x, w.y, w.z, 1.0 - w.x - w.y - w.z]
    }

    /// Calls `visit` with every element that holds the point (several where the mesh overlaps itself or on a face).
    pub fn for_each_containing(&self, p: Vec3, mut visit: impl FnMut(u32, [f64; 4])) {
        let offset = p - self.lo;
        let limit = Vec3::new(self.cells[0] as f64, self.cells[1] as f64, self.cells[2] as f64) * self.cell;
        if offset.cmplt(Vec3::ZERO).any() || offset.cmpgt(limit).any() || !p.is_finite() {
            return;
        }
        let c = self.index(self.cell_of(p)) as usize;
        for &t in &self.members[self.starts[c] as usize..self.starts[c + 1] as usize] {
            let w = self.weights(t, p);
            if least(&w) >= -ON_FACE {
                visit(t, w);
            }
        }
    }

    /// The element that holds the point (deepest inside if several do).
    #[must_use]
    pub fn locate(&self, p: Vec3) -> Option<(u32, [f64; 4])> {
        let mut best: Option<(u32, [f64; 4])> = None;
        self.for_each_containing(p, |t, w| {
            if best.is_none_or(|(_, b)| least(&w) > least(&b)) {
                best = Some((t, w));
            }
        });
        best
    }

    /// The element that holds the point, or the one behind the nearest boundary face.
    #[must_use]
    pub fn locate_or_nearest(&self, p: Vec3) -> Option<(u32, [f64; 4])> {
        self.locate(p).or_else(|| {
            let t = self.face_tets[self.faces.nearest(p)?.triangle as usize];
            Some((t, self.weights(t, p)))
        })
    }

    /// The element behind the nearest boundary face that looks the same way as `normal`.
    ///
    /// Where two parts of a mesh touch (fingers near their web) this tells them apart.
    #[must_use]
    pub fn nearest_facing(&self, p: Vec3, normal: Vec3) -> Option<(u32, [f64; 4])> {
        let agrees = |f: u32| self.face_normals[f as usize].dot(normal) > 0.0;
        let t = self.face_tets[self.faces.nearest_where(p, f64::INFINITY, agrees)?.triangle as usize];
        Some((t, self.weights(t, p)))
    }

    /// Embeds all points.
    #[must_use]
    pub fn embed(&self, points: &[Vec3]) -> Embedding {
        let mut embedding = Embedding::default();
        for &p in points {
            let (tet, weights) = self.locate_or_nearest(p).unwrap_or((0, [0.25; 4]));
            embedding.tets.push(tet);
            embedding.weights.push(weights);
        }
        embedding
    }
}

trait CubeRoot {
    fn cbrt_or_zero(self) -> f64;
}

impl CubeRoot for f64 {
    fn cbrt_or_zero(self) -> f64 {
        if self > 0.0 { libm::cbrt(self) } else { 0.0 }
    }
}
