//! What the devices of a hand shall do.

use thenar::hand::{Digit, Side};
use thenar::tactile::{DiscPose, FingerTouch};
use thenar::world::HandOutputs;

/// What the device of one finger shall do. Lengths in metres, angles in radians, forces in newtons.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FingerCommand {
    /// Placement of the disc.
    pub disc: DiscPose,
    /// Lengths of the legs; zero for a device without.
    pub legs: [f64; 3],
    /// Force into the finger.
    pub force: f64,
    /// Force across and along the finger.
    pub shear: [f64; 2],
    /// Stretch of the skin across and along the finger.
    pub stretch: [f64; 2],
    /// Slip level, 0 to 1.
    pub slip: f64,
    /// Slip began.
    pub slip_event: bool,
}

/// What the devices of one hand shall do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TactileCommand {
    /// The hand.
    pub side: Side,
    /// Simulated seconds.
    pub time: f64,
    /// By [`Digit::index`].
    pub fingers: [FingerCommand; Digit::ALL.len()],
}

impl Default for TactileCommand {
    fn default() -> Self {
        TactileCommand { side: Side::Right, time: 0.0, fingers: Default::default() }
    }
}

impl From<&FingerTouch> for FingerCommand {
    fn from(finger: &FingerTouch) -> Self {
        FingerCommand {
            disc: finger.disc,
            legs: finger.legs,
            force: finger.force.y.max(0.0),
            shear: [finger.force.x, finger.force.z],
            stretch: finger.stretch,
            slip: finger.slip.level,
            slip_event: finger.slip.event,
        }
    }
}

impl TactileCommand {
    /// Of a hand after a step; `None` where touch is not rendered.
    #[must_use]
    pub fn of(side: Side, time: f64, hand: &HandOutputs) -> Option<TactileCommand> {
        let mut fingers = [FingerCommand::default(); Digit::ALL.len()];
        if hand.tactile.len() < fingers.len() {
            return None;
        }
        for (command, finger) in fingers.iter_mut().zip(&hand.tactile) {
            *command = finger.into();
        }
        Some(TactileCommand { side, time, fingers })
    }

    /// This command where an older one was never sent: events are kept.
    #[must_use]
    pub fn after(mut self, missed: &TactileCommand) -> TactileCommand {
        for (finger, old) in self.fingers.iter_mut().zip(&missed.fingers) {
            finger.slip_event |= old.slip_event;
        }
        self
    }
}
