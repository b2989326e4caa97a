//! Recording a run.

use std::collections::BTreeMap;
use std::io::{Seek, Write};

use super::file::McapFile;
use super::message::{StepRecord, frame_to_json, step_to_json};
use super::{RecordingError, schema};
use crate::run::Simulation;
use crate::scene::Scene;

/// Version of the layout described in the module's documentation.
pub(super) const LAYOUT: &str = "1";

/// What a run was made with, besides its scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Name of the hand's measures, such as `adult`.
    pub measures: String,
    /// Number of tetrahedra that was asked for.
    pub tets: usize,
    /// Mesh files of the scene by name.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// Writes a recording while a scene runs.
pub struct Recorder<W: Write + Seek> {
    file: McapFile<W>,
    trackers: Vec<u16>,
    steps: u16,
}

impl<W: Write + Seek> Recorder<W> {
    /// Begins the recording of a scene that has been set up and not yet stepped.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn new(writer: W, scene: &Scene, simulation: &Simulation, about: &About) -> Result<Self, RecordingError> {
        let mut file = McapFile::new(writer)?;
        let text =
            toml::to_string(scene).map_err(|error| RecordingError::Record { offset: 0, what: error.to_string() })?;
        let entries = [
            ("layout", LAYOUT.to_owned()),
            ("version", env!("CARGO_PKG_VERSION").to_owned()),
            ("scene", scene.name.clone()),
            ("kernels", simulation.world().config().kernels.name().to_owned()),
            ("measures", about.measures.clone()),
            ("tets", about.tets.to_string()),
            ("step", simulation.step().to_string()),
            ("hands", simulation.hands().len().to_string()),
        ];
        file.metadata("thenar", entries.map(|(key, value)| (key.to_owned(), value)).into())?;
        file.attach("scene.toml", "application/toml", text.as_bytes())?;
        for (name, content) in &about.files {
            file.attach(&format!("files/{name}"), "application/octet-stream", content)?;
        }
        let mut trackers = Vec::new();
        for hand in 0..simulation.hands().len() {
            trackers.push(file.channel(&format!("/hand/{hand}/tracker"), &schema::TRACKER)?);
        }
        let steps = file.channel("/step", &schema::STEP)?;
        Ok(Recorder { file, trackers, steps })
    }

    /// Writes what was fed and what came of it; to be called after every step.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn watch(&mut self, simulation: &Simulation) -> Result<(), RecordingError> {
        let world = simulation.world();
        let report = world.report();
        let start = simulation.time() - simulation.step();
        for (hand, channel) in simulation.hands().iter().zip(&self.trackers) {
            if let Some(frame) = hand.fed() {
                let json = frame_to_json(report.step - 1, start, frame).map_err(unwritable)?;
                self.file.message(*channel, start, &json)?;
            }
        }
        let json = step_to_json(&step_record(simulation)).map_err(unwritable)?;
        self.file.message(self.steps, report.time, &json)
    }

    /// Ends the recording and gives the writer back.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish(self) -> Result<W, RecordingError> {
        self.file.finish()
    }
}

fn unwritable(error: serde_json::Error) -> RecordingError {
    RecordingError::Write(mcap::McapError::Io(error.into()))
}

/// What is recorded of a step, and compared on replay.
pub(super) fn step_record(simulation: &Simulation) -> StepRecord {
    let world = simulation.world();
    let report = world.report();
    StepRecord {
        step: report.step,
        time: report.time,
        hash: report.hash,
        contacts: report.skin_contacts,
        recovered: report.flags.rolled_back,
        palms: simulation.hands().iter().map(|hand| world.hand(hand.id).bones[0].position).collect(),
        objects: simulation.objects().iter().map(|object| world.object(*object).pose.position).collect(),
    }
}
