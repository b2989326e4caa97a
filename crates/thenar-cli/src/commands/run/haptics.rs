//! A haptic device in the hand of who runs a scene.

use super::chosen::Chosen;
use super::obstacle;
use crate::error::Error;
use serde::Serialize;
use std::fmt;
use std::time::{Duration, Instant};
use thenar::haptics::{DeviceCoupling, HandleState};
use thenar_devices::haptics::{
    Grip, HapticLoop, HapticTarget, Held, LoopParams, LoopStatistics, Motion, Renderer, RendererParams,
};
use thenar_scene::run::Simulation;

/// Step of the world under `full`, seconds.
const FULL_STEP: f64 = 1e-3;

/// What is simulated at haptic rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Mode {
    /// Proxy and linear model; the world keeps its own step
    Linear,
    /// The world itself, in steps of 1 ms, with the linear model for steps that are late
    Full,
}

/// A device that lets one feel a scene.
#[derive(clap::Args)]
pub struct HapticOptions {
    /// Feel the scene by a haptic device, in real time: sim3, sim6, recorded:FILE, udp[:PORT] or haply[:URL] (docs/haptics.md)
    #[arg(long, value_name = "DEVICE", conflicts_with_all = ["film", "listen"])]
    pub haptics: Option<HapticTarget>,

    /// What runs at 1 kHz: the linear model of each step, or the whole simulation
    #[arg(long, value_enum, value_name = "MODE", default_value = "linear", requires = "haptics")]
    pub haptics_mode: Mode,

    /// Stiffness of the coupling between device and handle, N/m: what the device can render
    #[arg(long, value_name = "N/M", requires = "haptics", value_parser = stiffness)]
    pub haptics_stiffness: Option<f64>,

    /// The device is a glove: palm and phalanges are its handles, sixteen of them
    #[arg(long, requires = "haptics")]
    pub glove: bool,
}

fn stiffness(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(value) if (10.0..=20_000.0).contains(&value) => Ok(value),
        _ => Err("expected a number from 10 to 20000 N/m".to_owned()),
    }
}

impl HapticOptions {
    /// The step that the mode asks for.
    pub fn step(&self) -> Option<f64> {
        (self.haptics.is_some() && self.haptics_mode == Mode::Full).then_some(FULL_STEP)
    }

    /// Refuses what cannot be felt, and a file of poses that cannot be read, before anything is built.
    pub fn check(&self, scenes: &[Chosen], record: bool) -> Result<(), Error> {
        let Some(target) = &self.haptics else { return Ok(()) };
        if record {
            let what = "--record does not go with --haptics: recordings hold no device, and would replay another run; leave one out (--outputs goes with both)";
            return Err(Error::Options(what.to_owned()));
        }
        if self.glove && !matches!(target, HapticTarget::Udp(_)) {
            return Err(Error::Options(format!(
                "--glove: {target} has one handle and a glove has 16; a program of your own that sends 16 by UDP can be one (--haptics udp, docs/haptics.md); leave --glove out for a pen"
            )));
        }
        scenes.iter().try_for_each(|chosen| obstacle::check(&chosen.scene, self.glove))?;
        let HapticTarget::Recorded(file) = target else { return Ok(()) };
        let readable = std::fs::File::open(file).and_then(|mut file| std::io::Read::read(&mut file, &mut [0]));
        readable.map(|_| ()).map_err(|error| Error::input(format!("cannot read {file}: {error}")))
    }

    fn coupling(&self) -> DeviceCoupling {
        let usual = DeviceCoupling::default();
        let Some(stiffness) = self.haptics_stiffness else { return usual };
        // damping grows as the root, so that its share of what is critical stays
        let (times, damping) = (stiffness / usual.stiffness, (stiffness / usual.stiffness).sqrt());
        DeviceCoupling {
            stiffness,
            damping: usual.damping * damping,
            turn_stiffness: usual.turn_stiffness * times,
            turn_damping: usual.turn_damping * damping,
        }
    }

    /// Opens the device, if one is wanted; `rehearsal` is a simulation of the same scene, which is run to learn what a simulated person wants.
    pub fn open(
        &self,
        simulation: &mut Simulation,
        rehearsal: impl FnOnce() -> Result<Simulation, Error>,
    ) -> Result<Option<Haptics>, Error> {
        let Some(target) = &self.haptics else { return Ok(None) };
        let coupling = self.coupling();
        let grip = if self.glove { Grip::Glove } else { Grip::Pen };
        let held = Held::grip(simulation, grip, coupling).map_err(Error::input)?;
        let mut rehearsal = rehearsal()?;
        Held::grip(&mut rehearsal, grip, coupling).map_err(Error::input)?;
        let mut wishes = held.rehearse(rehearsal).map_err(Error::input)?;
        let home: Vec<HandleState> =
            wishes.iter_mut().map(|wish| HandleState { pose: wish.at(0.0).pose, ..HandleState::default() }).collect();
        let poses: Vec<_> = home.iter().map(|state| state.pose).collect();
        let simulated = matches!(target, HapticTarget::Sim3 | HapticTarget::Sim6);
        let intention = wishes.first().cloned().unwrap_or_else(Motion::default);
        let device = target.open(held.handles.len(), intention).map_err(Error::input)?;
        let mut params = RendererParams::default();
        params.passivity = params.passivity.through(&coupling);
        let renderer = Renderer::new(device, &poses, params).map_err(Error::input)?;
        let renderer = if simulated { renderer.in_world_axes() } else { renderer };
        let hand = simulation.hands().first().filter(|_| self.glove);
        let renderer = if let Some(hand) = hand { renderer.gloved(&hand.model.skeleton) } else { renderer };
        held.lead(simulation, &home);
        let figures = Figures { device: target.to_string(), mode: self.haptics_mode.name(), ..Figures::default() };
        let running = HapticLoop::start(renderer, params.dt, LoopParams::default()).map_err(Error::input)?;
        if let Some(what) = target.awaited() {
            eprintln!("waiting for {what}; the scene runs on, and what the device is to hold stays where it is");
        }
        Ok(Some(Haptics {
            held,
            running,
            glove: self.glove,
            dt: params.dt,
            start: Instant::now(),
            figures,
            behind: 0.0,
        }))
    }
}

impl Mode {
    fn name(self) -> &'static str {
        match self {
            Mode::Linear => "linear",
            Mode::Full => "full",
        }
    }
}

/// A device at work.
pub struct Haptics {
    held: Held,
    running: HapticLoop,
    glove: bool,
    dt: f64,
    start: Instant,
    figures: Figures,
    behind: f64,
}

/// What became of it.
#[derive(Clone, Serialize, Default)]
pub struct Figures {
    device: String,
    mode: &'static str,
    /// Ticks per second.
    rate: f64,
    late_us_median: f64,
    late_us_p999: f64,
    /// Share of ticks more than 0.3 ms late.
    late_fraction: f64,
    tick_us_median: f64,
    tick_us_p999: f64,
    force_rms: f64,
    force_most: f64,
    torque_most: f64,
    /// Lowest of the passivity observer.
    energy_lowest_mj: f64,
    models: u64,
    /// Share of ticks whose model was too old to be believed.
    doubted_fraction: f64,
    /// Whether a device ever spoke.
    found: bool,
    lost: u64,
    realtime: bool,
    /// Largest torque on a joint of a gloved hand, N·m.
    #[serde(skip_serializing_if = "Option::is_none")]
    joint_torque_most: Option<f64>,
    /// Steps that could not be linearised.
    refused: u64,
    /// How far the simulation was behind the clock, at most, ms.
    behind_ms: f64,
    #[serde(skip)]
    text: String,
}

impl Haptics {
    /// After a step: hands its model over, keeps time, and takes where the device is.
    pub fn watch(&mut self, simulation: &mut Simulation) {
        let period = simulation.step();
        let model = self.held.model(simulation.world_mut(), self.dt, period, self.running.model());
        if model.unwrap_or(false) {
            self.running.publish();
        } else {
            self.figures.refused += 1;
        }
        for news in self.running.news() {
            eprintln!("{news}");
        }
        let due = self.start + Duration::from_secs_f64(simulation.time());
        let now = Instant::now();
        self.behind = self.behind.max((now.saturating_duration_since(due)).as_secs_f64());
        std::thread::sleep(due.saturating_duration_since(now));
        let felt = self.running.felt();
        if felt.present {
            self.held.lead(simulation, &felt.devices);
        }
    }

    /// The figures of the whole run.
    pub fn finish(self) -> Figures {
        let statistics = self.running.stop();
        let text = statistics.to_string();
        let LoopStatistics { ticks, models, found, lost, realtime, force_most, torque_most, .. } = statistics;
        Figures {
            rate: statistics.rate(),
            late_us_median: 1e6 * statistics.lateness.quantile(0.5),
            late_us_p999: 1e6 * statistics.lateness.quantile(0.999),
            late_fraction: statistics.late_fraction(),
            tick_us_median: 1e6 * statistics.compute.quantile(0.5),
            tick_us_p999: 1e6 * statistics.compute.quantile(0.999),
            force_rms: statistics.force_rms(),
            force_most,
            torque_most,
            energy_lowest_mj: 1e3 * statistics.energy_lowest,
            joint_torque_most: self.glove.then_some(statistics.joint_torque_most),
            models,
            doubted_fraction: statistics.doubted as f64 / ticks.max(1) as f64,
            found,
            lost,
            realtime,
            behind_ms: 1e3 * self.behind,
            text,
            ..self.figures
        }
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "haptics: {} ({}); {}; simulation behind by {:.1} ms at most",
            self.device, self.mode, self.text, self.behind_ms
        )
    }
}
