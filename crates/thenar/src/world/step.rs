//! The step: the flow of the engine, one line per stage.

use super::parts::Part;
use super::phases::{Assembled, Failed, Free};
use super::{SolverParams, Stage, StepReport, World};
use crate::collide::{edges_against_skin, objects_against_objects, skin_against_objects, soft_against_soft};
use crate::contact::ObjectPairs;
use crate::math::{Pose, Vec3, rotation_exp};
use crate::sparse::PcgParams;

/// Why a step was refused before it began.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The step length is out of range.
    #[error("dt is {0} s, expected between 1e-5 and 0.1 s")]
    Dt(f64),
}

/// Points within this distance of an object at the predicted end of the step are looked at, metres, or as far as a body falls in it that nothing
/// holds any more, which prediction does not know: a point that was inside at the start and leaves faster than this in one step was not
/// pressing.
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
        self.need_scratch();
        self.events.clear();
        let parts = self.parts(dt);
        for part in 0..parts {
            let before = self.report;
            self.step_part(dt / f64::from(parts), Part { index: part, of: parts });
            if part > 0 {
                self.report.join(&before);
            }
        }
        self.report.parts = parts;
        self.pushes.clear();
        Ok(&self.report)
    }

    /// One part of a step: all of it, unless bodies fly at each other so fast that they would pass through, or a law acts
    /// one step late.
    fn step_part(&mut self, dt: f64, part: Part) {
        let mut lap = (self.clock)();
        self.begin_report(part.index);

        self.follow_tracker(dt);
        self.timed(Stage::Track, &mut lap);

        self.predict(dt);
        self.note_handles(dt);
        self.detect_contacts(dt);
        self.timed(Stage::Collide, &mut lap);

        let assembled = self.assemble(dt);
        self.timed(Stage::Assemble, &mut lap);

        let free = self.free_motion(dt, assembled, &mut lap);
        let constraints = (self.clock)();
        let solved = free.and_then(|free| self.meet_constraints(dt, free));
        let solved = self.or_by_springs(dt, solved, &mut lap);
        self.report.constrain_ns = (self.clock)().saturating_sub(constraints);
        self.commit_or_roll_back(dt, solved);
        self.timed(Stage::Solve, &mut lap);

        self.write_outputs(dt, part);
        self.timed(Stage::Outputs, &mut lap);
    }

    fn begin_report(&mut self, part: u32) {
        let before = std::mem::take(&mut self.report);
        self.report.min_det = f64::INFINITY;
        self.report.step = self.state.step + 1;
        // flags raised while frames were fed since the last step belong to this one
        self.report.flags.wrong_side = before.flags.wrong_side;
        self.report.flags.joints_filled = before.flags.joints_filled;
        if part > 0 {
            self.report.step = before.step;
        }
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
            let turned = (rotation_exp(spin * dt) * state.pose.rotation).normalize();
            self.work.predicted_objects[i] = Pose::new(state.pose.position + velocity * dt, turned);
        }
    }

    /// All contacts of all bodies, of one kind.
    pub(super) fn detect_contacts(&mut self, dt: f64) {
        let falls = self.config.gravity.length() * dt * dt;
        let mut contacts = std::mem::take(&mut self.work.contacts);
        let mut places = std::mem::take(&mut self.work.places);
        let mut positions = std::mem::take(&mut self.work.point_positions);
        contacts.clear();
        let scene = self.scene();
        let memory = &self.state.contacts;
        let remembered = |key: &_| memory.contact(key).and_then(|m| m.entered);
        let active = |body: usize| self.state.softs[body].active;
        for body in (0..self.softs.len()).filter(|&b| active(b)) {
            skin_against_objects(&scene, body as u32, ALARM.max(falls), &remembered, &mut positions, &mut contacts);
        }
        for (body, places) in places.iter_mut().enumerate() {
            places.present = active(body);
            if places.present {
                places.follow(&self.softs[body].touch, &self.work.predicted_nodes[body]);
                edges_against_skin(&scene, body as u32, places, ALARM.max(falls), &mut contacts);
            }
        }
        let pressed = |body, point| memory.has_touch_point(body, point);
        soft_against_soft(&scene, pressed, &mut places, self.config.self_contact, SOFT_ALARM.max(falls), &mut contacts);
        objects_against_objects(&scene, ALARM.max(falls), |key| memory.contact(key).is_some(), &mut contacts);
        self.report.flags.contact_overflow = contacts.overflow;
        self.work.contacts = contacts;
        self.work.places = places;
        self.work.point_positions = positions;
    }

    /// The motion without constraints, by the solver that was chosen.
    pub(super) fn free_motion(&mut self, dt: f64, assembled: Assembled, lap: &mut u64) -> Result<Free, Failed> {
        match self.config.solver {
            SolverParams::Direct => {
                let factored = assembled.factor(&*self.executor);
                self.timed(Stage::Factor, lap);
                let mut touching = std::mem::take(&mut self.work.touching);
                let mut terms = ObjectPairs { input: &self.contact_input(dt), pairs: &mut touching.pairs };
                let free = factored.and_then(|factored| factored.solve(&mut terms));
                self.work.touching = touching;
                free
            }
            SolverParams::Pcg { tolerance, max_iterations } => {
                let params = PcgParams { tolerance, max_iterations: max_iterations as usize };
                Ok(self.iterate(dt, assembled, params))
            }
        }
    }
}
