//! Contacts push; none may pull.

use thenar::math::Vec3;
use thenar::world::{HandId, ObjectId, World};

/// Rounding of a force, N: less is no pull.
pub const NO_PULL: f64 = 1e-9;

/// The strongest pull of any contact in the last step, N, those among them that the outputs do not show.
pub fn between_softs(world: &World) -> f64 {
    let shown = world.contacts().iter().map(|pair| -pair.force.dot(pair.contact.normal)).fold(0.0, f64::max);
    shown.max(world.report().pull)
}

/// The strongest pull of an object on the skin of a hand in the last step, N, and the share of its contacts that pull.
pub fn on_skin(world: &World, hand: HandId) -> (f64, f64) {
    let contacts = &world.hand(hand).contacts;
    let pulls = contacts.iter().map(|c| -c.force.dot(c.normal));
    let share = pulls.clone().filter(|&p| p > NO_PULL).count() as f64 / contacts.len().max(1) as f64;
    (pulls.fold(0.0, f64::max), share)
}

/// How strongly soft bodies pull on an object along `towards` them in the last step, N: the sum over its contacts, which
/// is all that comes out for what no hand touches. Where all normals point away from `towards`, none of it may pull.
pub fn on_object(world: &World, object: ObjectId, towards: Vec3) -> f64 {
    world.object(object).force.dot(towards).max(0.0)
}
