//! From a field to a surface: a quad surface around the region where the field is negative.
//!
//! The surface is the dual of marching cubes: one vertex per sheet that passes through a grid cell, one quad per grid
//! edge that the surface crosses. Its quads are more even than marching-cubes triangles, and it has no case table:
//! the sheets of a cell follow from linking crossings face by face, with one rule for ambiguous faces (inside corners
//! are kept apart) that both neighbours of a face apply alike.

use super::TriMesh;
use crate::math::Vec3;

/// A closed surface of quads, counter-clockwise seen from outside.
#[derive(Clone, Debug, Default)]
pub struct QuadSurface {
    /// Vertex positions.
    pub positions: Vec<Vec3>,
    /// Vertex indices of each quad.
    pub quads: Vec<[u32; 4]>,
}

/// Cells per side of the blocks that are skipped as a whole when the surface is far away.
const BLOCK: usize = 4;
/// No crossing in a cell edge.
const NONE: u8 = u8::MAX;

/// The corners of a cell edge: corner `c` lies at `(c & 1, c >> 1 & 1, c >> 2)`; edges 0-3 run along x, 4-7 along y,
/// 8-11 along z.
const EDGES: [[usize; 2]; 12] = [
    [0, 1],
    [2, 3],
    [4, 5],
    [6, 7], //
    [0, 2],
    [1, 3],
    [4, 6],
    [5, 7], //
    [0, 4],
    [1, 5],
    [2, 6],
    [3, 7],
];
/// Corners of the six faces, in cyclic order.
const FACES: [[usize; 4]; 6] = [[0, 2, 6, 4], [1, 3, 7, 5], [0, 1, 5, 4], [2, 3, 7, 6], [0, 1, 3, 2], [4, 5, 7, 6]];

/// Samples of a field on a regular grid.
struct Grid {
    origin: Vec3,
    cell: f64,
    size: [usize; 3],
    values: Vec<f64>,
}

impl Grid {
    fn index(&self, [i, j, k]: [usize; 3]) -> usize {
        (k * self.size[1] + j) * self.size[0] + i
    }

    fn point(&self, [i, j, k]: [usize; 3]) -> Vec3 {
        self.origin + self.cell * Vec3::new(i as f64, j as f64, k as f64)
    }

    /// Samples blocks near the surface and fills the others with the value at their centre. `field` must grow with
    /// distance from the surface at no less than half the true rate and at most the true rate, roughly.
    fn sample(field: &impl Fn(Vec3) -> f64, [low, high]: [Vec3; 2], cell: f64) -> Grid {
        let blocks: [usize; 3] =
            std::array::from_fn(|a| ((high - low)[a] / (cell * BLOCK as f64)).ceil().max(1.0) as usize);
        let size = blocks.map(|b| b * BLOCK + 1);
        let mut grid = Grid { origin: low, cell, size, values: vec![f64::MAX; size.iter().product()] };
        let half_diagonal = 0.5 * BLOCK as f64 * cell * 3f64.sqrt();
        for bk in 0..blocks[2] {
            for bj in 0..blocks[1] {
                for bi in 0..blocks[0] {
                    let first = [bi * BLOCK, bj * BLOCK, bk * BLOCK];
                    let at_centre = field(grid.point(first) + Vec3::splat(0.5 * BLOCK as f64 * cell));
                    grid.fill_block(
                        first,
                        |p| if at_centre.abs() > 1.9 * half_diagonal { at_centre } else { field(p) },
                    );
                }
            }
        }
        grid
    }

    /// Corners shared with an earlier block are kept if they were sampled, so that blocks agree.
    fn fill_block(&mut self, first: [usize; 3], value: impl Fn(Vec3) -> f64) {
        for k in first[2]..=first[2] + BLOCK {
            for j in first[1]..=first[1] + BLOCK {
                for i in first[0]..=first[0] + BLOCK {
                    let index = self.index([i, j, k]);
                    if self.values[index] == f64::MAX {
                        // Keep the surface off the grid points: crossings there would coincide.
                        let least = 0.02 * self.cell;
                        let v = value(self.point([i, j, k]));
                        self.values[index] = if v.abs() < least { least.copysign(v) } else { v };
                    }
                }
            }
        }
    }

    fn is_inside(&self, at: [usize; 3]) -> bool {
        self.values[self.index(at)] < 0.0
    }
}

/// For each of the 256 sign patterns of a cell, the sheet each cell edge belongs to, and the number of sheets.
fn sheets_of_patterns() -> Vec<([u8; 12], u8)> {
    (0..256usize).map(sheets_of_pattern).collect()
}

fn sheets_of_pattern(pattern: usize) -> ([u8; 12], u8) {
    let inside = |corner: usize| pattern >> corner & 1 == 1;
    let edge_between =
        |a: usize, b: usize| EDGES.iter().position(|&[p, q]| (p, q) == (a.min(b), a.max(b))).unwrap_or(0);
    let mut sheet: [u8; 12] =
        std::array::from_fn(|e| if inside(EDGES[e][0]) == inside(EDGES[e][1]) { NONE } else { e as u8 });
    let mut link = |a: usize, b: usize| {
        let (from, to) = (sheet[a].max(sheet[b]), sheet[a].min(sheet[b]));
        for s in &mut sheet {
            if *s == from {
                *s = to;
            }
        }
    };
    for face in FACES {
        let edges: [usize; 4] = std::array::from_fn(|k| edge_between(face[k], face[(k + 1) % 4]));
        let crossed: Vec<usize> = (0..4).filter(|&k| inside(face[k]) != inside(face[(k + 1) % 4])).collect();
        match crossed[..] {
            [a, b] => link(edges[a], edges[b]),
            [_, _, _, _] => {
                for k in (0..4).filter(|&k| inside(face[k])) {
                    link(edges[(k + 3) % 4], edges[k]);
                }
            }
            _ => {}
        }
    }
    let mut labels: Vec<u8> = sheet.iter().copied().filter(|&s| s != NONE).collect();
    labels.sort_unstable();
    labels.dedup();
    let numbered = sheet.map(|s| labels.iter().position(|&l| l == s).map_or(NONE, |n| n as u8));
    (numbered, labels.len() as u8)
}

/// The surface where `field` is zero inside the box; negative is inside, and the box must enclose the surface.
pub fn isosurface(field: &impl Fn(Vec3) -> f64, bounds: [Vec3; 2], cell: f64) -> QuadSurface {
    let grid = Grid::sample(field, bounds, cell);
    let patterns = sheets_of_patterns();
    let [nx, ny, nz] = grid.size;
    let pattern_at = |[i, j, k]: [usize; 3]| {
        (0..8).fold(0, |p, c| p | usize::from(grid.is_inside([i + (c & 1), j + (c >> 1 & 1), k + (c >> 2)])) << c)
    };

    let mut surface = QuadSurface::default();
    let mut first_vertex = vec![u32::MAX; grid.values.len()];
    for k in 0..nz - 1 {
        for j in 0..ny - 1 {
            for i in 0..nx - 1 {
                let pattern = pattern_at([i, j, k]);
                if pattern == 0 || pattern == 255 {
                    continue;
                }
                first_vertex[grid.index([i, j, k])] = surface.positions.len() as u32;
                let (sheet_of_edge, sheets) = patterns[pattern];
                for sheet in 0..sheets {
                    surface.positions.push(mean_crossing(&grid, [i, j, k], &sheet_of_edge, sheet));
                }
            }
        }
    }

    let vertex =
        |cell: [usize; 3], edge: usize| first_vertex[grid.index(cell)] + u32::from(patterns[pattern_at(cell)].0[edge]);
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                for axis in 0..3 {
                    if let Some(quad) = quad_around(&grid, [i, j, k], axis, &vertex) {
                        surface.quads.push(quad);
                    }
                }
            }
        }
    }
    surface
}

fn mean_crossing(grid: &Grid, [i, j, k]: [usize; 3], sheet_of_edge: &[u8; 12], sheet: u8) -> Vec3 {
    let corner = |c: usize| [i + (c & 1), j + (c >> 1 & 1), k + (c >> 2)];
    let (mut sum, mut count) = (Vec3::ZERO, 0.0);
    for (edge, _) in sheet_of_edge.iter().enumerate().filter(|&(_, &s)| s == sheet) {
        let [a, b] = EDGES[edge].map(corner);
        let (fa, fb) = (grid.values[grid.index(a)], grid.values[grid.index(b)]);
        sum += grid.point(a).lerp(grid.point(b), fa / (fa - fb));
        count += 1.0;
    }
    sum / count
}

/// The quad through the four cells around the grid edge that starts at `at`, if the surface crosses that edge.
fn quad_around(
    grid: &Grid,
    at: [usize; 3],
    axis: usize,
    vertex: &impl Fn([usize; 3], usize) -> u32,
) -> Option<[u32; 4]> {
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    if at[axis] + 1 >= grid.size[axis]
        || at[u] == 0
        || at[v] == 0
        || at[u] + 1 >= grid.size[u]
        || at[v] + 1 >= grid.size[v]
    {
        return None;
    }
    let mut next = at;
    next[axis] += 1;
    let inside = grid.is_inside(at);
    if inside == grid.is_inside(next) {
        return None;
    }
    // Counter-clockwise about the axis, as seen from its positive end: the surface faces along +axis if `at` is inside.
    let mut quad = [(1, 1), (0, 1), (0, 0), (1, 0)].map(|(back_u, back_v)| {
        let mut cell = at;
        cell[u] -= back_u;
        cell[v] -= back_v;
        let start = back_u << u | back_v << v;
        let end = start | 1 << axis;
        let edge = EDGES.iter().position(|&e| e == [start, end]).unwrap_or(0);
        vertex(cell, edge)
    });
    if !inside {
        quad.reverse();
    }
    Some(quad)
}

impl QuadSurface {
    /// Evens out the quads: each round moves every vertex towards the mean of its neighbours within the surface, then
    /// back onto it. `field` is about the distance to the surface; `project` maps a point near the surface to it and
    /// gives the unit normal there, which is only renewed every third round.
    pub fn relax(&mut self, rounds: usize, field: impl Fn(Vec3) -> f64, project: impl Fn(Vec3) -> (Vec3, Vec3)) {
        let mut normals = vec![Vec3::ZERO; self.positions.len()];
        for round in 0..=rounds {
            let renew = round % 3 == 0 || round == rounds;
            let means = if round == 0 { self.positions.clone() } else { self.neighbour_means() };
            for ((p, n), mean) in self.positions.iter_mut().zip(&mut normals).zip(means) {
                let pull = mean - *p;
                let moved = *p + 0.6 * (pull - pull.dot(*n) * *n);
                if renew {
                    (*p, *n) = project(moved);
                } else {
                    *p = moved - field(moved) * *n;
                }
            }
        }
    }

    fn neighbour_means(&self) -> Vec<Vec3> {
        let mut sums = vec![(Vec3::ZERO, 0.0); self.positions.len()];
        for quad in &self.quads {
            for k in 0..4 {
                let sum = &mut sums[quad[k] as usize];
                sum.0 += self.positions[quad[(k + 1) % 4] as usize];
                sum.1 += 1.0;
            }
        }
        sums.into_iter().map(|(sum, count)| sum / count).collect()
    }

    /// Splits every quad along its shorter diagonal.
    #[must_use]
    pub fn triangulate(&self) -> TriMesh {
        let at = |v: u32| self.positions[v as usize];
        let triangles = (self.quads.iter()).flat_map(|&[a, b, c, d]| {
            if at(a).distance_squared(at(c)) <= at(b).distance_squared(at(d)) {
                [[a, b, c], [a, c, d]]
            } else {
                [[a, b, d], [b, c, d]]
            }
        });
        TriMesh { positions: self.positions.clone(), triangles: triangles.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_becomes_a_closed_sphere_of_its_volume() {
        let field = |p: Vec3| p.length() - 1.0;
        let mut surface = isosurface(&field, [Vec3::splat(-1.3), Vec3::splat(1.3)], 0.1);
        surface.relax(3, field, |p| (p.normalize(), p.normalize()));
        let mesh = surface.triangulate();
        assert_eq!(mesh.check_solid(), Ok(()));
        assert_eq!(mesh.euler_characteristic(), 2);
        // Chords of edge h cut the volume by about (h / 2r)².
        assert!((mesh.volume() / (4.0 / 3.0 * std::f64::consts::PI) - 1.0).abs() < 0.005, "{}", mesh.volume());
    }

    #[test]
    fn two_balls_that_nearly_touch_stay_apart() {
        let field = |p: Vec3| (p - Vec3::X * 0.52).length().min((p + Vec3::X * 0.52).length()) - 0.5;
        let mesh = isosurface(&field, [Vec3::new(-1.3, -0.8, -0.8), Vec3::new(1.3, 0.8, 0.8)], 0.1).triangulate();
        assert!(mesh.is_closed_manifold());
        assert_eq!(mesh.euler_characteristic(), 4, "two separate spheres");
    }

    #[test]
    fn a_ring_keeps_its_hole() {
        let field = |p: Vec3| libm::hypot(libm::hypot(p.x, p.y) - 1.0, p.z) - 0.3;
        let mesh = isosurface(&field, [Vec3::splat(-1.5), Vec3::splat(1.5)], 0.08).triangulate();
        assert!(mesh.is_closed_manifold());
        assert_eq!(mesh.euler_characteristic(), 0);
    }
}
