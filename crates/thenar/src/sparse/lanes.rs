//! Solves for eight right-hand sides at once, along a path of the elimination tree.

use super::cholesky::Scalar;
use super::triangular::columns;
use super::{Cholesky, EliminationPath, Symbolic};
use crate::math::{Kernels, Real, dispatch};

/// Right-hand sides solved together.
pub const LANES: usize = 8;

impl<T: Scalar> Cholesky<T> {
    /// `x := L⁻¹ x` for eight right-hand sides, in elimination order; only rows of `path` are read and written.
    ///
    /// Right for columns that are zero outside the blocks the path was made from; what `x` holds outside stays.
    pub fn forward_lanes(&mut self, symbolic: &Symbolic, path: &EliminationPath, x: &mut [[T; LANES]]) {
        assert_eq!(x.len(), self.inverse.len(), "right-hand side and plan must belong together");
        forward_lanes(self.kernels, symbolic, path, &self.panels, &self.inverse, &mut self.gathered_lanes, x);
    }

    /// `x := L⁻ᵀ x` for eight right-hand sides, in elimination order, on the rows of `path`.
    ///
    /// With [`EliminationPath::all`] the whole solution; with a shorter path the same numbers on its rows only.
    pub fn backward_lanes(&mut self, symbolic: &Symbolic, path: &EliminationPath, x: &mut [[T; LANES]]) {
        assert_eq!(x.len(), self.inverse.len(), "right-hand side and plan must belong together");
        backward_lanes(self.kernels, symbolic, path, &self.panels, &self.inverse, &mut self.gathered_lanes, x);
    }

    /// `gram[i][j] += Σ x[row][i] y[row][j]` over the rows of `path`: with `x = L⁻¹ Bᵀ` and `y = L⁻¹ Cᵀ` this adds
    /// `B A⁻¹ Cᵀ`. The path must cover the columns that are non-zero in both.
    pub fn gram_lanes(
        &self,
        symbolic: &Symbolic,
        path: &EliminationPath,
        x: &[[T; LANES]],
        y: &[[T; LANES]],
        gram: &mut [[T; LANES]; LANES],
    ) {
        gram_lanes(self.kernels, symbolic, path, x, y, gram);
    }
}

fn forward_lanes<T: Scalar>(
    kernels: Kernels,
    symbolic: &Symbolic,
    path: &EliminationPath,
    panels: &[T],
    inverse: &[T],
    gathered: &mut [[T; LANES]],
    x: &mut [[T; LANES]],
) {
    dispatch!(kernels, fn avx2<T: Scalar>(symbolic: &Symbolic, path: &EliminationPath, panels: &[T], inverse: &[T],
        gathered: &mut [[T; LANES]], x: &mut [[T; LANES]]) {
        FUSED => forward_kernel::<T, FUSED>(symbolic, path, panels, inverse, gathered, x)
    });
}

fn backward_lanes<T: Scalar>(
    kernels: Kernels,
    symbolic: &Symbolic,
    path: &EliminationPath,
    panels: &[T],
    inverse: &[T],
    gathered: &mut [[T; LANES]],
    x: &mut [[T; LANES]],
) {
    dispatch!(kernels, fn avx2<T: Scalar>(symbolic: &Symbolic, path: &EliminationPath, panels: &[T], inverse: &[T],
        gathered: &mut [[T; LANES]], x: &mut [[T; LANES]]) {
        FUSED => backward_kernel::<T, FUSED>(symbolic, path, panels, inverse, gathered, x)
    });
}

fn gram_lanes<T: Scalar>(
    kernels: Kernels,
    symbolic: &Symbolic,
    path: &EliminationPath,
    x: &[[T; LANES]],
    y: &[[T; LANES]],
    gram: &mut [[T; LANES]; LANES],
) {
    dispatch!(kernels, fn avx2<T: Scalar>(symbolic: &Symbolic, path: &EliminationPath, x: &[[T; LANES]],
        y: &[[T; LANES]], gram: &mut [[T; LANES]; LANES]) {
        FUSED => gram_kernel::<T, FUSED>(symbolic, path, x, y, gram)
    });
}

/// `w + v0 a + v1 b + v2 c`, lane by lane.
#[inline(always)]
fn add_three<T: Real, const FUSED: bool>(
    w: &[T; LANES],
    [a, b, c]: [T; 3],
    [v0, v1, v2]: [&[T; LANES]; 3],
) -> [T; LANES] {
    std::array::from_fn(|l| {
        let sum = v0[l].mul_then_add::<FUSED>(a, w[l]);
        let sum = v1[l].mul_then_add::<FUSED>(b, sum);
        v2[l].mul_then_add::<FUSED>(c, sum)
    })
}

#[inline(always)]
fn forward_kernel<T: Real, const FUSED: bool>(
    symbolic: &Symbolic,
    path: &EliminationPath,
    panels: &[T],
    inverse: &[T],
    gathered: &mut [[T; LANES]],
    x: &mut [[T; LANES]],
) {
    for (f, front) in symbolic.fronts.iter().enumerate() {
        if !path.contains(f) {
            continue;
        }
        let (pivots, below) = (front.columns(), front.below());
        let height = pivots + below;
        let panel = &panels[front.panel..][..front.panel_stride * pivots];
        let work = &mut gathered[..height];
        let own = 3 * front.first..3 * front.first + pivots;
        work[..pivots].copy_from_slice(&x[own.clone()]);
        work[pivots..].fill([T::ZERO; LANES]);
        for j in (0..pivots).step_by(3) {
            let [a, b, c] = columns(panel, front.panel_stride, j, j, height);
            let scale = &inverse[3 * front.first + j..][..3];
            let (mut x0, mut x1, mut x2) = (work[j], work[j + 1], work[j + 2]);
            for l in 0..LANES {
                x0[l] *= scale[0];
                x1[l] = (x1[l] - a[1] * x0[l]) * scale[1];
                x2[l] = (x2[l] - a[2] * x0[l] - b[2] * x1[l]) * scale[2];
            }
            (work[j], work[j + 1], work[j + 2]) = (x0, x1, x2);
            for (((w, &a), &b), &c) in work[j + 3..].iter_mut().zip(&a[3..]).zip(&b[3..]).zip(&c[3..]) {
                *w = add_three::<T, FUSED>(w, [-a, -b, -c], [&x0, &x1, &x2]);
            }
        }
        x[own].copy_from_slice(&work[..pivots]);
        let (x, _) = x.as_chunks_mut::<3>();
        for (w, &row) in work[pivots..].as_chunks::<3>().0.iter().zip(&symbolic.rows[front.rows.clone()]) {
            let target = &mut x[row as usize];
            for k in 0..3 {
                for l in 0..LANES {
                    target[k][l] += w[k][l];
                }
            }
        }
    }
}

#[inline(always)]
fn backward_kernel<T: Real, const FUSED: bool>(
    symbolic: &Symbolic,
    path: &EliminationPath,
    panels: &[T],
    inverse: &[T],
    gathered: &mut [[T; LANES]],
    x: &mut [[T; LANES]],
) {
    for (f, front) in symbolic.fronts.iter().enumerate().rev() {
        if !path.contains(f) {
            continue;
        }
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
            let (mut x0, mut x1, mut x2) = (work[j], work[j + 1], work[j + 2]);
            for (((w, &a), &b), &c) in work[j + 3..].iter().zip(&a[3..]).zip(&b[3..]).zip(&c[3..]) {
                for l in 0..LANES {
                    x0[l] = w[l].mul_then_add::<FUSED>(-a, x0[l]);
                    x1[l] = w[l].mul_then_add::<FUSED>(-b, x1[l]);
                    x2[l] = w[l].mul_then_add::<FUSED>(-c, x2[l]);
                }
            }
            for l in 0..LANES {
                x2[l] *= scale[2];
                x1[l] = (x1[l] - b[2] * x2[l]) * scale[1];
                x0[l] = (x0[l] - a[1] * x1[l] - a[2] * x2[l]) * scale[0];
            }
            (work[j], work[j + 1], work[j + 2]) = (x0, x1, x2);
        }
        x[own].copy_from_slice(&work[..pivots]);
    }
}

#[inline(always)]
fn gram_kernel<T: Real, const FUSED: bool>(
    symbolic: &Symbolic,
    path: &EliminationPath,
    x: &[[T; LANES]],
    y: &[[T; LANES]],
    gram: &mut [[T; LANES]; LANES],
) {
    // Half of the products at a time, so that the sums stay in registers.
    for half in 0..2 {
        let mut sum = [[T::ZERO; LANES]; LANES / 2];
        for positions in path.positions(symbolic) {
            let rows = 3 * positions.start..3 * positions.end;
            for (x, y) in x[rows.clone()].iter().zip(&y[rows]) {
                for i in 0..LANES / 2 {
                    let factor = x[half * (LANES / 2) + i];
                    for l in 0..LANES {
                        sum[i][l] = y[l].mul_then_add::<FUSED>(factor, sum[i][l]);
                    }
                }
            }
        }
        for i in 0..LANES / 2 {
            for l in 0..LANES {
                gram[half * (LANES / 2) + i][l] += sum[i][l];
            }
        }
    }
}
