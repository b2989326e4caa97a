//! What a tracker did not give: the wrist and the rotations, from the positions it gave.

use thenar::hand::{Anatomy, JointSample, JointSet, Preset, Side, XrJoint, align_joints};
use thenar::math::{Pose, Quat, Vec3};
use thenar::tracking::TrackerFrame;

use super::rigid::rigid_fit;

/// Joints that move with the palm, and so tell where it is.
pub(super) const PALM_POINTS: [XrJoint; 10] = [
    XrJoint::Wrist,
    XrJoint::ThumbMetacarpal,
    XrJoint::IndexMetacarpal,
    XrJoint::IndexProximal,
    XrJoint::MiddleMetacarpal,
    XrJoint::MiddleProximal,
    XrJoint::RingMetacarpal,
    XrJoint::RingProximal,
    XrJoint::LittleMetacarpal,
    XrJoint::LittleProximal,
];

/// A frame whose joints all have rotations. Rotations that are absent (zero) follow from the positions along the digits and
/// from what joints can do; a missing wrist is put where the palm of an adult, scaled to the person's knuckles, has it.
#[must_use]
pub fn completed(joints: &JointSet, side: Side) -> TrackerFrame {
    let rest = Anatomy::preset(Preset::Adult, side).rest_joints();
    let mut joints = joints.clone();
    if joints[XrJoint::Wrist].is_none()
        && let Some(wrist) = wrist_of(&joints, &rest)
    {
        joints[XrJoint::Wrist] = Some(JointSample { pose: wrist, radius: 0.0 });
    }
    let absent = |sample: &JointSample| sample.pose.rotation.length_squared() == 0.0;
    let recovered = align_joints(&joints, side, &rest);
    for joint in XrJoint::ALL {
        if let (Some(sample), better) = (&mut joints[joint], recovered[joint])
            && absent(sample)
        {
            let known = better.filter(|better| !absent(better));
            sample.pose.rotation = known.map_or(Quat::IDENTITY, |better| better.pose.rotation);
        }
    }
    TrackerFrame { side, joints }
}

/// The wrist from the points of the palm that are there.
fn wrist_of(joints: &JointSet, rest: &JointSet) -> Option<Pose> {
    let mut pairs: Vec<(Vec3, Vec3)> = Vec::new();
    for joint in PALM_POINTS {
        if let (Some(rest), Some(here)) = (rest[joint], joints[joint]) {
            pairs.push((rest.pose.position, here.pose.position));
        }
    }
    let scale = size(&pairs)?;
    for pair in &mut pairs {
        pair.0 *= scale;
    }
    // Its rotation is left to the alignment, which knows the knuckles: zero is absent.
    let (pose, _) = rigid_fit(&pairs)?;
    Some(Pose::new(pose.position, Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)))
}

/// Size of the second points relative to the first, by their spread about their centres.
fn size(pairs: &[(Vec3, Vec3)]) -> Option<f64> {
    let count = pairs.len() as f64;
    let spread = |of: fn(&(Vec3, Vec3)) -> Vec3| {
        let centre = pairs.iter().map(of).sum::<Vec3>() / count;
        pairs.iter().map(|pair| of(pair).distance_squared(centre)).sum::<f64>().sqrt()
    };
    let ratio = spread(|pair| pair.1) / spread(|pair| pair.0);
    (0.3..3.0).contains(&ratio).then_some(ratio)
}
