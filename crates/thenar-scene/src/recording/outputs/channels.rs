//! Outputs as MCAP channels.

use std::io::{Seek, Write};

use serde::Serialize;
use thenar::hand::BoneId;
use thenar::math::Pose;

use super::super::file::{McapFile, nanoseconds};
use super::super::{RecordingError, schema};
use super::tactile::TactileMessage;
use super::wrench::{partner_number, patch_wrenches};
use crate::run::Simulation;

/// Writes placements and forces of a run to a file that viewers open.
pub struct OutputChannels<W: Write + Seek> {
    file: McapFile<W>,
    transforms: u16,
    touch: Vec<u16>,
    /// Where touch on the fingertips is rendered.
    tactile: Vec<u16>,
    objects: Vec<String>,
}

#[derive(Serialize)]
struct Stamp {
    sec: u64,
    nsec: u64,
}

#[derive(Serialize)]
struct Xyz {
    x: f64,
    y: f64,
    z: f64,
}

#[derive(Serialize)]
struct Xyzw {
    x: f64,
    y: f64,
    z: f64,
    w: f64,
}

#[derive(Serialize)]
struct Transform {
    timestamp: Stamp,
    parent_frame_id: &'static str,
    child_frame_id: String,
    translation: Xyz,
    rotation: Xyzw,
}

#[derive(Serialize)]
struct Transforms {
    transforms: Vec<Transform>,
}

#[derive(Serialize)]
struct Contact {
    vertex: u32,
    object: i64,
    patch: String,
    point: [f64; 3],
    normal: [f64; 3],
    force: [f64; 3],
    pressure: f64,
    slipping: bool,
}

#[derive(Serialize)]
struct Patch {
    patch: String,
    object: i64,
    force: [f64; 3],
    torque: [f64; 3],
    pressure: f64,
}

#[derive(Serialize)]
struct Touch {
    step: u64,
    time: f64,
    contacts: Vec<Contact>,
    patches: Vec<Patch>,
}

impl<W: Write + Seek> OutputChannels<W> {
    /// Begins the file of a run; `objects` are the names of its objects.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(writer: W, simulation: &Simulation, objects: Vec<String>) -> Result<Self, RecordingError> {
        let mut file = McapFile::new(writer)?;
        let transforms = file.channel("/tf", &schema::TRANSFORMS)?;
        let mut touch = Vec::new();
        for hand in 0..simulation.hands().len() {
            touch.push(file.channel(&format!("/hand/{hand}/touch"), &schema::TOUCH)?);
        }
        let mut tactile = Vec::new();
        if simulation.world().config().tactile.is_some() {
            for hand in 0..simulation.hands().len() {
                tactile.push(file.channel(&format!("/hand/{hand}/tactile"), &schema::TACTILE)?);
            }
        }
        Ok(OutputChannels { file, transforms, touch, tactile, objects })
    }

    /// Writes the state after a step.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn watch(&mut self, simulation: &Simulation) -> Result<(), RecordingError> {
        let world = simulation.world();
        let (step, time) = (world.report().step, world.report().time);
        let mut transforms = Vec::new();
        for (name, id) in self.objects.iter().zip(simulation.objects()) {
            transforms.push(transform(time, format!("object/{name}"), &world.object(*id).pose));
        }
        for (index, hand) in simulation.hands().iter().enumerate() {
            let outputs = world.hand(hand.id);
            if outputs.present {
                for (bone, pose) in outputs.bones.iter().enumerate() {
                    let name = format!("hand/{index}/{}", bone_name(BoneId(bone as u8)));
                    transforms.push(transform(time, name, pose));
                }
            }
        }
        self.write(self.transforms, time, &Transforms { transforms })?;
        for (index, hand) in simulation.hands().iter().enumerate() {
            let outputs = world.hand(hand.id);
            let contacts = outputs.contacts.iter().map(|contact| Contact {
                vertex: contact.vertex,
                object: partner_number(contact.partner),
                patch: contact.patch.name(),
                point: contact.point.to_array(),
                normal: contact.normal.to_array(),
                force: contact.force.to_array(),
                pressure: contact.pressure,
                slipping: contact.slipping,
            });
            let patches = patch_wrenches(outputs).into_iter().map(|wrench| Patch {
                patch: wrench.patch.name(),
                object: partner_number(wrench.partner),
                force: wrench.force.to_array(),
                torque: wrench.torque.to_array(),
                pressure: wrench.pressure,
            });
            let touch = Touch { step, time, contacts: contacts.collect(), patches: patches.collect() };
            self.write(self.touch[index], time, &touch)?;
            if let Some(channel) = self.tactile.get(index).copied() {
                self.write(channel, time, &TactileMessage::new(step, time, &outputs.tactile))?;
            }
        }
        Ok(())
    }

    /// Ends the file and gives the writer back.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(self) -> Result<W, RecordingError> {
        self.file.finish()
    }

    fn write(&mut self, channel: u16, time: f64, message: &impl Serialize) -> Result<(), RecordingError> {
        let json = serde_json::to_vec(message).map_err(|error| mcap::McapError::Io(error.into()))?;
        self.file.message(channel, time, &json)
    }
}

fn bone_name(bone: BoneId) -> String {
    thenar::hand::Patch::of_bone(bone).name().replace(' ', "-")
}

fn transform(time: f64, child_frame_id: String, pose: &Pose) -> Transform {
    let nanoseconds = nanoseconds(time);
    let (p, q) = (pose.position, pose.rotation);
    Transform {
        timestamp: Stamp { sec: nanoseconds / 1_000_000_000, nsec: nanoseconds % 1_000_000_000 },
        parent_frame_id: "world",
        child_frame_id,
        translation: Xyz { x: p.x, y: p.y, z: p.z },
        rotation: Xyzw { x: q.x, y: q.y, z: q.z, w: q.w },
    }
}
