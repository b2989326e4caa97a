//! Recordings made up, with the faults of real ones.

use thenar::hand::{HandPose, Side, Skeleton, XrJoint};
use thenar::math::{Pose, Quat, Vec3};
use thenar::tracking::TrackerFrame;

use super::{TrackFormat, TrackFrame, TrackRecording};
use crate::motion::gaussian;

/// What a tracker does to a recording.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Damage {
    /// Noise of positions, metres (standard deviation per axis).
    pub noise: f64,
    /// Positions are rounded to multiples of this, metres; 0 for none.
    pub quantum: f64,
    /// The hand is lost for 0.15 s in every second.
    pub dropouts: bool,
    /// Only 21 joints without rotations and radii: no wrist, no bases of metacarpals.
    pub positions_only: bool,
    /// For a tenth of a second in every second the hand is taken for the other one.
    pub swapped: bool,
}

/// A right hand that waves, closes and pats something 1 m above the ground for some seconds at 90 Hz, seen through `damage`.
#[must_use]
pub fn synthetic(skeleton: &Skeleton, seconds: f64, damage: Damage) -> TrackRecording {
    let mut frames = Vec::new();
    for number in 0..=(seconds * 90.0) as u64 {
        let time = number as f64 / 90.0;
        let mut hand = TrackerFrame { side: Side::Right, joints: skeleton.joint_set(&bones(skeleton, time)) };
        for joint in XrJoint::ALL {
            let Some(sample) = &mut hand.joints[joint] else { continue };
            sample.pose.position += gaussian(11, number, joint.index() as u64) * damage.noise;
            if damage.quantum > 0.0 {
                sample.pose.position = (sample.pose.position / damage.quantum).round() * damage.quantum;
            }
            let base = joint.index() >= 6 && (joint.index() - 6).is_multiple_of(5);
            if damage.positions_only {
                sample.radius = 0.0;
                sample.pose.rotation = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
                if joint == XrJoint::Wrist || base {
                    hand.joints[joint] = None;
                }
            }
        }
        if damage.positions_only {
            hand = super::completed(&hand.joints, hand.side);
        }
        let within = time.fract();
        let mut frame = TrackFrame { time, ..TrackFrame::default() };
        let lost = damage.dropouts && (0.4..0.55).contains(&within);
        if damage.swapped && (0.7..0.8).contains(&within) {
            frame.left = Some(TrackerFrame { side: Side::Left, ..hand });
        } else if !lost {
            frame.right = Some(hand);
        }
        frames.push(frame);
    }
    let length = frames.last().map_or(0.0, |frame| frame.time);
    TrackRecording { format: TrackFormat::Synthetic, frames, length }
}

fn bones(skeleton: &Skeleton, time: f64) -> [Pose; thenar::hand::BONE_COUNT] {
    let wave = |rate: f64, phase: f64| libm::sin(core::f64::consts::TAU * (rate * time + phase));
    let mut pose = HandPose::default();
    for (digit, angles) in pose.digits.iter_mut().enumerate() {
        let bend = 0.35 + 0.35 * wave(0.5, 0.05 * digit as f64);
        *angles = [0.6 * bend, 0.08 * wave(0.3, 0.2), 0.9 * bend, 0.6 * bend];
    }
    let turn = Quat::from_rotation_z(0.25 * wave(0.2, 0.0)) * Quat::from_rotation_x(0.2 * wave(0.35, 0.3));
    let place = Vec3::new(0.1 * wave(0.25, 0.0), 1.06 + 0.06 * wave(0.8, 0.25), -0.3 + 0.05 * wave(0.4, 0.1));
    skeleton.pose(&pose.clamped(skeleton), Pose::new(place, turn))
}
