//! Touch on the fingertips of a run: the device, where it is, and what became of it.

use crate::error::Error;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use thenar_devices::tactile::{SimulatedDevice, TactileCommand, TactileLink, TactileTarget};
use thenar_scene::run::Simulation;
use thenar_scene::scene::Scene;

/// Commands per second that go out to a real device.
const RATE: f64 = 250.0;
/// How long a run waits for the first word of a device before its hand is built: lines answer at once, names of hosts may not.
const FIRST_WORD: Duration = Duration::from_millis(300);

/// A device on the fingertips.
#[derive(clap::Args)]
pub struct TactileOptions {
    /// Render touch on the fingertips for this device: disc, button, or a device file of one's own (docs/tactile.md)
    #[arg(long, value_name = "DEVICE|FILE.toml")]
    pub tactile: Option<String>,

    /// Where the device is: simulated, serial:/dev/ttyUSB0, serial:PATH@BAUD or osc:HOST:PORT; with a real one the run keeps time
    #[arg(long, value_name = "WHERE")]
    pub tactile_to: Option<TactileTarget>,
}

impl TactileOptions {
    /// Puts the device into the scene.
    pub fn apply(&self, scene: &mut Scene) {
        if let Some(device) = &self.tactile {
            scene.tactile.get_or_insert_default().device = name(device);
        } else if self.tactile_to.is_some() {
            scene.tactile.get_or_insert_default();
        }
    }

    /// The device file, if there is one, by the name that the scene has for it.
    pub fn files(&self) -> Result<BTreeMap<String, Vec<u8>>, Error> {
        match &self.tactile {
            Some(device) if device.ends_with(".toml") => {
                let path = Path::new(device);
                Ok([(name(device), fs::read(path).map_err(Error::read(path))?)].into())
            }
            _ => Ok(BTreeMap::new()),
        }
    }

    /// Opens the line to a real device, and says whether it is there: one that is not is looked for as long as the run takes.
    pub fn find(&self) -> Result<Option<TactileLink>, Error> {
        let Some(target) = self.tactile_to.as_ref().filter(|target| **target != TactileTarget::Simulated) else {
            return Ok(None);
        };
        let driver = target.driver().map_err(Error::input)?;
        let link = TactileLink::start(driver, RATE).map_err(Error::input)?;
        let start = Instant::now();
        let mut news = Vec::new();
        while news.is_empty() && start.elapsed() < FIRST_WORD {
            std::thread::sleep(Duration::from_millis(5));
            news = link.news();
        }
        news.iter().for_each(|news| eprintln!("{news}"));
        Ok(Some(link))
    }

    /// Renders touch, if the scene does, on a device that was found before, or is looked for now.
    pub fn open(&self, simulation: &Simulation, found: Option<TactileLink>) -> Result<Option<Touch>, Error> {
        let Some(params) = &simulation.world().config().tactile else { return Ok(None) };
        let target = self.tactile_to.clone().unwrap_or(TactileTarget::Simulated);
        let link = found.map_or_else(|| self.find(), |link| Ok(Some(link)))?;
        let simulated = simulation.hands().iter().map(|_| SimulatedDevice::new(params.device.clone())).collect();
        let figures = Figures { device: params.device.name.clone(), to: target.to_string(), ..Figures::default() };
        Ok(Some(Touch { link, simulated, figures, times: Vec::new(), residuals: (0.0, 0), start: Instant::now() }))
    }
}

/// What a scene calls a device of the command line: a file by its last name.
fn name(device: &str) -> String {
    let last = Path::new(device).file_name().map(|name| name.to_string_lossy().into_owned());
    last.filter(|_| device.ends_with(".toml")).unwrap_or_else(|| device.to_owned())
}

/// A device at work.
pub struct Touch {
    link: Option<TactileLink>,
    simulated: Vec<SimulatedDevice>,
    figures: Figures,
    times: Vec<f64>,
    residuals: (f64, u64),
    start: Instant,
}

/// What became of touch.
#[derive(Clone, Serialize, Default)]
pub struct Figures {
    device: String,
    to: String,
    /// Time per finger near something, µs.
    finger_us_median: f64,
    finger_us_p99: f64,
    /// Mean over touching fingers, mm.
    residual_mm: f64,
    /// Deepest that a disc was told to press, mm.
    deepest_mm: f64,
    slips: u64,
    /// How far the simulated motors were behind, at most.
    lag_mm: f64,
    lag_degrees: f64,
    /// Commands to a real device: sent, replaced by newer ones, and how often the device was lost.
    sent: u64,
    dropped: u64,
    lost: u64,
}

impl Touch {
    /// Sends what the hands feel after a step.
    pub fn watch(&mut self, simulation: &Simulation) {
        let (world, time) = (simulation.world(), simulation.time());
        let mut seeing = 0u32;
        for (hand, simulated) in simulation.hands().iter().zip(&mut self.simulated) {
            let out = world.hand(hand.id);
            let Some(command) = TactileCommand::of(hand.model.side, time, out) else { continue };
            simulated.send(&command);
            if let Some(link) = &self.link {
                link.send(command);
            }
            for finger in &out.tactile {
                seeing += u32::from(finger.samples.iter().any(|sample| sample.gap.is_finite()));
                if finger.touching > 0 {
                    self.residuals = (self.residuals.0 + finger.residual, self.residuals.1 + 1);
                }
            }
        }
        if seeing > 0 {
            self.times.push(world.report().tactile_ns as f64 * 1e-3 / f64::from(seeing));
        }
        if let Some(link) = &self.link {
            link.news().iter().for_each(|news| eprintln!("{news}"));
            // people feel in real time
            let due = self.start + Duration::from_secs_f64(time);
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
        }
    }

    /// The figures of the whole run.
    pub fn finish(mut self) -> Figures {
        self.times.sort_by(f64::total_cmp);
        let quantile = |share: f64| {
            let at = (share * self.times.len().saturating_sub(1) as f64).round() as usize;
            self.times.get(at).copied().unwrap_or(0.0)
        };
        let status = self.link.as_ref().map(TactileLink::status).unwrap_or_default();
        if let Some(link) = &self.link {
            link.news().iter().for_each(|news| eprintln!("{news}"));
        }
        let reports = || self.simulated.iter().map(SimulatedDevice::report);
        let most = |value: fn(&thenar_devices::tactile::DeviceReport) -> f64| {
            reports().map(value).fold(f64::NEG_INFINITY, f64::max)
        };
        Figures {
            finger_us_median: quantile(0.5),
            finger_us_p99: quantile(0.99),
            residual_mm: self.residuals.0 * 1e3 / self.residuals.1.max(1) as f64,
            deepest_mm: most(|report| report.deepest) * 1e3,
            slips: reports().map(|report| report.slips).sum(),
            lag_mm: most(|report| report.displacement_lag) * 1e3,
            lag_degrees: most(|report| report.tilt_lag).to_degrees(),
            sent: status.sent,
            dropped: status.dropped,
            lost: status.lost,
            ..self.figures
        }
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "touch: device {} ({}); {:.1} µs per finger, 99 % under {:.1} µs; residual {:.3} mm; deepest {:.2} mm; slips {}",
            self.device,
            self.to,
            self.finger_us_median,
            self.finger_us_p99,
            self.residual_mm,
            self.deepest_mm,
            self.slips
        )?;
        if self.to == TactileTarget::Simulated.to_string() {
            write!(f, "; motors behind by {:.2} mm and {:.1}° at most", self.lag_mm, self.lag_degrees)
        } else {
            write!(f, "; commands {} sent, {} replaced; device lost {} times", self.sent, self.dropped, self.lost)
        }
    }
}
