//! Signorini's and Coulomb's laws over many points by projected Gauss–Seidel on blocks of three [Talvas Alg. 1, Garre §3.2].
//!
//! With the displacement of point `i` at the end of the step `u = u_free + Σ W λ` (gap first, then two tangents, metres)
//! and the force `λ` on it (newtons): `0 ≤ u_n ⟂ λ_n ≥ 0`, and `|λ_t| ≤ μ λ_n` with `u_t = 0` inside the cone.

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepParams {
    /// Largest change of a displacement in one sweep, metres.
    pub tolerance: f64,
    /// Sweeps at most.
    pub max_sweeps: u32,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct SweepInfo {
    /// Sweeps made.
    pub sweeps: u32,
    /// Largest change of a displacement in the last sweep, metres.
    pub residual: f64,
}

/// Solves for the forces `lambda` (three per point, warm-started) by sweeps in a fixed order.
///
/// `compliance` is `W`, dense, row-major, `3 m × 3 m`, in metres per newton; `free` the displacements without forces;
/// `friction` Coulomb's coefficient of each point.
pub fn solve(compliance: &[f64], free: &[f64], friction: &[f64], lambda: &mut [f64], params: SweepParams) -> SweepInfo {
    let n = free.len();
    let mut info = SweepInfo::default();
    for sweep in 1..=params.max_sweeps {
        let mut largest = 0.0f64;
        for (point, &mu) in friction.iter().enumerate() {
            let first = 3 * point;
            let mut u = [0.0; 3];
            for (k, u) in u.iter_mut().enumerate() {
                let row = &compliance[(first + k) * n..(first + k + 1) * n];
                *u = free[first + k] + dot(row, lambda);
            }
            largest = largest.max(relax(compliance, n, first, &mut u, &mut lambda[first..first + 3], mu));
        }
        info = SweepInfo { sweeps: sweep, residual: largest };
        if largest < params.tolerance {
            break;
        }
    }
    info
}

/// One point: the normal force first, then the tangential one on the disc it allows. Returns how far the point moved.
fn relax(compliance: &[f64], n: usize, first: usize, u: &mut [f64; 3], lambda: &mut [f64], mu: f64) -> f64 {
    let w = |i: usize, j: usize| compliance[(first + i) * n + first + j];
    let before = [lambda[0], lambda[1], lambda[2]];
    lambda[0] = (lambda[0] - u[0] / w(0, 0)).max(0.0);
    let pushed = lambda[0] - before[0];
    u[1] += w(1, 0) * pushed;
    u[2] += w(2, 0) * pushed;
    // the larger tangential compliance keeps the step a contraction in every direction
    let stiff = w(1, 1).max(w(2, 2)) + w(1, 2).abs();
    let (mut t1, mut t2) = (lambda[1] - u[1] / stiff, lambda[2] - u[2] / stiff);
    let (size, limit) = ((t1 * t1 + t2 * t2).sqrt(), mu * lambda[0]);
    if size > limit {
        let scale = limit / size;
        t1 *= scale;
        t2 *= scale;
    }
    lambda[1] = t1;
    lambda[2] = t2;
    let change = [pushed * w(0, 0), (t1 - before[1]) * stiff, (t2 - before[2]) * stiff];
    change.iter().fold(0.0, |m, c| m.max(c.abs()))
}

/// Four running sums, in a fixed order, so that the compiler may use vector registers.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (whole, rest) = a.as_chunks::<4>();
    let (other, other_rest) = b.as_chunks::<4>();
    for (x, y) in whole.iter().zip(other) {
        for k in 0..4 {
            sums[k] += x[k] * y[k];
        }
    }
    let tail: f64 = rest.iter().zip(other_rest).map(|(x, y)| x * y).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + tail
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMS: SweepParams = SweepParams { tolerance: 1e-12, max_sweeps: 2000 };

    /// Two points that feel each other; a symmetric positive definite compliance in metres per newton.
    fn coupled() -> Vec<f64> {
        let mut w = vec![0.0; 36];
        for i in 0..6 {
            w[i * 6 + i] = 1e-4;
        }
        for (i, j, v) in [(0, 3, 3e-5), (1, 4, 2e-5), (2, 5, 2e-5), (0, 1, 1e-5), (3, 5, -1e-5)] {
            w[i * 6 + j] = v;
            w[j * 6 + i] = v;
        }
        w
    }

    fn outcome(w: &[f64], free: &[f64], lambda: &[f64]) -> Vec<f64> {
        (0..free.len()).map(|i| free[i] + dot(&w[i * free.len()..][..free.len()], lambda)).collect()
    }

    #[test]
    fn pressing_points_end_on_the_surface_and_stick() {
        let (w, free) = (coupled(), [-1e-4, 1e-5, 0.0, -2e-4, 0.0, -1e-5]);
        let mut lambda = [0.0; 6];
        solve(&w, &free, &[0.8, 0.8], &mut lambda, PARAMS);
        let u = outcome(&w, &free, &lambda);
        assert!(u.iter().all(|u| u.abs() < 1e-10), "{u:?}");
        assert!(lambda[0] > 0.0 && lambda[3] > 0.0);
    }

    #[test]
    fn a_point_that_leaves_feels_no_force() {
        let (w, free) = (coupled(), [1e-4, 1e-5, 0.0, -2e-4, 0.0, 0.0]);
        let mut lambda = [5.0; 6];
        solve(&w, &free, &[0.8, 0.8], &mut lambda, PARAMS);
        assert_eq!(&lambda[..3], &[0.0; 3]);
        assert!(outcome(&w, &free, &lambda)[0] > 0.0);
    }

    #[test]
    fn a_sliding_point_feels_coulombs_force_against_its_slip() {
        let (w, free) = (coupled(), [-1e-4, 5e-4, -3e-4, 1.0, 0.0, 0.0]);
        let mut lambda = [0.0; 6];
        solve(&w, &free, &[0.3, 0.3], &mut lambda, PARAMS);
        let u = outcome(&w, &free, &lambda);
        let tangential = (lambda[1] * lambda[1] + lambda[2] * lambda[2]).sqrt();
        assert!((tangential - 0.3 * lambda[0]).abs() < 1e-9);
        assert!(u[1] * lambda[1] + u[2] * lambda[2] < 0.0, "friction opposes slip");
    }

    #[test]
    fn without_points_there_is_nothing_to_do() {
        assert_eq!(solve(&[], &[], &[], &mut [], PARAMS).residual, 0.0);
    }
}
