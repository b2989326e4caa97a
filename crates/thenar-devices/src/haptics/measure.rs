//! How fast and how punctual the loop is on this machine.

use super::{
    Grip, GripError, HapticDevice, HapticError, HapticLoop, Held, Histogram, LoopParams, LoopStatistics, Motion,
    Motors, Reading, Renderer, RendererParams,
};
use std::fmt::Write as _;
use std::time::{Duration, Instant};
use thenar::haptics::{DeviceCoupling, HandleBody, HandleState};
use thenar::math::{Mat3, Pose, Vec3};
use thenar_scene::run::{RunError, Simulation};

/// A glove that many handles large, which waves.
struct Waving {
    handles: usize,
}

impl HapticDevice for Waving {
    fn name(&self) -> &str {
        "waving"
    }

    fn handles(&self) -> usize {
        self.handles
    }

    fn motors(&self) -> Motors {
        Motors::six(8.0, 0.4)
    }

    fn read(&mut self, now: f64, states: &mut [HandleState]) -> Reading {
        for (handle, state) in states.iter_mut().enumerate() {
            let phase = 6.0 * now + handle as f64;
            state.pose.position = 0.02 * Vec3::new(phase.sin(), phase.cos(), 0.0);
        }
        Reading::Fresh
    }

    fn write(&mut self, _: &[f64]) {}
}

/// What was measured.
#[derive(Clone, Debug)]
pub struct TickFigures {
    /// Time that a tick takes, µs: half of them are faster.
    pub tick_us_median: f64,
    /// 999 of 1000 are faster.
    pub tick_us_p999: f64,
    /// Time to read a model ahead of its tick, µs: half of them, and 999 of 1000, are faster.
    pub ahead_us_median: f64,
    /// As said.
    pub ahead_us_p999: f64,
    /// Share of ticks that began more than 0.3 ms late.
    pub late_fraction: f64,
    /// Ticks per second.
    pub rate: f64,
    /// Everything else.
    pub statistics: LoopStatistics,
}

impl From<LoopStatistics> for TickFigures {
    fn from(statistics: LoopStatistics) -> Self {
        Self {
            tick_us_median: 1e6 * statistics.compute.quantile(0.5),
            tick_us_p999: 1e6 * statistics.compute.quantile(0.999),
            ahead_us_median: 1e6 * statistics.ahead.quantile(0.5),
            ahead_us_p999: 1e6 * statistics.ahead.quantile(0.999),
            late_fraction: statistics.late_fraction(),
            rate: statistics.rate(),
            statistics,
        }
    }
}

/// Runs the loop for that many seconds with a device of that many handles, and calls `beside` on this thread meanwhile (a step of a
/// simulation, or nothing). New models arrive fifty times a second; without `models` none do, and the tick has nothing to compute.
///
/// # Errors
/// If the system gives no thread.
pub fn measure(
    handles: usize,
    seconds: f64,
    models: bool,
    mut beside: impl FnMut(),
) -> Result<TickFigures, HapticError> {
    let params = RendererParams::default();
    let renderer = Renderer::new(Box::new(Waving { handles }), &vec![Pose::IDENTITY; handles], params)?;
    let mut running = HapticLoop::start(renderer, params.dt, LoopParams::default())?;
    let (start, period) = (Instant::now(), 0.02);
    let mut next = 0.0;
    while start.elapsed().as_secs_f64() < seconds {
        if models && start.elapsed().as_secs_f64() >= next {
            next += period;
            fill(&mut running, handles, params.dt, period);
        }
        let before = Instant::now();
        beside();
        if before.elapsed() < Duration::from_micros(100) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    Ok(running.stop().into())
}

/// A device whose handles go where the scene wants them, forth and back.
struct Following {
    motions: Vec<Motion>,
}

impl HapticDevice for Following {
    fn name(&self) -> &str {
        "following"
    }

    fn handles(&self) -> usize {
        self.motions.len()
    }

    fn motors(&self) -> Motors {
        Motors::six(8.0, 0.4)
    }

    fn read(&mut self, now: f64, states: &mut [HandleState]) -> Reading {
        for (motion, state) in self.motions.iter_mut().zip(states) {
            let end = motion.end();
            let there = now % (2.0 * end).max(1e-9);
            *state = motion.at(if there < end { there } else { 2.0 * end - there });
        }
        Reading::Fresh
    }

    fn write(&mut self, _: &[f64]) {}
}

/// What was measured beside a simulation.
#[derive(Clone, Debug)]
pub struct BesideFigures {
    /// Of the loop.
    pub ticks: TickFigures,
    /// Steps of the world per second of the clock.
    pub steps_per_s: f64,
    /// Steps without a model.
    pub refused: u64,
}

/// The loop for so many seconds with a device that moves what it holds of a scene along the scene's own way, forth and back, while this thread simulates the
/// scene in real time and hands over the model of each step: all of what a run with a device does. `make` sets the scene up, as long as is said, or as it is.
///
/// # Errors
/// If the scene cannot be set up or stepped, has nothing to hold, or the system gives no thread.
pub fn measure_beside(
    make: &mut dyn FnMut(Option<f64>) -> Result<Simulation, RunError>,
    grip: Grip,
    seconds: f64,
) -> Result<BesideFigures, GripError> {
    let coupling = DeviceCoupling::default();
    let mut rehearsal = make(None)?;
    let mut motions = Held::grip(&mut rehearsal, grip, coupling)?.rehearse(rehearsal)?;
    let home: Vec<Pose> = motions.iter_mut().map(|motion| motion.at(0.0).pose).collect();
    // longer than it is watched, so that the clock ends it
    let mut simulation = make(Some(seconds + 1.0))?;
    let held = Held::grip(&mut simulation, grip, coupling)?;
    let params = RendererParams::default();
    let renderer = Renderer::new(Box::new(Following { motions }), &home, params)?.in_world_axes();
    let hand = simulation.hands().first().filter(|_| grip == Grip::Glove);
    let renderer = if let Some(hand) = hand { renderer.gloved(&hand.model.skeleton) } else { renderer };
    let led: Vec<_> = home.iter().map(|pose| HandleState { pose: *pose, ..HandleState::default() }).collect();
    held.lead(&mut simulation, &led);
    let mut running = HapticLoop::start(renderer, params.dt, LoopParams::default())?;
    let (start, mut steps, mut refused) = (Instant::now(), 0u32, 0);
    while start.elapsed().as_secs_f64() < seconds && simulation.advance().map_err(RunError::from)?.is_some() {
        steps += 1;
        let period = simulation.step();
        if held.model(simulation.world_mut(), params.dt, period, running.model())? {
            running.publish();
        } else {
            refused += 1;
        }
        let due = start + Duration::from_secs_f64(simulation.time());
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        let felt = running.felt();
        if felt.present {
            held.lead(&mut simulation, &felt.devices);
        }
    }
    let steps_per_s = f64::from(steps) / start.elapsed().as_secs_f64();
    Ok(BesideFigures { ticks: running.stop().into(), steps_per_s, refused })
}

/// A full matrix: every handle feels every other.
fn fill(running: &mut HapticLoop, handles: usize, dt: f64, period: f64) {
    let prepared = running.model();
    let n = 6 * handles;
    for row in 0..n {
        for column in 0..n {
            let own = row == column;
            prepared.model.stiffness[row * n + column] = if own { -500.0 } else { 400.0 / n as f64 };
            prepared.model.damping[row * n + column] = if own { -2.0 } else { 1.0 / n as f64 };
            prepared.inertia[row * n + column] = if own { 0.02 } else { 0.01 / n as f64 };
        }
    }
    let body = HandleBody { mass: 0.05, inertia: Mat3::from_diagonal(Vec3::splat(2e-5)) };
    if prepared.prepare(&vec![body; handles], &vec![DeviceCoupling::default(); handles], dt, period) {
        running.publish();
    }
}

/// Times of ticks as bars, logarithmic in their number, as the text of an SVG file.
#[must_use]
pub fn histogram_svg(title: &str, bars: &[(&str, &Histogram)]) -> String {
    let (width, height, left, right, top, bottom) = (900.0, 420.0, 70.0, 880.0, 64.0, 350.0);
    let colours = ["#2d6fc2", "#c2452d", "#3f8f4e"];
    let most = bars.iter().map(|(_, h)| h.quantile(0.9999)).fold(0.0, f64::max).max(1e-6) * 1.15;
    let top_count = bars.iter().flat_map(|(_, h)| h.bins.iter().copied()).max().unwrap_or(1).max(10) as f64;
    let y = |count: f64| bottom - (bottom - top) * (count.max(1.0).log10() / top_count.log10());
    let x = |seconds: f64| left + (right - left) * (seconds / most).min(1.0);
    let escaped = |words: &str| words.replace('&', "&amp;").replace('<', "&lt;");
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\" \
         fill=\"#222\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n<text x=\"{left}\" y=\"24\" font-size=\"16\">{}</text>\n",
        escaped(title)
    );
    // Writing to a string cannot fail.
    for decade in 0..=top_count.log10().floor() as i32 {
        let at = y(10f64.powi(decade));
        let _ = writeln!(svg, "<path d=\"M{left} {at:.1}H{right}\" stroke=\"#ddd\"/>");
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            left - 6.0,
            at + 4.0,
            10u64.pow(decade as u32)
        );
    }
    for tick in 0..=8 {
        let seconds = most * f64::from(tick) / 8.0;
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{:.1}</text>",
            x(seconds),
            bottom + 18.0,
            1e6 * seconds
        );
    }
    let _ = writeln!(svg, "<text x=\"475\" y=\"{}\" text-anchor=\"middle\">µs per tick</text>", bottom + 40.0);
    let _ =
        writeln!(svg, "<text x=\"16\" y=\"207\" text-anchor=\"middle\" transform=\"rotate(-90 16 207)\">ticks</text>");
    for (k, (name, histogram)) in bars.iter().enumerate() {
        let colour = colours[k % colours.len()];
        let mut path = String::new();
        for (bin, count) in histogram.bins.iter().enumerate() {
            let from = bin as f64 * histogram.width;
            if from <= most {
                let _ = write!(
                    path,
                    "{}{:.1} {:.1}H{:.1}",
                    if bin == 0 { 'M' } else { 'L' },
                    x(from),
                    y(*count as f64),
                    x(from + histogram.width)
                );
            }
        }
        let _ = writeln!(svg, "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.4\"/>");
        let at = left + 200.0 * k as f64;
        let _ = writeln!(
            svg,
            "<rect x=\"{at}\" y=\"36\" width=\"18\" height=\"4\" fill=\"{colour}\"/><text x=\"{}\" y=\"42\">{}</text>",
            at + 24.0,
            escaped(name)
        );
    }
    svg.push_str("</svg>\n");
    svg
}
