//! All laws at once where sweeps are slow: every law is replaced by its tangent where the last sweep met it, and the linear system that
//! they make together is solved [Alart, Curnier 1991: a generalised Newton method].
//!
//! A sweep leaves each block with forces `λ_b` that meet its law at the displacements `û_b` it had when its turn came; by its end the others
//! have moved it to `u_b`. With the law's derivative `A du + B dλ = 0` at `(û_b, λ_b)`, changes of all forces meet all laws to first order if
//! ```text
//! A (u − û + W dλ) + B dλ = 0
//! ```

use super::rows::ConstraintSet;
use crate::math::dense::eliminate;
use crate::math::{Kernels, dot};

/// Rows that push at most, for a system of all of them to be worth its solution: it takes as many products as so many sweeps over a third.
const MOST_NEWTON_ROWS: usize = 192;

/// Share of its own compliance that every row yields by beside `W`: forces that hold each other, of points that are carried by the same
/// nodes, stay what they are instead of growing without bound.
const PROXIMAL: f64 = 1e-2;

/// Scratch.
#[derive(Clone, Debug, Default)]
pub struct Newton {
    /// Rows whose forces may change, as runs of neighbours: first and end.
    active: Vec<[u32; 2]>,
    matrix: Vec<f64>,
    change: Vec<f64>,
}

impl Newton {
    /// Room for `rows` rows.
    pub fn reserve(&mut self, rows: usize) {
        let rows = rows.min(MOST_NEWTON_ROWS);
        self.active.reserve(rows.saturating_sub(self.active.len()));
        self.change.reserve(rows.saturating_sub(self.change.len()));
        self.matrix.reserve((rows * rows).saturating_sub(self.matrix.len()));
    }

    /// Moves the multipliers to where the tangents of all laws meet. `met` holds the displacements at which each block met its law. False if
    /// nothing was changed.
    pub fn step(
        &mut self,
        kernels: Kernels,
        compliance: &[f64],
        stride: usize,
        set: &mut ConstraintSet,
        met: &[f64],
    ) -> bool {
        self.active.clear();
        self.matrix.clear();
        self.change.clear();
        let pushing = |block: &&super::Block| set.lambda[block.range()].iter().any(|force| *force != 0.0);
        let mut n = 0;
        for range in set.blocks.iter().filter(pushing).map(super::Block::range) {
            n += range.len();
            if n > MOST_NEWTON_ROWS {
                return false;
            }
            match self.active.last_mut() {
                Some([_, end]) if *end as usize == range.start => *end = range.end as u32,
                _ => self.active.push([range.start as u32, range.end as u32]),
            }
        }
        if n == 0 {
            return false;
        }
        self.matrix.resize(n * n, 0.0);
        self.change.resize(n, 0.0);
        let (all, mut at) = (set.rows.len(), 0);
        for block in set.blocks.iter().filter(pushing) {
            let range = block.range();
            let tangent =
                block.law.law().derivative(&set.lambda[range.clone()], &met[range.clone()], &set.patch_points);
            for a in 0..range.len() {
                let row = &mut self.matrix[(at + a) * n..(at + a + 1) * n];
                let mut missing = 0.0;
                for (b, r) in range.clone().enumerate() {
                    row[at + b] += tangent.by_force[a][b];
                    let by = tangent.by_motion[a][b];
                    if by == 0.0 {
                        continue;
                    }
                    let yields = &compliance[r * stride..r * stride + all];
                    missing -= by * (set.free[r] + dot(yields, &set.lambda) - met[r]);
                    let mut rest = &mut *row;
                    for run in &self.active {
                        let yields = &yields[run[0] as usize..run[1] as usize];
                        let (own, others) = rest.split_at_mut(yields.len());
                        own.iter_mut().zip(yields).for_each(|(x, w)| *x += by * w);
                        rest = others;
                    }
                    row[at + b] += PROXIMAL * by * yields[r];
                }
                // metres beside newtons: pivots are compared as shares of their rows
                let largest = row.iter().fold(0.0f64, |most, x| most.max(x.abs()));
                let scale = if largest > 0.0 { 1.0 / largest } else { 1.0 };
                row.iter_mut().for_each(|x| *x *= scale);
                self.change[at + a] = missing * scale;
            }
            at += range.len();
        }
        eliminate(kernels, &mut self.matrix, n, &mut self.change, 1);
        if !self.change.iter().all(|change| change.is_finite()) {
            return false;
        }
        let mut changes = &self.change[..];
        for run in &self.active {
            let own = &mut set.lambda[run[0] as usize..run[1] as usize];
            let (now, later) = changes.split_at(own.len());
            own.iter_mut().zip(now).for_each(|(force, change)| *force += change);
            changes = later;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::law::{Local, MOST_ROWS};
    use super::super::{
        AnyLaw, Bilateral, Contensou, Coulomb, Law, PatchFriction, PatchPoint, SweepParams, Sweeps, Unilateral,
    };
    use super::*;

    /// A coupled compliance of one block, m/N; the last row is a spin.
    const OWN: [[f64; MOST_ROWS]; MOST_ROWS] =
        [[3e-4, 4e-5, -2e-5, 1e-3], [4e-5, 2e-4, 3e-5, 2e-3], [-2e-5, 3e-5, 4e-4, -1e-3], [1e-3, 2e-3, -1e-3, 5.0]];

    /// Forces that the law finds, and the displacements it then reaches.
    fn met(law: &dyn Law, free: [f64; MOST_ROWS], points: &[PatchPoint]) -> ([f64; MOST_ROWS], [f64; MOST_ROWS]) {
        let mut own = [[0.0; MOST_ROWS]; MOST_ROWS];
        for (row, from) in own.iter_mut().zip(&OWN).take(law.rows()) {
            row[..law.rows()].copy_from_slice(&from[..law.rows()]);
        }
        let local = Local { free, own, tolerance: 1e-16, points };
        let (mut lambda, mut warm) = ([0.0; MOST_ROWS], [0.0; MOST_ROWS]);
        (0..20).for_each(|_| law.solve(&local, &mut lambda, &mut warm));
        (lambda, std::array::from_fn(|k| local.displacement(k, &lambda)))
    }

    /// Where a law's free displacement changes a little, forces and displacements change as its derivative says.
    #[test]
    fn derivatives_of_all_laws_are_those_of_their_solutions() {
        let disc: Vec<PatchPoint> = (0..12)
            .map(|k| {
                let angle = f64::from(k) * 0.55;
                let away = 2e-3 + 1e-4 * f64::from(k);
                PatchPoint { x: away * libm::cos(angle), y: away * libm::sin(angle), share: 1.0 / 12.0 }
            })
            .collect();
        let patch = Contensou { friction: 0.7, patch: PatchFriction::new(&disc, 0) };
        let cases: [(&str, &dyn Law, [f64; MOST_ROWS], f64); 8] = [
            ("a stop that holds", &Unilateral, [-1e-3, 0.0, 0.0, 0.0], 1e-6),
            ("a stop that is open", &Unilateral, [1e-3, 0.0, 0.0, 0.0], 1e-6),
            ("a weld", &Bilateral, [1e-3, 0.0, 0.0, 0.0], 1e-6),
            ("an open point", &Coulomb { friction: 0.5 }, [1e-3, 1e-4, 0.0, 0.0], 1e-6),
            ("a sticking point", &Coulomb { friction: 0.5 }, [-1e-3, 1e-4, 5e-5, 0.0], 1e-6),
            // its friction is no linear function: the steps below turn it by a thousandth
            ("a sliding point", &Coulomb { friction: 0.5 }, [-1e-3, 2e-3, -1e-3, 0.0], 1e-3),
            ("a sticking patch", &patch, [-2e-3, 1e-4, 5e-5, 1e-2], 1e-6),
            // its norms are rounded off over three hundredths of the slip
            ("a sliding patch", &patch, [-2e-3, 4e-3, -2e-3, 1.0], 0.02),
        ];
        for (name, law, free, error) in cases {
            let (lambda, reached) = met(law, free, &disc);
            let rows = law.rows();
            let tangent = law.derivative(&lambda[..rows], &reached[..rows], &disc);
            for k in 0..rows {
                let step = if k == 3 { 1e-4 } else { 1e-6 };
                let shifted: [f64; MOST_ROWS] = std::array::from_fn(|j| free[j] + if j == k { step } else { 0.0 });
                let (force, place) = met(law, shifted, &disc);
                for a in 0..rows {
                    let terms = (0..rows).map(|b| {
                        let by_motion = tangent.by_motion[a][b] * (place[b] - reached[b]);
                        let by_force = tangent.by_force[a][b] * (force[b] - lambda[b]);
                        (by_motion + by_force, by_motion.abs() + by_force.abs())
                    });
                    let (left, size) = terms.fold((0.0, 1e-9), |(l, s), (a, b)| (l + a, s + b));
                    assert!(left.abs() < error * size, "{name}, row {a} by {k}: {left:e} of {size:e}");
                }
            }
        }
    }

    /// Forty points on a light object that gives way under all of them, every second one carried by almost the same nodes as its neighbour: the
    /// forces of such a pair are hardly determined, and sweeps crawl.
    #[test]
    fn points_that_share_their_nodes_are_met_in_a_few_steps() {
        let (points, n) = (40usize, 120usize);
        let mut w = vec![0.0; n * n];
        for i in 0..points {
            for j in 0..points {
                let place = |k: usize| (k / 2) as f64 + 0.02 * (k % 2) as f64;
                let near = 1e-4 * libm::exp(-0.5 * (place(i) - place(j)).abs());
                for (a, b, both) in [(0, 0, 3e-3), (1, 1, 3e-3), (2, 2, 3e-3), (0, 1, 2e-3), (1, 0, 2e-3)] {
                    let same = if a == b { near } else { 0.0 };
                    w[(3 * i + a) * n + 3 * j + b] = same + both;
                }
            }
        }
        let mut set = ConstraintSet::new();
        for i in 0..points {
            set.begin(AnyLaw::Coulomb(Coulomb { friction: 0.5 }));
            for u in [-1e-4 * (1.2 + libm::sin(i as f64)), 4e-5 * libm::cos(i as f64), 6e-5] {
                set.row([], [None; 2], 0.0, u, 0.0);
                set.free.push(u);
            }
        }
        let info = Sweeps::default().solve(&w, n, &mut set, SweepParams { tolerance: 5e-8, max_sweeps: 100 });
        assert!(info.residual < 5e-8, "{info:?}");
        // twelve; extrapolation alone takes thirty-nine
        assert!(info.sweeps <= 20, "{info:?}");
        for block in 0..points as u32 {
            let (force, u) = (set.force(block), set.reached(block));
            let pull = libm::hypot(force[1], force[2]);
            assert!(u[0] > -1e-6 && force[0] >= 0.0 && pull <= 0.5 * force[0] * (1.0 + 1e-6), "{force:?} at {u:?}");
        }
    }
}
