//! Solves for eight right-hand sides at once, along a path of the elimination tree.

use super::{Cholesky, EliminationPath, Symbolic};
use crate::math::{Array, Kernels, Quad};

/// Right-hand sides solved together: two vectors of four.
pub const LANES: usize = 8;

/// One row of eight right-hand sides.
type Row = [f64; LANES];

impl Cholesky<f64> {
    /// `x := L⁻¹ x` for eight right-hand sides, in elimination order; only rows of `path` are read and written.
    ///
    /// Right for columns that are zero outside the blocks the path was made from; what `x` holds outside stays.
    pub fn forward_lanes(&mut self, symbolic: &Symbolic, path: &EliminationPath, x: &mut [Row]) {
        assert_eq!(x.len(), self.inverse.len(), "right-hand side and plan must belong together");
        let factor = Factor { symbolic, path, panels: &self.panels, inverse: &self.inverse };
        run(self.kernels, Task::Forward(factor, &mut self.gathered_lanes, x));
    }

    /// `x := L⁻ᵀ x` for eight right-hand sides, in elimination order, on the rows of `path`.
    ///
    /// With [`EliminationPath::all`] the whole solution; with a shorter path the same numbers on its rows only.
    pub fn backward_lanes(&mut self, symbolic: &Symbolic, path: &EliminationPath, x: &mut [Row]) {
        assert_eq!(x.len(), self.inverse.len(), "right-hand side and plan must belong together");
        let factor = Factor { symbolic, path, panels: &self.panels, inverse: &self.inverse };
        run(self.kernels, Task::Backward(factor, &mut self.gathered_lanes, x));
    }

    /// `gram[i][j] += Σ x[row][i] y[row][j]` over the rows of `path`: with `x = L⁻¹ Bᵀ` and `y = L⁻¹ Cᵀ` this adds
    /// `B A⁻¹ Cᵀ`. The path must cover the rows that are non-zero in both.
    pub fn gram_lanes(
        &self,
        symbolic: &Symbolic,
        path: &EliminationPath,
        x: &[Row],
        y: &[Row],
        gram: &mut [Row; LANES],
    ) {
        run(self.kernels, Task::Gram(symbolic, path, x, y, gram));
    }
}

/// `y[row][j] += Σ x[row][i] by[i][j]` for all rows.
pub(super) fn add_combined(kernels: Kernels, x: &[Row], by: &[Row; LANES], y: &mut [Row]) {
    run(kernels, Task::Combine(x, by, y));
}

/// `gram[i][j] += Σ x[row][i] y[row][j]` over all rows.
pub fn add_gram(kernels: Kernels, x: &[Row], y: &[Row], gram: &mut [Row; LANES]) {
    run(kernels, Task::Sums(x, y, gram));
}

/// What the solves read.
#[derive(Clone, Copy)]
struct Factor<'a> {
    symbolic: &'a Symbolic,
    path: &'a EliminationPath,
    panels: &'a [f64],
    inverse: &'a [f64],
}

enum Task<'a> {
    /// The factor, scratch for one front's rows, and the right-hand sides.
    Forward(Factor<'a>, &'a mut [Row], &'a mut [Row]),
    Backward(Factor<'a>, &'a mut [Row], &'a mut [Row]),
    Gram(&'a Symbolic, &'a EliminationPath, &'a [Row], &'a [Row], &'a mut [Row; LANES]),
    Sums(&'a [Row], &'a [Row], &'a mut [Row; LANES]),
    Combine(&'a [Row], &'a [Row; LANES], &'a mut [Row]),
}

#[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))] // Only x86-64 has a choice.
fn run(kernels: Kernels, task: Task<'_>) {
    #[cfg(target_arch = "x86_64")]
    if kernels.has_avx2() {
        #[target_feature(enable = "avx2,fma")]
        fn avx2(task: Task<'_>) {
            run_with::<crate::math::avx2::F64x4>(task);
        }
        // SAFETY: `has_avx2` is true only after detecting AVX2 and FMA.
        return unsafe { avx2(task) };
    }
    run_with::<Array<f64, 4>>(task);
}

#[inline(always)]
fn run_with<V: Quad>(task: Task<'_>) {
    match task {
        Task::Forward(factor, work, x) => forward::<V>(factor, work, x),
        Task::Backward(factor, work, x) => backward::<V>(factor, work, x),
        Task::Gram(symbolic, path, x, y, gram) => gram_product::<V>(symbolic, path, x, y, gram),
        Task::Combine(x, by, y) => {
            for (x, y) in x.iter().zip(y) {
                let mut sum = load::<V>(y);
                for i in 0..LANES {
                    let (factor, by) = (V::splat(x[i]), load::<V>(&by[i]));
                    sum = [by[0].times_plus(factor, sum[0]), by[1].times_plus(factor, sum[1])];
                }
                put(sum, y);
            }
        }
        Task::Sums(x, y, gram) => {
            for half in 0..2 {
                let mut sum = [[V::splat(0.0); 2]; LANES / 2];
                add_products(x, y, half, &mut sum);
                add_sums(sum, half, gram);
            }
        }
    }
}

#[inline(always)]
fn load<V: Quad>(row: &Row) -> [V; 2] {
    // SAFETY: the row holds two vectors of four.
    unsafe { [V::load(row.as_ptr()), V::load(row.as_ptr().add(4))] }
}

#[inline(always)]
fn put<V: Quad>([low, high]: [V; 2], row: &mut Row) {
    // SAFETY: the row has room for two vectors of four.
    unsafe {
        low.store(row.as_mut_ptr());
        high.store(row.as_mut_ptr().add(4));
    }
}

/// `row - factor * x`.
#[inline(always)]
fn minus<V: Quad>(row: [V; 2], factor: f64, x: [V; 2]) -> [V; 2] {
    let factor = V::splat(factor);
    [row[0].minus_product(x[0], factor), row[1].minus_product(x[1], factor)]
}

#[inline(always)]
fn times<V: Quad>(row: [V; 2], factor: f64) -> [V; 2] {
    let factor = V::splat(factor);
    [row[0] * factor, row[1] * factor]
}

/// Three columns of a panel, from row `from` down.
#[inline(always)]
fn columns<T>(panel: &[T], stride: usize, j: usize, from: usize, height: usize) -> [&[T]; 3] {
    std::array::from_fn(|c| &panel[(j + c) * stride + from..(j + c) * stride + height])
}

#[inline(always)]
fn forward<V: Quad>(factor: Factor<'_>, gathered: &mut [Row], x: &mut [Row]) {
    for (f, front) in factor.symbolic.fronts.iter().enumerate() {
        if !factor.path.contains(f) {
            continue;
        }
        let (pivots, below) = (front.columns(), front.below());
        let height = pivots + below;
        let panel = &factor.panels[front.panel..][..front.panel_stride * pivots];
        let work = &mut gathered[..height];
        let own = 3 * front.first..3 * front.first + pivots;
        work[..pivots].copy_from_slice(&x[own.clone()]);
        work[pivots..].fill([0.0; LANES]);
        // A path often enters a front in its middle.
        let mut start = 0;
        while start < pivots && work[start..start + 3] == [[0.0; LANES]; 3] {
            start += 3;
        }
        for j in (start..pivots).step_by(3) {
            let [a, b, c] = columns(panel, front.panel_stride, j, j, height);
            let scale = &factor.inverse[3 * front.first + j..][..3];
            let x0 = times(load::<V>(&work[j]), scale[0]);
            let x1 = times(minus(load::<V>(&work[j + 1]), a[1], x0), scale[1]);
            let x2 = times(minus(minus(load::<V>(&work[j + 2]), a[2], x0), b[2], x1), scale[2]);
            put(x0, &mut work[j]);
            put(x1, &mut work[j + 1]);
            put(x2, &mut work[j + 2]);
            for (((w, &a), &b), &c) in work[j + 3..].iter_mut().zip(&a[3..]).zip(&b[3..]).zip(&c[3..]) {
                put(minus(minus(minus(load::<V>(w), a, x0), b, x1), c, x2), w);
            }
        }
        x[own].copy_from_slice(&work[..pivots]);
        let (x, _) = x.as_chunks_mut::<3>();
        let rows = &factor.symbolic.rows[front.rows.clone()];
        for (w, &row) in work[pivots..].as_chunks::<3>().0.iter().zip(rows) {
            let target = &mut x[row as usize];
            for k in 0..3 {
                let (t, w) = (load::<V>(&target[k]), load::<V>(&w[k]));
                put([t[0] + w[0], t[1] + w[1]], &mut target[k]);
            }
        }
    }
}

#[inline(always)]
fn backward<V: Quad>(factor: Factor<'_>, gathered: &mut [Row], x: &mut [Row]) {
    for (f, front) in factor.symbolic.fronts.iter().enumerate().rev() {
        if !factor.path.contains(f) {
            continue;
        }
        let (pivots, below) = (front.columns(), front.below());
        let height = pivots + below;
        let panel = &factor.panels[front.panel..][..front.panel_stride * pivots];
        let work = &mut gathered[..height];
        let own = 3 * front.first..3 * front.first + pivots;
        {
            let (x, _) = x.as_chunks::<3>();
            let rows = &factor.symbolic.rows[front.rows.clone()];
            for (w, &row) in work[pivots..].as_chunks_mut::<3>().0.iter_mut().zip(rows) {
                *w = x[row as usize];
            }
        }
        work[..pivots].copy_from_slice(&x[own.clone()]);
        for j in (0..pivots).step_by(3).rev() {
            let [a, b, c] = columns(panel, front.panel_stride, j, j, height);
            let scale = &factor.inverse[3 * front.first + j..][..3];
            let mut x0 = load::<V>(&work[j]);
            let mut x1 = load::<V>(&work[j + 1]);
            let mut x2 = load::<V>(&work[j + 2]);
            for (((w, &a), &b), &c) in work[j + 3..].iter().zip(&a[3..]).zip(&b[3..]).zip(&c[3..]) {
                let w = load::<V>(w);
                x0 = minus(x0, a, w);
                x1 = minus(x1, b, w);
                x2 = minus(x2, c, w);
            }
            x2 = times(x2, scale[2]);
            x1 = times(minus(x1, b[2], x2), scale[1]);
            x0 = times(minus(minus(x0, a[1], x1), a[2], x2), scale[0]);
            put(x0, &mut work[j]);
            put(x1, &mut work[j + 1]);
            put(x2, &mut work[j + 2]);
        }
        x[own].copy_from_slice(&work[..pivots]);
    }
}

#[inline(always)]
fn gram_product<V: Quad>(symbolic: &Symbolic, path: &EliminationPath, x: &[Row], y: &[Row], gram: &mut [Row; LANES]) {
    // Half of the products at a time, so that the sums stay in registers.
    for half in 0..2 {
        let mut sum = [[V::splat(0.0); 2]; LANES / 2];
        for positions in path.positions(symbolic) {
            let rows = 3 * positions.start..3 * positions.end;
            add_products(&x[rows.clone()], &y[rows], half, &mut sum);
        }
        add_sums(sum, half, gram);
    }
}

#[inline(always)]
fn add_products<V: Quad>(x: &[Row], y: &[Row], half: usize, sum: &mut [[V; 2]; LANES / 2]) {
    for (x, y) in x.iter().zip(y) {
        let y = load::<V>(y);
        for i in 0..LANES / 2 {
            let factor = V::splat(x[half * (LANES / 2) + i]);
            sum[i] = [y[0].times_plus(factor, sum[i][0]), y[1].times_plus(factor, sum[i][1])];
        }
    }
}

#[inline(always)]
fn add_sums<V: Quad>(sum: [[V; 2]; LANES / 2], half: usize, gram: &mut [Row; LANES]) {
    for i in 0..LANES / 2 {
        let row = &mut gram[half * (LANES / 2) + i];
        let old = load::<V>(row);
        put([old[0] + sum[i][0], old[1] + sum[i][1]], row);
    }
}
