//! The studio: a local web page on which people play with the soft hand.
//!
//! [`Studio::start`] opens a web server that listens on this machine only, unless it is asked for more. The simulation runs on
//! a thread of its own beside real time; pages connect over a WebSocket, watch, and one of them controls. What they say to
//! each other is written down in `docs/studio-protocol.md`.
//!
//! ```no_run
//! use thenar_studio::{Studio, StudioOptions};
//! # fn main() -> Result<(), thenar_studio::StudioError> {
//! let studio = Studio::start(&StudioOptions::default())?;
//! println!("open {}", studio.url());
//! studio.wait();
//! # Ok(())
//! # }
//! ```
#![warn(missing_docs)]

mod catalogue;
mod page;
mod server;
mod session;
mod shared;
mod shelf;
mod studio;
mod viewers;
mod wire;

pub use page::{is_built as page_is_built, why_not as page_why_not};
pub use studio::{PairingInfo, Studio, StudioError, StudioOptions, Unfetched};
