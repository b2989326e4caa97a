//! Solves with a Cholesky factor.

use super::cholesky::Scalar;
use super::{Cholesky, Symbolic};
use crate::math::{Kernels, Real, dispatch};

impl<T: Scalar> Cholesky<T> {
    /// `x := L⁻¹ x`, in elimination order, three numbers per block.
    pub fn forward(&mut self, symbolic: &Symbolic, x: &mut [T]) {
        assert_eq!(x.len(), self.inverse.len(), "right-hand side and plan must belong together");
        forward(self.kernels, symbolic, &self.panels, &self.inverse, &mut self.gathered, x);
    }

    /// `x := L⁻ᵀ x`, in elimination order, three numbers per block.
    pub fn backward(&mut self, symbolic: &Symbolic, x: &mut [T]) {
        assert_eq!(x.len(), self.inverse.len(), "right-hand side and plan must belong together");
        backward(self.kernels, symbolic, &self.panels, &self.inverse, &mut self.gathered, x);
    }

    /// `x := A⁻¹ x`, in the original order of blocks.
    pub fn solve(&mut self, symbolic: &Symbolic, x: &mut [f64]) {
        assert_eq!(x.len(), self.inverse.len(), "right-hand side and plan must belong together");
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
}

fn forward<T: Scalar>(
    kernels: Kernels,
    symbolic: &Symbolic,
    panels: &[T],
    inverse: &[T],
    gathered: &mut [T],
    x: &mut [T],
) {
    dispatch!(kernels, fn avx2<T: Scalar>(symbolic: &Symbolic, panels: &[T], inverse: &[T], gathered: &mut [T], x: &mut [T]) {
        FUSED => forward_kernel::<T, FUSED>(symbolic, panels, inverse, gathered, x)
    });
}

fn backward<T: Scalar>(
    kernels: Kernels,
    symbolic: &Symbolic,
    panels: &[T],
    inverse: &[T],
    gathered: &mut [T],
    x: &mut [T],
) {
    dispatch!(kernels, fn avx2<T: Scalar>(symbolic: &Symbolic, panels: &[T], inverse: &[T], gathered: &mut [T], x: &mut [T]) {
        FUSED => backward_kernel::<T, FUSED>(symbolic, panels, inverse, gathered, x)
    });
}

/// Three columns of a panel, from row `from` down.
#[inline(always)]
pub(super) fn columns<T>(panel: &[T], stride: usize, j: usize, from: usize, height: usize) -> [&[T]; 3] {
    std::array::from_fn(|c| &panel[(j + c) * stride + from..(j + c) * stride + height])
}

#[inline(always)]
fn forward_kernel<T: Real, const FUSED: bool>(
    symbolic: &Symbolic,
    panels: &[T],
    inverse: &[T],
    gathered: &mut [T],
    x: &mut [T],
) {
    for front in &symbolic.fronts {
        let (pivots, below) = (front.columns(), front.below());
        let height = pivots + below;
        let panel = &panels[front.panel..][..front.panel_stride * pivots];
        let work = &mut gathered[..height];
        let own = 3 * front.first..3 * front.first + pivots;
        work[..pivots].copy_from_slice(&x[own.clone()]);
        work[pivots..].fill(T::ZERO);
        for j in (0..pivots).step_by(3) {
            let [a, b, c] = columns(panel, front.panel_stride, j, j, height);
            let scale = &inverse[3 * front.first + j..][..3];
            let x0 = work[j] * scale[0];
            let x1 = (work[j + 1] - a[1] * x0) * scale[1];
            let x2 = (work[j + 2] - a[2] * x0 - b[2] * x1) * scale[2];
            work[j..j + 3].copy_from_slice(&[x0, x1, x2]);
            let rest = work[j + 3..].iter_mut().zip(&a[3..]).zip(&b[3..]).zip(&c[3..]);
            for (((w, &a), &b), &c) in rest {
                let sum = a.mul_then_add::<FUSED>(-x0, *w);
                let sum = b.mul_then_add::<FUSED>(-x1, sum);
                *w = c.mul_then_add::<FUSED>(-x2, sum);
            }
        }
        x[own].copy_from_slice(&work[..pivots]);
        let (x, _) = x.as_chunks_mut::<3>();
        for (w, &row) in work[pivots..].as_chunks::<3>().0.iter().zip(&symbolic.rows[front.rows.clone()]) {
            let target = &mut x[row as usize];
            for k in 0..3 {
                target[k] += w[k];
            }
        }
    }
}

#[inline(always)]
fn backward_kernel<T: Real, const FUSED: bool>(
    symbolic: &Symbolic,
    panels: &[T],
    inverse: &[T],
    gathered: &mut [T],
    x: &mut [T],
) {
    for front in symbolic.fronts.iter().rev() {
        let (pivots, below) = (front.columns(), front.below());
        let height = pivots + below;
        let panel = &panels[front.panel..][..front.panel_stride * pivots];
        let work = &mut gathered[..height];
        let own = 3 * front.first..3 * front.first + pivots;
        {
            let (x, _) = x.as_chunks::<3>();
            let rows = &symbolic.rows[front.rows.clone()];
            for (w, &row) in work[pivots..].as_chunks_mut::<3>().0.iter_mut().zip(rows) {
                *w = x[row as usize];
            }
        }
        work[..pivots].copy_from_slice(&x[own.clone()]);
        for j in (0..pivots).step_by(3).rev() {
            let [a, b, c] = columns(panel, front.panel_stride, j, j, height);
            let scale = &inverse[3 * front.first + j..][..3];
            let dots = dot_three::<T, FUSED>([&a[3..], &b[3..], &c[3..]], &work[j + 3..]);
            let x2 = (work[j + 2] - dots[2]) * scale[2];
            let x1 = (work[j + 1] - dots[1] - b[2] * x2) * scale[1];
            let x0 = (work[j] - dots[0] - a[1] * x1 - a[2] * x2) * scale[0];
            work[j..j + 3].copy_from_slice(&[x0, x1, x2]);
        }
        x[own].copy_from_slice(&work[..pivots]);
    }
}

/// Products of three columns with one vector, summed in eight partial sums.
#[inline(always)]
fn dot_three<T: Real, const FUSED: bool>(columns: [&[T]; 3], v: &[T]) -> [T; 3] {
    let mut partial = [[T::ZERO; 8]; 3];
    let (chunks, tail) = v.as_chunks::<8>();
    let [(a, a_tail), (b, b_tail), (c, c_tail)] = columns.map(<[T]>::as_chunks::<8>);
    for (((v, a), b), c) in chunks.iter().zip(a).zip(b).zip(c) {
        for l in 0..8 {
            partial[0][l] = a[l].mul_then_add::<FUSED>(v[l], partial[0][l]);
            partial[1][l] = b[l].mul_then_add::<FUSED>(v[l], partial[1][l]);
            partial[2][l] = c[l].mul_then_add::<FUSED>(v[l], partial[2][l]);
        }
    }
    let mut sum = partial.map(|p| ((p[0] + p[4]) + (p[1] + p[5])) + ((p[2] + p[6]) + (p[3] + p[7])));
    for (l, &v) in tail.iter().enumerate() {
        sum[0] = a_tail[l].mul_then_add::<FUSED>(v, sum[0]);
        sum[1] = b_tail[l].mul_then_add::<FUSED>(v, sum[1]);
        sum[2] = c_tail[l].mul_then_add::<FUSED>(v, sum[2]);
    }
    sum
}
