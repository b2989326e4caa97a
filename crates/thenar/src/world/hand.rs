//! A hand in the world: what ties a soft body to its skeleton, its tracker and its skin.

use super::unfold::unfold;
use crate::body::{JointState, SoftBody, SoftState};
use crate::energy::inertia::RigidState;
use crate::energy::tissue::{TissueMemory, TissueRotations};
use crate::hand::{BONE_COUNT, BoneId, Digit, HandModel, Side, Skeleton};
use crate::math::{Pose, Vec3};
use crate::tactile::PadModel;
use std::sync::Arc;

/// What never changes about a hand in the world. Copies share it.
#[derive(Clone)]
pub struct Hand {
    /// Index of its soft body.
    pub(super) soft: usize,
    /// Left or right.
    pub side: Side,
    /// Bones and joints at rest.
    pub skeleton: Arc<Skeleton>,
    /// For each node, the bones that carry it and their weights, for putting the whole hand into a pose.
    skinning: Arc<[Vec<(BoneId, f64)>]>,
    /// The pads of its fingertips, by [`Digit::index`].
    pub(super) pads: [Arc<PadModel>; Digit::ALL.len()],
}

impl Hand {
    pub(super) fn new(model: &HandModel, body: &SoftBody, soft: usize) -> Hand {
        let mut skinning = vec![Vec::new(); model.tissue.mesh.positions.len()];
        for spring in &model.node_springs {
            skinning[spring.node as usize].push((spring.bone, spring.weight));
        }
        let mut skeleton = model.skeleton.clone();
        if let (true, Some(handle)) = (body.one_piece, body.bones_at_rest.first()) {
            // the handle in place of the palm: its centre of mass is elsewhere
            let palm = &mut skeleton.bones[BoneId::PALM.index()];
            palm.com = palm.rest.inverse().point(handle.position);
            (palm.mass, palm.inertia) = (body.bones[0].mass, body.bones[0].inertia);
        }
        Hand {
            soft,
            side: model.side,
            skeleton: Arc::new(skeleton),
            skinning: skinning.into(),
            pads: Digit::ALL.map(|digit| Arc::new(PadModel::new(model, body, digit))),
        }
    }

    /// Placements of the centres of mass from placements of the bone frames.
    #[must_use]
    pub fn centres(&self, frames: &[Pose; BONE_COUNT]) -> [Pose; BONE_COUNT] {
        std::array::from_fn(|b| Pose::new(frames[b].point(self.skeleton.bones[b].com), frames[b].rotation))
    }

    /// Centre of mass of a bone whose frame is at `frame`.
    #[must_use]
    pub fn centre(&self, bone: BoneId, frame: &Pose) -> Vec3 {
        frame.point(self.skeleton.bones[bone.index()].com)
    }

    /// Placement of a bone frame from that of its centre of mass.
    #[must_use]
    pub fn frame(&self, bone: usize, centre: &Pose) -> Pose {
        Pose::new(centre.point(-self.skeleton.bones[bone].com), centre.rotation)
    }

    /// The state of a hand that is not in the world yet.
    pub(super) fn absent(&self, body: &SoftBody) -> SoftState {
        let rest = self.skeleton.rest_poses();
        SoftState {
            active: false,
            nodes: body.rest.clone(),
            velocities: vec![Vec3::ZERO; body.node_count()],
            bones: self.centres(&rest).map(RigidState::at).to_vec(),
            joints: body.reduced.as_ref().map(|_| JointState::default()),
            rotations: TissueRotations::identity(&body.tissue),
            memory: TissueMemory::new(&body.tissue),
            holding: vec![[0.0; 4]; body.stretch.len()],
        }
    }

    /// Moves tissue along with bones that are put from one pose into another, keeping what it is deformed by.
    pub(super) fn carry_along(&self, state: &mut SoftState, from: &[Pose; BONE_COUNT], to: &[Pose; BONE_COUNT]) {
        let motion: [Pose; BONE_COUNT] = std::array::from_fn(|b| to[b] * from[b].inverse());
        for (x, carriers) in state.nodes.iter_mut().zip(self.skinning.iter()) {
            let total: f64 = carriers.iter().map(|(_, weight)| weight).sum();
            let moved: Vec3 = carriers.iter().map(|(bone, weight)| motion[bone.index()].point(*x) * *weight).sum();
            *x = if total > 0.0 { moved / total } else { motion[0].point(*x) };
        }
    }

    /// The bone frames of the hand in the posture in which it was built, with its palm at `palm`.
    fn as_built(&self, palm: &Pose) -> [Pose; BONE_COUNT] {
        let motion = *palm * self.skeleton.bones[0].rest.inverse();
        std::array::from_fn(|b| motion * self.skeleton.bones[b].rest)
    }

    /// Bones of a hand without a skeleton go with its handle.
    pub(super) fn carry_bones(&self, body: &SoftBody, state: &mut SoftState) {
        let palm = state.bones[0];
        let spin = palm.spin(&body.bones[0]);
        let centres = self.centres(&self.as_built(&self.frame(0, &palm.pose)));
        for ((bone, mass), centre) in state.bones.iter_mut().zip(&body.bones).zip(centres).skip(1) {
            let rotation = centre.rotation.normalize();
            *bone = RigidState {
                pose: Pose::new(centre.position, rotation),
                velocity: palm.velocity + spin.cross(centre.position - palm.pose.position),
                momentum: mass.world_inertia(rotation) * spin,
            };
        }
    }

    /// Puts the whole hand at rest into a pose: bones on their targets, tissue by blended skinning, unfolded.
    pub(super) fn seat(&self, body: &SoftBody, state: &mut SoftState, frames: &[Pose; BONE_COUNT]) {
        let fitted = body.reduced.as_ref().map(|skeleton| skeleton.fit(frames));
        let frames = fitted.as_ref().map_or(frames, |(_, frames)| frames);
        let as_built = self.as_built(&frames[0]);
        let frames = if body.one_piece { &as_built } else { frames };
        state.joints =
            fitted.as_ref().map(|(angles, _)| JointState { angles: angles.clone(), ..JointState::default() });
        let motion: [Pose; BONE_COUNT] = std::array::from_fn(|b| frames[b] * self.skeleton.bones[b].rest.inverse());
        for (node, x) in state.nodes.iter_mut().enumerate() {
            let rest = body.rest[node];
            let (mut sum, mut total) = (Vec3::ZERO, 0.0);
            for &(bone, weight) in &self.skinning[node] {
                sum += motion[bone.index()].point(rest) * weight;
                total += weight;
            }
            *x = if total > 0.0 { sum / total } else { motion[0].point(rest) };
        }
        unfold(body, &mut state.nodes);
        state.velocities.fill(Vec3::ZERO);
        state.holding.fill([0.0; 4]);
        for (bone, centre) in state.bones.iter_mut().zip(self.centres(frames)) {
            *bone = RigidState::at(centre);
        }
        state.begin_anew(body);
        state.active = true;
    }
}
