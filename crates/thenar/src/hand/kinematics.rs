//! From joint angles to bones, from bones to OpenXR joints, and back.

use super::{ArticulationKind, BONE_COUNT, BoneId, Digit, JointSample, JointSet, Skeleton, XrJoint};
use crate::math::{Pose, Quat};

/// Twenty joint angles, radians from rest; all zero is the hand at rest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HandPose {
    /// By [`Digit::index`]: flexion and abduction of the first joint (finger MCP, thumb CMC), then flexion of the second
    /// and of the third joint. Positive flexion closes the hand; positive abduction moves a finger towards the thumb's
    /// side, and the thumb away from the palm.
    pub digits: [[f64; 4]; 5],
}

impl HandPose {
    /// The angles of one digit, to change.
    pub fn digit_mut(&mut self, digit: Digit) -> &mut [f64; 4] {
        &mut self.digits[digit.index()]
    }

    /// The same pose with every angle within the skeleton's ranges.
    #[must_use]
    pub fn clamped(&self, skeleton: &Skeleton) -> HandPose {
        let mut pose = self.clone();
        for digit in Digit::ALL {
            let angles = pose.digit_mut(digit);
            for segment in 0..3 {
                let joint = &skeleton.articulations[BoneId::of(digit, segment).index() - 1];
                match joint.kind {
                    ArticulationKind::Hinge { flex_range: [low, high], .. } => {
                        angles[segment + 1] = angles[segment + 1].clamp(low, high);
                    }
                    ArticulationKind::Universal { flex_range, abduct_range, .. }
                    | ArticulationKind::Spherical { flex_range, abduct_range, .. } => {
                        angles[0] = angles[0].clamp(flex_range[0], flex_range[1]);
                        angles[1] = angles[1].clamp(abduct_range[0], abduct_range[1]);
                    }
                }
            }
        }
        pose
    }
}

impl Skeleton {
    /// Placements of all bone frames for given joint angles, the wrist (the palm's frame) at `wrist`.
    #[must_use]
    pub fn pose(&self, angles: &HandPose, wrist: Pose) -> [Pose; BONE_COUNT] {
        let mut poses = [wrist; BONE_COUNT];
        for joint in &self.articulations {
            let Some(digit) = joint.child.digit() else { continue };
            let digit_angles = angles.digits[digit.index()];
            // Axes are given in the hand frame at rest, where they act before the bone's own orientation.
            let turn = match joint.kind {
                ArticulationKind::Hinge { flex, .. } => {
                    Quat::from_axis_angle(flex, digit_angles[joint.child.segment() + 1])
                }
                ArticulationKind::Universal { flex, abduct, .. } | ArticulationKind::Spherical { flex, abduct, .. } => {
                    Quat::from_axis_angle(flex, digit_angles[0]) * Quat::from_axis_angle(abduct, digit_angles[1])
                }
            };
            let parent = poses[joint.parent.index()];
            let moved = parent.rotation * self.bone(joint.parent).rest.rotation.inverse();
            let at_joint = self.bone(joint.parent).rest.local(joint.centre);
            let rotation = moved * turn * self.bone(joint.child).rest.rotation;
            poses[joint.child.index()] = Pose::new(parent.point(at_joint), rotation.normalize());
        }
        poses
    }

    /// The 26 OpenXR joints of a posed hand, with the radii of rest.
    #[must_use]
    pub fn joint_set(&self, bones: &[Pose; BONE_COUNT]) -> JointSet {
        let mut joints = JointSet::default();
        for joint in XrJoint::ALL {
            let bone = carrier(joint);
            joints[joint] = self.xr_rest[joint].map(|rest| {
                let local = self.bone(bone).rest.inverse() * rest.pose;
                JointSample { pose: bones[bone.index()] * local, radius: rest.radius }
            });
        }
        joints
    }

    /// Where each bone should be according to tracked joints; `None` where the joint of a bone is not tracked.
    ///
    /// Bones take the frame of their own joint as it is: lengths that differ from this hand's are for the caller to
    /// reconcile. Without a wrist, the palm follows the palm joint.
    #[must_use]
    pub fn bone_targets(&self, joints: &JointSet) -> [Option<Pose>; BONE_COUNT] {
        std::array::from_fn(|i| {
            let bone = BoneId(i as u8);
            match joints[XrJoint::of_bone(bone)] {
                Some(joint) => Some(joint.pose),
                None if bone == BoneId::PALM => {
                    let (tracked, rest) = (joints[XrJoint::Palm]?, self.xr_rest[XrJoint::Palm]?);
                    Some(tracked.pose * rest.pose.inverse())
                }
                None => None,
            }
        })
    }
}

/// The bone that carries an OpenXR joint.
#[must_use]
pub fn carrier(joint: XrJoint) -> BoneId {
    let of_finger = |digit: Digit, from_metacarpal: usize| match from_metacarpal {
        0 => BoneId::PALM,
        n => BoneId::of(digit, (n - 1).min(2)),
    };
    match joint.index() {
        0 | 1 => BoneId::PALM,
        i @ 2..=5 => BoneId::of(Digit::Thumb, (i - 2).min(2)),
        i => of_finger(Digit::ALL[1 + (i - 6) / 5], (i - 6) % 5),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hand::{Anatomy, HandSurface, Preset, Side, SkinDetail};
    use crate::math::Vec3;

    fn skeleton(side: Side) -> Skeleton {
        HandSurface::build(&Anatomy::preset(Preset::Adult, side), SkinDetail::Coarse).unwrap().skeleton
    }

    fn curled() -> HandPose {
        let mut pose = HandPose::default();
        for (i, angles) in pose.digits.iter_mut().enumerate() {
            *angles = [0.5, 0.1 * i as f64 - 0.2, 0.7, 0.4];
        }
        pose
    }

    fn assert_same(a: Pose, b: Pose) {
        assert!(
            a.position.distance(b.position) < 1e-12 && a.rotation.dot(b.rotation).abs() > 1.0 - 1e-12,
            "{a:?} {b:?}"
        );
    }

    #[test]
    fn zero_angles_are_the_rest_pose() {
        let skeleton = skeleton(Side::Right);
        let posed = skeleton.pose(&HandPose::default(), Pose::IDENTITY);
        for (bone, pose) in skeleton.bones.iter().zip(posed) {
            assert_same(bone.rest, pose);
        }
    }

    #[test]
    fn bones_to_joints_and_back_is_the_identity() {
        let skeleton = skeleton(Side::Left);
        let wrist = Pose::new(Vec3::new(0.1, 1.2, -0.3), crate::math::Quat::from_rotation_y(0.8));
        let posed = skeleton.pose(&curled(), wrist);
        let joints = skeleton.joint_set(&posed);
        assert!(joints.0.iter().all(Option::is_some));
        for (target, pose) in skeleton.bone_targets(&joints).into_iter().zip(posed) {
            assert_same(target.unwrap(), pose);
        }
    }

    #[test]
    fn the_palm_joint_stands_in_for_a_missing_wrist_and_other_gaps_stay_gaps() {
        let skeleton = skeleton(Side::Right);
        let posed = skeleton.pose(&curled(), Pose::IDENTITY);
        let mut joints = skeleton.joint_set(&posed);
        joints[XrJoint::Wrist] = None;
        joints[XrJoint::RingDistal] = None;
        let targets = skeleton.bone_targets(&joints);
        assert_same(targets[0].unwrap(), posed[0]);
        assert_eq!(targets[BoneId::of(Digit::Ring, 2).index()], None);
        assert_eq!(targets.iter().flatten().count(), 15);
    }

    #[test]
    fn flexion_closes_the_hand_and_abduction_goes_to_the_thumbs_side_on_both_hands() {
        for (side, thumb_side) in [(Side::Right, -1.0), (Side::Left, 1.0)] {
            let skeleton = skeleton(side);
            let tip = |pose: &HandPose, digit| {
                skeleton.joint_set(&skeleton.pose(pose, Pose::IDENTITY))[XrJoint::tip(digit)].unwrap().pose.position
            };
            let rest = HandPose::default();
            for digit in Digit::FINGERS {
                let (mut flexed, mut abducted) = (rest.clone(), rest.clone());
                flexed.digit_mut(digit)[0] = 0.6;
                abducted.digit_mut(digit)[1] = 0.2;
                assert!(tip(&flexed, digit).y < tip(&rest, digit).y - 0.02);
                assert!((tip(&abducted, digit).x - tip(&rest, digit).x) * thumb_side > 0.01);
            }
            let mut opposed = rest.clone();
            opposed.digit_mut(Digit::Thumb)[0] = 0.6;
            let little = tip(&rest, Digit::Little);
            assert!(tip(&opposed, Digit::Thumb).distance(little) < tip(&rest, Digit::Thumb).distance(little) - 0.01);
        }
    }

    #[test]
    fn left_and_right_are_mirrors_in_every_pose() {
        let (left, right) = (skeleton(Side::Left), skeleton(Side::Right));
        let (l, r) = (left.pose(&curled(), Pose::IDENTITY), right.pose(&curled(), Pose::IDENTITY));
        for (l, r) in l.into_iter().zip(r) {
            assert_same(l, crate::hand::build_skeleton::mirrored_pose(r));
        }
    }

    #[test]
    fn clamping_keeps_angles_within_anatomical_ranges() {
        let skeleton = skeleton(Side::Right);
        let wild = HandPose { digits: [[9.0, -9.0, 9.0, 9.0]; 5] };
        let pose = wild.clamped(&skeleton);
        // Index PIP: 100° less the 14° of rest.
        assert!((pose.digits[1][2] - 86f64.to_radians()).abs() < 1e-12);
        assert_eq!(pose, pose.clamped(&skeleton));
    }
}
