//! `thenar replay`: simulates a recording again and compares every step.

use super::run::hands::Hands;
use crate::error::Error;
use crate::output;
use crate::progress::Progress;
use serde::Serialize;
use std::fmt;
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use thenar::hand::Preset;
use thenar::math::Kernels;
use thenar_scene::assets::Assets;
use thenar_scene::recording::{End, Recording, Replay, Replayed, replay};

/// Simulate a recording again and compare every step
///
/// The recording holds the scene, the measures of the hand and every tracked frame; the hash of the state after each
/// step must be the same again.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  thenar run ball --record ball.mcap      make a recording
  thenar replay ball.mcap                 identical, 4750 steps
  thenar replay ball.mcap --json          the same for a script

A file that was cut, as by a crash or a full disk, is replayed up to its last whole chunk; what is missing is told.

Exit code 1: a step differs, and the first one is named; or the file is not whole.")]
pub struct Arguments {
    /// A recording made by `thenar run --record`
    #[arg(value_name = "FILE.mcap")]
    file: PathBuf,

    /// Machine kernels instead of the recorded ones: portable or auto
    #[arg(long, value_name = "WHICH", value_parser = ["auto", "portable"])]
    kernels: Option<String>,

    /// Print the figures as one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct ReplayResult {
    scene: String,
    /// Every step that the file holds came out the same.
    identical: bool,
    /// The file is as it was finished; a cut one is not.
    whole: bool,
    steps: u64,
    /// Steps of the scene from start to end.
    scene_steps: u64,
    first_difference: Option<Difference>,
    apart_m: f64,
    recorded: Origin,
    replayed: Origin,
}

#[derive(Serialize)]
struct Difference {
    step: u64,
    recorded: String,
    found: String,
}

#[derive(Serialize, PartialEq)]
struct Origin {
    version: String,
    kernels: String,
}

/// Replays the recording; true if it is whole and identical.
pub fn run(arguments: &Arguments) -> Result<bool, Error> {
    let path = &arguments.file;
    let bytes = fs::read(path).map_err(Error::read(path))?;
    let recording = Recording::read(&bytes).map_err(Error::read(path))?;
    drop(bytes);
    let measures: Preset = recording.measures.parse().map_err(Error::read(path))?;
    let progress = Progress::start("building the hand");
    let hands = Hands::build(&recording.scene, measures, Some(recording.tets), None)?;
    progress.next("simulating");
    let quiet = |_: usize, _: usize| {};
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    // Everything is in the recording; nothing is looked for elsewhere.
    let mut assets = Assets::new(Path::new(""), threads, &quiet).with_files(recording.files.clone());
    let kernels = arguments.kernels.as_deref().map(|name| match name {
        "portable" => Kernels::portable(),
        _ => Kernels::auto(),
    });
    let outcome = replay(&recording, &|side| hands.of(side), &mut assets, kernels, &mut |_| {});
    drop(progress);
    let result = ReplayResult::new(&recording, &outcome.map_err(Error::read(path))?);
    if arguments.json {
        output::print_json(&result)?;
    } else {
        output::print_text(&result.to_string())?;
    }
    Ok(result.identical && result.whole)
}

/// A new file, written through a buffer.
pub fn open_buffered(path: &Path) -> Result<BufWriter<File>, Error> {
    File::create(path).map(BufWriter::new).map_err(Error::write(path))
}

impl ReplayResult {
    fn new(recording: &Recording, outcome: &Replay) -> ReplayResult {
        let first_difference = match outcome.verdict {
            Replayed::Identical | Replayed::Over { .. } => None,
            Replayed::Differs { step, recorded, found } => {
                Some(Difference { step, recorded: format!("{recorded:016x}"), found: format!("{found:016x}") })
            }
        };
        let replayed = Origin { version: env!("CARGO_PKG_VERSION").to_owned(), kernels: outcome.kernels.to_owned() };
        ReplayResult {
            scene: recording.scene.name.clone(),
            identical: outcome.verdict == Replayed::Identical,
            whole: recording.end == End::Whole,
            steps: outcome.steps,
            scene_steps: recording.scene_steps(),
            first_difference,
            apart_m: outcome.apart,
            recorded: Origin { version: recording.version.clone(), kernels: recording.kernels.clone() },
            replayed,
        }
    }
}

impl ReplayResult {
    fn tell_without_difference(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (steps, all) = (self.steps, self.scene_steps);
        let missing = all.saturating_sub(steps);
        match (self.identical, self.whole) {
            (true, true) if missing == 0 => write!(f, "identical, {steps} steps"),
            (true, true) => write!(f, "identical, {steps} steps (the run was stopped before the {all} of its scene)"),
            (true, false) => write!(
                f,
                "INCOMPLETE: the file is cut. The {steps} steps that it holds are identical; {missing} of the {all} steps \
                 of its scene are missing"
            ),
            (false, _) => write!(f, "DIFFERENT: the scene is over after {steps} steps, before the recording"),
        }
    }
}

impl fmt::Display for ReplayResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = &self.first_difference else { return self.tell_without_difference(f) };
        if !self.whole {
            writeln!(f, "the file is cut: it holds {} of the {} steps of its scene", self.steps, self.scene_steps)?;
        }
        write!(
            f,
            "step {} differs: recorded {}, now {}; palms and objects come apart by {:.3e} m at most in {} steps",
            first.step, first.recorded, first.found, self.apart_m, self.steps
        )?;
        if self.recorded != self.replayed {
            let told = |origin: &Origin| format!("version {} with {} kernels", origin.version, origin.kernels);
            write!(f, "\nrecorded by {}, replayed by {}", told(&self.recorded), told(&self.replayed))?;
        }
        Ok(())
    }
}
