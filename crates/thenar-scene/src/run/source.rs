//! Where the tracked frames of a hand come from, if not from its script.

use thenar::hand::Skeleton;
use thenar::tracking::TrackerFrame;

use crate::motion::Stance;

/// Delivers the tracked frames of one hand: a recording or a replay.
pub trait FrameSource {
    /// The frame to feed before the step of that number (from 0), which starts at `time` seconds; `None` where the tracker
    /// has nothing new. Called once for every step, in order.
    fn frame(&mut self, step: u64, time: f64, skeleton: &Skeleton) -> Option<TrackerFrame>;

    /// Where the hand is wanted, if that is known in other words than frames.
    fn stance(&self) -> Option<Stance> {
        None
    }

    /// The hand is another one from now on: it needs a frame even where the tracker has nothing new.
    fn show_again(&mut self) {}
}
