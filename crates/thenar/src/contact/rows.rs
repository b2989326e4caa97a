//! Rows of single contacts: hard points, compliant ones for springs that the matrix has no room for, and springs that are
//! lifted out of it.

use super::pair::{Pair, Verdict};
use super::touching::{ContactInput, Motion, Touching};
use crate::body::ContactMethod;
use crate::collide::{Contact, Side};
use crate::constraint::{AnyLaw, ConstraintSet, Coulomb, InMatrix, RowEntry, RowObject};
use crate::math::{Mat3, Vec3};

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
            if pair.needs_rows() && pair.verdict != Verdict::Open && pair.method != ContactMethod::Aggregate {
                self.crowded |= !append_pair(pair, input, set);
            }
        }
        self.append_patches(input, motion, set);
    }
}

/// The law of one contact as rows; false if there is no room for them.
pub(super) fn append_pair(pair: &mut Pair, input: &ContactInput<'_>, set: &mut ConstraintSet) -> bool {
    if set.rows.len() + 3 > input.rows {
        return false;
    }
    let axes = pair.axes();
    let outside = input.outside.filter(|_| pair.method == ContactMethod::Outside).map(|method| method.answer(pair));
    let law = outside.as_ref().map(|answer| answer.law.clone());
    let law = law.unwrap_or(AnyLaw::Coulomb(Coulomb { friction: pair.friction }));
    let count = law.law().rows().min(3);
    let block = set.begin(law);
    set.blocks[block as usize].in_matrix = held(pair, &axes);
    // a contact that has left its patch slides from where it is
    let (hard, of_patch) = (pair.is_hard(), pair.method == ContactMethod::Aggregate);
    let base = pair.base(input.dt);
    let remembered = pair.memory.map_or(Vec3::ZERO, |m| m.force);
    let start = if hard { pair.contact.normal * pair.kept + pair.drag } else { remembered };
    for (k, axis) in [axes.x_axis, axes.y_axis, axes.z_axis].into_iter().enumerate().take(count) {
        let (stiffness, measured) = match k {
            0 => (pair.normal_stiffness, axis.dot(base) - pair.shift()),
            _ if of_patch => (f64::INFINITY, 0.0),
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
    pair.block = Some(block);
    true
}

/// What the matrix holds for a contact that is lifted out of it.
fn held(pair: &Pair, axes: &Mat3) -> Option<InMatrix> {
    pair.is_in_matrix().then(|| pair.in_matrix(axes))
}
