//! The gaps of the detected contacts after the free motion, from which constraint methods start [Talvas Alg. 1].

use super::penalty::{ContactRecord, PenaltyInput, SoftBodies};
use super::rows::{RowEntry, RowObject};
use crate::collide::{Contact, ContactSet, SurfacePoint, Toucher};
use crate::contact::ContactMethod;
use crate::energy::problem::{BorderProblem, SoftProblem};
use crate::math::Vec3;

/// Points further than this from the surface after the free motion are left alone even if they pressed before, metres.
const MARGIN: f64 = 2e-4;

/// A skin point that may press, as the free motion leaves it.
#[derive(Clone, Copy, Debug)]
pub struct FreeContact {
    /// Which soft body it belongs to.
    pub body: u32,
    /// Nodes and weights that carry it.
    pub carrier: SurfacePoint,
    /// Place of the touched object in the border, if it moves.
    pub object: Option<u32>,
    /// From the object's centre of mass to the point, metres.
    pub lever: Vec3,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// How far the object yields in the step to a newton through its centre of mass (m/N), and how much it turns to a
    /// newton metre about its easiest axis (rad/(N m)); zero for one that does not move.
    pub yields: (f64, f64),
    /// How much its nodes resist being moved within the step, N/m.
    pub resists: f64,
    /// Gap, metres; negative inside.
    pub gap: f64,
    /// From the point's anchor, metres, in world axes.
    pub displacement: Vec3,
    /// Motion over the object within the step, metres, in world axes.
    pub motion: Vec3,
    /// Force on it in the last step, N, in world axes.
    pub held: Vec3,
    /// Normal force on it in the last step, N.
    pub pressing: f64,
    /// Depth at the end of the last step, metres; zero if it did not press.
    pub depth: f64,
    /// How deep it ended up in earlier rounds of the step, metres.
    pub sunk: f64,
    /// What the contact comes to.
    pub record: ContactRecord,
}

impl FreeContact {
    /// The nodes of a row that measures the point's motion along `direction`.
    pub fn entries(&self, direction: Vec3) -> impl Iterator<Item = RowEntry> + '_ {
        let weighted = self.carrier.nodes.iter().zip(self.carrier.weights);
        weighted.map(move |(&block, weight)| RowEntry { body: self.body, block, value: direction * weight })
    }

    /// The object's part of such a row: the point of the object moves the other way.
    #[must_use]
    pub fn object_row(&self, direction: Vec3) -> Option<RowObject> {
        let (linear, angular) = (-direction, -self.lever.cross(direction));
        self.object.map(|index| RowObject { index, linear, angular })
    }
}

/// Collects the contacts of objects whose method is `method` that could press after the free motion, which the problems
/// hold; in the order of detection, so that those of one patch on one object follow each other.
pub fn gather(
    method: ContactMethod,
    contacts: &ContactSet,
    input: &PenaltyInput<'_>,
    softs: &impl SoftBodies,
    problems: &[SoftProblem],
    border: &BorderProblem,
    sunk: &[f64],
    found: &mut Vec<FreeContact>,
) {
    found.clear();
    for (contact, &sunk) in contacts.contacts.iter().zip(sunk) {
        let Toucher::Soft { body, point } = contact.toucher else { continue };
        if input.method(contact.object) != method || found.len() == found.capacity() {
            continue;
        }
        let carrier = softs.surface(body).points[point as usize];
        let touched = &input.objects[contact.object as usize];
        let pose = &input.poses[contact.object as usize];
        let lever = contact.point - pose.position;
        let (predicted, solved) = motions(contact, body, &carrier, input, softs, problems, border);
        let anchor = softs.anchors(body).get(point, contact.object);
        let record = ContactRecord::new(contact, input, anchor, touched.friction, predicted, false);
        let (gap, _) = record.outcome(input.dt, solved);
        // a point that neither pressed nor sinks in is met later, should the forces of others push it in
        if sunk == 0.0 && gap > if anchor.is_some() { MARGIN } else { 0.0 } {
            continue;
        }
        found.push(FreeContact {
            body,
            carrier,
            object: touched.border,
            lever,
            friction: touched.friction,
            yields: touched
                .mass
                .as_ref()
                .filter(|_| touched.border.is_some())
                .map_or((0.0, 0.0), |m| (input.dt * input.dt / m.mass, input.dt * input.dt / m.least_inertia())),
            resists: resistance(&problems[body as usize], &carrier, input.dt),
            gap,
            displacement: record.displacement(input.dt, solved),
            motion: solved * input.dt,
            depth: anchor.map_or(0.0, |a| -a.gap),
            pressing: anchor.map_or(0.0, |a| a.pressing),
            held: anchor.map_or(Vec3::ZERO, |a| pose.rotation * a.force),
            sunk,
            record,
        });
    }
}

/// Velocity of a point over the object, as predicted and as solved, m/s.
fn motions(
    contact: &Contact,
    body: u32,
    carrier: &SurfacePoint,
    input: &PenaltyInput<'_>,
    softs: &impl SoftBodies,
    problems: &[SoftProblem],
    border: &BorderProblem,
) -> (Vec3, Vec3) {
    let object_velocity = input.objects[contact.object as usize].border.map_or(Vec3::ZERO, |index| {
        let (v, w) = border.motion(index as usize);
        v + w.cross(contact.point - input.poses[contact.object as usize].position)
    });
    let predicted = carrier.interpolate(softs.velocities(body));
    let predicted = ContactRecord::relative(contact, input.poses, predicted, input.motions);
    (predicted, carrier.interpolate(&problems[body as usize].solution) - object_velocity)
}

/// How deep every detected skin point ends up, metres, whether it was given a force or not; negative outside.
pub fn depths<'a>(
    contacts: &'a ContactSet,
    input: &'a PenaltyInput<'a>,
    softs: &'a impl SoftBodies,
    problems: &'a [SoftProblem],
    border: &'a BorderProblem,
) -> impl Iterator<Item = f64> + 'a {
    contacts.contacts.iter().map(move |contact| {
        let Toucher::Soft { body, point } = contact.toucher else { return f64::NEG_INFINITY };
        let carrier = &softs.surface(body).points[point as usize];
        let (predicted, solved) = motions(contact, body, carrier, input, softs, problems, border);
        let normal = input.poses[contact.object as usize].rotation * contact.normal;
        -contact.gap - normal.dot(solved - predicted) * input.dt
    })
}

/// Mean diagonal of `A / h²` at a point: mass and stiffness of the nodes that carry it, N/m.
fn resistance(problem: &SoftProblem, carrier: &SurfacePoint, dt: f64) -> f64 {
    let diagonal = |node: u32| {
        let block = &problem.matrix.diagonal[node as usize];
        (block.get(0, 0) + block.get(1, 1) + block.get(2, 2)) / 3.0
    };
    carrier.nodes.iter().zip(carrier.weights).map(|(&n, w)| w.abs() * diagonal(n)).sum::<f64>() / (dt * dt)
}
