//! The trait of drivers.

use super::TactileCommand;
use std::io;

/// Brings commands to one kind of hardware. Its calls may take a while: they come from a thread of their own.
pub trait TactileDriver: Send {
    /// What people call the place, such as `serial:/dev/ttyUSB0`.
    fn name(&self) -> String;

    /// Opens the line; again after it was lost.
    ///
    /// # Errors
    /// If nothing is there, which is tried again later.
    fn connect(&mut self) -> io::Result<()>;

    /// Sends a command over the open line.
    ///
    /// # Errors
    /// If the device is gone; then [`TactileDriver::connect`] is tried until it is back.
    fn send(&mut self, command: &TactileCommand) -> io::Result<()>;
}
