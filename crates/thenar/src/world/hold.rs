//! Bodies that are held at places from outside: what a scene presents, and what stays in a palm until a hand has closed around it.
//!
//! A hold is beside the tether by which an object of another engine follows its copy, and that engine feels it as it feels a hand.

use super::{BodyError, ObjectId, SoftId, World};
use crate::energy::held::HeldNodes;
use crate::energy::tether::Tether;

/// Holds by number of the body. Input of a step, like tracked frames, and no state.
#[derive(Clone, Default)]
pub(super) struct Holds {
    objects: Vec<Option<Tether>>,
    softs: Vec<Option<HeldNodes>>,
}

impl Holds {
    pub(super) fn object(&self, object: usize) -> Option<&Tether> {
        self.objects.get(object)?.as_ref()
    }

    pub(super) fn soft(&self, soft: usize) -> Option<&HeldNodes> {
        self.softs.get(soft)?.as_ref()
    }

    pub(super) fn forget_object(&mut self, object: usize) {
        set(&mut self.objects, object, None);
    }

    pub(super) fn forget_soft(&mut self, soft: usize) {
        set(&mut self.softs, soft, None);
    }
}

impl World {
    /// Holds an object at a place, whatever else ties it, until it is released or held elsewhere. An object of another engine is held
    /// while it is awake.
    ///
    /// # Errors
    /// If there is no such object.
    pub fn hold(&mut self, object: ObjectId, at: Tether) -> Result<(), BodyError> {
        let i = self.object_index(object)?;
        set(&mut self.holds.objects, i, Some(at));
        Ok(())
    }

    /// Ends [`World::hold`].
    ///
    /// # Errors
    /// If there is no such object.
    pub fn release(&mut self, object: ObjectId) -> Result<(), BodyError> {
        let i = self.object_index(object)?;
        self.holds.forget_object(i);
        Ok(())
    }

    /// Holds the nodes of a soft object, until it is released or held otherwise.
    ///
    /// # Errors
    /// If there is no such soft object, or the number of places is not that of its nodes; then nothing changes.
    pub fn hold_soft(&mut self, soft: SoftId, at: HeldNodes) -> Result<(), BodyError> {
        let i = self.soft_index(soft)?;
        self.check_nodes(soft, i, "places", at.places.len())?;
        set(&mut self.holds.softs, i, Some(at));
        Ok(())
    }

    /// Ends [`World::hold_soft`].
    ///
    /// # Errors
    /// If there is no such soft object.
    pub fn release_soft(&mut self, soft: SoftId) -> Result<(), BodyError> {
        let i = self.soft_index(soft)?;
        self.holds.forget_soft(i);
        Ok(())
    }
}

fn set<T>(list: &mut Vec<Option<T>>, index: usize, value: Option<T>) {
    if list.len() <= index && value.is_some() {
        list.resize_with(index + 1, || None);
    }
    if let Some(place) = list.get_mut(index) {
        *place = value;
    }
}
