//! From a person's hand to the simulated one: the person's rotations on the hand's own bones.

use thenar::hand::{
    Anatomy, BONE_COUNT, BoneId, JointSet, Preset, Side, Skeleton, XrJoint, align_joints, carrier, fit,
};
use thenar::math::{Pose, Quat, Vec3};
use thenar::tracking::TrackerFrame;

use super::TrackRecording;
use super::complete::PALM_POINTS;
use super::rigid::rigid_fit;

/// Frames of a recording that are tried for a fit, at most.
const TRIED: usize = 25;

/// The frame as a hand with this skeleton would give it: bones turned like the person's, lengths the skeleton's, the palm
/// where its points lie nearest to the person's. Joints that were not tracked stay so. A frame without palm is returned as
/// it is.
#[must_use]
pub fn retargeted(frame: &TrackerFrame, skeleton: &Skeleton) -> TrackerFrame {
    let Some(palm) = palm_pose(&frame.joints, skeleton) else { return frame.clone() };
    let aligned = align_joints(&frame.joints, frame.side, &skeleton.xr_rest);
    let tracked = |bone: BoneId| {
        let joint = aligned[XrJoint::of_bone(bone)]?;
        let q = joint.pose.rotation;
        ((q.length_squared() - 1.0).abs() < 0.02).then(|| q.normalize())
    };
    let mut bones = [palm; BONE_COUNT];
    for joint in &skeleton.articulations {
        let (parent, child) = (skeleton.bone(joint.parent), skeleton.bone(joint.child));
        let above = bones[joint.parent.index()];
        // An untracked bone keeps its angle at rest, so that those beyond it find their place.
        let at_rest = above.rotation * (parent.rest.rotation.inverse() * child.rest.rotation);
        let rotation = tracked(joint.child).unwrap_or(at_rest).normalize();
        bones[joint.child.index()] = Pose::new(above.point(parent.rest.local(joint.centre)), rotation);
    }
    let mut joints = skeleton.joint_set(&bones);
    for joint in XrJoint::ALL {
        let bone = carrier(joint);
        if bone != BoneId::PALM && frame.joints[XrJoint::of_bone(bone)].is_none() {
            joints[joint] = None;
        }
    }
    TrackerFrame { side: frame.side, joints }
}

/// Where the skeleton's palm lies best on the tracked points of the palm; the wrist's own pose where there are too few.
fn palm_pose(joints: &JointSet, skeleton: &Skeleton) -> Option<Pose> {
    let mut pairs: Vec<(Vec3, Vec3)> = Vec::new();
    for joint in PALM_POINTS {
        // Trackers place the bases of the metacarpals anywhere in the carpus; the thumb's moves with the thumb.
        let steady = joint == XrJoint::Wrist || joint.index() % 5 == XrJoint::IndexProximal.index() % 5;
        if let (Some(rest), Some(here), true) = (skeleton.xr_rest[joint], joints[joint], steady) {
            pairs.push((rest.pose.position, here.pose.position));
        }
    }
    let fitted = rigid_fit(&pairs).filter(|_| pairs.len() >= 4).map(|(pose, _)| pose);
    fitted.or_else(|| {
        let wrist = joints[XrJoint::Wrist]?.pose;
        let unit = (wrist.rotation.length_squared() - 1.0).abs() < 0.02;
        unit.then(|| Pose::new(wrist.position, Quat::normalize(wrist.rotation)))
    })
}

/// Measures of the person in a recording: the median, by length, of the fits to frames spread over it. `None` if none fits.
#[must_use]
pub fn fitted_anatomy(recording: &TrackRecording, side: Side) -> Option<Anatomy> {
    let preset = Anatomy::preset(Preset::Adult, side);
    let tracked: Vec<&TrackerFrame> = recording.frames.iter().filter_map(|frame| frame.hand(side)).collect();
    let every = tracked.len().div_ceil(TRIED).max(1);
    let mut fits: Vec<Anatomy> = (tracked.iter().step_by(every))
        .filter_map(|frame| fit(&frame.joints, side, &preset).ok())
        .map(|(anatomy, _)| anatomy)
        .collect();
    fits.sort_by(|a, b| a.hand_length().total_cmp(&b.hand_length()));
    let middle = fits.len() / 2;
    fits.into_iter().nth(middle)
}
