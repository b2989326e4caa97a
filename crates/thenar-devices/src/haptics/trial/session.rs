//! A device, a renderer and a world in virtual time.

use crate::haptics::triple::{Reader, Writer, triple};
use crate::haptics::{HapticDevice, HapticError, Renderer, RendererParams};
use thenar::haptics::{DeviceCoupling, HandleBody, HandleState, ProxyModel};
use thenar::math::rotation_log;

/// A world with one handle.
pub trait TrialWorld {
    /// The handle's rigid body.
    fn body(&self) -> HandleBody;

    /// Its coupling to the device, of the world and of the proxy alike.
    fn coupling(&self) -> DeviceCoupling;

    /// Where the handle is.
    fn handle(&self) -> HandleState;

    /// One step of `dt` with the device at `target`, and the linear model of its end; false if there is none.
    fn step(&mut self, target: &HandleState, dt: f64, model: &mut ProxyModel) -> bool;
}

/// How the force comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rendering {
    /// Proxy and linear model.
    Linear,
    /// The force of the coupling as the last step has it, held for a frame: a plain virtual coupling [Colgate 1995].
    Plain,
    /// The coupling to the handle where the last step left it, evaluated in every tick.
    Held,
    /// A step of the world for every tick: the coupling to the handle, and the model where a step is late.
    Full,
}

impl Rendering {
    /// For people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Rendering::Linear => "linear model",
            Rendering::Plain => "plain coupling",
            Rendering::Held => "coupling to a held handle",
            Rendering::Full => "full simulation",
        }
    }
}

/// Of a session.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SessionParams {
    /// How the force comes about.
    pub rendering: Rendering,
    /// Steps of the world per second; 1000 under [`Rendering::Full`].
    pub visual_rate: f64,
    /// Seconds that a step takes to compute. Where that is longer than a frame, the next step begins when the last is done, and the world falls
    /// behind the clock.
    pub compute: f64,
    /// From when to when the world stands still, seconds.
    pub stall: Option<(f64, f64)>,
    /// Of the tick.
    pub renderer: RendererParams,
}

impl SessionParams {
    /// At that visual rate, with half of each frame spent on computing.
    #[must_use]
    pub fn at(rendering: Rendering, visual_rate: f64) -> Self {
        let visual_rate = if rendering == Rendering::Full { 1000.0 } else { visual_rate };
        Self { rendering, visual_rate, compute: 0.5 / visual_rate, stall: None, renderer: RendererParams::default() }
    }
}

/// One tick.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Seconds.
    pub time: f64,
    /// Where the device is, as measured.
    pub device: HandleState,
    /// The proxy.
    pub proxy: HandleState,
    /// On the user.
    pub wrench: [f64; 6],
    /// What the passivity observer counts, J.
    pub energy: f64,
}

/// A session that runs tick by tick.
pub struct Session<W: TrialWorld> {
    /// The world.
    pub world: W,
    renderer: Renderer,
    params: SessionParams,
    models: (Writer<ProxyModel>, Reader<ProxyModel>),
    next_step: f64,
    ready: Option<f64>,
    tick: u64,
    number: u64,
    /// Force of the coupling, and that of the step whose model is not ready yet.
    plain: [f64; 6],
    coming: [f64; 6],
}

impl<W: TrialWorld> Session<W> {
    /// With a device whose poses are those of the world.
    ///
    /// # Errors
    /// If the device has more than one handle.
    pub fn new(world: W, device: Box<dyn HapticDevice>, mut params: SessionParams) -> Result<Self, HapticError> {
        if matches!(params.rendering, Rendering::Plain | Rendering::Held) {
            // they know neither lateness nor energy
            params.renderer.late.fade = 1e12;
            params.renderer.passivity.control = false;
        }
        params.renderer.passivity = params.renderer.passivity.through(&world.coupling());
        let renderer = Renderer::new(device, &[world.handle().pose], params.renderer)?.in_world_axes();
        let models = triple(|| ProxyModel::of(1));
        Ok(Self {
            world,
            renderer,
            params,
            models,
            next_step: 0.0,
            ready: None,
            tick: 0,
            number: 0,
            plain: [0.0; 6],
            coming: [0.0; 6],
        })
    }

    /// One tick of 1 ms.
    pub fn tick(&mut self) -> Sample {
        let dt = self.params.renderer.dt;
        let time = self.tick as f64 * dt;
        self.tick += 1;
        if self.ready.is_some_and(|ready| time >= ready - 1e-9) {
            self.ready = None;
            self.number += 1;
            self.plain = self.coming;
            self.models.0.slot().number = self.number;
            self.models.0.publish();
        }
        let stalled = self.params.stall.is_some_and(|(from, to)| (from..to).contains(&time));
        if time >= self.next_step - 1e-9 && self.ready.is_none() && !stalled {
            let period = 1.0 / self.params.visual_rate;
            self.next_step = time + period;
            self.step(time, period, dt);
        }
        if self.params.rendering == Rendering::Plain {
            self.models.1.update();
            let model = self.models.1.get();
            let held = if model.number > 0 { self.plain } else { [0.0; 6] };
            self.renderer.tick_with(time, &held);
        } else {
            self.renderer.tick(time, &mut self.models.1);
        }
        let mut wrench = [0.0; 6];
        wrench.copy_from_slice(&self.renderer.wrench()[..6]);
        Sample {
            time,
            device: self.renderer.states()[0],
            proxy: self.renderer.proxy()[0],
            wrench,
            energy: self.renderer.passivity()[0].energy(),
        }
    }

    /// A step of the world whose model is ready after the time of its computation.
    fn step(&mut self, time: f64, period: f64, dt: f64) {
        let (body, coupling) = (self.world.body(), self.world.coupling());
        // where the device was in the last tick
        let target = self.renderer.states()[0];
        let slot = self.models.0.slot();
        slot.led_at = time - dt;
        let solved = self.world.step(&target, period, slot);
        self.coming = coupling_wrench(&coupling, &self.world.handle(), &target);
        if self.params.rendering == Rendering::Held {
            // the handle stands where it is, as if held by something without end
            let held = self.world.handle();
            slot.model.at[0] = held;
            slot.model.force.fill(0.0);
            slot.model.stiffness.fill(0.0);
            slot.model.damping.fill(0.0);
            slot.inertia.fill(0.0);
            for axis in 0..6 {
                slot.model.stiffness[axis * 7] = -1e9;
                slot.model.damping[axis * 7] = -1e6;
            }
        }
        // a handle that is held where the step left it is there at once, not after a frame
        let frame = if self.params.rendering == Rendering::Held { 0.0 } else { period };
        if solved && slot.prepare(&[body], &[coupling], dt, frame) {
            self.ready = Some(time + self.params.compute);
        }
    }

    /// The renderer.
    #[must_use]
    pub fn renderer(&self) -> &Renderer {
        &self.renderer
    }

    /// All ticks of that many seconds.
    pub fn run(&mut self, seconds: f64) -> Vec<Sample> {
        let ticks = (seconds / self.params.renderer.dt).round() as u64;
        (0..ticks).map(|_| self.tick()).collect()
    }
}

/// What a coupling exerts on the device.
fn coupling_wrench(coupling: &DeviceCoupling, handle: &HandleState, device: &HandleState) -> [f64; 6] {
    let way = handle.pose.position - device.pose.position;
    let turn = rotation_log(handle.pose.rotation * device.pose.rotation.conjugate());
    let push = coupling.stiffness * way + coupling.damping * (handle.velocity - device.velocity);
    let twist = coupling.turn_stiffness * turn + coupling.turn_damping * (handle.spin - device.spin);
    [push.x, push.y, push.z, twist.x, twist.y, twist.z]
}
