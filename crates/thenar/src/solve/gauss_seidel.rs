//! The laws of contact over many blocks of rows by projected Gauss–Seidel [Talvas Alg. 1, Garre §3.2].
//!
//! With the displacements of a block at the end of the step `u = u_free + Σ W λ` (metres; radians for a spin) and the
//! forces `λ` on it: `0 ≤ u_n ⟂ λ_n ≥ 0`, and friction inside its admissible set with no slip, or on the border of the
//! set against the slip.

use super::anderson::Anderson;
use crate::contact::rows::{Block, ConstraintSet, Law};
use crate::math::{Mat3, Vec3};

/// Sweeps before the first extrapolation: from a good start there is no need.
const PLAIN: u32 = 3;

/// An extrapolation after which a sweep moves this much more than the one before it is taken back.
const WORSE: f64 = 3.0;

/// Trials of a normal force in one visit of a block.
const ROOT_STEPS: u32 = 6;

/// Steps towards the slip of a point in one trial; they converge quadratically.
const CONE_STEPS: u32 = 8;

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

/// Scratch of the sweeps.
#[derive(Clone, Debug, Default)]
pub struct Sweeps {
    anderson: Anderson,
    before: Vec<f64>,
    plain: Vec<f64>,
    weights: Vec<f64>,
}

impl Sweeps {
    /// Room for `rows` rows, so that no solve of as many allocates.
    pub fn reserve(&mut self, rows: usize) {
        self.anderson.reserve(rows);
        for list in [&mut self.before, &mut self.plain, &mut self.weights] {
            list.reserve(rows.saturating_sub(list.len()));
        }
    }

    /// Solves for the multipliers of `set`, which hold a warm start, by sweeps in a fixed order, and from some sweeps on
    /// by where they are heading; leaves the displacements at the end of the step in `set.outcome`.
    ///
    /// `compliance` is `W`, dense, row-major, one row per row of the set, in metres per newton.
    pub fn solve(&mut self, compliance: &[f64], set: &mut ConstraintSet, params: SweepParams) -> SweepInfo {
        let n = set.rows.len();
        let mut info = SweepInfo::default();
        self.begin(compliance, set);
        let (mut ahead, mut last) = (false, f64::INFINITY);
        for sweep in 1..=params.max_sweeps {
            self.before.clear();
            self.before.extend_from_slice(&set.lambda);
            let mut largest = 0.0f64;
            for k in 0..set.blocks.len() {
                largest = largest.max(relax(compliance, n, set, set.blocks[k], params.tolerance));
            }
            info = SweepInfo { sweeps: sweep, residual: largest };
            if largest < params.tolerance {
                break;
            }
            if ahead && largest > WORSE * last {
                // it led astray: back to the sweep before it
                set.lambda.copy_from_slice(&self.plain);
                self.anderson.restart(n);
                ahead = false;
                last = f64::INFINITY;
                continue;
            }
            last = largest;
            if sweep >= PLAIN {
                self.plain.clear();
                self.plain.extend_from_slice(&set.lambda);
                self.anderson.extrapolate(&self.before, &mut set.lambda, &self.weights);
                hold_back(set);
                ahead = true;
            }
        }
        set.outcome.clear();
        set.outcome.extend((0..n).map(|r| set.free[r] + dot(&compliance[r * n..(r + 1) * n], &set.lambda)));
        info
    }

    /// Weights that turn every force into the displacement it makes, metres.
    fn begin(&mut self, compliance: &[f64], set: &ConstraintSet) {
        let n = set.rows.len();
        self.anderson.restart(n);
        self.weights.clear();
        self.weights.extend((0..n).map(|r| compliance[r * n + r]));
        for block in &set.blocks {
            if let Law::Contensou { patch, .. } = block.law {
                let spin = &mut self.weights[block.first as usize + 3];
                *spin = set.patches[patch as usize].length(*spin);
            }
        }
    }
}

/// No contact pulls, wherever the sweeps are heading.
fn hold_back(set: &mut ConstraintSet) {
    for block in &set.blocks {
        let (first, rows) = (block.first as usize, block.law.rows());
        if set.lambda[first] <= 0.0 {
            set.lambda[first..first + rows].fill(0.0);
        }
    }
}

/// One block, with its forces taken off: what it would do without them, and how it yields to them.
struct Alone<'a> {
    set: &'a ConstraintSet,
    law: Law,
    /// Displacements without the block's own forces.
    free: [f64; 4],
    /// The block's own compliance.
    own: [[f64; 4]; 4],
    /// Tangential displacements of the last sweep, from which friction starts.
    slip: Vec3,
}

impl Alone<'_> {
    /// The gap that a normal force and its friction leave, that friction, and the slip, sought from `slip` on.
    fn respond(&self, normal: f64, slip: Vec3) -> (f64, Vec3, Vec3) {
        let w = &self.own;
        let target = Vec3::new(
            self.free[1] + w[1][0] * normal,
            self.free[2] + w[2][0] * normal,
            self.free[3] + w[3][0] * normal,
        );
        let (friction, slip) = match self.law {
            Law::Coulomb { friction } => (cone(target, w, friction * normal), slip),
            Law::Contensou { friction, patch } => {
                let patch = &self.set.patches[patch as usize];
                let own = Mat3::from_cols(
                    Vec3::new(w[1][1], w[2][1], w[3][1]),
                    Vec3::new(w[1][2], w[2][2], w[3][2]),
                    Vec3::new(w[1][3], w[2][3], w[3][3]),
                );
                let force = patch.force(&self.set.patch_points, friction * normal, target, &own, slip);
                (force, target + own * force)
            }
        };
        let pull = Vec3::new(w[0][1], w[0][2], w[0][3]);
        (self.free[0] + w[0][0] * normal + pull.dot(friction), friction, slip)
    }

    /// Normal force and friction that meet both laws together. Where tissue couples the two, meeting them in turn may
    /// go round in circles, so the normal force is sought as the root of the gap that it and its friction leave.
    fn solve(&self, start: f64, tolerance: f64) -> (f64, Vec3, Vec3) {
        let (mut below, mut above) = (0.0, f64::INFINITY);
        let (mut normal, mut last) = (start, None::<(f64, f64)>);
        let (mut friction, mut slip) = (Vec3::ZERO, self.slip);
        for _ in 0..ROOT_STEPS {
            let gap;
            (gap, friction, slip) = self.respond(normal, slip);
            if gap.abs() < tolerance || (normal == 0.0 && gap > 0.0) {
                break;
            }
            if gap > 0.0 {
                above = normal;
            } else {
                below = normal;
            }
            let slope = match last {
                Some((other, its_gap)) if other != normal => (gap - its_gap) / (normal - other),
                _ => self.own[0][0],
            };
            last = Some((normal, gap));
            let secant = normal - gap / slope.max(0.1 * self.own[0][0]);
            let inside = (below..=above).contains(&secant) || (below == 0.0 && secant <= 0.0);
            normal = if inside { secant.max(0.0) } else { 0.5 * (below + above) };
        }
        (normal, friction, slip)
    }
}

/// One block: meets its laws with everything else as it is. Returns how far the block moved.
fn relax(compliance: &[f64], n: usize, set: &mut ConstraintSet, block: Block, tolerance: f64) -> f64 {
    let (first, rows) = (block.first as usize, block.law.rows());
    let (mut own, mut free, mut slip, mut before) = ([[0.0; 4]; 4], [0.0; 4], [0.0; 4], [0.0; 4]);
    before[..rows].copy_from_slice(&set.lambda[first..first + rows]);
    for k in 0..rows {
        let row = &compliance[(first + k) * n..(first + k + 1) * n];
        own[k][..rows].copy_from_slice(&row[first..first + rows]);
        slip[k] = set.free[first + k] + dot(row, &set.lambda);
        free[k] = slip[k] - dot(&own[k], &before);
    }
    let slip = Vec3::new(slip[1], slip[2], slip[3]);
    let slip = match block.law {
        // what other patches have done to this one since says nothing about where its own search ends
        Law::Contensou { patch, .. } => set.patches[patch as usize].slip.unwrap_or(slip),
        Law::Coulomb { .. } => slip,
    };
    let alone = Alone { set, law: block.law, free, own, slip };
    let (normal, friction, slip) = alone.solve(before[0], 0.1 * tolerance);
    if let Law::Contensou { patch, .. } = block.law {
        set.patches[patch as usize].slip = Some(slip);
    }
    let after = [normal, friction.x, friction.y, friction.z];
    let mut largest = 0.0f64;
    for k in 0..rows {
        let moved: f64 = (0..rows).map(|j| own[k][j] * (after[j] - before[j])).sum();
        let length = match block.law {
            Law::Contensou { patch, .. } if k == 3 => set.patches[patch as usize].length(moved),
            _ => moved,
        };
        largest = largest.max(length.abs());
    }
    set.lambda[first..first + rows].copy_from_slice(&after[..rows]);
    largest
}

/// The tangential force of one point on the disc of radius `limit` that leaves it where it was, or slips as far as it
/// must.
///
/// Slipping, `u = û + W λ` with `λ = −limit u / |u|`. Along the axes of `W`, where it yields by `w₁` and `w₂`, that is
/// `u_i = û_i r / (r + limit w_i)` with the length `r = |u|`, the root of `Σ (û_i / (r + limit w_i))² = 1`.
fn cone(target: Vec3, own: &[[f64; 4]; 4], limit: f64) -> Vec3 {
    if limit <= 0.0 {
        return Vec3::ZERO;
    }
    let (a, b, c) = (own[1][1], own[1][2], own[2][2]);
    let determinant = a * c - b * b;
    let held = [-(c * target.x - b * target.y) / determinant, -(a * target.y - b * target.x) / determinant];
    if held[0] * held[0] + held[1] * held[1] <= limit * limit {
        return Vec3::new(held[0], held[1], 0.0);
    }
    let (mean, half) = (0.5 * (a + c), 0.5 * (a - c));
    let radius = (half * half + b * b).sqrt();
    // the first axis of W, well defined from the longer of its two forms
    let axis = if half > 0.0 { [half + radius, b] } else { [b, radius - half] };
    let length = (axis[0] * axis[0] + axis[1] * axis[1]).sqrt();
    let [x, y] = if length > 0.0 { [axis[0] / length, axis[1] / length] } else { [1.0, 0.0] };
    let free = [x * target.x + y * target.y, x * target.y - y * target.x];
    let yields = [limit * (mean + radius), limit * (mean - radius)];
    // 1 / |û / (r + limit w)| grows almost in proportion to r: few steps of Newton's method, from below
    let mut r = 0.0;
    for _ in 0..CONE_STEPS {
        let ratio = [free[0] / (r + yields[0]), free[1] / (r + yields[1])];
        let square = ratio[0] * ratio[0] + ratio[1] * ratio[1];
        let falls = ratio[0] * ratio[0] / (r + yields[0]) + ratio[1] * ratio[1] / (r + yields[1]);
        let step = (square.sqrt() - 1.0) * square / falls;
        r += step;
        if step.abs() < 1e-9 * r {
            break;
        }
    }
    let [u, v] = [-free[0] * limit / (r + yields[0]), -free[1] * limit / (r + yields[1])];
    Vec3::new(x * u - y * v, y * u + x * v, 0.0)
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

    fn solve(w: &[f64], set: &mut ConstraintSet, params: SweepParams) -> SweepInfo {
        Sweeps::default().solve(w, set, params)
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
    fn a_point_slips_against_its_friction_however_it_yields() {
        let mut own = [[0.0; 4]; 4];
        for k in 0..50 {
            let turn = f64::from(k) * 0.37;
            let (w1, w2) = (1e-4 * (1.0 + f64::from(k % 7)), 1e-4);
            let (c, s) = (libm::cos(turn), libm::sin(turn));
            (own[1][1], own[2][2]) = (w1 * c * c + w2 * s * s, w1 * s * s + w2 * c * c);
            own[1][2] = (w1 - w2) * c * s;
            own[2][1] = own[1][2];
            let target = Vec3::new(libm::cos(1.9 * turn), libm::sin(1.9 * turn), 0.0) * 3e-3 * f64::from(k + 1);
            let force = cone(target, &own, 2.0);
            let u = [
                target.x + own[1][1] * force.x + own[1][2] * force.y,
                target.y + own[2][1] * force.x + own[2][2] * force.y,
            ];
            let length = libm::hypot(u[0], u[1]);
            let error = libm::hypot(force.x + 2.0 * u[0] / length, force.y + 2.0 * u[1] / length);
            assert!(error < 1e-6, "{force} while slipping by {u:?}");
        }
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
                let (Law::Coulomb { friction }, first) = (block.law, block.first as usize) else { continue };
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
            set.begin(Law::Coulomb { friction: 0.5 });
            let depth = -1e-4 * (1.0 + libm::sin(i as f64));
            for u in [depth, 4e-5 * libm::cos(i as f64), 6e-5] {
                set.row([], None, 0.0, u, 0.0);
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
