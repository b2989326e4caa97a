//! Inflates the boundary of a mesh until it covers a set of surface points.

use super::complex::{Complex, area_vector};
use super::smooth::BoundaryRule;
use crate::geometry::triangle_tree::TriangleTree;
use crate::geometry::{TetLocator, TriMesh};
use crate::math::Vec3;

/// Points end up this deep below the boundary, in units of the wanted edge length.
const MARGIN: f64 = 2e-3;

/// Longest move of a node in one push, in units of the wanted edge length.
const LONGEST_STEP: f64 = 0.08;

/// Points of the true surface that elements must hold.
pub(super) struct Cover<'a> {
    points: &'a [Vec3],
    normals: &'a [Vec3],
    /// Per element of the complex: the points it holds.
    held: Vec<Vec<u32>>,
    /// Points no element holds.
    pub outside: Vec<u32>,
}

impl<'a> Cover<'a> {
    pub fn new(points: &'a [Vec3], normals: &'a [Vec3]) -> Self {
        Cover { points, normals, held: Vec::new(), outside: Vec::new() }
    }

    /// Finds the element of every point anew (after reconnecting or moving many nodes).
    pub fn locate_all(&mut self, complex: &Complex) {
        let slots: Vec<u32> = (0..complex.slots()).filter(|&t| complex.is_live(t)).collect();
        let locator = TetLocator::new(&complex.to_mesh());
        self.held = vec![Vec::new(); complex.slots() as usize];
        self.outside.clear();
        for (i, &p) in self.points.iter().enumerate() {
            match locator.locate(p) {
                Some((t, _)) => self.held[slots[t as usize] as usize].push(i as u32),
                None => self.outside.push(i as u32),
            }
        }
    }

    /// Pushes boundary faces out over the points that stick out, as far as no element in reach falls below
    /// `floor` in quality.
    pub fn push_out(&self, complex: &mut Complex, floor: f64) {
        let mut surface = TriMesh { positions: complex.positions.clone(), triangles: Vec::new() };
        for t in 0..complex.slots() {
            if complex.is_live(t) {
                surface.triangles.extend(boundary_faces_of(complex, t));
            }
        }
        let normals: Vec<Vec3> = surface
            .triangles
            .iter()
            .map(|f| {
                let [a, b, c] = f.map(|n| surface.positions[n as usize]);
                (b - a).cross(c - a).normalize_or_zero()
            })
            .collect();
        let tree = TriangleTree::new(&surface);
        // Wishes first, then moves: the fixes of one point must not undo those of another.
        let mut wished = complex.positions.clone();
        for &i in &self.outside {
            let (p, facing) = (self.points[i as usize], self.normals[i as usize]);
            let agrees = |f: u32| normals[f as usize].dot(facing) > 0.2;
            let Some(hit) = tree.nearest_where(p, f64::INFINITY, agrees) else { continue };
            let face = surface.triangles[hit.triangle as usize];
            // Along the normal over a face; straight towards the point at edges and corners.
            let Some(direction) = (p - hit.point).try_normalize() else { continue };
            let b = hit.weights;
            let at: Vec3 = (0..3).map(|k| wished[face[k] as usize] * b[k]).sum();
            let lack = (p - at).dot(direction) + MARGIN * complex.sizes[face[0] as usize];
            if lack > 0.0 {
                let norm: f64 = b.iter().map(|w| w * w).sum();
                for k in 0..3 {
                    wished[face[k] as usize] += direction * (lack * b[k] / norm);
                }
            }
        }
        for n in 0..complex.nodes() {
            let from = complex.positions[n as usize];
            let step = wished[n as usize] - from;
            if step == Vec3::ZERO {
                continue;
            }
            // Small steps: where many points pull at one node, their sum overshoots.
            let to = from + step.clamp_length_max(LONGEST_STEP * complex.sizes[n as usize]);
            let least = floor.min(complex.star_quality(n));
            let fraction = [1.0, 0.7, 0.5, 0.3, 0.15]
                .into_iter()
                .find(|&f| complex.star_quality_at(n, from.lerp(to, f), least) >= least);
            if let Some(f) = fraction {
                complex.positions[n as usize] = from.lerp(to, f);
            }
        }
    }
}

/// Moves all boundary nodes in by `step` wanted edge lengths where no element falls below `floor`, covered or not.
pub(super) fn draw_in(complex: &mut Complex, step: f64, floor: f64) {
    for n in 0..complex.nodes() {
        if complex.on_boundary[n as usize] && !complex.star(n).is_empty() {
            let p = complex.positions[n as usize] - outwards_at(complex, n) * (step * complex.sizes[n as usize]);
            let least = floor.min(complex.star_quality(n));
            if complex.star_quality_at(n, p, least) >= least {
                complex.positions[n as usize] = p;
            }
        }
    }
}

/// Area-weighted unit normal of the boundary at a node: the direction in which the volume grows fastest.
fn outwards_at(complex: &Complex, n: u32) -> Vec3 {
    let faces = complex.boundary_faces_at(n);
    let sum: Vec3 = faces.iter().map(|(f, _)| area_vector(f.map(|m| complex.positions[m as usize]))).sum();
    sum.normalize_or_zero()
}

/// Draws boundary nodes in as far as every held point stays held, so that the mesh fits tightly; returns the moves made.
pub(super) fn shrink_pass(complex: &mut Complex, cover: &mut Cover<'_>, floor: f64) -> usize {
    let mut moves = 0;
    for n in 0..complex.nodes() {
        if !complex.on_boundary[n as usize] || complex.star(n).is_empty() {
            continue;
        }
        let outwards = outwards_at(complex, n);
        let least = floor.min(complex.star_quality(n));
        let size = complex.sizes[n as usize];
        let at = complex.positions[n as usize];
        let side = outwards.any_orthonormal_vector();
        let across = outwards.cross(side);
        let slants = [Vec3::ZERO, side, -side, across, -across].map(|t| (t - outwards).normalize());
        let found = [0.16, 0.08, 0.04, 0.02, 0.01].into_iter().find_map(|step| {
            slants.iter().find_map(|direction| {
                let p = at + *direction * (step * size);
                (complex.star_quality_at(n, p, least) >= least && cover.allows(complex, n, p)).then_some(p)
            })
        });
        if let Some(p) = found {
            complex.positions[n as usize] = p;
            cover.moved(complex, n);
            moves += 1;
        }
    }
    moves
}

/// Faces of an element that no other element shares.
fn boundary_faces_of(complex: &Complex, t: u32) -> Vec<[u32; 3]> {
    use crate::geometry::tet_mesh::TET_FACES;
    let tet = complex.tet(t);
    TET_FACES
        .iter()
        .map(|f| f.map(|i| tet[i]))
        .filter(|face| {
            face.iter().all(|&n| complex.on_boundary[n as usize])
                && !complex
                    .star(face[0])
                    .iter()
                    .any(|&s| s != t && complex.tet(s).contains(&face[1]) && complex.tet(s).contains(&face[2]))
        })
        .collect()
}

/// While smoothing, every point that was held stays held.
impl BoundaryRule for Cover<'_> {
    fn place(&self, _: &Complex, _: u32, wish: Vec3) -> Vec3 {
        wish
    }

    fn allows(&self, complex: &Complex, n: u32, p: Vec3) -> bool {
        let star = complex.star(n);
        let corners: Vec<[Vec3; 4]> = star
            .iter()
            .map(|&t| complex.tet(t).map(|m| if m == n { p } else { complex.positions[m as usize] }))
            .collect();
        star.iter().enumerate().all(|(own, &t)| {
            self.held[t as usize].iter().all(|&i| {
                let point = self.points[i as usize];
                holds(&corners[own], point) || corners.iter().any(|c| holds(c, point))
            })
        })
    }

    fn moved(&mut self, complex: &Complex, n: u32) {
        let star = complex.star(n).to_vec();
        let mut points: Vec<u32> = star.iter().flat_map(|&t| std::mem::take(&mut self.held[t as usize])).collect();
        points.sort_unstable();
        for i in points {
            let point = self.points[i as usize];
            match star.iter().find(|&&t| holds(&complex.corners(complex.tet(t)), point)) {
                Some(&t) => self.held[t as usize].push(i),
                None => self.outside.push(i),
            }
        }
    }
}

/// True if the point lies in the (positive) tetrahedron.
fn holds(c: &[Vec3; 4], p: Vec3) -> bool {
    let [a, b, c, d] = c.map(|q| q - p);
    b.cross(d).dot(c) <= 0.0 && a.cross(c).dot(d) <= 0.0 && a.cross(d).dot(b) <= 0.0 && a.cross(b).dot(c) <= 0.0
}
