//! FRAME messages: the world after a step.

use std::sync::Arc;

use serde::Deserialize;
use thenar::hand::Digit;
use thenar::tactile::DeviceModel;
use thenar::world::{ContactForce, Flags, HandOutputs, Partner};
use thenar_scene::run::Simulation;

use super::bytes::Bytes;
use super::haptic::HapticSection;
use super::skin_view::SkinView;

/// Numbers of the sections of a frame.
mod section {
    pub const SKIN: u16 = 1;
    pub const BONES: u16 = 2;
    pub const TRACKED: u16 = 3;
    pub const OBJECTS: u16 = 4;
    pub const CONTACTS: u16 = 5;
    pub const GRIP: u16 = 6;
    pub const SOFT: u16 = 7;
    pub const TETS: u16 = 8;
    pub const PRESSURE: u16 = 9;
    pub const EVENTS: u16 = 10;
    pub const HAPTIC: u16 = 11;
    pub const TACTILE: u16 = 12;
    pub const PALM: u16 = 13;
}

/// Gap of a sample that sees nothing, metres: farther than any that does.
const FREE_GAP: f64 = 1.0;

/// What a page wants to see in its frames, besides skin and objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Want {
    /// Nodes of the tetrahedra.
    pub tets: bool,
    /// Contact points with their forces, pressures and events.
    pub contacts: bool,
    /// The tracked bones.
    pub tracked: bool,
    /// The simulated bones.
    pub bones: bool,
    /// The samples of the fingertips' pads.
    pub tactile: bool,
}

impl Default for Want {
    fn default() -> Self {
        Want { tets: false, contacts: true, tracked: true, bones: true, tactile: false }
    }
}

/// What a frame says besides the world itself.
#[derive(Clone, Copy, Debug)]
pub struct FrameHeader {
    /// Number of the frame for its viewer.
    pub seq: u32,
    /// Clock of the page when it sent the newest input that this frame has seen, ms; NaN if none.
    pub page_t: f64,
    /// Number of that input.
    pub input_seq: u32,
    /// Time of the last step, µs.
    pub step_us: f64,
    /// Steps per second of real time.
    pub steps_per_s: f64,
}

/// The world as bytes for one viewer, and the device that lets one feel it, if there is one.
#[must_use]
pub fn encode_frame(
    simulation: &Simulation,
    views: &[Arc<SkinView>],
    want: Want,
    header: &FrameHeader,
    feeling: Option<HapticSection<'_>>,
) -> Vec<u8> {
    let world = simulation.world();
    let report = world.report();
    let mut bytes = Bytes::message(super::FRAME, 0, header.seq);
    bytes.f64(simulation.time());
    bytes.f64(header.page_t);
    bytes.u32(header.input_seq);
    bytes.u32(report.step as u32);
    report.stage_ns.iter().for_each(|ns| bytes.f32(*ns as f64 * 1e-3));
    bytes.f32(header.step_us);
    bytes.f32(header.steps_per_s);
    bytes.u16(clipped(report.skin_contacts));
    bytes.u16(clipped(report.object_contacts));
    bytes.u16(clipped(report.constraints));
    bytes.u16(clipped(report.iterations));
    bytes.f32(report.min_det);
    bytes.u32(flag_bits(report.flags));
    bytes.section(section::OBJECTS, 0, |bytes| {
        simulation.objects().iter().for_each(|object| bytes.pose(&world.object(*object).pose));
    });
    for (index, soft) in simulation.softs().iter().enumerate() {
        bytes.section(section::SOFT, simulation.objects().len() + index, |bytes| {
            bytes.points(soft.vertices(world).map(|p| [p.x as f32, p.y as f32, p.z as f32]));
        });
    }
    for (index, (hand, view)) in simulation.hands().iter().zip(views).enumerate() {
        let out = world.hand(hand.id);
        if !out.present {
            continue;
        }
        bytes.section(section::SKIN, index, |bytes| {
            bytes.points(view.vertices.iter().map(|vertex| out.skin_positions[*vertex as usize]));
        });
        if want.bones {
            bytes.section(section::BONES, index, |bytes| out.bones.iter().for_each(|bone| bytes.pose(bone)));
        }
        if want.tracked {
            bytes.section(section::TRACKED, index, |bytes| out.tracked.iter().for_each(|bone| bytes.pose(bone)));
        }
        bytes.section(section::GRIP, index, |bytes| grip(bytes, out));
        if let Some(params) = world.config().tactile.as_ref().filter(|_| !out.tactile.is_empty()) {
            bytes.section(section::TACTILE, index, |bytes| tactile(bytes, &params.device, out, want.tactile));
        }
        if let Some(stance) = hand.stance(simulation.time()) {
            bytes.section(section::PALM, index, |bytes| {
                bytes.pose(&stance.palm);
                bytes.f32(stance.posture.closing());
            });
        }
        if want.contacts {
            bytes.section(section::CONTACTS, index, |bytes| contacts(bytes, &out.contacts));
            bytes.section(section::PRESSURE, index, |bytes| pressures(bytes, &out.contacts, view));
        }
        if want.tets {
            // Hands are the first soft bodies, in the order of the scene.
            let nodes = world.state().softs.get(index).map_or(&[][..], |soft| &soft.nodes);
            bytes.section(section::TETS, index, |bytes| {
                bytes.points(nodes.iter().map(|node| [node.x as f32, node.y as f32, node.z as f32]));
            });
        }
    }
    if let Some(feeling) = feeling {
        bytes.section(section::HAPTIC, feeling.index(), |bytes| feeling.write(bytes));
    }
    if want.contacts && !world.events().is_empty() {
        bytes.section(section::EVENTS, 0, |bytes| events(bytes, simulation));
    }
    bytes.finish()
}

fn clipped(count: u32) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

fn flag_bits(flags: Flags) -> u32 {
    let all = [flags.rolled_back, flags.reseated, flags.contact_overflow, flags.wrong_side, flags.joints_filled];
    all.iter().enumerate().map(|(bit, set)| u32::from(*set) << bit).sum()
}

fn grip(bytes: &mut Bytes, hand: &HandOutputs) {
    hand.grip.iter().for_each(|force| bytes.f32(*force));
    bytes.f32(hand.palm_force);
    bytes.vector(hand.tracking_force);
}

/// The device's geometry, then each finger: pad, disc, legs, what it feels, and its samples if they are wanted.
fn tactile(bytes: &mut Bytes, device: &DeviceModel, hand: &HandOutputs, samples: bool) {
    bytes.f32(device.radius);
    bytes.u32(if device.legs.is_some() { 3 } else { 0 });
    if let Some(legs) = &device.legs {
        legs.base.iter().chain(&legs.platform).for_each(|end| bytes.vector(*end));
    }
    for finger in &hand.tactile {
        bytes.pose(&finger.frame);
        [finger.disc.displacement, finger.disc.pitch, finger.disc.roll].iter().for_each(|x| bytes.f32(*x));
        finger.legs.iter().for_each(|length| bytes.f32(*length));
        bytes.vector(finger.force);
        bytes.f32(finger.slip.level);
        bytes.u32(finger.touching);
        bytes.u32(if samples { finger.samples.len() as u32 } else { 0 });
        for sample in finger.samples.iter().filter(|_| samples) {
            bytes.vector(sample.position);
            bytes.f32(sample.gap.min(FREE_GAP));
        }
    }
}

/// Digit 0 to 4, or 5 for the palm.
fn part(contact: &ContactForce) -> u8 {
    contact.patch.digit().map_or(5, |digit: Digit| digit.index() as u8)
}

/// Objects by their number; soft bodies from 0x4000 on, hands from 0x2000 on.
fn partner(partner: Partner) -> u16 {
    match partner {
        Partner::Object(id) => id.0 as u16,
        Partner::Soft(id) => 0x4000 | id.0 as u16,
        Partner::Hand(id) => 0x2000 | id.0 as u16,
    }
}

fn contacts(bytes: &mut Bytes, contacts: &[ContactForce]) {
    bytes.u32(contacts.len() as u32);
    for contact in contacts {
        bytes.vector(contact.point);
        bytes.vector(contact.normal);
        bytes.vector(contact.force);
        bytes.f32(contact.pressure);
        bytes.u8(part(contact));
        bytes.u8(u8::from(contact.slipping));
        bytes.u16(partner(contact.partner));
    }
}

fn pressures(bytes: &mut Bytes, contacts: &[ContactForce], view: &SkinView) {
    let pressed = || contacts.iter().filter(|contact| contact.pressure > 0.0);
    bytes.u32(pressed().count() as u32);
    for contact in pressed() {
        bytes.u32(view.sent.get(contact.vertex as usize).copied().unwrap_or(0));
        bytes.f32(contact.pressure);
    }
}

fn events(bytes: &mut Bytes, simulation: &Simulation) {
    let events = simulation.world().events();
    bytes.u32(events.len() as u32);
    for event in events {
        bytes.u8(event.hand.0 as u8);
        bytes.u8(event.digit.map_or(5, |digit| digit.index() as u8));
        bytes.u16(partner(event.partner) | u16::from(event.began) << 15);
    }
}
