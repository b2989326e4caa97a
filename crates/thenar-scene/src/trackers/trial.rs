//! A whole recording over a table.

use std::path::Path;
use std::sync::Arc;

use thenar::contact::ContactMethod;
use thenar::hand::{HandModel, Side};

use super::{Quality, QualityProbe, RecordedHand, TrackRecording, table_height, table_scene};
use crate::assets::Assets;
use crate::run::{RunError, Simulation};
use crate::scene::Tracking;

/// How to try a recording.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrialOptions {
    /// The table is as high as the lowest skin in this share of the tracked hands.
    pub share: f64,
    /// Time step, seconds.
    pub step: f64,
    /// How bones follow the tracker.
    pub tracking: Tracking,
    /// How contact is resolved.
    pub contact: ContactMethod,
}

impl Default for TrialOptions {
    fn default() -> Self {
        TrialOptions { share: 0.35, step: 0.004, tracking: Tracking::Elastic, contact: ContactMethod::Penalty }
    }
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// Height of the table, metres.
    pub height: f64,
    /// Number of steps.
    pub steps: u64,
    /// Figures by hand.
    pub hands: Vec<(Side, Quality)>,
}

/// Drives hands by the whole recording over a table placed by its heights. `watch` sees the simulation after every step.
///
/// # Errors
/// If a hand cannot be simulated.
pub fn over_table(
    recording: &Arc<TrackRecording>,
    options: TrialOptions,
    models: &dyn Fn(Side) -> Arc<HandModel>,
    watch: &mut dyn FnMut(&Simulation),
) -> Result<Trial, RunError> {
    let height = table_height(recording, &models(Side::Right).skeleton, options.share);
    let mut scene = table_scene(recording, height, options.step)?;
    scene.world.tracking = options.tracking;
    let (contact, _) =
        ContactMethod::ALL.iter().find(|(_, method)| *method == options.contact).unwrap_or(&ContactMethod::ALL[0]);
    scene.world.set.insert("contact".to_owned(), (*contact).into());
    let quiet = |_: usize, _: usize| {};
    let mut simulation = Simulation::new(&scene, models, &mut Assets::new(Path::new(""), 1, &quiet))?;
    let sides = recording.sides();
    let mut probes = Vec::new();
    for (hand, side) in sides.iter().enumerate() {
        simulation.drive(hand, Box::new(RecordedHand::new(Arc::clone(recording), *side)));
        probes.push(QualityProbe::new(recording, hand, *side));
    }
    while simulation.advance()?.is_some() {
        probes.iter_mut().for_each(|probe| probe.watch(&simulation));
        watch(&simulation);
    }
    let hands = sides.into_iter().zip(&probes).map(|(side, probe)| (side, probe.quality())).collect();
    Ok(Trial { height, steps: simulation.steps(), hands })
}
