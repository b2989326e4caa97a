//! From one tracked frame to the anatomy of the person in front of the tracker.

use super::fit_gaps::{Measured, fill_gaps};
use super::joint_frames::{align_joints, digit_joints, mirrored, mirrored_joints};
use super::rest_pose::{DigitChain, rest_chains};
use super::{Anatomy, AnatomyError, BONE_COUNT, BoneId, Digit, JointSample, JointSet, Side, XrJoint};
use crate::math::{Pose, Vec3};

/// Soft tip beyond the last tracked joint, at least, metres.
const LEAST_SOFT_TIP: f64 = 0.0015;
/// How far breadths may leave the proportions of the preset when radii say so.
const BREADTH_RATIO: [f64; 2] = [0.75, 1.3];

/// Why a joint of the frame was not used.
#[derive(Clone, Debug, PartialEq)]
pub enum Unused {
    /// The frame does not have it, or its position is not finite.
    Missing,
    /// A bone beside it would have a length nobody has.
    Implausible {
        /// Length of that bone in the frame, metres.
        length: f64,
        /// Least and greatest plausible length for a hand of this size, metres.
        range: [f64; 2],
    },
}

impl std::fmt::Display for Unused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unused::Missing => write!(f, "missing"),
            Unused::Implausible { length, range: [low, high] } => write!(
                f,
                "implausible: a bone beside it would be {:.1} mm long, expected {:.1} to {:.1} mm",
                1e3 * length,
                1e3 * low,
                1e3 * high
            ),
        }
    }
}

/// How well a fitted anatomy matches its frame.
#[derive(Clone, Debug, PartialEq)]
pub struct FitReport {
    /// Size relative to the preset.
    pub scale: f64,
    /// Joints that were not used, with the reason; their bones keep the preset's proportions.
    pub unused: Vec<(XrJoint, Unused)>,
    /// The bones of the fitted hand posed as in the frame, in the frame's coordinates.
    pub bones: [Pose; BONE_COUNT],
    /// Distance between each joint of the frame and the fitted, posed hand, metres; `None` for unused joints and the palm.
    pub residuals: [Option<f64>; XrJoint::ALL.len()],
}

impl FitReport {
    /// The greatest distance between a used joint and the fitted hand, metres.
    #[must_use]
    pub fn worst(&self) -> f64 {
        self.residuals.iter().flatten().fold(0.0, |worst, &r| worst.max(r))
    }
}

/// Why no anatomy could be fitted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FitError {
    /// A joint without which nothing can be placed.
    #[error("the frame has no joint {0:?}, which fitting needs; take another frame")]
    Needed(XrJoint),
    /// Too little to go on.
    #[error("only {found} of 25 joints are usable, at least {needed} are needed; take another frame")]
    TooFewJoints {
        /// How many there are.
        found: usize,
        /// How many it takes.
        needed: usize,
    },
    /// Not the size of a hand.
    #[error("the joints make a hand {scale:.3} times the size of the preset; positions must be metres")]
    Size {
        /// Size relative to the preset.
        scale: f64,
    },
    /// The measures together are no hand.
    #[error("the frame gives no valid anatomy: {0}")]
    Anatomy(#[from] AnatomyError),
}

/// Fits an anatomy to one tracked frame, in any pose of the hand.
///
/// Bone lengths and the place of the knuckles are taken from the joints, breadths from their radii; what the frame does not
/// tell keeps the proportions of `preset`. Angles of the resting hand and ranges of motion stay the preset's.
///
/// # Errors
/// If too few joints are usable or they make no hand.
pub fn fit(joints: &JointSet, side: Side, preset: &Anatomy) -> Result<(Anatomy, FitReport), FitError> {
    let mut right = match side {
        Side::Right => joints.clone(),
        Side::Left => mirrored_joints(joints),
    };
    for joint in &mut right.0 {
        *joint = joint.filter(|j| j.pose.position.is_finite() && j.pose.position.abs().max_element() < 1e4);
    }
    let chains = rest_chains(preset);
    let Measured { joints: whole, scale, unused } = fill_gaps(&right, preset, &chains)?;
    let aligned = align_joints(&whole, Side::Right, &rest_joint_set(&chains));

    let mut anatomy = preset.clone().scaled(scale, scale, scale);
    anatomy.side = side;
    let Some(wrist) = aligned[XrJoint::Wrist].map(|j| j.pose) else { return Err(FitError::Needed(XrJoint::Wrist)) };
    for digit in Digit::ALL {
        measure_digit(&mut anatomy, digit, &aligned, wrist);
    }
    measure_palm(&mut anatomy, preset, &aligned, scale);
    anatomy.validate()?;

    let (bones, places) = pose_like(&anatomy, &aligned, wrist);
    let mut residuals = [None; XrJoint::ALL.len()];
    for joint in XrJoint::ALL {
        let used = !unused.iter().any(|(j, _)| *j == joint);
        if let (Some(tracked), Some(place), true) = (right[joint], places[joint.index()], used) {
            residuals[joint.index()] = Some(tracked.pose.position.distance(place));
        }
    }
    let bones = bones.map(|pose| if side == Side::Left { mirrored(pose) } else { pose });
    Ok((anatomy, FitReport { scale, unused, bones, residuals }))
}

impl Anatomy {
    /// The OpenXR joints (without the palm) of the hand at rest in the hand frame, without radii.
    #[must_use]
    pub fn rest_joints(&self) -> JointSet {
        let right = rest_joint_set(&rest_chains(self));
        if self.side == Side::Left { mirrored_joints(&right) } else { right }
    }
}

/// Joints of a right hand at rest from its chains, without radii.
pub(super) fn rest_joint_set(chains: &[DigitChain; 5]) -> JointSet {
    let mut joints = JointSet::default();
    joints[XrJoint::Wrist] = Some(JointSample { pose: Pose::IDENTITY, radius: 0.0 });
    for digit in Digit::ALL {
        for (i, &joint) in digit_joints(digit).iter().enumerate() {
            joints[joint] = Some(JointSample { pose: chains[digit.index()].frames[i], radius: 0.0 });
        }
    }
    joints
}

pub(super) fn measure_digit(anatomy: &mut Anatomy, digit: Digit, joints: &JointSet, wrist: Pose) {
    let chain = digit_joints(digit);
    let at = |i: usize| joints[chain[i]].map_or(Vec3::ZERO, |j| j.pose.position);
    let length = |i: usize| at(i).distance(at(i + 1));
    let measures = anatomy.digit_mut(digit);
    if digit == Digit::Thumb {
        // The thumb moves at its base; where it points in the frame says nothing about the hand at rest.
        measures.base = wrist.local(at(0));
        measures.metacarpal = length(0);
    } else {
        measures.set_metacarpal(wrist.local(at(0)), wrist.local(at(1)));
    }
    let whole_tip = measures.distal + measures.soft_tip;
    measures.proximal = length(1);
    if digit == Digit::Thumb {
        measures.distal = length(2);
    } else {
        measures.middle = length(2);
        measures.distal = length(3);
    }
    // Trackers put the tip anywhere between the end of the bone and the skin; the digit as a whole keeps its length.
    measures.soft_tip = (whole_tip - measures.distal).clamp(LEAST_SOFT_TIP, 1.5 * measures.soft_tip);

    // The radius at the last but one joint (PIP, or IP of the thumb) is half the mean of breadth and thickness there.
    let radius = joints[chain[2]].map_or(0.0, |j| j.radius);
    if radius > 0.0 {
        let ratio = 4.0 * radius / (measures.breadth + measures.thickness);
        let ratio = ratio.clamp(BREADTH_RATIO[0], BREADTH_RATIO[1]);
        measures.breadth *= ratio;
        measures.thickness *= ratio;
    }
}

/// Breadth of the palm by the distance of its outer knuckles; thickness by the radius at the wrist.
pub(super) fn measure_palm(anatomy: &mut Anatomy, preset: &Anatomy, joints: &JointSet, scale: f64) {
    let head = |a: &Anatomy, d: Digit| rest_chains(a)[d.index()].frames[1].position;
    let span = |a: &Anatomy| head(a, Digit::Index).distance(head(a, Digit::Little));
    let clamp = |ratio: f64| ratio.clamp(BREADTH_RATIO[0], BREADTH_RATIO[1]);
    let broader = clamp(span(anatomy) / (scale * span(preset)));
    let radius = joints[XrJoint::Wrist].map_or(0.0, |j| j.radius);
    let palm = &mut anatomy.palm;
    palm.breadth *= broader;
    palm.wrist_breadth *= broader;
    if radius > 0.0 {
        let thicker = clamp(2.0 * radius / palm.wrist_thickness);
        palm.wrist_thickness *= thicker;
    }
}

/// Bones of a right hand posed with the rotations of aligned joints, and where its joints come to lie.
fn pose_like(
    anatomy: &Anatomy,
    aligned: &JointSet,
    wrist: Pose,
) -> ([Pose; BONE_COUNT], [Option<Vec3>; XrJoint::ALL.len()]) {
    let chains = rest_chains(anatomy);
    let mut bones = [wrist; BONE_COUNT];
    let mut places = [None; XrJoint::ALL.len()];
    places[XrJoint::Wrist.index()] = Some(wrist.position);
    for digit in Digit::ALL {
        let chain = digit_joints(digit);
        let frames = &chains[digit.index()].frames;
        let thumb = digit == Digit::Thumb;
        let mut place = wrist.point(frames[0].position);
        places[chain[0].index()] = Some(place);
        if !thumb {
            place = wrist.point(frames[1].position);
            places[chain[1].index()] = Some(place);
        }
        for segment in 0..3 {
            let joint = if thumb { segment } else { segment + 1 };
            let rotation = aligned[chain[joint]].map_or(wrist.rotation, |j| j.pose.rotation);
            bones[BoneId::of(digit, segment).index()] = Pose::new(place, rotation);
            let length = frames[joint].position.distance(frames[joint + 1].position);
            place += rotation * Vec3::new(0.0, 0.0, -length);
            places[chain[joint + 1].index()] = Some(place);
        }
    }
    (bones, places)
}

#[cfg(test)]
#[path = "fit_tests.rs"]
mod tests;
