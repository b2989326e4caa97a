//! Linear problems by projected Gauss–Seidel over `W`, each solved before the next linearisation [Perez §II-B].
//!
//! The rows are what contact's are: blocks of a [`ConstraintSet`], with the law of one row that pushes and never pulls, carried through
//! the factor and swept over by the engine's own solver.

use super::jacobi::Held;
use super::limits::{StrainEffort, StrainInput};
use super::rows::{LimitRow, METRES, linearise};
use crate::constraint::{AnyLaw, Compliance, ConstraintSet, RowEntry, System, Unilateral};

/// Scratch of the solver.
#[derive(Debug, Default)]
pub(super) struct GaussSeidel {
    /// Some body has limits.
    pub any: bool,
    pub compliance: Compliance,
    set: ConstraintSet,
    rows: Vec<LimitRow>,
    last: Vec<LimitRow>,
    free: Held,
}

impl GaussSeidel {
    pub fn solve(&mut self, input: &StrainInput<'_>, system: &mut System<'_>, effort: &mut StrainEffort) {
        self.free.save(system);
        self.last.clear();
        while effort.iterations < input.params.iterations {
            effort.violation = linearise(input, system.problems, &self.last, &mut self.rows);
            if effort.violation <= input.params.tolerance {
                break;
            }
            effort.iterations += 1;
            self.free.restore(system);
            self.set.clear();
            self.compliance.clear();
            for row in &self.rows {
                self.set.begin(AnyLaw::Unilateral(Unilateral));
                let entries = row.nodes.iter().zip(&row.gradients);
                let entries = entries.map(|(&block, &value)| RowEntry { body: row.body, block, value });
                self.set.row(entries, [None; 2], 0.0, row.base, row.lambda);
            }
            self.set.rows.iter_mut().for_each(|row| row.scale = METRES);
            if self.set.rows.len() > self.compliance.room() {
                self.compliance.reserve(2 * self.set.rows.len(), system.problems);
            }
            self.compliance.solve(&mut self.set, input.dt, system);
            for (row, lambda) in self.rows.iter_mut().zip(&self.set.lambda) {
                row.lambda = *lambda;
            }
            std::mem::swap(&mut self.rows, &mut self.last);
        }
        for row in &self.last {
            let rhs = &mut system.problems[row.body as usize].rhs;
            for (&node, gradient) in row.nodes.iter().zip(&row.gradients) {
                rhs[node as usize] += *gradient * (input.dt * row.lambda);
            }
        }
        effort.active = self.last.iter().filter(|row| row.lambda > 0.0).count() as u32;
    }
}
