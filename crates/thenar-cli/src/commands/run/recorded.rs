//! Hands of a scene that move as a tracker saw them.

use super::unjudged::{NotJudged, take_checks_beyond};
use crate::error::Error;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use thenar::hand::Side;
use thenar::math::Vec3;
use thenar_scene::run::Simulation;
use thenar_scene::scene::{Key, Scene};
use thenar_scene::trackers::{RecordedHand, TrackRecording, read_recording};

/// A tracker's recording instead of the scene's motion.
#[derive(clap::Args)]
pub struct RecordedOptions {
    /// Move the hands as in this recording: handrec-1, WebXR, Leap Motion, MediaPipe, glove table or MCAP
    #[arg(long, value_name = "FILE")]
    pub recording: Option<PathBuf>,

    /// Move the recording by this many metres, so that it meets the scene
    #[arg(long, value_name = "X,Y,Z", requires = "recording", allow_hyphen_values = true)]
    pub recording_offset: Option<String>,
}

impl RecordedOptions {
    /// Reads the recording; the scene becomes as long as it is, unless a length was given.
    /// Checks beyond its end are taken out and named.
    pub fn read(
        &self,
        scene: &mut Scene,
        seconds: Option<f64>,
        not_judged: &mut Vec<NotJudged>,
    ) -> Result<Option<Arc<TrackRecording>>, Error> {
        let Some(path) = &self.recording else { return Ok(None) };
        let bytes = fs::read(path).map_err(Error::read(path))?;
        let mut recording = read_recording(&bytes, &path.to_string_lossy()).map_err(Error::input)?;
        if let Some(text) = &self.recording_offset {
            recording = recording.moved(offset("--recording-offset", text)?);
        }
        for hand in &scene.hands {
            let side = Side::from(hand.side);
            if recording.tracked(side) == 0 {
                let (missing, other) = if side == Side::Left { ("left", "right") } else { ("right", "left") };
                let message = format!("the recording has no {missing} hand; try --side {other}");
                return Err(Error::read(path)(message));
            }
        }
        // The script and its faults do not act.
        for hand in &mut scene.hands {
            hand.keys.truncate(1);
            hand.keys.iter_mut().for_each(|key| key.at = 0.0);
            hand.faults.clear();
            (hand.recording, hand.recording_offset) = (None, None);
            if hand.keys.is_empty() {
                hand.keys.push(Key::default());
            }
        }
        if seconds.is_none() {
            scene.seconds = recording.seconds().max(scene.world.step);
        }
        let length = scene.seconds;
        not_judged.extend(take_checks_beyond(scene, length));
        scene.variants.clear();
        scene.controls.clear();
        scene.validate().map_err(Error::read(path))?;
        Ok(Some(Arc::new(recording)))
    }
}

/// Three numbers, metres, of an option.
pub fn offset(option: &str, text: &str) -> Result<Vec3, Error> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    let vector = numbers.and_then(|numbers| <[f64; 3]>::try_from(numbers).ok()).map(Vec3::from_array);
    vector
        .filter(|v| v.is_finite() && v.abs().max_element() < 1000.0)
        .ok_or_else(|| Error::input(format!("{option} {text}: expected three numbers in metres, such as 0,-0.9,0.3")))
}

/// Lets the recording drive every hand of the scene.
pub fn drive(simulation: &mut Simulation, scene: &Scene, recording: Option<Arc<TrackRecording>>) {
    let Some(recording) = recording else { return };
    for (index, hand) in scene.hands.iter().enumerate() {
        simulation.drive(index, Box::new(RecordedHand::new(Arc::clone(&recording), hand.side.into())));
    }
}
