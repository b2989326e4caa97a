//! Which reader a file needs.

use serde_json::Value;
use thenar::hand::Side;

use super::error::{TrackError, TrackProblem};
use super::{TrackFrame, TrackRecording, glove, handrec, landmarks, leap, webxr};
use crate::recording::Recording;

/// Largest file that is read, bytes.
pub(super) const MAX_FILE: usize = 512 << 20;
/// Most frames that are read: an hour at 90 Hz.
pub(super) const MAX_FRAMES: usize = 324_000;

/// Kinds of recordings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackFormat {
    /// `handrec-1`.
    Handrec,
    /// WebXR joints.
    WebXr,
    /// Frames of a Leap Motion controller.
    Leap,
    /// 21 landmarks in MediaPipe's order.
    Landmarks,
    /// One value per finger.
    Glove,
    /// A recording of a run.
    Mcap,
    /// Made by [`super::synthetic`].
    Synthetic,
}

impl TrackFormat {
    /// A name for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            TrackFormat::Handrec => "handrec-1",
            TrackFormat::WebXr => "WebXR joints",
            TrackFormat::Leap => "Leap Motion frames",
            TrackFormat::Landmarks => "21 landmarks",
            TrackFormat::Glove => "data glove",
            TrackFormat::Mcap => "MCAP",
            TrackFormat::Synthetic => "synthetic",
        }
    }
}

/// Reads a recording of any known format.
///
/// # Errors
/// Names file, field and value.
pub fn read_recording(bytes: &[u8], file: &str) -> Result<TrackRecording, TrackError> {
    parse(bytes).map_err(|problem| TrackError { file: file.to_owned(), problem })
}

fn parse(bytes: &[u8]) -> Result<TrackRecording, TrackProblem> {
    if bytes.len() > MAX_FILE {
        return Err(TrackProblem::TooLarge(bytes.len()));
    }
    if bytes.starts_with(mcap::MAGIC) {
        let run = Recording::read(bytes)?;
        return ordered(TrackFormat::Mcap, from_run(&run), run.seconds());
    }
    if let Some(text) = std::str::from_utf8(bytes).ok().filter(|text| glove::is_table(text)) {
        return sorted(TrackFormat::Glove, glove::read_table(text)?);
    }
    let (format, frames) = from_json(bytes)?;
    sorted(format, frames)
}

fn from_json(bytes: &[u8]) -> Result<(TrackFormat, Vec<TrackFrame>), TrackProblem> {
    let values: Result<Vec<Value>, _> = serde_json::Deserializer::from_slice(bytes).into_iter::<Value>().collect();
    let mut values = values.map_err(|error| TrackProblem::Json(error.to_string()))?;
    if let [root] = values.as_slice() {
        match root["format"].as_str() {
            Some("handrec-1") => return Ok((TrackFormat::Handrec, handrec::read(root)?)),
            Some("glove-5") => return Ok((TrackFormat::Glove, glove::read_json(root)?)),
            _ => {}
        }
        if let Some(frames) = root.get("frames").or(Some(root)).and_then(Value::as_array) {
            values = frames.clone();
        }
    }
    if values.len() > MAX_FRAMES {
        return Err(TrackProblem::TooMany(values.len()));
    }
    let has = |key: &str| values.iter().any(|frame| frame.get(key).is_some());
    let in_hands = |key: &str| values.iter().any(|frame| !frame["hands"][0][key].is_null());
    if has("pointables") {
        Ok((TrackFormat::Leap, leap::read(&values)?))
    } else if in_hands("landmarks")
        || ["worldLandmarks", "landmarks", "multiHandWorldLandmarks", "multiHandLandmarks"].into_iter().any(has)
    {
        Ok((TrackFormat::Landmarks, landmarks::read(&values)?))
    } else if ["hands", "inputSources", "joints"].into_iter().any(has) {
        Ok((TrackFormat::WebXr, webxr::read(&values)?))
    } else {
        Err(TrackProblem::Unknown)
    }
}

/// The frames that drove a recorded run, each side's from the first hand of that side.
fn from_run(recording: &Recording) -> Vec<TrackFrame> {
    let step = recording.scene.world.step;
    let mut frames: Vec<TrackFrame> = Vec::new();
    for side in [Side::Left, Side::Right] {
        let hand = recording.scene.hands.iter().position(|hand| Side::from(hand.side) == side);
        let Some(fed) = hand.and_then(|hand| recording.hands.get(hand)) else { continue };
        for fed in fed {
            let time = fed.step as f64 * step;
            let mut frame = TrackFrame { time, ..TrackFrame::default() };
            *frame.hand_mut(fed.frame.side) = Some(fed.frame.clone());
            match frames.iter_mut().find(|known| known.time == time) {
                Some(known) => *known.hand_mut(fed.frame.side) = Some(fed.frame.clone()),
                None => frames.push(frame),
            }
        }
    }
    frames.sort_by(|a, b| a.time.total_cmp(&b.time));
    frames
}

/// Lets time begin with the first frame and end with the last.
fn sorted(format: TrackFormat, mut frames: Vec<TrackFrame>) -> Result<TrackRecording, TrackProblem> {
    let start = frames.first().map_or(0.0, |frame| frame.time);
    frames.iter_mut().for_each(|frame| frame.time -= start);
    ordered(format, frames, 0.0)
}

/// Checks the order of the frames of a recording that lasts so long, or until its last frame if that is later.
fn ordered(format: TrackFormat, frames: Vec<TrackFrame>, length: f64) -> Result<TrackRecording, TrackProblem> {
    if frames.len() > MAX_FRAMES {
        return Err(TrackProblem::TooMany(frames.len()));
    }
    let mut last = 0.0;
    for (index, frame) in frames.iter().enumerate() {
        if !(last..=1e5).contains(&frame.time) {
            return Err(TrackProblem::Field {
                field: format!("the time of frame {index}"),
                found: format!("{} s after the first", frame.time),
                expected: "times that do not decrease, within a day",
            });
        }
        last = frame.time;
    }
    if frames.iter().all(|frame| frame.left.is_none() && frame.right.is_none()) {
        return Err(TrackProblem::Empty(frames.len()));
    }
    Ok(TrackRecording { format, frames, length: length.max(last) })
}
