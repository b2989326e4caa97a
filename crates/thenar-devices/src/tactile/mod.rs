//! Tactile devices: what fingertips feel goes out to discs, gloves and whatever speaks OSC.
//!
//! [`TactileCommand`] is what the devices of one hand shall do now. A [`TactileDriver`] brings it to one kind of hardware; a [`TactileLink`]
//! runs a driver on a thread of its own, hands it the newest command at its rate, reports a device that disappears and tries
//! again until it is back. The simulation never waits for any of it. [`SimulatedDevice`] needs no hardware and says what a
//! real one would do, with the lag of its motors.
//!
//! ```
//! use thenar_devices::tactile::{TactileCommand, TactileLink, TactileTarget};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let target: TactileTarget = "osc:127.0.0.1:9000".parse()?;
//! let link = TactileLink::start(target.driver()?, 200.0)?;
//! // after each step: link.send(TactileCommand::of(side, time, world.hand(id)));
//! link.send(TactileCommand::default());
//! # Ok(())
//! # }
//! ```
//!
//! The messages on serial lines and over OSC are described in `docs/tactile.md`, and in [`serial`] and [`osc`].

mod command;
mod driver;
mod link;
pub mod osc;
pub mod serial;
mod simulated;
mod target;

pub use command::{FingerCommand, TactileCommand};
pub use driver::TactileDriver;
pub use link::{LinkStatus, TactileLink};
pub use osc::OscDriver;
pub use serial::SerialDriver;
pub use simulated::{DeviceReport, SimulatedDevice};
pub use target::{TactileTarget, TargetError};
