//! Friction anchors between soft bodies: where on the touched tissue each point sticks.

use crate::collide::SoftSide;
use crate::math::Vec3;

/// An anchor of one touch point on one part of a soft body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoftAnchor {
    /// The material point of the touched body.
    pub place: SoftSide,
    /// The part it belongs to.
    pub part: u8,
    /// Force on the point in the last step, N, in world axes: where the solver starts.
    pub force: Vec3,
}

/// Anchors of the touch points of a body; a point may stick to two parts at once. Part of the State.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct SoftAnchors {
    slots: Vec<[Option<SoftAnchor>; 2]>,
}

impl SoftAnchors {
    /// No anchor on any of `points` touch points.
    #[must_use]
    pub fn new(points: usize) -> Self {
        SoftAnchors { slots: vec![[None; 2]; points] }
    }

    /// The anchor of a point on a part of a body.
    #[must_use]
    pub fn get(&self, point: u32, body: u32, part: u8) -> Option<&SoftAnchor> {
        self.slots[point as usize].iter().flatten().find(|a| a.place.body == body && a.part == part)
    }

    /// True if the point pressed on anything in the last step.
    #[must_use]
    pub fn is_set(&self, point: u32) -> bool {
        self.slots[point as usize][0].is_some()
    }

    /// Keeps an anchor. A third part at once replaces nothing: it slides without an anchor of its own.
    pub fn put(&mut self, point: u32, anchor: SoftAnchor) {
        if let Some(slot) = self.slots[point as usize].iter_mut().find(|a| a.is_none()) {
            *slot = Some(anchor);
        }
    }

    /// Forgets every anchor.
    pub fn clear(&mut self) {
        self.slots.fill([None; 2]);
    }

    /// All anchors that are set, in order of their points; for hashing.
    pub fn iter(&self) -> impl Iterator<Item = &SoftAnchor> {
        self.slots.iter().flatten().flatten()
    }
}
