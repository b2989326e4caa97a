//! After a step: the linear model of the force on handles [Garre §5.3].

use super::handle::{Handle, HandleError};
use super::phases::Equations;
use super::{SolverParams, World};
use crate::constraint::{AnyLaw, ConstraintSet, Loads, RowEntry, Shapes, System};
use crate::energy::attachments::bone_block;
use crate::energy::gravity::weight;
use crate::energy::inertia::RigidMass;
use crate::haptics::{HandleId, HandleModel, HandleState, Lead, Linearisation, Own, Response};
use crate::math::{Mat3, Vec3, rotation_log, skew};
use crate::sparse::LANES;

/// Rows of contacts that slide in the matrix, at most: three for each. Those beyond count as the matrix holds them.
pub(super) const SLIDING_ROWS: usize = 384;

/// With more rows of contact than this at work, what inertia bends stays in the stiffness: a second elimination would cost more than a step.
const MOST_ACTIVE: usize = 150;

/// Scratch of linearising.
#[derive(Default)]
pub(super) struct LinearScratch {
    pub(super) response: Response,
    own: Vec<Own>,
    /// The motion of everything for a unit of each unknown of the handles; behind them the shapes on the left of `S`, where they are others.
    pub(super) shapes: Shapes,
    /// `Uᵀ M U` and `Uᵀ D U`, without the handles' own.
    pub(super) inertia: Vec<f64>,
    pub(super) damping: Vec<f64>,
    /// `(M + h D) U`.
    pub(super) loads: Loads,
    sag: Vec<f64>,
    /// What the handles move by for a torque on bones of their joints, and as those change with their turn.
    pub(super) yields: Vec<f64>,
    pub(super) turned: Vec<f64>,
}

impl LinearScratch {
    /// Makes room for a model of so many handles beside so many rows, in a world of so many scalar unknowns, and so many of objects.
    pub(super) fn reserve(&mut self, rows: usize, handles: usize, unknowns: usize, of_objects: usize) {
        let LinearScratch { response, shapes, loads, inertia, damping, sag, .. } = self;
        let count = 12 * handles;
        for list in [inertia, damping, sag, &mut loads.own] {
            list.reserve((count * count).saturating_sub(list.len()));
        }
        shapes.objects.reserve((count * of_objects).saturating_sub(shapes.objects.len()));
        for list in [&mut shapes.bodies, &mut loads.bodies] {
            list.reserve((count.div_ceil(LANES) * unknowns).saturating_sub(list.len()));
        }
        response.reserve(rows, handles);
        shapes.reserve(rows);
        // twice as many where shapes on the left are others than on the right
        loads.reserve(rows, count, of_objects);
    }
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
        self.append_handle_rows(dt, &mut set);
        let first = self.work.handle_rows.unwrap_or(0);
        if how.lead == Lead::Free && set.rows.len() == first + 6 * count {
            self.append_joint_rows(&mut set);
        }
        // room is made between steps, so that this is an exception; what was carried is carried again
        if set.rows.len() > compliance.room() {
            compliance.clear();
            compliance.reserve(set.rows.len(), &equations.problems);
        }
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
            Lead::Free => {
                let LinearScratch { response, yields, .. } = &mut scratch;
                response.yields(&compliance, &set, first, first + 6 * count..set.rows.len(), yields);
                self.turn_others(&mut scratch);
                scratch.response.derive_free(&scratch.own, &scratch.turned, dt, model);
            }
            Lead::Held => {
                let LinearScratch { response, shapes, .. } = &mut scratch;
                response.solve_transposed(&compliance, &set, first);
                let wide = response.shape_count();
                let unit = |unknown: usize, lambda: &mut Vec<f64>| {
                    response.unit_motion(unknown, dt, lambda);
                    // rows of joints, if the other model was asked for before
                    lambda.resize(set.rows.len(), 0.0);
                };
                compliance.shapes(&set, wide, unit, dt, &mut system(&mut equations), shapes);
                self.weigh_shapes(wide, dt, &equations.problems, &mut scratch);
                let LinearScratch { response, inertia, damping, loads, sag, .. } = &mut scratch;
                response.across(inertia);
                response.across(damping);
                if response.active_rows() <= MOST_ACTIVE {
                    compliance.carry_loads(&set, wide, dt, &mut system(&mut equations), loads);
                    response.sag(&compliance, &set, loads, first, sag);
                } else {
                    sag.clear();
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
        self.joints_of(handle).for_each(|joint| sum += self.turned_joint(handle, joint)[0]);
        sum
    }

    /// Six rows for each handle that measure its motion, behind those of the contacts; once for each step.
    fn append_handle_rows(&mut self, dt: f64, set: &mut ConstraintSet) {
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
