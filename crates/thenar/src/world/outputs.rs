//! Last stage: what callers read after a step.

use super::skin::SkinCarrier;
use super::{Hand, HandId, ObjectId, SoftBody, World};
use crate::collide::{ObjectModel, Toucher};
use crate::energy::inertia::RigidState;
use crate::hand::{BONE_COUNT, Digit, HandModel, Patch};
use crate::math::{Pose, Vec3};

/// Force on one skin vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactForce {
    /// Index of the skin vertex.
    pub vertex: u32,
    /// The touched object.
    pub object: ObjectId,
    /// Where, metres.
    pub point: Vec3,
    /// Unit normal from the object to the skin.
    pub normal: Vec3,
    /// Force on the skin, N.
    pub force: Vec3,
    /// Normal force over the vertex's area, Pa.
    pub pressure: f64,
    /// Gap, metres: negative inside the object.
    pub gap: f64,
    /// The patch of the vertex.
    pub patch: Patch,
    /// The vertex slides over the object.
    pub slipping: bool,
}

/// What came out for one hand.
#[derive(Clone, Debug)]
pub struct HandOutputs {
    /// The hand is in the world.
    pub present: bool,
    /// Skin vertex positions in the world, metres.
    pub skin_positions: Vec<[f32; 3]>,
    /// Unit skin normals.
    pub skin_normals: Vec<[f32; 3]>,
    /// Placements of the bone frames.
    pub bones: [Pose; BONE_COUNT],
    /// Placements of the tracked bone frames.
    pub tracked: [Pose; BONE_COUNT],
    /// Forces on the skin, in order of their patches.
    pub contacts: Vec<ContactForce>,
    /// Sum of the normal forces on each digit, N.
    pub grip: [f64; Digit::ALL.len()],
    /// Sum of the normal forces on the palm, N.
    pub palm_force: f64,
    /// Force with which tracking pulls the palm, N.
    pub tracking_force: Vec3,
    /// Largest distance between the two halves of a joint, metres.
    pub joint_drift: f64,
    carrier: SkinCarrier,
}

/// What came out for one object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObjectOutputs {
    /// Placement of the shape's frame.
    pub pose: Pose,
    /// Velocity of the centre of mass, m/s.
    pub velocity: Vec3,
    /// Spin, rad/s.
    pub spin: Vec3,
    /// Force of all hands on the object, N.
    pub force: Vec3,
    /// Torque of all hands about its centre of mass, N m.
    pub torque: Vec3,
}

/// A digit or the palm began or ceased to touch an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContactEvent {
    /// The hand.
    pub hand: HandId,
    /// The digit; `None` for the palm.
    pub digit: Option<Digit>,
    /// The object.
    pub object: ObjectId,
    /// Began (true) or ended.
    pub began: bool,
}

impl ObjectOutputs {
    pub(super) fn new(model: &ObjectModel, state: &RigidState) -> Self {
        ObjectOutputs {
            pose: Pose::new(state.pose.point(-model.com), state.pose.rotation),
            velocity: state.velocity,
            spin: model.mass.as_ref().map_or(Vec3::ZERO, |m| state.spin(m)),
            force: Vec3::ZERO,
            torque: Vec3::ZERO,
        }
    }
}

impl HandOutputs {
    pub(super) fn new(hand: &Hand, body: &SoftBody, model: &HandModel) -> Self {
        let carrier = SkinCarrier::new(model, body);
        HandOutputs {
            present: false,
            skin_positions: vec![[0.0; 3]; model.skin.normals.len()],
            skin_normals: vec![[0.0; 3]; model.skin.normals.len()],
            bones: hand.skeleton.rest_poses(),
            tracked: hand.skeleton.rest_poses(),
            contacts: Vec::with_capacity(body.surface.points.len()),
            grip: [0.0; Digit::ALL.len()],
            palm_force: 0.0,
            tracking_force: Vec3::ZERO,
            joint_drift: 0.0,
            carrier,
        }
    }
}

impl World {
    pub(super) fn write_outputs(&mut self) {
        for (out, (model, state)) in self.object_outputs.iter_mut().zip(self.objects.iter().zip(&self.state.objects)) {
            *out = ObjectOutputs::new(model, state);
        }
        for hand in 0..self.hands.len() {
            self.write_hand(hand);
        }
        self.write_contacts();
        self.write_events();
        self.report.hash = self.state.hash();
    }

    fn write_hand(&mut self, index: usize) {
        let hand = &self.hands[index];
        let (body, state) = (&self.softs[hand.soft], &self.state.softs[hand.soft]);
        let tracking = &self.state.hands[index];
        let out = &mut self.hand_outputs[index];
        out.present = state.active;
        out.contacts.clear();
        out.grip = [0.0; Digit::ALL.len()];
        out.palm_force = 0.0;
        out.tracked = tracking.targets.bones;
        if !state.active {
            return;
        }
        for (b, bone) in state.bones.iter().enumerate() {
            out.bones[b] = hand.frame(b, &bone.pose);
        }
        let palm = &self.config.tracking.palm;
        let pull = tracking.elastic.bones[0].pose.position - state.bones[0].pose.position;
        out.tracking_force = pull * crate::energy::coupling::capped(palm.linear, pull.length(), palm.force_cap);
        out.joint_drift = body
            .joints
            .iter()
            .map(|j| j.drift(&state.bones[j.parent as usize].pose, &state.bones[j.child as usize].pose))
            .fold(0.0, f64::max);
        if self.config.skin_output {
            let (kernels, carrier) = (self.config.kernels, &mut out.carrier);
            carrier.carry(kernels, &body.tets, state, &mut out.skin_positions, &mut out.skin_normals);
        }
    }

    fn write_contacts(&mut self) {
        for record in &self.work.records {
            let contact = &record.contact;
            let Toucher::Soft { body, point } = contact.toucher else { continue };
            let p = &self.softs[body as usize].surface.points[point as usize];
            let pressing = record.force.dot(record.normal);
            let object = &mut self.object_outputs[contact.object as usize];
            let lever = contact.point - self.work.predicted_objects[contact.object as usize].position;
            object.force -= record.force;
            object.torque -= lever.cross(record.force);
            let Some(hand) = self.hand_of_soft[body as usize] else { continue };
            let out = &mut self.hand_outputs[hand as usize];
            let patch = Patch(p.patch);
            match patch.digit() {
                Some(digit) => out.grip[digit.index()] += pressing.max(0.0),
                None => out.palm_force += pressing.max(0.0),
            }
            if out.contacts.len() < out.contacts.capacity() {
                out.contacts.push(ContactForce {
                    vertex: p.vertex,
                    object: ObjectId(contact.object),
                    point: contact.point,
                    normal: record.normal,
                    force: record.force,
                    pressure: pressing / p.area,
                    gap: record.gap,
                    patch,
                    slipping: record.slipping,
                });
            }
        }
    }

    fn write_events(&mut self) {
        self.events.clear();
        for (h, state) in self.state.hands.iter_mut().enumerate() {
            let contacts = &self.hand_outputs[h].contacts;
            for (o, touching) in state.touching.iter_mut().enumerate() {
                let mut now = 0u8;
                for c in contacts.iter().filter(|c| c.object.0 as usize == o) {
                    now |= 1 << c.patch.digit().map_or(5, Digit::index);
                }
                let changed = *touching ^ now;
                for part in (0..6).filter(|p| changed & (1 << p) != 0) {
                    if self.events.len() < self.events.capacity() {
                        self.events.push(ContactEvent {
                            hand: HandId(h as u32),
                            digit: Digit::ALL.get(part).copied(),
                            object: ObjectId(o as u32),
                            began: now & (1 << part) != 0,
                        });
                    }
                }
                *touching = now;
            }
        }
    }
}
