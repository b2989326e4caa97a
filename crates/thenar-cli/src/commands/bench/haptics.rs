//! `thenar bench haptics`: which couplings a device can render under each way to make a force, how true that force is, and how punctual the loop is
//! on this machine.

use super::Output;
use super::measure::hand;
use super::table::Table;
use crate::error::Error;
use crate::output;
use crate::progress::Progress;
use serde::Serialize;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use thenar::hand::HandModel;
use thenar::haptics::DeviceCoupling;
use thenar_devices::haptics::Grip;
use thenar_devices::haptics::fidelity::{Fidelity, fidelity};
use thenar_devices::haptics::measure::{BesideFigures, TickFigures, histogram_svg, measure, measure_beside};
use thenar_devices::haptics::trial::Rendering;
use thenar_devices::haptics::trial::zwidth::{Plane, svg, sweep};
use thenar_scene::assets::Assets;
use thenar_scene::library;
use thenar_scene::run::Simulation;

/// Elements of the hand.
const TETS: usize = 850;

/// Steps of the world per second.
const RATES: [f64; 3] = [20.0, 50.0, 90.0];
/// How long the loop is watched with nothing beside it, seconds at most.
const ALONE: f64 = 10.0;
/// The scene that is simulated beside it.
const SCENE: &str = "trajectory";

/// What is measured, and where the figures go.
#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    output: Output,

    /// How long the loop is watched beside a simulation, and on an empty workload, seconds each
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = seconds)]
    seconds: f64,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(value) if (0.5..=3600.0).contains(&value) => Ok(value),
        _ => Err("expected a number from 0.5 to 3600 seconds".to_owned()),
    }
}

/// Everything measured.
#[derive(Serialize)]
struct Figures {
    rows: Vec<Row>,
    fidelity: Vec<True>,
    ticks: Vec<Ticks>,
}

/// How true the force is in `trajectory`.
#[derive(Serialize)]
struct True {
    way: &'static str,
    visual_rate: f64,
    /// Of the force, over its root of the mean square, without impacts and with them.
    error: f64,
    with_impacts: f64,
    /// Of the reference, N.
    force: f64,
}

/// One way to make a force at one visual rate.
#[derive(Serialize)]
struct Row {
    way: &'static str,
    visual_rate: f64,
    /// Couplings of the grid that are stable, and of how many.
    stable: usize,
    of: usize,
    /// The stiffest that is stable, as it is felt, N/m.
    stiffest: f64,
}

/// The loop.
#[derive(Serialize)]
struct Ticks {
    handles: usize,
    /// What runs beside it.
    beside: &'static str,
    seconds: f64,
    rate: f64,
    tick_us_median: f64,
    tick_us_p999: f64,
    /// To read a model into the caches before its tick.
    ahead_us_median: f64,
    ahead_us_p999: f64,
    late_fraction: f64,
    /// Steps of the world beside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    steps_per_s: Option<f64>,
}

pub fn run(options: &Options) -> Result<(), Error> {
    let output = &options.output;
    output.check()?;
    let progress = Progress::start("trying couplings");
    let mut rows = Vec::new();
    for rate in RATES {
        let planes = sweep(rate).map_err(Error::input)?;
        rows.extend(planes.iter().filter(|plane| plane.visual_rate < 1000.0 || rate == RATES[0]).map(row));
        output.draw(&format!("zwidth-{rate:.0}.svg"), || Ok(svg(&planes)))?;
    }
    progress.next("comparing");
    let hand = hand(TETS)?;
    let fidelity = compared(&hand)?;
    progress.next("ticking");
    let mut ticks = Vec::new();
    let mut histograms = Vec::new();
    let empty = measure(1, options.seconds, false, || {}).map_err(Error::input)?;
    ticks.push(Ticks::of(1, "nothing, and no model: an empty workload", options.seconds, &empty));
    let alone = options.seconds.min(ALONE);
    for handles in [1, 16] {
        let figures = measure(handles, alone, true, || {}).map_err(Error::input)?;
        ticks.push(Ticks::of(handles, "nothing", alone, &figures));
    }
    for (handles, grip) in [(1, Grip::Pen), (16, Grip::Glove)] {
        let BesideFigures { ticks: figures, steps_per_s, .. } = beside(&hand, grip, options.seconds)?;
        let row = Ticks::of(handles, SCENE, options.seconds, &figures);
        ticks.push(Ticks { steps_per_s: Some(steps_per_s), ..row });
        histograms.push((format!("{handles} handles beside {SCENE}"), figures.statistics.compute));
    }
    let bars: Vec<_> = histograms.iter().map(|(name, histogram)| (name.as_str(), histogram)).collect();
    output.draw("haptic-tick.svg", || Ok(histogram_svg("Time of a haptic tick", &bars)))?;
    drop(progress);
    let figures = Figures { rows, fidelity, ticks };
    if output.json { output::print_json(&figures) } else { output::print_text(&figures.to_string()) }
}

/// The loop beside its scene, which this thread simulates.
fn beside(hand: &Arc<HandModel>, grip: Grip, seconds: f64) -> Result<BesideFigures, Error> {
    let mut make = |length: Option<f64>| {
        let mut scene = library::scene(SCENE)?;
        scene.seconds = length.unwrap_or(scene.seconds);
        let mut assets = Assets::new(Path::new("."), 1, &|_, _| {});
        Simulation::new(&scene, &|_| Arc::clone(hand), &mut assets)
    };
    measure_beside(&mut make, grip, seconds).map_err(Error::input)
}

/// A hand on a prescribed path over a log, against everything at 1 kHz.
fn compared(hand: &Arc<HandModel>) -> Result<Vec<True>, Error> {
    let mut make = |step: f64| {
        let mut scene = library::scene(SCENE)?;
        scene.world.step = step;
        let mut assets = Assets::new(Path::new("."), 1, &|_, _| {});
        Simulation::new(&scene, &|_| Arc::clone(hand), &mut assets)
    };
    let ways = [&RATES.map(|rate| (Rendering::Linear, rate))[..], &[(Rendering::Full, 1000.0)]].concat();
    let rows = fidelity(&mut make, &ways, DeviceCoupling::default()).map_err(Error::input)?;
    let row = |Fidelity { way, visual_rate, error, with_impacts, force, .. }: Fidelity| True {
        way,
        visual_rate,
        error,
        with_impacts,
        force,
    };
    Ok(rows.into_iter().map(row).collect())
}

fn row(plane: &Plane) -> Row {
    Row {
        way: plane.name,
        visual_rate: plane.visual_rate,
        stable: plane.points.iter().filter(|point| point.stable).count(),
        of: plane.points.len(),
        stiffest: plane.stiffest(),
    }
}

impl Ticks {
    fn of(handles: usize, beside: &'static str, seconds: f64, figures: &TickFigures) -> Self {
        let TickFigures { rate, tick_us_median, tick_us_p999, ahead_us_median, ahead_us_p999, late_fraction, .. } =
            *figures;
        Ticks {
            handles,
            beside,
            seconds,
            rate,
            tick_us_median,
            tick_us_p999,
            ahead_us_median,
            ahead_us_p999,
            late_fraction,
            steps_per_s: None,
        }
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "A simulated person presses, touches and holds still; virtual time, so that every machine says the same.\n"
        )?;
        let mut table = Table::new(&["force by", "steps/s", "stable couplings", "stiffest felt, N/m"]);
        for row in &self.rows {
            table.row(vec![
                row.way.to_owned(),
                format!("{:.0}", row.visual_rate),
                format!("{} of {}", row.stable, row.of),
                format!("{:.0}", row.stiffest),
            ]);
        }
        writeln!(f, "{table}")?;
        let mut table = Table::new(&["force in trajectory by", "steps/s", "RMS error", "with impacts", "RMS force, N"]);
        for row in &self.fidelity {
            table.row(vec![
                row.way.to_owned(),
                format!("{:.0}", row.visual_rate),
                format!("{:.1} %", 100.0 * row.error),
                format!("{:.1} %", 100.0 * row.with_impacts),
                format!("{:.2}", row.force),
            ]);
        }
        writeln!(f, "{table}")?;
        let headings = [
            "haptic loop beside",
            "handles",
            "seconds",
            "ticks/s",
            "µs per tick, median",
            "99.9 %",
            "late by 0.3 ms",
            "µs reading ahead, median",
            "99.9 %",
            "steps/s",
        ];
        let mut table = Table::new(&headings);
        for ticks in &self.ticks {
            table.row(vec![
                ticks.beside.to_owned(),
                ticks.handles.to_string(),
                format!("{:.0}", ticks.seconds),
                format!("{:.2}", ticks.rate),
                format!("{:.1}", ticks.tick_us_median),
                format!("{:.1}", ticks.tick_us_p999),
                format!("{:.3} %", 100.0 * ticks.late_fraction),
                format!("{:.1}", ticks.ahead_us_median),
                format!("{:.1}", ticks.ahead_us_p999),
                ticks.steps_per_s.map_or(String::new(), |rate| format!("{rate:.0}")),
            ]);
        }
        write!(f, "{table}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thenar_devices::haptics::LoopStatistics;

    /// A contract with scripts that compare runs.
    #[test]
    fn json_has_the_promised_fields() {
        let row = Row { way: "linear model", visual_rate: 50.0, stable: 3, of: 4, stiffest: 100.0 };
        let figures = TickFigures::from(LoopStatistics::default());
        let ticks = Ticks { steps_per_s: Some(250.0), ..Ticks::of(16, SCENE, 60.0, &figures) };
        let fidelity = vec![True { way: "full", visual_rate: 1e3, error: 0.01, with_impacts: 0.02, force: 1.0 }];
        let json = serde_json::to_value(Figures { rows: vec![row], fidelity, ticks: vec![ticks] }).unwrap();
        assert!(json["fidelity"][0]["error"].is_number());
        assert!(json["rows"][0]["stiffest"].is_number());
        for field in ["rate", "tick_us_median", "tick_us_p999", "ahead_us_p999", "late_fraction", "steps_per_s"] {
            assert!(json["ticks"][0][field].is_number(), "{field}: {json}");
        }
    }
}
