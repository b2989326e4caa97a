//! Objects that live in another engine too: dormant until a hand comes near, then tethered to their copy.
//!
//! The unknowns of hosted objects occupy a fixed number of slots in the border, so that waking one allocates nothing.
//! [`crate::host`] decides when to wake them and where their copies are.

use super::{BodyError, ObjectDef, ObjectError, ObjectId, ObjectModel, World};
use crate::collide::BodyRef;
use crate::energy::inertia::RigidMass;
use crate::energy::tether::{Tether, TetherPull};
use crate::geometry::distance::MassProperties;
use crate::math::{Mat3, Pose, Vec3};

/// Slots and tethers. Tethers are input of a step, like tracked frames, and no state.
#[derive(Clone, Default)]
pub(super) struct Hosting {
    /// Border indices set aside for hosted objects.
    slots: Vec<u32>,
    /// Per object.
    tethers: Vec<Option<Tether>>,
    /// Place in the border that each object has while it is in the world; `None` for fixed and hosted ones.
    homes: Vec<Option<u32>>,
    pulls: Vec<TetherPull>,
}

impl Hosting {
    pub(super) fn add_object(&mut self, model: &ObjectModel) {
        self.homes.push(model.border);
        self.tethers.push(None);
        self.pulls.push(TetherPull::default());
    }
}

impl World {
    /// Sets room aside for as many more hosted objects to be awake at once.
    pub fn reserve_hosted(&mut self, slots: usize) {
        self.need_scratch();
        let first = self.work.equations.border.size() / 6;
        self.work.equations.border.resize(first + slots);
        self.hosting.slots.extend((first..first + slots).map(|s| s as u32));
        self.reserve_border();
    }

    /// Adds an object that another engine simulates too, dormant. `mass` are its whole mass properties in the frame of
    /// its shape, of which it has `share` here. Other moving objects do not feel it; with `touches_fixed` it feels the
    /// fixed objects of this world.
    ///
    /// # Errors
    /// Names the field of the definition that cannot be used.
    pub fn add_hosted(
        &mut self,
        def: ObjectDef,
        mass: &MassProperties,
        share: f64,
        touches_fixed: bool,
    ) -> Result<ObjectId, ObjectError> {
        let (velocity, spin) = (def.velocity, def.spin);
        let def = ObjectDef { mass: Some(mass.mass), ..def };
        let (mut model, pose) = def.build_with(&self.config, Some(mass))?;
        model.hosted = true;
        model.mass = Some(RigidMass { mass: mass.mass * share, inertia: mass.inertia * share });
        if !touches_fixed {
            model.samples = std::sync::Arc::from([]);
        }
        Ok(self.add_model(model, pose, velocity, spin))
    }

    /// Lets a hosted object take part from the next step on. False if all slots are taken.
    ///
    /// # Errors
    /// If there is no such object, or it is not hosted.
    pub fn wake_hosted(&mut self, object: ObjectId) -> Result<bool, BodyError> {
        let i = self.hosted_index(object)?;
        if self.objects[i].border.is_some() {
            return Ok(true);
        }
        let free = self.hosting.slots.iter().copied().find(|&slot| self.slot_is_free(slot));
        self.state.slots[i] = free;
        self.objects[i].border = free;
        Ok(free.is_some())
    }

    /// Makes a hosted object dormant: nothing touches it, and it stays where it is put.
    ///
    /// # Errors
    /// If there is no such object, or it is not hosted.
    pub fn rest_hosted(&mut self, object: ObjectId) -> Result<(), BodyError> {
        let i = self.hosted_index(object)?;
        self.state.slots[i] = None;
        self.objects[i].border = None;
        self.untie(i);
        Ok(())
    }

    /// Puts a hosted object somewhere: the placement of its centre of mass, its velocity and spin.
    ///
    /// # Errors
    /// If there is no such object, or it is not hosted.
    pub fn place_hosted(&mut self, object: ObjectId, pose: Pose, velocity: Vec3, spin: Vec3) -> Result<(), BodyError> {
        let i = self.hosted_index(object)?;
        self.put_object(i, pose, velocity, spin);
        Ok(())
    }

    /// Ties an object to a place, or a hosted one to its copy, until it is untied or tied anew.
    ///
    /// # Errors
    /// If there is no such object.
    pub fn tether(&mut self, object: ObjectId, tether: Tether) -> Result<(), BodyError> {
        let i = self.object_index(object)?;
        self.hosting.tethers[i] = Some(tether);
        Ok(())
    }

    /// True if any object is tied.
    pub(super) fn has_tethers(&self) -> bool {
        self.hosting.tethers.iter().any(Option::is_some)
    }

    /// Unties an object.
    ///
    /// # Errors
    /// If there is no such object.
    pub fn untether(&mut self, object: ObjectId) -> Result<(), BodyError> {
        let i = self.object_index(object)?;
        self.hosting.tethers[i] = None;
        Ok(())
    }

    pub(super) fn untie(&mut self, object: usize) {
        self.hosting.tethers[object] = None;
        self.hosting.pulls[object] = TetherPull::default();
    }

    pub(super) fn hosted_slots(&self) -> usize {
        self.hosting.slots.len()
    }

    /// What the tether of an object did in the last step.
    #[must_use]
    pub fn tether_pull(&self, object: ObjectId) -> TetherPull {
        self.hosting.pulls.get(object.0 as usize).copied().unwrap_or_default()
    }

    /// True if any hand that is present has tissue within `reach` metres of the object.
    #[must_use]
    pub fn is_near(&self, object: ObjectId, reach: f64) -> bool {
        let i = object.0 as usize;
        let (Some(model), Some(state)) = (self.objects.get(i), self.state.objects.get(i)) else { return false };
        let bounds = model.world_bounds(&state.pose);
        let (min, max) = (bounds.min - reach, bounds.max + reach);
        let back = state.pose.rotation.inverse();
        self.state.softs.iter().filter(|s| s.active).any(|soft| {
            soft.nodes.iter().any(|&x| {
                x.cmpge(min).all()
                    && x.cmple(max).all()
                    && model.sample(back * (x - state.pose.position)).distance < reach
            })
        })
    }

    fn slot_is_free(&self, slot: u32) -> bool {
        self.objects.iter().all(|o| o.border != Some(slot))
    }

    /// After a restore or a removal: the models say again which of them are in the world and where in the border.
    pub(super) fn reassign_slots(&mut self) {
        for (i, object) in self.objects.iter_mut().enumerate() {
            object.absent = self.state.removed.contains(&BodyRef::Object(i as u32));
            let place = if object.hosted { self.state.slots[i] } else { self.hosting.homes[i] };
            object.border = place.filter(|_| !object.absent);
        }
    }

    /// Tethers and holds into the border, and ones on the diagonal of places that nobody uses.
    pub(super) fn add_tethers(&mut self, dt: f64) {
        for (i, object) in self.objects.iter().enumerate() {
            let Some(index) = object.border else { continue };
            for tether in self.hosting.tethers[i].iter().chain(self.holds.object(i)) {
                let border = &mut self.work.equations.border.assembled;
                tether.append(border, index as usize, &self.state.objects[i].pose, dt);
            }
        }
        for s in 0..self.hosting.slots.len() {
            let slot = self.hosting.slots[s];
            if self.slot_is_free(slot) {
                self.idle(slot);
            }
        }
        for r in 0..self.state.removed.len() {
            let BodyRef::Object(object) = self.state.removed[r] else { continue };
            if let Some(home) = self.hosting.homes[object as usize] {
                self.idle(home);
            }
        }
    }

    /// A place in the border that nothing uses: ones on the diagonal, at rest.
    fn idle(&mut self, slot: u32) {
        let (linear, border) = (2 * slot as usize, &mut self.work.equations.border);
        border.assembled.add(linear, linear, &Mat3::IDENTITY);
        border.assembled.add(linear + 1, linear + 1, &Mat3::IDENTITY);
        border.start(slot as usize, Vec3::ZERO, Vec3::ZERO);
    }

    /// What the tethers did, from the solved motion.
    pub(super) fn settle_tethers(&mut self, dt: f64) {
        for (i, pull) in self.hosting.pulls.iter_mut().enumerate() {
            *pull = match (&self.hosting.tethers[i], self.objects[i].border) {
                (Some(tether), Some(_)) => {
                    let (velocity, spin) = self.work.object_motions[i];
                    tether.pull(&self.state.objects[i].pose, velocity, spin, dt)
                }
                _ => TetherPull::default(),
            };
        }
    }

    /// A step that was rolled back moved nothing and pulled nothing.
    pub(super) fn drop_pulls(&mut self) {
        self.hosting.pulls.fill(TetherPull::default());
    }
}
