//! Linear problems by projected Gauss–Seidel over `W`, each solved before the next linearisation [Perez §II-B].
//!
//! The rows are what contact's are: blocks of a [`ConstraintSet`], with the law of one row that pushes and never pulls, carried through
//! the factor and swept over by the engine's own solver.

use super::limits::{StrainEffort, StrainInput};
use super::rows::{LimitRow, METRES, begin_linearisation};
use crate::constraint::{AnyLaw, Compliance, ConstraintSet, RowEntry, System, Unilateral};

/// Scratch of the solver.
#[derive(Debug, Default)]
pub(super) struct GaussSeidel {
    /// Some body has limits.
    pub any: bool,
    pub compliance: Compliance,
    set: ConstraintSet,
    rows: Vec<LimitRow>,
}

impl GaussSeidel {
    pub fn solve(
        &mut self,
        input: &StrainInput<'_>,
        system: &mut System<'_>,
        effort: &mut StrainEffort,
        trace: &mut Vec<(u32, f64)>,
    ) {
        while begin_linearisation(input, system.problems, &mut self.rows, effort, trace) {
            self.set.clear();
            self.compliance.clear();
            for row in &self.rows {
                self.set.begin(AnyLaw::Unilateral(Unilateral));
                let entries = row.nodes.iter().zip(&row.gradients);
                let entries = entries.map(|(&block, &value)| RowEntry { body: row.body, block, value });
                self.set.row(entries, [None; 2], 0.0, row.base, 0.0);
            }
            self.set.rows.iter_mut().for_each(|row| row.scale = METRES);
            if self.set.rows.len() > self.compliance.room() {
                self.compliance.reserve(2 * self.set.rows.len(), system.problems);
            }
            let info = self.compliance.solve(&mut self.set, input.dt, system);
            effort.steps += info.sweeps;
            for (row, lambda) in self.rows.iter().zip(&self.set.lambda) {
                let rhs = &mut system.problems[row.body as usize].rhs;
                for (&node, gradient) in row.nodes.iter().zip(&row.gradients) {
                    rhs[node as usize] += *gradient * (input.dt * lambda);
                }
            }
        }
    }
}
