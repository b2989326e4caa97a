//! Joint orientations that follow the bones, from joint positions and whatever orientations a tracker gives.

use super::{Digit, JointSample, JointSet, Side, XrJoint};
use crate::math::{Pose, Quat, Vec3};

/// A tracked orientation is believed if its -Z points along the bone within this angle, radians.
const BELIEVED: f64 = 0.6;

/// The joints of a digit from the base of its metacarpal to its tip: 4 for the thumb, 5 for a finger.
pub(super) fn digit_joints(digit: Digit) -> &'static [XrJoint] {
    let tip = XrJoint::tip(digit).index();
    let count = if digit == Digit::Thumb { 4 } else { 5 };
    &XrJoint::ALL[tip + 1 - count..=tip]
}

/// The mirror image across x = 0 of tracked joints: those of a left hand become those of a right one.
pub(super) fn mirrored_joints(joints: &JointSet) -> JointSet {
    JointSet(joints.0.map(|joint| joint.map(|j| JointSample { pose: mirrored(j.pose), radius: j.radius })))
}

pub(super) fn mirrored(pose: Pose) -> Pose {
    let (p, q) = (pose.position, pose.rotation);
    Pose::new(Vec3::new(-p.x, p.y, p.z), Quat::from_xyzw(q.x, -q.y, -q.z, q.w))
}

/// Turns every joint so that its -Z points exactly to the next joint of its digit and the rest of its orientation is the
/// tracked one where that is believable, else the one the hand's joints allow. `rest` are the joints of a similar hand
/// at rest. Joints without a finite position become `None`; an orientation that is no unit quaternion counts as absent.
///
/// A tip takes the orientation of its distal joint. Without wrist or knuckles nothing is turned.
pub fn align_joints(joints: &JointSet, side: Side, rest: &JointSet) -> JointSet {
    match side {
        Side::Right => align_right(joints, rest),
        Side::Left => mirrored_joints(&align_right(&mirrored_joints(joints), &mirrored_joints(rest))),
    }
}

fn align_right(joints: &JointSet, rest: &JointSet) -> JointSet {
    let mut out = JointSet(joints.0.map(|j| j.filter(|j| j.pose.position.is_finite())));
    let (Some(here), Some(there)) = (palm_basis(&out), palm_basis(rest)) else { return out };
    // The palm frame of a similar hand, carried over by the landmarks both have.
    let expected = (here * there.inverse()).normalize();
    let palm = out[XrJoint::Wrist].map(|j| j.pose.rotation).filter(|q| agrees(*q, expected)).unwrap_or(expected);
    for joint in [XrJoint::Wrist, XrJoint::Palm] {
        if let Some(sample) = &mut out[joint] {
            let own = Some(sample.pose.rotation).filter(|q| agrees(*q, palm));
            sample.pose.rotation = own.unwrap_or(palm);
        }
    }
    for digit in Digit::ALL {
        let rest_base = rest[digit_joints(digit)[0]].map_or(Quat::IDENTITY, |j| j.pose.rotation);
        align_digit(&mut out, digit, (palm * rest_base).normalize());
    }
    out
}

/// Orientation of the palm from its landmarks: -Z from the wrist to the knuckles, X from index to little finger.
fn palm_basis(joints: &JointSet) -> Option<Quat> {
    let at = |joint: XrJoint| joints[joint].map(|j| j.pose.position);
    let wrist = at(XrJoint::Wrist)?;
    let radial = at(XrJoint::IndexProximal).or(at(XrJoint::MiddleProximal))?;
    let ulnar = at(XrJoint::LittleProximal).or(at(XrJoint::RingProximal))?;
    let z = (wrist - 0.5 * (radial + ulnar)).try_normalize()?;
    let y = z.cross(ulnar - radial).try_normalize()?;
    Some(Quat::from_mat3(&crate::math::Mat3::from_cols(y.cross(z), y, z)))
}

fn is_unit(q: Quat) -> bool {
    (q.length_squared() - 1.0).abs() < 0.02
}

/// True if two orientations differ by less than what trackers disagree about.
fn agrees(q: Quat, expected: Quat) -> bool {
    is_unit(q) && q.angle_between(expected) < BELIEVED
}

/// Turns the joints of one digit; `base` is the orientation its metacarpal would have at rest.
fn align_digit(joints: &mut JointSet, digit: Digit, base: Quat) {
    let chain = digit_joints(digit);
    let mut parent = base;
    for (i, &joint) in chain.iter().enumerate() {
        let Some(sample) = joints[joint] else { continue };
        let next = chain.get(i + 1).and_then(|&n| joints[n]);
        let along = next.and_then(|n| (n.pose.position - sample.pose.position).try_normalize());
        let rotation = match along {
            None => parent,
            Some(along) => {
                let own = sample.pose.rotation;
                let believed = is_unit(own) && (own * Vec3::NEG_Z).angle_between(along) < BELIEVED;
                let guess = if believed {
                    own.normalize()
                } else if i == 1 && digit != Digit::Thumb {
                    universal(parent, along)
                } else {
                    parent
                };
                (Quat::from_rotation_arc((guess * Vec3::NEG_Z).normalize(), along) * guess).normalize()
            }
        };
        if let Some(sample) = &mut joints[joint] {
            sample.pose.rotation = rotation;
        }
        parent = rotation;
    }
}

/// The orientation of a finger whose knuckle flexes about its parent's X, then spreads about its own Y: with -Z along
/// `along` = parent · Rx(φ) · Ry(ψ) · -Z = parent · (-sin ψ, sin φ cos ψ, -cos φ cos ψ).
fn universal(parent: Quat, along: Vec3) -> Quat {
    let d = parent.inverse() * along;
    let phi = libm::atan2(d.y, -d.z);
    let psi = -libm::asin(d.x.clamp(-1.0, 1.0));
    parent * Quat::from_rotation_x(phi) * Quat::from_rotation_y(psi)
}
