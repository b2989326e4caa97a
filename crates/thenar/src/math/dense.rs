//! Small dense matrices: Cholesky factorisation of the border's, elimination where there is no symmetry.

use super::{Kernels, dispatch};

/// A scalar product in eight partial sums over chunks, the same on every machine and for every number of threads.
#[inline(always)]
#[must_use]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a, a_tail) = a.as_chunks::<8>();
    let (b, b_tail) = b.as_chunks::<8>();
    let mut partial = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        for l in 0..8 {
            partial[l] += a[l] * b[l];
        }
    }
    let tail: f64 = a_tail.iter().zip(b_tail).map(|(a, b)| a * b).sum();
    let [p0, p1, p2, p3, p4, p5, p6, p7] = partial;
    ((p0 + p4) + (p1 + p5)) + ((p2 + p6) + (p3 + p7)) + tail
}

/// The matrix was not positive definite; row of the pivot that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the border matrix is not positive definite at row {row}")]
pub struct NotPositiveDefinite {
    /// The row.
    pub row: usize,
}

/// Factors a symmetric row-major `n × n` matrix in place; the lower triangle becomes `L`.
pub fn factor(a: &mut [f64], n: usize) -> Result<(), NotPositiveDefinite> {
    for j in 0..n {
        let (done, rest) = a.split_at_mut((j + 1) * n);
        let row = &mut done[j * n..];
        let pivot = row[j] - dot(&row[..j], &row[..j]);
        if !(pivot > 0.0 && pivot.is_finite()) {
            return Err(NotPositiveDefinite { row: j });
        }
        let diagonal = pivot.sqrt();
        row[j] = diagonal;
        for other in rest.chunks_exact_mut(n) {
            other[j] = (other[j] - dot(&other[..j], &row[..j])) / diagonal;
        }
    }
    Ok(())
}

/// Solves `L Lᵀ x = b` in place.
pub fn solve(l: &[f64], n: usize, x: &mut [f64]) {
    forward(l, n, x, 0);
    backward(l, n, x);
}

/// `x := L⁻¹ x` in place; `x` is zero before `from`, and stays so.
#[inline(always)]
pub fn forward(l: &[f64], n: usize, x: &mut [f64], from: usize) {
    for i in from..n {
        x[i] = (x[i] - dot(&l[i * n + from..i * n + i], &x[from..i])) / l[i * n + i];
    }
}

/// `x := L⁻ᵀ x` in place.
pub fn backward(l: &[f64], n: usize, x: &mut [f64]) {
    for i in (0..n).rev() {
        let (before, rest) = x.split_at_mut(i);
        let row = &l[i * n..=i * n + i];
        rest[0] /= row[i];
        before.iter_mut().zip(row).for_each(|(x, l)| *x -= l * rest[0]);
    }
}

/// Solves `A X = B` in place by elimination with row exchanges; `A` is `m × m`, `B` has `wide` columns. Nothing is fused, so that
/// every machine gives the same bits.
pub fn eliminate(kernels: Kernels, a: &mut [f64], m: usize, b: &mut [f64], wide: usize) {
    eliminate_keeping(kernels, a, m, b, wide, &mut []);
}

/// The same, and what [`eliminate_again`] needs for other right-hand sides: the factors are left in `a`, and `exchanged` (`m` long) says which row
/// each was exchanged with.
pub fn eliminate_keeping(kernels: Kernels, a: &mut [f64], m: usize, b: &mut [f64], wide: usize, exchanged: &mut [u32]) {
    dispatch!(kernels, fn avx2<>(a: &mut [f64], m: usize, b: &mut [f64], wide: usize, exchanged: &mut [u32]) {
        _FUSED => eliminate_rows(a, m, b, wide, exchanged)
    });
}

/// Solves `A X = B` in place with what [`eliminate_keeping`] left of `A`: the same bits as by eliminating again, in a part of the time.
pub fn eliminate_again(kernels: Kernels, a: &[f64], m: usize, b: &mut [f64], wide: usize, exchanged: &[u32]) {
    dispatch!(kernels, fn avx2<>(a: &[f64], m: usize, b: &mut [f64], wide: usize, exchanged: &[u32]) {
        _FUSED => substitute_rows(a, m, b, wide, exchanged)
    });
}

/// Pivots that are eliminated together: each row behind them is read and written once for all of them.
const TOGETHER: usize = 8;

#[inline(always)]
fn eliminate_rows(a: &mut [f64], m: usize, b: &mut [f64], wide: usize, exchanged: &mut [u32]) {
    for first in (0..m).step_by(TOGETHER) {
        let end = (first + TOGETHER).min(m);
        for k in first..end {
            let size = |row: usize| a[row * m + k].abs();
            let pivot = (k + 1..m).fold(k, |best, row| if size(row) > size(best) { row } else { best });
            if let Some(with) = exchanged.get_mut(k) {
                *with = pivot as u32;
            }
            if pivot != k {
                exchange(a, m, k, pivot);
                exchange(b, wide, k, pivot);
            }
            let (done, rest) = a.split_at_mut((k + 1) * m);
            let top = &done[k * m..];
            let inverse = 1.0 / top[k];
            for row in rest.chunks_exact_mut(m) {
                let factor = row[k] * inverse;
                row[k] = factor;
                row[k + 1..end].iter_mut().zip(&top[k + 1..end]).for_each(|(x, y)| *x -= factor * y);
            }
        }
        for i in first + 1..m {
            let before = i.min(end);
            let (done, rest) = a.split_at_mut(i * m);
            let (factors, row) = rest[..m].split_at_mut(end);
            let factors = &factors[first..before];
            take_off(row, factors, |k| &done[(first + k) * m + end..(first + k + 1) * m]);
            let (done, rest) = b.split_at_mut(i * wide);
            take_off(&mut rest[..wide], factors, |k| &done[(first + k) * wide..(first + k + 1) * wide]);
        }
    }
    back_rows(a, m, b, wide);
}

/// Exchanges row `k` of a matrix with one behind it.
#[inline(always)]
fn exchange(rows: &mut [f64], wide: usize, k: usize, behind: usize) {
    let (above, below) = rows.split_at_mut(behind * wide);
    above[k * wide..][..wide].swap_with_slice(&mut below[..wide]);
}

#[inline(always)]
fn substitute_rows(a: &[f64], m: usize, b: &mut [f64], wide: usize, exchanged: &[u32]) {
    for (k, &with) in exchanged.iter().enumerate().filter(|(k, with)| **with as usize != *k) {
        exchange(b, wide, k, with as usize);
    }
    for i in 1..m {
        let (done, rest) = b.split_at_mut(i * wide);
        for (factor, done) in a[i * m..i * m + i].iter().zip(done.chunks_exact(wide.max(1))) {
            rest[..wide].iter_mut().zip(done).for_each(|(x, y)| *x -= factor * y);
        }
    }
    back_rows(a, m, b, wide);
}

/// `X := U⁻¹ X`, with the upper half of `a`.
#[inline(always)]
fn back_rows(a: &[f64], m: usize, b: &mut [f64], wide: usize) {
    for k in (0..m).rev() {
        let inverse = 1.0 / a[k * m + k];
        b[k * wide..(k + 1) * wide].iter_mut().for_each(|x| *x *= inverse);
        for i in 0..k {
            let factor = a[i * m + k];
            if factor == 0.0 {
                continue;
            }
            let (top, bottom) = b.split_at_mut(k * wide);
            for (x, y) in top[i * wide..(i + 1) * wide].iter_mut().zip(&bottom[..wide]) {
                *x -= factor * y;
            }
        }
    }
}

/// `row −= Σ factor_k of_k`.
#[inline(always)]
fn take_off<'a>(row: &mut [f64], factors: &[f64], of: impl Fn(usize) -> &'a [f64]) {
    let Ok(factors) = <&[f64; TOGETHER]>::try_from(factors) else {
        for (k, factor) in factors.iter().enumerate() {
            row.iter_mut().zip(of(k)).for_each(|(x, y)| *x -= factor * y);
        }
        return;
    };
    let of: [(&[[f64; 8]], &[f64]); TOGETHER] = std::array::from_fn(|k| of(k).as_chunks());
    let (whole, rest) = row.as_chunks_mut::<8>();
    for (i, x) in whole.iter_mut().enumerate() {
        let mut left = *x;
        for (factor, (of, _)) in factors.iter().zip(&of) {
            let y = &of[i];
            (0..8).for_each(|l| left[l] -= factor * y[l]);
        }
        *x = left;
    }
    for (factor, (_, of)) in factors.iter().zip(&of) {
        rest.iter_mut().zip(*of).for_each(|(x, y)| *x -= factor * y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_a_known_system() {
        // A = B Bᵀ + I for a fixed B, so it is positive definite
        let n = 7;
        let b: Vec<f64> = (0..n * n).map(|i| ((i * 37 + 11) % 17) as f64 / 17.0 - 0.5).collect();
        let mut a = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                a[i * n + j] = dot(&b[i * n..][..n], &b[j * n..][..n]) + f64::from(u8::from(i == j));
            }
        }
        let expected: Vec<f64> = (0..n).map(|i| i as f64 - 3.0).collect();
        let mut x: Vec<f64> = (0..n).map(|i| dot(&a[i * n..][..n], &expected)).collect();
        factor(&mut a, n).unwrap();
        solve(&a, n, &mut x);
        assert!(x.iter().zip(&expected).all(|(x, e)| (x - e).abs() < 1e-12));
    }

    #[test]
    fn elimination_finds_what_it_was_made_from_whatever_the_size() {
        for n in [1, 3, 8, 9, 29, 64] {
            let mut a: Vec<f64> = (0..n * n).map(|i| ((i * 37 + 11) % 101) as f64 / 101.0 - 0.5).collect();
            (1..n).for_each(|i| a[i * n + i - 1] += 3.0);
            a[n - 1] += 3.0;
            let expected: Vec<f64> = (0..2 * n).map(|i| i as f64 - 3.0).collect();
            let mut b = vec![0.0; 2 * n];
            for i in 0..n {
                for c in 0..2 {
                    b[2 * i + c] = (0..n).map(|k| a[i * n + k] * expected[2 * k + c]).sum();
                }
            }
            let (mut portable, mut same) = (a.clone(), b.clone());
            let (mut start, right) = (a.clone(), b.clone());
            eliminate(Kernels::auto(), &mut a, n, &mut b, 2);
            let error = b.iter().zip(&expected).map(|(x, e)| (x - e).abs()).fold(0.0, f64::max);
            assert!(error < 1e-10 * n as f64, "{n} rows: {error:e}");
            // nothing is fused, so that every machine gives the same bits
            eliminate(Kernels::portable(), &mut portable, n, &mut same, 2);
            assert_eq!(b, same, "{n} rows");
            // and what is kept solves again, to the bit
            let (kept, mut exchanged) = (&mut start, vec![0; n]);
            let mut first = right.clone();
            eliminate_keeping(Kernels::auto(), kept, n, &mut first, 2, &mut exchanged);
            for kernels in [Kernels::auto(), Kernels::portable()] {
                let mut again = right.clone();
                eliminate_again(kernels, kept, n, &mut again, 2, &exchanged);
                assert_eq!([&first, &again], [&b, &b], "{n} rows");
            }
        }
    }

    #[test]
    fn an_indefinite_matrix_is_refused_with_its_row() {
        let mut a = vec![1.0, 0.0, 0.0, -1.0];
        assert_eq!(factor(&mut a, 2), Err(NotPositiveDefinite { row: 1 }));
        let mut a = vec![f64::NAN];
        assert_eq!(factor(&mut a, 1), Err(NotPositiveDefinite { row: 0 }));
    }
}
