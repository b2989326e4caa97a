//! The solved velocities become the new state, or the step is rolled back: the one place that writes how bodies move, and what contacts
//! remember.

use super::World;
use super::phases::{Failed, Solved};
use crate::contact::Motion;
use crate::energy::attachments::bone_block;
use crate::hand::HandPose;
use crate::math::Vec3;

/// No contact in a hand's world changes a velocity by more than this within a step, m/s: a step that says so has exploded.
const WILDEST: f64 = 100.0;
/// Nor a spin, rad/s.
const WILDEST_SPIN: f64 = 2000.0;

impl World {
    pub(super) fn commit_or_roll_back(&mut self, dt: f64, solved: Result<Solved, Failed>) {
        match solved {
            Ok(solved) => {
                if self.is_sane(&solved.motion()) {
                    self.commit(dt, &solved);
                } else {
                    self.roll_back();
                }
                self.work.equations = solved.into_equations();
            }
            Err(failed) => {
                self.report.failure = Some(failed.error);
                self.work.equations = failed.equations;
                self.roll_back();
            }
        }
        self.state.step = self.report.step;
        self.state.time += dt;
        self.report.time = self.state.time;
    }

    /// Everything is finite, and nothing was thrown. What falls for long may be as fast as it likes.
    fn is_sane(&self, motion: &Motion<'_>) -> bool {
        let sane = |from: Vec3, to: Vec3, bound: f64| to.is_finite() && from.distance_squared(to) < bound * bound;
        let states = motion.problems.iter().zip(&self.softs).zip(&self.state.softs).filter(|((p, _), _)| p.active);
        let softs = states.into_iter().all(|((problem, body), state)| {
            let n = body.node_count();
            let nodes = problem.solution[..n].iter().zip(&state.velocities).all(|(v, was)| sane(*was, *v, WILDEST));
            let bones = problem.solution[n..].chunks(2).enumerate().all(|(i, pair)| {
                // behind the base, the unknowns of a reduced skeleton are rates of angles
                let first = if body.reduced.is_some() && i > 0 { WILDEST_SPIN } else { WILDEST };
                let was = if body.reduced.is_some() && i > 0 { Vec3::ZERO } else { state.bones[i].velocity };
                sane(was, pair[0], first) && sane(Vec3::ZERO, pair[1], WILDEST_SPIN)
            });
            nodes && bones
        });
        softs
            && self.objects.iter().zip(&self.work.object_motions).all(|(object, was)| {
                object.border.is_none_or(|index| {
                    let (velocity, spin) = motion.border.motion(index as usize);
                    sane(was.0, velocity, WILDEST) && sane(was.1, spin, WILDEST_SPIN)
                })
            })
    }

    fn commit(&mut self, dt: f64, solved: &Solved) {
        let motion = solved.motion();
        self.settle_contacts(dt, &motion);
        for (object, moved) in self.objects.iter().zip(&mut self.work.object_motions) {
            *moved = object.border.map_or((Vec3::ZERO, Vec3::ZERO), |index| motion.border.motion(index as usize));
        }
        self.settle_tethers(dt);
        for (i, ((body, state), problem)) in
            self.softs.iter().zip(&mut self.state.softs).zip(motion.problems).enumerate()
        {
            if !state.active {
                continue;
            }
            let holding = self.work.limits.holding(i);
            state.holding.copy_from_slice(holding);
            state.memory.pass(dt);
            for ((x, v), solved) in state.nodes.iter_mut().zip(&mut state.velocities).zip(&problem.solution) {
                *v = *solved;
                *x += *solved * dt;
            }
            for &node in &body.clamped {
                // what holds it yields to a newton by a hundred-millionth of a millimetre
                state.velocities[node as usize] = Vec3::ZERO;
                state.nodes[node as usize] -= problem.solution[node as usize] * dt;
            }
            if let Some(skeleton) = &body.reduced {
                skeleton.advance(body, state, &problem.solution[body.node_count()..], dt);
                continue;
            }
            for (b, (bone, mass)) in state.bones.iter_mut().zip(&body.bones).enumerate() {
                let block = bone_block(body.node_count(), b as u32) as usize;
                bone.advance(mass, problem.solution[block], problem.solution[block + 1], dt);
            }
            if let (true, Some(hand)) = (body.one_piece, self.hand_of_soft[i]) {
                self.hands[hand as usize].carry_bones(body, state);
            }
        }
        for ((object, state), moved) in self.objects.iter().zip(&mut self.state.objects).zip(&self.work.object_motions)
        {
            if let Some(mass) = &object.mass
                && !object.dormant()
            {
                state.advance(mass, moved.0, moved.1, dt);
            }
        }
        self.state.hands.iter_mut().for_each(|h| h.failures = 0);
    }

    /// Final contact forces, and what the next step remembers of them.
    fn settle_contacts(&mut self, dt: f64, motion: &Motion<'_>) {
        let mut touching = std::mem::take(&mut self.work.touching);
        let mut next = std::mem::take(&mut self.work.next_memory);
        touching.settle(&self.contact_input(dt), motion, &self.work.constraints, &mut next);
        let (mut pressed, mut sunk) = (0.0, 0.0);
        for pair in &touching.pairs {
            self.report.pull = self.report.pull.max(pair.pull);
            if pair.between_objects() {
                self.report.object_contacts += u32::from(pair.active);
                continue;
            }
            // skin in objects, and soft bodies in each other
            self.report.depth = self.report.depth.max(-pair.gap);
            if pair.active {
                *(if pair.is_between_soft() {
                    &mut self.report.soft_contacts
                } else {
                    &mut self.report.skin_contacts
                }) += 1;
                pressed += pair.contact.area;
                sunk -= pair.contact.area * pair.gap;
            }
        }
        self.report.mean_depth = if pressed > 0.0 { sunk / pressed } else { 0.0 };
        self.work.touching = touching;
        self.work.next_memory = std::mem::replace(&mut self.state.contacts, next);
    }

    /// Keeps every position and drops every velocity, so that the next step starts from rest.
    fn roll_back(&mut self) {
        self.report.flags.rolled_back = true;
        self.work.handle_step = None;
        self.drop_pulls();
        self.work.touching.clear();
        for (state, body) in self.state.softs.iter_mut().zip(&self.softs).filter(|(s, _)| s.active) {
            state.velocities.fill(Vec3::ZERO);
            state.holding.fill([0.0; 4]);
            for bone in &mut state.bones {
                bone.velocity = Vec3::ZERO;
                bone.momentum = Vec3::ZERO;
            }
            if let Some(joints) = &mut state.joints {
                joints.rates = HandPose::default();
            }
            state.rotations.reset(&body.tissue, &state.nodes);
        }
        for state in &mut self.state.objects {
            state.velocity = Vec3::ZERO;
            state.momentum = Vec3::ZERO;
        }
        self.state.hands.iter_mut().for_each(|h| h.failures += 1);
    }
}
