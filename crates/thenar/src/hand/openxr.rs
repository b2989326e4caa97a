//! The 26 hand joints of OpenXR and sets of tracked joints.

use super::{BoneId, Digit};
use crate::math::Pose;

/// Number of joints in an OpenXR hand (WebXR has the same without the palm: 25).
pub const XR_JOINT_COUNT: usize = 26;

/// A joint of an OpenXR hand, in the order of `XrHandJointEXT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[allow(missing_docs)] // the names are the documentation: they are OpenXR's
pub enum XrJoint {
    Palm,
    Wrist,
    ThumbMetacarpal,
    ThumbProximal,
    ThumbDistal,
    ThumbTip,
    IndexMetacarpal,
    IndexProximal,
    IndexIntermediate,
    IndexDistal,
    IndexTip,
    MiddleMetacarpal,
    MiddleProximal,
    MiddleIntermediate,
    MiddleDistal,
    MiddleTip,
    RingMetacarpal,
    RingProximal,
    RingIntermediate,
    RingDistal,
    RingTip,
    LittleMetacarpal,
    LittleProximal,
    LittleIntermediate,
    LittleDistal,
    LittleTip,
}

impl XrJoint {
    /// All joints in OpenXR order.
    pub const ALL: [XrJoint; XR_JOINT_COUNT] = {
        use XrJoint::*;
        [
            Palm,
            Wrist,
            ThumbMetacarpal,
            ThumbProximal,
            ThumbDistal,
            ThumbTip,
            IndexMetacarpal,
            IndexProximal,
            IndexIntermediate,
            IndexDistal,
            IndexTip,
            MiddleMetacarpal,
            MiddleProximal,
            MiddleIntermediate,
            MiddleDistal,
            MiddleTip,
            RingMetacarpal,
            RingProximal,
            RingIntermediate,
            RingDistal,
            RingTip,
            LittleMetacarpal,
            LittleProximal,
            LittleIntermediate,
            LittleDistal,
            LittleTip,
        ]
    };

    /// The joint whose frame is the frame of a bone (its proximal joint; the wrist for the palm).
    #[must_use]
    pub fn of_bone(bone: BoneId) -> XrJoint {
        match bone.digit() {
            None => XrJoint::Wrist,
            Some(Digit::Thumb) => Self::ALL[2 + bone.segment()],
            Some(finger) => Self::ALL[6 + 5 * (finger.index() - 1) + 1 + bone.segment()],
        }
    }

    /// The tip joint of a digit.
    #[must_use]
    pub fn tip(digit: Digit) -> XrJoint {
        Self::ALL[5 + 5 * digit.index()]
    }

    /// As an array index, 0 to 25.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// One tracked joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointSample {
    /// Placement of the joint: -Z along the bone towards the tip, +Y out of the back of the hand.
    pub pose: Pose,
    /// Distance from the joint to the skin, metres; 0 where the tracker does not know.
    pub radius: f64,
}

/// The joints of one hand at one instant; a missing joint is `None`.
#[derive(Clone, Debug, PartialEq)]
pub struct JointSet(pub [Option<JointSample>; XR_JOINT_COUNT]);

impl Default for JointSet {
    fn default() -> Self {
        JointSet([None; XR_JOINT_COUNT])
    }
}

impl std::ops::Index<XrJoint> for JointSet {
    type Output = Option<JointSample>;
    fn index(&self, joint: XrJoint) -> &Self::Output {
        &self.0[joint.index()]
    }
}

impl std::ops::IndexMut<XrJoint> for JointSet {
    fn index_mut(&mut self, joint: XrJoint) -> &mut Self::Output {
        &mut self.0[joint.index()]
    }
}
