//! Recordings of runs in MCAP, which public viewers open, and their replay.
//!
//! A recording holds what a run was made from and a proof of what came of it:
//!
//! | where | what |
//! |---|---|
//! | metadata `thenar` | version of the engine, machine kernels, measures and size of the hand, step length |
//! | attachment `scene.toml` | the scene, with all changes made on the command line |
//! | attachments `files/…` | the mesh files of the scene |
//! | channel `/hand/N/tracker` | every tracked frame that was fed, with the number of its step |
//! | channel `/step` | hash of the state after every step, places of palms and objects |
//!
//! All messages are JSON with a JSON schema; numbers are written so that reading gives the same bits. Times are simulated
//! nanoseconds from the start. [`replay`] simulates the same again and compares hash by hash.
//!
//! ```no_run
//! use thenar_scene::recording::Recording;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let recording = Recording::read(&std::fs::read("ball.mcap")?)?;
//! println!("{} steps, {} frames", recording.steps.len(), recording.hands[0].len());
//! # Ok(())
//! # }
//! ```

mod error;
mod file;
mod message;
mod outputs;
mod read;
mod records;
mod replay;
mod schema;
#[cfg(test)]
mod tests;
mod write;

pub use error::RecordingError;
pub use message::{FedFrame, StepRecord};
pub use outputs::{Compression, OutputChannels, OutputError, OutputTables};
pub use read::Recording;
pub use records::End;
pub use replay::{Replay, ReplayError, Replayed, replay};
pub use write::{About, Recorder};
