//! A whole run and its verdict.

use std::ops::ControlFlow;
use std::sync::Arc;

use thenar::hand::{HandModel, Side};

use super::host::Host;
use super::measure::Probe;
use super::series::CheckOutcome;
use super::simulation::{RunError, Simulation};
use super::timing::{Timing, TimingSummary};
use crate::assets::Assets;
use crate::scene::{Scene, SceneError, Variation};

/// Which of a scene's runs this was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// The scene as written, or one of its cases.
    Scene,
    /// One of its variants, which must pass as well.
    Variant(String),
    /// One of its controls, in which certain checks must fail.
    Control(String),
}

/// What came of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Scene, variant or control.
    pub role: Role,
    /// All is as it must be: every check held, or, for a control, the checks failed that must fail.
    pub passed: bool,
    /// The checks in the order of the scene.
    pub checks: Vec<CheckOutcome>,
    /// Times, where a clock was given.
    pub timing: Option<TimingSummary>,
    /// Hash of the last state.
    pub hash: u64,
}

/// Runs a scene from start to end. `watch` sees the simulation after every step.
///
/// # Errors
/// If the scene cannot be set up or the engine refuses a step.
pub fn run(
    scene: &Scene,
    models: &dyn Fn(Side) -> Arc<HandModel>,
    assets: &mut Assets<'_>,
    host: Host,
    watch: &mut dyn FnMut(&Simulation),
) -> Result<Outcome, RunError> {
    run_to_end(scene, Simulation::new(scene, models, assets)?, host, &mut |simulation| {
        watch(simulation);
        ControlFlow::Continue(())
    })
}

/// Runs a scene that has been set up, perhaps with hands driven by something else than their scripts. `watch` sees the
/// simulation after every step and may end the run there; then checks are judged by what was seen.
///
/// # Errors
/// If the engine refuses a step.
pub fn run_to_end(
    scene: &Scene,
    mut simulation: Simulation,
    host: Host,
    watch: &mut dyn FnMut(&mut Simulation) -> ControlFlow<()>,
) -> Result<Outcome, RunError> {
    host.lend(simulation.world_mut());
    let mut probe = Probe::new(scene, &simulation);
    let mut timing = Timing::default();
    while let Some(report) = simulation.advance()? {
        timing.add(report);
        probe.read(&simulation);
        if watch(&mut simulation).is_break() {
            break;
        }
    }
    let checks = probe.outcomes(simulation.step());
    Ok(Outcome {
        role: Role::Scene,
        passed: checks.iter().all(|check| check.ok),
        checks,
        timing: host.clock.and(timing.summary()),
        hash: simulation.world().report().hash,
    })
}

/// Runs the variants and controls of a scene.
///
/// # Errors
/// If one of them cannot be set up or run.
pub fn run_variations(
    scene: &Scene,
    models: &dyn Fn(Side) -> Arc<HandModel>,
    assets: &mut Assets<'_>,
    host: Host,
) -> Result<Vec<Outcome>, RunError> {
    let mut outcomes = Vec::new();
    for (name, variant, _) in varied(scene, &scene.variants)? {
        let outcome = run(&variant, models, assets, host, &mut |_| {})?;
        outcomes.push(Outcome { role: Role::Variant(name), ..outcome });
    }
    for (name, control, fails) in varied(scene, &scene.controls)? {
        let outcome = run(&control, models, assets, host, &mut |_| {})?;
        let failed = |name: &String| outcome.checks.iter().any(|check| check.name == *name && !check.ok);
        let passed = fails.iter().all(failed);
        outcomes.push(Outcome { role: Role::Control(name), passed, ..outcome });
    }
    Ok(outcomes)
}

/// Name of the run, what is run, and the checks that must fail.
type Varied<'a> = (String, Scene, &'a [String]);

/// The scene, or those of its cases that each variation names, with the values of the variation.
fn varied<'a>(scene: &Scene, variations: &'a [Variation]) -> Result<Vec<Varied<'a>>, SceneError> {
    let mut all = Vec::new();
    for variation in variations {
        for (case, base) in scene.runs()? {
            let name = match case {
                Some(case) if !variation.cases.is_empty() && !variation.cases.contains(&case) => continue,
                Some(case) => format!("{}: {case}", variation.name),
                None => variation.name.clone(),
            };
            all.push((name, base.with(variation)?, variation.fails.as_slice()));
        }
    }
    Ok(all)
}
