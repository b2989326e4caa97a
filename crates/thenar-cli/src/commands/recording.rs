//! `thenar recording`: tries a tracker's recording over a table.

use super::run::hands::Hands;
use crate::error::Error;
use crate::output;
use crate::progress::Progress;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::Serialize;
use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use thenar::contact::ContactMethod;
use thenar::hand::{Anatomy, Preset, Side, TissueOptions};
use thenar_scene::run::Simulation;
use thenar_scene::scene::Tracking;
use thenar_scene::trackers::{TrackRecording, Trial, TrialOptions, fitted_anatomy, over_table, read_recording};

/// Share of the tracked frames that must touch the table.
const ENOUGH: f64 = 0.2;

/// Drive hands by a tracker's recording over a table
///
/// The table is placed by the heights of the recording, the hands take the measures of the person in it. Prints how often
/// they touch, how far the simulated joints are from the recorded ones, how much both tremble, and whether tissue stayed right side out.
#[derive(clap::Args)]
#[command(
    allow_negative_numbers = true,
    after_help = "\
Examples:
  thenar recording session.json                   figures of each hand
  thenar recording session.json --tracking direct the same without elastic tracking
  thenar recording session.json --contact point   the same with hard contact

Exit code 1: less than 20 % of the tracked frames touched, a step had to be rolled back, or an element of the tissue turned inside out."
)]
pub struct Arguments {
    /// handrec-1, WebXR, Leap Motion, MediaPipe, glove table or MCAP
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Share of the tracked frames in which the lowest skin is below the table
    #[arg(long, value_name = "SHARE", default_value_t = TrialOptions::default().share)]
    share: f64,

    /// Measures of the hands instead of the person's
    #[arg(long, value_name = "PRESET", value_parser = super::hand::preset_parser())]
    hand: Option<Preset>,

    /// Number of tetrahedra of a hand
    #[arg(long, value_name = "N", default_value_t = 850, value_parser = super::hand::tets)]
    tets: usize,

    /// Time step
    #[arg(long, value_name = "S", default_value_t = TrialOptions::default().step)]
    dt: f64,

    /// How bones follow the tracker
    #[arg(long, value_name = "MODE", value_parser = ["elastic", "direct"], default_value = "elastic")]
    tracking: String,

    /// How skin contact is resolved
    #[arg(long, value_name = "METHOD", value_parser = contact_parser(), default_value = "penalty")]
    contact: ContactMethod,

    /// Print the figures as one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct RecordingResult {
    file: String,
    format: &'static str,
    frames: usize,
    seconds: f64,
    hand_length_mm: f64,
    table_m: f64,
    steps: u64,
    /// The least determinant of the deformation of an element: below zero it is inside out.
    least_det: f64,
    hands: Vec<HandResult>,
    /// What is wrong with it; nothing if it passed.
    faults: Vec<String>,
    passed: bool,
}

#[derive(Serialize)]
struct HandResult {
    side: &'static str,
    tracked: usize,
    touching_share: f64,
    recoveries: usize,
    joint_error_mm: JointError,
    jitter_mm: Pair,
    peak_force_n: f64,
    peak_mean_force_n: f64,
    seating_force_n: f64,
}

#[derive(Serialize)]
struct JointError {
    fed: f64,
    simulated: f64,
    free_of_contact: Option<f64>,
}

#[derive(Serialize)]
struct Pair {
    before: f64,
    after: f64,
}

/// The words of contact methods.
fn contact_parser() -> impl TypedValueParser<Value = ContactMethod> {
    PossibleValuesParser::new(ContactMethod::ALL.map(|(name, _)| name)).map(|word| {
        ContactMethod::ALL.iter().find(|(name, _)| *name == word).map_or(ContactMethod::Penalty, |(_, method)| *method)
    })
}

/// Tries the recording; true if it touched enough, nothing was rolled back and no tissue turned inside out.
pub fn run(arguments: &Arguments) -> Result<bool, Error> {
    if !(0.0..=1.0).contains(&arguments.share) {
        return Err(Error::input(format!("--share {}: expected a share between 0 and 1", arguments.share)));
    }
    if !(1e-5..=0.05).contains(&arguments.dt) {
        return Err(Error::input(format!("--dt {}: expected a time step from 0.00001 to 0.05 s", arguments.dt)));
    }
    let path = &arguments.file;
    let bytes = fs::read(path).map_err(Error::read(path))?;
    let recording = read_recording(&bytes, &path.to_string_lossy()).map_err(Error::input)?;
    drop(bytes);
    let progress = Progress::start("building the hand");
    let anatomy = arguments.anatomy(&recording);
    let tissue = TissueOptions { tets: arguments.tets, ..TissueOptions::default() };
    let hands = Hands::of_anatomy(anatomy.clone(), recording.sides().contains(&Side::Left), tissue)?;
    progress.next("simulating");
    let recording = Arc::new(recording);
    let tracking = if arguments.tracking == "direct" { Tracking::Direct } else { Tracking::Elastic };
    let options = TrialOptions { share: arguments.share, step: arguments.dt, tracking, contact: arguments.contact };
    let mut least_det = f64::INFINITY;
    let mut watch = |simulation: &Simulation| least_det = least_det.min(simulation.world().report().min_det);
    let trial = over_table(&recording, options, &|side| hands.of(side), &mut watch).map_err(Error::input)?;
    drop(progress);
    let result = RecordingResult::new(&path.to_string_lossy(), &recording, &anatomy, &trial, least_det);
    if arguments.json {
        output::print_json(&result)?;
    } else {
        output::print_text(&result.to_string())?;
    }
    Ok(result.passed)
}

impl Arguments {
    /// A right hand with the measures asked for, else with those of the person's hand that was tracked more.
    fn anatomy(&self, recording: &TrackRecording) -> Anatomy {
        let preset = Anatomy::preset(self.hand.unwrap_or(Preset::Adult), Side::Right);
        if self.hand.is_some() {
            return preset;
        }
        let more = recording.sides().into_iter().max_by_key(|side| recording.tracked(*side)).unwrap_or(Side::Right);
        match fitted_anatomy(recording, more) {
            Some(mut anatomy) => {
                // Measures have no side of their own.
                anatomy.side = Side::Right;
                anatomy
            }
            None => {
                tracing::warn!("no frame gives the measures of a hand; taking an adult's");
                preset
            }
        }
    }
}

impl RecordingResult {
    fn new(
        file: &str,
        recording: &TrackRecording,
        anatomy: &Anatomy,
        trial: &Trial,
        least_det: f64,
    ) -> RecordingResult {
        let hands: Vec<HandResult> = (trial.hands.iter())
            .map(|(side, quality)| HandResult {
                side: side.name(),
                tracked: quality.tracked,
                touching_share: quality.touching_share(),
                recoveries: quality.recoveries,
                joint_error_mm: JointError {
                    fed: 1e3 * quality.error_before,
                    simulated: 1e3 * quality.error_after,
                    free_of_contact: quality.error_free.map(|error| 1e3 * error),
                },
                jitter_mm: Pair { before: 1e3 * quality.jitter_before, after: 1e3 * quality.jitter_after },
                peak_force_n: quality.peak_force,
                peak_mean_force_n: quality.peak_mean_force,
                seating_force_n: quality.seating_force,
            })
            .collect();
        let tracked: usize = hands.iter().map(|hand| hand.tracked).sum();
        let touching: f64 = hands.iter().map(|hand| hand.touching_share * hand.tracked as f64).sum();
        let recoveries: usize = hands.iter().map(|hand| hand.recoveries).sum();
        let faults = faults(touching / tracked.max(1) as f64, recoveries, least_det);
        RecordingResult {
            file: file.to_owned(),
            format: recording.format.name(),
            frames: recording.frames.len(),
            seconds: recording.seconds(),
            hand_length_mm: 1e3 * anatomy.hand_length(),
            table_m: trial.height,
            steps: trial.steps,
            least_det,
            passed: faults.is_empty(),
            faults,
            hands,
        }
    }
}

/// What is wrong with a trial in which this share of the frames touched.
fn faults(touching: f64, recoveries: usize, least_det: f64) -> Vec<String> {
    let mut faults = Vec::new();
    // a share that is no number is wrong, too
    if touching.is_nan() || touching < ENOUGH {
        faults.push(format!("only {:.0} % of the frames touched", 100.0 * touching));
    }
    if recoveries > 0 {
        faults.push(format!("{recoveries} steps rolled back"));
    }
    if least_det.is_nan() || least_det <= 0.0 {
        faults.push(format!("tissue inside out (det F {least_det:.2})"));
    }
    faults
}

impl fmt::Display for RecordingResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}, {} frames in {:.1} s", self.file, self.format, self.frames, self.seconds)?;
        write!(
            f,
            "hand {:.0} mm long, table at {:.3} m, {} steps, least det F {:.2}: {}",
            self.hand_length_mm,
            self.table_m,
            self.steps,
            self.least_det,
            if self.passed { "passed".to_owned() } else { format!("FAILED: {}", self.faults.join(", ")) }
        )?;
        for hand in &self.hands {
            write!(
                f,
                "\n  {:5}  {} frames, {:.0} % touch, {} recoveries; joint error {:.1} mm fed, {:.1} mm simulated{}; \
                 jitter {:.2} mm recorded, {:.2} mm simulated; at most {:.0} N, {:.0} N over 10 ms, {:.0} N when put into the \
                 table",
                hand.side,
                hand.tracked,
                100.0 * hand.touching_share,
                hand.recoveries,
                hand.joint_error_mm.fed,
                hand.joint_error_mm.simulated,
                hand.joint_error_mm
                    .free_of_contact
                    .map_or_else(String::new, |free| format!(" ({free:.1} mm in the air)")),
                hand.jitter_mm.before,
                hand.jitter_mm.after,
                hand.peak_force_n,
                hand.peak_mean_force_n,
                hand.seating_force_n
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::faults;

    #[test]
    fn tissue_inside_out_fails_a_recording() {
        assert!(faults(0.5, 0, 0.2).is_empty());
        assert_eq!(faults(0.5, 0, -0.56), ["tissue inside out (det F -0.56)"]);
        assert_eq!(faults(0.1, 2, 0.4), ["only 10 % of the frames touched", "2 steps rolled back"]);
        // no step at all, or numbers that are none, are no success
        assert_eq!(faults(f64::NAN, 0, f64::NAN).len(), 2);
    }
}
