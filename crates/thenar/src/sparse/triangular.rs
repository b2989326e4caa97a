//! Solves with a Cholesky factor for one right-hand side.

use super::cholesky::{Scalar, Task};
use super::symbolic::{Front, PADDING};
use super::{Cholesky, Symbolic};
use crate::math::{Real, Vector};

impl<T: Scalar> Cholesky<T> {
    /// `x := L⁻¹ x`, in elimination order, three numbers per block.
    pub fn forward(&mut self, symbolic: &Symbolic, x: &mut [T]) {
        self.check(symbolic, x.len());
        let Cholesky { panels, inverse, gathered: work, .. } = self;
        T::run(self.kernels, symbolic, Task::Forward { panels, inverse, work, x });
    }

    /// `x := L⁻ᵀ x`, in elimination order, three numbers per block.
    pub fn backward(&mut self, symbolic: &Symbolic, x: &mut [T]) {
        self.check(symbolic, x.len());
        let Cholesky { panels, inverse, gathered: work, .. } = self;
        T::run(self.kernels, symbolic, Task::Backward { panels, inverse, work, x });
    }

    /// `x := A⁻¹ x`, in the original order of blocks.
    pub fn solve(&mut self, symbolic: &Symbolic, x: &mut [f64]) {
        self.check(symbolic, x.len());
        let mut permuted = std::mem::take(&mut self.permuted);
        let (x, _) = x.as_chunks_mut::<3>();
        for (p, &block) in permuted.as_chunks_mut::<3>().0.iter_mut().zip(symbolic.order()) {
            *p = x[block as usize].map(T::from_f64);
        }
        self.forward(symbolic, &mut permuted);
        self.backward(symbolic, &mut permuted);
        for (p, &block) in permuted.as_chunks::<3>().0.iter().zip(symbolic.order()) {
            x[block as usize] = p.map(T::to_f64);
        }
        self.permuted = permuted;
    }

    /// The kernels rely on these lengths.
    fn check(&self, symbolic: &Symbolic, len: usize) {
        assert_eq!(len, 3 * symbolic.block_count(), "right-hand side and plan must belong together");
        assert_eq!(self.panels.len(), symbolic.panel_len, "factor and plan must belong together");
        assert_eq!(self.gathered.len(), symbolic.max_height + PADDING, "factor and plan must belong together");
    }
}

/// Columns treated together; then three if needed.
const WIDTH: usize = 6;

#[inline(always)]
pub(super) fn forward<V: Vector>(
    symbolic: &Symbolic,
    panels: &[V::Scalar],
    inverse: &[V::Scalar],
    work: &mut [V::Scalar],
    x: &mut [V::Scalar],
) {
    for front in &symbolic.fronts {
        let (pivots, below) = (front.columns(), front.below());
        let height = pivots + below;
        let panel = &panels[front.panel..][..front.panel_stride * pivots];
        let own = 3 * front.first..3 * front.first + pivots;
        work[..pivots].copy_from_slice(&x[own.clone()]);
        work[pivots..height].fill(V::Scalar::ZERO);
        let inverse = &inverse[own.clone()];
        let mut j = 0;
        // SAFETY: panels have `PADDING` rows more than the height, and so has `work`.
        unsafe {
            while j + WIDTH <= pivots {
                forward_columns::<V, WIDTH>(front, panel, inverse, height, j, work);
                j += WIDTH;
            }
            if j < pivots {
                forward_columns::<V, 3>(front, panel, inverse, height, j, work);
            }
        }
        x[own].copy_from_slice(&work[..pivots]);
        let (x, _) = x.as_chunks_mut::<3>();
        for (w, &row) in work[pivots..height].as_chunks::<3>().0.iter().zip(&symbolic.rows[front.rows.clone()]) {
            let target = &mut x[row as usize];
            for k in 0..3 {
                target[k] += w[k];
            }
        }
    }
}

/// Solves for `W` pivots and subtracts their columns from the rows below.
///
/// # Safety
/// `panel` must be the front's; `work` and the panel's columns must have [`PADDING`] rows more than `height`.
#[inline(always)]
unsafe fn forward_columns<V: Vector, const W: usize>(
    front: &Front,
    panel: &[V::Scalar],
    inverse: &[V::Scalar],
    height: usize,
    j: usize,
    work: &mut [V::Scalar],
) {
    let stride = front.panel_stride;
    let mut solved = [V::Scalar::ZERO; W];
    for q in 0..W {
        let mut value = work[j + q];
        for (s, &earlier) in solved[..q].iter().enumerate() {
            value -= panel[(j + s) * stride + j + q] * earlier;
        }
        solved[q] = value * inverse[j + q];
    }
    work[j..j + W].copy_from_slice(&solved);
    let mut factors = [V::splat(V::Scalar::ZERO); W];
    for q in 0..W {
        factors[q] = V::splat(solved[q]);
    }
    for i in (j + W..height).step_by(V::LEN) {
        // SAFETY: at most `LEN - 1` rows past the height, which is less than the padding.
        unsafe {
            let place = work.as_mut_ptr().add(i);
            let mut sum = V::load(place);
            for q in 0..W {
                sum = sum.minus_product(V::load(panel.as_ptr().add((j + q) * stride + i)), factors[q]);
            }
            sum.store(place);
        }
    }
}

#[inline(always)]
pub(super) fn backward<V: Vector>(
    symbolic: &Symbolic,
    panels: &[V::Scalar],
    inverse: &[V::Scalar],
    work: &mut [V::Scalar],
    x: &mut [V::Scalar],
) {
    for front in symbolic.fronts.iter().rev() {
        let (pivots, below) = (front.columns(), front.below());
        let height = pivots + below;
        let panel = &panels[front.panel..][..front.panel_stride * pivots];
        let own = 3 * front.first..3 * front.first + pivots;
        {
            let (x, _) = x.as_chunks::<3>();
            let rows = &symbolic.rows[front.rows.clone()];
            for (w, &row) in work[pivots..height].as_chunks_mut::<3>().0.iter_mut().zip(rows) {
                *w = x[row as usize];
            }
        }
        work[..pivots].copy_from_slice(&x[own.clone()]);
        // Products run over whole vectors, past the last row.
        work[height..height + PADDING].fill(V::Scalar::ZERO);
        let inverse = &inverse[own.clone()];
        let mut j = pivots;
        // SAFETY: panels have `PADDING` rows more than the height, and so has `work`.
        unsafe {
            if j % WIDTH != 0 {
                j -= 3;
                backward_columns::<V, 3>(front, panel, inverse, height, j, work);
            }
            while j > 0 {
                j -= WIDTH;
                backward_columns::<V, WIDTH>(front, panel, inverse, height, j, work);
            }
        }
        x[own].copy_from_slice(&work[..pivots]);
    }
}

/// Solves for `W` pivots, the rows below being known.
///
/// # Safety
/// As for [`forward_columns`]; the padding of `work` must be zero.
#[inline(always)]
unsafe fn backward_columns<V: Vector, const W: usize>(
    front: &Front,
    panel: &[V::Scalar],
    inverse: &[V::Scalar],
    height: usize,
    j: usize,
    work: &mut [V::Scalar],
) {
    let stride = front.panel_stride;
    let mut sums = [V::splat(V::Scalar::ZERO); W];
    for i in (j + W..height).step_by(V::LEN) {
        // SAFETY: at most `LEN - 1` rows past the height, which is less than the padding.
        unsafe {
            let w = V::load(work.as_ptr().add(i));
            for q in 0..W {
                sums[q] = sums[q].minus_product(V::load(panel.as_ptr().add((j + q) * stride + i)), w);
            }
        }
    }
    for q in (0..W).rev() {
        let mut value = work[j + q] + sums[q].sum();
        for s in q + 1..W {
            value -= panel[(j + q) * stride + j + s] * work[j + s];
        }
        work[j + q] = value * inverse[j + q];
    }
}
