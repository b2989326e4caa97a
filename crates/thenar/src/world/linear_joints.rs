//! How the torques of joints change as a handle turns, beyond the Gauss–Newton part that the step's matrix holds of it.
//!
//! For a joint with the torques `τ_a` on the handle and `τ_b` on the other bone, and `H` the Hessian as the matrix has it,
//! ```text
//! G_a = ∂τ_a/∂θ_a + H_aa        G_b = ∂τ_b/∂θ_a + H_ba
//! ```
//! The first is a change of the handle's own torque. The second acts on another bone, and moves the handle by what it yields for a torque there:
//! three rows for each such bone are carried through the factor behind those of the handles.

use super::World;
use super::handle::Handle;
use super::lead::posture_spring;
use super::linear::LinearScratch;
use crate::constraint::{AnyLaw, ConstraintSet, RowEntry};
use crate::energy::attachments::bone_block;
use crate::energy::joints::JointTerm;
use crate::math::{Mat3, Pose, Vec3, rotation_exp};
use crate::tracking::ElasticState;

/// Rows of joints that a handle has at most: a palm has five joints with three rows each.
pub(super) const JOINT_ROWS: usize = 15;

/// Turn by which differences of joints are taken, rad.
const SMALL: f64 = 1e-6;

impl World {
    /// The joints of a handle's bone.
    pub(super) fn joints_of(&self, handle: &Handle) -> impl Iterator<Item = &JointTerm> {
        let bone = handle.bone;
        self.softs[handle.soft].joints.iter().filter(move |j| j.parent == bone || j.child == bone)
    }

    /// Three rows for the turn of each bone that hangs on a handle's joints.
    pub(super) fn append_joint_rows(&self, set: &mut ConstraintSet) {
        for handle in &self.handles {
            for joint in self.joints_of(handle) {
                let block = bone_block(self.softs[handle.soft].node_count(), other(joint, handle)) + 1;
                set.begin(AnyLaw::Released(3));
                for value in Vec3::AXES {
                    set.row([RowEntry { body: handle.soft as u32, block, value }], [None; 2], 0.0, 0.0, 0.0);
                }
            }
        }
    }

    /// What each unknown of the handles moves by, metres or radians, because torques on other bones change with the turn of each handle: as
    /// `yields` says for a unit on each of the rows of [`World::append_joint_rows`]. Into `scratch.turned`, row by row.
    pub(super) fn turn_others(&self, scratch: &mut LinearScratch) {
        let m = 6 * self.handles.len();
        let LinearScratch { yields, turned, .. } = scratch;
        let rows = yields.len() / m.max(1);
        turned.clear();
        turned.resize(m * m, 0.0);
        let joints =
            self.handles.iter().enumerate().flat_map(|(h, handle)| self.joints_of(handle).map(move |j| (h, j)));
        for (place, (h, joint)) in joints.enumerate() {
            let [_, on_other] = self.turned_joint(&self.handles[h], joint);
            for (moved, yields) in turned.chunks_exact_mut(m).zip(yields.chunks_exact(rows)) {
                let yields = Vec3::from_slice(&yields[3 * place..3 * place + 3]);
                (0..3).for_each(|axis| moved[6 * h + 3 + axis] += yields.dot(on_other.col(axis)));
            }
        }
    }

    /// `G_a` and `G_b` of a joint, N·m/rad, by differences, with the poses at the end of the step.
    pub(super) fn turned_joint(&self, handle: &Handle, joint: &JointTerm) -> [Mat3; 2] {
        let bones = &self.state.softs[handle.soft].bones;
        let (end, other) = (&bones[handle.bone as usize].pose, &bones[other(joint, handle) as usize].pose);
        let is_parent = joint.parent == handle.bone;
        let posture = self.posture_of(handle.soft, joint.child);
        let torques = |turn: Vec3| {
            let own = Pose::new(end.position, rotation_exp(turn) * end.rotation);
            let (parent, child) = if is_parent { (&own, other) } else { (other, &own) };
            let (mut torques, mut hessians) = ([Vec3::ZERO; 2], [Mat3::ZERO; 2]);
            let [a, b] = if is_parent { [1, 3] } else { [3, 1] };
            joint.springs(parent, child, &self.config.joints, |spring| {
                torques = [torques[0] - spring.gradient(a), torques[1] - spring.gradient(b)];
                hessians = [hessians[0] + spring.hessian(a, a), hessians[1] + spring.hessian(b, a)];
            });
            if let Some(elastic) = posture {
                let spring = posture_spring(joint, elastic, parent, child, &self.config.tracking.phalanx);
                let [a, b] = [a / 2, b / 2];
                torques = [torques[0] - spring.gradient(a), torques[1] - spring.gradient(b)];
                hessians = [hessians[0] + spring.hessian(a, a), hessians[1] + spring.hessian(b, a)];
            }
            (torques, hessians)
        };
        let (_, hessians) = torques(Vec3::ZERO);
        let by = Vec3::AXES.map(|axis| (torques(axis * SMALL).0, torques(axis * -SMALL).0));
        [0, 1].map(|k| {
            let [x, y, z] = by.map(|(more, less)| (more[k] - less[k]) / (2.0 * SMALL));
            Mat3::from_cols(x, y, z) + hessians[k]
        })
    }

    /// The posture that a bone keeps over the one that it hangs on, where a device leads others of its hand.
    fn posture_of(&self, soft: usize, child: u32) -> Option<&ElasticState> {
        let led = |bone: Option<u32>| {
            let of = |handle: &Handle| handle.soft == soft && bone.is_none_or(|bone| handle.bone == bone);
            self.handles.iter().zip(&self.state.handles).any(|(handle, target)| of(handle) && target.is_some())
        };
        let hand = self.hand_of_soft[soft]?;
        let keeps = !self.softs[soft].one_piece && led(None) && !led(Some(child));
        keeps.then(|| &self.state.hands[hand as usize].elastic)
    }
}

/// The bone at the other end of a joint of a handle.
fn other(joint: &JointTerm, handle: &Handle) -> u32 {
    if joint.parent == handle.bone { joint.child } else { joint.parent }
}
