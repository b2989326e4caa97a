//! Which couplings can be rendered: stiffness against damping, stable or not, for each way to make a force [Colgate & Brown 1994].
//!
//! Each point of the plane is three tasks of a simulated person on the [`Bench`]: to hold still in the air after a move, to rest lightly on a wall and to press on
//! it. It is stable if the force of none still varies at the end and if no more energy came out than went in, but for 2 mJ.

use super::{Bench, BenchParams, Rendering, Sample, Session, SessionParams};
use crate::haptics::{HandImpedance, HapticError, Motion, SimulatedDevice};
use std::fmt::Write as _;
use thenar::haptics::DeviceCoupling;
use thenar::math::{Pose, Vec3};

/// Energy that may come out unpaid, J.
pub const LOWEST: f64 = -2e-3;
/// Force that varies by more than this at the end is an oscillation, N (root of the mean square): twice the weakest vibration that fingers on a pen feel.
pub const STILL: f64 = 0.1;
/// Lever at which turns are coupled as ways are, m.
const LEVER: f64 = 0.03;

/// The hand that holds the device.
#[must_use]
pub fn light_hand() -> HandImpedance {
    HandImpedance { mass: 0.15, stiffness: 150.0, damping: 3.0, ..HandImpedance::default() }
}

/// A coupling of that stiffness and damping, N/m and N·s/m.
#[must_use]
pub fn coupling(stiffness: f64, damping: f64) -> DeviceCoupling {
    let square = LEVER * LEVER;
    DeviceCoupling { stiffness, damping, turn_stiffness: stiffness * square, turn_damping: damping * square }
}

/// Heights over time, with nothing else moving.
#[must_use]
pub fn heights(points: &[(f64, f64)]) -> Motion {
    let mut motion = Motion::default();
    for &(time, y) in points {
        motion.push(time, Pose { position: Vec3::new(0.0, y, 0.0), ..Pose::IDENTITY });
    }
    motion
}

/// What a person does: hold still after a move, touch lightly, press.
const TASKS: [[(f64, f64); 3]; 3] = [
    [(0.0, 0.05), (0.4, 0.05), (0.6, 0.03)],
    [(0.0, 0.01), (0.4, 0.01), (0.6, -0.002)],
    [(0.0, 0.02), (0.4, 0.02), (0.6, -0.02)],
];
/// How long each task takes, seconds; its end decides.
const SECONDS: f64 = 2.5;
const END: f64 = 0.5;

/// How much the force of these ticks varies, all three axes together, N; or their torque as the force that it is at a lever of 3 cm, if that is more.
#[must_use]
pub fn variation(samples: &[Sample]) -> f64 {
    let count = samples.len().max(1) as f64;
    let square = |axis: usize| {
        let mean = samples.iter().map(|sample| sample.wrench[axis]).sum::<f64>() / count;
        samples.iter().map(|sample| (sample.wrench[axis] - mean).powi(2)).sum::<f64>() / count
    };
    let of = |axes: std::ops::Range<usize>| axes.map(square).sum::<f64>().sqrt();
    of(0..3).max(of(3..6) / LEVER)
}

/// The lowest that the observer saw, J.
#[must_use]
pub fn lowest(samples: &[Sample]) -> f64 {
    samples.iter().map(|sample| sample.energy).fold(0.0, f64::min)
}

/// A coupling, and what became of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Of the coupling, N/m.
    pub stiffness: f64,
    /// Of the coupling, N·s/m.
    pub damping: f64,
    /// Whether all tasks were stable.
    pub stable: bool,
    /// What a person feels who presses 2 mm deeper, N/m.
    pub rendered: f64,
}

/// All couplings under one way to make a force.
#[derive(Clone, Debug, PartialEq)]
pub struct Plane {
    /// Its name.
    pub name: &'static str,
    /// Steps of the world per second.
    pub visual_rate: f64,
    /// Row by row.
    pub points: Vec<Point>,
}

impl Plane {
    /// The stiffest that is stable at some damping, as it is felt, N/m.
    #[must_use]
    pub fn stiffest(&self) -> f64 {
        self.points
            .iter()
            .filter(|point| point.stable)
            .map(|point| point.rendered.min(point.stiffness))
            .fold(0.0, f64::max)
    }
}

/// Stiffnesses and dampings that are tried, N/m and N·s/m.
pub const STIFFNESS: [f64; 8] = [50.0, 100.0, 200.0, 400.0, 800.0, 1600.0, 3200.0, 6400.0];
/// N·s/m.
pub const DAMPING: [f64; 5] = [0.5, 1.0, 2.0, 4.0, 8.0];

/// Tries one coupling.
///
/// # Errors
/// None that a simulated device can cause.
pub fn try_coupling(rendering: Rendering, visual_rate: f64, coupling: DeviceCoupling) -> Result<Point, HapticError> {
    let mut stable = true;
    for task in TASKS {
        let samples = session(rendering, visual_rate, coupling, &task)?.run(SECONDS);
        let end = samples.len() - (END * 1e3) as usize;
        stable &= variation(&samples[end..]) < STILL && lowest(&samples) >= LOWEST;
    }
    // Pressed, and pressed harder: what the hand gives way, and what it feels.
    let mut deeper = TASKS[2].to_vec();
    deeper.extend([(1.4, -0.02), (1.6, -0.022)]);
    let samples = session(rendering, visual_rate, coupling, &deeper)?.run(SECONDS);
    let mean = |from: usize, to: usize, value: fn(&Sample) -> f64| {
        samples[from..to].iter().map(value).sum::<f64>() / (to - from) as f64
    };
    let force = |from, to| mean(from, to, |sample| sample.wrench[1]);
    let height = |from, to| mean(from, to, |sample| sample.device.pose.position.y);
    let rendered = (force(2200, 2500) - force(1200, 1400)) / (height(1200, 1400) - height(2200, 2500)).max(1e-6);
    Ok(Point { stiffness: coupling.stiffness, damping: coupling.damping, stable, rendered })
}

fn session(
    rendering: Rendering,
    visual_rate: f64,
    coupling: DeviceCoupling,
    task: &[(f64, f64)],
) -> Result<Session<Bench>, HapticError> {
    let mut intention = heights(task);
    let start = intention.at(0.0).pose;
    let world = Bench::new(BenchParams { coupling, ..BenchParams::default() }, start);
    let hand = HandImpedance { resolution: 5e-6, ..light_hand() };
    let device = SimulatedDevice::six(hand, intention);
    Session::new(world, Box::new(device), SessionParams::at(rendering, visual_rate))
}

/// The planes of all ways to make a force, the world stepping at `visual_rate`.
///
/// # Errors
/// None that a simulated device can cause.
pub fn sweep(visual_rate: f64) -> Result<Vec<Plane>, HapticError> {
    let mut planes = Vec::new();
    for rendering in [Rendering::Plain, Rendering::Held, Rendering::Linear, Rendering::Full] {
        let mut points = Vec::new();
        for stiffness in STIFFNESS {
            for damping in DAMPING {
                points.push(try_coupling(rendering, visual_rate, coupling(stiffness, damping))?);
            }
        }
        let visual_rate = if rendering == Rendering::Full { 1000.0 } else { visual_rate };
        planes.push(Plane { name: rendering.name(), visual_rate, points });
    }
    Ok(planes)
}

/// The planes side by side as the text of an SVG file: full dots are stable.
#[must_use]
pub fn svg(planes: &[Plane]) -> String {
    let (width, height, field) = (250.0, 260.0, 190.0);
    let total = 60.0 + width * planes.len() as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {total} 380\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n\
         <rect width=\"{total}\" height=\"380\" fill=\"white\"/>\n<text x=\"60\" y=\"24\" font-size=\"16\">What can be rendered: full dots are stable</text>\n"
    );
    // Writing to a string cannot fail.
    for (k, plane) in planes.iter().enumerate() {
        let left = 60.0 + width * k as f64;
        let x = |damping: f64| {
            left + 20.0
                + (field - 40.0) * (damping / DAMPING[0]).log2() / (DAMPING[DAMPING.len() - 1] / DAMPING[0]).log2()
        };
        let y = |stiffness: f64| {
            let share = (stiffness / STIFFNESS[0]).log2() / (STIFFNESS[STIFFNESS.len() - 1] / STIFFNESS[0]).log2();
            80.0 + height - 20.0 - (height - 40.0) * share
        };
        let _ = writeln!(svg, "<text x=\"{left}\" y=\"50\" font-size=\"13\">{}</text>", plane.name);
        let _ = writeln!(
            svg,
            "<text x=\"{left}\" y=\"67\">{:.0} steps/s; up to {:.0} N/m felt</text>",
            plane.visual_rate,
            plane.stiffest()
        );
        let _ = writeln!(
            svg,
            "<rect x=\"{left}\" y=\"80\" width=\"{field}\" height=\"{height}\" fill=\"none\" stroke=\"#222\"/>"
        );
        for point in &plane.points {
            let (fill, stroke) = if point.stable { ("#2d6fc2", "#2d6fc2") } else { ("white", "#c2452d") };
            let _ = writeln!(
                svg,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"5\" fill=\"{fill}\" stroke=\"{stroke}\"/>",
                x(point.damping),
                y(point.stiffness)
            );
        }
        for damping in DAMPING {
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{damping}</text>",
                x(damping),
                80.0 + height + 16.0
            );
        }
        if k == 0 {
            for stiffness in STIFFNESS {
                let _ = writeln!(
                    svg,
                    "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{stiffness}</text>",
                    left - 6.0,
                    y(stiffness) + 4.0
                );
            }
        }
    }
    svg.push_str(
        "<text x=\"60\" y=\"374\">across: damping of the coupling, N·s/m; up: its stiffness, N/m</text>\n</svg>\n",
    );
    svg
}

#[cfg(test)]
mod tests {
    use super::*;
    use thenar::haptics::HandleState;

    /// An oscillation is one along whatever axis it is.
    #[test]
    fn every_axis_can_oscillate() {
        for (axis, size) in [(0, 1.0), (1, 1.0), (2, 1.0), (3, LEVER), (4, LEVER), (5, LEVER)] {
            let samples: Vec<Sample> = (0..100)
                .map(|tick| {
                    let mut wrench = [2.0; 6];
                    wrench[axis] += if tick % 2 == 0 { size } else { -size };
                    let state = HandleState::default();
                    Sample { time: 1e-3 * f64::from(tick), device: state, proxy: state, wrench, energy: 0.0 }
                })
                .collect();
            assert!((variation(&samples) - 1.0).abs() < 1e-9, "axis {axis}: {}", variation(&samples));
            assert!(variation(&samples[..1]) < 1e-12, "one tick varies by nothing");
        }
    }
}
