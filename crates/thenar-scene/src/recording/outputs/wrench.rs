//! Forces on a patch of skin, summed.

use thenar::hand::Patch;
use thenar::math::Vec3;
use thenar::world::{HandOutputs, Partner};

/// All contacts between one patch and one other body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PatchWrench {
    pub patch: Patch,
    pub partner: Partner,
    /// On the skin, N.
    pub force: Vec3,
    /// About the origin of the patch's bone, N m.
    pub torque: Vec3,
    /// Greatest in the patch, Pa.
    pub pressure: f64,
}

/// The wrenches of a hand in order of patch and object.
pub(super) fn patch_wrenches(hand: &HandOutputs) -> Vec<PatchWrench> {
    let mut list: Vec<PatchWrench> = Vec::new();
    for contact in &hand.contacts {
        let origin = hand.bones[contact.patch.bone().index()].position;
        let torque = (contact.point - origin).cross(contact.force);
        match list.iter_mut().find(|w| w.patch == contact.patch && w.partner == contact.partner) {
            Some(wrench) => {
                wrench.force += contact.force;
                wrench.torque += torque;
                wrench.pressure = wrench.pressure.max(contact.pressure);
            }
            None => list.push(PatchWrench {
                patch: contact.patch,
                partner: contact.partner,
                force: contact.force,
                torque,
                pressure: contact.pressure,
            }),
        }
    }
    list.sort_by_key(|w| (w.patch, w.partner));
    list
}

/// What a hand touches as one number: objects count from 0 in the order of the scene, soft bodies from −1 downwards
/// (hands are the first of them), hands from −1001 downwards.
pub(super) fn partner_number(partner: Partner) -> i64 {
    match partner {
        Partner::Object(id) => i64::from(id.0),
        Partner::Soft(id) => -1 - i64::from(id.0),
        Partner::Hand(id) => -1001 - i64::from(id.0),
    }
}
