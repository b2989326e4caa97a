//! Round trips: an anatomy is posed, its joints are "tracked", and the fit must find it again.

use super::*;
use crate::hand::{HandPose, HandSurface, SkinDetail};
use crate::hand::{Preset, Skeleton};
use crate::math::Quat;
use std::sync::OnceLock;

/// Numbers that are the same on every run, from -1 to 1 (xorshift64*).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// A person: the preset with bones a little longer or shorter.
fn person(numbers: &mut Numbers, side: Side) -> Anatomy {
    let mut anatomy = Anatomy::preset(Preset::Adult, side);
    let size = 1.0 + 0.12 * numbers.next();
    anatomy = anatomy.scaled(size, size, size);
    for digit in &mut anatomy.digits {
        for length in [&mut digit.metacarpal, &mut digit.proximal, &mut digit.middle, &mut digit.distal] {
            *length *= 1.0 + 0.06 * numbers.next();
        }
    }
    anatomy
}

/// Bones, joints and radii; the skin is not needed, but a skeleton comes with one.
fn skeleton(anatomy: &Anatomy) -> Skeleton {
    HandSurface::build(anatomy, SkinDetail::Coarse).unwrap().skeleton
}

struct Sitting {
    anatomy: Anatomy,
    side: Side,
    joints: JointSet,
}

/// Tracked frames of several people in several poses.
fn sittings() -> &'static [Sitting] {
    static ALL: OnceLock<Vec<Sitting>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut numbers = Numbers(77);
        let mut all = Vec::new();
        for i in 0..6 {
            let side = if i % 2 == 0 { Side::Right } else { Side::Left };
            let anatomy = person(&mut numbers, side);
            let skeleton = skeleton(&anatomy);
            for _ in 0..5 {
                let mut angles = HandPose::default();
                for digit in Digit::ALL {
                    *angles.digit_mut(digit) = std::array::from_fn(|_| 0.4 + 0.9 * numbers.next());
                }
                let turn = Quat::from_xyzw(numbers.next(), numbers.next(), numbers.next(), numbers.next()).normalize();
                let wrist = Pose::new(Vec3::new(numbers.next(), 1.2, numbers.next()), turn);
                let bones = skeleton.pose(&angles.clamped(&skeleton), wrist);
                all.push(Sitting { anatomy: anatomy.clone(), side, joints: skeleton.joint_set(&bones) });
            }
        }
        all
    })
}

fn lengths(anatomy: &Anatomy) -> Vec<f64> {
    (anatomy.digits.iter().enumerate())
        .flat_map(|(i, d)| [d.metacarpal, d.proximal, if i == 0 { 0.0 } else { d.middle }, d.distal])
        .collect()
}

#[test]
fn whole_frames_give_back_the_bones_exactly_in_any_pose() {
    for sitting in sittings() {
        let preset = Anatomy::preset(Preset::Adult, sitting.side);
        let (anatomy, report) = fit(&sitting.joints, sitting.side, &preset).unwrap();
        assert!(report.worst() < 1e-9, "worst residual {} m", report.worst());
        assert_eq!(report.residuals.iter().flatten().count(), 25);
        assert!(report.unused.is_empty(), "{:?}", report.unused);
        for (found, real) in lengths(&anatomy).iter().zip(lengths(&sitting.anatomy)) {
            assert!((found - real).abs() < 1e-9, "{found} {real}");
        }
        assert_eq!(anatomy.side, sitting.side);
    }
}

#[test]
fn the_built_hand_posed_like_the_frame_has_its_joints_there() {
    // The anatomy is not only numbers: the skeleton built from it must reproduce the frame.
    let sitting = &sittings()[3];
    let preset = Anatomy::preset(Preset::AdultSmall, sitting.side);
    let (anatomy, report) = fit(&sitting.joints, sitting.side, &preset).unwrap();
    let posed = skeleton(&anatomy).joint_set(&report.bones);
    for joint in XrJoint::ALL.into_iter().filter(|j| *j != XrJoint::Palm) {
        let distance = posed[joint].unwrap().pose.position.distance(sitting.joints[joint].unwrap().pose.position);
        assert!(distance < 1e-3, "{joint:?} is {distance} m away");
    }
}

#[test]
fn orientations_are_recovered_from_positions() {
    for sitting in sittings() {
        let mut bare = sitting.joints.clone();
        for joint in bare.0.iter_mut().flatten() {
            joint.pose.rotation = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
        }
        let preset = Anatomy::preset(Preset::Adult, sitting.side);
        let (anatomy, report) = fit(&bare, sitting.side, &preset).unwrap();
        assert!(report.worst() < 1e-9);
        for (found, real) in lengths(&anatomy).iter().zip(lengths(&sitting.anatomy)) {
            assert!((found - real).abs() < 1e-9);
        }
        for finger in Digit::FINGERS {
            for segment in 0..3 {
                let bone = BoneId::of(finger, segment);
                let real = sitting.joints[XrJoint::of_bone(bone)].unwrap().pose.rotation;
                let turn = report.bones[bone.index()].rotation.angle_between(real);
                // The palm's frame follows from landmarks, which vary with the person by a few degrees.
                assert!(turn < 0.2, "{bone:?} is off by {turn} rad");
            }
        }
    }
}

#[test]
fn missing_joints_keep_proportions_and_are_reported() {
    let mut numbers = Numbers(5);
    for sitting in sittings() {
        let mut joints = sitting.joints.clone();
        let mut gone = Vec::new();
        for joint in XrJoint::ALL {
            let needed = matches!(joint, XrJoint::Wrist | XrJoint::IndexProximal | XrJoint::LittleProximal);
            if !needed && numbers.next() > 0.6 {
                joints[joint] = None;
                gone.push(joint);
            }
        }
        let preset = Anatomy::preset(Preset::Adult, sitting.side);
        let (anatomy, report) = fit(&joints, sitting.side, &preset).unwrap();
        for joint in gone.into_iter().filter(|j| *j != XrJoint::Palm) {
            assert!(report.unused.contains(&(joint, Unused::Missing)), "{joint:?} is not reported");
        }
        assert!(report.worst() < 1e-3, "the joints that are there match: {}", report.worst());
        for (found, real) in lengths(&anatomy).iter().zip(lengths(&sitting.anatomy)) {
            assert!((found - real).abs() <= 0.25 * real, "{found} m stands in for {real} m");
        }
    }
}

#[test]
fn a_wild_joint_is_noticed_and_its_neighbours_still_match() {
    for (i, sitting) in sittings().iter().enumerate() {
        for joint in [XrJoint::IndexIntermediate, XrJoint::MiddleTip, XrJoint::RingDistal, XrJoint::ThumbProximal] {
            let mut joints = sitting.joints.clone();
            let sample = joints[joint].as_mut().unwrap();
            sample.pose.position += Vec3::new(0.03, -0.09, 0.05);
            let preset = Anatomy::preset(Preset::Adult, sitting.side);
            let (_, report) = fit(&joints, sitting.side, &preset).unwrap();
            let unused: Vec<XrJoint> = report.unused.iter().map(|u| u.0).collect();
            assert_eq!(unused, [joint], "sitting {i}");
            assert!(matches!(report.unused[0].1, Unused::Implausible { .. }));
            assert!(report.worst() < 1e-3, "worst {} with a wild {joint:?}", report.worst());
        }
    }
}

#[test]
fn frames_that_are_no_hand_are_refused() {
    let sitting = &sittings()[0];
    let preset = Anatomy::preset(Preset::Adult, Side::Right);
    let refuse = |joints: &JointSet| fit(joints, Side::Right, &preset).unwrap_err();
    assert_eq!(refuse(&JointSet::default()), FitError::Needed(XrJoint::Wrist));
    let mut nan = sitting.joints.clone();
    for joint in nan.0.iter_mut().flatten() {
        joint.pose.position.x = f64::NAN;
    }
    assert_eq!(refuse(&nan), FitError::Needed(XrJoint::Wrist));
    let mut millimetres = sitting.joints.clone();
    for joint in millimetres.0.iter_mut().flatten() {
        joint.pose.position *= 1000.0;
    }
    assert!(matches!(refuse(&millimetres), FitError::Size { .. }));
    let mut point = sitting.joints.clone();
    for joint in point.0.iter_mut().flatten() {
        joint.pose.position = Vec3::ONE;
    }
    assert!(matches!(refuse(&point), FitError::Size { .. }));
    let mut few = sitting.joints.clone();
    for joint in &XrJoint::ALL[8..] {
        few[*joint] = None;
    }
    assert!(matches!(refuse(&few), FitError::TooFewJoints { .. } | FitError::Needed(_)));
}
