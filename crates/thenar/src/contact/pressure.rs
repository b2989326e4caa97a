//! How the pressure of a patch is spread over its contacts, and how it moves from step to step.
//!
//! The paper's weights `w_i` are the depths after the free motion [Talvas eq. 11]. A light finger that loses its contact
//! force for a step moves by millimetres, so that all its contacts are about as deep and the pressure is all but uniform.
//! Here `w_i S_i` is the force on the contact in the last step plus a gain times its depth at the predicted pose: a new
//! patch starts with eq. 11, and pressure then moves to where the skin is still deep until it no longer is.

use super::free::FreeContact;
use crate::math::Vec3;

/// How the pressure of a patch is spread over its contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Pressure {
    /// In proportion to how deep the free motion takes each contact [Talvas eq. 11].
    #[default]
    NonUniform,
    /// The same everywhere.
    Uniform,
}

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

/// From this gap on a contact that pressed gives up the share [`LETS_GO`] of its force in every step, metres.
const OPEN: f64 = 2e-4;

/// See [`OPEN`].
const LETS_GO: f64 = 0.1;

/// Under uniform pressure a contact that pressed has left at this gap, metres.
const LEFT: f64 = 5e-5;

/// Contacts with less than this share of the mean pressure count with less than their area, down to nothing: so that
/// none comes or goes all at once.
const FULL: f64 = 0.3;

/// What one contact has of its patch.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Share {
    /// Of the normal force, `w_i S_i / Σ w_k S_k`.
    pub(super) normal: f64,
    /// Of the area, where those that hardly press count with less than theirs.
    pub(super) area: f64,
}

/// The shares of the contacts of one place, in their order.
pub(super) fn spread<'a>(
    contacts: impl Iterator<Item = &'a FreeContact> + Clone,
    pressure: Pressure,
    shares: &mut Vec<Share>,
) {
    let area: f64 = contacts.clone().map(|c| c.carrier.area).sum();
    let yields = yields(contacts.clone(), area);
    shares.clear();
    shares.extend(contacts.clone().map(|c| Share { normal: load(c, pressure, yields), area: 0.0 }));
    let load: f64 = shares.iter().map(|s| s.normal).sum();
    // pressure from which on a contact counts with its whole area
    let full = FULL * load / area;
    for (share, contact) in shares.iter_mut().zip(contacts) {
        share.area = contact.carrier.area.min(share.normal / full);
        share.normal /= load;
    }
    let area: f64 = shares.iter().map(|s| s.area).sum();
    shares.iter_mut().for_each(|s| s.area /= area);
}

/// True if a contact may press, whatever it presses on.
pub(super) fn presses(contact: &FreeContact, pressure: Pressure) -> bool {
    load(contact, pressure, 0.0) > 0.0
}

/// How far the object gives way at a typical contact to a pascal on the patch, m/Pa.
fn yields<'a>(contacts: impl Iterator<Item = &'a FreeContact> + Clone, area: f64) -> f64 {
    let Some(first) = contacts.clone().next() else { return 0.0 };
    let middle = contacts.clone().map(|c| c.record.contact.point * c.carrier.area).sum::<Vec3>() / area;
    let reach: f64 = contacts.map(|c| c.record.contact.point.distance_squared(middle) * c.carrier.area).sum();
    let (moves, turns) = first.yields;
    moves * area + turns * reach
}

/// `w_i S_i` up to a factor that is common to a patch: where positive, the contact presses.
fn load(contact: &FreeContact, pressure: Pressure, yields: f64) -> f64 {
    let (area, depth) = (contact.carrier.area, -contact.record.contact.gap);
    match pressure {
        Pressure::NonUniform => {
            let change = CHANGE.stiffness(contact, yields) * (depth - contact.depth);
            let remaining = REMAINING.stiffness(contact, yields) * (depth + contact.sunk);
            // the force of a contact that has opened goes to the others
            let kept = 1.0 - LETS_GO * (-depth / OPEN).clamp(0.0, 1.0);
            let follows = contact.pressing * kept + area * (change + remaining);
            follows.max(LEAST * area * -contact.gap)
        }
        Pressure::Uniform if depth > 0.0 || (contact.pressing > 0.0 && depth > -LEFT) => area,
        Pressure::Uniform => 0.0,
    }
}
