//! A hand in the world: what ties a soft body to its skeleton, its tracker and its skin.

use crate::body::{JointState, SoftBody, SoftState};
use crate::energy::inertia::RigidState;
use crate::energy::tissue::TissueRotations;
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
        Hand {
            soft,
            side: model.side,
            skeleton: Arc::new(model.skeleton.clone()),
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
            holding: vec![[0.0; 3]; body.stretch.len()],
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

    /// Puts the whole hand at rest into a pose: bones on their targets, tissue by blended skinning.
    pub(super) fn seat(&self, body: &SoftBody, state: &mut SoftState, frames: &[Pose; BONE_COUNT]) {
        let fitted = body.reduced.as_ref().map(|skeleton| skeleton.fit(frames));
        let frames = fitted.as_ref().map_or(frames, |(_, frames)| frames);
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
        state.velocities.fill(Vec3::ZERO);
        state.holding.fill([0.0; 3]);
        for (bone, centre) in state.bones.iter_mut().zip(self.centres(frames)) {
            *bone = RigidState::at(centre);
        }
        state.rotations.reset(&body.tissue, &state.nodes);
        state.active = true;
    }
}
