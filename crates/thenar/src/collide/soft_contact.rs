//! What detection found between soft surfaces, without any opinion on how to respond.

use crate::math::Vec3;

/// One side of a contact between soft bodies: the common point of contact as the side's tissue carries it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoftSide {
    /// Index of the soft body.
    pub body: u32,
    /// Nodes of the element that carries the point.
    pub nodes: [u32; 4],
    /// Weights of the nodes; they sum to 1, and may leave the range 0 to 1 where the point lies outside the element.
    pub weights: [f64; 4],
    /// The patch.
    pub patch: u8,
}

impl SoftSide {
    /// Interpolates a nodal field of the body at the point.
    #[inline]
    #[must_use]
    pub fn interpolate(&self, field: &[Vec3]) -> Vec3 {
        let (n, w) = (&self.nodes, &self.weights);
        field[n[0] as usize] * w[0]
            + field[n[1] as usize] * w[1]
            + field[n[2] as usize] * w[2]
            + field[n[3] as usize] * w[3]
    }
}

/// A point of one soft surface near another one, or near another part of the same, at the predicted end of the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoftContact {
    /// Whose point it is.
    pub toucher: SoftSide,
    /// Whose surface it is near. Both sides carry the same place, so that equal and opposite forces there cannot turn
    /// anything.
    pub touched: SoftSide,
    /// The point, as an index into the touch surface of its body.
    pub point: u32,
    /// The part of the touched body: a point touches each part once.
    pub part: u8,
    /// Where the point is, metres.
    pub place: Vec3,
    /// Unit normal from the touched to the touching side.
    pub normal: Vec3,
    /// Gap, metres; negative inside.
    pub gap: f64,
    /// Area the contact stands for, m²: half of the point's, since the other side's points are looked at too.
    pub area: f64,
}

/// All contacts between soft surfaces of a step, in a fixed order.
#[derive(Clone, Debug, Default)]
pub struct SoftContactSet {
    /// The contacts.
    pub contacts: Vec<SoftContact>,
    /// More were found than there was room for; the rest was left out.
    pub overflow: bool,
}

impl SoftContactSet {
    /// An empty set with room for `capacity` contacts.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        SoftContactSet { contacts: Vec::with_capacity(capacity), overflow: false }
    }

    /// Forgets the last step.
    pub fn clear(&mut self) {
        self.contacts.clear();
        self.overflow = false;
    }

    /// Adds a contact if there is room.
    pub fn push(&mut self, contact: SoftContact) {
        if self.contacts.len() < self.contacts.capacity() {
            self.contacts.push(contact);
        } else {
            self.overflow = true;
        }
    }
}
