//! What detection looks at: all bodies, where they are and where they will be.

use super::contact::ContactKey;
use crate::body::{ObjectModel, SoftBody, SoftState};
use crate::energy::inertia::RigidState;
use crate::math::{Pose, Vec3};
use std::sync::Arc;

/// The side from which a point went in, as an earlier step saw it, in the touched object's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entered {
    /// Outward normal of the surface there.
    pub normal: Vec3,
    /// A place on that surface, metres.
    pub surface: Vec3,
}

/// All bodies at the start and at the predicted end of the step.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// Soft bodies.
    pub softs: &'a [Arc<SoftBody>],
    /// Where they are.
    pub soft_states: &'a [SoftState],
    /// Where their nodes will be.
    pub nodes: &'a [Vec<Vec3>],
    /// Rigid objects.
    pub objects: &'a [ObjectModel],
    /// Where they are.
    pub object_states: &'a [RigidState],
    /// Where their centres of mass will be.
    pub poses: &'a [Pose],
}

/// What earlier steps know of a contact.
pub type Remembered<'a> = &'a dyn Fn(&ContactKey) -> Option<Entered>;

impl Scene<'_> {
    /// From the centre of mass of an object to a place, both at the start of the step.
    #[must_use]
    pub fn lever(&self, object: usize, place_at_start: Vec3) -> Vec3 {
        place_at_start - self.object_states[object].pose.position
    }
}
