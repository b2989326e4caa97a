//! Trackers that send hands to Thenar over the network, tactile devices that it sends to ([`tactile`]), and force feedback at 1 kHz ([`haptics`]).
//!
//! # The message
//!
//! One hand at one instant as a JSON object: a UDP datagram, or a text message of a WebSocket.
//!
//! ```json
//! { "session": 7, "seq": 1204, "side": "right",
//!   "joints": { "wrist": { "position": [0, 1, -0.3], "orientation": [0, 0, 0, 1], "radius": 0.02 },
//!               "index-finger-tip": { "position": [0.02, 1.03, -0.45] } } }
//! ```
//!
//! | field | meaning |
//! |---|---|
//! | `seq` | whole number that grows with every message of a hand; what arrives late or twice is dropped |
//! | `session` | optional whole number; when a sender starts anew with `seq`, it chooses another one |
//! | `side` | `left` or `right` |
//! | `joints` | by WebXR name (or a list of 25 in WebXR's order): `position` in metres, Y up; `orientation` x y z w and `radius` may be left out, and joints that are not tracked too |
//!
//! [`Limits`] bound size and rate; what exceeds them is dropped and counted, never answered. A WebSocket is closed after a
//! message that is too long, or half a minute without one. Receivers listen on the address they are given: use `127.0.0.1` (a
//! port alone means it) unless others in the network are meant to move the hand.
//!
//! ```
//! use thenar::hand::{Anatomy, Preset, Side};
//! use thenar::tracking::TrackerFrame;
//! use thenar_devices::{HandMessage, Limits, Receiver, Sender};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let receiver = Receiver::listen(&"udp:0".parse()?, Limits::default())?;
//! // simulation.drive(0, Box::new(receiver.hand(Side::Right)));
//!
//! let mut sender = Sender::connect(&format!("udp:{}", receiver.address()).parse()?)?;
//! let joints = Anatomy::preset(Preset::Adult, Side::Right).rest_joints();
//! sender.send(&HandMessage { session: 1, seq: 1, frame: TrackerFrame { side: Side::Right, joints } })?;
//! # Ok(())
//! # }
//! ```
#![warn(missing_docs)]

mod endpoint;
mod error;
mod gate;
pub mod haptics;
mod mailbox;
mod message;
mod receiver;
mod sender;
pub mod tactile;
mod udp;
mod websocket;

pub use endpoint::{Endpoint, EndpointError, Transport};
pub use error::DeviceError;
pub use gate::{Counts, Limits};
pub use mailbox::LiveHand;
pub use message::{HandMessage, MessageError, read_message, write_message};
pub use receiver::Receiver;
pub use sender::Sender;
