//! Simulating a recording again and comparing every step.

use std::collections::VecDeque;
use std::sync::Arc;

use thenar::hand::{HandModel, Side, Skeleton};
use thenar::math::Kernels;
use thenar::tracking::TrackerFrame;

use super::message::FedFrame;
use super::write::step_record;
use super::{Recording, StepRecord};
use crate::assets::Assets;
use crate::run::{FrameSource, RunError, Simulation};

/// What came of a replay.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// Number of steps compared.
    pub steps: u64,
    /// The verdict.
    pub verdict: Replayed,
    /// Machine kernels of the replay.
    pub kernels: &'static str,
    /// Greatest distance of a palm or object from where it was recorded, over all steps, metres.
    pub apart: f64,
}

/// Whether a replay equals its recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replayed {
    /// Every hash is the same.
    Identical,
    /// Some are not.
    Differs {
        /// The first step that differs, from 1.
        step: u64,
        /// The recorded hash.
        recorded: u64,
        /// The hash of the replay.
        found: u64,
    },
    /// The scene is over before the recording: it is not the scene that was recorded.
    Over {
        /// Steps that were recorded.
        recorded: u64,
    },
}

/// Why a recording could not be replayed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The machine lacks the kernels.
    #[error(
        "recorded with the kernels `{0}`, which this machine does not have: the same bits cannot come out here. \
         `--kernels portable` replays it nevertheless and says how far apart the two runs are; recordings made with \
         `thenar run --kernels portable` can be verified on every machine"
    )]
    Kernels(String),
    /// The scene could not be set up or run.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// Simulates a recording again. `models` gives the hands it names, `kernels` replaces the machine kernels it names, `watch`
/// sees the simulation after every step.
///
/// # Errors
/// If the machine lacks the recorded kernels, or the scene cannot be set up.
pub fn replay(
    recording: &Recording,
    models: &dyn Fn(Side) -> Arc<HandModel>,
    assets: &mut Assets<'_>,
    kernels: Option<Kernels>,
    watch: &mut dyn FnMut(&Simulation),
) -> Result<Replay, ReplayError> {
    let known = [Kernels::auto(), Kernels::portable()].into_iter().find(|known| known.name() == recording.kernels);
    let kernels = kernels.or(known).ok_or_else(|| ReplayError::Kernels(recording.kernels.clone()))?;
    let mut scene = recording.scene.clone();
    let choice = if kernels == Kernels::portable() { "portable" } else { "auto" };
    scene.world.set.insert("kernels".to_owned(), choice.into());
    let mut simulation = Simulation::new(&scene, models, assets)?;
    for (hand, frames) in recording.hands.iter().enumerate() {
        simulation.drive(hand, Box::new(Fed(frames.iter().cloned().collect())));
    }
    let mut outcome = Replay { steps: 0, verdict: Replayed::Identical, kernels: kernels.name(), apart: 0.0 };
    for recorded in &recording.steps {
        if simulation.advance().map_err(RunError::from)?.is_none() {
            outcome.verdict = match outcome.verdict {
                Replayed::Identical => Replayed::Over { recorded: recording.steps.len() as u64 },
                verdict => verdict,
            };
            break;
        }
        watch(&simulation);
        let found = step_record(&simulation);
        outcome.steps += 1;
        outcome.apart = outcome.apart.max(distance(recorded, &found));
        if found.hash != recorded.hash && outcome.verdict == Replayed::Identical {
            outcome.verdict = Replayed::Differs { step: recorded.step, recorded: recorded.hash, found: found.hash };
        }
    }
    Ok(outcome)
}

fn distance(a: &StepRecord, b: &StepRecord) -> f64 {
    let pairs = a.palms.iter().zip(&b.palms).chain(a.objects.iter().zip(&b.objects));
    pairs.map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

/// Recorded frames, each fed at its step.
struct Fed(VecDeque<FedFrame>);

impl FrameSource for Fed {
    fn frame(&mut self, step: u64, _time: f64, _skeleton: &Skeleton) -> Option<TrackerFrame> {
        let due = self.0.front().is_some_and(|next| next.step == step);
        if due { self.0.pop_front().map(|fed| fed.frame) } else { None }
    }
}
