//! One scene timed over a part of it.

use crate::commands::run::nanoseconds;
use crate::error::Error;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use thenar::hand::{HandModel, HandOptions, TissueOptions};
use thenar::world::StepReport;
use thenar_scene::assets::Assets;
use thenar_scene::library;
use thenar_scene::run::{Host, Simulation, Timing, TimingSummary};
use thenar_scene::scene::Scene;

/// The scene that is measured.
const SCENE: &str = "ball";

/// From the fingers' closing, through lift and squeeze, until the ball is put back: seconds of the scene.
pub const GRASP: Range<f64> = 2.0..5.0;

/// How far the fingers close while the ball is held: all the time as firmly as in the scene's squeeze, so that more than
/// a hundred of the vertices that feel contact touch it.
const FIRM: f64 = 1.05;

/// The grasp at a step length, up to its end.
pub fn grasp_scene(dt: f64, end: f64) -> Result<Scene, Error> {
    let mut scene = library::scene(SCENE).map_err(Error::input)?;
    scene.world.step = dt;
    scene.seconds = end;
    for key in scene.hands.iter_mut().flat_map(|hand| &mut hand.keys) {
        if GRASP.contains(&key.at) || key.at == GRASP.end {
            key.amount = key.amount.map(|amount| amount.max(FIRM));
        }
    }
    Ok(scene)
}

/// An adult's right hand with about that many elements and the usual skin.
pub fn hand(tets: usize) -> Result<Arc<HandModel>, Error> {
    let options = HandOptions { tissue: TissueOptions { tets, ..TissueOptions::default() }, ..HandOptions::default() };
    HandModel::build(&options).map(Arc::new).map_err(Error::input)
}

/// Runs a scene from its start; `watch` sees the report of every step.
pub fn simulate(
    scene: &Scene,
    hand: &Arc<HandModel>,
    threads: usize,
    mut watch: impl FnMut(&StepReport),
) -> Result<(), Error> {
    let quiet = |_: usize, _: usize| {};
    let mut assets = Assets::new(Path::new("."), threads, &quiet);
    let mut simulation = Simulation::new(scene, &|_| Arc::clone(hand), &mut assets).map_err(Error::input)?;
    Host { clock: Some(nanoseconds), threads }.lend(simulation.world_mut());
    while let Some(report) = simulation.advance().map_err(Error::input)? {
        watch(report);
    }
    Ok(())
}

/// The times of the steps that lie in a window of a scene.
pub fn measure(
    scene: &Scene,
    hand: &Arc<HandModel>,
    threads: usize,
    window: &Range<f64>,
) -> Result<TimingSummary, Error> {
    let mut timing = Timing::default();
    simulate(scene, hand, threads, |report| {
        if window.contains(&report.time) {
            timing.add(report);
        }
    })?;
    timing.summary().ok_or_else(|| Error::input("no step of the scene lies in the measured part"))
}

/// Memory of this process that is resident now, MB; `None` where the system does not tell.
pub fn resident_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes / 1024.0)
}
