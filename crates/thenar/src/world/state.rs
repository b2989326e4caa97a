//! What a snapshot saves.

use super::soft_body::SoftState;
use crate::contact::{Anchor, Anchors};
use crate::energy::inertia::RigidState;
use crate::math::Pose;
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
    /// Steps in a row that could not be solved.
    pub failures: u32,
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
    /// Friction anchors of the objects' samples.
    pub object_anchors: Vec<Anchors>,
    /// Which of the slots for hosted objects each object has, if any.
    pub slots: Vec<Option<u32>>,
}

impl State {
    /// A hash of every number in the state: equal on every run, thread count and snapshot of the same simulation.
    #[must_use]
    pub fn hash(&self) -> u64 {
        let mut h = Hash(0xcbf2_9ce4_8422_2325);
        h.f64(self.time);
        for soft in self.softs.iter().filter(|s| s.active) {
            soft.nodes.iter().chain(&soft.velocities).for_each(|v| h.vector(*v));
            soft.rotations.components().for_each(|c| h.f64(c));
            soft.bones.iter().for_each(|b| h.body(b));
            if let Some(joints) = &soft.joints {
                let angles = joints.angles.digits.iter().chain(&joints.rates.digits);
                angles.flatten().for_each(|a| h.f64(*a));
            }
            soft.anchors.iter().for_each(|a| h.anchor(a));
            soft.touch_anchors.iter().for_each(|a| h.vector(a.force));
        }
        for hand in &self.hands {
            hand.elastic.bones.iter().for_each(|b| h.body(b));
            h.f64(hand.elastic.accumulator);
            hand.targets.bones.iter().for_each(|pose| h.pose(pose));
            h.f64(f64::from(u8::from(hand.targets.present)) + 2.0 * f64::from(hand.failures));
            hand.touching.iter().for_each(|&bits| h.f64(f64::from(bits)));
        }
        self.objects.iter().for_each(|b| h.body(b));
        self.slots.iter().flatten().for_each(|&slot| h.f64(f64::from(slot)));
        for anchors in &self.object_anchors {
            anchors.iter().for_each(|a| h.anchor(a));
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

    fn anchor(&mut self, a: &Anchor) {
        self.f64(f64::from(a.object));
        self.vector(a.local);
        self.f64(a.pressing);
        self.vector(a.force);
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
