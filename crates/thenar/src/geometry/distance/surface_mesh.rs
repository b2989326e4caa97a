//! Points spread over the surface of a mesh, whatever its triangles look like.

use std::collections::{BTreeMap, HashMap};

use super::SurfacePoint;
use super::surface::widened;
use super::tessellate::segments;
use crate::geometry::TriMesh;
use crate::math::Vec3;

/// Points about `spacing` metres apart over a mesh: its sharp corners and edges first, then its faces.
#[must_use]
pub fn mesh_surface_points(mesh: &TriMesh, spacing: f64) -> Vec<SurfacePoint> {
    let faces: Vec<Face> = mesh.triangles.iter().filter_map(|t| Face::new(mesh, *t)).collect();
    let spacing = widened(spacing, faces.iter().map(|f| f.area).sum());
    let mut thinning = Thinning::new(spacing);
    for feature in features(mesh, spacing) {
        thinning.offer(feature);
    }
    let candidates: Vec<SurfacePoint> = faces.iter().flat_map(|face| face.spread(spacing / 3.0)).collect();
    for candidate in &candidates {
        thinning.offer(*candidate);
    }
    thinning.share_area(&candidates);
    thinning.points
}

/// A triangle with an area.
struct Face {
    corners: [Vec3; 3],
    normal: Vec3,
    area: f64,
}

impl Face {
    fn new(mesh: &TriMesh, triangle: [u32; 3]) -> Option<Face> {
        let corners = triangle.map(|i| mesh.positions[i as usize]);
        let twice = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        let length = twice.length();
        (length > 0.0).then(|| Face { corners, normal: twice / length, area: 0.5 * length })
    }

    /// Centres of equal sub-triangles with edges of about `edge`.
    fn spread(&self, edge: f64) -> Vec<SurfacePoint> {
        let [a, b, c] = self.corners;
        let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
        let n = segments(longest, edge, 1);
        let (u, v) = ((b - a) / n as f64, (c - a) / n as f64);
        let area = self.area / (n * n) as f64;
        let mut points = Vec::with_capacity(n * n);
        for i in 0..n {
            for j in 0..n - i {
                let corner = a + u * i as f64 + v * j as f64;
                let mut push = |position| points.push(SurfacePoint { position, normal: self.normal, area });
                push(corner + (u + v) / 3.0);
                if i + j + 1 < n {
                    push(corner + (u + v) * (2.0 / 3.0));
                }
            }
        }
        points
    }
}

/// Corners and points along edges where the sides meet at more than 30°, corners first. Areas are still zero.
fn features(mesh: &TriMesh, spacing: f64) -> Vec<SurfacePoint> {
    let mut sides: BTreeMap<[u32; 2], Vec<Vec3>> = BTreeMap::new();
    for triangle in &mesh.triangles {
        let Some(face) = Face::new(mesh, *triangle) else { continue };
        for k in 0..3 {
            let (a, b) = (triangle[k], triangle[(k + 1) % 3]);
            sides.entry([a.min(b), a.max(b)]).or_default().push(face.normal);
        }
    }
    let mut sharp_edges = Vec::new();
    let mut directions: BTreeMap<u32, Vec<(Vec3, Vec3)>> = BTreeMap::new();
    for ([a, b], normals) in &sides {
        let [Some(first), Some(last)] = [normals.first(), normals.last()] else { continue };
        if first.dot(*last) > 0.866 {
            continue;
        }
        let normal = (*first + *last).normalize_or(*first);
        let (pa, pb) = (mesh.positions[*a as usize], mesh.positions[*b as usize]);
        sharp_edges.push((pa, pb, normal));
        directions.entry(*a).or_default().push(((pb - pa).normalize_or_zero(), normal));
        directions.entry(*b).or_default().push(((pa - pb).normalize_or_zero(), normal));
    }
    let mut points = Vec::new();
    for (vertex, edges) in &directions {
        // A vertex in the middle of a straight sharp edge is no corner.
        if edges.len() == 2 && edges[0].0.dot(edges[1].0) < -0.866 {
            continue;
        }
        let normal = edges.iter().map(|e| e.1).sum::<Vec3>().normalize_or(edges[0].1);
        points.push(SurfacePoint { position: mesh.positions[*vertex as usize], normal, area: 0.0 });
    }
    for (a, b, normal) in sharp_edges {
        let count = segments(a.distance(b), spacing, 1);
        points.extend((0..=count).map(|k| SurfacePoint {
            position: a.lerp(b, k as f64 / count as f64),
            normal,
            area: 0.0,
        }));
    }
    points
}

/// Keeps points that have no kept neighbour within a distance on the same side of the surface.
struct Thinning {
    spacing: f64,
    reach: f64,
    points: Vec<SurfacePoint>,
    cells: HashMap<[i64; 3], Vec<u32>>,
}

impl Thinning {
    fn new(spacing: f64) -> Self {
        // Discs of this radius, packed greedily, leave points about `spacing` apart.
        Thinning { spacing, reach: 0.8 * spacing, points: Vec::new(), cells: HashMap::new() }
    }

    fn cell(&self, p: Vec3) -> [i64; 3] {
        (p / self.spacing).to_array().map(|x| x.floor() as i64)
    }

    /// The nearest kept point on the same side within reach.
    fn nearest(&self, p: &SurfacePoint) -> Option<u32> {
        let [x, y, z] = self.cell(p.position);
        let mut best = (self.reach * self.reach, None);
        for dx in -1..=1 {
            for dy in -1..=1 {
                for dz in -1..=1 {
                    let cell = [x.saturating_add(dx), y.saturating_add(dy), z.saturating_add(dz)];
                    for &kept in self.cells.get(&cell).into_iter().flatten() {
                        let other = &self.points[kept as usize];
                        let squared = other.position.distance_squared(p.position);
                        if squared < best.0 && other.normal.dot(p.normal) > 0.0 {
                            best = (squared, Some(kept));
                        }
                    }
                }
            }
        }
        best.1
    }

    fn offer(&mut self, p: SurfacePoint) {
        if self.nearest(&p).is_none() {
            let cell = self.cell(p.position);
            self.cells.entry(cell).or_default().push(self.points.len() as u32);
            self.points.push(SurfacePoint { area: 0.0, ..p });
        }
    }

    /// Gives the area of every candidate to the nearest kept point.
    fn share_area(&mut self, candidates: &[SurfacePoint]) {
        for candidate in candidates {
            if let Some(kept) = self.nearest(candidate) {
                self.points[kept as usize].area += candidate.area;
            }
        }
    }
}
