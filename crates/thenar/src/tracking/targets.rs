//! From tracked joints to target poses of the sixteen bones: what is missing or broken is filled from what is known.

use super::TrackerFrame;
use crate::hand::{BONE_COUNT, BoneId, JointSample, JointSet, Side, Skeleton};
use crate::math::Pose;

/// Why a frame, or part of it, was not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct FrameVerdict {
    /// The frame moved the target.
    pub accepted: bool,
    /// Joints that were missing, not finite or out of reach and were filled in.
    pub filled: u32,
    /// The frame was of the other hand.
    pub wrong_side: bool,
}

/// Target placements of the bone frames, kept from frame to frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Targets {
    /// World placements of the bone frames.
    pub bones: [Pose; BONE_COUNT],
    /// A frame has been accepted since the start.
    pub present: bool,
}

/// No joint of a hand is further than this from its wrist, metres: a generous bound on a big hand.
const REACH: f64 = 0.35;
/// No tracker volume is larger than this, metres.
const FAR: f64 = 1e3;

impl Targets {
    /// The hand at rest in its own frame, not yet seen.
    #[must_use]
    pub fn new(skeleton: &Skeleton) -> Self {
        Targets { bones: skeleton.rest_poses(), present: false }
    }

    /// Takes over a frame. A joint that cannot be used keeps its last pose relative to the palm; a frame without a
    /// usable palm, or of the other hand, leaves the target where it is.
    pub fn accept(&mut self, frame: &TrackerFrame, side: Side, skeleton: &Skeleton) -> FrameVerdict {
        if frame.side != side {
            return FrameVerdict { wrong_side: true, ..FrameVerdict::default() };
        }
        let clean = cleaned(&frame.joints);
        let tracked = skeleton.bone_targets(&clean);
        let Some(palm) = tracked[BoneId::PALM.index()] else { return FrameVerdict::default() };
        let old_palm = self.bones[0];
        let carry = palm * old_palm.inverse();
        let mut filled = 0;
        for (bone, seen) in tracked.iter().enumerate() {
            self.bones[bone] = match seen {
                Some(pose) if pose.position.distance(palm.position) < REACH => *pose,
                _ => {
                    filled += 1;
                    carry * self.bones[bone]
                }
            };
        }
        self.present = true;
        FrameVerdict { accepted: true, filled, wrong_side: false }
    }
}

/// The joints with finite positions and usable orientations, renormalised.
fn cleaned(joints: &JointSet) -> JointSet {
    let usable = |sample: JointSample| {
        let q = sample.pose.rotation;
        let norm = q.length();
        let fine = sample.pose.is_finite() && (0.5..2.0).contains(&norm) && sample.pose.position.length() < FAR;
        fine.then(|| JointSample { pose: Pose::new(sample.pose.position, q.normalize()), ..sample })
    };
    JointSet(joints.0.map(|joint| joint.and_then(usable)))
}
