//! Fills the inside of an implicit surface with tetrahedra cut from a body-centred cubic lattice.
//!
//! After isosurface stuffing [Labelle & Shewchuk 2007, "Isosurface Stuffing: Fast Tetrahedral Meshes with Good Dihedral
//! Angles"]: lattice nodes near the surface snap onto it, then elements that the surface crosses are clipped. Clipped
//! shapes are split by a rule on node indices instead of the paper's parity rule: later improvement makes up for it.

use crate::geometry::TetMesh;
use crate::math::Vec3;
use std::collections::BTreeMap;

/// Nodes closer to a cut than these fractions of a long or short lattice edge snap onto the surface.
const SNAP_LONG: f64 = 0.25;
const SNAP_SHORT: f64 = 0.41;

/// A body-centred cubic lattice over a box: cube corners first, then cube centres.
struct Lattice {
    origin: Vec3,
    cell: f64,
    /// Cubes along each axis.
    cubes: [usize; 3],
}

impl Lattice {
    fn corner(&self, [i, j, k]: [usize; 3]) -> u32 {
        ((k * (self.cubes[1] + 1) + j) * (self.cubes[0] + 1) + i) as u32
    }

    fn corners(&self) -> usize {
        self.cubes.iter().map(|n| n + 1).product()
    }

    fn centre(&self, [i, j, k]: [usize; 3]) -> u32 {
        (self.corners() + (k * self.cubes[1] + j) * self.cubes[0] + i) as u32
    }

    fn positions(&self) -> Vec<Vec3> {
        let mut positions = Vec::with_capacity(self.corners() + self.cubes.iter().product::<usize>());
        for (extra, shift) in [(1, 0.0), (0, 0.5)] {
            for k in 0..self.cubes[2] + extra {
                for j in 0..self.cubes[1] + extra {
                    for i in 0..self.cubes[0] + extra {
                        let step = Vec3::new(i as f64 + shift, j as f64 + shift, k as f64 + shift);
                        positions.push(self.origin + step * self.cell);
                    }
                }
            }
        }
        positions
    }

    fn each_cube(&self, mut visit: impl FnMut([usize; 3])) {
        for k in 0..self.cubes[2] {
            for j in 0..self.cubes[1] {
                for i in 0..self.cubes[0] {
                    visit([i, j, k]);
                }
            }
        }
    }

    /// Calls `visit(a, b, long)` for every edge of the lattice.
    fn each_edge(&self, mut visit: impl FnMut(u32, u32, bool)) {
        for k in 0..=self.cubes[2] {
            for j in 0..=self.cubes[1] {
                for i in 0..=self.cubes[0] {
                    let at = [i, j, k];
                    for axis in 0..3 {
                        if at[axis] < self.cubes[axis] {
                            let mut next = at;
                            next[axis] += 1;
                            visit(self.corner(at), self.corner(next), true);
                        }
                    }
                }
            }
        }
        self.each_cube(|at| {
            let centre = self.centre(at);
            for bits in 0..8 {
                let corner = [at[0] + (bits & 1), at[1] + (bits >> 1 & 1), at[2] + (bits >> 2)];
                visit(self.corner(corner), centre, false);
            }
            for axis in 0..3 {
                if at[axis] + 1 < self.cubes[axis] {
                    let mut next = at;
                    next[axis] += 1;
                    visit(centre, self.centre(next), true);
                }
            }
        });
    }

    /// Calls `visit` for every tetrahedron: two neighbouring centres and an edge of the square between them.
    fn each_tet(&self, mut visit: impl FnMut([u32; 4])) {
        self.each_cube(|at| {
            for axis in 0..3 {
                if at[axis] + 1 >= self.cubes[axis] {
                    continue;
                }
                let mut next = at;
                next[axis] += 1;
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let ring: [[usize; 3]; 4] = [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(du, dv)| {
                    let mut corner = next;
                    corner[u] += du;
                    corner[v] += dv;
                    corner
                });
                for s in 0..4 {
                    let (a, b) = (self.corner(ring[s]), self.corner(ring[(s + 1) % 4]));
                    visit([self.centre(at), self.centre(next), a, b]);
                }
            }
        });
    }
}

/// Meshes `distance < 0` inside the box `lo`..`hi` with lattice cells of size `cell`.
///
/// `distance` must be (close to) a signed distance: far from the surface it is probed sparsely.
pub(super) fn stuff(distance: &dyn Fn(Vec3) -> f64, lo: Vec3, hi: Vec3, cell: f64) -> TetMesh {
    // An odd offset keeps symmetric shapes from putting the surface exactly through lattice nodes.
    let origin = lo - Vec3::new(1.37, 1.41, 1.33) * cell;
    let extent = (hi - origin) / cell;
    let lattice = Lattice { origin, cell, cubes: [extent.x, extent.y, extent.z].map(|e| e as usize + 3) };
    let mut positions = lattice.positions();
    let mut values = probe(&lattice, &positions, distance);
    snap(&lattice, &mut positions, &mut values);
    clip(&lattice, positions, &values, distance)
}

/// Distances at all nodes; blocks of cubes that the surface cannot reach get the value at their middle.
fn probe(lattice: &Lattice, positions: &[Vec3], distance: &dyn Fn(Vec3) -> f64) -> Vec<f64> {
    const BLOCK: usize = 4;
    let blocks = lattice.cubes.map(|n| n / BLOCK + 1);
    let reach = lattice.cell * (BLOCK as f64 * 0.5 + 1.0) * 3.0f64.sqrt();
    let mut far = vec![f64::NAN; blocks.iter().product()];
    let block_of = |p: Vec3| {
        let c = (p - lattice.origin) / (lattice.cell * BLOCK as f64);
        let [i, j, k] = [c.x, c.y, c.z].map(|v| v as usize);
        (k * blocks[1] + j) * blocks[0] + i
    };
    for k in 0..blocks[2] {
        for j in 0..blocks[1] {
            for i in 0..blocks[0] {
                let middle = Vec3::new(i as f64 + 0.5, j as f64 + 0.5, k as f64 + 0.5) * (lattice.cell * BLOCK as f64);
                let d = distance(lattice.origin + middle);
                if d.abs() > reach {
                    far[(k * blocks[1] + j) * blocks[0] + i] = d;
                }
            }
        }
    }
    positions
        .iter()
        .map(|&p| {
            let value = far[block_of(p + Vec3::splat(1e-9 * lattice.cell))];
            if value.is_nan() { distance(p) } else { value }
        })
        .collect()
}

/// Moves nodes that lie close to the surface onto it and sets their value to zero.
fn snap(lattice: &Lattice, positions: &mut [Vec3], values: &mut [f64]) {
    let mut nearest: Vec<Option<(f64, u32)>> = vec![None; positions.len()];
    let mut offer = |from: u32, to: u32, fraction: f64, limit: f64| {
        let better = nearest[from as usize].is_none_or(|(best, _)| fraction < best);
        if fraction < limit && better {
            nearest[from as usize] = Some((fraction, to));
        }
    };
    lattice.each_edge(|a, b, long| {
        let (fa, fb) = (values[a as usize], values[b as usize]);
        if (fa < 0.0) != (fb < 0.0) {
            let limit = if long { SNAP_LONG } else { SNAP_SHORT };
            let t = fa / (fa - fb);
            offer(a, b, t, limit);
            offer(b, a, 1.0 - t, limit);
        }
    });
    let before = positions.to_vec();
    for (node, target) in nearest.iter().enumerate() {
        if let Some((fraction, to)) = target {
            positions[node] = before[node].lerp(before[*to as usize], *fraction);
            values[node] = 0.0;
        }
    }
}

/// Keeps whole elements inside, clips those the surface crosses, and drops unused nodes.
fn clip(lattice: &Lattice, positions: Vec<Vec3>, values: &[f64], distance: &dyn Fn(Vec3) -> f64) -> TetMesh {
    let mut out = Builder { lattice_positions: positions, ..Builder::default() };
    lattice.each_tet(|tet| {
        let (mut inside, mut zero, mut outside) = (Vec::new(), Vec::new(), Vec::new());
        for n in tet {
            let value = values[n as usize];
            if value < 0.0 {
                inside.push(n);
            } else if value > 0.0 {
                outside.push(n);
            } else {
                zero.push(n);
            }
        }
        if inside.is_empty() {
            return;
        }
        let i: Vec<u32> = inside.iter().map(|&n| out.node(n)).collect();
        let z: Vec<u32> = zero.iter().map(|&n| out.node(n)).collect();
        let mut cut = |a: usize, b: usize| out.cut(inside[a], outside[b], values, distance);
        match (inside.len(), outside.len()) {
            (_, 0) => {
                let all: Vec<u32> = i.iter().chain(&z).copied().collect();
                out.tet([all[0], all[1], all[2], all[3]]);
            }
            (1, n) => {
                // One corner is left: it, the nodes on the surface and the cuts towards the outside.
                let mut all = vec![i[0]];
                all.extend(&z);
                all.extend((0..n).map(|b| cut(0, b)).collect::<Vec<_>>());
                out.tet([all[0], all[1], all[2], all[3]]);
            }
            (2, 1) => {
                let (c0, c1) = (cut(0, 0), cut(1, 0));
                out.pyramid([i[0], i[1], c1, c0], z[0]);
            }
            (3, 1) => {
                let cuts = [cut(0, 0), cut(1, 0), cut(2, 0)];
                out.prism([i[0], i[1], i[2]], cuts);
            }
            (2, 2) => {
                let (c00, c01, c10, c11) = (cut(0, 0), cut(0, 1), cut(1, 0), cut(1, 1));
                out.prism([i[0], c00, c01], [i[1], c10, c11]);
            }
            _ => {}
        }
    });
    TetMesh { positions: out.positions, tets: out.tets }
}

#[derive(Default)]
struct Builder {
    lattice_positions: Vec<Vec3>,
    nodes: BTreeMap<u32, u32>,
    cuts: BTreeMap<(u32, u32), u32>,
    positions: Vec<Vec3>,
    tets: Vec<[u32; 4]>,
}

impl Builder {
    fn node(&mut self, lattice_node: u32) -> u32 {
        let positions = &mut self.positions;
        let at = self.lattice_positions[lattice_node as usize];
        *self.nodes.entry(lattice_node).or_insert_with(|| {
            positions.push(at);
            positions.len() as u32 - 1
        })
    }

    /// The point where the surface crosses the edge, refined once by the secant rule.
    fn cut(&mut self, inside: u32, outside: u32, values: &[f64], distance: &dyn Fn(Vec3) -> f64) -> u32 {
        if let Some(&node) = self.cuts.get(&(inside, outside)) {
            return node;
        }
        let (a, b) = (self.lattice_positions[inside as usize], self.lattice_positions[outside as usize]);
        let (fa, fb) = (values[inside as usize], values[outside as usize]);
        let mut t = fa / (fa - fb);
        let ft = distance(a.lerp(b, t));
        t = if ft < 0.0 { t + (1.0 - t) * ft / (ft - fb) } else { t * fa / (fa - ft) };
        self.positions.push(a.lerp(b, t.clamp(0.05, 0.95)));
        let node = self.positions.len() as u32 - 1;
        self.cuts.insert((inside, outside), node);
        node
    }

    fn tet(&mut self, tet: [u32; 4]) {
        let p = tet.map(|n| self.positions[n as usize]);
        let volume = (p[1] - p[0]).cross(p[2] - p[0]).dot(p[3] - p[0]);
        self.tets.push(if volume < 0.0 { [tet[0], tet[1], tet[3], tet[2]] } else { tet });
    }

    /// Splits at the diagonal through the lowest index: both elements at a shared square choose the same one.
    fn pyramid(&mut self, base: [u32; 4], apex: u32) {
        let lowest = (0..4).min_by_key(|&i| base[i]).unwrap_or(0);
        let at = |i: usize| base[(lowest + i) % 4];
        self.tet([at(0), at(1), at(2), apex]);
        self.tet([at(0), at(2), at(3), apex]);
    }

    /// A prism between two triangles with matching corners: a fan from its lowest node.
    fn prism(&mut self, near: [u32; 3], far: [u32; 3]) {
        let (near, far) = if near.iter().min() < far.iter().min() { (near, far) } else { (far, near) };
        let lowest = (0..3).min_by_key(|&i| near[i]).unwrap_or(0);
        let [a, b, c] = [0, 1, 2].map(|i| near[(lowest + i) % 3]);
        let [d, e, f] = [0, 1, 2].map(|i| far[(lowest + i) % 3]);
        self.tet([a, d, e, f]);
        self.pyramid([b, c, f, e], a);
    }
}
