//! What a haptic device is to the loop: poses in, wrenches out.

use super::glove::JointTorques;
use thenar::haptics::HandleState;

/// What a device can do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motors {
    /// Forces along x, y, z and torques about them: which exist.
    pub axes: [bool; 6],
    /// Largest force, N.
    pub force: f64,
    /// Largest torque, N·m.
    pub torque: f64,
    /// Whether velocities are measured; the loop derives them from poses otherwise.
    pub velocity: bool,
}

impl Motors {
    /// Three motors: forces only, though turns are measured.
    #[must_use]
    pub const fn three(force: f64) -> Self {
        Self { axes: [true, true, true, false, false, false], force, torque: 0.0, velocity: false }
    }

    /// Six motors.
    #[must_use]
    pub const fn six(force: f64, torque: f64) -> Self {
        Self { axes: [true; 6], force, torque, velocity: false }
    }
}

/// What reading a device gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// States that are new.
    Fresh,
    /// Nothing new since the last time: the states are the old ones.
    Same,
    /// The device is gone for now.
    Lost,
}

/// A device with one or more handles. Its methods are called in the tick: they neither wait, lock nor allocate.
///
/// Poses are in the device's own axes, metres and right-handed with Y up; the [`super::Renderer`] maps them to the world.
pub trait HapticDevice: Send {
    /// For people.
    fn name(&self) -> &str;

    /// Handles that it tracks: 1 for a pen, one per phalanx for a glove.
    fn handles(&self) -> usize {
        1
    }

    /// What its handles can exert.
    fn motors(&self) -> Motors;

    /// Writes where the handles are into `states`; `now` is the loop's time in seconds, from 0.
    fn read(&mut self, now: f64, states: &mut [HandleState]) -> Reading;

    /// Exerts these wrenches on the user from now on: six numbers a handle, N and N·m, in the device's axes about its origin.
    fn write(&mut self, wrenches: &[f64]);

    /// For gloves: what the next wrenches amount to on the joints of the hand. Told before [`HapticDevice::write`]; a device that pulls on joints exerts
    /// these in place of the wrenches.
    fn write_joints(&mut self, torques: &JointTorques) {
        let _ = torques;
    }
}

/// A device that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum HapticError {
    /// As written on the command line.
    #[error(
        "`{0}` is no haptic device; expected sim3, sim6, recorded:FILE, udp, udp:PORT, udp:ADDRESS:PORT, haply or haply:ws://HOST:PORT"
    )]
    Text(String),
    /// A file with motion.
    #[error("{file}: {source}")]
    Motion {
        /// Its name.
        file: String,
        /// What is wrong with it.
        source: super::MotionError,
    },
    /// A file that cannot be read.
    #[error("cannot read {file}: {source}")]
    File {
        /// Its name.
        file: String,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A socket or a thread.
    #[error("cannot open {what}: {source}")]
    Open {
        /// Which.
        what: String,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A simulated device has to be told what its person wants.
    #[error("{0} needs a motion that its hand intends: the scene has none")]
    NoMotion(&'static str),
    /// Another number of handles than the tool has.
    #[error(
        "the device has {} and the tool {tool}; a pen has one, a glove 16: a program of one's own that sends 16 by UDP can be a glove",
        counted(*device)
    )]
    Handles {
        /// Of the device.
        device: usize,
        /// Of the tool.
        tool: usize,
    },
}

fn counted(handles: usize) -> String {
    if handles == 1 { "1 handle".to_owned() } else { format!("{handles} handles") }
}
