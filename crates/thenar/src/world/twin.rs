//! Several worlds of the same models: nothing that never changes is copied.

use super::{Workspace, World};
use crate::body::SoftBody;
use crate::collide::{Contacts, TouchPlaces};
use crate::contact::{ContactMemory, Touching};
use crate::energy::problem::SoftProblem;
use crate::math::{Kernels, Pose};
use crate::solve::direct::SoftFactor;
use crate::tactile::SoftPlaces;
use std::sync::Arc;

impl World {
    /// Another world of the same models, in the same state: from here on both go their own ways, and alike as long as
    /// they are fed alike. Meshes, distance fields and elimination orders are shared; state, scratch and outputs are its
    /// own. Pushes, tethers and holds that wait for the next step are taken over, the clock and the threads too.
    #[must_use]
    pub fn twin(&self) -> World {
        let mut work = Workspace::with_room(self.config.contact_capacity);
        for body in &self.softs {
            work.add_soft(body, self.config.kernels);
        }
        work.equations.border.resize(self.work.equations.border.size() / 6);
        work.predicted_objects.clone_from(&self.work.predicted_objects);
        work.object_motions.clone_from(&self.work.object_motions);
        work.handle_starts.clone_from(&self.work.handle_starts);
        work.touching.wanted_rows = self.work.touching.wanted_rows;
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
        twin.reserve_border();
        twin
    }
}

impl Workspace {
    /// For a world without bodies that has room for that many contacts.
    pub(super) fn with_room(contacts: usize) -> Workspace {
        Workspace {
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
        self.compliance.add_body(&body.symbolic);
        self.limits.add_body(body);
        self.equations.factors.push(SoftFactor::new(&body.symbolic, kernels));
        self.equations.problems.push(SoftProblem::new(Arc::clone(&body.pattern), Arc::clone(&body.symbolic)));
        let most = self.point_positions.capacity().max(body.surface.points.len());
        self.point_positions.reserve(most);
        self.bone_poses.resize(crate::hand::BONE_COUNT, Pose::IDENTITY);
    }
}
