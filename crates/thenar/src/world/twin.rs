//! Several worlds of the same models: nothing that never changes is copied, and scratch is lent.

use super::{Workspace, World};
use crate::body::SoftBody;
use crate::collide::{Contacts, TouchPlaces};
use crate::contact::{ContactMemory, Touching};
use crate::energy::problem::SoftProblem;
use crate::math::{Kernels, Pose};
use crate::solve::direct::SoftFactor;
use crate::tactile::SoftPlaces;
use std::sync::Arc;

/// Why the scratch of one world is of no use to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScratchError {
    /// Scratch has the sizes of the bodies it was made for.
    #[error("the scratch was made for other bodies: only twins of one world, with nothing added since, share it")]
    OtherBodies,
}

impl World {
    /// Another world of the same models, in the same state: from here on both go their own ways, and alike as long as
    /// they are fed alike. Meshes, distance fields and elimination orders are shared; state, scratch and outputs are its
    /// own. Pushes, tethers and holds that wait for the next step are taken over, the clock and the threads too.
    #[must_use]
    pub fn twin(&self) -> World {
        let mut twin = self.twin_without_scratch();
        twin.need_scratch();
        twin
    }

    /// The same without scratch, which is most of a world's memory: matrices, factors and rows. Many worlds that are stepped in turn need
    /// one, see [`World::take_scratch`]; a world that is stepped without makes its own.
    #[must_use]
    pub fn twin_without_scratch(&self) -> World {
        let mut work = Workspace::default();
        work.equations.border.resize(self.work.equations.border.size() / 6);
        work.predicted_objects.clone_from(&self.work.predicted_objects);
        work.object_motions.clone_from(&self.work.object_motions);
        work.handle_starts.clone_from(&self.work.handle_starts);
        let mut contacts = ContactMemory::with_capacity(self.config.contact_capacity);
        super::snapshot::recall(&mut contacts, &self.state.contacts);
        let mut twin = World {
            config: self.config.clone(),
            softs: self.softs.clone(),
            hand_of_soft: self.hand_of_soft.clone(),
            hands: self.hands.clone(),
            objects: self.objects.clone(),
            state: super::State { contacts, ..self.state.clone() },
            work,
            hand_outputs: self.hand_outputs.clone(),
            object_outputs: self.object_outputs.clone(),
            soft_outputs: self.soft_outputs.clone(),
            events: Vec::with_capacity(self.events.capacity()),
            hosting: self.hosting.clone(),
            pushes: self.pushes.clone(),
            holds: self.holds.clone(),
            report: self.report,
            clock: self.clock,
            executor: Arc::clone(&self.executor),
            outside: self.outside.clone(),
            handles: self.handles.clone(),
            held: self.held.clone(),
        };
        // a clone of a vector has no more room than it needs, and outputs never grow while stepping
        for (out, own) in twin.hand_outputs.iter_mut().zip(&self.hand_outputs) {
            out.contacts.reserve_exact(own.contacts.capacity().saturating_sub(out.contacts.len()));
        }
        twin.events.extend_from_slice(&self.events);
        twin
    }

    /// Takes over the scratch of a twin, which gets what this one had, if anything. What a step computes does not depend on whose scratch it
    /// used. What is read from scratch, [`World::contacts`] and the models of handles, is there again after the next step.
    ///
    /// # Errors
    /// If the worlds are no twins of each other.
    pub fn take_scratch(&mut self, lender: &mut World) -> Result<(), ScratchError> {
        let same = self.softs.len() == lender.softs.len()
            && self.softs.iter().zip(&lender.softs).all(|(own, other)| Arc::ptr_eq(own, other))
            && self.objects.len() == lender.objects.len()
            && self.handles.len() == lender.handles.len()
            && self.work.equations.border.size() == lender.work.equations.border.size()
            && self.config.contact_capacity == lender.config.contact_capacity
            && self.config.kernels == lender.config.kernels;
        if !same {
            return Err(ScratchError::OtherBodies);
        }
        std::mem::swap(&mut self.work, &mut lender.work);
        for world in [self, lender] {
            world.work.touching.clear();
            world.work.limits.trace.clear();
            world.work.handle_step = None;
            world.work.compliance.exact = world.held.is_some();
        }
        Ok(())
    }

    /// True if a step needs no new memory for matrices, factors and rows.
    #[must_use]
    pub fn has_scratch(&self) -> bool {
        self.work.made
    }

    /// Makes scratch for a world that has none.
    pub(super) fn need_scratch(&mut self) {
        if self.work.made {
            return;
        }
        let lean = std::mem::replace(&mut self.work, Workspace::with_room(self.config.contact_capacity));
        for body in &self.softs {
            self.work.add_soft(body, self.config.kernels);
        }
        self.work.equations.border.resize(lean.equations.border.size() / 6);
        self.work.predicted_objects = lean.predicted_objects;
        self.work.object_motions = lean.object_motions;
        self.work.handle_starts = lean.handle_starts;
        self.work.compliance.exact = self.held.is_some();
        self.reserve_border();
    }
}

impl Workspace {
    /// For a world without bodies that has room for that many contacts.
    pub(super) fn with_room(contacts: usize) -> Workspace {
        Workspace {
            made: true,
            contacts: Contacts::with_capacity(contacts),
            touching: Touching::with_capacity(contacts),
            next_memory: ContactMemory::with_capacity(contacts),
            ..Workspace::default()
        }
    }

    /// Room for one more soft body.
    pub(super) fn add_soft(&mut self, body: &SoftBody, kernels: Kernels) {
        self.predicted_nodes.push(body.rest.clone());
        self.tissue.push(body.tissue.work());
        self.places.push(TouchPlaces::new(&body.touch));
        self.touch_places.push(SoftPlaces::new(&body.touch));
        self.compliance.kernels = kernels;
        self.compliance.add_body(&body.symbolic);
        self.limits.add_body(body);
        self.equations.factors.push(SoftFactor::new(&body.symbolic, kernels));
        self.equations.problems.push(SoftProblem::new(Arc::clone(&body.pattern), Arc::clone(&body.symbolic)));
        let most = self.point_positions.capacity().max(body.surface.points.len());
        self.point_positions.reserve(most);
        let most = self.flying_points.capacity().max(body.touch.points.len());
        self.flying_points.reserve(most);
        self.bone_poses.resize(crate::hand::BONE_COUNT, Pose::IDENTITY);
    }
}
