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
    /// Rows whose forces may change.
    active: Vec<u32>,
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
        for block in set.blocks.iter().filter(pushing) {
            if self.active.len() + block.range().len() > MOST_NEWTON_ROWS {
                return false;
            }
            self.active.extend(block.range().map(|row| row as u32));
        }
        let n = self.active.len();
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
                    for (x, &other) in row.iter_mut().zip(&self.active) {
                        *x += by * yields[other as usize];
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
        for (&row, change) in self.active.iter().zip(&self.change) {
            set.lambda[row as usize] += change;
        }
        true
    }
}
