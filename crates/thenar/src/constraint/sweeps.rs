//! All laws over many blocks of rows by projected Gauss–Seidel [Talvas Alg. 1, Garre §3.2].
//!
//! Block after block meets its law with everything else as it is; from some sweeps on, extrapolation finds where they are
//! heading; and where that takes long, all laws are met at once by their tangents.

use super::anderson::Anderson;
use super::law::{Local, MOST_ROWS};
use super::newton::Newton;
use super::rows::{Block, ConstraintSet};
use crate::math::{Kernels, dot};

/// Sweeps before the first extrapolation: from a good start there is no need.
const PLAIN: u32 = 3;

/// All laws are met at once after as many sweeps as that is worth: one for so many rows.
const ROWS_PER_SWEEP: u32 = 16;

/// Steps of that kind until it must be better than before.
const TANGENT_STEPS: u32 = 4;

/// An extrapolation after which a sweep moves this much more than the one before it is taken back.
const WORSE: f64 = 3.0;

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepParams {
    /// Largest change of a displacement in one sweep, scaled by its row to metres.
    pub tolerance: f64,
    /// Sweeps at most.
    pub max_sweeps: u32,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct SweepInfo {
    /// Sweeps made.
    pub sweeps: u32,
    /// Largest change of a displacement in the last sweep, scaled by its row to metres.
    pub residual: f64,
}

/// By what a sweep starts ahead of where the last one ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ahead {
    Nothing,
    Extrapolated,
    Tangents(u32),
}

/// Scratch of the sweeps.
#[derive(Clone, Debug, Default)]
pub struct Sweeps {
    /// Which machine kernels to use.
    pub kernels: Kernels,
    anderson: Anderson,
    newton: Newton,
    /// Displacements at which each block met its law.
    met: Vec<f64>,
    before: Vec<f64>,
    plain: Vec<f64>,
    weights: Vec<f64>,
}

impl Sweeps {
    /// Room for `rows` rows, so that no solve of as many allocates.
    pub fn reserve(&mut self, rows: usize) {
        self.anderson.reserve(rows);
        self.newton.reserve(rows);
        for list in [&mut self.before, &mut self.plain, &mut self.weights, &mut self.met] {
            list.reserve(rows.saturating_sub(list.len()));
        }
    }

    /// Solves for the multipliers of `set`, which hold a warm start, by sweeps in a fixed order, and from some sweeps on
    /// by where they are heading; leaves the displacements at the end of the step in `set.outcome`.
    ///
    /// `compliance` is `W`, dense, row-major, `stride` numbers per row, in metres per newton.
    pub fn solve(
        &mut self,
        compliance: &[f64],
        stride: usize,
        set: &mut ConstraintSet,
        params: SweepParams,
    ) -> SweepInfo {
        let n = set.rows.len();
        let mut info = SweepInfo::default();
        self.begin(compliance, stride, set);
        let (mut ahead, mut last, mut kept) = (Ahead::Nothing, f64::INFINITY, f64::INFINITY);
        let mut patience = PLAIN.max(n as u32 / ROWS_PER_SWEEP);
        for sweep in 1..=params.max_sweeps {
            self.before.clear();
            self.before.extend_from_slice(&set.lambda);
            let mut largest = 0.0f64;
            for k in 0..set.blocks.len() {
                largest = largest.max(relax(compliance, stride, set, k, params.tolerance, &mut self.met));
            }
            info = SweepInfo { sweeps: sweep, residual: largest };
            if largest < params.tolerance {
                break;
            }
            let astray = match ahead {
                Ahead::Nothing => false,
                Ahead::Extrapolated => largest > WORSE * last,
                // laws that change their verdict lead astray for a step or two
                Ahead::Tangents(steps) => largest > last && steps == TANGENT_STEPS,
            };
            if astray {
                // back to the sweep before it
                if ahead != Ahead::Extrapolated {
                    patience = 2 * sweep;
                }
                set.lambda.copy_from_slice(&self.plain);
                self.anderson.restart(n);
                ahead = Ahead::Nothing;
                last = f64::INFINITY;
                continue;
            }
            let steps = match ahead {
                Ahead::Tangents(steps) if largest > last => steps,
                _ => {
                    (last, kept) = (largest, largest);
                    self.plain.clear();
                    self.plain.extend_from_slice(&set.lambda);
                    0
                }
            };
            ahead = Ahead::Nothing;
            if sweep >= patience && self.newton.step(self.kernels, compliance, stride, set, &self.met) {
                self.anderson.restart(n);
                ahead = Ahead::Tangents(steps + 1);
            } else if sweep >= PLAIN && sweep < params.max_sweeps / 2 {
                // extrapolation that has not arrived by half of the budget goes round in circles: the rest are plain sweeps
                self.anderson.extrapolate(&self.before, &mut set.lambda, &self.weights);
                ahead = Ahead::Extrapolated;
            }
            if ahead != Ahead::Nothing {
                for block in &set.blocks {
                    block.law.law().admit(&mut set.lambda[block.range()]);
                }
            }
        }
        if info.residual > kept {
            // the budget ended on the way to somewhere else
            set.lambda.copy_from_slice(&self.plain);
            info.residual = kept;
        }
        set.outcome.clear();
        set.outcome.extend((0..n).map(|r| set.free[r] + dot(&compliance[r * stride..r * stride + n], &set.lambda)));
        info
    }

    /// Weights that turn every force into the displacement it makes, scaled to metres.
    fn begin(&mut self, compliance: &[f64], stride: usize, set: &ConstraintSet) {
        self.anderson.restart(set.rows.len());
        self.met.clear();
        self.met.resize(set.rows.len(), 0.0);
        self.weights.clear();
        self.weights.extend(set.rows.iter().enumerate().map(|(r, row)| compliance[r * stride + r] * row.scale));
    }
}

/// One block: meets its law with everything else as it is. Returns how far the block moved, scaled to metres.
fn relax(
    compliance: &[f64],
    stride: usize,
    set: &mut ConstraintSet,
    block: usize,
    tolerance: f64,
    met: &mut [f64],
) -> f64 {
    let n = set.rows.len();
    let range = set.blocks[block].range();
    let (first, rows) = (range.start, range.len());
    let (mut own, mut free, mut before) = ([[0.0; MOST_ROWS]; MOST_ROWS], [0.0; MOST_ROWS], [0.0; MOST_ROWS]);
    before[..rows].copy_from_slice(&set.lambda[range.clone()]);
    for k in 0..rows {
        let row = &compliance[(first + k) * stride..(first + k) * stride + n];
        own[k][..rows].copy_from_slice(&row[range.clone()]);
        free[k] = set.free[first + k] + dot(row, &set.lambda) - dot(&own[k], &before);
    }
    let local = Local { free, own, tolerance: 0.1 * tolerance / set.rows[first].scale, points: &set.patch_points };
    let mut after = before;
    let Block { law, warm, .. } = &mut set.blocks[block];
    law.law().solve(&local, &mut after, warm);
    let mut largest = 0.0f64;
    for k in 0..rows {
        let moved: f64 = (0..rows).map(|j| own[k][j] * (after[j] - before[j])).sum();
        largest = largest.max((moved * set.rows[first + k].scale).abs());
        met[first + k] = local.displacement(k, &after);
    }
    set.lambda[range].copy_from_slice(&after[..rows]);
    largest
}

#[cfg(test)]
mod tests {
    use super::super::Coulomb;
    use super::super::law::AnyLaw;
    use super::*;

    const PARAMS: SweepParams = SweepParams { tolerance: 1e-12, max_sweeps: 2000 };

    fn solve(w: &[f64], set: &mut ConstraintSet, params: SweepParams) -> SweepInfo {
        Sweeps::default().solve(w, set.rows.len(), set, params)
    }

    fn test_row(set: &mut ConstraintSet, free: f64, start: f64) {
        set.row([], [None; 2], 0.0, free, start);
        set.free.push(free);
    }

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
            set.begin(AnyLaw::Coulomb(Coulomb { friction }));
            for &u in point {
                test_row(&mut set, u, start);
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

    /// The alternative: every point at once by a step along its displacement, projected on its cone (Uzawa). The step is
    /// the longest that surely contracts, one over the largest row sum of `W`. Returns iterations.
    fn uzawa(w: &[f64], set: &mut ConstraintSet, params: SweepParams) -> u32 {
        let n = set.rows.len();
        let norm = (0..n).map(|r| w[r * n..(r + 1) * n].iter().map(|x| x.abs()).sum::<f64>()).fold(0.0, f64::max);
        for iteration in 1..=params.max_sweeps {
            let u: Vec<f64> = (0..n).map(|r| set.free[r] + dot(&w[r * n..(r + 1) * n], &set.lambda)).collect();
            let before = set.lambda.clone();
            for block in &set.blocks {
                let (AnyLaw::Coulomb(Coulomb { friction }), first) = (&block.law, block.first as usize) else {
                    continue;
                };
                let normal = (set.lambda[first] - u[first] / norm).max(0.0);
                let (a, b) = (set.lambda[first + 1] - u[first + 1] / norm, set.lambda[first + 2] - u[first + 2] / norm);
                let scale = (friction * normal / libm::hypot(a, b).max(f64::MIN_POSITIVE)).min(1.0);
                set.lambda[first..first + 3].copy_from_slice(&[normal, a * scale, b * scale]);
            }
            let moved = set.lambda.iter().zip(&before).map(|(a, b)| (a - b).abs() * norm).fold(0.0, f64::max);
            if moved < params.tolerance {
                return iteration;
            }
        }
        params.max_sweeps
    }

    /// Twenty points of a block that is pressed down and pulled sideways: neighbours feel each other.
    fn many() -> (Vec<f64>, ConstraintSet) {
        let (points, n) = (20usize, 60usize);
        let mut w = vec![0.0; n * n];
        for i in 0..points {
            for j in 0..points {
                let near = 1e-4 * libm::exp(-0.5 * (i as f64 - j as f64).abs()) + 2e-5;
                for k in 0..3 {
                    w[(3 * i + k) * n + 3 * j + k] = near;
                }
            }
        }
        let mut set = ConstraintSet::new();
        for i in 0..points {
            set.begin(AnyLaw::Coulomb(Coulomb { friction: 0.5 }));
            let depth = -1e-4 * (1.0 + libm::sin(i as f64));
            for u in [depth, 4e-5 * libm::cos(i as f64), 6e-5] {
                test_row(&mut set, u, 0.0);
            }
        }
        (w, set)
    }

    #[test]
    fn an_independent_solver_finds_the_same_forces_with_many_more_iterations() {
        let params = SweepParams { tolerance: 1e-10, max_sweeps: 100_000 };
        let (w, mut sweeps) = many();
        let info = solve(&w, &mut sweeps, params);
        let (_, mut steps) = many();
        let iterations = uzawa(&w, &mut steps, params);
        let largest = sweeps.lambda.iter().fold(0.0f64, |m, l| m.max(l.abs()));
        for (a, b) in sweeps.lambda.iter().zip(&steps.lambda) {
            assert!((a - b).abs() < 1e-3 * largest, "{a} N and {b} N");
        }
        assert!(info.sweeps * 5 < iterations, "{} sweeps against {iterations}", info.sweeps);
    }
}
