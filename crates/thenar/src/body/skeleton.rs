//! A hand whose bones are functions of twenty joint angles and a base, instead of sixteen bodies [Talvas §4].
//!
//! The coordinates take the place of the bones' blocks in the hand's own sparse system, so factorisation, contact and
//! constraints work as before. Bones never come apart at their joints, whatever pulls at them.

use super::params::{SkeletonCoupling, SkeletonParams};
use super::soft::{SoftBody, SoftState};
use crate::energy::attachments::AttachmentSpring;
use crate::energy::coupling;
use crate::energy::inertia::RigidState;
use crate::energy::joints::JointParams;
use crate::energy::problem::SoftProblem;
use crate::energy::reduced::{BoneLoad, ReducedSystem, angle_place, beyond};
use crate::energy::reduced_attachments::ReducedAttachments;
use crate::hand::{BONE_COUNT, BoneId, BoneJacobian, Digit, HandPose, REDUCED_BLOCKS, Skeleton};
use crate::math::{Mat3, Pose, Vec3, dense, rotation_exp, rotation_log};
use crate::sparse::{BlockPattern, Slot};
use crate::tracking::{ElasticState, TrackingMode, TrackingParams};
use std::f64::consts::{PI, TAU};

/// Bones held where the tracker wants them are held by a mass so large (kg, kg m²) that nothing in the hand moves them.
pub const HELD_MASS: f64 = 1e5;
/// See [`HELD_MASS`].
pub const HELD_INERTIA: f64 = 1e2;

/// Joint angles of a hand and their rates; part of the state. The base is the palm among the bones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointState {
    /// Angles, radians from rest.
    pub angles: HandPose,
    /// Their rates, rad/s.
    pub rates: HandPose,
}

/// What acts on a skeleton besides its tissue.
pub struct SkeletonForces<'a> {
    /// Bodies or angles, and whether tissue pushes back.
    pub skeleton: &'a SkeletonParams,
    /// Stiffness of joints and their limits.
    pub joints: &'a JointParams,
    /// How firmly it follows the tracker.
    pub tracking: &'a TrackingParams,
}

/// What never changes about a hand in reduced coordinates.
pub struct ReducedSkeleton {
    skeleton: Skeleton,
    ranges: [[[f64; 2]; 4]; 5],
    attachments: ReducedAttachments,
    /// Slots of [`ReducedSystem::pairs`], in that order.
    slots: Vec<Slot>,
}

impl ReducedSkeleton {
    /// Cliques of the pattern: what each spring couples, and the coordinates among themselves.
    #[must_use]
    pub fn cliques(springs: &[AttachmentSpring], node_count: usize) -> Vec<Vec<u32>> {
        let of_digit = |d: usize| [0, 1, 2 + 2 * d, 3 + 2 * d].map(|b| (node_count + b) as u32).to_vec();
        let springs = springs.iter().map(|s| ReducedAttachments::clique(s, node_count));
        springs.chain((0..Digit::ALL.len()).map(of_digit)).collect()
    }

    /// The skeleton of a hand whose nodes come first in the pattern.
    #[must_use]
    pub fn new(skeleton: &Skeleton, springs: Vec<AttachmentSpring>, node_count: usize, pattern: &BlockPattern) -> Self {
        let slot = |(a, b): (usize, usize)| {
            let (a, b) = ((node_count + a) as u32, (node_count + b) as u32);
            // all pairs are in the pattern by construction
            pattern.edge(a, b).unwrap_or(Slot::Diagonal(a))
        };
        ReducedSkeleton {
            ranges: Digit::ALL.map(|digit| skeleton.angle_ranges(digit)),
            attachments: ReducedAttachments::new(springs, node_count, pattern),
            slots: ReducedSystem::pairs().map(slot).collect(),
            skeleton: skeleton.clone(),
        }
    }

    /// The pose of this skeleton nearest to given bone frames, and the frames it leads to.
    #[must_use]
    pub fn fit(&self, frames: &[Pose; BONE_COUNT]) -> (HandPose, [Pose; BONE_COUNT]) {
        let angles = self.skeleton.angles(frames);
        let fitted = self.skeleton.pose(&angles, frames[0]);
        (angles, fitted)
    }

    fn frame(&self, bone: usize, centre: &Pose) -> Pose {
        Pose::new(centre.point(-self.skeleton.bones[bone].com), centre.rotation)
    }

    fn frames(&self, bones: &[RigidState]) -> [Pose; BONE_COUNT] {
        std::array::from_fn(|b| self.frame(b, &bones[b].pose))
    }

    /// Everything that acts on bones and coordinates, appended to the hand's problem.
    pub fn assemble(
        &self,
        body: &SoftBody,
        elastic: Option<&ElasticState>,
        state: &SoftState,
        problem: &mut SoftProblem,
        forces: &SkeletonForces<'_>,
        dt: f64,
    ) {
        let Some(joints) = &state.joints else { return };
        let n = body.node_count();
        let jacobians = self.skeleton.jacobians(&self.frames(&state.bones));
        let poses: [Pose; BONE_COUNT] = std::array::from_fn(|b| state.bones[b].pose);
        let mut system = ReducedSystem::empty();
        let mut loads = inertia(body, state);
        let tracking = Tracking { skeleton: self, elastic, joints, palm: &poses[0], forces, dt };
        let one_sided = forces.skeleton.coupling == SkeletonCoupling::OneSided;
        if forces.tracking.mode == TrackingMode::Direct {
            system.hold(&tracking.straight_rates(), HELD_MASS, HELD_INERTIA);
        } else if one_sided {
            let rates = tracking.rates_without_tissue(&jacobians, &loads);
            system.hold(&rates, HELD_MASS, HELD_INERTIA);
        } else {
            tracking.add_springs(&mut system);
        }
        self.attachments.add_hessian(&poses, &jacobians, dt * dt, &mut problem.matrix, &mut loads);
        self.attachments.add_gradient(&state.nodes, &poses, -dt, &mut problem.rhs, &mut loads);
        for bone in BoneId::all() {
            system.add_bone(bone, &jacobians[bone.index()], &loads[bone.index()]);
        }
        for (&slot, (a, b)) in self.slots.iter().zip(ReducedSystem::pairs()) {
            problem.matrix.add(slot, system.block(a, b));
        }
        problem.rhs[n..n + REDUCED_BLOCKS].copy_from_slice(&system.rhs);
        let spin = state.bones[0].spin(&body.bones[0]);
        problem.solution[n..n + REDUCED_BLOCKS].copy_from_slice(&to_blocks(state.bones[0].velocity, spin, joints));
    }

    /// Moves base and angles by the solved rates; the bones follow by forward kinematics.
    pub fn advance(&self, body: &SoftBody, state: &mut SoftState, solved: &[Vec3], dt: f64) {
        let Some(joints) = &mut state.joints else { return };
        let rates: [Vec3; REDUCED_BLOCKS] = std::array::from_fn(|b| solved[b]);
        let jacobians = self.skeleton.jacobians(&self.frames(&state.bones));
        for bone in BoneId::all() {
            let b = bone.index();
            let (velocity, spin) = jacobians[b].motion(bone, &rates);
            let moving = &mut state.bones[b];
            // momentum as a body carries it: with the inertia that the step was solved with
            moving.momentum = body.bones[b].world_inertia(moving.pose.rotation) * spin;
            moving.velocity = velocity;
        }
        let mut palm = state.bones[0].pose;
        palm.position += rates[0] * dt;
        palm.rotation = (rotation_exp(rates[1] * dt) * palm.rotation).normalize();
        for digit in Digit::ALL {
            for k in 0..4 {
                let (block, place) = angle_place(digit, k);
                joints.rates.digits[digit.index()][k] = rates[block][place];
                joints.angles.digits[digit.index()][k] += rates[block][place] * dt;
            }
        }
        let frames = self.skeleton.pose(&joints.angles, self.frame(0, &palm));
        for ((bone, frame), rest) in state.bones.iter_mut().zip(&frames).zip(&self.skeleton.bones) {
            bone.pose = Pose::new(frame.point(rest.com), frame.rotation);
        }
    }
}

/// Inertia of the bones and the momenta they carry.
fn inertia(body: &SoftBody, state: &SoftState) -> [BoneLoad; BONE_COUNT] {
    std::array::from_fn(|b| {
        let (mass, bone) = (&body.bones[b], &state.bones[b]);
        BoneLoad {
            linear: Mat3::from_diagonal(Vec3::splat(mass.mass)),
            angular: mass.world_inertia(bone.pose.rotation),
            force: bone.velocity * mass.mass,
            torque: bone.momentum,
            ..BoneLoad::ZERO
        }
    })
}

fn to_blocks(velocity: Vec3, spin: Vec3, joints: &JointState) -> [Vec3; REDUCED_BLOCKS] {
    let mut blocks = [Vec3::ZERO; REDUCED_BLOCKS];
    [blocks[0], blocks[1]] = [velocity, spin];
    for digit in Digit::ALL {
        for (k, rate) in joints.rates.digits[digit.index()].iter().enumerate() {
            let (block, place) = angle_place(digit, k);
            blocks[block][place] = *rate;
        }
    }
    blocks
}

/// Springs from the tracked hand to the coordinates.
struct Tracking<'a> {
    skeleton: &'a ReducedSkeleton,
    elastic: Option<&'a ElasticState>,
    joints: &'a JointState,
    /// Placement of the palm's centre of mass.
    palm: &'a Pose,
    forces: &'a SkeletonForces<'a>,
    dt: f64,
}

impl Tracking<'_> {
    fn angles(&self, elastic: &ElasticState) -> HandPose {
        self.skeleton.skeleton.angles(&self.skeleton.frames(&elastic.bones))
    }

    /// Springs on the base and on every angle, and the limits.
    ///
    /// A joint turns all bones beyond it, so that it takes their couplings together: the stiffness and largest torque
    /// of as many phalanges as hang on it.
    fn add_springs(&self, system: &mut ReducedSystem) {
        let h = self.dt;
        for digit in Digit::ALL {
            for (k, &angle) in self.joints.angles.digits[digit.index()].iter().enumerate() {
                if let Some(residual) = beyond(angle, self.skeleton.ranges[digit.index()][k]) {
                    system.add_angle_spring(digit, k, residual, self.forces.joints.limit, h);
                }
            }
        }
        let Some(elastic) = self.elastic else { return };
        let (palm, phalanx) = (&self.forces.tracking.palm, &self.forces.tracking.phalanx);
        let target = &elastic.bones[0].pose;
        let linear = coupling::capped(palm.linear, self.palm.position.distance(target.position), palm.force_cap);
        system.add_base_spring(0, &coupling::linear(self.palm, target.position, linear), h);
        let away = coupling::angular(self.palm, target.rotation, 1.0).residual.length();
        let angular = coupling::capped(palm.angular, away, palm.torque_cap);
        system.add_base_spring(1, &coupling::angular(self.palm, target.rotation, angular), h);
        let wanted = self.angles(elastic);
        for digit in Digit::ALL {
            for k in 0..4 {
                let d = digit.index();
                let residual = wrapped(self.joints.angles.digits[d][k] - wanted.digits[d][k]);
                let beyond_joint = [3.0, 3.0, 2.0, 1.0][k];
                let cap = phalanx.torque_cap * beyond_joint;
                let stiffness = coupling::capped(phalanx.angular * beyond_joint, residual.abs(), cap);
                system.add_angle_spring(digit, k, residual, stiffness, h);
            }
        }
    }

    /// The rates that lead straight onto the target.
    fn straight_rates(&self) -> [Vec3; REDUCED_BLOCKS] {
        let Some(elastic) = self.elastic else { return [Vec3::ZERO; REDUCED_BLOCKS] };
        let target = &elastic.bones[0].pose;
        let wanted = self.angles(elastic);
        let mut joints = JointState::default();
        for d in 0..5 {
            for k in 0..4 {
                joints.rates.digits[d][k] = wrapped(wanted.digits[d][k] - self.joints.angles.digits[d][k]) / self.dt;
            }
        }
        let velocity = (target.position - self.palm.position) / self.dt;
        let spin = rotation_log(target.rotation * self.palm.rotation.inverse()) / self.dt;
        to_blocks(velocity, spin, &joints)
    }

    /// The rates of a skeleton that feels its tracker and its own inertia, but no tissue.
    fn rates_without_tissue(
        &self,
        jacobians: &[BoneJacobian; BONE_COUNT],
        inertia: &[BoneLoad; BONE_COUNT],
    ) -> [Vec3; REDUCED_BLOCKS] {
        const N: usize = 3 * REDUCED_BLOCKS;
        let mut system = ReducedSystem::empty();
        for bone in BoneId::all() {
            system.add_bone(bone, &jacobians[bone.index()], &inertia[bone.index()]);
        }
        self.add_springs(&mut system);
        let mut matrix = [0.0; N * N];
        system.write_dense(&mut matrix);
        let mut x = [0.0; N];
        for (x, rhs) in x.chunks_exact_mut(3).zip(&system.rhs) {
            x.copy_from_slice(&rhs.to_array());
        }
        // inertia makes the matrix positive definite; should rounding spoil it, the hand stays where it is
        match dense::factor(&mut matrix, N) {
            Ok(()) => dense::solve(&matrix, N, &mut x),
            Err(_) => x.fill(0.0),
        }
        std::array::from_fn(|b| Vec3::new(x[3 * b], x[3 * b + 1], x[3 * b + 2]))
    }
}

/// The same angle within half a turn either way.
fn wrapped(angle: f64) -> f64 {
    if angle.abs() <= PI { angle } else { angle - TAU * (angle / TAU).round() }
}
