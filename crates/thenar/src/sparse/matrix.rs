//! Values of a symmetric block matrix.

use super::{Block, BlockPattern, Slot};
use crate::math::{Kernels, Mat3, Real, Vec3, dispatch};

/// A symmetric matrix of 3x3 blocks over a [`BlockPattern`]; only one block of each symmetric pair is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockMatrix {
    /// Diagonal blocks, one per block row; symmetric.
    pub diagonal: Vec<Block>,
    /// `off[k]` is block `(a, b)` of the `k`-th edge `a < b`.
    pub off: Vec<Block>,
}

impl BlockMatrix {
    /// The zero matrix over a pattern.
    #[must_use]
    pub fn zero(pattern: &BlockPattern) -> Self {
        BlockMatrix { diagonal: vec![Block::ZERO; pattern.block_count()], off: vec![Block::ZERO; pattern.edge_count()] }
    }

    /// Sets every entry to zero.
    pub fn clear(&mut self) {
        self.diagonal.fill(Block::ZERO);
        self.off.fill(Block::ZERO);
    }

    /// Adds `m` to block `(a, b)` at the slot of `(a, b)`.
    ///
    /// Add an off-diagonal block once only: its mirror image is implied. The diagonal is stored whole.
    #[inline(always)]
    pub fn add(&mut self, slot: Slot, m: &Mat3) {
        match slot {
            Slot::Diagonal(a) => self.diagonal[a as usize].add(m),
            Slot::Upper(k) => self.off[k as usize].add(m),
            Slot::Lower(k) => self.off[k as usize].add_transposed(m),
        }
    }

    /// Adds `scale` times the identity to the block at `slot`.
    #[inline(always)]
    pub fn add_scalar(&mut self, slot: Slot, scale: f64) {
        match slot {
            Slot::Diagonal(a) => self.diagonal[a as usize].add_diagonal(scale),
            Slot::Upper(k) | Slot::Lower(k) => self.off[k as usize].add_diagonal(scale),
        }
    }

    /// Adds `scale * v wᵀ` to block `(a, b)` at the slot of `(a, b)`.
    #[inline(always)]
    pub fn add_outer(&mut self, slot: Slot, scale: f64, v: Vec3, w: Vec3) {
        match slot {
            Slot::Diagonal(a) => self.diagonal[a as usize].add_outer(scale, v, w),
            Slot::Upper(k) => self.off[k as usize].add_outer(scale, v, w),
            Slot::Lower(k) => self.off[k as usize].add_outer(scale, w, v),
        }
    }

    /// Block `(a, b)` of the matrix by its slot.
    #[must_use]
    pub fn get(&self, slot: Slot) -> Mat3 {
        match slot {
            Slot::Diagonal(a) => self.diagonal[a as usize].to_mat3(),
            Slot::Upper(k) => self.off[k as usize].to_mat3(),
            Slot::Lower(k) => self.off[k as usize].to_mat3().transpose(),
        }
    }

    /// `y = A x`; both of length `3 n`.
    pub fn mul(&self, kernels: Kernels, pattern: &BlockPattern, x: &[f64], y: &mut [f64]) {
        mul(kernels, self, pattern, x, y);
    }
}

#[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))] // Only x86-64 has a choice.
fn mul(kernels: Kernels, a: &BlockMatrix, pattern: &BlockPattern, x: &[f64], y: &mut [f64]) {
    dispatch!(kernels, fn avx2<>(a: &BlockMatrix, pattern: &BlockPattern, x: &[f64], y: &mut [f64]) {
        FUSED => mul_kernel::<FUSED>(a, pattern, x, y)
    });
}

/// Walks the rows of the upper triangle; an edge `(i, j)` adds `B x_j` to row `i` and `Bᵀ x_i` to row `j`.
#[inline(always)]
fn mul_kernel<const FUSED: bool>(a: &BlockMatrix, pattern: &BlockPattern, x: &[f64], y: &mut [f64]) {
    let (x, _) = x.as_chunks::<3>();
    let (y, _) = y.as_chunks_mut::<3>();
    for ((d, x), y) in a.diagonal.iter().zip(x).zip(y.iter_mut()) {
        let mut sum = [0.0; 4];
        for c in 0..3 {
            for r in 0..4 {
                sum[r] = d.0[c][r].mul_then_add::<FUSED>(x[c], sum[r]);
            }
        }
        y.copy_from_slice(&sum[..3]);
    }
    for i in 0..a.diagonal.len() {
        let [x0, x1, x2] = x[i];
        let xi = [x0, x1, x2, 0.0];
        let mut sum = [0.0; 4];
        for (block, &j) in a.off[pattern.row(i as u32)].iter().zip(pattern.upper(i as u32)) {
            let xj = x[j as usize];
            let yj = &mut y[j as usize];
            for c in 0..3 {
                let column = &block.0[c];
                let mut product = [0.0; 4];
                for r in 0..4 {
                    sum[r] = column[r].mul_then_add::<FUSED>(xj[c], sum[r]);
                    product[r] = column[r] * xi[r];
                }
                yj[c] += (product[0] + product[2]) + (product[1] + product[3]);
            }
        }
        for r in 0..3 {
            y[i][r] += sum[r];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn product_uses_both_triangles() {
        let pattern = BlockPattern::from_cliques(2, [&[0u32, 1][..]]);
        let mut a = BlockMatrix::zero(&pattern);
        let m = Mat3::from_cols(Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0), Vec3::new(7.0, 8.0, 9.0));
        let slot = |i, j| pattern.edge(i, j).unwrap_or(Slot::Diagonal(0));
        a.add(slot(1, 0), &m);
        a.add_scalar(slot(0, 0), 2.0);
        let x = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        let mut y = [0.0; 6];
        for kernels in [Kernels::portable(), Kernels::auto()] {
            a.mul(kernels, &pattern, &x, &mut y);
            // Row 0 is 2 x0 + mᵀ x1, row 1 is m x0.
            assert_eq!(y, [2.0 + 2.0, 5.0, 8.0, 1.0, 2.0, 3.0]);
        }
    }
}
