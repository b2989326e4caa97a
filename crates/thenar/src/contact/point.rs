//! Contact as constraints at points: Signorini's law and Coulomb's cone at every touching skin vertex.
//!
//! The step first finds the free motion without contact. The gaps of the same candidates are then evaluated there, and
//! each point that could press leaves three rows: normal and two tangents [Talvas Alg. 1, Garre §3.2]. Written in
//! displacements at the end of the step the laws need no later stabilisation: a pressing point ends on the surface, a
//! sticking one on its anchor.

use super::Anchor;
use super::penalty::{ContactRecord, PenaltyInput, SoftBodies};
use crate::collide::{ContactSet, SurfacePoint, Toucher};
use crate::energy::problem::{BorderProblem, SoftProblem};
use crate::math::{Mat3, Pose, Vec3};

/// Points further than this from the surface after the free motion cannot come to press in the step, metres.
const MARGIN: f64 = 2e-4;

/// Points that can press at once; more are left out, and flagged.
pub const CAPACITY: usize = 320;

/// A point that may press.
#[derive(Clone, Copy, Debug)]
pub struct PressingPoint {
    /// Which soft body it belongs to.
    pub body: u32,
    /// Nodes and weights that carry it.
    pub carrier: SurfacePoint,
    /// Place of the touched object in the border, if it moves.
    pub object: Option<u32>,
    /// Normal and two tangents in world axes, as columns.
    pub axes: Mat3,
    /// From the object's centre of mass to the point, metres.
    pub lever: Vec3,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// Gap and tangential offsets after the free motion, metres.
    pub free: [f64; 3],
    /// Force on the skin along the axes, N: a warm start before the solve, the result after it.
    pub force: [f64; 3],
    record: u32,
}

/// The points of a step.
#[derive(Clone, Debug, Default)]
pub struct PressingPoints {
    /// In the order of detection: body by body.
    pub points: Vec<PressingPoint>,
    /// More points than there was room for.
    pub overflow: bool,
}

impl PressingPoints {
    /// Room for all points that can press.
    #[must_use]
    pub fn new() -> Self {
        PressingPoints { points: Vec::with_capacity(CAPACITY), overflow: false }
    }

    /// Collects the points that could press after the free motion, which the problems hold; `records` receives one
    /// record for each.
    pub fn gather(
        &mut self,
        contacts: &ContactSet,
        input: &PenaltyInput<'_>,
        softs: &impl SoftBodies,
        problems: &[SoftProblem],
        border: &BorderProblem,
        records: &mut Vec<ContactRecord>,
    ) {
        self.points.clear();
        self.overflow = false;
        for contact in &contacts.contacts {
            let Toucher::Soft { body, point } = contact.toucher else { continue };
            let p = softs.surface(body).points[point as usize];
            let touched = &input.objects[contact.object as usize];
            let pose = &input.poses[contact.object as usize];
            let lever = contact.point - pose.position;
            let object_velocity = touched.border.map_or(Vec3::ZERO, |index| {
                let (v, w) = border.motion(index as usize);
                v + w.cross(lever)
            });
            let predicted =
                ContactRecord::relative(contact, input.poses, p.interpolate(softs.velocities(body)), input.motions);
            let anchor = softs.anchors(body).get(point, contact.object);
            let mut record = ContactRecord::new(contact, input, anchor, touched.friction, predicted, false);
            let solved = p.interpolate(&problems[body as usize].solution) - object_velocity;
            let (gap, offset) = record.outcome(input.dt, solved);
            if gap > MARGIN {
                continue;
            }
            if self.points.len() == CAPACITY {
                self.overflow = true;
                break;
            }
            let t1 = record.normal.any_orthonormal_vector();
            let axes = Mat3::from_cols(record.normal, t1, record.normal.cross(t1));
            let held = anchor.map_or(Vec3::ZERO, |a| axes.transpose() * (pose.rotation * a.force));
            record.active = true;
            self.points.push(PressingPoint {
                body,
                carrier: p,
                object: touched.border,
                axes,
                lever,
                friction: touched.friction,
                free: [gap, axes.y_axis.dot(offset), axes.z_axis.dot(offset)],
                force: held.to_array(),
                record: records.len() as u32,
            });
            records.push(record);
        }
    }

    /// After the solve: forces into the records; `keep` receives the anchor of each point for the next step.
    pub fn settle(
        &self,
        records: &mut [ContactRecord],
        poses: &[Pose],
        outcomes: impl Fn(usize) -> [f64; 3],
        mut keep: impl FnMut(Toucher, Anchor),
    ) {
        for (index, point) in self.points.iter().enumerate() {
            let record = &mut records[point.record as usize];
            let [gap, s1, s2] = outcomes(index);
            record.gap = gap;
            record.force = point.axes * Vec3::from_array(point.force);
            record.active = point.force[0] > 0.0;
            let tangential = (point.force[1] * point.force[1] + point.force[2] * point.force[2]).sqrt();
            record.slipping = tangential >= point.friction * point.force[0] * (1.0 - 1e-9);
            if record.active {
                let pose = &poses[record.contact.object as usize];
                let slip = if record.slipping { point.axes.y_axis * s1 + point.axes.z_axis * s2 } else { Vec3::ZERO };
                keep(record.contact.toucher, record.anchored(slip, pose));
            }
        }
    }
}
