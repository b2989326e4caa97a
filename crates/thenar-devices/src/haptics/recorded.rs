//! A device that moves as a file says, whatever it feels: the same motion in every run.

use super::{HapticDevice, Motion, Motors, Reading};
use thenar::haptics::HandleState;

/// Replays a [`Motion`] and remembers what it was told.
pub struct RecordedDevice {
    motion: Motion,
    motors: Motors,
    wrench: [f64; 6],
}

impl RecordedDevice {
    /// Six motors of no force in particular.
    #[must_use]
    pub fn new(motion: Motion) -> Self {
        Self { motion, motors: Motors { velocity: true, ..Motors::six(50.0, 5.0) }, wrench: [0.0; 6] }
    }

    /// The wrench that it was told last.
    #[must_use]
    pub fn wrench(&self) -> [f64; 6] {
        self.wrench
    }
}

impl HapticDevice for RecordedDevice {
    fn name(&self) -> &str {
        "recorded motion"
    }

    fn motors(&self) -> Motors {
        self.motors
    }

    fn read(&mut self, now: f64, states: &mut [HandleState]) -> Reading {
        if let Some(state) = states.first_mut() {
            *state = self.motion.at(now);
        }
        Reading::Fresh
    }

    fn write(&mut self, wrenches: &[f64]) {
        if let Some(wrench) = wrenches.get(..6) {
            self.wrench.copy_from_slice(wrench);
        }
    }
}
