//! The laws of contact over many blocks of rows by projected Gauss–Seidel [Talvas Alg. 1, Garre §3.2].
//!
//! With the displacements of a block at the end of the step `u = u_free + Σ W λ` (metres; radians for a spin) and the
//! forces `λ` on it: `0 ≤ u_n ⟂ λ_n ≥ 0`, and friction inside its admissible set with no slip, or on the border of the
//! set against the slip.

use crate::contact::contensou::STICKING;
use crate::contact::rows::{Block, ConstraintSet, Law};
use crate::math::{Mat3, Vec3};

/// However strongly friction pulls a block along its normal, it counts as at least this share of its own compliance.
const LEAST_OWN: f64 = 0.3;

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

/// Solves for the multipliers of `set`, which hold a warm start, by sweeps in a fixed order; leaves the displacements
/// at the end of the step in `set.outcome`.
///
/// `compliance` is `W`, dense, row-major, one row per row of the set, in metres per newton.
pub fn solve(compliance: &[f64], set: &mut ConstraintSet, params: SweepParams) -> SweepInfo {
    let n = set.rows.len();
    let mut info = SweepInfo::default();
    for sweep in 1..=params.max_sweeps {
        let mut largest = 0.0f64;
        for k in 0..set.blocks.len() {
            largest = largest.max(relax(compliance, n, set, set.blocks[k]));
        }
        info = SweepInfo { sweeps: sweep, residual: largest };
        if largest < params.tolerance {
            break;
        }
    }
    set.outcome.clear();
    set.outcome.extend((0..n).map(|r| set.free[r] + dot(&compliance[r * n..(r + 1) * n], &set.lambda)));
    info
}

/// One block: the normal force first, then friction in the set that it allows. Returns how far the block moved.
fn relax(compliance: &[f64], n: usize, set: &mut ConstraintSet, block: Block) -> f64 {
    let (first, rows) = (block.first as usize, block.law.rows());
    let w = |i: usize, j: usize| compliance[(first + i) * n + first + j];
    let mut u = [0.0; 4];
    for (k, u) in u.iter_mut().enumerate().take(rows) {
        let row = first + k;
        *u = set.free[row] + dot(&compliance[row * n..(row + 1) * n], &set.lambda);
    }
    let before = set.lambda[first];
    // A slipping block's friction grows with its normal force, and pushes along the normal too where the tissue couples
    // the two: taking it along in the step keeps normal and friction from chasing each other.
    let drag = if before > 0.0 && is_slipping(set, block, &u) {
        (1..rows).map(|k| w(0, k) * set.lambda[first + k]).sum::<f64>() / before
    } else {
        0.0
    };
    let own = (w(0, 0) + drag).max(LEAST_OWN * w(0, 0));
    let normal = (before - u[0] / own).max(0.0);
    set.lambda[first] = normal;
    let pushed = normal - before;
    for (k, u) in u.iter_mut().enumerate().take(rows).skip(1) {
        *u += w(k, 0) * pushed;
    }
    let slipped = match block.law {
        Law::Coulomb { friction } => {
            // the larger compliance keeps the step a contraction in every direction
            let soft = w(1, 1).max(w(2, 2)) + w(1, 2).abs();
            let lambda = &mut set.lambda[first + 1..first + 3];
            cone([u[1], u[2]], soft, friction * normal, lambda)
        }
        Law::Contensou { friction, patch } => {
            let own = Mat3::from_cols(
                Vec3::new(w(1, 1), w(2, 1), w(3, 1)),
                Vec3::new(w(1, 2), w(2, 2), w(3, 2)),
                Vec3::new(w(1, 3), w(2, 3), w(3, 3)),
            );
            let lambda = Vec3::from_slice(&set.lambda[first + 1..first + 4]);
            let slip = Vec3::new(u[1], u[2], u[3]);
            let patch = &set.patches[patch as usize];
            let force = patch.force(&set.patch_points, friction * normal, slip - own * lambda, &own, slip);
            set.lambda[first + 1..first + 4].copy_from_slice(&force.to_array());
            let moved = own * (force - lambda);
            moved.x.abs().max(moved.y.abs()).max(patch.length(moved.z).abs())
        }
    };
    slipped.max((pushed * w(0, 0)).abs())
}

/// True if the friction of a block is on the border of its set: it moved against its anchors.
fn is_slipping(set: &ConstraintSet, block: Block, u: &[f64; 4]) -> bool {
    let spin = match block.law {
        Law::Contensou { patch, .. } => set.patches[patch as usize].length(u[3]),
        Law::Coulomb { .. } => 0.0,
    };
    u[1].abs().max(u[2].abs()).max(spin.abs()) > STICKING
}

/// The tangential force of one point on the disc of radius `limit`. Returns how far the point moved.
fn cone(u: [f64; 2], compliance: f64, limit: f64, lambda: &mut [f64]) -> f64 {
    let before = [lambda[0], lambda[1]];
    let (mut a, mut b) = (before[0] - u[0] / compliance, before[1] - u[1] / compliance);
    let size = (a * a + b * b).sqrt();
    if size > limit {
        a *= limit / size;
        b *= limit / size;
    }
    lambda[0] = a;
    lambda[1] = b;
    (a - before[0]).abs().max((b - before[1]).abs()) * compliance
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

    /// Points with one coefficient of friction, their free displacements and a first guess.
    fn points(friction: f64, free: [f64; 6], start: f64) -> ConstraintSet {
        let mut set = ConstraintSet::new();
        for point in free.chunks(3) {
            set.begin(Law::Coulomb { friction });
            for &u in point {
                set.row([], None, 0.0, u, start);
            }
        }
        set
    }

    #[test]
    fn pressing_points_end_on_the_surface_and_stick() {
        let mut set = points(0.8, [-1e-4, 1e-5, 0.0, -2e-4, 0.0, -1e-5], 0.0);
        solve(&coupled(), &mut set, PARAMS);
        assert!(set.outcome.iter().all(|u| u.abs() < 1e-10), "{:?}", set.outcome);
        assert!(set.lambda[0] > 0.0 && set.lambda[3] > 0.0);
    }

    #[test]
    fn a_point_that_leaves_feels_no_force() {
        let mut set = points(0.8, [1e-4, 1e-5, 0.0, -2e-4, 0.0, 0.0], 5.0);
        solve(&coupled(), &mut set, PARAMS);
        assert_eq!(set.force(0), &[0.0; 3]);
        assert!(set.reached(0)[0] > 0.0);
    }

    #[test]
    fn a_sliding_point_feels_coulombs_force_against_its_slip() {
        let mut set = points(0.3, [-1e-4, 5e-4, -3e-4, 1.0, 0.0, 0.0], 0.0);
        solve(&coupled(), &mut set, PARAMS);
        let (force, u) = (set.force(0), set.reached(0));
        let tangential = (force[1] * force[1] + force[2] * force[2]).sqrt();
        assert!((tangential - 0.3 * force[0]).abs() < 1e-9);
        assert!(u[1] * force[1] + u[2] * force[2] < 0.0, "friction opposes slip");
    }

    #[test]
    fn without_blocks_there_is_nothing_to_do() {
        assert_eq!(solve(&[], &mut ConstraintSet::new(), PARAMS).residual, 0.0);
    }
}
