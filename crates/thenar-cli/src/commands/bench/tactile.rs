//! `thenar bench tactile`: what touch on a fingertip costs, and how well the disc fits [Perez §IV].

use super::Output;
use super::chart::{Axis, Chart, Series};
use super::measure::hand;
use super::table::Table;
use crate::commands::run::nanoseconds;
use crate::error::Error;
use crate::output;
use crate::progress::Progress;
use serde::Serialize;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use thenar::hand::{Digit, HandModel};
use thenar::tactile::FingerTouch;
use thenar_scene::assets::Assets;
use thenar_scene::library;
use thenar_scene::run::{Host, Simulation};

/// Scenes that are measured: three fingers on a rigid thing, all on a soft one, fingers on each other.
const SCENES: [(&str, &str); 3] =
    [("rotate", "three fingers turn a knob"), ("soft-ball", "a soft ball"), ("self", "fingers on each other")];

/// Elements of the hand.
const TETS: usize = 850;

/// Everything measured; the first three are those of the first scene.
#[derive(Serialize)]
struct Figures {
    finger_us_median: f64,
    finger_us_p99: f64,
    residual_mm: f64,
    samples: usize,
    scenes: Vec<Row>,
}

/// One scene.
#[derive(Serialize)]
struct Row {
    scene: &'static str,
    what: &'static str,
    steps: usize,
    fingers_median: f64,
    finger_us_median: f64,
    finger_us_p99: f64,
    residual_mm: f64,
}

/// What the discs of three fingers did.
#[derive(Default)]
struct Course {
    displacement: [Vec<(f64, f64)>; 3],
    pitch: [Vec<(f64, f64)>; 3],
    roll: [Vec<(f64, f64)>; 3],
}

pub fn run(output: &Output) -> Result<(), Error> {
    output.check()?;
    let progress = Progress::start("building the hand");
    let hand = hand(TETS)?;
    progress.next("touching");
    let mut rows = Vec::new();
    let mut course = Course::default();
    for (k, (scene, what)) in SCENES.into_iter().enumerate() {
        let mut first = Course::default();
        rows.push(measure(scene, what, &hand, &mut first)?);
        if k == 0 {
            course = first;
        }
    }
    for (name, unit, series) in [
        ("displacement", "mm", &course.displacement),
        ("pitch", "degrees", &course.pitch),
        ("roll", "degrees", &course.roll),
    ] {
        output.draw(&format!("tactile-{name}.svg"), || Ok(chart(name, unit, series)))?;
    }
    drop(progress);
    let figures = Figures {
        finger_us_median: rows[0].finger_us_median,
        finger_us_p99: rows[0].finger_us_p99,
        residual_mm: rows[0].residual_mm,
        samples: hand.pads[Digit::Index.index()].len(),
        scenes: rows,
    };
    if output.json { output::print_json(&figures) } else { output::print_text(&figures.to_string()) }
}

fn measure(name: &'static str, what: &'static str, hand: &Arc<HandModel>, course: &mut Course) -> Result<Row, Error> {
    let mut scene = library::scene(name).map_err(Error::input)?;
    scene.tactile.get_or_insert_default();
    let mut assets = Assets::new(Path::new("."), 1, &|_, _| {});
    let mirrored = Arc::new(hand.mirrored());
    let model = |side| if side == hand.side { Arc::clone(hand) } else { Arc::clone(&mirrored) };
    let mut simulation = Simulation::new(&scene, &model, &mut assets).map_err(Error::input)?;
    Host { clock: Some(nanoseconds), threads: 1 }.lend(simulation.world_mut());
    let (mut times, mut counts, mut residuals) = (Vec::new(), Vec::new(), Vec::new());
    while simulation.advance().map_err(Error::input)?.is_some() {
        let world = simulation.world();
        let fingers = || simulation.hands().iter().flat_map(|hand| &world.hand(hand.id).tactile);
        // the whole cost falls on those that see something
        let sees = |finger: &&FingerTouch| finger.samples.iter().any(|sample| sample.gap.is_finite());
        let seeing = fingers().filter(sees).count();
        if seeing > 0 && fingers().any(|finger| finger.touching > 0) {
            times.push(world.report().tactile_ns as f64 * 1e-3 / seeing as f64);
            counts.push(seeing as f64);
            residuals.extend(fingers().filter(|finger| finger.touching > 0).map(|finger| finger.residual * 1e3));
        }
        for (k, finger) in fingers().take(3).enumerate() {
            let time = simulation.time();
            course.displacement[k].push((time, finger.disc.displacement * 1e3));
            course.pitch[k].push((time, finger.disc.pitch.to_degrees()));
            course.roll[k].push((time, finger.disc.roll.to_degrees()));
        }
    }
    Ok(Row {
        scene: name,
        what,
        steps: times.len(),
        fingers_median: quantile(&mut counts, 0.5),
        finger_us_median: quantile(&mut times, 0.5),
        finger_us_p99: quantile(&mut times, 0.99),
        residual_mm: residuals.iter().sum::<f64>() / residuals.len().max(1) as f64,
    })
}

/// The value below which that share of them lies; 0 if there are none.
fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = (share * values.len().saturating_sub(1) as f64).round() as usize;
    values.get(at).copied().unwrap_or(0.0)
}

fn chart(name: &str, unit: &str, series: &[Vec<(f64, f64)>; 3]) -> String {
    let colours = ["#c2452d", "#2d6fc2", "#3f8f4e"];
    let lines = Digit::ALL.into_iter().zip(colours).zip(series);
    Chart {
        title: format!("{name} of the discs while three fingers turn a knob"),
        caption: "as told to the device: matched to the surface, no faster than device and finger allow".to_owned(),
        x: Axis { label: "simulated time, s".to_owned(), logarithmic: false },
        y: Axis { label: unit.to_owned(), logarithmic: false },
        series: lines
            .map(|((digit, colour), points)| Series {
                name: digit.name().to_owned(),
                colour,
                points: points.clone(),
                marks: false,
            })
            .collect(),
        bands: Vec::new(),
    }
    .svg()
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} samples on each fingertip; a disc matched to what they touch; one thread; µs per finger.\n",
            self.samples
        )?;
        let mut table = Table::new(&["scene", "fingers", "median", "99 of 100 under", "residual, mm", "Perez"]);
        for row in &self.scenes {
            table.row(vec![
                format!("{}: {}", row.scene, row.what),
                format!("{:.0}", row.fingers_median),
                format!("{:.1}", row.finger_us_median),
                format!("{:.1}", row.finger_us_p99),
                format!("{:.3}", row.residual_mm),
                "about 1000".to_owned(),
            ]);
        }
        write!(f, "{table}")?;
        write!(
            f,
            "Perez: Perez et al. 2016, §IV, about 100 samples, Intel Core i7-2600. Fingers: those near something."
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A contract with scripts that compare runs.
    #[test]
    fn json_has_the_promised_fields() {
        let figures =
            Figures { finger_us_median: 8.0, finger_us_p99: 12.0, residual_mm: 0.05, samples: 100, scenes: Vec::new() };
        let json = serde_json::to_value(&figures).unwrap();
        for field in ["finger_us_median", "finger_us_p99", "residual_mm"] {
            assert!(json[field].is_number(), "{field}: {json}");
        }
    }

    #[test]
    fn quantiles_are_those_of_the_sorted_values() {
        let mut values = [3.0, 1.0, 2.0];
        assert_eq!((quantile(&mut values, 0.5), quantile(&mut values, 0.99), quantile(&mut [], 0.5)), (2.0, 3.0, 0.0));
    }
}
