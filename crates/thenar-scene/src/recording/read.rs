//! Reading recordings.

use std::collections::BTreeMap;

use mcap::records::Record;

use super::message::{FedFrame, StepRecord, frame_from_json, step_from_json};
use super::records::{End, for_each_record};
use super::{RecordingError, write};
use crate::scene::Scene;

/// Largest file that is read, bytes.
pub(super) const LARGEST: usize = 2 << 30;
/// Most hands that a recording may have.
const MOST_HANDS: usize = 16;

/// A recording in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// Version of the engine that made it.
    pub version: String,
    /// Machine kernels it was made with.
    pub kernels: String,
    /// Name of the hand's measures.
    pub measures: String,
    /// Number of tetrahedra that was asked for.
    pub tets: usize,
    /// The scene.
    pub scene: Scene,
    /// Mesh files of the scene by name.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Tracked frames of each hand in the order in which they were fed.
    pub hands: Vec<Vec<FedFrame>>,
    /// What came of each step.
    pub steps: Vec<StepRecord>,
    /// Whether the file is whole.
    pub end: End,
}

/// What the records of a file add up to.
#[derive(Default)]
struct Contents {
    topics: BTreeMap<u16, (String, usize)>,
    about: Option<BTreeMap<String, String>>,
    scene: Option<String>,
    files: BTreeMap<String, Vec<u8>>,
    hands: Vec<Vec<FedFrame>>,
    steps: Vec<StepRecord>,
}

impl Recording {
    /// Reads a recording. A file that was cut, as by a crash or a full disk, is read up to its last whole chunk; `end` says so.
    ///
    /// # Errors
    /// If the file is no recording or was changed after it was written, with the place of the fault.
    pub fn read(bytes: &[u8]) -> Result<Recording, RecordingError> {
        if bytes.len() > LARGEST {
            return Err(RecordingError::TooLarge(bytes.len()));
        }
        let mut contents = Contents::default();
        let end = for_each_record(bytes, &mut |record, offset| contents.take(record, offset))?;
        match (contents.finish(end), end) {
            (Err(RecordingError::Missing(what)), End::Cut { offset }) => {
                Err(RecordingError::TooShort { offset, length: bytes.len(), what })
            }
            (read, _) => read,
        }
    }

    /// Steps that the scene has from start to end, whether or not the run went so far.
    #[must_use]
    pub fn scene_steps(&self) -> u64 {
        (self.scene.seconds / self.scene.world.step).round().max(1.0) as u64
    }

    /// Simulated seconds that were recorded.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.steps.len() as f64 * self.scene.world.step
    }
}

impl Contents {
    fn take(&mut self, record: Record<'_>, offset: usize) -> Result<(), RecordingError> {
        match record {
            Record::Channel(channel) => {
                // Channels of others, in whatever encoding, are passed over.
                let topic = if channel.message_encoding == "json" { channel.topic } else { String::new() };
                self.topics.entry(channel.id).or_insert((topic, 0));
            }
            Record::Message { header, data } => return self.message(header.channel_id, &data, offset),
            Record::Metadata(metadata) if metadata.name == "thenar" => self.about = Some(metadata.metadata),
            Record::Attachment { header, data, .. } if header.name == "scene.toml" => {
                let text = String::from_utf8(data.into_owned());
                let what = |_| RecordingError::Record { offset, what: "scene.toml is not UTF-8".to_owned() };
                self.scene = Some(text.map_err(what)?);
            }
            Record::Attachment { header, data, .. } => {
                if let Some(name) = header.name.strip_prefix("files/") {
                    self.files.insert(name.to_owned(), data.into_owned());
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn message(&mut self, channel: u16, data: &[u8], offset: usize) -> Result<(), RecordingError> {
        let Some((topic, count)) = self.topics.get_mut(&channel) else {
            let what = format!("a message of channel {channel}, which was not announced");
            return Err(RecordingError::Record { offset, what });
        };
        let number = *count;
        *count += 1;
        let fault = |what: String| RecordingError::Message { channel: topic.clone(), number, what };
        if let Some(hand) = hand_of(topic) {
            let frame = frame_from_json(data).map_err(fault)?;
            if self.hands.len() <= hand {
                self.hands.resize(hand + 1, Vec::new());
            }
            let frames = &mut self.hands[hand];
            if frames.last().is_some_and(|last| last.step >= frame.step) {
                return Err(fault(format!("step {} does not come after the step before it", frame.step)));
            }
            frames.push(frame);
        } else if topic == "/step" {
            let step = step_from_json(data).map_err(fault)?;
            if step.step != self.steps.len() as u64 + 1 {
                return Err(fault(format!("step {} follows step {}", step.step, self.steps.len())));
            }
            self.steps.push(step);
        }
        Ok(())
    }

    fn finish(mut self, end: End) -> Result<Recording, RecordingError> {
        let mut about = self.about.ok_or(RecordingError::Missing("metadata `thenar`"))?;
        let mut entry = |field: &'static str| {
            about.remove(field).ok_or(RecordingError::Metadata {
                field,
                found: String::new(),
                expected: "a value written by `thenar run --record`",
            })
        };
        let layout = entry("layout")?;
        if layout != write::LAYOUT {
            return Err(RecordingError::Metadata {
                field: "layout",
                found: layout,
                expected: "\"1\"; use a newer Thenar",
            });
        }
        let (version, kernels, measures) = (entry("version")?, entry("kernels")?, entry("measures")?);
        let tets = entry("tets")?;
        let tets = tets.parse().map_err(|_| RecordingError::Metadata {
            field: "tets",
            found: tets,
            expected: "a number of tetrahedra",
        })?;
        let scene = Scene::read(&self.scene.ok_or(RecordingError::Missing("attachment `scene.toml`"))?)?;
        if self.steps.is_empty() {
            return Err(RecordingError::Missing("steps"));
        }
        self.hands.resize(scene.hands.len().max(self.hands.len()), Vec::new());
        let (files, hands, steps) = (self.files, self.hands, self.steps);
        Ok(Recording { version, kernels, measures, tets, scene, files, hands, steps, end })
    }
}

/// The number in `/hand/N/tracker`.
fn hand_of(topic: &str) -> Option<usize> {
    let number = topic.strip_prefix("/hand/")?.strip_suffix("/tracker")?;
    number.parse().ok().filter(|hand| *hand < MOST_HANDS)
}
