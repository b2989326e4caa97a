//! The stiffness of the tissue times eight displacements at once, without its matrix.
//!
//! With `G = Σ u_b c_bᵀ`, an element answers displacements `u` of its corners by `V (λ tr(G) + μ (G + Gᵀ)) c_a`: two passes over its corners,
//! where the matrix would cost its assembly and then a product for each displacement.

use super::{TissueEnergy, TissueWork};
use crate::math::{Array, Kernels, Quad};
use crate::sparse::LANES;

/// Eight displacements side by side, for one scalar row.
type Row = [f64; LANES];

/// Half of them: one register.
const HALF: usize = LANES / 2;

impl TissueEnergy {
    /// `y += scale K x` with the stiffness at the last evaluation, as [`assemble`](Self::assemble) has it; three rows a node.
    ///
    /// # Panics
    /// If a slice is shorter than three rows for each node.
    pub fn add_product(&self, work: &TissueWork, scale: f64, x: &[Row], y: &mut [Row]) {
        let rows = 3 * self.node_count();
        let (x, y) = (&x[..rows], &mut y[..rows]);
        add(self.kernels, self, work, scale, x, y);
        for &t in &self.edges.limited {
            let stiffening = work.stiffening[t as usize];
            if stiffening > 1.0 {
                self.add_limit_product(t as usize, stiffening, work, scale, x, y);
            }
        }
    }

    /// The second term of a limited element, `(k/W_max²) V ∇W ∇Wᵀ` [CLAP eq. 10].
    fn add_limit_product(&self, t: usize, stiffening: f64, work: &TissueWork, scale: f64, x: &[Row], y: &mut [Row]) {
        let factor = self.edges.limit_scale(t, self.volume(t), stiffening, scale);
        let (nodes, forces) = (&self.tets[t], &work.forces[4 * t..4 * t + 4]);
        let mut along = [0.0; LANES];
        for (&node, force) in nodes.iter().zip(forces) {
            for k in 0..3 {
                (0..LANES).for_each(|l| along[l] += force[k] * x[3 * node as usize + k][l]);
            }
        }
        for (&node, force) in nodes.iter().zip(forces) {
            for k in 0..3 {
                (0..LANES).for_each(|l| y[3 * node as usize + k][l] += factor * force[k] * along[l]);
            }
        }
    }
}

#[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))] // Only x86-64 has a choice.
fn add(kernels: Kernels, tissue: &TissueEnergy, work: &TissueWork, scale: f64, x: &[Row], y: &mut [Row]) {
    #[cfg(target_arch = "x86_64")]
    if kernels.has_avx2() {
        #[target_feature(enable = "avx2,fma")]
        fn avx2(tissue: &TissueEnergy, work: &TissueWork, scale: f64, x: &[Row], y: &mut [Row]) {
            add_all::<crate::math::avx2::F64x4>(tissue, work, scale, x, y);
        }
        // SAFETY: `has_avx2` is true only after detecting AVX2 and FMA.
        return unsafe { avx2(tissue, work, scale, x, y) };
    }
    add_all::<Array<f64, 4>>(tissue, work, scale, x, y);
}

/// Gradients come times `sqrt(s μ V)`; a translation costs nothing, so that the first corner is what the others are measured from.
#[inline(always)]
fn add_all<V: Quad>(tissue: &TissueEnergy, work: &TissueWork, scale: f64, x: &[Row], y: &mut [Row]) {
    let (zero, scale) = (V::splat(0.0), V::splat(scale));
    for ((tet, gradients), &ratio) in tissue.tets.iter().zip(work.gradients.chunks_exact(4)).zip(tissue.edges.ratios())
    {
        let ratio = V::splat(ratio) * scale;
        for half in [0, HALF] {
            let mut first = [zero; 3];
            for r in 0..3 {
                first[r] = load::<V>(&x[3 * tet[0] as usize + r], half);
            }
            let mut g = [[zero; 3]; 3];
            for a in 1..4 {
                for r in 0..3 {
                    let u = load::<V>(&x[3 * tet[a] as usize + r], half) - first[r];
                    for k in 0..3 {
                        g[r][k] = u.times_plus(V::splat(gradients[a][k]), g[r][k]);
                    }
                }
            }
            let trace = ratio * (g[0][0] + g[1][1] + g[2][2]);
            let mut stress = [[zero; 3]; 3];
            for r in 0..3 {
                for k in 0..3 {
                    stress[r][k] = scale * (g[r][k] + g[k][r]);
                }
                stress[r][r] = stress[r][r] + trace;
            }
            let mut others = [zero; 3];
            for a in 1..4 {
                for r in 0..3 {
                    let mut force = stress[r][0] * V::splat(gradients[a][0]);
                    force = stress[r][1].times_plus(V::splat(gradients[a][1]), force);
                    force = stress[r][2].times_plus(V::splat(gradients[a][2]), force);
                    others[r] = others[r] + force;
                    let row = &mut y[3 * tet[a] as usize + r];
                    put(load::<V>(row, half) + force, row, half);
                }
            }
            for r in 0..3 {
                let row = &mut y[3 * tet[0] as usize + r];
                put(load::<V>(row, half) - others[r], row, half);
            }
        }
    }
}

#[inline(always)]
fn load<V: Quad>(row: &Row, half: usize) -> V {
    // SAFETY: a vector of four reads four numbers, and each half of a row has four.
    unsafe { V::load(row[half..half + HALF].as_ptr()) }
}

#[inline(always)]
fn put<V: Quad>(vector: V, row: &mut Row, half: usize) {
    // SAFETY: a vector of four writes four numbers, and each half of a row has four.
    unsafe { vector.store(row[half..half + HALF].as_mut_ptr()) }
}
