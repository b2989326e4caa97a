//! Reduced coordinates of a hand: its bones as functions of a base and twenty joint angles [Talvas §4].
//!
//! A bone's velocity is linear in the rates of the coordinates: `[v; ω] = J q̇`. With `q̇` in blocks of three (base
//! velocity, base spin, and two blocks per digit) the Jacobian of any bone touches at most four blocks. Its transpose
//! carries forces on the bone back to the coordinates.

use super::{ArticulationKind, BONE_COUNT, BoneId, Digit, HandPose, Skeleton};
use crate::math::{Mat3, Pose, Quat, Vec3, skew};

/// Blocks of three unknowns of a hand in reduced coordinates: base velocity, base spin, then two per digit. A digit's
/// first block holds the rates of its first three angles, the second that of the last; two of its places stay unused.
pub const REDUCED_BLOCKS: usize = 2 + 2 * Digit::ALL.len();

/// How one bone moves with the coordinates of its hand: one 3×3 block per block of coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoneJacobian {
    /// Velocity of the bone's centre of mass by base velocity, base spin and the two blocks of its digit.
    pub linear: [Mat3; 4],
    /// Spin of the bone by the same.
    pub angular: [Mat3; 4],
}

impl BoneJacobian {
    /// The blocks of coordinates that move a bone, counted from the first of its hand; the palm has only the base's.
    #[must_use]
    pub fn blocks(bone: BoneId) -> &'static [usize] {
        const BLOCKS: [[usize; 4]; 5] = [[0, 1, 2, 3], [0, 1, 4, 5], [0, 1, 6, 7], [0, 1, 8, 9], [0, 1, 10, 11]];
        bone.digit().map_or(&[0, 1], |digit| &BLOCKS[digit.index()])
    }

    /// Velocity of the centre of mass and spin for given rates of all coordinates.
    #[must_use]
    pub fn motion(&self, bone: BoneId, rates: &[Vec3; REDUCED_BLOCKS]) -> (Vec3, Vec3) {
        let (mut velocity, mut spin) = (Vec3::ZERO, Vec3::ZERO);
        for (k, &block) in BoneJacobian::blocks(bone).iter().enumerate() {
            velocity += self.linear[k] * rates[block];
            spin += self.angular[k] * rates[block];
        }
        (velocity, spin)
    }
}

impl Skeleton {
    /// The Jacobians of all bones where the bone frames stand at `frames`, which must obey the joints. The base's own
    /// velocity is that of the palm's centre of mass.
    #[must_use]
    pub fn jacobians(&self, frames: &[Pose; BONE_COUNT]) -> [BoneJacobian; BONE_COUNT] {
        let centre = |b: usize| frames[b].point(self.bones[b].com);
        let base = centre(0);
        let digits = Digit::ALL.map(|digit| self.digit_axes(digit, frames));
        std::array::from_fn(|b| {
            let at = centre(b);
            let mut linear = [Mat3::IDENTITY, -skew(at - base), Mat3::ZERO, Mat3::ZERO];
            let mut angular = [Mat3::ZERO, Mat3::IDENTITY, Mat3::ZERO, Mat3::ZERO];
            let bone = BoneId(b as u8);
            if let Some(digit) = bone.digit() {
                for (k, &(axis, joint)) in digits[digit.index()].iter().take(bone.segment() + 2).enumerate() {
                    *linear[2 + k / 3].col_mut(k % 3) = axis.cross(at - joint);
                    *angular[2 + k / 3].col_mut(k % 3) = axis;
                }
            }
            BoneJacobian { linear, angular }
        })
    }

    /// Axes and centres of a digit's four angles in the world.
    fn digit_axes(&self, digit: Digit, frames: &[Pose; BONE_COUNT]) -> [(Vec3, Vec3); 4] {
        let mut axes = [(Vec3::ZERO, Vec3::ZERO); 4];
        for segment in 0..3 {
            let child = BoneId::of(digit, segment);
            let joint = &self.articulations[child.index() - 1];
            let turned = |bone: BoneId| frames[bone.index()].rotation * self.bone(bone).rest.rotation.inverse();
            let centre = frames[child.index()].position;
            match joint.kind {
                ArticulationKind::Hinge { flex, .. } => axes[segment + 1] = (turned(joint.parent) * flex, centre),
                ArticulationKind::Universal { flex, abduct, .. } | ArticulationKind::Spherical { flex, abduct, .. } => {
                    axes[0] = (turned(joint.parent) * flex, centre);
                    // abduction comes after flexion, and leaves its own axis alone
                    axes[1] = (turned(child) * abduct, centre);
                }
            }
        }
        axes
    }

    /// The joint angles that bring this skeleton closest to bones with the given orientations: exact for poses of the
    /// skeleton itself; otherwise hinges take the turn about their axis, and first joints the direction of their bone.
    #[must_use]
    pub fn angles(&self, frames: &[Pose; BONE_COUNT]) -> HandPose {
        let mut pose = HandPose::default();
        for joint in &self.articulations {
            let Some(digit) = joint.child.digit() else { continue };
            let moved = |bone: BoneId| frames[bone.index()].rotation * self.bone(bone).rest.rotation.inverse();
            let turn = moved(joint.parent).inverse() * moved(joint.child);
            let angles = pose.digit_mut(digit);
            match joint.kind {
                ArticulationKind::Hinge { flex, .. } => angles[joint.child.segment() + 1] = twist(turn, flex),
                ArticulationKind::Universal { flex, abduct, .. } | ArticulationKind::Spherical { flex, abduct, .. } => {
                    // With l = flex × abduct: R(flex, φ) R(abduct, ψ) l = cos ψ (cos φ l − sin φ abduct) + sin ψ flex
                    let along = flex.cross(abduct).normalize_or(flex.any_orthonormal_vector());
                    let d = turn * along;
                    angles[0] = libm::atan2(-d.dot(along.cross(flex)), d.dot(along));
                    angles[1] = libm::asin(d.dot(flex).clamp(-1.0, 1.0));
                }
            }
        }
        pose
    }

    /// Least and greatest value of the angle of a digit, radians from rest, in the order of [`HandPose::digits`].
    #[must_use]
    pub fn angle_ranges(&self, digit: Digit) -> [[f64; 2]; 4] {
        let mut ranges = [[0.0; 2]; 4];
        for segment in 0..3 {
            match self.articulations[BoneId::of(digit, segment).index() - 1].kind {
                ArticulationKind::Hinge { flex_range, .. } => ranges[segment + 1] = flex_range,
                ArticulationKind::Universal { flex_range, abduct_range, .. }
                | ArticulationKind::Spherical { flex_range, abduct_range, .. } => {
                    [ranges[0], ranges[1]] = [flex_range, abduct_range];
                }
            }
        }
        ranges
    }
}

/// The turn of a rotation about an axis, radians, in (−π, π].
fn twist(q: Quat, axis: Vec3) -> f64 {
    let sine = Vec3::new(q.x, q.y, q.z).dot(axis);
    let (sine, cosine) = if q.w < 0.0 { (-sine, -q.w) } else { (sine, q.w) };
    2.0 * libm::atan2(sine, cosine)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hand::{Anatomy, HandSurface, Preset, Side, SkinDetail};
    use crate::math::{rotation_exp, rotation_log};

    fn skeleton(side: Side) -> Skeleton {
        HandSurface::build(&Anatomy::preset(Preset::Adult, side), SkinDetail::Coarse).unwrap().skeleton
    }

    fn some_pose() -> (HandPose, Pose) {
        let mut pose = HandPose::default();
        for (i, angles) in pose.digits.iter_mut().enumerate() {
            *angles = [0.5 - 0.2 * i as f64, 0.1 * i as f64 - 0.2, 0.7 + 0.1 * i as f64, 0.4];
        }
        (pose, Pose::new(Vec3::new(0.2, 1.1, -0.4), rotation_exp(Vec3::new(0.4, -1.2, 0.7))))
    }

    #[test]
    fn angles_undo_the_pose() {
        for side in [Side::Right, Side::Left] {
            let skeleton = skeleton(side);
            let (pose, wrist) = some_pose();
            let found = skeleton.angles(&skeleton.pose(&pose, wrist));
            for (a, b) in found.digits.iter().flatten().zip(pose.digits.iter().flatten()) {
                assert!((a - b).abs() < 1e-12, "{found:?} {pose:?}");
            }
        }
    }

    /// Every column of every Jacobian against central differences of the forward kinematics.
    #[test]
    fn jacobians_are_the_derivatives_of_forward_kinematics() {
        let step = 1e-6;
        for side in [Side::Right, Side::Left] {
            let skeleton = skeleton(side);
            let (pose, wrist) = some_pose();
            let com = skeleton.bones[0].com;
            let moved = |block: usize, axis: usize, by: f64| {
                let (mut pose, mut wrist) = (pose.clone(), wrist);
                let unit = Vec3::from_array(std::array::from_fn(|i| if i == axis { by } else { 0.0 }));
                match block {
                    0 => wrist.position += unit,
                    1 => {
                        // the base turns about the palm's centre of mass
                        let centre = wrist.point(com);
                        wrist.rotation = rotation_exp(unit) * wrist.rotation;
                        wrist.position = centre - wrist.rotation * com;
                    }
                    _ => pose.digits[(block - 2) / 2][3 * (block % 2) + axis] += by,
                }
                skeleton.pose(&pose, wrist)
            };
            let frames = skeleton.pose(&pose, wrist);
            let jacobians = skeleton.jacobians(&frames);
            for block in 0..REDUCED_BLOCKS {
                let places = if block > 2 && block % 2 == 1 { 1 } else { 3 };
                for axis in 0..places {
                    let (ahead, behind) = (moved(block, axis, step), moved(block, axis, -step));
                    let mut rates = [Vec3::ZERO; REDUCED_BLOCKS];
                    rates[block][axis] = 1.0;
                    for bone in BoneId::all() {
                        let b = bone.index();
                        let at = skeleton.bones[b].com;
                        let velocity = (ahead[b].point(at) - behind[b].point(at)) / (2.0 * step);
                        let spin = rotation_log(ahead[b].rotation * behind[b].rotation.inverse()) / (2.0 * step);
                        let (v, w) = jacobians[b].motion(bone, &rates);
                        assert!((v - velocity).length() < 1e-8 && (w - spin).length() < 1e-8, "{bone:?} by {block}");
                    }
                }
            }
        }
    }

    #[test]
    fn ranges_are_those_that_clamping_keeps() {
        let skeleton = skeleton(Side::Right);
        let wild = HandPose { digits: [[9.0, -9.0, 9.0, -9.0]; 5] }.clamped(&skeleton);
        for digit in Digit::ALL {
            let ranges = skeleton.angle_ranges(digit);
            let kept = wild.digits[digit.index()];
            assert_eq!(kept, [ranges[0][1], ranges[1][0], ranges[2][1], ranges[3][0]]);
        }
    }
}
