//! One tick between a device and the model of the world, without a clock.

use super::glove::{GloveOutput, JointTorques};
use super::statistics::LoopStatistics;
use super::trace::Sample;
use super::triple::{Reader, Writer};
use super::{HapticDevice, HapticError, Motors, Reading};
use thenar::hand::Skeleton;
use thenar::haptics::{HandleState, LateParams, Passivity, PassivityParams, Proxy, ProxyModel, limit_wrench};
use thenar::math::{Pose, Quat, Vec3, rotation_log};

/// How forces are rendered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RendererParams {
    /// Between ticks, seconds.
    pub dt: f64,
    /// When models are late.
    pub late: LateParams,
    /// Observer and controller.
    pub passivity: PassivityParams,
    /// Forces grow to their full size in this time after the device was found, seconds.
    pub engage: f64,
    /// A device that says nothing new for so long has stalled, seconds: its force is zero until it speaks again.
    pub stall: f64,
    /// Velocities that a device does not measure are differences of its poses, smoothed over this time, seconds.
    pub smooth: f64,
    /// Metres of the world for a metre of the device; forces are not scaled.
    pub scale: f64,
}

impl Default for RendererParams {
    /// 2 ms of smoothing make 20 µm of an encoder 10 mm/s at most; 20 ms of silence are twenty lost messages.
    fn default() -> Self {
        Self {
            dt: 1e-3,
            late: LateParams::default(),
            passivity: PassivityParams::default(),
            engage: 0.3,
            stall: 0.02,
            smooth: 2e-3,
            scale: 1.0,
        }
    }
}

/// What the simulation may know of the last tick.
#[derive(Clone, Debug, Default)]
pub struct Felt {
    /// Of the loop, seconds.
    pub time: f64,
    /// Where the device is, in the world: the target of the handle. Where it was last, if it is lost.
    pub devices: Vec<HandleState>,
    /// The proxy's handles.
    pub proxy: Vec<HandleState>,
    /// On the user, N and N·m, six numbers a handle, world axes.
    pub wrench: Vec<f64>,
    /// Whether the device is there.
    pub present: bool,
    /// Everything counted so far.
    pub statistics: LoopStatistics,
}

impl Felt {
    /// Room for that many handles.
    #[must_use]
    pub fn of(handles: usize) -> Self {
        let states = vec![HandleState::default(); handles];
        Self { devices: states.clone(), proxy: states, wrench: vec![0.0; 6 * handles], ..Self::default() }
    }
}

/// Where a device's axes are in the world: the pose in which the device was found becomes that of the handle.
#[derive(Clone, Copy, Debug)]
struct Anchor {
    device: Pose,
    handle: Pose,
    scale: f64,
}

impl Anchor {
    fn to_world(self, pose: &Pose) -> Pose {
        let position = self.handle.position + self.scale * (pose.position - self.device.position);
        Pose::new(position, pose.rotation * self.device.rotation.conjugate() * self.handle.rotation)
    }
}

/// Device, proxy and passivity; everything a tick needs.
pub struct Renderer {
    device: Box<dyn HapticDevice>,
    motors: Motors,
    params: RendererParams,
    home: Vec<Pose>,
    anchors: Option<Vec<Anchor>>,
    raw: Vec<HandleState>,
    states: Vec<HandleState>,
    proxy: Proxy,
    passivity: Vec<Passivity>,
    wrench: Vec<f64>,
    /// Of the hand in a glove.
    skeleton: Option<Skeleton>,
    joints: Option<JointTorques>,
    /// Share of the force that the device is given.
    authority: f64,
    silent: f64,
    present: bool,
    time: f64,
    pub(super) statistics: LoopStatistics,
}

impl Renderer {
    /// For a device whose handles shall be found at `home` in the world.
    ///
    /// # Errors
    /// If their numbers differ.
    pub fn new(device: Box<dyn HapticDevice>, home: &[Pose], params: RendererParams) -> Result<Self, HapticError> {
        let handles = device.handles();
        if handles != home.len() || handles == 0 {
            return Err(HapticError::Handles { device: handles, tool: home.len() });
        }
        let motors = device.motors();
        let states: Vec<HandleState> =
            home.iter().map(|pose| HandleState { pose: *pose, ..HandleState::default() }).collect();
        let anchor = |pose: &Pose| Anchor { device: Pose::IDENTITY, handle: *pose, scale: params.scale };
        Ok(Self {
            device,
            motors,
            params,
            home: home.to_vec(),
            anchors: Some(home.iter().map(anchor).collect()),
            raw: vec![HandleState::default(); handles],
            proxy: Proxy::new(&states, params.late),
            states,
            passivity: vec![Passivity::new(params.passivity, motors.axes); handles],
            wrench: vec![0.0; 6 * handles],
            skeleton: None,
            joints: None,
            authority: 0.0,
            silent: 0.0,
            present: false,
            time: 0.0,
            statistics: LoopStatistics::default(),
        })
    }

    /// Takes the device's poses as those of the world: devices that were told where the handle is.
    #[must_use]
    pub fn in_world_axes(mut self) -> Self {
        self.anchors = None;
        self
    }

    /// The device is a glove on a hand with this skeleton: it is told the torques on its joints along with the wrenches.
    #[must_use]
    pub fn gloved(mut self, skeleton: &Skeleton) -> Self {
        self.skeleton = Some(skeleton.clone());
        self
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &dyn HapticDevice {
        &*self.device
    }

    /// Where the device is in the world.
    #[must_use]
    pub fn states(&self) -> &[HandleState] {
        &self.states
    }

    /// The proxy's handles.
    #[must_use]
    pub fn proxy(&self) -> &[HandleState] {
        self.proxy.states()
    }

    /// What the user feels, six numbers a handle.
    #[must_use]
    pub fn wrench(&self) -> &[f64] {
        &self.wrench
    }

    /// What that amounts to on the joints of a gloved hand.
    #[must_use]
    pub fn joints(&self) -> Option<&JointTorques> {
        self.joints.as_ref()
    }

    /// Observers of the handles.
    #[must_use]
    pub fn passivity(&self) -> &[Passivity] {
        &self.passivity
    }

    /// Whether the device speaks.
    #[must_use]
    pub fn present(&self) -> bool {
        self.present
    }

    /// What was counted.
    #[must_use]
    pub fn statistics(&self) -> &LoopStatistics {
        &self.statistics
    }

    /// One tick at the loop's time `now`, seconds: reads the device, takes the newest model, moves the proxy, tells the device its wrench.
    pub fn tick(&mut self, now: f64, models: &mut Reader<ProxyModel>) {
        let dt = self.since(now);
        if models.fresh() {
            self.proxy.leave(models.get());
            models.update();
            self.proxy.take(models.get(), now);
            self.statistics.models += 1;
        }
        let model = models.get();
        let present = self.read(now, dt);
        if present {
            self.wrench.copy_from_slice(self.proxy.tick(model, &self.states));
            self.statistics.doubted += u64::from(model.number > 0 && self.proxy.trust(model) < 1.0);
        }
        self.exert(present && model.number > 0, dt);
    }

    /// A tick with wrenches from elsewhere in place of proxy and model: six numbers a handle on the user. Limits and passivity hold as ever.
    pub fn tick_with(&mut self, now: f64, wrenches: &[f64]) {
        let dt = self.since(now);
        let present = self.read(now, dt) && wrenches.len() == self.wrench.len();
        if present {
            self.wrench.copy_from_slice(wrenches);
        }
        self.exert(present, dt);
    }

    /// Seconds since the last tick.
    fn since(&mut self, now: f64) -> f64 {
        let dt = if self.time > 0.0 && now > self.time { now - self.time } else { self.params.dt };
        self.time = now;
        dt
    }

    /// Limits `self.wrench`, keeps it passive and tells the device; zero where there is nothing to feel.
    fn exert(&mut self, on: bool, dt: f64) {
        if !on {
            self.wrench.fill(0.0);
            self.tell_device();
            return;
        }
        self.authority = (self.authority + dt / self.params.engage).min(1.0);
        for (handle, wrench) in self.wrench.chunks_exact_mut(6).enumerate() {
            wrench.iter_mut().for_each(|value| *value *= self.authority);
            limit_wrench(wrench, self.motors.force, self.motors.torque);
            let (state, passivity) = (&self.states[handle], &mut self.passivity[handle]);
            let before = passivity.dissipated();
            passivity.tick(&state.pose, state.velocity, state.spin, dt, wrench);
            limit_wrench(wrench, self.motors.force, self.motors.torque);
            passivity.given(wrench);
            self.statistics.feel(wrench);
            self.statistics.energy_lowest = self.statistics.energy_lowest.min(passivity.lowest());
            self.statistics.energy_taken += passivity.dissipated() - before;
        }
        self.tell_device();
    }

    /// The wrenches, and what they amount to on the joints of a gloved hand where the device is.
    fn tell_device(&mut self) {
        if let Some(skeleton) = &self.skeleton {
            self.joints = GloveOutput::of(skeleton, &self.states, &self.wrench).map(|output| output.joints);
            if let Some(joints) = &self.joints {
                let most = joints.as_flattened().iter().fold(0.0, |most: f64, torque| most.max(torque.abs()));
                self.statistics.joint_torque_most = self.statistics.joint_torque_most.max(most);
                self.device.write_joints(joints);
            }
        }
        self.device.write(&self.wrench);
    }

    /// Reads the device into `self.states`; false while it is lost or stalled.
    fn read(&mut self, now: f64, dt: f64) -> bool {
        let reading = self.device.read(now, &mut self.raw);
        self.silent = if reading == Reading::Fresh { 0.0 } else { self.silent + dt };
        let finite = self.raw.iter().all(|state| state.pose.is_finite() && state.velocity.is_finite());
        let found = reading == Reading::Fresh && finite;
        if self.present && (reading == Reading::Lost || self.silent > self.params.stall || !finite) {
            self.present = false;
            self.statistics.lost += 1;
            self.authority = 0.0;
        }
        if !self.present && found {
            self.found();
        } else if self.present && reading == Reading::Fresh {
            self.follow(dt);
        }
        self.present
    }

    /// The device is there, for the first time or again: its pose is that of its handle, and nothing pulls yet.
    fn found(&mut self) {
        self.present = true;
        self.statistics.found = true;
        self.motors = self.device.motors();
        for passivity in &mut self.passivity {
            *passivity = Passivity::new(self.params.passivity, self.motors.axes);
        }
        if let Some(anchors) = &mut self.anchors {
            for ((anchor, raw), home) in anchors.iter_mut().zip(&self.raw).zip(&self.home) {
                *anchor = Anchor { device: raw.pose, handle: *home, scale: self.params.scale };
            }
        }
        for handle in 0..self.raw.len() {
            let pose = self.world_pose(handle);
            self.states[handle] = HandleState { pose, ..HandleState::default() };
        }
        self.proxy.place(&self.states);
    }

    fn follow(&mut self, dt: f64) {
        for handle in 0..self.raw.len() {
            let pose = self.world_pose(handle);
            let state = &mut self.states[handle];
            if self.motors.velocity {
                let scale = if self.anchors.is_some() { self.params.scale } else { 1.0 };
                (state.velocity, state.spin) = (scale * self.raw[handle].velocity, self.raw[handle].spin);
            } else {
                let share = dt / (dt + self.params.smooth);
                let velocity = (pose.position - state.pose.position) / dt;
                let spin = rotation_log(pose.rotation * state.pose.rotation.conjugate()) / dt;
                state.velocity += share * (velocity - state.velocity);
                state.spin += share * (spin - state.spin);
            }
            state.pose = pose;
        }
        // A home that moves along is where a device that comes back is put.
        if self.anchors.is_some() {
            self.home.iter_mut().zip(&self.states).for_each(|(home, state)| *home = state.pose);
        }
    }

    fn world_pose(&self, handle: usize) -> Pose {
        let raw = &self.raw[handle].pose;
        let pose = self.anchors.as_ref().map_or(*raw, |anchors| anchors[handle].to_world(raw));
        let length = pose.rotation.length();
        let rotation = if length > 0.1 { pose.rotation / length } else { Quat::IDENTITY };
        Pose { rotation, ..pose }
    }

    /// Ends with no force.
    pub fn release(&mut self) {
        self.wrench.fill(0.0);
        self.tell_device();
    }

    /// The first handle in the last tick.
    #[must_use]
    pub fn sample(&self) -> Sample {
        let place = |states: &[HandleState]| states.first().map_or(Vec3::ZERO, |state| state.pose.position);
        let force = self.wrench.first_chunk().map_or(Vec3::ZERO, |force| Vec3::from_array(*force));
        Sample { time: self.time, device: place(&self.states), proxy: place(self.proxy.states()), force }
    }

    /// Tells what happened to who watches.
    pub fn tell(&self, felt: &mut Writer<Felt>) {
        let slot = felt.slot();
        slot.time = self.time;
        slot.devices.copy_from_slice(&self.states);
        slot.proxy.copy_from_slice(self.proxy.states());
        slot.wrench.copy_from_slice(&self.wrench);
        slot.present = self.present;
        self.statistics.copy_to(&mut slot.statistics);
        felt.publish();
    }
}
