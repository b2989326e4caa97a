//! Hard limits of stretches among the rounds of a step.

use super::constrain::{Anew, Effort, FLIPS_TO_LIFT};
use super::phases::{Assembled, Equations, Failed, Free};
use super::{ConfigError, World, WorldConfig};
use crate::constraint::{Compliance, ConstraintSet};
use crate::contact::{ContactInput, Findings, ObjectPairs, Touching};
use crate::energy::problem::SoftProblem;
use crate::strain::{LimitProblem, Limits, StrainParams, StrainSolver};
use std::sync::Arc;

impl World {
    /// Chooses another solver of hard limits, or other bounds of it, from the next step on.
    ///
    /// # Errors
    /// Names the number that is out of range; then nothing changes.
    pub fn set_strain(&mut self, strain: StrainParams) -> Result<(), ConfigError> {
        let config = WorldConfig { strain, ..self.config.clone() };
        config.check()?;
        self.config = config;
        Ok(())
    }

    /// What the hard limits of a soft body will ask of the next step if nothing else does, for who compares solvers with the optimum; nothing is
    /// stepped. `None` if there is no such body, or no motion without limits.
    #[must_use]
    pub fn limit_problem(&self, body: usize, dt: f64) -> Option<LimitProblem> {
        let mut twin = self.twin();
        // the usual solver begins with what held before, in the matrix; this one with the bare matrix
        twin.config.strain.solver = StrainSolver::SqpPgs;
        let start = twin.state.softs.get(body)?.nodes.clone();
        twin.predict(dt);
        twin.detect_contacts(dt);
        let assembled = twin.assemble(dt);
        let matrix = assembled.0.problems.get(body)?.matrix.clone();
        let free = twin.free_motion(dt, assembled, &mut 0).ok()?;
        let free = free.motion().problems[body].solution.clone();
        Some(LimitProblem { dt, body: Arc::clone(&twin.softs[body]), start, matrix, free })
    }

    /// Judges all limits by the motion found so far; true if the step has to go on for them.
    pub(super) fn judge_limits(&self, dt: f64, free: &Free, limits: &mut Limits, effort: &mut Effort) -> bool {
        if limits.is_empty() {
            return false;
        }
        let start = (self.clock)();
        let overstretched = limits.judge(&self.strain_input(dt), free.motion().problems);
        effort.limit_ns += (self.clock)().saturating_sub(start);
        overstretched
    }

    /// The free motion with the limits as the motion found so far says: in a matrix that is factored anew, or by forces on the right-hand
    /// side. Contacts are judged along the way; their rows and multipliers go on.
    pub(super) fn meet_limits(
        &self,
        input: &ContactInput<'_>,
        mut free: Free,
        touching: &mut Touching,
        findings: Findings,
        set: &mut ConstraintSet,
        compliance: &mut Compliance,
        limits: &mut Limits,
        effort: &mut Effort,
    ) -> Result<Free, Failed> {
        let start = (self.clock)();
        let strain = self.strain_input(input.dt);
        let many = findings.worth > FLIPS_TO_LIFT;
        let free = if strain.params.solver == StrainSolver::Newton {
            if !many {
                let (problems, border) = free.right_hand_sides();
                touching.correct(input, problems, border);
                touching.lift(input, set);
            }
            let mut assembled = match many {
                true => {
                    touching.keep_forces(set);
                    self.remodel(input, free.reopen(), touching, Anew::ByTangents)
                }
                false => self.model_again(input, free.reopen(), touching),
            };
            let Equations { problems, border, .. } = &mut assembled.0;
            limits.relinearise(&strain, problems, &border.solution);
            let factored = assembled.factor(&*self.executor)?;
            let free = factored.solve(&mut ObjectPairs { input, pairs: &mut touching.pairs })?;
            compliance.clear();
            if many {
                set.clear();
                touching.append_rows(input, &free.motion(), set);
            }
            free
        } else {
            limits.push(&strain, &mut free.system());
            let (problems, border) = free.right_hand_sides();
            touching.correct(input, problems, border);
            touching.lift(input, set);
            free.solve_again(&mut ObjectPairs { input, pairs: &mut touching.pairs })?
        };
        effort.limit_ns += (self.clock)().saturating_sub(start);
        Ok(free)
    }

    /// Puts the springs of contact into the matrix once more as they are: solving has used the border up.
    fn model_again(&self, input: &ContactInput<'_>, mut assembled: Assembled, touching: &Touching) -> Assembled {
        let Equations { problems, border, .. } = &mut assembled.0;
        touching.remove_springs(input, problems);
        problems.iter_mut().for_each(SoftProblem::clear_border);
        border.assembled.copy_from(&self.work.border_energies);
        touching.append_springs(input, problems, &mut border.assembled);
        assembled
    }

    /// What limits took, into the report.
    pub(super) fn report_limits(&mut self, limits: &Limits, effort: &Effort) {
        self.report.overstretch = limits.effort.violation.max(0.0);
        self.report.limits = limits.effort.active;
        self.report.limit_iterations = limits.effort.iterations;
        self.report.limit_ns = effort.limit_ns;
        self.report.flags.overstretched = limits.effort.violation > self.config.strain.tolerance;
    }
}
