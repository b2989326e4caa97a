//! Between the free motion and the end of the step: constraints are met, and every model of a contact is judged by its law
//! [Talvas Alg. 1, made a sequence of solves].

use super::linear::SLIDING_ROWS;
use super::linear_joints::JOINT_ROWS;
use super::phases::{Assembled, Equations, Failed, Free, Solved};
use super::{SolverParams, World};
use crate::constraint::{Compliance, ConstraintSet, SweepInfo};
use crate::contact::{ContactInput, Findings, Motion, ObjectPairs, Touching};
use crate::energy::problem::{BorderTerms, SoftProblem};
use crate::sparse::PcgParams;
use crate::strain::Limits;

/// Solves of a step at most. Two are usual where contacts change; what has not settled then goes on in the next step.
const ROUNDS: u32 = 8;

/// Solves of a step at most where contacts still pull or stick to what slides: each gives some of them rows, which cannot.
const ROUNDS_AGAINST_OUTRAGE: u32 = 24;

/// Solves of a step at most where contacts are held.
const ROUNDS_OF_HELD: u32 = 200;

/// With more flips than this the contacts are modelled anew and the matrix is factored again; fewer are lifted out of it
/// by rows. Eight contacts are 24 rows: carrying and sweeping them costs about as much as a factorisation. One that did not settle
/// them makes the next worth twice as many.
pub(super) const FLIPS_TO_LIFT: u32 = 8;

/// How often a step models its contacts anew at most.
const REMODELS: u32 = 3;

/// How often a step reads its gaps anew at most: each time leaves a square of what was missing.
const REVISIONS: u32 = 2;

/// Rows beyond those that a step begins with, for contacts that flip: as many as the rounds between two factorisations lift.
const SPARE_ROWS: usize = 6 * FLIPS_TO_LIFT as usize * ROUNDS as usize;

/// Constraints that are further than this from where they must end were not met, metres: as deep as springs are in a blow.
const LOST: f64 = 1e-3;

/// Rows that a world has room for from the start: sixty-four hard points.
pub(super) const FIRST_ROWS: usize = SPARE_ROWS + 192;

/// Most rows that a world makes room for: `W` of 6000 rows has 288 MB. Contacts beyond are springs.
pub(super) const MOST_ROWS: usize = 6000;

impl World {
    /// Makes room for so many rows of constraints. A step does it where a world is in closer contact than ever before, and
    /// then allocates; who cannot have that does it beforehand.
    pub fn reserve_rows(&mut self, rows: usize) {
        let Equations { problems, .. } = &self.work.equations;
        let rows = rows.min(MOST_ROWS);
        self.work.compliance.reserve(rows, problems);
        self.work.constraints.reserve(rows, 24 * rows);
        if !self.handles.is_empty() {
            let unknowns = problems.iter().map(|problem| 3 * problem.solution.len()).sum();
            let of_objects = 6 * self.objects.iter().filter(|object| object.border.is_some()).count();
            self.work.linear.reserve(self.work.compliance.room(), self.handles.len(), unknowns, of_objects);
        }
    }

    /// How many rows a step may have that begins with `wanted`: what it does depends on nothing that earlier steps reserved. All contacts of
    /// a large soft thing may slip at once.
    pub(super) fn limit_rows(&mut self, wanted: usize) {
        let spare = SPARE_ROWS.max(3 * self.work.touching.pairs.len());
        self.work.row_limit = (wanted + spare).min(MOST_ROWS);
        // handles are measured by rows of their own, behind those of the step
        let after = match self.handles.len() {
            0 => 0,
            count => (6 + JOINT_ROWS) * count + SLIDING_ROWS,
        };
        if self.work.row_limit + after > self.work.compliance.room() {
            self.reserve_rows(self.work.row_limit + self.work.row_limit / 2 + after);
        }
    }

    /// Finds the forces of all constraints and adds their response to the free motion.
    pub(super) fn meet_constraints(&mut self, dt: f64, free: Free) -> Result<Solved, Failed> {
        if matches!(self.config.solver, SolverParams::Pcg { .. }) {
            return Ok(free.close());
        }
        let mut touching = std::mem::take(&mut self.work.touching);
        let mut set = std::mem::take(&mut self.work.constraints);
        let mut compliance = std::mem::take(&mut self.work.compliance);
        let mut limits = std::mem::take(&mut self.work.limits);
        let mut effort = Effort::default();
        let solved = self.rounds(dt, free, &mut touching, &mut set, &mut compliance, &mut limits, &mut effort);
        self.report_limits(&limits, &effort);
        self.work.limits = limits;
        self.report.constraints = set.rows.len() as u32;
        self.report.rounds = effort.rounds;
        self.report.refactored = effort.remodels;
        self.report.iterations = effort.sweeps.sweeps;
        self.report.unmet = effort.sweeps.residual.max(touching.unmet);
        self.report.flags.contact_overflow |= touching.crowded;
        self.work.touching = touching;
        self.work.constraints = set;
        self.work.compliance = compliance;
        solved.map(Free::close)
    }

    /// A step whose constraints are not met anywhere near is solved once more with skin that touches by springs: an object wedged between skin
    /// and things that do not give way can ask hard points and patches for what no motion has.
    pub(super) fn or_by_springs(
        &mut self,
        dt: f64,
        solved: Result<Solved, Failed>,
        lap: &mut u64,
    ) -> Result<Solved, Failed> {
        match solved {
            Ok(solved) if self.report.unmet > LOST && self.held.is_none() && self.work.touching.has_constraints() => {
                self.work.equations = solved.into_equations();
                self.report.flags.yielded = true;
                self.work.yielding = true;
                let assembled = self.assemble(dt);
                let free = self.free_motion(dt, assembled, lap);
                let solved = free.and_then(|free| self.meet_constraints(dt, free));
                self.work.yielding = false;
                solved
            }
            solved => solved,
        }
    }

    /// Solve, judge, and again: what flips gets rows or, if it is much, another model in the matrix; what was misjudged is
    /// corrected; multipliers go on from round to round.
    fn rounds(
        &self,
        dt: f64,
        mut free: Free,
        touching: &mut Touching,
        set: &mut ConstraintSet,
        compliance: &mut Compliance,
        limits: &mut Limits,
        effort: &mut Effort,
    ) -> Result<Free, Failed> {
        let input = self.contact_input(dt);
        set.clear();
        compliance.clear();
        touching.append_rows(&input, &free.motion(), set);
        let mut for_limits = 0;
        // held contacts are linear: rounds bring them to round-off
        let most = if self.held.is_some() { ROUNDS_OF_HELD } else { ROUNDS };
        loop {
            effort.rounds += 1;
            // rounds for the sake of limits do not count as those of contact
            let round = effort.rounds - for_limits;
            let info = compliance.solve(set, dt, &mut free.system());
            effort.sweeps = SweepInfo { sweeps: effort.sweeps.sweeps + info.sweeps, residual: info.residual };
            touching.update_shares(set);
            let findings = touching.judge(&input, &free.motion());
            let objects_moved = touching.judge_objects(&input, free.motion().border, info.residual);
            let overstretched = self.judge_limits(dt, &free, limits, effort);
            let settled = !(objects_moved || overstretched || findings != Findings::default());
            let most = most + effort.revisions;
            let last = !overstretched
                && round >= most
                && (touching.keep_outrageous_flips() == 0 && findings.far == 0 || round >= ROUNDS_AGAINST_OUTRAGE);
            if settled || last {
                let (problems, border) = free.right_hand_sides();
                if effort.revisions == REVISIONS || !touching.revise_gaps(&input, problems, border, set) {
                    break;
                }
                effort.revisions += 1;
                free = free.solve_again(&mut ObjectPairs { input: &input, pairs: &mut touching.pairs })?;
                continue;
            }
            if overstretched {
                for_limits += 1;
                free = self.meet_limits(&input, free, touching, findings, set, compliance, limits, effort)?;
                continue;
            }
            if round < ROUNDS && findings.worth > FLIPS_TO_LIFT << effort.remodels && effort.remodels < REMODELS {
                effort.remodels += 1;
                // Newton once; if that did not settle them, the slow and sure way
                touching.keep_forces(set);
                let anew = if effort.remodels == 1 { Anew::ByTangents } else { Anew::BySecants };
                let assembled = self.remodel(&input, free.reopen(), touching, anew);
                let factored = assembled.factor(&*self.executor)?;
                free = factored.solve(&mut ObjectPairs { input: &input, pairs: &mut touching.pairs })?;
                set.clear();
                compliance.clear();
                touching.append_rows(&input, &free.motion(), set);
            } else {
                let (problems, border) = free.right_hand_sides();
                touching.correct(&input, problems, border);
                touching.lift(&input, set);
                if round > 1 {
                    touching.lift_objects(&input, set);
                }
                free = free.solve_again(&mut ObjectPairs { input: &input, pairs: &mut touching.pairs })?;
            }
        }
        limits.give_up(&self.strain_input(dt), &mut free.system());
        Ok(free)
    }

    /// Takes all springs of contact out of the matrix and puts them in again as the motion found so far says.
    pub(super) fn remodel(
        &self,
        input: &ContactInput<'_>,
        mut assembled: Assembled,
        touching: &mut Touching,
        anew: Anew,
    ) -> Assembled {
        let Equations { problems, border, .. } = &mut assembled.0;
        touching.remove_springs(input, problems);
        let motion = Motion { problems, border };
        match anew {
            Anew::ByTangents => touching.remodel(input, &motion, true),
            Anew::BySecants => touching.remodel(input, &motion, false),
            Anew::Outrageous => touching.remodel_outrageous(input, &motion),
        }
        problems.iter_mut().for_each(SoftProblem::clear_border);
        border.assembled.copy_from(&self.work.border_energies);
        touching.append_springs(input, problems, &mut border.assembled);
        assembled
    }

    /// The motion by conjugate gradients: springs only, modelled anew until the laws hold.
    pub(super) fn iterate(&mut self, dt: f64, mut assembled: Assembled, params: PcgParams) -> Free {
        let mut touching = std::mem::take(&mut self.work.touching);
        let mut solver = std::mem::take(&mut self.work.iterative);
        let input = self.contact_input(dt);
        let (mut iterations, mut round) = (0, 0);
        let (free, residual) = loop {
            round += 1;
            touching.hang_loose(&input, &assembled.0.problems, &mut solver.loose);
            let terms = ObjectPairs { input: &input, pairs: &mut touching.pairs };
            let (free, info) = assembled.iterate(&mut solver, self.config.kernels, params, &terms);
            iterations += info.iterations as u32;
            let findings = touching.judge(&input, &free.motion());
            let moved = ObjectPairs { input: &input, pairs: &mut touching.pairs }.reconsider(free.motion().border);
            let settled = !(moved || findings != Findings::default());
            let last = round >= ROUNDS && (!touching.keep_outrageous_models() || round >= ROUNDS_AGAINST_OUTRAGE);
            if settled || last {
                break (free, info.residual);
            }
            let anew = if round < ROUNDS { Anew::BySecants } else { Anew::Outrageous };
            assembled = self.remodel(&input, free.reopen(), &mut touching, anew);
        };
        self.report.rounds = round;
        self.report.iterations = iterations;
        self.report.residual = residual;
        self.work.touching = touching;
        self.work.iterative = solver;
        free
    }
}

/// Which contacts are modelled anew, and how friction is.
#[derive(Clone, Copy)]
pub(super) enum Anew {
    /// All; near the solution.
    ByTangents,
    /// All; from anywhere.
    BySecants,
    /// Only those that pull, or hold on to what slides.
    Outrageous,
}

/// What a step's constraints took.
#[derive(Default)]
pub(super) struct Effort {
    pub rounds: u32,
    pub remodels: u32,
    pub revisions: u32,
    pub sweeps: SweepInfo,
    pub limit_ns: u64,
}
