//! From a tracked hand to the poses the simulated bones should take.

mod frame;

pub use frame::TrackerFrame;
