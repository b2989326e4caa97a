//! A bar of tetrahedra with bones inside, the stand-in for a hand in kernel tests and benches.
#![allow(dead_code)] // Each test and bench uses its part.

pub mod ball;

use thenar::geometry::TetMesh;
use thenar::math::{Mat3, Vec3};
use thenar::sparse::{BlockMatrix, BlockPattern, Slot};

/// Number of bones in a bar.
pub const BONES: usize = 16;

/// Tissue blocks first, then two blocks (linear, angular) per bone.
pub struct Bar {
    pub mesh: TetMesh,
    /// Tissue nodes attached to each bone.
    pub attached: Vec<Vec<u32>>,
    pub pattern: BlockPattern,
}

/// A bar of `cells` cubes, six tetrahedra each, 8 x 2 x 2 cm, with a chain of sixteen bones along it.
pub fn bar(cells: [usize; 3]) -> Bar {
    let mesh = box_mesh(cells, Vec3::new(0.08, 0.02, 0.02));
    let nodes = mesh.positions.len() as u32;
    let centre = |bone: usize| Vec3::new(0.08 * (bone as f64 + 0.5) / BONES as f64, 0.01, 0.01);
    let attached: Vec<Vec<u32>> = (0..BONES)
        .map(|bone| {
            let mut near: Vec<u32> = (0..nodes).collect();
            near.sort_by(|&a, &b| {
                let distance = |i: u32| mesh.positions[i as usize].distance_squared(centre(bone));
                distance(a).total_cmp(&distance(b)).then(a.cmp(&b))
            });
            near.truncate(14);
            near
        })
        .collect();
    let linear = |bone: usize| nodes + 2 * bone as u32;
    let mut cliques: Vec<Vec<u32>> = mesh.tets.iter().map(|t| t.to_vec()).collect();
    for (bone, list) in attached.iter().enumerate() {
        cliques.extend(list.iter().map(|&a| vec![a, linear(bone), linear(bone) + 1]));
    }
    for bone in 1..BONES {
        cliques.push(vec![linear(bone - 1), linear(bone - 1) + 1, linear(bone), linear(bone) + 1]);
    }
    let pattern = BlockPattern::from_cliques(nodes as usize + 2 * BONES, cliques.iter().map(Vec::as_slice));
    Bar { mesh, attached, pattern }
}

impl Bar {
    /// Blocks of the bones.
    pub fn bone_blocks(&self) -> Vec<u32> {
        (self.mesh.positions.len() as u32..self.pattern.block_count() as u32).collect()
    }
}

/// The bar of about 850 tetrahedra.
pub fn hand_sized() -> Bar {
    bar([16, 3, 3])
}

/// A box of cubes, each cut into six tetrahedra around its diagonal.
pub fn box_mesh(cells: [usize; 3], size: Vec3) -> TetMesh {
    let [nx, ny, nz] = cells;
    let node = |c: [usize; 3]| (c[0] + (nx + 1) * (c[1] + (ny + 1) * c[2])) as u32;
    let scale = size / Vec3::new(nx as f64, ny as f64, nz as f64);
    let mut mesh = TetMesh::default();
    for k in 0..=nz {
        for j in 0..=ny {
            for i in 0..=nx {
                mesh.positions.push(scale * Vec3::new(i as f64, j as f64, k as f64));
            }
        }
    }
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                for (axes, even) in [
                    ([0, 1, 2], true),
                    ([0, 2, 1], false),
                    ([1, 0, 2], false),
                    ([1, 2, 0], true),
                    ([2, 0, 1], true),
                    ([2, 1, 0], false),
                ] {
                    let mut corner = [i, j, k];
                    let mut tet = [node(corner); 4];
                    for step in 0..3 {
                        corner[axes[step]] += 1;
                        tet[step + 1] = node(corner);
                    }
                    if !even {
                        tet.swap(2, 3);
                    }
                    mesh.tets.push(tet);
                }
            }
        }
    }
    mesh
}

/// A small deterministic random source in (-1, 1).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }
    pub fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    pub fn vec3(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }
    pub fn mat3(&mut self) -> Mat3 {
        Mat3::from_cols(self.vec3(), self.vec3(), self.vec3())
    }
    pub fn fill(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.next()).collect()
    }
}

/// A random positive definite matrix of a pattern: sum over edges of `Gᵀ G` with `G = [P, Q]`, plus the identity.
pub fn random_spd(pattern: &BlockPattern, seed: u64) -> BlockMatrix {
    let mut random = Random::new(seed);
    let mut a = BlockMatrix::zero(pattern);
    for (k, (i, j)) in pattern.edges().enumerate() {
        let (p, q) = (random.mat3(), random.mat3());
        a.add(Slot::Diagonal(i), &(p.transpose() * p));
        a.add(Slot::Diagonal(j), &(q.transpose() * q));
        a.add(Slot::Upper(k as u32), &(p.transpose() * q));
    }
    for d in &mut a.diagonal {
        d.add_diagonal(1.0);
    }
    a
}
