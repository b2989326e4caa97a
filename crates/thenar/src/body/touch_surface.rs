//! The coarse surface with which soft bodies feel each other and themselves.
//!
//! A subset of a body's contact points, about as far apart as the tissue can resolve, joined by triangles. What may
//! never touch is known from the rest pose: groups that a joint connects, and points near each other along the skin.

use super::SurfacePoint;
use super::roundness::measured;
use super::touch_tree::{TouchTree, group_triangles};
use crate::geometry::TriMesh;
use crate::geometry::contraction::{contracted, nearest_seeds, neighbours, within_reach};
use crate::math::Vec3;

/// Least distance between two points of the surface of a hand, metres: finer than its elements.
pub(super) const HAND_SPACING: f64 = 4.5e-3;

/// All points of one patch, and the triangles that begin there.
#[derive(Clone, Debug)]
pub struct TouchGroup {
    /// The patch.
    pub patch: u8,
    /// Groups of one part touch a point only once: the phalanges of a finger are one part, the palm is one.
    pub part: u8,
    /// Range of its points.
    pub points: [u32; 2],
    /// Points of other groups that its triangles use.
    pub borrowed: Vec<u32>,
    /// Its triangles.
    pub tree: TouchTree,
}

/// The surface of one body.
#[derive(Clone, Debug, Default)]
pub struct TouchSurface {
    /// Its points, group after group.
    pub points: Vec<SurfacePoint>,
    /// Its triangles as indices of points, counter-clockwise seen from outside; group after group, each in the order of
    /// its tree.
    pub triangles: Vec<[u32; 3]>,
    /// Its groups.
    pub groups: Vec<TouchGroup>,
    /// For each triangle, how much of the bulge that normals at its corners promise is there (`roundness.rs`).
    pub(super) roundness: Vec<f64>,
    /// How high the surface stands over its triangles, metres.
    pub rise: f64,
    /// Triangles around point `p`: `around[around_starts[p]..around_starts[p + 1]]`.
    around: Vec<u32>,
    around_starts: Vec<u32>,
    own: Option<OwnContact>,
}

/// Which parts of one body can touch each other.
#[derive(Clone, Debug)]
struct OwnContact {
    /// Bit `h` of entry `g`: groups `g` and `h` can touch.
    groups: Vec<u64>,
    /// Bit `q` of row `p`: points `p` and `q` are too near along the surface to be told apart.
    near: Vec<u64>,
    words: usize,
}

impl TouchSurface {
    /// Thins out the contact points of a body, so that none are nearer to each other than `spacing` (metres), and joins them.
    ///
    /// `surface` is the body's fine surface at rest, `points` those of its vertices that make contact, `part` names the
    /// part of a patch, `rest` are the body's nodes.
    #[must_use]
    pub fn new(
        surface: &TriMesh,
        points: &[SurfacePoint],
        spacing: f64,
        part: impl Fn(u8) -> u8,
        rest: &[Vec3],
    ) -> Self {
        let mut chosen = thin_out(surface, points, spacing);
        chosen.sort_by_key(|p| (part(p.patch), p.patch, p.vertex));
        let seeds: Vec<u32> = chosen.iter().map(|p| p.vertex).collect();
        let owner = nearest_seeds(surface, &seeds);
        give_areas(surface, &owner, &mut chosen);
        let triangles = contracted(surface, &owner);
        let mut body = TouchSurface { points: chosen, ..TouchSurface::default() };
        let at_rest: Vec<Vec3> = body.points.iter().map(|p| p.interpolate(rest)).collect();
        for range in group_ranges(&body.points) {
            let patch = body.points[range[0] as usize].patch;
            let own: Vec<[u32; 3]> =
                triangles.iter().copied().filter(|t| body.points[t[0] as usize].patch == patch).collect();
            let (tree, ordered) = group_triangles(&own, &at_rest, body.triangles.len() as u32);
            let mut borrowed: Vec<u32> =
                ordered.iter().flatten().copied().filter(|p| !(range[0]..range[1]).contains(p)).collect();
            borrowed.sort_unstable();
            borrowed.dedup();
            body.triangles.extend(ordered);
            body.groups.push(TouchGroup { patch, part: part(patch), points: range, borrowed, tree });
        }
        body.index_triangles();
        (body.roundness, body.rise) = measured(&body, &at_rest, surface);
        body
    }

    /// Lets parts of the body touch each other, except groups that `joined` names by their patches, and points within
    /// `reach` metres of each other along the surface.
    pub fn touch_itself(&mut self, joined: impl Fn(u8, u8) -> bool, reach: f64, rest: &[Vec3]) {
        let groups = (self.groups.iter())
            .map(|a| {
                let bits = self.groups.iter().enumerate().filter(|(_, b)| !joined(a.patch, b.patch));
                bits.filter(|(i, _)| *i < 64).fold(0u64, |mask, (i, _)| mask | 1 << i)
            })
            .collect();
        let mesh = TriMesh {
            positions: self.points.iter().map(|p| p.interpolate(rest)).collect(),
            triangles: self.triangles.clone(),
        };
        let around = neighbours(self.points.len(), &mesh.edges());
        let words = self.points.len().div_ceil(64);
        let mut near = vec![0u64; words * self.points.len()];
        for p in 0..self.points.len() {
            for q in within_reach(&mesh, &around, p as u32, reach) {
                near[p * words + q as usize / 64] |= 1 << (q % 64);
            }
        }
        self.own = Some(OwnContact { groups, near, words });
    }

    /// True if points of group `a` may touch triangles of group `b` of the same body.
    #[must_use]
    pub fn groups_can_touch(&self, a: usize, b: usize) -> bool {
        self.own.as_ref().is_some_and(|own| b < 64 && own.groups[a] >> b & 1 == 1)
    }

    /// True if a point is too near to a corner of the triangle along the surface.
    #[must_use]
    pub fn is_near(&self, point: u32, triangle: u32) -> bool {
        let Some(own) = &self.own else { return true };
        let row = &own.near[point as usize * own.words..][..own.words];
        self.triangles[triangle as usize].iter().any(|&q| row[q as usize / 64] >> (q % 64) & 1 == 1)
    }

    /// True if parts of the body may touch each other.
    #[must_use]
    pub fn touches_itself(&self) -> bool {
        self.own.is_some()
    }

    /// Triangles around a point.
    #[must_use]
    pub fn around(&self, point: u32) -> &[u32] {
        let p = point as usize;
        &self.around[self.around_starts[p] as usize..self.around_starts[p + 1] as usize]
    }

    fn index_triangles(&mut self) {
        let mut lists = vec![Vec::new(); self.points.len()];
        for (t, triangle) in self.triangles.iter().enumerate() {
            triangle.iter().for_each(|&p| lists[p as usize].push(t as u32));
        }
        self.around_starts = vec![0];
        for list in lists {
            self.around.extend(list);
            self.around_starts.push(self.around.len() as u32);
        }
    }
}

/// Points no two of which are nearer than `spacing` on the same side of the body, in the order they came.
fn thin_out(surface: &TriMesh, points: &[SurfacePoint], spacing: f64) -> Vec<SurfacePoint> {
    if spacing == 0.0 {
        return points.to_vec();
    }
    let normals = surface.vertex_normals();
    let mut chosen: Vec<SurfacePoint> = Vec::new();
    for p in points {
        let (at, normal) = (surface.positions[p.vertex as usize], normals[p.vertex as usize]);
        let crowded = chosen.iter().any(|c| {
            let v = c.vertex as usize;
            surface.positions[v].distance_squared(at) < spacing * spacing && normals[v].dot(normal) > 0.0
        });
        if !crowded {
            chosen.push(*p);
        }
    }
    chosen
}

/// Every vertex gives its area to the point it joined.
fn give_areas(surface: &TriMesh, owner: &[u32], points: &mut [SurfacePoint]) {
    points.iter_mut().for_each(|p| p.area = 0.0);
    for (area, &to) in surface.vertex_areas().iter().zip(owner) {
        if let Some(point) = points.get_mut(to as usize) {
            point.area += area;
        }
    }
}

/// Runs of points of one patch.
fn group_ranges(points: &[SurfacePoint]) -> Vec<[u32; 2]> {
    let mut starts: Vec<u32> =
        (0..points.len()).filter(|&i| i == 0 || points[i].patch != points[i - 1].patch).map(|i| i as u32).collect();
    starts.push(points.len() as u32);
    starts.windows(2).map(|w| [w[0], w[1]]).collect()
}
