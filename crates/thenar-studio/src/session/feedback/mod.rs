//! Force feedback: a device holds the hand, or the scene's tool, by the haptic loop at 1 kHz [Garre, Otaduy 2010].
//!
//! The loop, its proxy and its passivity are those of `thenar run --haptics`. Here is what a page adds: a person who wants what mouse or script
//! want while it happens, and what becomes of every tick until it is drawn.

mod choice;
mod give_back;
mod turn;

pub use choice::{Choice, KEY};
pub use give_back::GivingBack;
pub use turn::Feeling;

use std::time::{Duration, Instant};

use thenar::haptics::{DeviceCoupling, HandleState};
use thenar::math::{Pose, Vec3, rotation_log};
use thenar_devices::haptics::triple::{Writer, triple};
use thenar_devices::haptics::{
    Felt, HandImpedance, HapticError, HapticLoop, Held, LoopParams, Renderer, RendererParams, SimulatedDevice, Wish,
};
use thenar_scene::run::Simulation;

use super::live_hand::PALM_SPEED;
use crate::wire::{HapticView, History};

/// How far a mouse may be ahead of its device, metres: by then the hand on it pulls with 7.5 N, and the device holds it back with up to 8 N. Whoever
/// pulls harder than the motors can hold goes through walls.
const AHEAD: f64 = 0.025;
/// Velocities of what is wanted are differences, smoothed over this time, seconds: three pictures of a page that says where its mouse is.
const SMOOTH: f64 = 0.05;
/// Whoever takes the mouse pulls with all that force after this time only, seconds: the forces of a device that was found need 0.3 s to grow, and whoever pulls before
/// them is in the wall when they come.
const TAKING: f64 = 0.5;
/// How far from its handle a device is left that nobody holds, metres: as far as its motors could hold it. What is led there goes on pressing no harder.
const LEFT: f64 = 0.004;
/// Over which rates are measured.
const WINDOW: Duration = Duration::from_millis(500);

/// A device that holds something of a scene.
pub struct Feedback {
    pub choice: Choice,
    held: Held,
    /// Where the handle is led: to the device.
    lead: HandleState,
    /// Where the person wants it, and how fast.
    wish: HandleState,
    /// Where a page wants a tool that the mouse moves.
    asked: Option<Pose>,
    /// Since when somebody holds it.
    taken: Option<Instant>,
    device: Option<Device>,
    view: HapticView,
    counts: Counts,
}

/// The loop at work, and how its person is told what to want.
struct Device {
    running: HapticLoop,
    wishes: Writer<Wish>,
    dt: f64,
}

/// Ticks at the last measurement.
struct Counts {
    since: Instant,
    ticks: u64,
    late: u64,
    seconds: f64,
}

/// How time goes while a device is held.
#[derive(Clone, Copy, Debug)]
pub struct Tempo {
    /// Of a step, simulated seconds.
    pub step: f64,
    /// Simulated over real time.
    pub speed: f64,
}

impl Feedback {
    /// A device for what is held, found at rest at `place`; the loop starts with the first step.
    pub fn new(choice: Choice, held: Held, place: Pose) -> Feedback {
        let lead = HandleState { pose: place, ..HandleState::default() };
        let view = HapticView {
            hand: held.hand,
            present: false,
            realtime: false,
            wish: place,
            device: place,
            proxy: place,
            force: Vec3::ZERO,
            torque: Vec3::ZERO,
            rate: 0.0,
            late: 0.0,
        };
        let counts = Counts { since: Instant::now(), ticks: 0, late: 0, seconds: 0.0 };
        Feedback { choice, held, lead, wish: lead, asked: None, taken: None, device: None, view, counts }
    }

    /// The hand whose palm is held.
    pub fn hand(&self) -> Option<usize> {
        self.held.hand
    }

    /// What it holds; the device is gone.
    pub fn into_held(self) -> Held {
        self.held
    }

    /// Goes on with the same handles of another simulation.
    pub fn hold(&mut self, held: Held) {
        self.held = held;
    }

    /// Where the device is, and the handle is led to.
    pub fn place(&self) -> Pose {
        self.lead.pose
    }

    pub fn view(&self) -> &HapticView {
        &self.view
    }

    /// Where a page wants a tool.
    pub fn ask(&mut self, place: Pose) {
        self.asked = Some(place);
    }

    /// Time stands still: there is nothing to feel. The handle stays where it is led.
    pub fn rest(&mut self) {
        if self.device.take().is_some() {
            self.let_go();
        }
    }

    /// Nobody holds it any more.
    fn leave(&mut self, simulation: &Simulation) {
        let handle = self.held.handles.first().and_then(|handle| simulation.world().handle_state(*handle).ok());
        if let (true, Some(handle)) = (self.view.present, handle) {
            let away = self.lead.pose.position - handle.pose.position;
            self.lead.pose.position = handle.pose.position + away.clamp_length_max(LEFT);
        }
        self.let_go();
    }

    fn let_go(&mut self) {
        (self.lead.velocity, self.lead.spin) = (Vec3::ZERO, Vec3::ZERO);
        self.view.present = false;
        (self.view.force, self.view.torque) = (Vec3::ZERO, Vec3::ZERO);
    }

    /// Before a step: the handle shall be where the device is.
    pub fn lead(&mut self, simulation: &mut Simulation, tempo: Tempo) {
        if let Some(device) = &mut self.device {
            let felt = device.running.felt();
            if let (true, Some(at)) = (felt.present, felt.devices.first()) {
                // what is fast in real time is faster in a world that is slow
                self.lead = HandleState { velocity: at.velocity / tempo.speed, spin: at.spin / tempo.speed, ..*at };
            } else {
                self.leave(simulation);
            }
        }
        self.held.lead(simulation, &[self.lead]);
    }

    /// After a step: hands its model over, tells the person what to want, and takes the ticks since the last one. `held` says whether somebody holds
    /// the device.
    pub fn follow(
        &mut self,
        simulation: &mut Simulation,
        held: bool,
        tempo: Tempo,
        history: &mut History,
    ) -> Result<(), HapticError> {
        let wanted = self.wanted(simulation, held, tempo);
        self.want(wanted, tempo);
        let mut device = match self.device.take() {
            Some(device) => device,
            None => self.start()?,
        };
        let period = tempo.step / tempo.speed;
        let model = self.held.model(simulation.world_mut(), device.dt, period, device.running.model());
        // a step that was taken back has none: the loop goes on with the last, which fades
        if model.unwrap_or(false) {
            device.running.publish();
        }
        let (velocity, spin) = (self.wish.velocity * tempo.speed, self.wish.spin * tempo.speed);
        *device.wishes.slot() = Wish { place: HandleState { velocity, spin, ..self.wish }, held };
        device.wishes.publish();
        while let Some(sample) = device.running.sample() {
            history.add(&sample);
        }
        self.see(device.running.felt());
        self.device = Some(device);
        Ok(())
    }

    fn start(&mut self) -> Result<Device, HapticError> {
        let coupling = DeviceCoupling::default();
        let mut params = RendererParams::default();
        params.passivity = params.passivity.through(&coupling);
        let (wishes, reader) = triple(Wish::default);
        let (name, motors) = (self.choice.word(), self.choice.motors());
        let person = SimulatedDevice::live(name, motors, HandImpedance::default(), self.lead.pose, reader);
        let renderer = Renderer::new(Box::new(person), &[self.lead.pose], params)?.in_world_axes();
        let running = HapticLoop::start(renderer, params.dt, LoopParams::default())?;
        self.counts = Counts { since: Instant::now(), ticks: 0, late: 0, seconds: 0.0 };
        Ok(Device { running, wishes, dt: params.dt })
    }

    /// Where the handle is wanted: by the page, by the script of its hand, or by its keys in the scene. Nobody wants anything of a mouse that is let go.
    fn wanted(&mut self, simulation: &Simulation, held: bool, tempo: Tempo) -> Pose {
        if !held {
            (self.asked, self.taken) = (None, None);
            return self.lead.pose;
        }
        let time = simulation.time();
        let wanted = match (self.held.hand, self.choice) {
            (None, Choice::Mouse) => {
                let way = self.asked.map(|asked| asked.position - self.wish.pose.position);
                let step = way.map(|way| way.clamp_length_max(PALM_SPEED * tempo.step));
                step.zip(self.asked).map(|(step, asked)| {
                    let pose = Pose::new(self.wish.pose.position + step, asked.rotation);
                    HandleState { pose, ..HandleState::default() }
                })
            }
            _ => scene_wants(&self.held, simulation, time),
        };
        let wanted = wanted.map_or(self.wish.pose, |wanted| wanted.pose);
        if self.choice != Choice::Mouse {
            return wanted;
        }
        let taken = self.taken.get_or_insert_with(Instant::now).elapsed().as_secs_f64();
        let most = AHEAD * (taken / TAKING).min(1.0);
        let ahead = (wanted.position - self.lead.pose.position).clamp_length_max(most);
        Pose { position: self.lead.pose.position + ahead, ..wanted }
    }

    fn want(&mut self, wanted: Pose, tempo: Tempo) {
        let share = tempo.step / (tempo.step + SMOOTH);
        let wish = &mut self.wish;
        let velocity = (wanted.position - wish.pose.position) / tempo.step;
        let spin = rotation_log(wanted.rotation * wish.pose.rotation.conjugate()) / tempo.step;
        wish.velocity += share * (velocity - wish.velocity);
        wish.spin += share * (spin - wish.spin);
        wish.pose = wanted;
    }

    fn see(&mut self, felt: &Felt) {
        let vector = |at: usize| felt.wrench.get(at..at + 3).map_or(Vec3::ZERO, Vec3::from_slice);
        let view = &mut self.view;
        (view.present, view.realtime) = (felt.present, felt.statistics.realtime);
        (view.force, view.torque) = (vector(0), vector(3));
        let place = |states: &[HandleState]| states.first().map_or(self.lead.pose, |state| state.pose);
        view.wish = self.wish.pose;
        view.device = if felt.present { place(&felt.devices) } else { self.lead.pose };
        view.proxy = if felt.present { place(&felt.proxy) } else { self.lead.pose };
        let (counts, now) = (&mut self.counts, &felt.statistics);
        let seconds = now.seconds - counts.seconds;
        if counts.since.elapsed() >= WINDOW && now.ticks > counts.ticks && seconds > 0.0 {
            let ticks = (now.ticks - counts.ticks) as f64;
            (view.rate, view.late) = (ticks / seconds, (now.late - counts.late) as f64 / ticks);
            *counts = Counts { since: Instant::now(), ticks: now.ticks, late: now.late, seconds: now.seconds };
        }
    }
}

/// Where a scene, or who drives its hand, wants what is held.
fn scene_wants(held: &Held, simulation: &Simulation, time: f64) -> Option<HandleState> {
    if let Some(hand) = held.hand {
        return simulation.hands().get(hand)?.palm_at(time);
    }
    let mut handles = simulation.softs().iter().flat_map(|soft| &soft.handles);
    handles.find(|driven| held.handles.first() == Some(&driven.id))?.wanted(time)
}
