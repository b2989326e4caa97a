//! What detection found, without any opinion on how to respond.

use crate::math::Vec3;

/// Whose surface point touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toucher {
    /// Point `point` of soft body `body`.
    Soft {
        /// Index of the soft body.
        body: u32,
        /// Index into its [`SoftSurface`](super::SoftSurface).
        point: u32,
    },
    /// Sample `sample` of rigid object `object`.
    Object {
        /// Index of the object.
        object: u32,
        /// Index into its samples.
        sample: u32,
    },
}

/// A surface point inside (or within the alarm distance of) a rigid object, at the predicted end of the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The point's owner.
    pub toucher: Toucher,
    /// Index of the touched object.
    pub object: u32,
    /// Predicted position in the world, metres.
    pub point: Vec3,
    /// The same in the object's predicted frame.
    pub local: Vec3,
    /// Gap there, metres; negative inside.
    pub gap: f64,
    /// Unit normal from the object outwards, in the object's frame.
    pub normal: Vec3,
    /// Area the point stands for, m².
    pub area: f64,
}

/// All contacts of a step, in a fixed order: soft bodies by object and point, then pairs of objects.
#[derive(Clone, Debug, Default)]
pub struct ContactSet {
    /// The contacts.
    pub contacts: Vec<Contact>,
    /// More contacts were found than there was room for; the rest was left out.
    pub overflow: bool,
}

impl ContactSet {
    /// An empty set with room for `capacity` contacts.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        ContactSet { contacts: Vec::with_capacity(capacity), overflow: false }
    }

    /// Forgets the last step.
    pub fn clear(&mut self) {
        self.contacts.clear();
        self.overflow = false;
    }

    /// Adds a contact if there is room.
    pub fn push(&mut self, contact: Contact) {
        if self.contacts.len() < self.contacts.capacity() {
            self.contacts.push(contact);
        } else {
            self.overflow = true;
        }
    }
}
