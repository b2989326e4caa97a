//! Rows of single contacts: hard points, compliant ones for springs that the matrix has no room for, and springs that are
//! lifted out of it.

use super::hold::HeldLaw;
use super::pair::{Pair, Verdict};
use super::touching::{ContactInput, Motion, Touching};
use crate::body::ContactMethod;
use crate::collide::{Contact, Side};
use crate::constraint::{AnyLaw, ConstraintSet, Coulomb, InMatrix, RowEntry, RowObject};
use crate::math::{Mat3, Vec3};
use std::sync::Arc;

impl ContactInput<'_> {
    /// The nodes of a row that measures the motion of the touching over the touched side along `axis`.
    pub(super) fn entries<'a>(&'a self, contact: &'a Contact, axis: Vec3) -> impl Iterator<Item = RowEntry> + 'a {
        contact.sides.iter().zip([axis, -axis]).flat_map(|(side, axis)| {
            let body = match *side {
                Side::Soft { body, .. } => body,
                Side::Rigid { .. } => 0,
            };
            let carriers = self.contacts.carriers(side).iter();
            carriers.map(move |c| RowEntry { body, block: c.node, value: axis * c.weight })
        })
    }

    /// The objects of such a row.
    pub(super) fn row_objects(&self, contact: &Contact, axis: Vec3) -> [Option<RowObject>; 2] {
        let of = |side: &Side, axis: Vec3| match *side {
            Side::Rigid { object, lever } => self.scene.objects[object as usize].border.map(|index| RowObject {
                index,
                linear: axis,
                angular: lever.cross(axis),
            }),
            Side::Soft { .. } => None,
        };
        [of(&contact.sides[0], axis), of(&contact.sides[1], -axis)]
    }
}

impl Touching {
    /// Second hook: rows of all contacts that need them from the start, and of the patches.
    pub fn append_rows(&mut self, input: &ContactInput<'_>, motion: &Motion<'_>, set: &mut ConstraintSet) {
        for pair in &mut self.pairs {
            let of_patch = pair.method == ContactMethod::Aggregate && pair.hold.is_none();
            if pair.needs_rows() && pair.verdict != Verdict::Open && !of_patch {
                self.crowded |= !append_pair(pair, input, set);
            }
            pair.spring = None;
            if pair.is_spread() && pair.verdict != Verdict::Open && pair.normal_stiffness > 0.0 {
                self.crowded |= !append_spring(pair, input, set);
            }
        }
        self.append_patches(input, motion, set);
    }
}

impl Touching {
    /// Rows of the contacts that slide in the matrix: it holds them as symmetric models, and how friction follows the normal force has to
    /// be said by their law. To be called after the step has settled; `room` is how many rows the set may have.
    pub fn append_sliding(&self, input: &ContactInput<'_>, set: &mut ConstraintSet, room: usize) {
        // friction of a patch is its own rows', by shares of the pressure that stay
        let single = |p: &Pair| p.method != ContactMethod::Aggregate && p.block.is_none() && !p.loose;
        let sliding = |p: &&Pair| p.slipping && p.active && single(p) && p.is_in_matrix();
        for pair in self.pairs.iter().filter(sliding) {
            if set.rows.len() + 3 > room {
                return;
            }
            let block = write_pair(pair, input, set);
            let force = pair.axes().transpose() * pair.force;
            let across = (force.y * force.y + force.z * force.z).sqrt();
            let limit = pair.friction * force.x / across.max(f64::MIN_POSITIVE);
            let range = set.blocks[block as usize].range();
            set.lambda[range].copy_from_slice(&[force.x, force.y * limit, force.z * limit]);
        }
    }
}

/// The spring of a contact whose patch the matrix has no room for, as rows without a force of their own: what the matrix holds for a row
/// is lifted out of `W`, so a spring is put in as the opposite. False if there is no room for it.
fn append_spring(pair: &mut Pair, input: &ContactInput<'_>, set: &mut ConstraintSet) -> bool {
    let rows = if pair.tangent_stiffness > 0.0 { 3 } else { 1 };
    if set.rows.len() + rows > input.rows {
        return false;
    }
    let (block, base) = (set.begin(AnyLaw::Released(rows)), pair.base(input.dt));
    let mut opposite = InMatrix::default();
    let axes = pair.axes();
    for (k, axis) in [axes.x_axis, axes.y_axis, axes.z_axis].into_iter().enumerate().take(rows) {
        opposite.stiffness[k][k] = -if k == 0 { pair.normal_stiffness } else { pair.tangent_stiffness };
        let (entries, objects) = (input.entries(&pair.contact, axis), input.row_objects(&pair.contact, axis));
        set.row(entries, objects, 0.0, axis.dot(base), 0.0);
    }
    set.blocks[block as usize].in_matrix = Some(opposite);
    pair.spring = Some(block);
    true
}

/// The law of one contact as rows; false if there is no room for them.
pub(super) fn append_pair(pair: &mut Pair, input: &ContactInput<'_>, set: &mut ConstraintSet) -> bool {
    if set.rows.len() + 3 > input.rows {
        return false;
    }
    pair.block = Some(write_pair(pair, input, set));
    true
}

fn write_pair(pair: &Pair, input: &ContactInput<'_>, set: &mut ConstraintSet) -> u32 {
    let axes = pair.axes();
    let outside = input.outside.filter(|_| pair.method == ContactMethod::Outside).map(|method| method.answer(pair));
    let law = outside.as_ref().map(|answer| answer.law.clone());
    let held = pair.hold.map(|hold| {
        let along = axes.transpose() * hold.friction * pair.friction;
        let slide = (hold.verdict == Verdict::Slide).then_some([along.y, along.z]);
        AnyLaw::Other(Arc::new(HeldLaw { rows: 3, slide }))
    });
    let law = law.or(held).unwrap_or(AnyLaw::Coulomb(Coulomb { friction: pair.friction }));
    let count = law.law().rows().min(3);
    let block = set.begin(law);
    set.blocks[block as usize].in_matrix = in_matrix(pair, &axes);
    // a contact that has left its patch slides from where it is
    let (hard, of_patch) = (pair.is_hard(), pair.method == ContactMethod::Aggregate);
    let base = pair.base(input.dt);
    let remembered = pair.memory.map_or(Vec3::ZERO, |m| m.force);
    let start = if hard { pair.contact.normal * pair.kept + pair.drag } else { remembered };
    for (k, axis) in [axes.x_axis, axes.y_axis, axes.z_axis].into_iter().enumerate().take(count) {
        let (stiffness, measured) = match k {
            0 => (pair.normal_stiffness, axis.dot(base) - pair.shift()),
            _ if of_patch && pair.tangent_stiffness == 0.0 => (f64::INFINITY, 0.0),
            _ => (pair.tangent_stiffness, axis.dot(base)),
        };
        let compliance = match &outside {
            Some(answer) => answer.compliance[k],
            None if hard => 0.0,
            None => 1.0 / stiffness,
        };
        let entries = input.entries(&pair.contact, axis);
        let objects = input.row_objects(&pair.contact, axis);
        set.row(entries, objects, compliance, measured, axis.dot(start));
    }
    block
}

/// What the matrix holds for a contact that is lifted out of it.
fn in_matrix(pair: &Pair, axes: &Mat3) -> Option<InMatrix> {
    pair.is_in_matrix().then(|| pair.in_matrix(axes))
}
