//! The proxy: the handles once more, simulated at haptic rate with the linear model in place of the world [Garre §3.3].
//!
//! Each tick is a backward Euler step of rigid bodies that the model pulls on one side and the device on the other:
//!
//! ```text
//! (M + m + h (B − ∂F/∂v) + h² (K − ∂F/∂x)) v' = (M + m) v + h (F₀ + m a₀ + ∂F/∂x (x − x₀) − ∂F/∂v v₀ + c + K (x_d − x) + B v_d)
//! ```
//!
//! with `K`, `B` of the coupling to the device and `c` what is left of the last change of models. `m = −∂F/∂a` is what the tool weighs at its handles: a tool that
//! follows its handle resists being accelerated, not being elsewhere, and a model that knows ways and velocities alone would make of its mass
//! a spring to where it was.
//!
//! Where the world itself makes a step for every tick the handle is known: it is where the step left it, and has gone on from there for the tick or two
//! since the device was where the step was led to. The device feels its coupling to that; the model is there for steps that are late.
//!
//! The matrix is factored where the model is made ([`ProxyModel::prepare`]); a tick is two products and a solve, and allocates nothing.

use super::handle::HandleCoupling;
use super::lu::{Lu, add_product};
use super::model::{HandleModel, HandleState};
use crate::math::{Kernels, Mat3, Vec3, dot, rotation_log};

/// The spring and damper between a device and its handle, both ways.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeviceCoupling {
    /// N/m.
    pub stiffness: f64,
    /// N·s/m.
    pub damping: f64,
    /// N·m/rad.
    pub turn_stiffness: f64,
    /// N·m·s/rad.
    pub turn_damping: f64,
}

impl Default for DeviceCoupling {
    /// As stiff as a device with 1 N·s/m of its own friction passes on at 1 kHz [Colgate 1997], in rotation at a lever of 3 cm.
    fn default() -> Self {
        Self { stiffness: 2000.0, damping: 5.0, turn_stiffness: 1.8, turn_damping: 4.5e-3 }
    }
}

impl From<HandleCoupling> for DeviceCoupling {
    fn from(coupling: HandleCoupling) -> Self {
        Self {
            stiffness: coupling.linear,
            damping: coupling.linear_damping,
            turn_stiffness: coupling.angular,
            turn_damping: coupling.angular_damping,
        }
    }
}

impl From<DeviceCoupling> for HandleCoupling {
    fn from(coupling: DeviceCoupling) -> Self {
        Self {
            linear: coupling.stiffness,
            linear_damping: coupling.damping,
            angular: coupling.turn_stiffness,
            angular_damping: coupling.turn_damping,
            ..Self::default()
        }
    }
}

/// The rigid body of a handle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HandleBody {
    /// kg.
    pub mass: f64,
    /// About the centre of mass in the handle's own axes, kg·m².
    pub inertia: Mat3,
}

/// A world that is expected anew within so many ticks makes a step for every tick.
const EVERY_TICK: f64 = 1.5;

/// Ticks for which a handle is taken to go on as a step left it, at most.
const MOST_TICKS: f64 = 4.0;

/// A model with all that a tick needs of it.
#[derive(Clone, Debug, Default)]
pub struct ProxyModel {
    /// As the step linearised it.
    pub model: HandleModel,
    /// Seconds until the next model is expected: how long differences take to fade.
    pub period: f64,
    /// `m`, (6k)², row by row: zeros where the tool's mass is not told apart from its stiffness.
    pub inertia: Vec<f64>,
    /// `a₀`: accelerations of the handles in the step, 6 per handle.
    pub acceleration: Vec<f64>,
    /// When the device was where the step was led to, in the loop's time, seconds.
    pub led_at: f64,
    /// Counted by who makes models, for those who watch; the first is 1, and 0 means none yet.
    pub number: u64,
    /// Scratch of who makes models of some handles out of those of all.
    pub(crate) whole: HandleModel,
    /// Of a tick, seconds.
    dt: f64,
    coupling: Vec<DeviceCoupling>,
    /// `M`, in world axes at the states of the model.
    mass: Vec<(f64, Mat3)>,
    /// `F₀ + m a₀ − ∂F/∂v v₀`.
    constant: Vec<f64>,
    /// Whether `m` is anything.
    heavy: bool,
    /// The world makes a step for every tick.
    every_tick: bool,
    matrix: Lu,
}

impl ProxyModel {
    /// Room for a model of that many handles, which feel nothing before [`ProxyModel::prepare`].
    #[must_use]
    pub fn of(handles: usize) -> Self {
        let n = 6 * handles;
        Self {
            model: HandleModel::of(handles),
            period: 0.0,
            led_at: 0.0,
            number: 0,
            whole: HandleModel::default(),
            dt: 0.0,
            coupling: vec![DeviceCoupling::default(); handles],
            mass: vec![(1.0, Mat3::IDENTITY); handles],
            inertia: vec![0.0; n * n],
            acceleration: vec![0.0; n],
            constant: vec![0.0; n],
            heavy: false,
            every_tick: false,
            matrix: Lu::of(n),
        }
    }

    /// Reads all that a tick reads of it, and does nothing with it, so that the tick finds it in the caches: three matrices of sixteen handles
    /// have 220 kB.
    pub fn touch(&self) {
        let inertia: &[f64] = if self.heavy { &self.inertia } else { &[] };
        for list in [&self.model.stiffness[..], inertia, self.matrix.inverse()] {
            // one number of each line of a cache
            std::hint::black_box(list.iter().step_by(8).fold(0, |read, x| read ^ x.to_bits()));
        }
    }

    /// How many handles it has.
    #[must_use]
    pub fn handles(&self) -> usize {
        self.model.at.len()
    }

    /// Factors the matrix for ticks of `dt` seconds; `self.model` was filled in before. False, and not to be used, if a number is not finite,
    /// sizes differ or the matrix is singular.
    #[must_use]
    pub fn prepare(&mut self, bodies: &[HandleBody], coupling: &[DeviceCoupling], dt: f64, period: f64) -> bool {
        let own = bodies.iter().copied().zip(coupling.iter().copied());
        bodies.len() == coupling.len() && self.prepare_with(own, dt, period)
    }

    /// The same from whatever yields a body and a coupling for each handle.
    #[must_use]
    pub fn prepare_with(
        &mut self,
        own: impl ExactSizeIterator<Item = (HandleBody, DeviceCoupling)>,
        dt: f64,
        period: f64,
    ) -> bool {
        let (k, n) = (self.handles(), self.constant.len());
        let model = &self.model;
        if n != 6 * k || own.len() != k || model.force.len() != n {
            return false;
        }
        if self.inertia.len() != n * n || self.acceleration.len() != n {
            return false;
        }
        if model.stiffness.len() != n * n || model.damping.len() != n * n || !(dt > 0.0 && period >= 0.0) {
            return false;
        }
        let finite =
            |state: &HandleState| state.pose.is_finite() && state.velocity.is_finite() && state.spin.is_finite();
        if !(model.at.iter().all(finite) && model.force.iter().all(|force| force.is_finite())) {
            return false;
        }
        (self.dt, self.period) = (dt, period);
        self.every_tick = period <= EVERY_TICK * dt;
        let matrix = self.matrix.matrix();
        self.heavy = self.inertia.iter().any(|m| *m != 0.0);
        for (((a, stiffness), damping), inertia) in
            matrix.iter_mut().zip(&model.stiffness).zip(&model.damping).zip(&self.inertia)
        {
            *a = inertia - dt * damping - dt * dt * stiffness;
        }
        for (handle, ((body, coupling), at)) in own.zip(&model.at).enumerate() {
            self.coupling[handle] = coupling;
            let turn = Mat3::from_quat(at.pose.rotation);
            let inertia = turn * body.inertia * turn.transpose();
            self.mass[handle] = (body.mass, inertia);
            let first = 6 * handle;
            for axis in 0..3 {
                let (row, spin) = (first + axis, first + 3 + axis);
                matrix[row * n + row] += body.mass + dt * coupling.damping + dt * dt * coupling.stiffness;
                matrix[spin * n + spin] += dt * coupling.turn_damping + dt * dt * coupling.turn_stiffness;
                for other in 0..3 {
                    matrix[spin * n + first + 3 + other] += inertia.col(other)[axis];
                }
            }
        }
        for (row, constant) in self.constant.iter_mut().enumerate() {
            *constant = model.force[row] + dot(&self.inertia[row * n..][..n], &self.acceleration);
            for (handle, at) in model.at.iter().enumerate() {
                let damping = &model.damping[row * n + 6 * handle..][..6];
                let velocity = [at.velocity.to_array(), at.spin.to_array()];
                *constant -= dot(damping, velocity.as_flattened());
            }
        }
        self.matrix.factor()
    }
}

/// How the proxy behaves when models are late.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LateParams {
    /// Periods of a model for which it is believed without doubt.
    pub patience: f64,
    /// Seconds in which its forces fade after that; its damping stays.
    pub fade: f64,
}

impl Default for LateParams {
    /// One model may be lost. A fade of 0.2 s is slower than a hand reacts to a push, and no wall is missed before it is gone.
    fn default() -> Self {
        Self { patience: 2.5, fade: 0.2 }
    }
}

/// The handles at haptic rate.
#[derive(Clone, Debug)]
pub struct Proxy {
    states: Vec<HandleState>,
    late: LateParams,
    /// `c`: what the model before said more than this one, when it was taken.
    difference: Vec<f64>,
    /// Seconds since the model was taken.
    age: f64,
    /// Seconds in which the difference fades: a frame, or as long as what was lost while models were late takes to come back.
    blend: f64,
    returning: f64,
    taken: bool,
    /// The handles are where a step of the world has just left them.
    there: bool,
    kernels: Kernels,
    // scratch
    moved: Vec<f64>,
    velocity: Vec<f64>,
    right: Vec<f64>,
    wrench: Vec<f64>,
}

impl Proxy {
    /// Handles at rest at those states.
    #[must_use]
    pub fn new(states: &[HandleState], late: LateParams) -> Self {
        let n = 6 * states.len();
        let zeros = || vec![0.0; n];
        Self {
            states: states.to_vec(),
            late,
            difference: zeros(),
            age: 0.0,
            blend: 0.0,
            returning: 0.0,
            taken: false,
            there: false,
            kernels: Kernels::auto(),
            moved: zeros(),
            velocity: zeros(),
            right: zeros(),
            wrench: zeros(),
        }
    }

    /// Where the handles are.
    #[must_use]
    pub fn states(&self) -> &[HandleState] {
        &self.states
    }

    /// Puts the handles somewhere else, as where a device was lost and is back.
    pub fn place(&mut self, states: &[HandleState]) {
        for (state, placed) in self.states.iter_mut().zip(states) {
            *state = *placed;
        }
        self.difference.fill(0.0);
    }

    /// How much of the model's force is believed now: 1, or less where it is late.
    #[must_use]
    pub fn trust(&self, model: &ProxyModel) -> f64 {
        let over = self.age - self.late.patience * model.period;
        if over <= 0.0 { 1.0 } else { (1.0 - over / self.late.fade).max(0.0) }
    }

    /// Exchanges models: the force goes on from where the old one left it, and meets the new one's a period later.
    ///
    /// To be called before the old model is given back.
    pub fn leave(&mut self, old: &ProxyModel) {
        if self.taken && self.trust(old) < 1.0 {
            self.returning = self.late.fade;
        }
        self.felt(old);
        self.difference.copy_from_slice(&self.right);
    }

    /// The second half of an exchange, with the new model, at the loop's time `now`, seconds.
    pub fn take(&mut self, new: &ProxyModel, now: f64) {
        // the first model is met at its own state: there was no force before
        self.age = 0.0;
        self.blend = new.period.max(self.returning);
        let before = self.taken;
        self.taken = true;
        let carried = std::mem::take(&mut self.difference);
        self.felt(new);
        self.difference = carried;
        for (difference, felt) in self.difference.iter_mut().zip(&self.right) {
            *difference = if before { *difference - felt } else { -felt };
        }
        if new.every_tick && self.returning == 0.0 && new.number > 0 {
            self.difference.fill(0.0);
            let since = (now - new.led_at).clamp(0.0, MOST_TICKS * new.dt);
            for (state, at) in self.states.iter_mut().zip(&new.model.at) {
                *state = *at;
                state.go_on(since);
            }
            self.there = true;
        }
    }

    /// The force of the model and the difference at the present states, into `self.right`; without what the tool weighs, which is the same in both.
    fn felt(&mut self, model: &ProxyModel) {
        let n = model.constant.len();
        let (trust, carry) = (self.trust(model), self.carry());
        self.gather(model);
        for row in 0..n {
            let stiffness = dot(&model.model.stiffness[row * n..][..n], &self.moved);
            let damping = dot(&model.model.damping[row * n..][..n], &self.velocity);
            let carried = self.difference.get(row).map_or(0.0, |difference| difference * carry);
            self.right[row] = trust * (model.constant[row] + stiffness + carried) + damping;
        }
    }

    /// How much of the difference is left.
    fn carry(&self) -> f64 {
        if self.blend > 0.0 { (1.0 - self.age / self.blend).max(0.0) } else { 0.0 }
    }

    /// `x − x₀` and `v` of all handles.
    fn gather(&mut self, model: &ProxyModel) {
        for (handle, (state, at)) in self.states.iter().zip(&model.model.at).enumerate() {
            let way = state.pose.position - at.pose.position;
            let turn = rotation_log(state.pose.rotation * at.pose.rotation.conjugate());
            let place = 6 * handle;
            self.moved[place..place + 3].copy_from_slice(&way.to_array());
            self.moved[place + 3..place + 6].copy_from_slice(&turn.to_array());
            self.velocity[place..place + 3].copy_from_slice(&state.velocity.to_array());
            self.velocity[place + 3..place + 6].copy_from_slice(&state.spin.to_array());
        }
    }

    /// One tick towards where the devices are; returns the wrench that each device is to feel, six numbers a handle, in world axes
    /// about the device's origin.
    ///
    /// A model that is late loses its forces and keeps its damping: the world turns into honey, which stores nothing.
    pub fn tick(&mut self, model: &ProxyModel, devices: &[HandleState]) -> &[f64] {
        let (n, dt) = (model.constant.len(), model.dt);
        if model.number == 0 || devices.len() != self.states.len() || n != self.right.len() {
            self.wrench.fill(0.0);
            return &self.wrench;
        }
        self.age += dt;
        self.returning = (self.returning - dt).max(0.0);
        if std::mem::take(&mut self.there) {
            self.couple(model, devices);
            return &self.wrench;
        }
        let (trust, carry) = (self.trust(model), self.carry());
        self.gather(model);
        for (row, right) in self.right.iter_mut().enumerate() {
            *right = dt * trust * (model.constant[row] + carry * self.difference[row]);
        }
        add_product(self.kernels, &model.model.stiffness, &self.moved, dt * trust, &mut self.right);
        if model.heavy {
            add_product(self.kernels, &model.inertia, &self.velocity, 1.0, &mut self.right);
        }
        for (handle, (state, device)) in self.states.iter().zip(devices).enumerate() {
            let (mass, inertia) = model.mass[handle];
            let coupling = &model.coupling[handle];
            let (way, turn) = apart(state, device);
            let push = mass * state.velocity + dt * (coupling.stiffness * way + coupling.damping * device.velocity);
            let twist =
                inertia * state.spin + dt * (coupling.turn_stiffness * turn + coupling.turn_damping * device.spin);
            for axis in 0..3 {
                self.right[6 * handle + axis] += push[axis];
                self.right[6 * handle + 3 + axis] += twist[axis];
            }
        }
        model.matrix.solve(self.kernels, &self.right, &mut self.velocity);
        if !self.velocity.iter().all(|velocity| velocity.is_finite()) {
            self.place(devices);
            self.wrench.fill(0.0);
            return &self.wrench;
        }
        for (state, velocity) in self.states.iter_mut().zip(self.velocity.chunks_exact(6)) {
            state.velocity = Vec3::from_slice(&velocity[..3]);
            state.spin = Vec3::from_slice(&velocity[3..]);
            state.go_on(dt);
        }
        self.couple(model, devices);
        &self.wrench
    }

    /// What the couplings pull the devices with, into `self.wrench`.
    fn couple(&mut self, model: &ProxyModel, devices: &[HandleState]) {
        for (handle, (state, device)) in self.states.iter().zip(devices).enumerate() {
            let coupling = &model.coupling[handle];
            let (way, turn) = apart(state, device);
            let push = -coupling.stiffness * way + coupling.damping * (state.velocity - device.velocity);
            let twist = -coupling.turn_stiffness * turn + coupling.turn_damping * (state.spin - device.spin);
            self.wrench[6 * handle..][..3].copy_from_slice(&push.to_array());
            self.wrench[6 * handle + 3..][..3].copy_from_slice(&twist.to_array());
        }
    }
}

/// From a handle to its device: the way and the turn, in world axes.
fn apart(state: &HandleState, device: &HandleState) -> (Vec3, Vec3) {
    let way = device.pose.position - state.pose.position;
    (way, rotation_log(device.pose.rotation * state.pose.rotation.conjugate()))
}

/// Shortens force and torque to what a device may give: 6 numbers, N and N·m.
pub fn limit_wrench(wrench: &mut [f64], force: f64, torque: f64) {
    for (part, most) in wrench.chunks_exact_mut(3).zip([force, torque]) {
        let size = part.iter().map(|x| x * x).sum::<f64>().sqrt();
        if !size.is_finite() {
            part.fill(0.0);
        } else if size > most {
            part.iter_mut().for_each(|x| *x *= most / size);
        }
    }
}
