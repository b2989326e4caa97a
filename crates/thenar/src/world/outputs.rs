//! Last stage: what callers read after a step.

use super::parts::Part;
use super::skin::SkinCarrier;
use super::{Hand, HandId, ObjectId, SoftId, World};
use crate::body::{ObjectModel, SoftBody};
use crate::collide::{BodyRef, Feature, Met, Side};
use crate::contact::Pair;
use crate::energy::coupling;
use crate::energy::inertia::RigidState;
use crate::hand::{BONE_COUNT, BoneId, Digit, HandModel, HandPose, Patch};
use crate::math::{Pose, Vec3};
use crate::tactile::{Felt, FingerTouch, TactileParams};

/// What a hand touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Partner {
    /// A rigid object.
    Object(ObjectId),
    /// A soft object.
    Soft(SoftId),
    /// A hand: another one, or another part of the same.
    Hand(HandId),
}

/// A force (N) and a torque (N m).
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[non_exhaustive]
pub struct Wrench {
    /// Force, N.
    pub force: Vec3,
    /// Torque, N m.
    pub torque: Vec3,
}

/// Force on one skin vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ContactForce {
    /// Index of the skin vertex.
    pub vertex: u32,
    /// What it touches.
    pub partner: Partner,
    /// Where, metres.
    pub point: Vec3,
    /// Unit normal from what it touches to the skin.
    pub normal: Vec3,
    /// Force on the skin, N.
    pub force: Vec3,
    /// Normal force over the vertex's area, Pa.
    pub pressure: f64,
    /// Gap, metres: negative inside the object.
    pub gap: f64,
    /// The patch of the vertex.
    pub patch: Patch,
    /// The vertex slides over it.
    pub slipping: bool,
}

impl ContactForce {
    /// The touched object, if it is a rigid one.
    #[must_use]
    pub fn object(&self) -> Option<ObjectId> {
        match self.partner {
            Partner::Object(id) => Some(id),
            Partner::Soft(_) | Partner::Hand(_) => None,
        }
    }
}

/// What came out for one hand.
#[derive(Clone, Debug)]
#[non_exhaustive]
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
    /// What contact does to each bone through the skin of its patches: force, and torque about the bone's own frame.
    pub bone_wrenches: [Wrench; BONE_COUNT],
    /// Torques of contact about the joint angles, N m: what a glove has to hold so that its wearer feels the grasp.
    pub joint_torques: HandPose,
    /// Force with which tracking, or the device that leads it, pulls the palm, N.
    pub tracking_force: Vec3,
    /// Torques with which tracking turns the bones, N m.
    pub tracking_torques: [Vec3; BONE_COUNT],
    /// Largest distance between the two halves of a joint, metres.
    pub joint_drift: f64,
    /// The fingertips, by [`Digit::index`]; empty unless [`super::WorldConfig::tactile`] asks for them.
    pub tactile: Vec<FingerTouch>,
    carrier: SkinCarrier,
}

/// What came out for one object.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ObjectOutputs {
    /// Placement of the shape's frame.
    pub pose: Pose,
    /// Velocity of the centre of mass, m/s.
    pub velocity: Vec3,
    /// Spin, rad/s.
    pub spin: Vec3,
    /// Force of all hands and soft objects on the object, N.
    pub force: Vec3,
    /// Torque of all hands and soft objects about its centre of mass, N m.
    pub torque: Vec3,
}

/// What came out for one soft object.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[non_exhaustive]
pub struct SoftOutputs {
    /// Centre of mass, metres.
    pub centre: Vec3,
    /// Velocity of the centre of mass, m/s.
    pub velocity: Vec3,
    /// Force of all hands on the object, N.
    pub force: Vec3,
    /// Torque of all hands about its centre of mass, N m.
    pub torque: Vec3,
}

/// A digit or the palm began or ceased to touch something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContactEvent {
    /// The hand.
    pub hand: HandId,
    /// The digit; `None` for the palm.
    pub digit: Option<Digit>,
    /// What it touches.
    pub partner: Partner,
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
    pub(super) fn new(hand: &Hand, body: &SoftBody, model: &HandModel, tactile: Option<&TactileParams>) -> Self {
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
            bone_wrenches: [Wrench::default(); BONE_COUNT],
            joint_torques: HandPose::default(),
            tracking_force: Vec3::ZERO,
            tracking_torques: [Vec3::ZERO; BONE_COUNT],
            joint_drift: 0.0,
            tactile: hand.fingertips(tactile),
            carrier,
        }
    }
}

impl World {
    /// What has come out after a part of a step. Sums of forces are means over the step; places and single contacts are
    /// those at its end.
    pub(super) fn write_outputs(&mut self, dt: f64, part: Part) {
        for (out, (model, state)) in self.object_outputs.iter_mut().zip(self.objects.iter().zip(&self.state.objects)) {
            let (force, torque) = part.carried_on((out.force, out.torque));
            *out = ObjectOutputs { force, torque, ..ObjectOutputs::new(model, state) };
        }
        for ((out, body), state) in self.soft_outputs.iter_mut().zip(&self.softs).zip(&self.state.softs) {
            let (force, torque) = part.carried_on((out.force, out.torque));
            *out = SoftOutputs { force, torque, ..SoftOutputs::new(body, &state.nodes, &state.velocities) };
        }
        for hand in 0..self.hands.len() {
            self.write_hand(hand, part);
        }
        self.begin_touch(part);
        self.write_contacts(part.share());
        self.render_touch(dt, part);
        self.write_joint_torques();
        self.write_events();
        self.report.hash = self.state.hash();
    }

    fn write_hand(&mut self, index: usize, part: Part) {
        let hand = &self.hands[index];
        let (body, state) = (&self.softs[hand.soft], &self.state.softs[hand.soft]);
        let tracking = &self.state.hands[index];
        let out = &mut self.hand_outputs[index];
        out.present = state.active;
        out.contacts.clear();
        (out.grip, out.palm_force, out.bone_wrenches) = part.carried_on((out.grip, out.palm_force, out.bone_wrenches));
        out.tracked = tracking.targets.bones;
        if !state.active {
            return;
        }
        for (b, bone) in state.bones.iter().enumerate() {
            out.bones[b] = hand.frame(b, &bone.pose);
        }
        let palm = &self.config.tracking.palm;
        let pull = tracking.elastic.bones[0].pose.position - state.bones[0].pose.position;
        out.tracking_force = pull * coupling::capped(palm.linear, pull.length(), palm.force_cap);
        let mut handles = self.handles.iter().zip(&self.state.handles).filter(|(h, _)| h.soft == hand.soft);
        if let Some((handle, Some(target))) = handles.find(|(handle, _)| handle.bone == 0) {
            // a device in place of the tracker
            let bone = &state.bones[0];
            let [stiffness, _] = handle.stiffness(&bone.pose, target);
            out.tracking_force = (target.pose.position - bone.pose.position) * stiffness
                + (target.velocity - bone.velocity) * handle.coupling.linear_damping;
        }
        for (bone, torque) in out.tracking_torques.iter_mut().enumerate() {
            let params = if bone == 0 { palm } else { &self.config.tracking.phalanx };
            let target = tracking.elastic.bones[bone].pose.rotation;
            let away = coupling::angular(&state.bones[bone].pose, target, 1.0).residual;
            *torque = -away * coupling::capped(params.angular, away.length(), params.torque_cap);
        }
        out.joint_drift = body
            .joints
            .iter()
            .map(|j| j.drift(&state.bones[j.parent as usize].pose, &state.bones[j.child as usize].pose))
            .fold(0.0, f64::max);
        if self.config.skin_output && part.is_last() {
            let (kernels, carrier) = (self.config.kernels, &mut out.carrier);
            carrier.carry(kernels, &body.tets, state, &mut out.skin_positions, &mut out.skin_normals);
        }
    }

    /// `share` is that of the part in the whole step.
    fn write_contacts(&mut self, share: f64) {
        let touching = std::mem::take(&mut self.work.touching);
        for pair in touching.pairs.iter().filter(|p| p.active && !p.between_objects()) {
            let sides = pair.contact.sides;
            for (own, other, sign) in [(0, 1, 1.0), (1, 0, -1.0)] {
                if let Side::Soft { body, patch, .. } = sides[own] {
                    self.write_contact(pair, body, patch, sides[other].body(), sign, share);
                }
            }
        }
        self.work.touching = touching;
    }

    /// What one side of a contact feels, for the hand it belongs to and for what the hand touches.
    fn write_contact(&mut self, pair: &Pair, body: u32, patch: u8, other: BodyRef, sign: f64, share: f64) {
        let (force, normal, point) = (pair.force * sign, pair.contact.normal * sign, pair.contact.point);
        let hand = self.hand_of_soft[body as usize];
        let partner = match other {
            BodyRef::Object(object) => Partner::Object(ObjectId(object)),
            BodyRef::Soft(soft) => match self.hand_of_soft[soft as usize] {
                Some(hand) => Partner::Hand(HandId(hand)),
                None => Partner::Soft(SoftId(soft)),
            },
        };
        match partner {
            Partner::Object(id) => {
                let out = &mut self.object_outputs[id.0 as usize];
                let centre = self.work.predicted_objects[id.0 as usize].position;
                out.force -= force * share;
                out.torque -= (point - centre).cross(force) * share;
            }
            Partner::Soft(id) if hand.is_some() => {
                let out = &mut self.soft_outputs[id.0 as usize];
                out.force -= force * share;
                out.torque -= (point - out.centre).cross(force) * share;
            }
            Partner::Soft(_) | Partner::Hand(_) => {}
        }
        let Some(hand) = hand else { return };
        let out = &mut self.hand_outputs[hand as usize];
        let (patch, pressing) = (Patch(patch), pair.pressing());
        match patch.digit() {
            Some(digit) => out.grip[digit.index()] += pressing * share,
            None => out.palm_force += pressing * share,
        }
        if let Some(finger) = fingertip(&mut out.tactile, patch) {
            let velocity = pair.velocity * sign;
            let sliding = velocity - normal * velocity.dot(normal);
            finger.feel(&Felt { point, force, pressing, sliding, slips: pair.slipping }, share);
        }
        let bone = patch.bone().index();
        out.bone_wrenches[bone].force += force * share;
        out.bone_wrenches[bone].torque += (point - out.bones[bone].position).cross(force) * share;
        if out.contacts.len() < out.contacts.capacity() {
            let (vertex, area) = skin_vertex(&self.softs[body as usize], pair, sign);
            out.contacts.push(ContactForce {
                vertex,
                partner,
                point,
                normal,
                force,
                pressure: pressing / area,
                gap: pair.gap,
                patch,
                slipping: pair.slipping,
            });
        }
    }

    /// Work of the contact forces over each joint angle.
    fn write_joint_torques(&mut self) {
        for (out, hand) in self.hand_outputs.iter_mut().zip(&self.hands) {
            out.joint_torques = HandPose::default();
            if out.bone_wrenches.iter().all(|w| *w == Wrench::default()) {
                continue;
            }
            let jacobians = hand.skeleton.jacobians(&out.bones);
            for bone in BoneId::all() {
                let (Some(digit), wrench) = (bone.digit(), out.bone_wrenches[bone.index()]) else { continue };
                if wrench == Wrench::default() {
                    continue;
                }
                // about the centre of mass, as the Jacobian is
                let arm = hand.centre(bone, &out.bones[bone.index()]) - out.bones[bone.index()].position;
                let torque = wrench.torque - arm.cross(wrench.force);
                let jacobian = &jacobians[bone.index()];
                for k in 0..4 {
                    let (linear, angular) =
                        (jacobian.linear[2 + k / 3].col(k % 3), jacobian.angular[2 + k / 3].col(k % 3));
                    out.joint_torques.digits[digit.index()][k] += linear.dot(wrench.force) + angular.dot(torque);
                }
            }
        }
    }

    fn write_events(&mut self) {
        let (objects, softs) = (self.objects.len(), self.softs.len());
        for (h, state) in self.state.hands.iter_mut().enumerate() {
            let contacts = &self.hand_outputs[h].contacts;
            for slot in 0..objects + softs {
                let partner = if slot < objects {
                    Partner::Object(ObjectId(slot as u32))
                } else {
                    match self.hand_of_soft[slot - objects] {
                        Some(hand) => Partner::Hand(HandId(hand)),
                        None => Partner::Soft(SoftId((slot - objects) as u32)),
                    }
                };
                let mut now = 0u8;
                for c in contacts.iter().filter(|c| c.partner == partner) {
                    now |= 1 << c.patch.digit().map_or(5, Digit::index);
                }
                let touching =
                    if slot < objects { &mut state.touching[slot] } else { &mut state.touching_soft[slot - objects] };
                let changed = *touching ^ now;
                for part in (0..6).filter(|p| changed & (1 << p) != 0) {
                    if self.events.len() < self.events.capacity() {
                        self.events.push(ContactEvent {
                            hand: HandId(h as u32),
                            digit: Digit::ALL.get(part).copied(),
                            partner,
                            began: now & (1 << part) != 0,
                        });
                    }
                }
                *touching = now;
            }
        }
    }
}

impl SoftOutputs {
    pub(super) fn new(body: &SoftBody, nodes: &[Vec3], velocities: &[Vec3]) -> Self {
        let mass: f64 = body.node_mass.iter().sum();
        let mean = |field: &[Vec3]| field.iter().zip(&body.node_mass).map(|(v, m)| *v * *m).sum::<Vec3>() / mass;
        SoftOutputs { centre: mean(nodes), velocity: mean(velocities), ..SoftOutputs::default() }
    }
}

/// The fingertip that a patch belongs to, if touch is rendered there.
fn fingertip(fingers: &mut [FingerTouch], patch: Patch) -> Option<&mut FingerTouch> {
    let digit = patch.digit()?;
    fingers.get_mut(digit.index()).filter(|finger| finger.pad().patch == patch)
}

/// The skin vertex nearest to a side of a contact, and the area that the contact stands for there.
fn skin_vertex(body: &SoftBody, pair: &Pair, sign: f64) -> (u32, f64) {
    let area = pair.contact.area;
    match (pair.contact.key.feature, pair.contact.met) {
        (Feature::Skin(point), _) => (body.surface.points[point as usize].vertex, area),
        (Feature::Touch(point), _) if sign > 0.0 => (body.touch.points[point as usize].vertex, area),
        (_, Met::Triangle(triangle, share)) => {
            let nearest = (0..3).max_by(|&i, &j| share[i].total_cmp(&share[j])).unwrap_or(0);
            let corner = body.touch.triangles[triangle as usize][nearest];
            (body.touch.points[corner as usize].vertex, area)
        }
        // an edge of an object: the vertex that is carried by the same element
        _ => {
            let tet = match pair.contact.sides[0] {
                Side::Soft { tet, .. } => tet,
                Side::Rigid { .. } => None,
            };
            let point = body.touch.points.iter().find(|p| Some(p.tet) == tet);
            (point.map_or(0, |p| p.vertex), area)
        }
    }
}
