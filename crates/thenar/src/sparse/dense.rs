//! Cholesky factorisation of the small dense matrix of the border.

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
    for i in 0..n {
        x[i] = (x[i] - dot(&l[i * n..i * n + i], &x[..i])) / l[i * n + i];
    }
    for i in (0..n).rev() {
        let mut sum = x[i];
        for k in i + 1..n {
            sum -= l[k * n + i] * x[k];
        }
        x[i] = sum / l[i * n + i];
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
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
    fn an_indefinite_matrix_is_refused_with_its_row() {
        let mut a = vec![1.0, 0.0, 0.0, -1.0];
        assert_eq!(factor(&mut a, 2), Err(NotPositiveDefinite { row: 1 }));
        let mut a = vec![f64::NAN];
        assert_eq!(factor(&mut a, 1), Err(NotPositiveDefinite { row: 0 }));
    }
}
