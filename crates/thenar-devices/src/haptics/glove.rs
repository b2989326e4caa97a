//! What a glove is told: a wrench on each phalanx, and the torques on the joints that these amount to [Talvas §4, bilateral].
//!
//! Gloves with a motor per phalanx take the wrenches, those that pull on joints take `τ = Jᵀ w` in the reduced coordinates of the hand.

use thenar::hand::{BONE_COUNT, BoneId, BoneJacobian, Digit, REDUCED_BLOCKS, Skeleton};
use thenar::haptics::HandleState;
use thenar::math::{Pose, Vec3};

/// Torques on the four angles of each digit, from the thumb to the little finger, N·m: flexion and abduction of the first joint, flexion of the other two.
pub type JointTorques = [[f64; 4]; 5];

/// For a device on palm and phalanges.
#[derive(Clone, Debug, PartialEq)]
pub struct GloveOutput {
    /// Force (N) and torque about the centre of mass (N·m) on each bone of the user's hand, by [`BoneId`].
    pub wrenches: [(Vec3, Vec3); BONE_COUNT],
    /// What remains for the arm: force and torque about the palm's centre of mass.
    pub base: (Vec3, Vec3),
    /// On the user's joints.
    pub joints: JointTorques,
}

impl GloveOutput {
    /// From where the sixteen handles are and the wrenches on them, six numbers each in world axes. `None` for another number of them.
    #[must_use]
    pub fn of(skeleton: &Skeleton, handles: &[HandleState], wrench: &[f64]) -> Option<Self> {
        let handles: &[HandleState; BONE_COUNT] = handles.try_into().ok()?;
        if wrench.len() != 6 * BONE_COUNT {
            return None;
        }
        let frames: [Pose; BONE_COUNT] = std::array::from_fn(|b| {
            let centre = handles[b].pose;
            Pose::new(centre.point(-skeleton.bones[b].com), centre.rotation)
        });
        let part = |at: usize| Vec3::from_slice(&wrench[at..at + 3]);
        let wrenches: [(Vec3, Vec3); BONE_COUNT] = std::array::from_fn(|b| (part(6 * b), part(6 * b + 3)));
        let mut reduced = [Vec3::ZERO; REDUCED_BLOCKS];
        for (bone, jacobian) in BoneId::all().zip(skeleton.jacobians(&frames)) {
            let (force, torque) = wrenches[bone.index()];
            for (k, &block) in BoneJacobian::blocks(bone).iter().enumerate() {
                reduced[block] += jacobian.linear[k].transpose() * force + jacobian.angular[k].transpose() * torque;
            }
        }
        let joints = Digit::ALL.map(|digit| {
            let first = reduced[2 + 2 * digit.index()];
            [first.x, first.y, first.z, reduced[3 + 2 * digit.index()].x]
        });
        Some(Self { wrenches, base: (reduced[0], reduced[1]), joints })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thenar::hand::{Anatomy, HandSurface, Preset, Side, SkinDetail};

    fn skeleton() -> Skeleton {
        HandSurface::build(&Anatomy::preset(Preset::Adult, Side::Right), SkinDetail::Coarse).unwrap().skeleton
    }

    fn at_rest(skeleton: &Skeleton) -> Vec<HandleState> {
        let pose = |(b, frame): (usize, &Pose)| Pose::new(frame.point(skeleton.bones[b].com), frame.rotation);
        let rest = skeleton.rest_poses();
        rest.iter().enumerate().map(|bone| HandleState { pose: pose(bone), ..HandleState::default() }).collect()
    }

    /// What wrenches do on any motion that the joints allow, torques on the joints do as well.
    #[test]
    fn torques_on_joints_do_the_work_of_the_wrenches() {
        let skeleton = skeleton();
        let states = at_rest(&skeleton);
        let wrench: Vec<f64> = (0..96).map(|k| f64::from((k * 37 + 11) % 17) / 17.0 - 0.5).collect();
        let output = GloveOutput::of(&skeleton, &states, &wrench).unwrap();
        let jacobians = skeleton.jacobians(&skeleton.rest_poses());
        let mut rates = [Vec3::ZERO; REDUCED_BLOCKS];
        for (k, rate) in rates.iter_mut().enumerate() {
            *rate = Vec3::new(0.3 - 0.1 * k as f64, 0.2 * k as f64, 0.7);
        }
        let mut done = output.base.0.dot(rates[0]) + output.base.1.dot(rates[1]);
        for (digit, joints) in output.joints.iter().enumerate() {
            let (first, last) = (rates[2 + 2 * digit], rates[3 + 2 * digit]);
            done += joints[0] * first.x + joints[1] * first.y + joints[2] * first.z + joints[3] * last.x;
        }
        let mut expected = 0.0;
        for (bone, jacobian) in BoneId::all().zip(&jacobians) {
            let (velocity, spin) = jacobian.motion(bone, &rates);
            let (force, torque) = output.wrenches[bone.index()];
            expected += force.dot(velocity) + torque.dot(spin);
        }
        assert!((done - expected).abs() < 1e-9 * expected.abs().max(1.0), "{done} W, {expected} W");
    }

    #[test]
    fn a_pen_has_no_joints() {
        assert_eq!(GloveOutput::of(&skeleton(), &[HandleState::default()], &[0.0; 6]), None);
    }
}
