//! How round a surface is between the corners of a coarse triangle.
//!
//! A coarse triangle stands for a piece of a finer surface. Where that is round, it bulges out over the triangle as the normals at its corners
//! say [Boubekeur & Alexa 2008, "Phong tessellation"]. Where it is flat up to a sharp edge, normals at the edge are those of two faces
//! averaged, and would make a box a cushion, millimetres thick. So how much of the bulge is there is measured on the fine surface, at rest.
//!
//! A fine surface is made of flat triangles as well, and of a body without one it is the coarse surface itself: a ball of a hundred triangles
//! would be a die, on whose corners no normal is defined. So the fine surface is round between triangles that meet at less than a crease.

use super::TouchSurface;
use crate::geometry::TriMesh;
use crate::geometry::triangle_tree::TriangleTree;
use crate::math::Vec3;

/// Share of the planes' height that a sphere has: its tangents rise twice as high as it does.
const OF_A_SPHERE: f64 = 0.5;

/// No surface is given more than looks best [Boubekeur & Alexa 2008: 3/4].
const MOST: f64 = 0.75;

/// Triangles of the fine surface meet in an edge if the cosine between their normals is less than this, 45°: half of what the faces of a box
/// turn by, and what a ball of forty triangles does.
const CREASE: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// A bulge lower than this is none, metres: such a triangle is flat, and as elements are linear it stays so where they carry it.
const LEVEL: f64 = 1e-6;

/// By how much the planes at the corners of a triangle are above a place on it with these weights, as a way; all of the bulge.
#[inline]
fn bulge(place: Vec3, corners: [Vec3; 3], normals: [Vec3; 3], weights: [f64; 3]) -> Vec3 {
    let of = |k: usize| normals[k] * (normals[k].dot(corners[k] - place) * weights[k]);
    of(0) + of(1) + of(2)
}

/// Where it is measured: the middle of a triangle, and those of its sides.
const PLACES: [[f64; 3]; 4] = [[1.0 / 3.0; 3], [0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5]];

impl TouchSurface {
    /// The finer surface over a place on a triangle: the direction of its normal, and the way up to it.
    #[must_use]
    pub fn finer(
        &self,
        triangle: u32,
        place: Vec3,
        corners: [Vec3; 3],
        normals: [Vec3; 3],
        weights: [f64; 3],
    ) -> [Vec3; 2] {
        let share = self.roundness[triangle as usize];
        let averaged = normals[0] * weights[0] + normals[1] * weights[1] + normals[2] * weights[2];
        let way = bulge(place, corners, normals, weights) * share;
        let round = (share / OF_A_SPHERE).min(1.0);
        let across = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
        [averaged * round + across * (1.0 - round), way]
    }
}

/// For each triangle of a coarse surface at rest, which share of the height of its corners' planes the fine surface has: a half on a sphere, none on a box.
/// The second is how high the highest of them stands over its triangle, metres.
pub(super) fn measured(surface: &TouchSurface, at_rest: &[Vec3], fine: &TriMesh) -> (Vec<f64>, f64) {
    let fine = Fine::new(fine);
    let corners = |t: usize| surface.triangles[t].map(|p| at_rest[p as usize]);
    let across = |t: usize| {
        let [a, b, c] = corners(t);
        (b - a).cross(c - a)
    };
    let normal = |p: u32| surface.around(p).iter().map(|&t| across(t as usize)).sum::<Vec3>().normalize_or_zero();
    let normals: Vec<Vec3> = (0..surface.points.len() as u32).map(normal).collect();
    let mut rise = 0.0f64;
    let of = |t: usize| {
        let (own, out) = (corners(t), across(t).normalize_or_zero());
        let normals = surface.triangles[t].map(|p| normals[p as usize]);
        // an edge that is cut off is above the middle of a triangle, and not above its sides, which lie in faces
        let (mut share, mut highest) = (MOST, 0.0f64);
        for weights in PLACES {
            let place = own[0] * weights[0] + own[1] * weights[1] + own[2] * weights[2];
            let round = bulge(place, own, normals, weights).dot(out);
            let above = fine.nearest(place).map_or(0.0, |point| (point - place).dot(out));
            share = share.min(if round.abs() < LEVEL { 0.0 } else { above / round });
            highest = highest.max(round);
        }
        let share = share.max(0.0);
        rise = rise.max(share * highest);
        share
    };
    let shares = (0..surface.triangles.len()).map(of).collect();
    (shares, rise)
}

/// The fine surface at rest, round but for its edges.
struct Fine<'a> {
    mesh: &'a TriMesh,
    tree: TriangleTree,
    /// Area times normal of each triangle.
    across: Vec<Vec3>,
    /// Triangles around each vertex.
    around: Vec<Vec<u32>>,
}

impl<'a> Fine<'a> {
    fn new(mesh: &'a TriMesh) -> Self {
        let across = |t: usize| {
            let [a, b, c] = mesh.corners(t);
            (b - a).cross(c - a)
        };
        let mut around = vec![Vec::new(); mesh.positions.len()];
        for (t, triangle) in mesh.triangles.iter().enumerate() {
            triangle.iter().for_each(|&v| around[v as usize].push(t as u32));
        }
        Fine { mesh, tree: TriangleTree::new(mesh), across: (0..mesh.triangles.len()).map(across).collect(), around }
    }

    /// The place of the surface nearest to a point.
    fn nearest(&self, point: Vec3) -> Option<Vec3> {
        let near = self.tree.nearest(point)?;
        let t = near.triangle as usize;
        let out = self.across[t].normalize_or_zero();
        let normals = self.mesh.triangles[t].map(|v| {
            let faces = self.around[v as usize].iter().map(|&other| self.across[other as usize]);
            faces.filter(|across| across.dot(out) >= CREASE * across.length()).sum::<Vec3>().normalize_or_zero()
        });
        Some(near.point + bulge(near.point, self.mesh.corners(t), normals, near.weights) * OF_A_SPHERE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::SurfacePoint;
    use crate::geometry::distance::Shape;

    /// Vertices of a shape that are so far apart, joined.
    fn coarse(shape: &Shape, size: f64, apart: f64) -> TouchSurface {
        let fine = shape.tessellate(size).unwrap();
        let point = |v: usize| SurfacePoint {
            vertex: v as u32,
            nodes: [v as u32; 4],
            weights: [1.0, 0.0, 0.0, 0.0],
            tet: 0,
            area: 0.0,
            patch: 0,
            across: Vec3::ZERO,
        };
        let points: Vec<_> = (0..fine.positions.len()).map(point).collect();
        TouchSurface::new(&fine, &points, apart, |_| 0, &fine.positions)
    }

    /// Corners of a box are corners, and a ball of few triangles is still a ball.
    #[test]
    fn a_ball_bulges_over_its_triangles_and_a_box_does_not() {
        let ball = coarse(&Shape::Sphere { radius: 0.04 }, 0.005, 0.015);
        let mean = ball.roundness.iter().sum::<f64>() / ball.roundness.len() as f64;
        assert!(mean > 0.35, "{mean} of {} triangles", ball.roundness.len());
        assert!(ball.rise > 5e-4, "{} m", ball.rise);
        // a body without a finer surface
        let own = coarse(&Shape::Sphere { radius: 0.04 }, 0.015, 0.0);
        let least = own.roundness.iter().copied().fold(f64::INFINITY, f64::min);
        assert!(least > 0.45, "{least} of {} triangles", own.roundness.len());
        let cube = coarse(&Shape::Box { half: Vec3::splat(0.04) }, 0.01, 0.0);
        assert!(cube.triangles.len() > 100 && cube.rise < 1e-9, "{} m over {}", cube.rise, cube.triangles.len());
    }
}
