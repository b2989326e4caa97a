//! `thenar bench limits`: what tissue without limits, with an energy limit [CLAP eqs. 8–10] and with hard ones [Perez] costs and becomes, in the
//! same scenes.

use super::Output;
use super::measure::hand;
use super::perez::{median, start};
use super::table::Table;
use crate::error::Error;
use crate::output;
use crate::progress::Progress;
use serde::Serialize;
use std::fmt;
use std::sync::Arc;
use thenar::hand::{HandModel, HandOptions};
use thenar_scene::library;
use thenar_scene::run::{JointRegion, extremes};

/// A grasp that hardly needs limits, and scenes that do.
const SCENES: [&str; 5] = ["ball", "lift-strong", "press", "finger", "bend"];

/// Limits, by their words in `[world] set`.
const STRAINS: [&str; 3] = ["none", "energy", "hard"];

/// Runs of each; they take turns, and the least median counts.
const REPEATS: usize = 3;

/// Tissue that a scene begins with may still settle: not counted, s.
const SETTLING: f64 = 0.1;

/// One scene with one limit.
#[derive(Clone, Serialize)]
struct Row {
    scene: &'static str,
    strain: &'static str,
    /// Median of a step, all of it.
    step_ms: f64,
    /// Mean, in which steps with many limits count.
    mean_ms: f64,
    least_det: f64,
    least_stretch: f64,
    greatest_stretch: f64,
    /// Least volume of the tissue around the joints, over that at rest.
    joint_volume: f64,
    /// The greatest normal force of the hand on objects, N, and its area at that moment.
    force: f64,
    area_mm2: f64,
    /// Steps in which some limit was on, share.
    limited: f64,
}

#[derive(Serialize)]
struct Figures {
    tets: usize,
    rows: Vec<Row>,
    /// Mean time of `ball` with hard limits over that with the energy limit.
    hard_over_energy: f64,
}

pub fn run(output: &Output) -> Result<(), Error> {
    output.check()?;
    let progress = Progress::start("measuring");
    let hand = hand(HandOptions::default().tissue.tets)?;
    let mut rows: Vec<Row> = Vec::new();
    for scene in SCENES {
        let mut best: [Option<Row>; STRAINS.len()] = Default::default();
        for _ in 0..REPEATS {
            for (best, strain) in best.iter_mut().zip(STRAINS) {
                let row = measure(&hand, scene, strain)?;
                let quickest = best.take().filter(|other| other.mean_ms <= row.mean_ms);
                *best = Some(quickest.unwrap_or(row));
            }
        }
        rows.extend(best.into_iter().flatten());
    }
    let of = |strain: &str| rows.iter().find(|row| row.scene == "ball" && row.strain == strain).map(|row| row.mean_ms);
    let hard_over_energy = of("hard").zip(of("energy")).map_or(f64::NAN, |(hard, energy)| hard / energy);
    let figures = Figures { tets: hand.report().tets, rows, hard_over_energy };
    drop(progress);
    if output.json { output::print_json(&figures) } else { output::print_text(&figures.to_string()) }
}

fn measure(hand: &Arc<HandModel>, name: &'static str, strain: &'static str) -> Result<Row, Error> {
    let mut scene = library::scene(name).map_err(Error::input)?;
    scene.world.set.insert("strain".to_owned(), strain.into());
    let mut simulation = start(&scene, hand)?;
    let region = JointRegion::of(hand);
    let (mut times, mut limited) = (Vec::new(), 0);
    let mut row = Row {
        scene: name,
        strain,
        step_ms: 0.0,
        mean_ms: 0.0,
        least_det: f64::INFINITY,
        least_stretch: f64::INFINITY,
        greatest_stretch: 0.0,
        joint_volume: f64::INFINITY,
        force: 0.0,
        area_mm2: 0.0,
        limited: 0.0,
    };
    while let Some(report) = simulation.advance().map_err(Error::input)?.copied() {
        times.push(report.stage_ns.iter().sum::<u64>() as f64 * 1e-6);
        limited += usize::from(report.limits > 0);
        if report.time < SETTLING {
            continue;
        }
        let world = simulation.world();
        let [least, greatest] = extremes(world);
        row.least_det = row.least_det.min(report.min_det);
        row.least_stretch = row.least_stretch.min(least);
        row.greatest_stretch = row.greatest_stretch.max(greatest);
        for (driven, state) in simulation.hands().iter().zip(&world.state().softs) {
            row.joint_volume = row.joint_volume.min(region.volume(hand, &state.nodes));
            let out = world.hand(driven.id);
            let contacts = || out.contacts.iter().filter(|c| c.object().is_some() && c.pressure > 0.0);
            let force: f64 = contacts().map(|c| c.force.dot(c.normal)).sum();
            if force > row.force {
                row.force = force;
                row.area_mm2 = 1e6 * contacts().map(|c| c.force.dot(c.normal) / c.pressure).sum::<f64>();
            }
        }
    }
    row.mean_ms = times.iter().sum::<f64>() / times.len() as f64;
    row.limited = limited as f64 / times.len() as f64;
    row.step_ms = median(times);
    Ok(row)
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} tetrahedra; the worst of each scene after {SETTLING} s, one thread.\n", self.tets)?;
        let mut table =
            Table::new(&["scene", "limit", "ms", "mean ms", "limited", "det F", "stretch", "joints", "N", "mm²"]);
        for row in &self.rows {
            table.row(vec![
                row.scene.to_owned(),
                row.strain.to_owned(),
                format!("{:.2}", row.step_ms),
                format!("{:.2}", row.mean_ms),
                format!("{:.0} %", 100.0 * row.limited),
                format!("{:.2}", row.least_det),
                format!("{:.2}–{:.2}", row.least_stretch, row.greatest_stretch),
                format!("{:.3}", row.joint_volume),
                format!("{:.1}", row.force),
                format!("{:.0}", row.area_mm2),
            ]);
        }
        writeln!(f, "{table}")?;
        write!(f, "a step of ball with hard limits takes {:.2} times that with the energy limit", self.hard_over_energy)
    }
}
