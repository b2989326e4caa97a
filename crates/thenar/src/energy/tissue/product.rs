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
    /// `y += scale K x` with the stiffness at the last evaluation, as [`assemble`](Self::assemble) has it. The three rows of a node are at its
    /// place of `places`, such as that in an elimination order.
    ///
    /// # Panics
    /// If a node has no place or a place no rows.
    pub fn add_product(&self, work: &TissueWork, scale: f64, places: &[u32], x: &[Row], y: &mut [Row]) {
        let (x, y) = (x.as_chunks().0, y.as_chunks_mut().0);
        add(self.kernels, self, work, scale, places, x, y);
        for &t in &self.edges.limited {
            let stiffening = work.stiffening[t as usize];
            if stiffening > 1.0 {
                self.add_limit_product(t as usize, stiffening, work, scale, places, x, y);
            }
        }
    }

    /// The second term of a limited element, `(k/W_max²) V ∇W ∇Wᵀ` [CLAP eq. 10].
    fn add_limit_product(
        &self,
        t: usize,
        stiffening: f64,
        work: &TissueWork,
        scale: f64,
        places: &[u32],
        x: &[[Row; 3]],
        y: &mut [[Row; 3]],
    ) {
        let factor = self.edges.limit_scale(t, self.volume(t), stiffening, scale);
        let places = self.tets[t].map(|node| places[node as usize] as usize);
        let forces = &work.forces[4 * t..4 * t + 4];
        let mut along = [0.0; LANES];
        for (&place, force) in places.iter().zip(forces) {
            for (row, force) in x[place].iter().zip(force) {
                (0..LANES).for_each(|l| along[l] += force * row[l]);
            }
        }
        for (&place, force) in places.iter().zip(forces) {
            for (row, force) in y[place].iter_mut().zip(force) {
                (0..LANES).for_each(|l| row[l] += factor * force * along[l]);
            }
        }
    }
}

#[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))] // Only x86-64 has a choice.
fn add(
    kernels: Kernels,
    tissue: &TissueEnergy,
    work: &TissueWork,
    scale: f64,
    places: &[u32],
    x: &[[Row; 3]],
    y: &mut [[Row; 3]],
) {
    #[cfg(target_arch = "x86_64")]
    if kernels.has_avx2() {
        #[target_feature(enable = "avx2,fma")]
        fn avx2(
            tissue: &TissueEnergy,
            work: &TissueWork,
            scale: f64,
            places: &[u32],
            x: &[[Row; 3]],
            y: &mut [[Row; 3]],
        ) {
            add_all::<crate::math::avx2::F64x4>(tissue, work, scale, places, x, y);
        }
        // SAFETY: `has_avx2` is true only after detecting AVX2 and FMA.
        return unsafe { avx2(tissue, work, scale, places, x, y) };
    }
    add_all::<Array<f64, 4>>(tissue, work, scale, places, x, y);
}

/// Gradients come times `sqrt(s μ V)`; a translation costs nothing, so that the first corner is what the others are measured from.
#[inline(always)]
fn add_all<V: Quad>(
    tissue: &TissueEnergy,
    work: &TissueWork,
    scale: f64,
    places: &[u32],
    x: &[[Row; 3]],
    y: &mut [[Row; 3]],
) {
    let (zero, scale) = (V::splat(0.0), V::splat(scale));
    let gradients = work.gradients.as_chunks::<4>().0;
    for ((tet, gradients), &ratio) in tissue.tets.iter().zip(gradients).zip(tissue.edges.ratios()) {
        let ratio = V::splat(ratio) * scale;
        let mut at = [0; 4];
        for a in 0..4 {
            at[a] = places[tet[a] as usize] as usize;
        }
        for half in [0, HALF] {
            let mut first = [zero; 3];
            for r in 0..3 {
                first[r] = load::<V>(&x[at[0]][r], half);
            }
            let mut g = [[zero; 3]; 3];
            for a in 1..4 {
                let rows = &x[at[a]];
                for r in 0..3 {
                    let u = load::<V>(&rows[r], half) - first[r];
                    for k in 0..3 {
                        g[r][k] = u.times_plus(V::splat(gradients[a][k]), g[r][k]);
                    }
                }
            }
            let trace = ratio * (g[0][0] + g[1][1] + g[2][2]);
            let [xy, yz, zx] = [scale * (g[0][1] + g[1][0]), scale * (g[1][2] + g[2][1]), scale * (g[2][0] + g[0][2])];
            let stress = [
                [(scale + scale).times_plus(g[0][0], trace), xy, zx],
                [xy, (scale + scale).times_plus(g[1][1], trace), yz],
                [zx, yz, (scale + scale).times_plus(g[2][2], trace)],
            ];
            let mut others = [zero; 3];
            for a in 1..4 {
                let rows = &mut y[at[a]];
                for r in 0..3 {
                    let mut force = stress[r][0] * V::splat(gradients[a][0]);
                    force = stress[r][1].times_plus(V::splat(gradients[a][1]), force);
                    force = stress[r][2].times_plus(V::splat(gradients[a][2]), force);
                    others[r] = others[r] + force;
                    put(load::<V>(&rows[r], half) + force, &mut rows[r], half);
                }
            }
            let rows = &mut y[at[0]];
            for r in 0..3 {
                put(load::<V>(&rows[r], half) - others[r], &mut rows[r], half);
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
