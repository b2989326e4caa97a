//! What moves bones from outside: devices by handles, and trackers.

use super::handle::Handle;
use super::{Hand, WorldConfig};
use crate::body::{HELD_INERTIA, HELD_MASS, SoftBody, SoftState};
use crate::energy::Spring;
use crate::energy::attachments::bone_block;
use crate::energy::coupling;
use crate::energy::joints::JointTerm;
use crate::energy::problem::SoftProblem;
use crate::hand::{BONE_COUNT, BoneId};
use crate::haptics::HandleState;
use crate::math::{Mat3, Pose, Vec3, rotation_log};
use crate::sparse::Slot;
use crate::tracking::{CouplingParams, ElasticState, TrackingMode};

/// All handles, and where devices want them.
#[derive(Clone, Copy)]
pub(super) struct Led<'a> {
    pub handles: &'a [Handle],
    pub targets: &'a [Option<HandleState>],
}

impl Led<'_> {
    /// Couplings of a body's bones: handles to their targets, other bones of a hand that has such handles to the bones they hang on, and the
    /// bones of other hands to their trackers.
    pub fn add(
        &self,
        index: usize,
        body: &SoftBody,
        hand: Option<(&Hand, &ElasticState)>,
        state: &SoftState,
        problem: &mut SoftProblem,
        config: &WorldConfig,
        dt: f64,
    ) {
        let mut led = [false; BONE_COUNT];
        for (handle, target) in self.handles.iter().zip(self.targets).filter(|(handle, _)| handle.soft == index) {
            if let Some(target) = target {
                led[handle.bone as usize] = true;
                add_coupling(handle, body, &state.bones[handle.bone as usize].pose, target, problem, dt);
            }
        }
        let Some((hand, elastic)) = hand else { return };
        let mut poses = [Pose::IDENTITY; BONE_COUNT];
        for (pose, bone) in poses.iter_mut().zip(&state.bones) {
            *pose = bone.pose;
        }
        let any = led.contains(&true);
        if body.one_piece {
            return add_tracking(hand, body, elastic, &poses, problem, config, dt, |bone| bone == 0 && !any);
        }
        if any {
            add_posture(body, elastic, &poses, problem, config, dt, |bone| !led[bone]);
        }
        add_tracking(hand, body, elastic, &poses, problem, config, dt, |bone| !led[bone] && (bone == 0 || !any));
    }
}

/// The spring and damper of a device, implicit: `f = k (x_T − x') + d (v_T − v')` at the end of the step.
fn add_coupling(
    handle: &Handle,
    body: &SoftBody,
    pose: &Pose,
    target: &HandleState,
    problem: &mut SoftProblem,
    h: f64,
) {
    let [linear, angular] = handle.stiffness(pose, target);
    let block = bone_block(body.node_count(), handle.bone) as usize;
    let turn = rotation_log(target.pose.rotation * pose.rotation.inverse());
    let (d, e) = (handle.coupling.linear_damping, handle.coupling.angular_damping);
    problem.matrix.diagonal[block].add_diagonal(h * h * linear + h * d);
    problem.matrix.diagonal[block + 1].add_diagonal(h * h * angular + h * e);
    problem.rhs[block] += ((target.pose.position - pose.position) * linear + target.velocity * d) * h;
    problem.rhs[block + 1] += (turn * angular + target.spin * e) * h;
}

/// Springs that keep the posture of a hand whose handles are moved: each bone towards its orientation over the one that it hangs on, so that the
/// handles feel what fingers carry.
fn add_posture(
    body: &SoftBody,
    elastic: &ElasticState,
    poses: &[Pose; BONE_COUNT],
    problem: &mut SoftProblem,
    config: &WorldConfig,
    dt: f64,
    moved: impl Fn(usize) -> bool,
) {
    let params = &config.tracking.phalanx;
    let n = body.node_count();
    for (joint, slots) in body.joints.iter().zip(&body.joint_slots).filter(|(j, _)| moved(j.child as usize)) {
        let spring =
            posture_spring(joint, elastic, &poses[joint.parent as usize], &poses[joint.child as usize], params);
        // of the ten pairs of a joint's four blocks, those of its two rotations
        let blocks = [bone_block(n, joint.parent) + 1, bone_block(n, joint.child) + 1];
        problem.add_spring(&blocks, &[slots[4], slots[6], slots[9]], &spring, dt);
    }
}

/// The spring of one joint towards its posture, over the rotations of its parent and its child.
pub(super) fn posture_spring(
    joint: &JointTerm,
    elastic: &ElasticState,
    parent: &Pose,
    child: &Pose,
    params: &CouplingParams,
) -> Spring<2> {
    let wanted = |bone: u32| elastic.bones[bone as usize].pose.rotation;
    let over = wanted(joint.parent).inverse() * wanted(joint.child);
    let residual = rotation_log(child.rotation * (parent.rotation * over).inverse());
    // a joint takes the couplings of all bones beyond it together
    let beyond = 3.0 - BoneId(joint.child as u8).segment() as f64;
    let stiffness = coupling::capped(params.angular * beyond, residual.length(), params.torque_cap * beyond);
    Spring {
        residual,
        stiffness: Mat3::from_diagonal(Vec3::splat(stiffness)),
        jacobian: [Mat3::IDENTITY * -1.0, Mat3::IDENTITY],
    }
}

/// Couplings of the simulated bones to the intermediate ones: palm fully, phalanges by orientation [CLAP §3.6].
fn add_tracking(
    hand: &Hand,
    body: &SoftBody,
    elastic: &ElasticState,
    poses: &[Pose],
    problem: &mut SoftProblem,
    config: &WorldConfig,
    dt: f64,
    tracked: impl Fn(usize) -> bool,
) {
    let n = body.node_count();
    for bone in (0..hand.skeleton.bones.len()).filter(|bone| tracked(*bone)) {
        let block = bone_block(n, bone as u32);
        let (pose, target) = (&poses[bone], &elastic.bones[bone].pose);
        if config.tracking.mode == TrackingMode::Direct {
            let velocity = (target.position - pose.position) / dt;
            let spin = rotation_log(target.rotation * pose.rotation.inverse()) / dt;
            problem.matrix.diagonal[block as usize].add_diagonal(HELD_MASS);
            problem.matrix.diagonal[block as usize + 1].add_diagonal(HELD_INERTIA);
            problem.rhs[block as usize] += velocity * HELD_MASS;
            problem.rhs[block as usize + 1] += spin * HELD_INERTIA;
            continue;
        }
        let params = if bone == 0 { &config.tracking.palm } else { &config.tracking.phalanx };
        if bone == 0 {
            let stretch = pose.position.distance(target.position);
            let stiffness = coupling::capped(params.linear, stretch, params.force_cap);
            let spring = coupling::linear(pose, target.position, stiffness);
            problem.add_spring(&[block], &[Slot::Diagonal(block)], &spring, dt);
        }
        let away = coupling::angular(pose, target.rotation, params.angular);
        let stiffness = coupling::capped(params.angular, away.residual.length(), params.torque_cap);
        let spring = coupling::angular(pose, target.rotation, stiffness);
        problem.add_spring(&[block + 1], &[Slot::Diagonal(block + 1)], &spring, dt);
    }
}
