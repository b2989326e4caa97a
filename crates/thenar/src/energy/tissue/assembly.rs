//! The stiffness matrix of the tissue, edge by edge.
//!
//! The block of an edge is `Σ (s λ V c_a c_bᵀ + s μ V c_b c_aᵀ) + tr(Σ s μ V c_a c_bᵀ) I` over the elements around it. With
//! gradients scaled by `sqrt(s μ V)` these are two sums of outer products, plain and weighted by `λ/μ`. A rigid
//! translation costs no force, so each diagonal block is minus the sum of its row.

use super::elements::rest_shape;
use super::{Element, TissueError, TissueWork};
use crate::geometry::TetMesh;
use crate::math::{Array, Kernels, Quad, Vec3};
use crate::sparse::{Block, BlockMatrix, BlockPattern, Slot};

/// Which corners meet at which block of the matrix.
#[derive(Clone, Debug)]
pub(super) struct EdgePlan {
    /// Per edge of the matrix that belongs to the tissue.
    edges: Vec<Edge>,
    pairs: Vec<Pair>,
    /// Edges of the matrix that do not.
    foreign: Vec<u32>,
    nodes: usize,
    /// `λ/μ` of each element.
    ratio: Vec<f64>,
    /// The block of each of an element's six edges.
    slots: Vec<[Slot; 6]>,
    /// Elements with an energy limit, their `k / W_max²`.
    pub limited: Vec<u32>,
    limit_factor: Vec<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    /// Index of the off-diagonal block.
    block: u32,
    a: u32,
    b: u32,
    /// End of this edge's range of pairs; it starts where the last edge's ended.
    pairs_end: u32,
}

/// Corners `4 * tet + corner` of the smaller and the larger node in one element.
#[derive(Clone, Copy, Debug)]
struct Pair {
    a: u32,
    b: u32,
}

/// Corners of an element's six edges.
const CORNERS: [(usize, usize); 6] = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];

impl EdgePlan {
    pub fn new(mesh: &TetMesh, elements: &[Element], pattern: &BlockPattern) -> Result<Self, TissueError> {
        let mut around: Vec<Vec<Pair>> = vec![Vec::new(); pattern.edge_count()];
        let mut slots = Vec::with_capacity(mesh.tets.len());
        for (t, tet) in mesh.tets.iter().enumerate() {
            rest_shape(mesh, t)?;
            let mut own = [Slot::Diagonal(0); 6];
            for (own, (i, j)) in own.iter_mut().zip(CORNERS) {
                let (a, b) = (tet[i], tet[j]);
                let corner = |c: usize| (4 * t + c) as u32;
                *own = pattern.edge(a, b).ok_or(TissueError::Pattern { a, b })?;
                match *own {
                    Slot::Upper(k) => around[k as usize].push(Pair { a: corner(i), b: corner(j) }),
                    Slot::Lower(k) => around[k as usize].push(Pair { a: corner(j), b: corner(i) }),
                    // A repeated node makes the volume zero, which `rest_shape` has refused.
                    Slot::Diagonal(_) => return Err(TissueError::Pattern { a, b }),
                }
            }
            slots.push(own);
        }
        let (mut edges, mut pairs, mut foreign) = (Vec::new(), Vec::new(), Vec::new());
        for (k, (list, (a, b))) in around.iter().zip(pattern.edges()).enumerate() {
            if list.is_empty() {
                foreign.push(k as u32);
            } else {
                pairs.extend(list);
                edges.push(Edge { block: k as u32, a, b, pairs_end: pairs.len() as u32 });
            }
        }
        let limited = (0..elements.len() as u32).filter(|&t| elements[t as usize].limit.is_some()).collect();
        let limit_factor = elements.iter().map(|e| e.limit.map_or(0.0, |l| l.stiffness / (l.density * l.density)));
        Ok(EdgePlan {
            edges,
            pairs,
            foreign,
            nodes: mesh.positions.len(),
            ratio: elements.iter().map(|e| e.material.lambda() / e.material.mu()).collect(),
            slots,
            limited,
            limit_factor: limit_factor.collect(),
        })
    }

    /// `λ/μ` of each element.
    pub fn ratios(&self) -> &[f64] {
        &self.ratio
    }

    /// What the second term of a limited element has before the forces of its corners, which are `-s ∂U/∂x`.
    pub fn limit_scale(&self, tet: usize, volume: f64, stiffening: f64, scale: f64) -> f64 {
        scale * self.limit_factor[tet] / (volume * stiffening * stiffening)
    }

    /// Adds the second term of the limited Hessian, `(k/W_max²) V ∇W ∇Wᵀ` with `∇W = (∂U/∂x)/V` [CLAP eq. 10].
    pub fn add_limit(
        &self,
        tet: u32,
        nodes: &[u32; 4],
        volume: f64,
        stiffening: f64,
        work: &TissueWork,
        scale: f64,
        matrix: &mut BlockMatrix,
    ) {
        let t = tet as usize;
        let factor = self.limit_scale(t, volume, stiffening, scale);
        let mut g = [Vec3::ZERO; 4];
        for (g, force) in g.iter_mut().zip(&work.forces[4 * t..]) {
            *g = Vec3::new(force[0], force[1], force[2]);
        }
        for (slot, (i, j)) in self.slots[t].iter().zip(CORNERS) {
            matrix.add_outer(*slot, factor, g[i], g[j]);
        }
        for (g, &node) in g.iter().zip(nodes) {
            matrix.add_outer(Slot::Diagonal(node), factor, *g, *g);
        }
    }
}

/// Sets the matrix to `scale` times the stiffness, without the second term of limited elements.
#[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))] // Only x86-64 has a choice.
pub(super) fn assemble(kernels: Kernels, plan: &EdgePlan, work: &TissueWork, scale: f64, matrix: &mut BlockMatrix) {
    #[cfg(target_arch = "x86_64")]
    if kernels.has_avx2() {
        #[target_feature(enable = "avx2,fma")]
        fn avx2(plan: &EdgePlan, work: &TissueWork, scale: f64, matrix: &mut BlockMatrix) {
            assemble_all::<crate::math::avx2::F64x4>(plan, work, scale, matrix);
        }
        // SAFETY: `has_avx2` is true only after detecting AVX2 and FMA.
        return unsafe { avx2(plan, work, scale, matrix) };
    }
    assemble_all::<Array<f64, 4>>(plan, work, scale, matrix);
}

#[inline(always)]
fn assemble_all<V: Quad>(plan: &EdgePlan, work: &TissueWork, scale: f64, matrix: &mut BlockMatrix) {
    matrix.diagonal.fill(Block::ZERO);
    for &k in &plan.foreign {
        matrix.off[k as usize] = Block::ZERO;
    }
    let gradients = work.gradients.as_slice();
    let zero = V::splat(0.0);
    let scale = V::splat(scale);
    let mut next = 0;
    for edge in &plan.edges {
        let end = edge.pairs_end as usize;
        let (mut plain, mut weighted) = ([zero; 3], [zero; 3]);
        for pair in &plan.pairs[next..end] {
            let a = load::<V>(&gradients[pair.a as usize]);
            let b = &gradients[pair.b as usize];
            let ratio = V::splat(plan.ratio[(pair.a / 4) as usize]);
            for c in 0..3 {
                let product = a * V::splat(b[c]);
                plain[c] = plain[c] + product;
                weighted[c] = ratio.times_plus(product, weighted[c]);
            }
        }
        next = end;
        let (block, mirrored) = finish(plain, weighted, scale);
        let off = &mut matrix.off[edge.block as usize];
        for c in 0..3 {
            put(block[c], &mut off.0[c]);
        }
        subtract(block, &mut matrix.diagonal[edge.a as usize]);
        subtract(mirrored, &mut matrix.diagonal[edge.b as usize]);
    }
    debug_assert!(plan.nodes <= matrix.diagonal.len());
}

/// `scale (Pλ + Pᵀ + tr(P) I)` and its transpose, from the sums `P` and `Pλ`, by columns.
#[inline(always)]
fn finish<V: Quad>(plain: [V; 3], weighted: [V; 3], scale: V) -> ([V; 3], [V; 3]) {
    let zero = V::splat(0.0);
    let flipped = V::transpose([plain[0], plain[1], plain[2], zero]);
    let flipped_weighted = V::transpose([weighted[0], weighted[1], weighted[2], zero]);
    let mut columns = [[0.0; 4]; 3];
    for c in 0..3 {
        put(plain[c], &mut columns[c]);
    }
    let trace = columns[0][0] + columns[1][1] + columns[2][2];
    let identity = [
        V::from_array([trace, 0.0, 0.0, 0.0]),
        V::from_array([0.0, trace, 0.0, 0.0]),
        V::from_array([0.0, 0.0, trace, 0.0]),
    ];
    let (mut block, mut mirrored) = (plain, plain);
    for c in 0..3 {
        block[c] = scale * (weighted[c] + flipped[c] + identity[c]);
        mirrored[c] = scale * (flipped_weighted[c] + plain[c] + identity[c]);
    }
    (block, mirrored)
}

#[inline(always)]
fn subtract<V: Quad>(columns: [V; 3], from: &mut Block) {
    for c in 0..3 {
        put(load::<V>(&from.0[c]) - columns[c], &mut from.0[c]);
    }
}

#[inline(always)]
fn load<V: Quad>(from: &[f64; 4]) -> V {
    // SAFETY: a vector of four reads four numbers.
    unsafe { V::load(from.as_ptr()) }
}

#[inline(always)]
fn put<V: Quad>(vector: V, to: &mut [f64; 4]) {
    // SAFETY: a vector of four writes four numbers.
    unsafe { vector.store(to.as_mut_ptr()) }
}
