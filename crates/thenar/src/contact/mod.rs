//! Contact methods: each appends to the problem of the step and never owns the loop.

pub mod aggregate;
mod anchors;
pub mod contensou;
pub mod free;
pub mod penalty;
pub mod point;
mod pressure;
pub mod rows;
mod soft_anchors;
pub mod soft_pairs;

pub use crate::collide::ContactMethod;
pub use anchors::{Anchor, Anchors};
pub use soft_anchors::{SoftAnchor, SoftAnchors};
