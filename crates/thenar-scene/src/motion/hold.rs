//! A tracked hand as a place and joint angles.

use thenar::hand::{BONE_COUNT, BoneId, HandPose, Side, Skeleton, XrJoint};
use thenar::math::Pose;
use thenar::tracking::TrackerFrame;

/// A hand as it is or should be.
#[derive(Clone, Debug)]
pub struct Hold {
    /// Which hand.
    pub side: Side,
    /// Frame of the palm's bone.
    pub palm: Pose,
    /// From the hand at rest, within its joints' limits.
    pub angles: HandPose,
}

impl Hold {
    /// A tracked hand; joints that are not tracked are at rest. `None` without palm.
    #[must_use]
    pub fn of(frame: &TrackerFrame, skeleton: &Skeleton) -> Option<Hold> {
        let tracked = skeleton.bone_targets(&frame.joints);
        let palm = tracked[BoneId::PALM.index()].filter(Pose::is_finite)?;
        let mut bones = [palm; BONE_COUNT];
        for joint in &skeleton.articulations {
            let (parent, child) = (skeleton.bone(joint.parent), skeleton.bone(joint.child));
            let at_rest = bones[joint.parent.index()] * (parent.rest.inverse() * child.rest);
            bones[joint.child.index()] = tracked[joint.child.index()].filter(Pose::is_finite).unwrap_or(at_rest);
        }
        Some(Hold { side: frame.side, palm, angles: skeleton.angles(&bones).clamped(skeleton) })
    }

    /// Its palm joint.
    #[must_use]
    pub fn palm_joint(&self, skeleton: &Skeleton) -> Pose {
        let rest = skeleton.bone(BoneId::PALM).rest;
        skeleton.xr_rest[XrJoint::Palm].map_or(self.palm, |joint| self.palm * (rest.inverse() * joint.pose))
    }

    /// What a perfect tracker sees of it.
    #[must_use]
    pub fn frame(&self, skeleton: &Skeleton) -> TrackerFrame {
        let bones = skeleton.pose(&self.angles.clamped(skeleton), self.palm);
        TrackerFrame { side: self.side, joints: skeleton.joint_set(&bones) }
    }
}
