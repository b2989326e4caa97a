//! A small hand that takes postures.
#![allow(dead_code)] // Each test uses its part.

pub mod ball;

use std::sync::OnceLock;
use thenar::hand::{HandModel, HandOptions, HandPose, SkinDetail};
use thenar::math::Pose;
use thenar::tracking::TrackerFrame;
use thenar::world::{HandId, StepReport, World, WorldConfig};

/// Seconds per step.
pub const DT: f64 = 1.0 / 250.0;

/// A small hand, built once for all tests of a file.
pub fn model() -> &'static HandModel {
    static MODEL: OnceLock<HandModel> = OnceLock::new();
    MODEL.get_or_init(|| {
        let mut options = HandOptions { detail: SkinDetail::Coarse, ..HandOptions::default() };
        options.tissue.tets = 600;
        HandModel::build(&options).unwrap()
    })
}

/// What a tracker sees of a hand in that pose.
pub fn tracked(model: &HandModel, pose: &HandPose, wrist: Pose) -> TrackerFrame {
    let bones = model.skeleton.pose(pose, wrist);
    TrackerFrame { side: model.side, joints: model.skeleton.joint_set(&bones) }
}

/// Joint angles of the digits, degrees.
#[derive(Clone, Copy, Debug)]
pub struct Posture(pub [[f64; 4]; 5]);

impl Posture {
    pub const REST: Posture = Posture([[0.0; 4]; 5]);
    pub const OPEN: Posture = Posture([
        [-10.0, 10.0, -5.0, -5.0],
        [-8.0, 6.0, -8.0, -5.0],
        [-8.0, 0.0, -8.0, -5.0],
        [-8.0, -4.0, -8.0, -5.0],
        [-8.0, -10.0, -8.0, -5.0],
    ]);
    pub const FLAT: Posture = Posture([
        [0.0, 0.0, 0.0, 0.0],
        [-8.0, 0.0, -12.0, -8.0],
        [-8.0, 0.0, -12.0, -8.0],
        [-8.0, 0.0, -12.0, -8.0],
        [-8.0, 0.0, -12.0, -8.0],
    ]);
    pub const BALL: Posture = Posture([
        [32.0, 4.0, 21.0, 11.0],
        [44.0, 2.0, 40.0, 20.0],
        [40.0, -4.0, 40.0, 21.0],
        [40.0, -10.0, 42.0, 22.0],
        [44.0, -14.0, 42.0, 22.0],
    ]);
    pub const PINCH: Posture = Posture([
        [21.0, -4.0, 8.0, 8.0],
        [51.0, 0.0, 43.0, 23.0],
        [15.0, 0.0, 15.0, 8.0],
        [10.0, -2.0, 12.0, 6.0],
        [8.0, -5.0, 10.0, 5.0],
    ]);
    pub const FIST: Posture = Posture([
        [22.0, -5.0, 20.0, 35.0],
        [75.0, 0.0, 86.0, 55.0],
        [78.0, 0.0, 84.0, 55.0],
        [79.0, 0.0, 82.0, 55.0],
        [78.0, 0.0, 82.0, 55.0],
    ]);

    /// `self` at 0, `other` at 1.
    pub fn mixed(&self, other: &Posture, share: f64) -> Posture {
        Posture(std::array::from_fn(|d| std::array::from_fn(|k| self.0[d][k] + (other.0[d][k] - self.0[d][k]) * share)))
    }

    /// The tracked hand in this posture, its wrist at `wrist`.
    pub fn frame(&self, model: &HandModel, wrist: Pose) -> TrackerFrame {
        tracked(model, &HandPose { digits: self.0.map(|d| d.map(f64::to_radians)) }, wrist)
    }
}

/// A world with one hand at the origin.
pub struct HandWorld {
    pub world: World,
    pub hand: HandId,
    posture: Posture,
}

impl HandWorld {
    pub fn new(config: WorldConfig) -> HandWorld {
        let mut world = World::new(config).unwrap();
        let hand = world.add_hand(model()).unwrap();
        HandWorld { world, hand, posture: Posture::REST }
    }

    /// Moves into a posture over three quarters of the steps and stays there; returns the last report.
    pub fn take(&mut self, posture: &Posture, steps: usize) -> StepReport {
        let from = self.posture;
        for i in 0..steps {
            let share = (i as f64 / (0.75 * steps as f64)).min(1.0);
            let frame = from.mixed(posture, share).frame(model(), Pose::IDENTITY);
            self.world.track(self.hand, &frame).unwrap();
            assert!(!self.world.step(DT).unwrap().flags.rolled_back, "step {i}");
        }
        self.posture = *posture;
        *self.world.report()
    }
}
