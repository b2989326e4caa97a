//! What a simulated person wants: a motion that is known beforehand, or what a program says while it happens.

use super::Motion;
use super::triple::Reader;
use thenar::haptics::HandleState;
use thenar::math::Pose;

/// Where a person wants a handle now. Told by a [triple](super::triple) buffer, at least four times a second while it is held.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wish {
    /// Where, and how fast; in the axes of the device. Where the device lies, if nobody holds it.
    pub place: HandleState,
    /// Whether the person holds the device at all.
    pub held: bool,
}

/// A person of whom nothing was heard for so long has let go, seconds: longer than any frame of a slow page.
const SILENCE: f64 = 0.25;

/// Where a person wants a handle, and when.
pub(super) enum Intention {
    /// Known beforehand.
    Motion(Motion),
    /// Told as it goes.
    Live {
        wishes: Reader<Wish>,
        now: Wish,
        /// When the last wish came, seconds of the loop.
        heard: f64,
    },
}

impl Intention {
    pub fn live(start: Pose, wishes: Reader<Wish>) -> Self {
        let place = HandleState { pose: start, ..HandleState::default() };
        Self::Live { wishes, now: Wish { place, held: false }, heard: 0.0 }
    }

    /// Whether somebody holds the device; takes what was told last.
    pub fn is_there(&mut self, time: f64) -> bool {
        let Self::Live { wishes, now, heard } = self else { return true };
        if wishes.update() {
            (*now, *heard) = (*wishes.get(), time);
        }
        let place = &now.place;
        let finite = place.pose.is_finite() && place.velocity.is_finite() && place.spin.is_finite();
        now.held && finite && time - *heard < SILENCE
    }

    /// Where the device lies that nobody holds, if that was told.
    pub fn lies(&self) -> Option<Pose> {
        match self {
            Self::Live { now: Wish { place, held: false }, .. } if place.pose.is_finite() => Some(place.pose),
            _ => None,
        }
    }

    pub fn at(&mut self, time: f64) -> HandleState {
        match self {
            Self::Motion(motion) => motion.at(time),
            Self::Live { now, .. } => now.place,
        }
    }
}
