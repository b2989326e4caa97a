//! Checks that say nothing about a run: they look beyond its end, or were written for a script that did not move the hand.

use serde::Serialize;
use thenar_scene::scene::{Check, Measure, Scene};

/// A check that is not judged; for programs its name alone.
#[derive(Clone, Serialize)]
#[serde(transparent)]
pub struct NotJudged {
    pub name: String,
    /// For people.
    #[serde(skip)]
    pub why: &'static str,
}

/// Takes out the checks that look beyond a length, and names them.
pub fn take_checks_beyond(scene: &mut Scene, seconds: f64) -> Vec<NotJudged> {
    let fits = |check: &Check| [check.at, check.from, check.to].into_iter().flatten().all(|time| time <= seconds);
    take(scene, fits, "it looks beyond the end of this run")
}

/// Takes out the checks of what a device moves or feels, and names them: whoever holds it does something else than the script.
pub fn take_checks_of_script(scene: &mut Scene) -> Vec<NotJudged> {
    take(scene, holds_for_every_motion, "it was written for the script, and a device leads")
}

/// True for bounds that no motion excuses: of joints that come apart, tissue turned inside out, skin inside objects, steps taken back.
fn holds_for_every_motion(check: &Check) -> bool {
    match check.measure {
        Measure::JointDrift | Measure::Depth | Measure::Recoveries | Measure::Residual => check.min.is_none(),
        Measure::LeastDetF => check.max.is_none(),
        _ => false,
    }
}

fn take(scene: &mut Scene, keeps: impl Fn(&Check) -> bool, why: &'static str) -> Vec<NotJudged> {
    let (kept, taken): (Vec<Check>, Vec<Check>) = scene.checks.drain(..).partition(keeps);
    scene.checks = kept;
    if !taken.is_empty() {
        // They name checks that are gone, and are not run here.
        scene.variants.clear();
        scene.controls.clear();
    }
    taken.into_iter().map(|check| NotJudged { name: check.name, why }).collect()
}
