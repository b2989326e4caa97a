//! The solved velocities become the new state, or the step is rolled back.

use super::World;
use super::assemble::{SoftView, contact_input};
use crate::collide::Toucher;
use crate::contact::penalty::{self, ContactRecord};
use crate::contact::{Anchor, SoftAnchors, free};
use crate::energy::attachments::bone_block;
use crate::hand::HandPose;
use crate::math::Vec3;
use crate::solve::SolveError;

/// Nothing in a hand's world is faster than this, m/s: a step that says so has exploded.
const FASTEST: f64 = 100.0;
/// Nor does anything spin faster than this, rad/s.
const FASTEST_SPIN: f64 = 2000.0;

impl World {
    pub(super) fn commit_or_roll_back(&mut self, dt: f64, solved: Result<(), SolveError>) {
        if solved.is_err() || !self.solution_is_sane() {
            self.roll_back();
        } else {
            self.commit(dt);
        }
        self.state.step += 1;
        self.state.time += dt;
        self.report.time = self.state.time;
    }

    fn solution_is_sane(&self) -> bool {
        let sane = |v: Vec3, bound: f64| v.is_finite() && v.length_squared() < bound * bound;
        let softs = self.work.problems.iter().zip(&self.softs).filter(|(p, _)| p.active).all(|(problem, body)| {
            let n = body.node_count();
            problem.solution[..n].iter().all(|v| sane(*v, FASTEST))
                && problem.solution[n..].chunks(2).enumerate().all(|(i, pair)| {
                    // behind the base, the unknowns of a reduced skeleton are rates of angles
                    let first = if body.reduced.is_some() && i > 0 { FASTEST_SPIN } else { FASTEST };
                    sane(pair[0], first) && sane(pair[1], FASTEST_SPIN)
                })
        });
        softs
            && self.objects.iter().filter_map(|o| o.border).all(|index| {
                let (velocity, spin) = self.work.border.motion(index as usize);
                sane(velocity, FASTEST) && sane(spin, FASTEST_SPIN)
            })
    }

    fn commit(&mut self, dt: f64) {
        self.report.depth = self.deepest(dt);
        let work = &mut self.work;
        for (object, motion) in self.objects.iter().zip(&mut work.object_motions) {
            *motion = object.border.map_or((Vec3::ZERO, Vec3::ZERO), |index| work.border.motion(index as usize));
        }
        self.settle_contacts(dt);
        self.settle_tethers(dt);
        let (mut pressed, mut sunk) = (0.0, 0.0);
        for record in self.work.records.iter().filter(|r| r.active) {
            match record.contact.toucher {
                Toucher::Soft { .. } => {
                    self.report.skin_contacts += 1;
                    let normal = record.force.dot(record.normal).max(0.0);
                    pressed += normal;
                    sunk -= normal * record.gap;
                }
                Toucher::Object { .. } => self.report.object_contacts += 1,
            }
        }
        self.report.mean_depth = if pressed > 0.0 { sunk / pressed } else { 0.0 };
        self.report.soft_contacts = self.work.pairs.pairs.iter().filter(|p| p.force != Vec3::ZERO).count() as u32;
        let work = &mut self.work;
        for ((body, state), problem) in self.softs.iter().zip(&mut self.state.softs).zip(&work.problems) {
            if !state.active {
                continue;
            }
            for ((x, v), solved) in state.nodes.iter_mut().zip(&mut state.velocities).zip(&problem.solution) {
                *v = *solved;
                *x += *solved * dt;
            }
            if let Some(skeleton) = &body.reduced {
                skeleton.advance(body, state, &problem.solution[body.node_count()..], dt);
                continue;
            }
            for (b, (bone, mass)) in state.bones.iter_mut().zip(&body.bones).enumerate() {
                let block = bone_block(body.node_count(), b as u32) as usize;
                bone.advance(mass, problem.solution[block], problem.solution[block + 1], dt);
            }
        }
        for ((object, state), motion) in self.objects.iter().zip(&mut self.state.objects).zip(&work.object_motions) {
            if let Some(mass) = &object.mass
                && !object.dormant()
            {
                state.advance(mass, motion.0, motion.1, dt);
            }
        }
        self.state.hands.iter_mut().for_each(|h| h.failures = 0);
    }

    /// How deep the skin ends up inside objects, metres.
    fn deepest(&self, dt: f64) -> f64 {
        let work = &self.work;
        let (poses, motions) = (&work.predicted_objects, &work.object_motions);
        let input = contact_input(dt, &self.config, &self.objects, &self.state, poses, motions);
        let softs = SoftView { bodies: &self.softs, states: &self.state.softs };
        free::depths(&work.contacts, &input, &softs, &work.problems, &work.border).fold(0.0, f64::max)
    }

    /// Final contact forces, and the anchors of the next step.
    fn settle_contacts(&mut self, dt: f64) {
        let work = &mut self.work;
        let (anchors, object_anchors) = (&mut work.next_anchors, &mut work.next_object_anchors);
        for a in anchors.iter_mut().chain(object_anchors.iter_mut()) {
            a.clear();
        }
        let view = SoftView { bodies: &self.softs, states: &self.state.softs };
        let mut keep = |toucher: Toucher, anchor: Anchor| match toucher {
            Toucher::Soft { body, point } => anchors[body as usize].put(point, anchor),
            Toucher::Object { object, sample } => object_anchors[object as usize].put(sample, anchor),
        };
        let (poses, motions, problems) = (&work.predicted_objects, &work.object_motions, &work.problems);
        let (springs, constrained) = work.records.split_at_mut(work.spring_records);
        penalty::settle(springs, dt, poses, &view, problems, motions, &mut keep);
        let first = work.spring_records as u32;
        work.points.settle(&work.constraints, first, constrained, poses, &mut keep);
        let outcome = |record: &ContactRecord| record.final_outcome(dt, poses, &view, problems, motions);
        work.patches.settle(&work.constraints, first, constrained, poses, outcome, &mut keep);
        let touch = &mut work.next_touch_anchors;
        touch.iter_mut().for_each(SoftAnchors::clear);
        work.pairs.settle(&work.constraints, dt, &view, problems, |body, point, anchor| {
            touch[body as usize].put(point, anchor);
        });
        for (state, next) in self.state.softs.iter_mut().zip(touch) {
            std::mem::swap(&mut state.touch_anchors, next);
        }
        for (state, next) in self.state.softs.iter_mut().zip(anchors) {
            std::mem::swap(&mut state.anchors, next);
        }
        for (state, next) in self.state.object_anchors.iter_mut().zip(object_anchors) {
            std::mem::swap(state, next);
        }
    }

    /// Keeps every position and drops every velocity, so that the next step starts from rest.
    fn roll_back(&mut self) {
        self.report.flags.rolled_back = true;
        self.drop_pulls();
        self.work.records.clear();
        self.work.pairs.pairs.clear();
        self.work.soft_records = 0;
        self.work.spring_records = 0;
        for (state, body) in self.state.softs.iter_mut().zip(&self.softs).filter(|(s, _)| s.active) {
            state.velocities.fill(Vec3::ZERO);
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
