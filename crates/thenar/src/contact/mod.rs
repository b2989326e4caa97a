//! Contact methods: each appends to the problem of the step and never owns the loop.

mod anchors;
pub mod penalty;
pub mod point;

pub use anchors::{Anchor, Anchors};

/// How skin contact is resolved; contacts between rigid objects are always springs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactMethod {
    /// Stiff springs [CLAP §3.5].
    Penalty,
    /// Signorini's and Coulomb's laws at every touching vertex [Talvas, Garre §3.2].
    Point,
}
