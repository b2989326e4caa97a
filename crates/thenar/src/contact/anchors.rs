//! Friction anchors: where on the touched object each point sticks.

use crate::math::Vec3;

/// An anchor of one surface point on one object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// Index of the object, or `Anchor::NONE`.
    pub object: u32,
    /// In the object's frame, metres.
    pub local: Vec3,
    /// Normal force of the last step, N: Coulomb's limit of this one.
    pub pressing: f64,
    /// Gap at the end of the last step, metres.
    pub gap: f64,
    /// Force on the point in the last step, in the object's frame, N: where an iterative method starts.
    pub force: Vec3,
}

impl Anchor {
    const NONE: u32 = u32::MAX;
    const EMPTY: Anchor =
        Anchor { object: Anchor::NONE, local: Vec3::ZERO, pressing: 0.0, gap: 0.0, force: Vec3::ZERO };
}

/// Anchors of a set of surface points; a point may stick to two objects at once. Part of the State.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Anchors {
    slots: Vec<[Anchor; 2]>,
}

impl Anchors {
    /// No anchor on any of `points` surface points.
    #[must_use]
    pub fn new(points: usize) -> Self {
        Anchors { slots: vec![[Anchor::EMPTY; 2]; points] }
    }

    /// The anchor of a point on an object.
    #[must_use]
    pub fn get(&self, point: u32, object: u32) -> Option<Anchor> {
        self.slots[point as usize].iter().find(|a| a.object == object).copied()
    }

    /// Keeps an anchor. A third object at once replaces nothing: it slides without an anchor of its own.
    pub fn put(&mut self, point: u32, anchor: Anchor) {
        if let Some(slot) = self.slots[point as usize].iter_mut().find(|a| a.object == Anchor::NONE) {
            *slot = anchor;
        }
    }

    /// Forgets every anchor.
    pub fn clear(&mut self) {
        self.slots.fill([Anchor::EMPTY; 2]);
    }

    /// All anchors that are set, in order of their points; for hashing.
    pub fn iter(&self) -> impl Iterator<Item = &Anchor> {
        self.slots.iter().flatten().filter(|a| a.object != Anchor::NONE)
    }
}
