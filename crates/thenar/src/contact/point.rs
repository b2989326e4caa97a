//! Contact as constraints at points: Signorini's law and Coulomb's cone at every touching skin vertex
//! [Talvas Alg. 1, Garre §3.2]. A pressing point ends on the surface, a sticking one on its anchor.

use super::Anchor;
use super::free::FreeContact;
use super::penalty::ContactRecord;
use super::rows::{ConstraintSet, Law};
use crate::collide::Toucher;
use crate::math::{Mat3, Pose, Vec3};

/// A point among the constraints of a step.
#[derive(Clone, Copy, Debug)]
struct Point {
    block: u32,
    record: u32,
    /// Normal and two tangents in world axes, as columns.
    axes: Mat3,
}

/// The points of a step.
#[derive(Clone, Debug, Default)]
pub struct Points {
    points: Vec<Point>,
}

impl Points {
    /// Room for as many points as there can be rows for.
    #[must_use]
    pub fn new() -> Self {
        Points { points: Vec::with_capacity(super::rows::ROW_CAPACITY / 3) }
    }

    /// Three rows for every contact; `records` receives one record for each.
    pub fn append(&mut self, contacts: &[FreeContact], set: &mut ConstraintSet, records: &mut Vec<ContactRecord>) {
        self.points.clear();
        for contact in contacts.iter().filter(|c| may_press(c)) {
            let Some(block) = set.begin(Law::Coulomb { friction: contact.friction }) else { break };
            let normal = contact.record.normal;
            let tangent = normal.any_orthonormal_vector();
            let axes = Mat3::from_cols(normal, tangent, normal.cross(tangent));
            let free = [contact.gap, axes.y_axis.dot(contact.displacement), axes.z_axis.dot(contact.displacement)];
            for (axis, free) in [axes.x_axis, axes.y_axis, axes.z_axis].into_iter().zip(free) {
                set.row(contact.entries(axis), contact.object_row(axis), 0.0, free, axis.dot(contact.held));
            }
            self.points.push(Point { block, record: records.len() as u32, axes });
            records.push(contact.record);
        }
    }

    /// After the solve: forces into the records, of which `records` starts with number `first`; `keep` receives the anchor of each point for the next step.
    pub fn settle(
        &self,
        set: &ConstraintSet,
        first: u32,
        records: &mut [ContactRecord],
        poses: &[Pose],
        keep: &mut impl FnMut(Toucher, Anchor),
    ) {
        for point in &self.points {
            let Law::Coulomb { friction } = set.blocks[point.block as usize].law else { continue };
            let (force, reached) = (set.force(point.block), set.reached(point.block));
            let slips = (force[1] * force[1] + force[2] * force[2]).sqrt() >= friction * force[0] * (1.0 - 1e-9);
            let moved = point.axes.y_axis * reached[1] + point.axes.z_axis * reached[2];
            let record = &mut records[(point.record - first) as usize];
            record.gap = reached[0];
            record.force = point.axes * Vec3::from_slice(force);
            record.active = force[0] > 0.0;
            record.slipping = slips;
            if record.active {
                let pose = &poses[record.contact.object as usize];
                let slip = if slips { moved } else { Vec3::ZERO };
                keep(record.contact.toucher, record.anchored(slip, force[0], pose));
            }
        }
    }
}

/// Without its forces a finger sinks in with many vertices, of which few come to press: those that pressed in the last
/// step and those that are inside at the predicted pose. Any other that ends up inside is taken in a second solve.
fn may_press(contact: &FreeContact) -> bool {
    contact.pressing > 0.0 || contact.record.contact.gap < 0.0 || contact.sunk > 0.0
}
