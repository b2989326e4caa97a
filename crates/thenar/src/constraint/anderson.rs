//! Anderson's acceleration of a fixed-point iteration `λ ← g(λ)`: from the last few sweeps it extrapolates to where they
//! are heading. What many sweeps along a light object held on all sides would take, it finds in a few.

/// Sweeps that are remembered.
const MEMORY: usize = 5;

/// Part of the diagonal that is added to the small system, so that sweeps which say the same do not blow it up.
const RIDGE: f64 = 1e-10;

/// The last sweeps.
#[derive(Clone, Debug, Default)]
pub struct Anderson {
    size: usize,
    /// How many differences are known, and where the next one goes.
    known: usize,
    next: usize,
    /// Differences between sweeps: of the residuals, weighted, and of the results.
    residuals: Vec<f64>,
    results: Vec<f64>,
    last_residual: Vec<f64>,
    last_result: Vec<f64>,
    residual: Vec<f64>,
    begun: bool,
}

impl Anderson {
    /// Room for `size` unknowns, so that no solve of as many allocates.
    pub fn reserve(&mut self, size: usize) {
        if self.last_result.len() < size {
            for list in [&mut self.last_residual, &mut self.last_result, &mut self.residual] {
                list.resize(size, 0.0);
            }
            self.residuals.resize(MEMORY * size, 0.0);
            self.results.resize(MEMORY * size, 0.0);
        }
    }

    /// Forgets everything; the next sweeps have `size` unknowns.
    pub fn restart(&mut self, size: usize) {
        self.reserve(size);
        self.size = size;
        (self.known, self.next, self.begun) = (0, 0, false);
    }

    /// Takes a sweep from `before` to `after` and moves `after` on to where the sweeps are heading. `weights` make the
    /// differences of all unknowns comparable.
    pub fn extrapolate(&mut self, before: &[f64], after: &mut [f64], weights: &[f64]) {
        let n = self.size;
        for (r, ((a, b), w)) in self.residual.iter_mut().zip(after.iter().zip(before).zip(weights)) {
            *r = (a - b) * w;
        }
        if self.begun {
            let at = self.next * n;
            for k in 0..n {
                self.residuals[at + k] = self.residual[k] - self.last_residual[k];
                self.results[at + k] = after[k] - self.last_result[k];
            }
            self.next = (self.next + 1) % MEMORY;
            self.known = (self.known + 1).min(MEMORY);
        }
        self.begun = true;
        self.last_residual[..n].copy_from_slice(&self.residual[..n]);
        self.last_result[..n].copy_from_slice(after);
        let shares = self.shares();
        for (difference, share) in self.results.chunks_exact(n.max(1)).zip(&shares[..self.known]) {
            for (x, d) in after.iter_mut().zip(difference) {
                *x -= share * d;
            }
        }
    }

    /// The combination of differences that leaves least of the residual, by its normal equations.
    fn shares(&self) -> [f64; MEMORY] {
        let (n, m) = (self.size, self.known);
        let column = |i: usize| &self.residuals[i * n..(i + 1) * n];
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        let mut matrix = [[0.0; MEMORY]; MEMORY];
        let mut rhs = [0.0; MEMORY];
        for i in 0..m {
            for j in 0..=i {
                matrix[i][j] = dot(column(i), column(j));
            }
            matrix[i][i] *= 1.0 + RIDGE;
            rhs[i] = dot(column(i), &self.residual[..n]);
        }
        cholesky_solve(&mut matrix, &mut rhs, m);
        rhs
    }
}

/// Solves the leading `m` equations in place; what depends on others is left out.
fn cholesky_solve(a: &mut [[f64; MEMORY]; MEMORY], x: &mut [f64; MEMORY], m: usize) {
    for i in 0..m {
        let full = a[i][i];
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| a[i][k] * a[j][k]).sum();
            if i == j {
                let pivot = a[i][i] - sum;
                a[i][i] = if pivot > 1e-12 * full { pivot.sqrt() } else { f64::INFINITY };
            } else {
                a[i][j] = (a[i][j] - sum) / a[j][j];
            }
        }
        let sum: f64 = (0..i).map(|k| a[i][k] * x[k]).sum();
        x[i] = (x[i] - sum) / a[i][i];
    }
    for i in (0..m).rev() {
        let sum: f64 = (i + 1..m).map(|k| a[k][i] * x[k]).sum();
        x[i] = (x[i] - sum) / a[i][i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten unknowns that follow each other slowly.
    fn sweep(x: &[f64]) -> Vec<f64> {
        let n = x.len();
        (0..n).map(|i| 0.45 * (x[(i + 1) % n] + x[(i + n - 1) % n]) + 0.09 * x[i] + 0.01 * (i as f64)).collect()
    }

    fn sweeps_until(tolerance: f64, accelerated: bool) -> (usize, Vec<f64>) {
        let mut x = vec![0.0; 10];
        let mut anderson = Anderson::default();
        anderson.restart(10);
        for count in 1..10_000 {
            let before = x.clone();
            x = sweep(&before);
            let moved = x.iter().zip(&before).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            if moved < tolerance {
                return (count, x);
            }
            if accelerated {
                anderson.extrapolate(&before, &mut x, &[1.0; 10]);
            }
        }
        unreachable!("a contraction converges")
    }

    #[test]
    fn a_slow_contraction_is_found_in_a_few_sweeps() {
        let ((plain, a), (fast, b)) = (sweeps_until(1e-10, false), sweeps_until(1e-10, true));
        assert!(fast * 20 < plain, "{fast} sweeps instead of {plain}");
        for (a, b) in a.iter().zip(&b) {
            assert!((a - b).abs() < 1e-7, "{a} and {b}");
        }
    }

    #[test]
    fn sweeps_that_say_the_same_do_no_harm() {
        let mut anderson = Anderson::default();
        anderson.restart(2);
        let mut x = [0.0; 2];
        for _ in 0..8 {
            // the same step over and over: nothing to extrapolate from
            let before = x;
            x = [before[0] + 1.0, before[1]];
            anderson.extrapolate(&before.clone(), &mut x, &[1.0; 2]);
            assert!(x.iter().all(|v| v.is_finite()), "{x:?}");
        }
    }
}
