//! A recording of what is being played.

use std::io::Cursor;

use thenar_scene::recording::{About, Recorder, RecordingError};
use thenar_scene::run::Simulation;
use thenar_scene::scene::Scene;

/// Longest recording, simulated seconds: a minute of two hands is about 100 MB.
pub const LONGEST: f64 = 120.0;

/// A recording in memory; `thenar replay` verifies it.
pub struct Tape {
    recorder: Recorder<Cursor<Vec<u8>>>,
    start: f64,
}

impl Tape {
    /// Begins with a simulation that has not been stepped.
    pub fn start(scene: &Scene, simulation: &Simulation, about: &About) -> Result<Tape, RecordingError> {
        let recorder = Recorder::new(Cursor::new(Vec::new()), scene, simulation, about)?;
        Ok(Tape { recorder, start: simulation.time() })
    }

    pub fn watch(&mut self, simulation: &Simulation) -> Result<(), RecordingError> {
        self.recorder.watch(simulation)
    }

    /// Simulated seconds so far.
    pub fn seconds(&self, simulation: &Simulation) -> f64 {
        simulation.time() - self.start
    }

    /// The file.
    pub fn finish(self) -> Result<Vec<u8>, RecordingError> {
        Ok(self.recorder.finish()?.into_inner())
    }
}
