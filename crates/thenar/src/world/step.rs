//! The step: the flow of the engine, one line per stage.

use super::{SolverParams, Stage, StepReport, World};
use crate::collide::{objects_against_objects, soft_against_objects, soft_against_soft};
use crate::contact::ContactMethod;
use crate::contact::penalty::ObjectContacts;
use crate::energy::inertia::RigidState;
use crate::energy::problem::BorderTerms;
use crate::math::{Pose, Vec3, rotation_exp};
use crate::solve::{SolveError, direct};
use crate::sparse::PcgParams;

/// Why a step was refused before it began.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// The step length is out of range.
    #[error("dt is {0} s, expected between 1e-5 and 0.1 s")]
    Dt(f64),
}

/// Points within this distance of an object at the predicted end of the step are looked at, metres: a point that was
/// inside at the start and leaves faster than this in one step was not pressing.
const ALARM: f64 = 1e-3;

/// The same between soft surfaces, both of which move [Talvas §V: about 2 mm].
const SOFT_ALARM: f64 = 2e-3;

impl World {
    /// Moves the world by `dt` seconds.
    ///
    /// # Errors
    /// Only for a `dt` outside 1e-5 to 0.1 s. A step that cannot be solved is no error: positions are kept, the report
    /// flags it, and the hand recovers.
    pub fn step(&mut self, dt: f64) -> Result<&StepReport, StepError> {
        if !(1e-5..=0.1).contains(&dt) {
            return Err(StepError::Dt(dt));
        }
        let mut lap = (self.clock)();
        self.begin_report();

        self.follow_tracker(dt);
        self.timed(Stage::Track, &mut lap);

        self.predict(dt);
        self.detect_contacts();
        self.timed(Stage::Collide, &mut lap);

        self.assemble_energies(dt);
        self.append_contacts(dt);
        self.timed(Stage::Assemble, &mut lap);

        let factored = self.factor();
        self.timed(Stage::Factor, &mut lap);

        let freed = factored.and_then(|()| self.solve(dt));
        let free_motion = (self.clock)();
        let solved = freed.and_then(|()| self.meet_constraints(dt));
        self.report.constrain_ns = (self.clock)().saturating_sub(free_motion);
        self.commit_or_roll_back(dt, solved);
        self.timed(Stage::Solve, &mut lap);

        self.write_outputs();
        self.timed(Stage::Outputs, &mut lap);
        Ok(&self.report)
    }

    fn begin_report(&mut self) {
        // flags raised while frames were fed since the last step belong to this one
        let (wrong_side, joints_filled) = (self.report.flags.wrong_side, self.report.flags.joints_filled);
        self.report = StepReport { step: self.state.step + 1, min_det: f64::INFINITY, ..StepReport::default() };
        self.report.flags.wrong_side = wrong_side;
        self.report.flags.joints_filled = joints_filled;
    }

    fn timed(&mut self, stage: Stage, lap: &mut u64) {
        let now = (self.clock)();
        self.report.stage_ns[stage as usize] += now.saturating_sub(*lap);
        *lap = now;
    }

    /// Where everything would be at the end of the step if velocities stayed: `q* = q + h v`.
    pub(super) fn predict(&mut self, dt: f64) {
        for (soft, predicted) in self.state.softs.iter().zip(&mut self.work.predicted_nodes) {
            if soft.active {
                for ((p, x), v) in predicted.iter_mut().zip(&soft.nodes).zip(&soft.velocities) {
                    *p = *x + *v * dt;
                }
            }
        }
        for (i, (object, state)) in self.objects.iter().zip(&self.state.objects).enumerate() {
            let (velocity, spin) = match &object.mass {
                Some(mass) => (state.velocity, state.spin(mass)),
                None => (Vec3::ZERO, Vec3::ZERO),
            };
            self.work.object_motions[i] = (velocity, spin);
            self.work.predicted_objects[i] = predicted_pose(state, velocity, spin, dt);
        }
    }

    pub(super) fn detect_contacts(&mut self) {
        let work = &mut self.work;
        work.contacts.clear();
        for (body, soft) in self.softs.iter().enumerate() {
            if self.state.softs[body].active {
                soft_against_objects(
                    body as u32,
                    &soft.surface,
                    &work.predicted_nodes[body],
                    &self.objects,
                    &work.predicted_objects,
                    ALARM,
                    &mut work.point_positions,
                    &mut work.contacts,
                );
            }
        }
        objects_against_objects(&self.objects, &work.predicted_objects, ALARM, &mut work.contacts);
        self.report.flags.contact_overflow = work.contacts.overflow;
        self.detect_soft_contacts();
    }

    /// Soft surfaces against each other and themselves.
    fn detect_soft_contacts(&mut self) {
        let work = &mut self.work;
        work.soft_contacts.clear();
        if !self.config.self_contact && self.softs.len() < 2 {
            return;
        }
        for (body, soft) in self.softs.iter().enumerate() {
            let places = &mut work.places[body];
            places.present = self.state.softs[body].active;
            if places.present {
                places.follow(&soft.touch, &work.predicted_nodes[body]);
            }
        }
        soft_against_soft(
            |body| (&self.softs[body].touch, &work.predicted_nodes[body]),
            |body, point| self.state.softs[body].touch_anchors.is_set(point),
            &mut work.places,
            self.config.self_contact,
            SOFT_ALARM,
            &mut work.soft_contacts,
        );
        self.report.flags.contact_overflow |= work.soft_contacts.overflow;
    }

    /// Constraints are carried through a factor, so they need the direct solver.
    fn solver(&self) -> SolverParams {
        let springs = |method: ContactMethod| method == ContactMethod::Penalty;
        let all_springs = springs(self.config.method) && self.objects.iter().all(|o| o.method.is_none_or(springs));
        if all_springs && self.work.soft_contacts.contacts.is_empty() {
            self.config.solver
        } else {
            SolverParams::Direct
        }
    }

    pub(super) fn factor(&mut self) -> Result<(), SolveError> {
        match self.solver() {
            SolverParams::Direct => direct::factor(&*self.executor, &self.work.problems, &mut self.work.factors),
            SolverParams::Pcg { .. } => Ok(()),
        }
    }

    pub(super) fn solve(&mut self, dt: f64) -> Result<(), SolveError> {
        let solver = self.solver();
        let work = &mut self.work;
        let mut terms = ObjectContacts {
            dt,
            objects: &self.objects,
            poses: &work.predicted_objects,
            records: &mut work.records[work.soft_records..],
        };
        match solver {
            SolverParams::Direct => {
                direct::solve(&mut work.problems, &mut work.factors, &mut work.border, &mut terms)?;
            }
            SolverParams::Pcg { tolerance, max_iterations } => {
                terms.append(&mut work.border);
                let params = PcgParams { tolerance, max_iterations: max_iterations as usize };
                let info = work.iterative.solve(&mut work.problems, &mut work.border, self.config.kernels, params);
                self.report.iterations = info.iterations as u32;
                self.report.residual = info.residual;
            }
        }
        Ok(())
    }
}

fn predicted_pose(state: &RigidState, velocity: Vec3, spin: Vec3, dt: f64) -> Pose {
    Pose::new(state.pose.position + velocity * dt, (rotation_exp(spin * dt) * state.pose.rotation).normalize())
}
