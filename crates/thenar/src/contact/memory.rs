//! What contacts remember from step to step. Part of the State.

use crate::body::ContactMethod;
use crate::collide::{BodyRef, ContactKey, Entered, Feature};
use crate::math::Vec3;

/// Where a point sticks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Anchor {
    /// On a rigid object, in its frame, metres.
    Local(Vec3),
    /// On a ball that touches with another point in every step: not a place but the offset itself, in the frame of the
    /// touched object, summed up from the slip.
    Rolling(Vec3),
    /// On a triangle of a soft surface, by shares of its corners.
    Triangle(u32, [f64; 3]),
}

/// What one contact remembers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Memory {
    /// Who touches whom.
    pub key: ContactKey,
    /// The method that answered it.
    pub method: ContactMethod,
    /// Where it sticks.
    pub anchor: Anchor,
    /// Normal force, N.
    pub pressing: f64,
    /// Force on the touching side, N, in world axes.
    pub force: Vec3,
    /// Gap, metres.
    pub gap: f64,
    /// It slid in the last step.
    pub slipping: bool,
    /// The side on which it went in; for rigid objects.
    pub entered: Option<Entered>,
}

/// Which patch touches whom where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PatchKey {
    /// The soft body.
    pub body: u32,
    /// Whom it touches.
    pub other: BodyRef,
    /// The patch of its surface.
    pub patch: u8,
    /// Which of several places.
    pub place: u8,
}

/// What one patch remembers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatchMemory {
    /// Which patch touches whom where.
    pub key: PatchKey,
    /// Normal force, N.
    pub pressing: f64,
    /// Friction, N, in world axes.
    pub friction: Vec3,
    /// Torque of friction about the normal, N m.
    pub torque: f64,
    /// How far it has been moved from its anchor without slipping, metres, in the touched object's frame.
    pub offset: Vec3,
    /// How far it has been turned, radians.
    pub turned: f64,
    /// By how much springs have shed their depth, metres.
    pub shift: f64,
    /// For how long its normal force has been at rest, seconds.
    pub rested: f64,
    /// The force since which it has, N.
    pub rest_force: f64,
}

/// All of them, in order of their keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactMemory {
    contacts: Vec<Memory>,
    patches: Vec<PatchMemory>,
    limit: usize,
}

impl ContactMemory {
    /// Room for as many contacts.
    #[must_use]
    pub fn with_capacity(contacts: usize) -> Self {
        // every contact may be a patch of its own
        let patches = Vec::with_capacity(contacts);
        ContactMemory { contacts: Vec::with_capacity(contacts), patches, limit: contacts }
    }

    /// What a contact remembers.
    #[must_use]
    pub fn contact(&self, key: &ContactKey) -> Option<&Memory> {
        self.contacts.binary_search_by(|m| m.key.cmp(key)).ok().map(|i| &self.contacts[i])
    }

    /// What a patch remembers.
    #[must_use]
    pub fn patch(&self, key: &PatchKey) -> Option<&PatchMemory> {
        self.patches.binary_search_by(|m| m.key.cmp(key)).ok().map(|i| &self.patches[i])
    }

    /// True if a touch point of a soft body pressed on anything.
    #[must_use]
    pub fn has_touch_point(&self, body: u32, point: u32) -> bool {
        let (owner, feature) = (BodyRef::Soft(body), Feature::Touch(point));
        let at = self.contacts.partition_point(|m| (m.key.owner, m.key.feature) < (owner, feature));
        self.contacts.get(at).is_some_and(|m| m.key.owner == owner && m.key.feature == feature)
    }

    /// All contacts.
    #[must_use]
    pub fn contacts(&self) -> &[Memory] {
        &self.contacts
    }

    /// All patches.
    #[must_use]
    pub fn patches(&self) -> &[PatchMemory] {
        &self.patches
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.contacts.clear();
        self.patches.clear();
    }

    /// Forgets what has to do with a body.
    pub fn forget(&mut self, body: BodyRef) {
        self.contacts.retain(|m| m.key.owner != body && m.key.other != body);
        self.patches.retain(|m| BodyRef::Soft(m.key.body) != body && m.key.other != body);
    }

    /// Keeps a contact; [`ContactMemory::sort`] once all are there. More than there is room for are not remembered.
    pub fn keep(&mut self, memory: Memory) {
        if self.contacts.len() < self.limit {
            self.contacts.push(memory);
        }
    }

    /// Keeps a patch.
    pub fn keep_patch(&mut self, memory: PatchMemory) {
        if self.patches.len() < self.limit {
            self.patches.push(memory);
        }
    }

    /// Brings all into the order of their keys.
    pub fn sort(&mut self) {
        self.contacts.sort_unstable_by_key(|a| a.key);
        self.patches.sort_unstable_by_key(|a| a.key);
    }
}
