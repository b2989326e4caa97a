//! Contact aggregated per patch [Talvas §3.2–3.4, misprints corrected]: one row for the penetrated volume, two for
//! the mean slip, one for the spin about the normal.
//!
//! The volume row is divided by the weighted area of its contacts, so that it measures the weighted mean gap in metres
//! and its multiplier is the patch's normal force `N`; the paper's multiplier, a pressure, is `N / Σ w_i S_i`. Contact
//! `i` carries `N_i = N w_i S_i / Σ w_k S_k`.
//!
//! Where the weights `w_i` come from is in `contact/pressure.rs`.
//!
//! Slip is measured within the step, not from the anchors of single contacts: a patch holds only the mean of its
//! contacts, so their anchors would drift apart, and every contact that left and came back would shift that mean.

use super::Anchor;
use super::contensou::{PatchFriction, PatchPoint, STICKING};
use super::free::FreeContact;
use super::penalty::ContactRecord;
pub use super::pressure::Pressure;
use super::pressure::{self, Share};
use super::rows::{ConstraintSet, Law, POINT_CAPACITY, ROW_CAPACITY, RowEntry, RowObject};
use crate::collide::Toucher;
use crate::math::{Pose, Vec3};

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
    share: Share,
}

/// The patches of a step.
#[derive(Clone, Debug, Default)]
pub struct Patches {
    patches: Vec<PatchContact>,
    members: Vec<Member>,
    order: Vec<u32>,
    nodes: PatchNodes,
    shares: Vec<Share>,
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
            shares: Vec::with_capacity(POINT_CAPACITY),
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
            order.extend((0..group.len() as u32).filter(|&i| pressure::presses(&group[i as usize], params.pressure)));
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
        let contacts = || place.iter().map(|&i| &group[i as usize]);
        pressure::spread(contacts(), params.pressure, &mut self.shares);
        let shares = &self.shares[..];
        let frame = Frame::of(contacts(), shares);
        let torsion = params.torsion && frame.spread > NARROWEST * NARROWEST;
        let coefficient = group[place[0] as usize].friction;
        let law = if torsion {
            Law::Contensou { friction: coefficient, patch: set.patches.len() as u32 }
        } else {
            Law::Coulomb { friction: coefficient }
        };
        let Some(block) = set.begin(law) else { return };
        let start = self.members.len() as u32;
        for (contact, &share) in contacts().zip(shares) {
            self.members.push(Member { record: records.len() as u32, share });
            records.push(contact.record);
        }
        self.nodes.collect(group, place);
        let mut row = |measure: &dyn Fn(&FreeContact, &Share) -> Measured| {
            self.nodes.append_row(set, contacts().zip(shares).map(|(c, share)| (c, measure(c, share))));
        };
        let friction = |c: &FreeContact| c.held - c.record.normal * c.pressing;
        row(&|c, share| Measured {
            axis: c.record.normal,
            weight: share.normal,
            moved: c.gap,
            force: c.record.normal * c.pressing,
        });
        for tangent in frame.tangents {
            row(&|c, share| Measured {
                axis: tangent,
                weight: share.area,
                moved: tangent.dot(c.motion),
                force: friction(c),
            });
        }
        if torsion {
            row(&|c, share| {
                let around = frame.normal.cross(c.record.contact.point - frame.centre);
                let weight = share.area / frame.spread;
                Measured { axis: around, weight, moved: around.dot(c.motion), force: friction(c) }
            });
            let first = set.patch_points.len();
            for (contact, share) in contacts().zip(shares) {
                let arm = contact.record.contact.point - frame.centre;
                let (x, y) = (frame.tangents[0].dot(arm), frame.tangents[1].dot(arm));
                set.patch_points.push(PatchPoint { x, y, share: share.normal });
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
                let pressing = force[0] * member.share.normal;
                record.force = record.normal * pressing + (pull + around * twist) * member.share.area;
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

/// What a row measures at one contact.
struct Measured {
    axis: Vec3,
    weight: f64,
    /// After the free motion, metres, along the axis.
    moved: f64,
    /// What the contact carried in the last step, N.
    force: Vec3,
}

impl PatchNodes {
    /// One row: the weighted sum of what is measured at all contacts.
    fn append_row<'a>(&mut self, set: &mut ConstraintSet, contacts: impl Iterator<Item = (&'a FreeContact, Measured)>) {
        let (mut free, mut start, mut total) = (0.0, 0.0, 0.0);
        let (mut linear, mut angular) = (Vec3::ZERO, Vec3::ZERO);
        let mut touched = (0, None);
        self.values.clear();
        self.values.resize(self.blocks.len(), Vec3::ZERO);
        for ((contact, m), at) in contacts.zip(&self.places) {
            free += m.weight * m.moved;
            start += m.axis.dot(m.force);
            total += m.axis.length_squared() * m.weight;
            let value = m.axis * m.weight;
            linear -= value;
            angular -= contact.lever.cross(value);
            for (&node, share) in at.iter().zip(contact.carrier.weights) {
                self.values[node as usize] += value * share;
            }
            touched = (contact.body, contact.object);
        }
        let (body, object) = touched;
        let object = object.map(|index| RowObject { index, linear, angular });
        // forces `axis · weight · λ` at the contacts add up to `Σ axis · force = λ Σ axis² weight`
        let start = if total > 0.0 { start / total } else { 0.0 };
        let entries = self.blocks.iter().zip(&self.values);
        set.row(entries.map(|(&block, &value)| RowEntry { body, block, value }), object, 0.0, free, start);
    }
}

/// Centre and axes of a place.
struct Frame {
    normal: Vec3,
    tangents: [Vec3; 2],
    centre: Vec3,
    /// `Σ S ‖n × r‖² / Σ S`, m².
    spread: f64,
}

impl Frame {
    fn of<'a>(contacts: impl Iterator<Item = &'a FreeContact> + Clone, shares: &[Share]) -> Frame {
        let weighted = || contacts.clone().zip(shares.iter().map(|s| s.area));
        let centre = weighted().map(|(c, area)| c.record.contact.point * area).sum::<Vec3>();
        let mean = weighted().map(|(c, area)| c.record.normal * area).sum::<Vec3>();
        let first = contacts.clone().next().map_or(Vec3::Y, |c| c.record.normal);
        let normal = mean.try_normalize().unwrap_or(first);
        let tangent = normal.any_orthonormal_vector();
        let arm = |c: &FreeContact| normal.cross(c.record.contact.point - centre).length_squared();
        let spread = weighted().map(|(c, area)| arm(c) * area).sum();
        Frame { normal, tangents: [tangent, normal.cross(tangent)], centre, spread }
    }
}
