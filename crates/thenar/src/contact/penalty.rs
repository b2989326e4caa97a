//! Contact and friction as stiff springs [CLAP §3.5], linearised at the predicted end of the step.
//!
//! The gap and the tangential offset are measured at the predicted pose `q* = q + h v`, and extrapolated back with the
//! predicted relative velocity; so the one Newton iteration of a step starts where the skin will be, not where it was.
//! A point presses if it is inside the object at either end of the step. Judged by the predicted end alone, a stiff
//! contact would open and close in every other step; judged by both, a point that leaves is held one step too long.

use super::{Anchor, Anchors, ContactMethod};
use crate::collide::{Contact, ContactSet, ObjectModel, SoftSurface, SurfacePoint, Toucher};
use crate::energy::contact::{PointContact, friction_stiffness, remaining_offset};
use crate::energy::problem::{BorderProblem, BorderTerms, SoftProblem};
use crate::math::{Mat3, Pose, Vec3, skew};
use crate::sparse::Slot;

/// Stiffness of the contact springs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PenaltyParams {
    /// Normal stiffness per area, N/m³.
    pub normal: f64,
    /// Tangential stiffness per area of a sticking point, N/m³.
    pub tangent: f64,
}

/// A contact between its two halves of the step: as linearised, and what it came to.
#[derive(Clone, Copy, Debug)]
pub struct ContactRecord {
    /// What detection found.
    pub contact: Contact,
    /// Normal in world axes.
    pub normal: Vec3,
    /// Relative velocity that was predicted, m/s.
    velocity: Vec3,
    /// Predicted tangential offset in world axes, metres.
    offset: Vec3,
    /// Predicted displacement from the anchor in world axes, metres.
    from_anchor: Vec3,
    anchor: Vec3,
    normal_stiffness: f64,
    stick_stiffness: f64,
    tangent_stiffness: f64,
    friction: f64,
    /// The toucher is a ball that touches with another point in every step: its anchor is not a place on the object but
    /// the tangential offset itself, summed up from the slip velocity.
    rolling: bool,
    /// The springs act in this step.
    pub active: bool,
    /// Force on the toucher at the end of the step, N.
    pub force: Vec3,
    /// Gap at the end of the step, metres.
    pub gap: f64,
    /// The point slid over the surface in this step.
    pub slipping: bool,
}

/// What the method sees of the soft bodies.
pub trait SoftBodies {
    /// Contact points of a body.
    fn surface(&self, body: u32) -> &SoftSurface;
    /// Slots of the ten node pairs of each of its elements.
    fn tet_slots(&self, body: u32) -> &[[Slot; 10]];
    /// Anchors of its contact points.
    fn anchors(&self, body: u32) -> &Anchors;
    /// Velocities of its nodes at the start of the step.
    fn velocities(&self, body: u32) -> &[Vec3];
}

/// Everything the method reads.
pub struct PenaltyInput<'a> {
    /// Step length, s.
    pub dt: f64,
    /// Stiffnesses.
    pub params: &'a PenaltyParams,
    /// The objects.
    pub objects: &'a [ObjectModel],
    /// Predicted placements of their centres of mass.
    pub poses: &'a [Pose],
    /// The velocities and spins that led there.
    pub motions: &'a [(Vec3, Vec3)],
    /// Anchors of their samples.
    pub object_anchors: &'a [Anchors],
    /// The method for objects that name none.
    pub method: ContactMethod,
}

impl PenaltyInput<'_> {
    /// How skin contact with an object is resolved.
    #[must_use]
    pub fn method(&self, object: u32) -> ContactMethod {
        self.objects[object as usize].method.unwrap_or(self.method)
    }
}

impl ContactRecord {
    /// Relative velocity of the two sides at the contact, m/s.
    pub(super) fn relative(contact: &Contact, poses: &[Pose], soft: Vec3, objects: &[(Vec3, Vec3)]) -> Vec3 {
        let at = |object: u32| {
            let (v, w) = objects[object as usize];
            v + w.cross(contact.point - poses[object as usize].position)
        };
        let own = match contact.toucher {
            Toucher::Soft { .. } => soft,
            Toucher::Object { object, .. } => at(object),
        };
        own - at(contact.object)
    }

    pub(super) fn new(
        contact: &Contact,
        input: &PenaltyInput<'_>,
        anchor: Option<Anchor>,
        friction: f64,
        velocity: Vec3,
        rolling: bool,
    ) -> Self {
        let pose = &input.poses[contact.object as usize];
        // Coulomb's limit comes from the last step's normal force: the predicted gap still lacks the contact's own
        // response and would overestimate it many times. A new contact therefore starts to grip one step later.
        let fresh = if rolling { Vec3::ZERO } else { contact.local - contact.normal * contact.gap };
        let (anchor, pressing) = anchor.map_or((fresh, 0.0), |a| (a.local, a.pressing));
        let from_anchor =
            if rolling { anchor + pose.rotation.inverse() * velocity * input.dt } else { contact.local - anchor };
        let offset = from_anchor - contact.normal * contact.normal.dot(from_anchor);
        let normal_stiffness = input.params.normal * contact.area;
        let stick_stiffness = input.params.tangent * contact.area;
        let pose_normal = pose.rotation * contact.normal;
        ContactRecord {
            contact: *contact,
            normal: pose_normal,
            velocity,
            offset: pose.rotation * offset,
            from_anchor: pose.rotation * from_anchor,
            anchor,
            normal_stiffness,
            stick_stiffness,
            tangent_stiffness: friction_stiffness(stick_stiffness, offset.length(), friction, pressing),
            friction,
            rolling,
            active: contact.gap < 0.0 || contact.gap - input.dt * pose_normal.dot(velocity) < 0.0,
            force: Vec3::ZERO,
            gap: contact.gap,
            slipping: false,
        }
    }

    /// The spring of this step, extrapolated back to the start of the step.
    fn spring(&self, dt: f64) -> PointContact {
        let opening = self.normal.dot(self.velocity);
        PointContact {
            point: self.contact.point,
            normal: self.normal,
            gap: self.contact.gap - dt * opening,
            offset: self.offset - (self.velocity - self.normal * opening) * dt,
            normal_stiffness: self.normal_stiffness,
            tangent_stiffness: self.tangent_stiffness,
        }
    }

    /// Gap and tangential offset at the end of the step for a solved relative velocity.
    pub(super) fn outcome(&self, dt: f64, solved: Vec3) -> (f64, Vec3) {
        let change = (solved - self.velocity) * dt;
        let opened = self.normal.dot(change);
        (self.contact.gap + opened, self.offset + change - self.normal * opened)
    }

    /// Displacement from the anchor at the end of the step for a solved relative velocity, metres, in world axes.
    pub(super) fn displacement(&self, dt: f64, solved: Vec3) -> Vec3 {
        self.from_anchor + (solved - self.velocity) * dt
    }

    /// Judges the contact anew by a solved relative velocity: whether it presses, and whether it sticks. Returns true
    /// if either changed enough to matter.
    fn reconsider(&mut self, dt: f64, solved: Vec3) -> bool {
        let (gap, offset) = self.outcome(dt, solved);
        let active = gap < 0.0;
        let pressing = -self.normal_stiffness * gap;
        let tangent = friction_stiffness(self.stick_stiffness, offset.length(), self.friction, pressing);
        let changed = active != self.active
            || (active && (tangent - self.tangent_stiffness).abs() > 0.02 * self.tangent_stiffness.max(tangent));
        self.active = active;
        self.tangent_stiffness = tangent;
        changed
    }

    /// Takes the solved relative velocity: final gap, force, and the anchor carried along by slip (returned).
    fn settle(&mut self, dt: f64, solved: Vec3, pose: &Pose) -> Anchor {
        let (gap, offset) = self.outcome(dt, solved);
        self.gap = gap;
        let pressing = -self.normal_stiffness * self.gap;
        self.force = self.normal * pressing - offset * self.tangent_stiffness;
        let left = remaining_offset(self.stick_stiffness, offset, self.friction, pressing);
        self.slipping = left != offset;
        let back = pose.rotation.inverse();
        let local = if self.rolling { back * left } else { self.anchor + back * (offset - left) };
        Anchor { object: self.contact.object, local, pressing, gap: self.gap, force: back * self.force }
    }

    /// The anchor after a slip by `slip` (world axes), for methods that know the force already.
    pub(super) fn anchored(&self, slip: Vec3, pressing: f64, pose: &Pose) -> Anchor {
        let back = pose.rotation.inverse();
        Anchor {
            object: self.contact.object,
            local: self.anchor + back * slip,
            pressing,
            gap: self.gap,
            force: back * self.force,
        }
    }
}

/// Coulomb's coefficient between two objects.
fn pair_friction(a: &ObjectModel, b: &ObjectModel) -> f64 {
    (a.friction * b.friction).sqrt()
}

/// Appends the contacts of soft bodies to the problem, and leaves a record of every contact that may press: those of
/// soft bodies first. Returns how many those are; the rest, between objects, enters with [`ObjectContacts`].
pub fn append(
    contacts: &ContactSet,
    input: &PenaltyInput<'_>,
    softs: &impl SoftBodies,
    problems: &mut [SoftProblem],
    border: &mut BorderProblem,
    records: &mut Vec<ContactRecord>,
) -> usize {
    records.clear();
    append_soft(contacts, input, softs, problems, border, records);
    let on_soft = records.len();
    append_objects(contacts, input, records);
    on_soft
}

/// The skin's part of [`append`].
fn append_soft(
    contacts: &ContactSet,
    input: &PenaltyInput<'_>,
    softs: &impl SoftBodies,
    problems: &mut [SoftProblem],
    border: &mut BorderProblem,
    records: &mut Vec<ContactRecord>,
) {
    for contact in &contacts.contacts {
        let Toucher::Soft { body, point } = contact.toucher else { continue };
        if input.method(contact.object) != ContactMethod::Penalty {
            continue;
        }
        let p = &softs.surface(body).points[point as usize];
        let velocity = p.interpolate(softs.velocities(body));
        let relative = ContactRecord::relative(contact, input.poses, velocity, input.motions);
        let touched = &input.objects[contact.object as usize];
        let anchor = softs.anchors(body).get(point, contact.object);
        let record = ContactRecord::new(contact, input, anchor, touched.friction, relative, false);
        if record.active {
            let slots = &softs.tet_slots(body)[p.tet as usize];
            let lever = contact.point - input.poses[contact.object as usize].position;
            add_soft(
                &record.spring(input.dt),
                p,
                slots,
                &mut problems[body as usize],
                input.dt,
                touched.border,
                lever,
                border,
            );
            records.push(record);
        }
    }
}

/// Leaves a record of every contact between objects that may press.
pub fn append_objects(contacts: &ContactSet, input: &PenaltyInput<'_>, records: &mut Vec<ContactRecord>) {
    for contact in &contacts.contacts {
        let Toucher::Object { object, sample } = contact.toucher else { continue };
        let relative = ContactRecord::relative(contact, input.poses, Vec3::ZERO, input.motions);
        let anchor = input.object_anchors[object as usize].get(sample, contact.object);
        let friction = pair_friction(&input.objects[object as usize], &input.objects[contact.object as usize]);
        let rolling = input.objects[object as usize].samples[sample as usize].radius > 0.0;
        records.push(ContactRecord::new(contact, input, anchor, friction, relative, rolling));
    }
}

/// A skin point's springs over the four nodes of its element and the touched object.
fn add_soft(
    spring: &PointContact,
    p: &SurfacePoint,
    slots: &[Slot; 10],
    problem: &mut SoftProblem,
    h: f64,
    object: Option<u32>,
    lever: Vec3,
    border: &mut BorderProblem,
) {
    let (force, stiffness) = (spring.force() * h, spring.stiffness() * (h * h));
    let mut slot = slots.iter();
    for i in 0..4 {
        problem.rhs[p.nodes[i] as usize] += force * p.weights[i];
        let scaled = stiffness * p.weights[i];
        for j in i..4 {
            if let Some(&s) = slot.next() {
                problem.matrix.add(s, &(scaled * p.weights[j]));
            }
        }
    }
    if let Some(index) = object {
        let columns = &mut problem.border[index as usize];
        let turned = stiffness * skew(lever);
        for i in 0..4 {
            let row = columns.touch(&problem.symbolic, p.nodes[i]);
            columns.add(row, 0, &(stiffness * -p.weights[i]));
            columns.add(row, 3, &(turned * p.weights[i]));
        }
        add_object(border, index, &stiffness, lever, -force);
    }
}

/// Contacts between rigid objects: they live in the border alone, so they can be judged again and again within a step
/// until every one of them presses or is open, sticks or slips, as Coulomb's law wants.
pub struct ObjectContacts<'a> {
    /// Step length, s.
    pub dt: f64,
    /// The objects.
    pub objects: &'a [ObjectModel],
    /// Predicted placements of their centres of mass.
    pub poses: &'a [Pose],
    /// The records to judge.
    pub records: &'a mut [ContactRecord],
}

impl BorderTerms for ObjectContacts<'_> {
    fn append(&self, border: &mut BorderProblem) {
        let h = self.dt;
        for record in self.records.iter().filter(|r| r.active) {
            let contact = &record.contact;
            let Toucher::Object { object, .. } = contact.toucher else { continue };
            let Some(own) = self.objects[object as usize].border else { continue };
            let spring = record.spring(h);
            let (force, stiffness) = (spring.force() * h, spring.stiffness() * (h * h));
            let own_lever = contact.point - self.poses[object as usize].position;
            add_object(border, own, &stiffness, own_lever, force);
            if let Some(other) = self.objects[contact.object as usize].border {
                let lever = contact.point - self.poses[contact.object as usize].position;
                add_object(border, other, &stiffness, lever, -force);
                add_pair(border, own, own_lever, other, lever, &stiffness);
            }
        }
    }

    fn reconsider(&mut self, border: &BorderProblem) -> bool {
        let motion = |object: u32| {
            self.objects[object as usize].border.map_or((Vec3::ZERO, Vec3::ZERO), |i| border.motion(i as usize))
        };
        let mut changed = false;
        for record in self.records.iter_mut() {
            let contact = &record.contact;
            let Toucher::Object { object, .. } = contact.toucher else { continue };
            let at = |object: u32| {
                let (v, w) = motion(object);
                v + w.cross(contact.point - self.poses[object as usize].position)
            };
            let relative = at(object) - at(contact.object);
            changed |= record.reconsider(self.dt, relative);
        }
        changed
    }
}

/// One object's own blocks: `[I, −[l]]ᵀ K [I, −[l]]` and the impulse `[f, l × f]`.
fn add_object(border: &mut BorderProblem, index: u32, stiffness: &Mat3, lever: Vec3, impulse: Vec3) {
    let (linear, angular) = (2 * index as usize, 2 * index as usize + 1);
    let arm = skew(lever);
    let mixed = *stiffness * arm * -1.0;
    border.add(linear, linear, stiffness);
    border.add(linear, angular, &mixed);
    border.add(angular, linear, &mixed.transpose());
    border.add(angular, angular, &(arm.transpose() * *stiffness * arm));
    border.add_rhs(linear, impulse);
    border.add_rhs(angular, lever.cross(impulse));
}

/// The blocks between two objects: `−[I, −[a]]ᵀ K [I, −[b]]` and its transpose.
fn add_pair(border: &mut BorderProblem, a: u32, arm_a: Vec3, b: u32, arm_b: Vec3, stiffness: &Mat3) {
    let (ja, jb) = ([Mat3::IDENTITY, skew(arm_a) * -1.0], [Mat3::IDENTITY, skew(arm_b) * -1.0]);
    for i in 0..2 {
        for j in 0..2 {
            let block = ja[i].transpose() * *stiffness * jb[j] * -1.0;
            border.add(2 * a as usize + i, 2 * b as usize + j, &block);
            border.add(2 * b as usize + j, 2 * a as usize + i, &block.transpose());
        }
    }
}

impl ContactRecord {
    /// Gap and tangential offset from the anchor at the end of the step by the solved velocities, metres.
    #[must_use]
    pub fn final_outcome(
        &self,
        dt: f64,
        poses: &[Pose],
        softs: &impl SoftBodies,
        problems: &[SoftProblem],
        motions: &[(Vec3, Vec3)],
    ) -> (f64, Vec3) {
        self.outcome(dt, self.solved(poses, softs, problems, motions))
    }

    fn solved(
        &self,
        poses: &[Pose],
        softs: &impl SoftBodies,
        problems: &[SoftProblem],
        motions: &[(Vec3, Vec3)],
    ) -> Vec3 {
        let soft = match self.contact.toucher {
            Toucher::Soft { body, point } => {
                softs.surface(body).points[point as usize].interpolate(&problems[body as usize].solution)
            }
            Toucher::Object { .. } => Vec3::ZERO,
        };
        ContactRecord::relative(&self.contact, poses, soft, motions)
    }
}

/// After the solve: final forces and gaps into the records; `keep` receives the anchor of each point for the next step.
pub fn settle(
    records: &mut [ContactRecord],
    dt: f64,
    poses: &[Pose],
    softs: &impl SoftBodies,
    problems: &[SoftProblem],
    motions: &[(Vec3, Vec3)],
    mut keep: impl FnMut(Toucher, Anchor),
) {
    for record in records.iter_mut().filter(|r| r.active) {
        let contact = record.contact;
        let velocity = record.solved(poses, softs, problems, motions);
        let anchor = record.settle(dt, velocity, &poses[contact.object as usize]);
        keep(contact.toucher, anchor);
    }
}
