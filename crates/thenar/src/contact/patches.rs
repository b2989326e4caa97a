//! Contact aggregated per patch [Talvas §3.2–3.4, misprints corrected]: a row for the penetrated volume, two for the mean
//! slip, one for the spin about the normal.
//!
//! The volume row is divided by the weighted area of its contacts, so that it measures the weighted mean gap in metres and
//! its multiplier is a normal force; the paper's multiplier, a pressure, is that over `Σ w_i S_i`. Where the pressure goes
//! is a choice ([`Pressure`]):
//!
//! - `springs`: every contact has a spring in the matrix, `N_i = k S_i δ_i + λ S_i / Σ S`. The multiplier `λ` presses
//!   evenly and makes the mean depth vanish; what remains of the springs spreads the pressure, resists tilting, and adds up
//!   to nothing. The step solves both together, so no law over steps is needed.
//! - `depth`: `N_i = λ w_i S_i / Σ w_k S_k` with the depths `w_i` after the free motion [Talvas eq. 11], literally.
//! - `uniform`: the same with equal weights.
//!
//! Slip is the mean over the contacts by their pressure, so that friction is shared as the pressure is.
//!
//! A mean alone does not hold a soft surface: under a patch whose mean stays, its points may still move apart, and where the pressure then goes
//! elsewhere, the mean is another; step by step a box walks down a slope without ever slipping. So where `springs` spread the pressure they
//! spread friction, too: a contact of a sticking patch has an anchor of its own, and a spring across the normal, in the matrix or in `W`, as stiff
//! as it presses, `k_i = μ N_i / l`. Slip is the mean way from these anchors, `w̄ = Σ s_i w_i` with `s_i = k_i / Σ k`, likewise the spin. What the
//! springs do to the mean is lifted out of the step again (`Σ k_i |w_i|² − (Σ k) |w̄|²` is what they do to the differences): all friction that
//! a patch as a whole has is its law's. An anchor follows its contact where friction would leave the contact's own cone, and all do while the
//! patch slides. Where `springs` do not spread the pressure, and without torsion, patches measure slip from one anchor, a place and an angle.

use super::hold::HeldLaw;
use super::memory::{PatchKey, PatchMemory};
use super::pair::{Pair, Verdict};
use super::params::Pressure;
use super::touching::{ContactInput, Motion, Touching};
use crate::body::ContactMethod;
use crate::collide::{BodyRef, Contact, Side};
use crate::constraint::{
    AnyLaw, ConstraintSet, Contensou, Coulomb, InMatrix, PatchFriction, PatchPoint, RowEntry, RowObject,
};
use crate::math::Vec3;
use std::sync::Arc;

/// Contacts of one patch closer than this belong together, metres; further apart it touches in two places.
const APART: f64 = 0.006;

/// Contacts of one place have normals within this cosine of the first's.
const ONE_NORMAL: f64 = 0.5;

/// A patch narrower than this has no spin worth a row, metres.
const NARROWEST: f64 = 2e-4;

/// How much more exact than other rows the mean depth of a patch is met: 2 nm, which is 2 Pa of its springs.
const VOLUME_SCALE: f64 = 25.0;

/// Way from its anchor over which a contact of a sticking patch comes to all the friction that it can have, metres.
const HOLDS_WITHIN: f64 = 5e-5;

/// Shares of pressure are not less than this part of an even one.
const LEAST_SHARE: f64 = 1e-6;

/// One place where a patch touches.
#[derive(Clone, Copy, Debug)]
pub struct Patch {
    /// Which.
    pub key: PatchKey,
    /// Its rows: number of the block.
    pub block: u32,
    /// It has a row for its spin.
    pub torsion: bool,
    /// Its contacts, as a range of members.
    pub members: [u32; 2],
    /// Mean normal.
    pub normal: Vec3,
    /// Two directions across it.
    pub tangents: [Vec3; 2],
    /// Centre of pressure, metres.
    pub centre: Vec3,
    /// `Σ s ‖n × r‖²` with the shares `s` of the pressure, m².
    pub spread: f64,
}

impl Patch {
    /// A vector across the patch's normal, turned with it into the plane of a contact: `t − (n·t)/(1 + m·n) (m + n)`. Friction of a contact lies in
    /// its own plane and is as large as its pressure allows, also where a patch is wrapped around something; a mere projection would lose the
    /// cosine.
    pub(super) fn laid(&self, contact: &Contact, t: Vec3) -> Vec3 {
        let (mean, own) = (self.normal, outward(contact));
        t - (mean + own) * (own.dot(t) / (1.0 + mean.dot(own)).max(f64::MIN_POSITIVE))
    }
}

/// A contact of a patch.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// Which.
    pub pair: u32,
    /// Its share of the patch's multiplier.
    pub normal: f64,
    /// Its share of the pressure, by which friction is shared.
    pub friction: f64,
}

/// Scratch of patches.
#[derive(Debug, Default)]
pub struct PatchScratch {
    pub(super) members: Vec<Member>,
    order: Vec<u32>,
    /// Bodies and blocks that carry the contacts of a place.
    blocks: Vec<[u32; 2]>,
    /// Which of them each carrier of each contact is.
    places: Vec<u32>,
    values: Vec<Vec3>,
}

impl PatchScratch {
    pub(super) fn with_capacity(contacts: usize) -> Self {
        PatchScratch {
            members: Vec::with_capacity(contacts),
            order: Vec::with_capacity(contacts),
            blocks: Vec::with_capacity(4 * contacts),
            places: Vec::with_capacity(16 * contacts),
            values: Vec::with_capacity(4 * contacts),
        }
    }
}

/// What a row measures at one contact.
struct Measured {
    axis: Vec3,
    weight: f64,
    /// If nothing moved in the step, metres, along the axis.
    base: f64,
}

impl Touching {
    /// Forms patches of the contacts that press, and writes their rows.
    pub(super) fn append_patches(&mut self, input: &ContactInput<'_>, motion: &Motion<'_>, set: &mut ConstraintSet) {
        self.patches.clear();
        self.scratch.members.clear();
        self.pairs.iter_mut().for_each(|p| p.share = 0.0);
        let mut order = std::mem::take(&mut self.scratch.order);
        order.clear();
        let pressure = input.aggregate.pressure;
        let pairs = &self.pairs;
        let presses = |pair: &Pair| match pressure {
            Pressure::Springs => pair.verdict != Verdict::Open,
            Pressure::Depth | Pressure::Uniform => depth(pair, input, motion) > 0.0,
        };
        let of_patch = |p: &Pair| p.method == ContactMethod::Aggregate && p.block.is_none();
        let aggregated = pairs.iter().enumerate().filter(|(_, p)| of_patch(p) && presses(p));
        order.extend(aggregated.map(|(i, _)| i as u32));
        order.sort_unstable_by_key(|&i| (key(&pairs[i as usize].contact), i));
        let mut rest = &mut order[..];
        while let Some(&first) = rest.first() {
            let of_key = key(&self.pairs[first as usize].contact);
            let end = rest.iter().take_while(|&&i| key(&self.pairs[i as usize].contact) == of_key).count();
            let (mut group, after) = rest.split_at_mut(end);
            let mut place = 0;
            while !group.is_empty() {
                let size = first_place(&self.pairs, group);
                let (own, others) = group.split_at_mut(size);
                let key = PatchKey { place, ..of_key };
                self.share_out(own, input, motion);
                let start = self.scratch.members.len() - own.len();
                if let Some(patch) = self.append_place(key, start, input, set, None) {
                    self.patches.push(patch);
                }
                place = place.saturating_add(1);
                group = others;
            }
            rest = after;
        }
        self.scratch.order = order;
    }

    /// Rows of a place whose members are the last ones; `force` is what its rows start from, if a round knows that.
    fn append_place(
        &mut self,
        key: PatchKey,
        start: usize,
        input: &ContactInput<'_>,
        set: &mut ConstraintSet,
        force: Option<PatchMemory>,
    ) -> Option<Patch> {
        let end = self.scratch.members.len();
        let memory = input.memory.patch(&key).copied();
        let mut patch = self.frame(key, start, end, input)?;
        if set.rows.len() + 4 > input.rows {
            self.crowded = true;
            return None;
        }
        let first_pair = &self.pairs[self.scratch.members[start].pair as usize];
        let friction = first_pair.friction;
        let law = if first_pair.hold.is_some_and(|hold| !hold.slipping) {
            AnyLaw::Other(Arc::new(HeldLaw { rows: 3 + usize::from(patch.torsion), slide: None }))
        } else if patch.torsion {
            let first = set.patch_points.len();
            for m in &self.scratch.members[start..end] {
                let arm = self.pairs[m.pair as usize].contact.point - patch.centre;
                let (x, y) = (patch.tangents[0].dot(arm), patch.tangents[1].dot(arm));
                set.patch_points.push(PatchPoint { x, y, share: m.friction });
            }
            AnyLaw::Contensou(Contensou { friction, patch: PatchFriction::new(&set.patch_points, first) })
        } else {
            AnyLaw::Coulomb(Coulomb { friction })
        };
        patch.block = set.begin(law);
        let turn = match key.other {
            BodyRef::Object(object) => input.scene.poses[object as usize].rotation,
            BodyRef::Soft(_) => crate::math::Quat::IDENTITY,
        };
        let (pairs, dt) = (&self.pairs, input.dt);
        let members = &self.scratch.members[start..end];
        let holding: f64 = members.iter().map(|m| pairs[m.pair as usize].tangent_stiffness).sum();
        // where its contacts have anchors of their own, the patch's is their mean
        let memory_of_place = memory.filter(|_| holding == 0.0);
        let own_way = |pair: &Pair, axis: Vec3| if holding > 0.0 { axis.dot(pair.base(dt)) } else { 0.0 };
        let offset = memory_of_place.map_or(Vec3::ZERO, |m| turn * m.offset);
        let from = force.or(memory);
        let held = from.map_or(Vec3::ZERO, |m| m.friction);
        let scratch = &mut self.scratch;
        collect_nodes(scratch, start, end, pairs, input);
        let pressing = from.map_or(0.0, |m| m.pressing);
        write_row(scratch, start, end, pairs, input, set, 0.0, pressing, |pair, m| {
            let normal = pair.contact.normal;
            Measured { axis: normal, weight: m.normal, base: normal.dot(pair.base(dt)) }
        });
        // beside the springs of the patch, a depth that is left is a force that its friction does not know of
        if let Some(row) = set.rows.last_mut() {
            row.scale = VOLUME_SCALE;
        }
        for tangent in patch.tangents {
            write_row(scratch, start, end, pairs, input, set, tangent.dot(offset), tangent.dot(held), |pair, m| {
                let weight = m.friction * way(&pair.contact);
                let axis = patch.laid(&pair.contact, tangent);
                Measured { axis, weight, base: own_way(pair, axis) }
            });
        }
        if patch.torsion {
            let turned = memory_of_place.map_or(0.0, |m| m.turned);
            let torque = from.map_or(0.0, |m| m.torque);
            write_row(scratch, start, end, pairs, input, set, turned, torque, |pair, m| {
                let around = patch.normal.cross(pair.contact.point - patch.centre);
                let weight = m.friction * way(&pair.contact) / patch.spread;
                let axis = patch.laid(&pair.contact, around);
                Measured { axis, weight, base: own_way(pair, axis) }
            });
            if let AnyLaw::Contensou(law) = &set.blocks[patch.block as usize].law {
                let radius = law.patch.radius();
                let spin = set.blocks[patch.block as usize].first as usize + 3;
                set.rows[spin].scale = radius;
            }
        }
        if holding > 0.0 {
            let mut held = InMatrix { first: 1, ..InMatrix::default() };
            for (k, size) in [1.0, 1.0, patch.spread].into_iter().enumerate() {
                held.stiffness[k][k] = holding * size;
            }
            set.blocks[patch.block as usize].in_matrix = Some(held);
        }
        for m in &self.scratch.members[start..end] {
            let pair = &mut self.pairs[m.pair as usize];
            pair.share = m.normal * pressing;
        }
        Some(patch)
    }

    /// Patches some of whose contacts were lifted out get rows without them.
    pub(super) fn shrink_patches(&mut self, input: &ContactInput<'_>, set: &mut ConstraintSet) {
        for index in 0..self.patches.len() {
            let patch = self.patches[index];
            let range = patch.members[0] as usize..patch.members[1] as usize;
            let stays = |pairs: &[Pair], m: &Member| pairs[m.pair as usize].block.is_none();
            if self.scratch.members[range.clone()].iter().all(|m| stays(&self.pairs, m)) {
                continue;
            }
            let start = self.scratch.members.len();
            let (mut normal, mut friction) = (0.0, 0.0);
            for i in range {
                let m = self.scratch.members[i];
                if stays(&self.pairs, &m) {
                    (normal, friction) = (normal + m.normal, friction + m.friction);
                    self.scratch.members.push(m);
                }
            }
            for m in &mut self.scratch.members[start..] {
                m.normal /= normal;
                m.friction = if friction > 0.0 { m.friction / friction } else { m.normal };
            }
            let [t, s] = patch.tangents;
            let force = set.force(patch.block);
            let from = PatchMemory {
                pressing: force[0],
                friction: t * force[1] + s * force[2],
                torque: force.get(3).copied().unwrap_or(0.0),
                ..PatchMemory::new(patch.key)
            };
            set.release(patch.block);
            match self.append_place(patch.key, start, input, set, Some(from)) {
                Some(patch) => self.patches[index] = patch,
                None => self.patches[index].members = [0, 0],
            }
        }
    }

    /// Shares of the contacts of a place.
    fn share_out(&mut self, place: &[u32], input: &ContactInput<'_>, motion: &Motion<'_>) {
        let area: f64 = place.iter().map(|&i| self.pairs[i as usize].contact.area).sum();
        let (mut total, mut load) = (0.0, 0.0);
        let holding: f64 = place.iter().map(|&i| self.pairs[i as usize].tangent_stiffness).sum();
        let start = self.scratch.members.len();
        for &i in place {
            let pair = &self.pairs[i as usize];
            let own = pair.contact.area;
            let (normal, pressing) = match input.aggregate.pressure {
                Pressure::Springs => {
                    let guess = pair.normal_stiffness * -pair.contact.normal.dot(pair.predicted);
                    (own, pair.memory.map_or(guess, |m| m.pressing))
                }
                Pressure::Depth => {
                    let weighted = own * depth(pair, input, motion);
                    (weighted, weighted)
                }
                Pressure::Uniform => (own, own),
            };
            total += normal;
            load += pressing.max(0.0);
            self.scratch.members.push(Member { pair: i, normal, friction: pressing.max(0.0) });
        }
        for m in &mut self.scratch.members[start..] {
            m.normal /= total;
            if holding > 0.0 {
                m.friction = self.pairs[m.pair as usize].tangent_stiffness / holding;
                continue;
            }
            // an even distribution where nothing presses yet, and a trace of it everywhere
            let even = self.pairs[m.pair as usize].contact.area / area;
            let pressing = if load > 0.0 { m.friction / load } else { even };
            m.friction = (pressing + LEAST_SHARE * even) / (1.0 + LEAST_SHARE);
        }
    }

    /// Centre and axes of a place.
    fn frame(&self, key: PatchKey, start: usize, end: usize, input: &ContactInput<'_>) -> Option<Patch> {
        let members = &self.scratch.members[start..end];
        let first = members.first()?;
        let of = |m: &Member| &self.pairs[m.pair as usize].contact;
        let centre: Vec3 = members.iter().map(|m| of(m).point * m.friction).sum();
        let mean: Vec3 = members.iter().map(|m| outward(of(m)) * m.friction).sum();
        let normal = mean.try_normalize().unwrap_or(outward(of(first)));
        let tangent = normal.any_orthonormal_vector();
        let spread =
            members.iter().map(|m| m.friction * normal.cross(of(m).point - centre).length_squared()).sum::<f64>();
        Some(Patch {
            key,
            block: 0,
            torsion: input.aggregate.torsion && spread > NARROWEST * NARROWEST,
            members: [start as u32, end as u32],
            normal,
            tangents: [tangent, normal.cross(tangent)],
            centre,
            spread,
        })
    }

    /// After a solve: what each patch presses its contacts with.
    pub fn update_shares(&mut self, set: &ConstraintSet) {
        for patch in &self.patches {
            let pressing = set.force(patch.block)[0];
            for m in &self.scratch.members[patch.members[0] as usize..patch.members[1] as usize] {
                let pair = &mut self.pairs[m.pair as usize];
                pair.share = m.normal * pressing;
            }
        }
    }

    /// The contacts of a patch.
    #[must_use]
    pub fn members(&self, patch: &Patch) -> &[Member] {
        &self.scratch.members[patch.members[0] as usize..patch.members[1] as usize]
    }
}

impl Pair {
    /// Stiffness across the normal of a contact that stuck with its patch, N/m: in proportion to what it pressed with, as friction is shared.
    pub(super) fn spread_friction(&self) -> f64 {
        match self.memory {
            Some(m) if m.method == self.method && !m.slipping => self.friction * m.pressing.max(0.0) / HOLDS_WITHIN,
            _ => 0.0,
        }
    }
}

/// Depth of a contact by the motion found so far, metres.
fn depth(pair: &Pair, input: &ContactInput<'_>, motion: &Motion<'_>) -> f64 {
    -pair.contact.normal.dot(pair.displacement(input.dt, input.found(&pair.contact, motion)))
}

/// What a group of contacts has in common. Between soft bodies points of both touch; they belong to the patch of the finer one, so that what a
/// phalanx does to a soft object is one patch, whichever body a point is of.
pub(super) fn key(contact: &Contact) -> PatchKey {
    let [own, other] = if way(contact) > 0.0 { [0, 1] } else { [1, 0] };
    let (body, patch) = match contact.sides[own] {
        Side::Soft { body, patch, .. } => (body, patch),
        Side::Rigid { .. } => (0, 0),
    };
    PatchKey { body, other: contact.sides[other].body(), patch, place: 0 }
}

/// 1 if the touching side is the patch's, −1 if the touched one is.
pub(super) fn way(contact: &Contact) -> f64 {
    match contact.sides {
        [Side::Soft { body: a, patch: p, .. }, Side::Soft { body: b, patch: q, .. }] if (q, a) > (p, b) => -1.0,
        _ => 1.0,
    }
}

/// The normal out of what the patch touches.
fn outward(contact: &Contact) -> Vec3 {
    contact.normal * way(contact)
}

/// Moves the contacts that lie in one place with the first to the front; returns how many they are.
fn first_place(pairs: &[Pair], order: &mut [u32]) -> usize {
    let contact = |i: u32| &pairs[i as usize].contact;
    let near = |a: u32, b: u32| {
        let (a, b) = (contact(a), contact(b));
        // a coarse surface has points further apart
        let apart = APART.max(3.0 * a.area.max(b.area).sqrt());
        a.point.distance_squared(b.point) < apart * apart
    };
    let first = outward(contact(order[0]));
    let (mut reached, mut looked) = (1, 0);
    while looked < reached && reached < order.len() {
        let unseen = reached..order.len();
        for k in unseen {
            if outward(contact(order[k])).dot(first) > ONE_NORMAL && near(order[looked], order[k]) {
                order.swap(reached, k);
                reached += 1;
            }
        }
        looked += 1;
    }
    reached
}

/// The nodes that carry the contacts of a place, each once: rows over many contacts stay short.
fn collect_nodes(scratch: &mut PatchScratch, start: usize, end: usize, pairs: &[Pair], input: &ContactInput<'_>) {
    let PatchScratch { members, blocks, places, .. } = scratch;
    blocks.clear();
    places.clear();
    for m in &members[start..end] {
        for side in &pairs[m.pair as usize].contact.sides {
            let Side::Soft { body, .. } = *side else { continue };
            for c in input.contacts.carriers(side) {
                // neighbours share nodes: most are among the last
                let known = blocks.iter().rposition(|&block| block == [body, c.node]);
                let at = known.unwrap_or_else(|| {
                    blocks.push([body, c.node]);
                    blocks.len() - 1
                });
                places.push(at as u32);
            }
        }
    }
}

/// One row: the weighted sum of what is measured at all contacts, from `offset` on.
fn write_row(
    scratch: &mut PatchScratch,
    start: usize,
    end: usize,
    pairs: &[Pair],
    input: &ContactInput<'_>,
    set: &mut ConstraintSet,
    offset: f64,
    force: f64,
    measure: impl Fn(&Pair, &Member) -> Measured,
) {
    let PatchScratch { members, blocks, places, values, .. } = scratch;
    let mut base = offset;
    let (mut linear, mut angular) = (Vec3::ZERO, Vec3::ZERO);
    let mut touched = None;
    values.clear();
    values.resize(blocks.len(), Vec3::ZERO);
    let mut at = places.iter();
    for m in &members[start..end] {
        let pair = &pairs[m.pair as usize];
        let Measured { axis, weight, base: own } = measure(pair, m);
        base += weight * own;
        for (side, value) in pair.contact.sides.iter().zip([axis * weight, axis * -weight]) {
            if let Side::Rigid { object, lever } = *side {
                linear += value;
                angular += lever.cross(value);
                touched = input.scene.objects[object as usize].border;
            }
            for c in input.contacts.carriers(side) {
                if let Some(&node) = at.next() {
                    values[node as usize] += value * c.weight;
                }
            }
        }
    }
    let object = touched.map(|index| RowObject { index, linear, angular });
    let entries = blocks.iter().zip(values.iter()).map(|(&[body, block], &value)| RowEntry { body, block, value });
    set.row(entries, [object, None], 0.0, base, force);
}

impl PatchMemory {
    /// Nothing held yet.
    #[must_use]
    pub fn new(key: PatchKey) -> Self {
        PatchMemory {
            key,
            pressing: 0.0,
            friction: Vec3::ZERO,
            torque: 0.0,
            offset: Vec3::ZERO,
            turned: 0.0,
            shift: 0.0,
            rested: 0.0,
            rest_force: 0.0,
        }
    }
}
