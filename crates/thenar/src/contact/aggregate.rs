//! Contact aggregated per patch [Talvas §3.2–3.4, corrected in PHYSICS §3]: one row for the penetrated volume, two for
//! the mean slip, one for the spin about the normal.
//!
//! The volume row is divided by the weighted area of its contacts, so that it measures the weighted mean gap in metres
//! and its multiplier is the patch's normal force `N`; the paper's multiplier, a pressure, is `N / Σ w_i S_i`. Contact
//! `i` carries `N_i = N w_i S_i / Σ w_k S_k`.
//!
//! The paper's weights `w_i` are the depths after the free motion (eq. 11). A light finger that loses its contact force for
//! a step moves by millimetres, so that all its contacts are about as deep and the pressure is all but uniform. Here
//! `w_i S_i` is the force on the contact in the last step plus a gain times its depth at the predicted pose: a new patch
//! starts with eq. 11, and pressure then moves to where the skin is still deep until it no longer is.
//!
//! Slip is measured within the step, not from the anchors of single contacts: a patch holds only the mean of its
//! contacts, so their anchors would drift apart, and every contact that left and came back would shift that mean.

use super::Anchor;
use super::contensou::{PatchFriction, PatchPoint, STICKING};
use super::free::FreeContact;
use super::penalty::ContactRecord;
use super::rows::{ConstraintSet, Law, POINT_CAPACITY, ROW_CAPACITY, RowEntry, RowObject};
use crate::collide::Toucher;
use crate::math::{Pose, Vec3};

/// How the pressure of a patch is spread over its contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Pressure {
    /// In proportion to how deep the free motion takes each contact [Talvas eq. 11].
    #[default]
    NonUniform,
    /// The same everywhere.
    Uniform,
}

/// Options of the method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AggregateParams {
    /// How pressure is spread.
    pub pressure: Pressure,
    /// Friction against spinning about the normal.
    pub torsion: bool,
}

impl Default for AggregateParams {
    fn default() -> Self {
        AggregateParams { pressure: Pressure::NonUniform, torsion: true }
    }
}

/// Contacts of one patch closer than this belong together, metres; further apart it touches in two places.
const APART: f64 = 0.006;

/// A place reaches no further than this from its first contact, metres: more than a phalanx. One row says nothing about
/// tilting, so wide flat contacts are held by several.
const WIDEST: f64 = 0.025;

/// Contacts whose normals differ by more than about 100° belong to two sides of the object.
const SAME_SIDE: f64 = -0.2;

/// A patch narrower than this has no spin worth a row, metres.
const NARROWEST: f64 = 2e-4;

/// How pressure follows a change of depth at once, and in every step what depth remains.
///
/// Both act one step late, so what a patch gains by a displacement must not move anything by much more than that in a
/// step, or it rocks.
struct Follow {
    /// N/m³: skin gives about a millimetre to 50 kPa.
    most: f64,
    /// Most of a displacement by which it may move the object; contacts that hardly press are counted too.
    object: f64,
    /// Most of a displacement by which it may move a contact's nodes.
    nodes: f64,
}

const CHANGE: Follow = Follow { most: 5e7, object: 1.5, nodes: 0.2 };
const REMAINING: Follow = Follow { most: 1e8, object: 1.5, nodes: 0.12 };

impl Follow {
    /// N/m³, for a contact on an object that gives way by `yields` metres to a pascal on the patch.
    fn stiffness(&self, contact: &FreeContact, yields: f64) -> f64 {
        let most = self.most.min(self.nodes * contact.resists / contact.carrier.area);
        if yields > 0.0 { most.min(self.object / yields) } else { most }
    }
}

/// What a contact counts at least for its depth after the free motion, N/m³: a patch that leaves in the predicted pose
/// but would sink in without forces still needs its constraint.
const LEAST: f64 = 1e6;

/// Under uniform pressure a contact that pressed has left at this gap, metres.
const LEFT: f64 = 5e-5;

/// Contacts with less than this share of the mean pressure count with less than their area, down to nothing: so that
/// none comes or goes all at once.
const FULL: f64 = 0.3;

/// One place where a patch touches.
#[derive(Clone, Copy, Debug)]
struct PatchContact {
    block: u32,
    /// Its contacts: records, and shares of normal force and area, `start..end`.
    start: u32,
    end: u32,
    tangents: [Vec3; 2],
    normal: Vec3,
    centre: Vec3,
    /// `Σ S ‖n × r‖² / Σ S`, m².
    spread: f64,
}

/// A contact of a patch.
#[derive(Clone, Copy, Debug)]
struct Member {
    record: u32,
    normal_share: f64,
    area_share: f64,
}

/// The patches of a step.
#[derive(Clone, Debug, Default)]
pub struct Patches {
    patches: Vec<PatchContact>,
    members: Vec<Member>,
    order: Vec<u32>,
    nodes: PatchNodes,
}

/// The nodes that carry the contacts of a place, each once: rows over many contacts stay short.
#[derive(Clone, Debug, Default)]
struct PatchNodes {
    blocks: Vec<u32>,
    /// For each contact, where its nodes are in `blocks`.
    places: Vec<[u32; 4]>,
    /// One row's coefficients.
    values: Vec<Vec3>,
}

impl PatchNodes {
    fn collect(&mut self, group: &[FreeContact], place: &[u32]) {
        self.blocks.clear();
        self.places.clear();
        for &i in place {
            let nodes = group[i as usize].carrier.nodes;
            self.places.push(nodes.map(|node| {
                // neighbours share nodes: most are among the last
                let known = self.blocks.iter().rposition(|&block| block == node);
                known.unwrap_or_else(|| {
                    self.blocks.push(node);
                    self.blocks.len() - 1
                }) as u32
            }));
        }
    }
}

impl Patches {
    /// Room for as many patches as there can be rows for.
    #[must_use]
    pub fn new() -> Self {
        Patches {
            patches: Vec::with_capacity(ROW_CAPACITY / 3),
            members: Vec::with_capacity(POINT_CAPACITY),
            order: Vec::with_capacity(POINT_CAPACITY),
            nodes: PatchNodes {
                blocks: Vec::with_capacity(POINT_CAPACITY),
                places: Vec::with_capacity(POINT_CAPACITY),
                values: Vec::with_capacity(POINT_CAPACITY),
            },
        }
    }

    /// Rows for every place where a patch touches an object; `records` receives one record for each contact in it.
    pub fn append(
        &mut self,
        contacts: &[FreeContact],
        params: &AggregateParams,
        set: &mut ConstraintSet,
        records: &mut Vec<ContactRecord>,
    ) {
        self.patches.clear();
        self.members.clear();
        for group in contacts.chunk_by(|a, b| key(a) == key(b)) {
            let mut order = std::mem::take(&mut self.order);
            order.clear();
            order.extend((0..group.len() as u32).filter(|&i| load(&group[i as usize], params.pressure, 0.0) > 0.0));
            let mut rest = &mut order[..];
            while !rest.is_empty() {
                let size = first_place(group, rest);
                let (place, after) = rest.split_at_mut(size);
                self.append_place(group, place, params, set, records);
                rest = after;
            }
            self.order = order;
        }
    }

    fn append_place(
        &mut self,
        group: &[FreeContact],
        place: &[u32],
        params: &AggregateParams,
        set: &mut ConstraintSet,
        records: &mut Vec<ContactRecord>,
    ) {
        if self.members.len() + place.len() > POINT_CAPACITY {
            set.overflow = true;
            return;
        }
        let frame = Frame::of(group, place, params.pressure);
        let torsion = params.torsion && frame.spread > NARROWEST * NARROWEST;
        let coefficient = group[place[0] as usize].friction;
        let law = if torsion {
            Law::Contensou { friction: coefficient, patch: set.patches.len() as u32 }
        } else {
            Law::Coulomb { friction: coefficient }
        };
        let Some(block) = set.begin(law) else { return };
        let start = self.members.len() as u32;
        for &i in place {
            let contact = &group[i as usize];
            let record = records.len() as u32;
            records.push(contact.record);
            self.members.push(Member {
                record,
                normal_share: frame.normal_share(contact),
                area_share: frame.area_share(contact),
            });
        }
        let nodes = &mut self.nodes;
        nodes.collect(group, place);
        let friction = |c: &FreeContact| c.held - c.record.normal * c.pressing;
        append_row(
            set,
            nodes,
            group,
            place,
            |c| c.gap,
            |c| c.record.normal * c.pressing,
            |c| (c.record.normal, frame.normal_share(c)),
        );
        for tangent in frame.tangents {
            append_row(
                set,
                nodes,
                group,
                place,
                |c| tangent.dot(c.motion),
                friction,
                |c| (tangent, frame.area_share(c)),
            );
        }
        if torsion {
            let around = |c: &FreeContact| frame.normal.cross(c.record.contact.point - frame.centre);
            let measured = |c: &FreeContact| around(c).dot(c.motion);
            append_row(set, nodes, group, place, measured, friction, |c| {
                (around(c), frame.area_share(c) / frame.spread)
            });
            let first = set.patch_points.len();
            for &i in place {
                let contact = &group[i as usize];
                let arm = contact.record.contact.point - frame.centre;
                let (x, y) = (frame.tangents[0].dot(arm), frame.tangents[1].dot(arm));
                set.patch_points.push(PatchPoint { x, y, share: frame.normal_share(contact) });
            }
            set.patches.push(PatchFriction::new(&set.patch_points, first));
        }
        self.patches.push(PatchContact {
            block,
            start,
            end: self.members.len() as u32,
            tangents: frame.tangents,
            normal: frame.normal,
            centre: frame.centre,
            spread: frame.spread,
        });
    }

    /// After the solve: forces into the records, of which `records` starts with number `first`; `keep` receives the anchor of each contact for the next step.
    pub fn settle(
        &self,
        set: &ConstraintSet,
        first: u32,
        records: &mut [ContactRecord],
        poses: &[Pose],
        outcome: impl Fn(&ContactRecord) -> (f64, Vec3),
        keep: &mut impl FnMut(Toucher, Anchor),
    ) {
        for patch in &self.patches {
            let (force, reached) = (set.force(patch.block), set.reached(patch.block));
            let (torque, spin) = (force.get(3).copied().unwrap_or(0.0), reached.get(3).copied().unwrap_or(0.0));
            let [t, s] = patch.tangents;
            let pull = t * force[1] + s * force[2];
            let slid = (reached[1] * reached[1] + reached[2] * reached[2]).sqrt();
            let slips = slid + patch.spread.sqrt() * spin.abs() > STICKING;
            for member in &self.members[patch.start as usize..patch.end as usize] {
                let record = &mut records[(member.record - first) as usize];
                let around = patch.normal.cross(record.contact.point - patch.centre);
                let twist = if patch.spread > 0.0 { torque / patch.spread } else { 0.0 };
                // the patch's friction has a part along the normal of a contact; pressure must not learn from that
                let pressing = force[0] * member.normal_share;
                record.force = record.normal * pressing + (pull + around * twist) * member.area_share;
                let (gap, offset) = outcome(record);
                record.gap = gap;
                record.active = force[0] > 0.0;
                record.slipping = slips;
                if record.active {
                    let pose = &poses[record.contact.object as usize];
                    keep(record.contact.toucher, record.anchored(offset, pressing, pose));
                }
            }
        }
    }
}

/// What a group of contacts has in common.
fn key(contact: &FreeContact) -> (u32, u32, u8) {
    (contact.body, contact.record.contact.object, contact.carrier.patch)
}

/// Moves the contacts that lie in one place with the first to the front; returns how many they are.
fn first_place(group: &[FreeContact], order: &mut [u32]) -> usize {
    let near = |a: u32, b: u32| {
        let (a, b) = (&group[a as usize], &group[b as usize]);
        let apart = APART.max(3.0 * a.carrier.area.max(b.carrier.area).sqrt());
        a.record.contact.point.distance_squared(b.record.contact.point) < apart * apart
            && a.record.normal.dot(b.record.normal) > SAME_SIDE
    };
    let within = |a: u32, b: u32| {
        let (a, b) = (&group[a as usize].record.contact, &group[b as usize].record.contact);
        a.point.distance_squared(b.point) < WIDEST * WIDEST
    };
    let (mut reached, mut looked) = (1, 0);
    while looked < reached && reached < order.len() {
        let unseen = reached..order.len();
        for k in unseen {
            if within(order[0], order[k]) && near(order[looked], order[k]) {
                order.swap(reached, k);
                reached += 1;
            }
        }
        looked += 1;
    }
    reached
}

/// One row: the weighted sum of what `measure` finds, along `direction` with a weight, at every contact. `force` is what
/// it carried in the last step.
fn append_row(
    set: &mut ConstraintSet,
    nodes: &mut PatchNodes,
    group: &[FreeContact],
    place: &[u32],
    measure: impl Fn(&FreeContact) -> f64,
    force: impl Fn(&FreeContact) -> Vec3,
    direction: impl Fn(&FreeContact) -> (Vec3, f64),
) {
    let (mut free, mut start, mut total) = (0.0, 0.0, 0.0);
    let (mut linear, mut angular) = (Vec3::ZERO, Vec3::ZERO);
    nodes.values.clear();
    nodes.values.resize(nodes.blocks.len(), Vec3::ZERO);
    for (&i, at) in place.iter().zip(&nodes.places) {
        let contact = &group[i as usize];
        let (axis, weight) = direction(contact);
        free += weight * measure(contact);
        start += axis.dot(force(contact));
        total += axis.length_squared() * weight;
        linear -= axis * weight;
        angular -= contact.lever.cross(axis) * weight;
        for (&node, share) in at.iter().zip(contact.carrier.weights) {
            nodes.values[node as usize] += axis * (weight * share);
        }
    }
    let first = &group[place[0] as usize];
    let object = first.object.map(|index| RowObject { index, linear, angular });
    // forces `axis · weight · λ` at the contacts add up to `Σ axis · force = λ Σ axis² weight`
    let start = if total > 0.0 { start / total } else { 0.0 };
    let entries = nodes.blocks.iter().zip(&nodes.values);
    let entries = entries.map(|(&block, &value)| RowEntry { body: first.body, block, value });
    set.row(entries, object, 0.0, free, start);
}

/// Centre, axes and weights of a place.
struct Frame {
    normal: Vec3,
    tangents: [Vec3; 2],
    centre: Vec3,
    spread: f64,
    area: f64,
    load: f64,
    /// Pressure from which on a contact counts with its whole area.
    full: f64,
    /// How far the object gives way to a pascal on the patch, m/Pa.
    yields: f64,
    pressure: Pressure,
}

impl Frame {
    fn of(group: &[FreeContact], place: &[u32], pressure: Pressure) -> Frame {
        let contacts = || place.iter().map(|&i| &group[i as usize]);
        let area: f64 = contacts().map(|c| c.carrier.area).sum();
        let yields = yields(group, place, area);
        let load: f64 = contacts().map(|c| load(c, pressure, yields)).sum();
        let full = FULL * load / area;
        let mut frame = Frame {
            normal: Vec3::ZERO,
            tangents: [Vec3::ZERO; 2],
            centre: Vec3::ZERO,
            spread: 0.0,
            area: 0.0,
            load,
            full,
            yields,
            pressure,
        };
        frame.area = contacts().map(|c| frame.area_of(c)).sum();
        frame.centre = contacts().map(|c| c.record.contact.point * frame.area_share(c)).sum();
        let normal = contacts().map(|c| c.record.normal * frame.area_share(c)).sum::<Vec3>();
        let normal = normal.try_normalize().unwrap_or(group[place[0] as usize].record.normal);
        let tangent = normal.any_orthonormal_vector();
        let arm = |c: &FreeContact| normal.cross(c.record.contact.point - frame.centre).length_squared();
        frame.spread = contacts().map(|c| arm(c) * frame.area_share(c)).sum();
        Frame { normal, tangents: [tangent, normal.cross(tangent)], ..frame }
    }

    fn normal_share(&self, contact: &FreeContact) -> f64 {
        load(contact, self.pressure, self.yields) / self.load
    }

    fn area_share(&self, contact: &FreeContact) -> f64 {
        self.area_of(contact) / self.area
    }

    /// `S_i`, less for contacts that hardly press.
    fn area_of(&self, contact: &FreeContact) -> f64 {
        contact.carrier.area.min(load(contact, self.pressure, self.yields) / self.full)
    }
}

/// How far the object gives way at a typical contact to a pascal on the patch, m/Pa.
fn yields(group: &[FreeContact], place: &[u32], area: f64) -> f64 {
    let contacts = || place.iter().map(|&i| &group[i as usize]);
    let middle = contacts().map(|c| c.record.contact.point * c.carrier.area).sum::<Vec3>() / area;
    let reach =
        contacts().map(|c| c.record.contact.point.distance_squared(middle) * c.carrier.area).sum::<f64>() / area;
    let (moves, turns) = group[place[0] as usize].yields;
    (moves + turns * reach) * area
}

/// `w_i S_i` up to a factor that is common to a patch: where positive, the contact presses.
fn load(contact: &FreeContact, pressure: Pressure, yields: f64) -> f64 {
    let (area, depth) = (contact.carrier.area, -contact.record.contact.gap);
    match pressure {
        Pressure::NonUniform => {
            let change = CHANGE.stiffness(contact, yields) * (depth - contact.depth);
            let remaining = REMAINING.stiffness(contact, yields) * depth;
            let follows = contact.pressing + area * (change + remaining);
            follows.max(LEAST * area * -contact.gap)
        }
        Pressure::Uniform if depth > 0.0 || (contact.pressing > 0.0 && depth > -LEFT) => area,
        Pressure::Uniform => 0.0,
    }
}
