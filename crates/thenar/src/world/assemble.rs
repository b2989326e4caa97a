//! Third stage: every energy and contact appended to the linear problem of the step [CLAP eqs. 4–5].

use super::lead::Led;
use super::phases::Assembled;
use super::{Hand, SolverParams, World, WorldConfig};
use crate::body::{HELD_MASS, SkeletonForces, SoftBody, SoftState};
use crate::collide::Scene;
use crate::contact::ContactInput;
use crate::energy::attachments::bone_block;
use crate::energy::gravity::weight;
use crate::energy::problem::SoftProblem;
use crate::energy::tissue::{Relaxing, TissueWork};
use crate::hand::BONE_COUNT;
use crate::math::{Executor, Mat3, Pose, Serial, Shared, Vec3};
use crate::strain::StrainInput;
use crate::tracking::ElasticState;

impl World {
    /// Every energy, and springs of contact where the pattern has room.
    pub(super) fn assemble(&mut self, dt: f64) -> Assembled {
        self.assemble_energies(dt);
        let mut equations = std::mem::take(&mut self.work.equations);
        self.work.border_energies.copy_from(&equations.border.assembled);
        let mut touching = std::mem::take(&mut self.work.touching);
        let input = self.contact_input(dt);
        touching.gather(&input, &equations.problems);
        touching.append_springs(&input, &mut equations.problems, &mut equations.border.assembled);
        let mut limits = std::mem::take(&mut self.work.limits);
        limits.begin(&self.strain_input(dt), &mut equations.problems);
        self.work.limits = limits;
        let wanted = touching.wanted_rows;
        self.work.touching = touching;
        self.work.equations = equations;
        self.limit_rows(wanted);
        Assembled(std::mem::take(&mut self.work.equations))
    }

    /// All bodies, where they are and where they will be.
    pub(super) fn scene(&self) -> Scene<'_> {
        Scene {
            softs: &self.softs,
            soft_states: &self.state.softs,
            nodes: &self.work.predicted_nodes,
            objects: &self.objects,
            object_states: &self.state.objects,
            poses: &self.work.predicted_objects,
        }
    }

    /// What contact methods read.
    pub(super) fn contact_input(&self, dt: f64) -> ContactInput<'_> {
        ContactInput {
            dt,
            scene: self.scene(),
            motions: &self.work.object_motions,
            contacts: &self.work.contacts,
            memory: &self.state.contacts,
            springs: &self.config.contact,
            aggregate: &self.config.aggregate,
            method: self.config.method,
            skin_friction: self.config.soft_friction,
            outside: self.outside.as_deref(),
            rows: self.work.row_limit,
            held: self.held.as_ref(),
            yielding: self.work.yielding,
            rowless: matches!(self.config.solver, SolverParams::Pcg { .. }),
        }
    }

    /// What hard limits read.
    pub(super) fn strain_input(&self, dt: f64) -> StrainInput<'_> {
        StrainInput { dt, softs: &self.softs, states: &self.state.softs, params: &self.config.strain }
    }

    fn assemble_energies(&mut self, dt: f64) {
        // Several bodies at the same time, or the elements of a single one.
        let several = self.state.softs.iter().filter(|s| s.active).count() > 1;
        let (bodies, elements): (&dyn Executor, &dyn Executor) =
            if several { (&*self.executor, &Serial) } else { (&Serial, &*self.executor) };
        let (softs, config) = (&self.softs, &self.config);
        let (hands, tracking, hand_of_soft) = (&self.hands, &self.state.hands, &self.hand_of_soft);
        let holds = &self.holds;
        let led = Led { handles: &self.handles, targets: &self.state.handles };
        let states = Shared::new(&mut self.state.softs);
        let problems = Shared::new(&mut self.work.equations.problems);
        let tissues = Shared::new(&mut self.work.tissue);
        bodies.run(softs.len(), &|body| {
            // SAFETY: every piece of work takes what belongs to its own body.
            let (state, problem, tissue) = unsafe { (states.item(body), problems.item(body), tissues.item(body)) };
            let hand = hand_of_soft[body].map(|h| (&hands[h as usize], &tracking[h as usize].elastic));
            assemble_body(elements, &softs[body], hand, state, tissue, problem, config, dt);
            if state.active && softs[body].reduced.is_none() {
                led.add(body, &softs[body], hand, state, problem, config, dt);
            }
            if let Some(held) = holds.soft(body).filter(|_| state.active) {
                held.append(&state.nodes, &softs[body].node_mass, problem, dt);
            }
        });
        for (tissue, _) in self.work.tissue.iter().zip(&self.state.softs).filter(|(_, state)| state.active) {
            self.report.min_det = self.report.min_det.min(tissue.least_determinant());
        }
        self.add_objects(dt);
    }

    /// Inertia and weight of the moving objects.
    fn add_objects(&mut self, dt: f64) {
        let border = &mut self.work.equations.border;
        border.assembled.clear();
        for (object, state) in self.objects.iter().zip(&self.state.objects) {
            let (Some(mass), Some(index)) = (&object.mass, object.border) else { continue };
            let linear = 2 * index as usize;
            border.assembled.add(linear, linear, &Mat3::from_diagonal(Vec3::splat(mass.mass)));
            border.assembled.add(linear + 1, linear + 1, &mass.world_inertia(state.pose.rotation));
            border.assembled.add_rhs(linear, state.velocity * mass.mass + weight(mass.mass, self.config.gravity) * dt);
            border.assembled.add_rhs(linear + 1, state.momentum);
            border.start(index as usize, state.velocity, state.spin(mass));
        }
        self.add_tethers(dt);
        self.add_pushes(dt);
    }
}

/// All energies of one soft body; `hand` is whose body it is, with the bones that it follows.
fn assemble_body(
    executor: &dyn Executor,
    soft: &SoftBody,
    hand: Option<(&Hand, &ElasticState)>,
    state: &mut SoftState,
    tissue: &mut TissueWork,
    problem: &mut SoftProblem,
    config: &WorldConfig,
    dt: f64,
) {
    problem.active = state.active;
    problem.clear_border();
    if !state.active {
        return;
    }
    let mut poses = [Pose::IDENTITY; BONE_COUNT];
    for (pose, bone) in poses.iter_mut().zip(&state.bones) {
        *pose = bone.pose;
    }
    add_tissue(executor, soft, state, tissue, problem, config, dt);
    if let Some(skeleton) = &soft.reduced {
        let forces = SkeletonForces { skeleton: &config.skeleton, joints: &config.joints, tracking: &config.tracking };
        return skeleton.assemble(soft, hand.map(|(_, elastic)| elastic), state, problem, &forces, dt);
    }
    add_bones(soft, state, problem, config, dt);
    soft.attachments.add_hessian(&poses, dt * dt + dt * soft.attachment_damping, &mut problem.matrix);
    soft.attachments.add_gradient(&state.nodes, &poses, -dt, &mut problem.rhs);
    soft.blended.append(&state.nodes, &poses, problem, dt);
    add_joints(soft, &poses, problem, config, dt);
}

/// Element rotations are improved twice per step: enough to follow any hand (the kernel's error bound is tested).
const ROTATION_ITERATIONS: u32 = 2;

/// Tissue stiffness and forces, and the inertia of its nodes.
fn add_tissue(
    executor: &dyn Executor,
    body: &SoftBody,
    state: &mut SoftState,
    work: &mut TissueWork,
    problem: &mut SoftProblem,
    config: &WorldConfig,
    dt: f64,
) {
    let n = body.node_count();
    problem.rhs.fill(Vec3::ZERO);
    let SoftState { nodes, rotations, memory, .. } = state;
    let relaxing = Some(Relaxing { memory, dt });
    body.tissue.evaluate_with(executor, nodes, rotations, ROTATION_ITERATIONS, relaxing, work, &mut problem.rhs);
    body.tissue.assemble(work, dt * dt + dt * body.damping, &mut problem.matrix);
    for i in 0..n {
        let mass = body.node_mass[i];
        problem.matrix.diagonal[i].add_diagonal(mass);
        problem.rhs[i] = problem.rhs[i] * dt + state.velocities[i] * mass;
    }
    problem.solution[..n].copy_from_slice(&state.velocities);
    if body.falls {
        for i in 0..n {
            problem.rhs[i] += weight(body.node_mass[i], config.gravity) * dt;
        }
    }
    for &node in &body.clamped {
        problem.matrix.diagonal[node as usize].add_diagonal(HELD_MASS);
    }
}

/// Inertia of the bones, with the gyroscopic term carried by their momenta.
fn add_bones(body: &SoftBody, state: &SoftState, problem: &mut SoftProblem, config: &WorldConfig, dt: f64) {
    for (b, (mass, bone)) in body.bones.iter().zip(&state.bones).enumerate() {
        let block = bone_block(body.node_count(), b as u32) as usize;
        problem.matrix.diagonal[block].add_diagonal(mass.mass);
        problem.matrix.diagonal[block + 1].add(&mass.world_inertia(bone.pose.rotation));
        problem.rhs[block] = bone.velocity * mass.mass;
        problem.rhs[block + 1] = bone.momentum;
        if body.falls {
            problem.rhs[block] += weight(mass.mass, config.gravity) * dt;
        }
        problem.solution[block] = bone.velocity;
        problem.solution[block + 1] = bone.spin(mass);
    }
}

fn add_joints(body: &SoftBody, poses: &[Pose], problem: &mut SoftProblem, config: &WorldConfig, dt: f64) {
    for (joint, slots) in body.joints.iter().zip(&body.joint_slots) {
        let n = body.node_count();
        let (a, b) = (bone_block(n, joint.parent), bone_block(n, joint.child));
        let blocks = [a, a + 1, b, b + 1];
        joint.springs(&poses[joint.parent as usize], &poses[joint.child as usize], &config.joints, |spring| {
            problem.add_spring(&blocks, slots, spring, dt);
        });
    }
}
