//! A recording as the source of a hand's frames.

use std::sync::Arc;

use thenar::hand::{Side, Skeleton};
use thenar::tracking::TrackerFrame;

use super::{TrackRecording, retargeted};
use crate::motion::Refit;
use crate::run::FrameSource;

/// Feeds the frames of one side of a recording at their times, retargeted to the hand's skeleton.
pub struct RecordedHand {
    recording: Arc<TrackRecording>,
    side: Side,
    next: usize,
    refit: Option<Refit>,
}

impl RecordedHand {
    /// The hand of that side.
    #[must_use]
    pub fn new(recording: Arc<TrackRecording>, side: Side) -> RecordedHand {
        RecordedHand { recording, side, next: 0, refit: None }
    }

    /// The same where a hand of another size than the person's takes what the person takes.
    #[must_use]
    pub fn refitted(mut self, refit: Option<Refit>) -> RecordedHand {
        self.refit = refit;
        self
    }
}

impl FrameSource for RecordedHand {
    fn frame(&mut self, _step: u64, time: f64, skeleton: &Skeleton) -> Option<TrackerFrame> {
        let mut due = None;
        // A frame that falls on a step belongs to it, whatever the round-off.
        while let Some(frame) = self.recording.frames.get(self.next).filter(|frame| frame.time <= time + 1e-9) {
            due = Some(frame);
            self.next += 1;
        }
        due?.hand(self.side).map(|hand| match &self.refit {
            Some(refit) => refit.apply(hand, skeleton),
            None => retargeted(hand, skeleton),
        })
    }
}
