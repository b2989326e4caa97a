//! From a tracked hand to the poses the simulated bones should take.

mod elastic;
mod frame;
mod params;
mod targets;

pub use elastic::ElasticState;
pub use frame::TrackerFrame;
pub use params::{CouplingParams, TrackingMode, TrackingParams};
pub use targets::{FrameVerdict, Targets};
