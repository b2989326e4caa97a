//! Dense factorisation with pivoting: the proxy's matrix has no symmetry where contacts slide.

use crate::math::{Kernels, dispatch, dot};

/// `P A = L U` of a small dense matrix, in memory that is allocated once.
#[derive(Clone, Debug, Default)]
pub(super) struct Lu {
    n: usize,
    /// `L` below the diagonal (its own is 1), `U` above; the diagonal holds the inverse of that of `U`.
    rows: Vec<f64>,
    /// Which row of the right-hand side stands in each place.
    order: Vec<usize>,
    /// The inverse: its product is half the time of two substitutions, each of whose rows waits for the one before.
    inverse: Vec<f64>,
    unit: Vec<f64>,
    column: Vec<f64>,
}

impl Lu {
    pub(super) fn of(n: usize) -> Self {
        Self {
            n,
            rows: vec![0.0; n * n],
            order: vec![0; n],
            inverse: vec![0.0; n * n],
            unit: vec![0.0; n],
            column: vec![0.0; n],
        }
    }

    /// The matrix, to be filled row by row before [`Lu::factor`].
    pub(super) fn matrix(&mut self) -> &mut [f64] {
        &mut self.rows
    }

    /// Factors what was filled in; false if it is singular or not finite.
    pub(super) fn factor(&mut self) -> bool {
        let n = self.n;
        for (place, row) in self.order.iter_mut().enumerate() {
            *row = place;
        }
        for k in 0..n {
            let size = |row: usize| self.rows[row * n + k].abs();
            let pivot = (k + 1..n).fold(k, |best, row| if size(row) > size(best) { row } else { best });
            if !(size(pivot) > 0.0 && size(pivot).is_finite()) {
                return false;
            }
            if pivot != k {
                let (above, below) = self.rows.split_at_mut(pivot * n);
                above[k * n..][..n].swap_with_slice(&mut below[..n]);
                self.order.swap(k, pivot);
            }
            let (done, rest) = self.rows.split_at_mut((k + 1) * n);
            let top = &mut done[k * n..];
            top[k] = 1.0 / top[k];
            for row in rest.chunks_exact_mut(n) {
                let factor = row[k] * top[k];
                row[k] = factor;
                if factor != 0.0 {
                    row[k + 1..].iter_mut().zip(&top[k + 1..]).for_each(|(a, t)| *a -= factor * t);
                }
            }
        }
        self.rows.iter().all(|value| value.is_finite()) && self.invert()
    }

    fn invert(&mut self) -> bool {
        let n = self.n;
        let (mut unit, mut column) = (std::mem::take(&mut self.unit), std::mem::take(&mut self.column));
        for j in 0..n {
            unit.fill(0.0);
            unit[j] = 1.0;
            self.substitute(&unit, &mut column);
            (0..n).for_each(|i| self.inverse[i * n + j] = column[i]);
        }
        (self.unit, self.column) = (unit, column);
        self.inverse.iter().all(|value| value.is_finite())
    }

    /// What [`Lu::solve`] reads.
    pub(super) fn inverse(&self) -> &[f64] {
        &self.inverse
    }

    /// Solves `A x = b`.
    pub(super) fn solve(&self, kernels: Kernels, b: &[f64], x: &mut [f64]) {
        x.fill(0.0);
        add_product(kernels, &self.inverse, b, 1.0, x);
    }

    /// The same by the factor.
    fn substitute(&self, b: &[f64], x: &mut [f64]) {
        let n = self.n;
        for i in 0..n {
            let row = &self.rows[i * n..][..i];
            x[i] = b[self.order[i]] - dot(row, &x[..i]);
        }
        for i in (0..n).rev() {
            let row = &self.rows[i * n..][..n];
            x[i] = (x[i] - dot(&row[i + 1..], &x[i + 1..n])) * row[i];
        }
    }
}

/// `y += factor A x`, row by row.
pub(super) fn add_product(kernels: Kernels, matrix: &[f64], x: &[f64], factor: f64, y: &mut [f64]) {
    dispatch!(kernels, fn avx2<>(matrix: &[f64], x: &[f64], factor: f64, y: &mut [f64]) {
        _FUSED => multiply(matrix, x, factor, y)
    });
}

#[inline(always)]
fn multiply(matrix: &[f64], x: &[f64], factor: f64, y: &mut [f64]) {
    for (row, y) in matrix.chunks_exact(x.len().max(1)).zip(y) {
        *y += factor * dot(row, x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_a_system_without_symmetry_whose_first_pivot_is_zero() {
        let n = 7;
        let mut a: Vec<f64> = (0..n * n).map(|i| ((i * 37 + 11) % 17) as f64 / 17.0 - 0.5).collect();
        a[0] = 0.0;
        let expected: Vec<f64> = (0..n).map(|i| i as f64 - 3.0).collect();
        let b: Vec<f64> = (0..n).map(|i| dot(&a[i * n..][..n], &expected)).collect();
        let mut lu = Lu::of(n);
        lu.matrix().copy_from_slice(&a);
        assert!(lu.factor());
        let mut x = vec![0.0; n];
        lu.solve(Kernels::auto(), &b, &mut x);
        assert!(x.iter().zip(&expected).all(|(x, e)| (x - e).abs() < 1e-11), "{x:?}");
        // nothing is fused, so that every machine gives the same bits
        let mut portable = vec![0.0; n];
        lu.solve(Kernels::portable(), &b, &mut portable);
        assert_eq!(x, portable);
    }

    #[test]
    fn what_cannot_be_factored_is_refused() {
        for matrix in
            [[0.0, 0.0, 0.0, 1.0], [1.0, 2.0, 2.0, 4.0], [f64::NAN, 0.0, 0.0, 1.0], [1.0, f64::INFINITY, 0.0, 1.0]]
        {
            let mut lu = Lu::of(2);
            lu.matrix().copy_from_slice(&matrix);
            assert!(!lu.factor(), "{matrix:?}");
        }
    }
}
