//! A recording of what is being played.

use std::io::Cursor;
use std::time::SystemTime;

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

/// Name of the file of a recording: scene and time, such as `ball-2026-11-15-230912.mcap`, UTC.
pub fn file_name(scene: &str, now: SystemTime) -> String {
    // A scene may come from a file of somebody else's.
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '-' };
    let scene: String = scene.chars().take(40).map(plain).collect();
    let seconds = now.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (year, month, day) = date(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{scene}-{year}-{month:02}-{day:02}-{hour:02}{minute:02}{second:02}.mcap")
}

/// Year, month and day of a number of days since 1 January 1970 [Hinnant, `civil_from_days`]: years begin in March, so that
/// the day that comes and goes is their last.
fn date(days: u64) -> (u64, u64, u64) {
    const ERA: u64 = 146_097; // days in 400 years
    let from_march = days + 719_468; // since 1 March of the year 0
    let (era, day) = (from_march / ERA, from_march % ERA);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, after) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + after, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn recordings_are_named_after_scene_and_time() {
        let at = |seconds: u64| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        assert_eq!(file_name("ball", at(0)), "ball-1970-01-01-000000.mcap");
        assert_eq!(file_name("soft-ball", at(951_782_399)), "soft-ball-2000-02-28-235959.mcap");
        assert_eq!(file_name("ball", at(951_782_400)), "ball-2000-02-29-000000.mcap");
        assert_eq!(file_name("ball", at(1_794_784_152)), "ball-2026-11-15-230912.mcap");
        assert_eq!(file_name("../x\"\r\n", at(0)), "---x----1970-01-01-000000.mcap");
    }
}
