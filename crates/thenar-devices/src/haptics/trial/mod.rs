//! Force feedback in virtual time: a device, a renderer and a world, without threads and clocks, so that the same question always gets the same answer.
//!
//! [`Session`] runs a [`TrialWorld`] at visual rate and a [`Renderer`](super::Renderer) at 1 kHz as the loop would, with the delay of the
//! computation between. [`Bench`] is a world of a few springs: a tool on a handle, a wall or a soft body. [`zwidth`] sweeps the coupling and says what is stable.

mod bench;
mod session;
pub mod zwidth;

pub use bench::{Bench, BenchParams};
pub use session::{Rendering, Sample, Session, SessionParams, TrialWorld};
