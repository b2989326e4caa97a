//! Contact methods: each appends to the problem of the step and never owns the loop.

mod anchors;
pub mod penalty;

pub use anchors::{Anchor, Anchors};
