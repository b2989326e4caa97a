//! What a tracker delivers.

use crate::hand::{JointSet, Side};

/// One hand as seen by a tracker at one instant, in world coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct TrackerFrame {
    /// Which hand the tracker believes it sees.
    pub side: Side,
    /// The joints; those that are not tracked are `None`.
    pub joints: JointSet,
}
