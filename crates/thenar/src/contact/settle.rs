//! After the solve: what every contact came to, and what it remembers.

use super::memory::{Anchor, ContactMemory, Memory, PatchMemory};
use super::pair::{Pair, Verdict};
use super::patches::way;
use super::touching::{ContactInput, Motion, Touching};
use crate::body::ContactMethod;
use crate::collide::{BodyRef, Entered, Feature, Met, Side};
use crate::constraint::{ConstraintSet, ON_THE_CONE, STICKING};
use crate::math::{Quat, Vec3};

impl Touching {
    /// Final forces and gaps into the pairs, and `memory` receives what they remember.
    pub fn settle(
        &mut self,
        input: &ContactInput<'_>,
        motion: &Motion<'_>,
        set: &ConstraintSet,
        memory: &mut ContactMemory,
    ) {
        memory.clear();
        for pair in &mut self.pairs {
            let w = pair.displacement(input.dt, input.found(&pair.contact, motion));
            pair.gap = pair.contact.normal.dot(w);
            pair.come_to(w, set);
        }
        for patch in 0..self.patches.len() {
            self.settle_patch(patch, input, set, memory);
        }
        for pair in self.pairs.iter_mut().filter(|p| p.active) {
            let w = pair.displacement(input.dt, input.found(&pair.contact, motion));
            let way = w - pair.contact.normal * pair.gap;
            memory.keep(remember(pair, way, input, motion));
        }
        self.shed_depth(input, memory);
        memory.sort();
    }

    fn settle_patch(
        &mut self,
        index: usize,
        input: &ContactInput<'_>,
        set: &ConstraintSet,
        memory: &mut ContactMemory,
    ) {
        let patch = self.patches[index];
        let (force, reached) = (set.force(patch.block), set.reached(patch.block));
        let acting = set.acting(patch.block);
        let torque = force.get(3).copied().unwrap_or(0.0);
        let spin = reached.get(3).copied().unwrap_or(0.0);
        let [t, s] = patch.tangents;
        let (pull, slid) = (t * force[1] + s * force[2], t * reached[1] + s * reached[2]);
        let slips = slid.length() + patch.spread.sqrt() * spin.abs() > STICKING;
        let springs = input.aggregate.pressure == super::Pressure::Springs;
        for m in &self.scratch.members[patch.members[0] as usize..patch.members[1] as usize] {
            let pair = &mut self.pairs[m.pair as usize];
            let normal = pair.contact.normal;
            let around = patch.normal.cross(pair.contact.point - patch.centre);
            // beside what its own spring gives
            let twist = acting.get(3).map_or(0.0, |torque| torque / patch.spread);
            let shared = t * acting[1] + s * acting[2] + around * twist;
            let friction = patch.laid(&pair.contact, shared) * (m.friction * way(&pair.contact));
            if !springs {
                pair.force = normal * (force[0] * m.normal);
                pair.active = force[0] > 0.0;
            }
            pair.force += friction;
            pair.slipping = slips;
        }
        if force[0] <= 0.0 {
            return;
        }
        let turn = match patch.key.other {
            BodyRef::Object(object) => input.scene.poses[object as usize].rotation,
            BodyRef::Soft(_) => Quat::IDENTITY,
        };
        let fresh = PatchMemory { pressing: force[0], friction: pull, torque, ..PatchMemory::new(patch.key) };
        memory.keep_patch(if slips {
            fresh
        } else {
            PatchMemory { offset: turn.inverse() * slid, turned: spin, ..fresh }
        });
    }
}

impl Pair {
    /// Its own force at the end of the step, without what friction of a patch adds.
    fn come_to(&mut self, w: Vec3, set: &ConstraintSet) {
        self.force = Vec3::ZERO;
        self.slipping = false;
        if self.is_in_matrix() || (self.between_objects() && self.verdict != Verdict::Open && self.block.is_none()) {
            self.force = self.modelled(w);
            self.slipping = self.verdict == Verdict::Slide;
        }
        self.force += self.contact.normal * self.share;
        if let Some(block) = self.block {
            // what acts beyond matrix and patch: together the force that the law found
            let at = |list: &[f64], k: usize| list.get(k).copied().unwrap_or(0.0);
            let (acting, force) = (set.acting(block), set.force(block));
            self.force += self.axes() * Vec3::new(at(acting, 0), at(acting, 1), at(acting, 2));
            let friction = (at(force, 1).powi(2) + at(force, 2).powi(2)).sqrt();
            self.slipping = friction >= self.friction * force[0] * ON_THE_CONE && force.len() > 1;
            if force[0] == 0.0 && self.method != ContactMethod::Outside {
                // the law says open: what is left of lifting it out of the matrix is rounding
                self.force -= self.contact.normal * self.pressing().min(0.0);
            }
        }
        // a law from outside may pull
        let outside = self.method == ContactMethod::Outside;
        self.active = self.pressing() > 0.0 || outside && self.force != Vec3::ZERO;
        self.pull = if outside { 0.0 } else { (-self.pressing()).max(0.0) };
    }
}

/// What a pressing contact remembers; `way` is its tangential displacement from its anchor.
fn remember(pair: &Pair, way: Vec3, input: &ContactInput<'_>, motion: &Motion<'_>) -> Memory {
    let contact = &pair.contact;
    let pressing = pair.pressing();
    // how far the anchor follows a slip: what is left of the way carries the friction
    let stretch = match pair.method {
        ContactMethod::Penalty => {
            let friction = pair.force - contact.normal * pressing;
            if pair.slipping { friction / -pair.tangent_stiffness } else { way }
        }
        _ if pair.slipping => Vec3::ZERO,
        ContactMethod::Aggregate if pair.tangent_stiffness > 0.0 => {
            // what its patch holds it with beyond its own cone it slips by
            let friction = pair.force - contact.normal * pressing;
            let beyond = 1.0 - (pair.friction * pressing / friction.length().max(f64::MIN_POSITIVE)).min(1.0);
            way + friction * (beyond / pair.tangent_stiffness)
        }
        ContactMethod::Point | ContactMethod::Aggregate | ContactMethod::Outside => way,
    };
    let pose = match contact.sides[1] {
        Side::Rigid { object, .. } => Some(&input.scene.poses[object as usize]),
        Side::Soft { .. } => None,
    };
    let anchor = match (contact.met, pose) {
        (Met::Triangle(..), _) => soft_anchor(pair, stretch, input, motion),
        (Met::Local(local), Some(pose)) => {
            // the displacement at the predicted end, less how far the anchor follows
            let predicted = pair.predicted - contact.normal * contact.normal.dot(pair.predicted);
            Anchor::Local(local - pose.rotation.inverse() * (predicted - (way - stretch)))
        }
        (Met::Rolling, Some(pose)) => Anchor::Rolling(pose.rotation.inverse() * stretch),
        _ => Anchor::Local(Vec3::ZERO),
    };
    let entered = match (contact.met, pose) {
        (Met::Local(local), Some(pose)) if matches!(contact.key.feature, Feature::Skin(_)) => {
            let normal = pose.rotation.inverse() * contact.normal;
            Some(Entered { normal, surface: local - normal * contact.gap })
        }
        _ => None,
    };
    Memory {
        key: contact.key,
        method: pair.method,
        anchor,
        pressing,
        force: pair.force,
        gap: pair.gap,
        slipping: pair.slipping,
        entered,
    }
}

/// A sticking contact keeps its anchor; a new or sliding one gets the material point from which it is stretched.
fn soft_anchor(pair: &Pair, stretch: Vec3, input: &ContactInput<'_>, motion: &Motion<'_>) -> Anchor {
    let contact = &pair.contact;
    let (BodyRef::Soft(body), Met::Triangle(triangle, share)) = (contact.key.other, contact.met) else {
        return Anchor::Local(Vec3::ZERO);
    };
    if let Some(m) = &pair.memory
        && !pair.slipping
        && m.method == pair.method
        && let Anchor::Triangle(..) = m.anchor
    {
        return m.anchor;
    }
    let reached = |body: u32, point: u32| {
        let p = &input.scene.softs[body as usize].touch.points[point as usize];
        p.interpolate(&input.scene.soft_states[body as usize].nodes)
            + p.interpolate(&motion.problems[body as usize].solution) * input.dt
    };
    let target = match (contact.key.owner, contact.key.feature) {
        (BodyRef::Soft(own), Feature::Touch(point)) => reached(own, point) - stretch,
        (BodyRef::Object(object), Feature::Edge(feature)) => {
            let local = input.scene.objects[object as usize].features[feature as usize].local;
            let pose = &input.scene.object_states[object as usize].pose;
            let (velocity, spin) = input.object_motion(object, motion);
            let arm = pose.rotation * local;
            pose.position + arm + (velocity + spin.cross(arm)) * input.dt + stretch
        }
        _ => return Anchor::Triangle(triangle, share),
    };
    let [a, b, c] = input.scene.softs[body as usize].touch.triangles[triangle as usize].map(|p| reached(body, p));
    let across = (b - a).cross(c - a);
    let size = across.length_squared();
    if size <= f64::MIN_POSITIVE {
        return Anchor::Triangle(triangle, share);
    }
    // the material point of the triangle's plane below the target; it may lie beside the triangle
    let second = (target - a).cross(c - a).dot(across) / size;
    let third = (b - a).cross(target - a).dot(across) / size;
    Anchor::Triangle(triangle, [1.0 - second - third, second, third])
}
