//! Recordings of hand trackers, whatever made them, as frames that can drive a hand.
//!
//! | format | recognised by | what it holds |
//! |---|---|---|
//! | `handrec-1` | `"format": "handrec-1"` | sessions of headsets and Leap controllers: positions, perhaps rotations and radii |
//! | WebXR joints | frames with `hands` or `inputSources`, or single frames with `joints` | 25 joint poses and radii by name |
//! | Leap Motion | frames with `pointables` | joint positions in millimetres |
//! | landmarks | frames with `worldLandmarks`, `landmarks` or `multiHandWorldLandmarks` | 21 points in MediaPipe's order |
//! | data gloves | `"format": "glove-5"`, or comma-separated text | one value per finger, perhaps a pose of the wrist |
//! | MCAP | its magic | recordings of `thenar run --record` |
//!
//! Frames stand in `{"frames": […]}`, in a list, or one JSON value after the other. Every reader yields a [`TrackRecording`]:
//! metres, Y up, rotations in the convention of OpenXR. Rotations that a tracker does not give are recovered by fitting a
//! skeleton to the positions.

mod complete;
mod drive;
mod error;
mod gentleness;
mod glove;
mod handrec;
mod json;
mod landmarks;
mod leap;
mod quality;
mod read;
mod retarget;
mod rigid;
mod synthetic;
mod table;
#[cfg(test)]
mod tests;
mod trial;
mod webxr;

pub use complete::completed;
pub use drive::RecordedHand;
pub use error::{TrackError, TrackProblem};
pub use gentleness::{Gentleness, gentleness_of_recording, gentleness_of_scene};
pub use quality::{Quality, QualityProbe};
pub use read::{TrackFormat, read_recording};
pub use retarget::{fitted_anatomy, retargeted};
pub(crate) use rigid::rigid_fit;
pub use synthetic::{Damage, synthetic};
pub use table::{lowest_points, table_height, table_scene};
pub use trial::{Trial, TrialOptions, over_table};
pub use webxr::read_message;

use thenar::hand::Side;
use thenar::math::Vec3;
use thenar::tracking::TrackerFrame;

/// Both hands at one time; a hand that is not tracked is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrackFrame {
    /// Seconds from the start.
    pub time: f64,
    /// The left hand.
    pub left: Option<TrackerFrame>,
    /// The right hand.
    pub right: Option<TrackerFrame>,
}

impl TrackFrame {
    /// The hand of a side.
    #[must_use]
    pub fn hand(&self, side: Side) -> Option<&TrackerFrame> {
        match side {
            Side::Left => self.left.as_ref(),
            Side::Right => self.right.as_ref(),
        }
    }

    /// The place of a side's hand, to fill.
    pub fn hand_mut(&mut self, side: Side) -> &mut Option<TrackerFrame> {
        match side {
            Side::Left => &mut self.left,
            Side::Right => &mut self.right,
        }
    }
}

/// A session of a tracker.
#[derive(Clone, Debug, PartialEq)]
pub struct TrackRecording {
    /// What it was read from.
    pub format: TrackFormat,
    /// Frames in order of time, the first at 0 s; those of a run at the times at which they were fed.
    pub frames: Vec<TrackFrame>,
    /// Seconds that it lasts: to the last frame, or, of a run, to its last step.
    pub length: f64,
}

impl TrackRecording {
    /// Seconds that it lasts.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.length
    }

    /// Number of frames that have the hand of a side.
    #[must_use]
    pub fn tracked(&self, side: Side) -> usize {
        self.frames.iter().filter(|frame| frame.hand(side).is_some()).count()
    }

    /// The same session elsewhere: every joint moved by `offset`, metres.
    #[must_use]
    pub fn moved(mut self, offset: Vec3) -> TrackRecording {
        for hand in self.frames.iter_mut().flat_map(|frame| [&mut frame.left, &mut frame.right]).flatten() {
            hand.joints.0.iter_mut().flatten().for_each(|joint| joint.pose.position += offset);
        }
        self
    }

    /// The hands that appear, the left one first.
    #[must_use]
    pub fn sides(&self) -> Vec<Side> {
        [Side::Left, Side::Right].into_iter().filter(|side| self.tracked(*side) > 0).collect()
    }
}
