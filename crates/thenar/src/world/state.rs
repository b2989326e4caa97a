//! What a snapshot saves.

use crate::body::{ContactMethod, SoftState};
use crate::collide::{BodyRef, Feature};
use crate::contact::{Anchor, ContactMemory, Memory, PatchMemory};
use crate::energy::inertia::RigidState;
use crate::hand::Digit;
use crate::haptics::HandleState;
use crate::math::Pose;
use crate::tactile::FingerMemory;
use crate::tracking::{ElasticState, Targets};

/// The tracking half of a hand's state.
#[derive(Clone, Debug, PartialEq)]
pub struct HandState {
    /// Where the bones should be.
    pub targets: Targets,
    /// The intermediate bones.
    pub elastic: ElasticState,
    /// Which digits (bits 0–4) and palm (bit 5) touch each object, for begin and end events.
    pub touching: Vec<u8>,
    /// The same for soft bodies.
    pub touching_soft: Vec<u8>,
    /// Where the hand was put beside its target, out of what it appeared in, metres; it comes back from there without haste.
    pub aside: crate::math::Vec3,
    /// Steps in a row that could not be solved.
    pub failures: u32,
    /// Discs and slip of the fingertips; not part of the hash, since nothing that moves depends on it.
    pub tactile: [FingerMemory; Digit::ALL.len()],
}

/// Everything that changes from step to step. Two equal states continue in the same way, bit for bit.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct State {
    /// Simulated time, seconds.
    pub time: f64,
    /// Steps taken.
    pub step: u64,
    /// Soft bodies.
    pub softs: Vec<SoftState>,
    /// Tracking of the hands.
    pub hands: Vec<HandState>,
    /// Rigid objects.
    pub objects: Vec<RigidState>,
    /// What contacts remember.
    pub contacts: ContactMemory,
    /// Which of the slots for hosted objects each object has, if any.
    pub slots: Vec<Option<u32>>,
    /// Where devices want handles.
    pub handles: Vec<Option<HandleState>>,
    /// Bodies that were taken out of the world, in that order.
    pub removed: Vec<BodyRef>,
}

impl State {
    /// A hash of every number in the state: equal on every run, thread count and snapshot of the same simulation.
    #[must_use]
    pub fn hash(&self) -> u64 {
        let mut h = Hash(0xcbf2_9ce4_8422_2325);
        h.f64(self.time);
        for soft in self.softs.iter().filter(|s| s.active) {
            soft.nodes.iter().chain(&soft.velocities).for_each(|v| h.vector(*v));
            soft.rotations.components().chain(soft.memory.components()).for_each(|c| h.f64(c));
            soft.holding.iter().flatten().for_each(|&x| h.f64(x));
            soft.bones.iter().for_each(|b| h.body(b));
            if let Some(joints) = &soft.joints {
                let angles = joints.angles.digits.iter().chain(&joints.rates.digits);
                angles.flatten().for_each(|a| h.f64(*a));
            }
        }
        for hand in &self.hands {
            hand.elastic.bones.iter().for_each(|b| h.body(b));
            h.f64(hand.elastic.accumulator);
            hand.targets.bones.iter().for_each(|pose| h.pose(pose));
            h.vector(hand.aside);
            h.f64(f64::from(u8::from(hand.targets.present)) + 2.0 * f64::from(hand.failures));
            hand.touching.iter().chain(&hand.touching_soft).for_each(|&bits| h.f64(f64::from(bits)));
        }
        self.objects.iter().for_each(|b| h.body(b));
        self.slots.iter().flatten().for_each(|&slot| h.f64(f64::from(slot)));
        self.contacts.contacts().iter().for_each(|m| h.memory(m));
        self.contacts.patches().iter().for_each(|m| h.patch(m));
        self.removed.iter().for_each(|body| h.body_ref(body));
        for target in self.handles.iter().flatten() {
            h.pose(&target.pose);
            h.vector(target.velocity);
            h.vector(target.spin);
        }
        h.0
    }
}

/// A word-at-a-time multiply-and-fold hash (the mixing step of wyhash: multiply to 128 bits, fold the halves).
struct Hash(u64);

impl Hash {
    fn f64(&mut self, x: f64) {
        let wide = u128::from(self.0 ^ x.to_bits()) * 0x9E37_79B9_7F4A_7C15;
        self.0 = (wide as u64) ^ ((wide >> 64) as u64).wrapping_add(0xA076_1D64_78BD_642F);
    }

    fn vector(&mut self, v: crate::math::Vec3) {
        v.to_array().iter().for_each(|&x| self.f64(x));
    }

    fn word(&mut self, x: u32) {
        self.f64(f64::from(x));
    }

    fn body_ref(&mut self, body: &BodyRef) {
        self.f64(match *body {
            BodyRef::Soft(soft) => -1.0 - f64::from(soft),
            BodyRef::Object(object) => 1.0 + f64::from(object),
        });
    }

    /// Everything that a contact remembers.
    fn memory(&mut self, m: &Memory) {
        let (kind, feature) = match m.key.feature {
            Feature::Skin(i) => (0, i),
            Feature::Touch(i) => (1, i),
            Feature::Sample(i) => (2, i),
            Feature::Edge(i) => (3, i),
        };
        self.body_ref(&m.key.owner);
        self.body_ref(&m.key.other);
        let method = match m.method {
            ContactMethod::Penalty => 0,
            ContactMethod::Point => 1,
            ContactMethod::Aggregate => 2,
            ContactMethod::Outside => 3,
        };
        [kind, feature, u32::from(m.key.part), method].iter().for_each(|&x| self.word(x));
        match m.anchor {
            Anchor::Local(place) | Anchor::Rolling(place) => self.vector(place),
            Anchor::Triangle(triangle, share) => {
                self.word(triangle);
                share.iter().for_each(|&s| self.f64(s));
            }
        }
        for x in [m.pressing, m.gap, f64::from(u8::from(m.slipping))] {
            self.f64(x);
        }
        self.vector(m.force);
        if let Some(entered) = &m.entered {
            self.vector(entered.normal);
            self.vector(entered.surface);
        }
    }

    fn patch(&mut self, m: &PatchMemory) {
        self.body_ref(&m.key.other);
        [m.key.body, u32::from(m.key.patch), u32::from(m.key.place)].iter().for_each(|&x| self.word(x));
        self.vector(m.friction);
        self.vector(m.offset);
        for x in [m.pressing, m.torque, m.turned, m.shift, m.rested, m.rest_force] {
            self.f64(x);
        }
    }

    fn pose(&mut self, pose: &Pose) {
        self.vector(pose.position);
        pose.rotation.to_array().iter().for_each(|&x| self.f64(x));
    }

    fn body(&mut self, b: &RigidState) {
        self.pose(&b.pose);
        self.vector(b.velocity);
        self.vector(b.momentum);
    }
}
