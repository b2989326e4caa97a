//! After a step: the linear model of the force on handles [Garre §5.3].

use super::handle::{Handle, HandleError};
use super::phases::Equations;
use super::{SolverParams, World};
use crate::constraint::{AnyLaw, Compliance, ConstraintSet, RowEntry, Shapes, System};
use crate::energy::attachments::bone_block;
use crate::energy::gravity::weight;
use crate::energy::inertia::RigidMass;
use crate::hand::BONE_COUNT;
use crate::haptics::{HandleId, HandleModel, HandleState, Lead, Linearisation, Own, Response};
use crate::math::{Mat3, Pose, Vec3, rotation_exp, rotation_log, skew};
use crate::sparse::BlockMatrix;

/// Rows of contacts that slide in the matrix, at most: three for each. Those beyond count as the matrix holds them.
pub(super) const SLIDING_ROWS: usize = 384;

/// With more rows of contact than this at work, what inertia bends stays in the stiffness: a second elimination would cost more than a step.
const MOST_ACTIVE: usize = 150;

/// Turn by which differences of joints are taken, rad.
const SMALL: f64 = 1e-6;

/// Scratch of linearising.
#[derive(Default)]
pub(super) struct LinearScratch {
    pub(super) response: Response,
    own: Vec<Own>,
    /// The motion of everything for a unit of each unknown of the handles.
    shapes: Shapes,
    pub(super) inertia: Vec<f64>,
    damping: Vec<f64>,
    /// `(M + h D) U`, as the shapes.
    loads: Vec<f64>,
    sag: Vec<f64>,
    product: Vec<f64>,
    dampers: Vec<BlockMatrix>,
}

impl World {
    /// The force on all handles at the end of the last step, and how it depends on their motion, with contacts as they are: what sticks goes on
    /// sticking, what slides goes on in its direction.
    ///
    /// # Errors
    /// If no step was solved since the world was made or failed last, or the solver makes no factor.
    pub fn handle_model(&mut self, model: &mut HandleModel) -> Result<(), HandleError> {
        self.handle_model_by(Linearisation::default(), model)
    }

    /// The same, by a linearisation of choice.
    ///
    /// # Errors
    /// As for [`World::handle_model`].
    pub fn handle_model_by(&mut self, how: Linearisation, model: &mut HandleModel) -> Result<(), HandleError> {
        if matches!(self.config.solver, SolverParams::Pcg { .. }) {
            return Err(HandleError::Iterative);
        }
        let dt = self.work.handle_step.ok_or(HandleError::NoStep)?;
        let count = self.handles.len();
        if model.at.len() != count {
            *model = HandleModel::of(count);
        }
        model.time = self.state.time;
        self.find_forces(dt, how.lead, model);
        let mut scratch = std::mem::take(&mut self.work.linear);
        let mut equations = std::mem::take(&mut self.work.equations);
        let mut set = std::mem::take(&mut self.work.constraints);
        let mut compliance = std::mem::take(&mut self.work.compliance);
        self.append_handle_rows(dt, &mut set, &mut compliance, &equations);
        let first = self.work.handle_rows.unwrap_or(0);
        compliance.carry(&mut set, dt, &mut system(&mut equations));
        scratch.own.clear();
        scratch.own.extend(self.handles.iter().zip(&self.state.handles).enumerate().map(|(i, (handle, target))| {
            let (body, start) = (&self.softs[handle.soft], &self.work.handle_starts[i]);
            let levers = if how.lead == Lead::Free { self.turning_levers(handle, start, dt) } else { Mat3::ZERO };
            let own = own(handle, &body.bones[handle.bone as usize], body.attachment_damping, start, target.as_ref());
            Own { levers, ..own }
        }));
        let good = scratch.response.solve(&compliance, &set, first, count, how.contacts);
        match how.lead {
            _ if !good => {
                model.stiffness.fill(0.0);
                model.damping.fill(0.0);
            }
            Lead::Free => scratch.response.derive_free(&scratch.own, dt, model),
            Lead::Held => {
                let LinearScratch { response, shapes, .. } = &mut scratch;
                let unit = |unknown: usize, lambda: &mut Vec<f64>| response.unit_motion(unknown, dt, lambda);
                compliance.shapes(&set, 6 * count, unit, dt, &mut system(&mut equations), shapes);
                self.weigh_shapes(dt, &mut scratch);
                let blocks = set.blocks.len();
                if scratch.response.active_rows() <= MOST_ACTIVE {
                    let rest = set.rows.len();
                    self.append_loads(&mut set, &scratch);
                    self.make_room(&set, &mut compliance, &equations);
                    compliance.carry(&mut set, dt, &mut system(&mut equations));
                    let LinearScratch { response, sag, .. } = &mut scratch;
                    response.sag(&compliance, &set, first, rest, how.contacts, sag);
                    set.truncate(blocks);
                } else {
                    scratch.sag.clear();
                }
                let LinearScratch { response, own, inertia, damping, sag, .. } = &scratch;
                response.derive_held(own, inertia, damping, sag, dt, model);
            }
        }
        self.work.linear = scratch;
        self.work.equations = equations;
        self.work.constraints = set;
        self.work.compliance = compliance;
        Ok(())
    }

    /// `F₀` and where it holds. What changes the momentum of a handle, beside the device and its weight, is its tool.
    fn find_forces(&self, dt: f64, lead: Lead, model: &mut HandleModel) {
        for i in 0..self.handles.len() {
            let ([force, torque], end) = self.force_on(i, dt);
            model.force[6 * i..6 * i + 3].copy_from_slice(&force.to_array());
            model.force[6 * i + 3..6 * i + 6].copy_from_slice(&torque.to_array());
            model.at[i] = match lead {
                Lead::Free => self.work.handle_starts[i],
                Lead::Held => end,
            };
        }
    }

    /// The force (N) and torque about its centre of mass (N·m) that its tool put on a handle at the end of the last step; zero if that was not
    /// solved.
    ///
    /// # Errors
    /// If there is no such handle.
    pub fn handle_wrench(&self, handle: HandleId) -> Result<[Vec3; 2], HandleError> {
        let i = handle.0 as usize;
        if i >= self.handles.len() {
            return Err(HandleError::Unknown { id: handle.0 });
        }
        Ok(self.work.handle_step.map_or([Vec3::ZERO; 2], |dt| self.force_on(i, dt).0))
    }

    fn force_on(&self, i: usize, dt: f64) -> ([Vec3; 2], HandleState) {
        let (handle, target) = (&self.handles[i], &self.state.handles[i]);
        let (body, start) = (&self.softs[handle.soft], &self.work.handle_starts[i]);
        let (mass, end) =
            (&body.bones[handle.bone as usize], &self.state.softs[handle.soft].bones[handle.bone as usize]);
        let inertia = mass.world_inertia(start.pose.rotation);
        let spin = inertia.inverse() * end.momentum;
        let mut force = (end.velocity - start.velocity) * (mass.mass / dt);
        let mut torque = (end.momentum - inertia * start.spin) / dt;
        if let Some(target) = target {
            let [k, l] = handle.stiffness(&start.pose, target);
            let turn = rotation_log(target.pose.rotation * start.pose.rotation.inverse());
            let coupling = &handle.coupling;
            force -= (target.pose.position - end.pose.position) * k
                + (target.velocity - end.velocity) * coupling.linear_damping;
            torque -= (turn - spin * dt) * l + (target.spin - spin) * coupling.angular_damping;
        }
        if body.falls {
            force -= weight(mass.mass, self.config.gravity);
        }
        ([force, torque], HandleState { pose: end.pose, velocity: end.velocity, spin })
    }

    /// How the torque of the tool on a handle changes with its levers as it turns: `(dθ × a) × f = (a fᵀ − (a·f)) dθ` for springs of tissue, and by
    /// differences for joints; with the forces at the end of the step.
    fn turning_levers(&self, handle: &Handle, start: &HandleState, dt: f64) -> Mat3 {
        let (body, state) = (&self.softs[handle.soft], &self.state.softs[handle.soft]);
        let end = &state.bones[handle.bone as usize];
        let inertia = body.bones[handle.bone as usize].world_inertia(start.pose.rotation);
        let spin = inertia.inverse() * end.momentum;
        let mut sum = Mat3::ZERO;
        for spring in body.attachments.springs().iter().filter(|s| s.bone == handle.bone) {
            let arm = start.pose.rotation * spring.local;
            let carriers = || spring.nodes.iter().zip(spring.weights).map(|(&n, w)| (n as usize, w));
            let held: Vec3 = carriers().map(|(n, w)| state.nodes[n] * w).sum();
            let moving: Vec3 = carriers().map(|(n, w)| state.velocities[n] * w).sum();
            let turned = arm + spin.cross(arm) * dt;
            let damped = (moving - end.velocity - spin.cross(arm)) * body.attachment_damping;
            let force = (held - end.pose.position - turned + damped) * spring.stiffness;
            sum += Mat3::from_cols(arm * force.x, arm * force.y, arm * force.z);
            sum -= Mat3::from_diagonal(Vec3::splat(arm.dot(force)));
        }
        for joint in body.joints.iter().filter(|j| j.parent == handle.bone || j.child == handle.bone) {
            let parent = joint.parent == handle.bone;
            let other = &state.bones[if parent { joint.child } else { joint.parent } as usize].pose;
            let torque = |turn: Vec3| {
                let own = Pose::new(end.pose.position, rotation_exp(turn) * end.pose.rotation);
                let (a, b, block) = if parent { (&own, other, 1) } else { (other, &own, 3) };
                let (mut torque, mut hessian) = (Vec3::ZERO, Mat3::ZERO);
                joint.springs(a, b, &self.config.joints, |spring| {
                    torque -= spring.gradient(block);
                    hessian += spring.hessian(block, block);
                });
                (torque, hessian)
            };
            let (_, hessian) = torque(Vec3::ZERO);
            let by = |axis: Vec3| (torque(axis * SMALL).0 - torque(axis * -SMALL).0) / (2.0 * SMALL);
            sum += Mat3::from_cols(by(Vec3::X), by(Vec3::Y), by(Vec3::Z)) + hessian;
        }
        sum
    }

    /// Six rows for each handle that measure its motion, behind those of the contacts; once for each step.
    fn append_handle_rows(
        &mut self,
        dt: f64,
        set: &mut ConstraintSet,
        compliance: &mut Compliance,
        equations: &Equations,
    ) {
        if self.work.handle_rows.is_some() {
            return;
        }
        self.work.touching.append_sliding(&self.contact_input(dt), set, self.work.row_limit + SLIDING_ROWS);
        self.work.handle_rows = Some(set.rows.len());
        for handle in &self.handles {
            let block = bone_block(self.softs[handle.soft].node_count(), handle.bone);
            for half in [block, block + 1] {
                set.begin(AnyLaw::Released(3));
                for value in Vec3::AXES {
                    set.row([RowEntry { body: handle.soft as u32, block: half, value }], [None; 2], 0.0, 0.0, 0.0);
                }
            }
        }
        self.make_room(set, compliance, equations);
    }

    /// Room is made between steps, so that this is an exception; what was carried is carried again.
    fn make_room(&self, set: &ConstraintSet, compliance: &mut Compliance, equations: &Equations) {
        if set.rows.len() > compliance.room() {
            compliance.clear();
            compliance.reserve(set.rows.len(), &equations.problems);
        }
    }

    /// Rows that stand for the loads with which soft bodies resist the shapes, three to a block.
    fn append_loads(&self, set: &mut ConstraintSet, scratch: &LinearScratch) {
        let m = 6 * self.handles.len();
        let whole = scratch.loads.len() / m;
        for j in 0..m {
            if j % 3 == 0 {
                set.begin(AnyLaw::Released(3));
            }
            let load = &scratch.loads[j * whole..(j + 1) * whole];
            let mut first = 0;
            let entries = self.softs.iter().enumerate().flat_map(|(body, soft)| {
                let blocks = soft.pattern.block_count();
                let own = &load[first..first + 3 * blocks];
                first += 3 * blocks;
                own.as_chunks::<3>().0.iter().enumerate().map(move |(block, value)| RowEntry {
                    body: body as u32,
                    block: block as u32,
                    value: Vec3::from_array(*value),
                })
            });
            set.row(entries.filter(|entry| entry.value != Vec3::ZERO), [None; 2], 0.0, 0.0, 0.0);
        }
    }

    /// Inertia and damping of those shapes, without the handles' own: `Uᵀ M U` and `Uᵀ D U`.
    fn weigh_shapes(&self, dt: f64, scratch: &mut LinearScratch) {
        let m = 6 * self.handles.len();
        let LinearScratch { shapes, inertia, damping, loads, product, dampers, .. } = scratch;
        let Shapes { bodies: shapes, objects, .. } = shapes;
        let whole = shapes.len() / m;
        loads.clear();
        loads.resize(shapes.len(), 0.0);
        for matrix in [&mut *inertia, &mut *damping] {
            matrix.clear();
            matrix.resize(m * m, 0.0);
        }
        let mut first = 0;
        for (b, (body, state)) in self.softs.iter().zip(&self.state.softs).enumerate() {
            let size = 3 * body.pattern.block_count();
            let range = first..first + size;
            first = range.end;
            if dampers.len() <= b {
                dampers.push(BlockMatrix::zero(&body.pattern));
            }
            if !state.active {
                continue;
            }
            let damper = &mut dampers[b];
            damper.clear();
            body.tissue.assemble(&self.work.tissue[b], body.damping, damper);
            if body.reduced.is_none() {
                let mut poses = [Pose::IDENTITY; BONE_COUNT];
                poses.iter_mut().zip(&state.bones).for_each(|(pose, bone)| *pose = bone.pose);
                body.attachments.add_hessian(&poses, body.attachment_damping, damper);
            }
            product.clear();
            product.resize(size, 0.0);
            for j in 0..m {
                let u = &shapes[j * whole..(j + 1) * whole][range.clone()];
                damper.mul(self.config.kernels, &body.pattern, u, product);
                for i in 0..m {
                    let other = &shapes[i * whole..(i + 1) * whole][range.clone()];
                    damping[i * m + j] += other.iter().zip(product.iter()).map(|(a, b)| a * b).sum::<f64>();
                }
                let load = &mut loads[j * whole..(j + 1) * whole][range.clone()];
                load.iter_mut().zip(product.iter()).for_each(|(load, damped)| *load = dt * damped);
                self.add_momenta(b, u, product);
                load.iter_mut().zip(product.iter()).for_each(|(load, momentum)| *load += momentum);
                for handle in self.handles.iter().filter(|handle| handle.soft == b) {
                    let at = 3 * bone_block(body.node_count(), handle.bone) as usize;
                    load[at..at + 6].fill(0.0);
                }
                for i in 0..m {
                    let other = &shapes[i * whole..(i + 1) * whole][range.clone()];
                    inertia[i * m + j] += other.iter().zip(product.iter()).map(|(a, b)| a * b).sum::<f64>();
                }
            }
        }
        let size = objects.len() / m;
        for (object, state) in self.objects.iter().zip(&self.state.objects) {
            let (Some(mass), Some(index)) = (&object.mass, object.border) else { continue };
            let at = 6 * index as usize;
            let turned = mass.world_inertia(state.pose.rotation);
            for j in 0..m {
                let own = &objects[j * size + at..j * size + at + 6];
                let spin = turned * Vec3::new(own[3], own[4], own[5]);
                for i in 0..m {
                    let other = &objects[i * size + at..i * size + at + 6];
                    let linear: f64 = (0..3).map(|k| own[k] * other[k]).sum();
                    let angular: f64 = (0..3).map(|k| spin[k] * other[3 + k]).sum();
                    inertia[i * m + j] += mass.mass * linear + angular;
                }
            }
        }
    }

    /// `M u` of a soft body, without its handles.
    fn add_momenta(&self, soft: usize, u: &[f64], momenta: &mut [f64]) {
        let (body, state) = (&self.softs[soft], &self.state.softs[soft]);
        let n = body.node_count();
        momenta.fill(0.0);
        for (i, mass) in body.node_mass.iter().enumerate() {
            (0..3).for_each(|k| momenta[3 * i + k] = mass * u[3 * i + k]);
        }
        if body.reduced.is_some() {
            return;
        }
        for (b, (mass, bone)) in body.bones.iter().zip(&state.bones).enumerate() {
            if self.handles.iter().any(|h| h.soft == soft && h.bone == b as u32) {
                continue;
            }
            let at = 3 * bone_block(n, b as u32) as usize;
            let spin = mass.world_inertia(bone.pose.rotation) * Vec3::new(u[at + 3], u[at + 4], u[at + 5]);
            for k in 0..3 {
                momenta[at + k] = mass.mass * u[at + k];
                momenta[at + 3 + k] = spin[k];
            }
        }
    }
}

/// The derivative of the turn `r` from a handle to its target by the handle's own: `1 + ½ [r] + (1/θ² − (1 + cos θ) / (2 θ sin θ)) [r]²`.
fn turn_by(start: &HandleState, target: &HandleState) -> Mat3 {
    let turn = rotation_log(target.pose.rotation * start.pose.rotation.inverse());
    let (angle, arm) = (turn.length(), skew(turn));
    let second = match angle {
        a if a < 1e-3 => 1.0 / 12.0,
        a => 1.0 / (a * a) - (1.0 + libm::cos(a)) / (2.0 * a * libm::sin(a)),
    };
    Mat3::IDENTITY + arm * 0.5 + arm * arm * second
}

fn system(equations: &mut Equations) -> System<'_> {
    let Equations { problems, factors, border } = equations;
    System { problems, factors, border }
}

fn own(handle: &Handle, mass: &RigidMass, springs: f64, start: &HandleState, target: Option<&HandleState>) -> Own {
    let coupled = target.map(|target| handle.stiffness(&start.pose, target));
    let coupling = &handle.coupling;
    Own {
        mass: mass.mass,
        inertia: mass.world_inertia(start.pose.rotation),
        stiffness: coupled.unwrap_or_default(),
        damping: if coupled.is_some() { [coupling.linear_damping, coupling.angular_damping] } else { [0.0; 2] },
        springs,
        levers: Mat3::ZERO,
        turn: target.map_or(Mat3::IDENTITY, |target| turn_by(start, target)),
    }
}
