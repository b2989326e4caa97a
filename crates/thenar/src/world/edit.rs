//! Changing a world between two steps: putting bodies somewhere, setting them in motion, taking them out.

use super::{HandId, ObjectId, ObjectOutputs, SoftId, SoftOutputs, World};
use crate::collide::BodyRef;
use crate::energy::inertia::RigidState;
use crate::math::{Pose, Vec3};

/// Why a body was not changed; nothing happened then.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BodyError {
    /// The world never gave this id.
    #[error("there is no {kind} {id} in this world; use an id that it gave when the {kind} was added")]
    Unknown {
        /// Hand, object or soft object.
        kind: &'static str,
        /// The id.
        id: u32,
    },
    /// The body was taken out of the world.
    #[error("{kind} {id} was removed from this world; add a new one")]
    Removed {
        /// Hand, object or soft object.
        kind: &'static str,
        /// The id.
        id: u32,
    },
    /// The object never moves.
    #[error("object {id} never moves; add it with a mass, or leave its velocity, spin and forces zero")]
    Fixed {
        /// The id.
        id: u32,
    },
    /// Another engine moves the object too, or, where that is asked for, does not.
    #[error("object {id} is {}; use `{remedy}`", if *.hosted { "hosted by another engine" } else { "not hosted by another engine" })]
    Hosted {
        /// The id.
        id: u32,
        /// What it is.
        hosted: bool,
        /// What to call instead.
        remedy: &'static str,
    },
    /// A number is out of range.
    #[error("{kind} {id}: {field} is {value}, expected {expected}")]
    Field {
        /// Hand, object or soft object.
        kind: &'static str,
        /// The id.
        id: u32,
        /// Name of the argument.
        field: &'static str,
        /// What it was.
        value: f64,
        /// What it should be.
        expected: &'static str,
    },
}

const HAND: &str = "hand";
const OBJECT: &str = "object";
const SOFT: &str = "soft object";

/// Fastest start of a body, m/s, and its fastest spin, rad/s: as for bodies that are added.
const FASTEST: f64 = 100.0;
const FASTEST_SPIN: f64 = 1000.0;

impl World {
    /// Puts an object somewhere: the placement of its shape's frame, as in its outputs, its velocity (m/s) and spin
    /// (rad/s). Contacts of an object that is put elsewhere begin anew.
    ///
    /// # Errors
    /// If there is no such object, it cannot move as told, or a number is out of range.
    pub fn set_object_motion(
        &mut self,
        object: ObjectId,
        pose: Pose,
        velocity: Vec3,
        spin: Vec3,
    ) -> Result<(), BodyError> {
        let i = self.object_index(object)?;
        if self.objects[i].hosted {
            return Err(BodyError::Hosted { id: object.0, hosted: true, remedy: "place_hosted" });
        }
        let (pose, state) = (self.centre_of_mass(OBJECT, object.0, i, pose)?, &self.state.objects[i]);
        check_speed(OBJECT, object.0, "velocity", velocity, FASTEST, "at most 100 m/s")?;
        check_speed(OBJECT, object.0, "spin", spin, FASTEST_SPIN, "at most 1000 rad/s")?;
        let moves = velocity != Vec3::ZERO || spin != Vec3::ZERO;
        if self.objects[i].mass.is_none() && moves {
            return Err(BodyError::Fixed { id: object.0 });
        }
        if pose != state.pose {
            self.state.contacts.forget(BodyRef::Object(object.0));
        }
        self.put_object(i, pose, velocity, spin);
        Ok(())
    }

    /// Sets all of a soft object in motion at once, m/s.
    ///
    /// # Errors
    /// If there is no such soft object, or the velocity is out of range.
    pub fn set_soft_velocity(&mut self, soft: SoftId, velocity: Vec3) -> Result<(), BodyError> {
        let i = self.soft_index(soft)?;
        check_speed(SOFT, soft.0, "velocity", velocity, FASTEST, "at most 100 m/s")?;
        let state = &mut self.state.softs[i];
        state.velocities.fill(velocity);
        state.bones.iter_mut().for_each(|bone| bone.velocity = velocity);
        self.refresh_soft(i);
        Ok(())
    }

    /// Puts a soft object somewhere, undeformed and at rest: its mesh as it was added, moved by `pose`.
    ///
    /// # Errors
    /// If there is no such soft object, or the pose is not finite.
    pub fn place_soft(&mut self, soft: SoftId, pose: Pose) -> Result<(), BodyError> {
        let i = self.soft_index(soft)?;
        let pose = upright(SOFT, soft.0, pose)?;
        let (body, state) = (&self.softs[i], &mut self.state.softs[i]);
        state.nodes.iter_mut().zip(&body.rest).for_each(|(x, rest)| *x = pose.point(*rest));
        state.velocities.fill(Vec3::ZERO);
        state.holding.fill([0.0; 4]);
        for (bone, rest) in state.bones.iter_mut().zip(&body.bones_at_rest) {
            *bone = RigidState::at(pose * *rest);
        }
        state.begin_anew(body);
        self.state.contacts.forget(BodyRef::Soft(soft.0));
        self.refresh_soft(i);
        Ok(())
    }

    /// Bends a soft object that has no handles: where its nodes are, metres, and how fast, m/s. Its contacts begin anew.
    ///
    /// # Errors
    /// If there is no such soft object, or the numbers are not finite or not as many as its nodes; then nothing changes.
    pub fn shape_soft(&mut self, soft: SoftId, nodes: &[Vec3], velocities: &[Vec3]) -> Result<(), BodyError> {
        let i = self.soft_index(soft)?;
        self.check_nodes(soft, i, "nodes", nodes.len())?;
        self.check_nodes(soft, i, "velocities", velocities.len())?;
        for (field, vectors) in [("nodes", nodes), ("velocities", velocities)] {
            if let Some(wrong) = vectors.iter().find(|vector| !vector.is_finite()) {
                let (kind, value, expected) = (SOFT, wrong.length(), "finite numbers");
                return Err(BodyError::Field { kind, id: soft.0, field, value, expected });
            }
        }
        let (body, state) = (&self.softs[i], &mut self.state.softs[i]);
        state.nodes.copy_from_slice(nodes);
        state.velocities.copy_from_slice(velocities);
        state.holding.fill([0.0; 4]);
        state.begin_anew(body);
        self.state.contacts.forget(BodyRef::Soft(soft.0));
        self.refresh_soft(i);
        Ok(())
    }

    /// Takes an object out of the world: from the next step on nothing meets it, and it stays where it was. Its id is not
    /// given again; what came out for it last can still be read.
    ///
    /// # Errors
    /// If there is no such object, or it was removed before.
    pub fn remove_object(&mut self, object: ObjectId) -> Result<(), BodyError> {
        let i = self.object_index(object)?;
        self.state.slots[i] = None;
        self.untie(i);
        self.holds.forget_object(i);
        self.pushes.forget(i);
        self.remove_body(BodyRef::Object(object.0));
        Ok(())
    }

    /// Takes a soft object out of the world, as [`World::remove_object`] does.
    ///
    /// # Errors
    /// If there is no such soft object, or it was removed before.
    pub fn remove_soft(&mut self, soft: SoftId) -> Result<(), BodyError> {
        let i = self.soft_index(soft)?;
        self.state.softs[i].active = false;
        self.holds.forget_soft(i);
        self.remove_body(BodyRef::Soft(soft.0));
        Ok(())
    }

    /// Takes a hand out of the world, as [`World::remove_object`] does; it can be tracked no more.
    ///
    /// # Errors
    /// If there is no such hand, or it was removed before.
    pub fn remove_hand(&mut self, hand: HandId) -> Result<(), BodyError> {
        let h = self.hand_index(hand)?;
        let soft = self.hands[h].soft;
        self.state.hands[h].targets.present = false;
        self.state.softs[soft].active = false;
        self.remove_body(BodyRef::Soft(soft as u32));
        let out = &mut self.hand_outputs[h];
        out.present = false;
        out.contacts.clear();
        Ok(())
    }

    /// True if this world gave the id and the hand was not removed.
    #[must_use]
    pub fn has_hand(&self, hand: HandId) -> bool {
        self.hand_index(hand).is_ok()
    }

    /// True if this world gave the id and the object was not removed.
    #[must_use]
    pub fn has_object(&self, object: ObjectId) -> bool {
        self.object_index(object).is_ok()
    }

    /// True if this world gave the id to a soft object, and it was not removed.
    #[must_use]
    pub fn has_soft(&self, soft: SoftId) -> bool {
        self.soft_index(soft).is_ok()
    }

    fn remove_body(&mut self, body: BodyRef) {
        self.state.contacts.forget(body);
        self.state.removed.push(body);
        self.work.touching.clear();
        self.reassign_slots();
    }

    /// The place of a hand that is in the world.
    pub(super) fn hand_index(&self, hand: HandId) -> Result<usize, BodyError> {
        let found = self.hands.get(hand.0 as usize).map(|h| BodyRef::Soft(h.soft as u32));
        self.index(HAND, hand.0, found)
    }

    /// The place of an object that is in the world.
    pub(super) fn object_index(&self, object: ObjectId) -> Result<usize, BodyError> {
        let found = self.objects.get(object.0 as usize).map(|_| BodyRef::Object(object.0));
        self.index(OBJECT, object.0, found)
    }

    /// The place of a hosted object that is in the world.
    pub(super) fn hosted_index(&self, object: ObjectId) -> Result<usize, BodyError> {
        let i = self.object_index(object)?;
        if self.objects[i].hosted {
            return Ok(i);
        }
        Err(BodyError::Hosted { id: object.0, hosted: false, remedy: "add_hosted" })
    }

    /// The place of a soft object, which is no hand's body, that is in the world.
    pub(super) fn soft_index(&self, soft: SoftId) -> Result<usize, BodyError> {
        let of_hand = self.hand_of_soft.get(soft.0 as usize);
        let found = of_hand.filter(|hand| hand.is_none()).map(|_| BodyRef::Soft(soft.0));
        self.index(SOFT, soft.0, found)
    }

    /// True count of what is given per node of a soft object.
    pub(super) fn check_nodes(
        &self,
        soft: SoftId,
        i: usize,
        field: &'static str,
        count: usize,
    ) -> Result<(), BodyError> {
        if count == self.softs[i].node_count() {
            return Ok(());
        }
        let expected = "one for each of its nodes";
        Err(BodyError::Field { kind: SOFT, id: soft.0, field, value: count as f64, expected })
    }

    fn index(&self, kind: &'static str, id: u32, found: Option<BodyRef>) -> Result<usize, BodyError> {
        match found {
            None => Err(BodyError::Unknown { kind, id }),
            Some(body) if self.state.removed.contains(&body) => Err(BodyError::Removed { kind, id }),
            Some(_) => Ok(id as usize),
        }
    }

    /// Placement of the centre of mass from that of the shape's frame.
    fn centre_of_mass(&self, kind: &'static str, id: u32, object: usize, pose: Pose) -> Result<Pose, BodyError> {
        let pose = upright(kind, id, pose)?;
        Ok(Pose::new(pose.point(self.objects[object].com), pose.rotation))
    }

    /// Writes placement of the centre of mass and motion of an object.
    pub(super) fn put_object(&mut self, i: usize, pose: Pose, velocity: Vec3, spin: Vec3) {
        let (model, state) = (&self.objects[i], &mut self.state.objects[i]);
        state.pose = pose;
        if let Some(mass) = &model.mass {
            state.velocity = velocity;
            state.momentum = mass.world_inertia(pose.rotation) * spin;
        }
        self.object_outputs[i] = ObjectOutputs::new(model, state);
    }

    fn refresh_soft(&mut self, i: usize) {
        let state = &self.state.softs[i];
        self.soft_outputs[i] = SoftOutputs::new(&self.softs[i], &state.nodes, &state.velocities);
    }
}

/// The pose with a unit rotation.
fn upright(kind: &'static str, id: u32, pose: Pose) -> Result<Pose, BodyError> {
    let length = pose.rotation.length();
    if !pose.is_finite() || length < 1e-6 {
        return Err(BodyError::Field {
            kind,
            id,
            field: "pose",
            value: f64::NAN,
            expected: "finite numbers and a rotation",
        });
    }
    Ok(Pose::new(pose.position, pose.rotation.normalize()))
}

fn check_speed(
    kind: &'static str,
    id: u32,
    field: &'static str,
    speed: Vec3,
    most: f64,
    expected: &'static str,
) -> Result<(), BodyError> {
    if speed.is_finite() && speed.length() < most {
        return Ok(());
    }
    Err(BodyError::Field { kind, id, field, value: speed.length(), expected })
}
