//! How long stages took the last time, so that one knows beforehand how long to wait.

use crate::progress::minutes;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where nothing has run yet: on two cores with nothing else to do.
const USUALLY: &str = "usually 15 to 20 minutes on two cores, and about 10 more where nothing is compiled yet";

/// Seconds by name of the stage, in a text file.
pub struct Times {
    path: PathBuf,
    known: Vec<(String, f64)>,
}

impl Times {
    /// Of runs with the long tests, or of those without: neither says how long the other takes.
    pub fn read(folder: &Path, full: bool) -> Times {
        let path = folder.join(if full { "times-full.txt" } else { "times.txt" });
        let text = fs::read_to_string(&path).unwrap_or_default();
        let entry = |line: &str| {
            let (name, seconds) = line.split_once(' ')?;
            Some((name.to_owned(), seconds.parse().ok().filter(|s: &f64| s.is_finite() && *s >= 0.0)?))
        };
        Times { path, known: text.lines().filter_map(entry).collect() }
    }

    /// What to expect of these stages.
    pub fn expected(&self, stages: &[&str]) -> String {
        let seconds = |name: &&str| self.known.iter().find(|(known, _)| known == name).map(|(_, seconds)| *seconds);
        let all: Option<Vec<f64>> = stages.iter().map(seconds).collect();
        match all {
            None => USUALLY.to_owned(),
            Some(all) => format!("{} the last time", minutes(Duration::from_secs_f64(all.iter().sum()))),
        }
    }

    /// Keeps how long a stage took that went through to its end.
    pub fn keep(&mut self, name: &str, time: Duration) {
        self.known.retain(|(known, _)| known != name);
        self.known.push((name.to_owned(), time.as_secs_f64()));
        let text: String = self.known.iter().map(|(name, seconds)| format!("{name} {seconds:.1}\n")).collect();
        // Only a convenience: where it cannot be written, the usual time is told.
        let _ = fs::write(&self.path, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_times_are_told_and_before_them_the_usual_ones() {
        let folder = std::env::temp_dir().join(format!("thenar-xtask-times-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let mut times = Times::read(&folder, false);
        assert_eq!(times.expected(&["clippy", "tests"]), USUALLY);
        times.keep("clippy", Duration::from_secs(20));
        times.keep("tests", Duration::from_secs(400));
        times.keep("tests", Duration::from_secs(500));
        assert_eq!(Times::read(&folder, false).expected(&["clippy", "tests"]), "8 min 40 s the last time");
        assert_eq!(Times::read(&folder, false).expected(&["clippy", "docs"]), USUALLY);
        assert_eq!(Times::read(&folder, true).expected(&["clippy", "tests"]), USUALLY, "long tests take longer");
        fs::write(folder.join("times.txt"), "tests soon\nclippy NaN\n\n").unwrap();
        assert_eq!(Times::read(&folder, false).expected(&["tests"]), USUALLY);
        fs::remove_dir_all(&folder).unwrap();
    }
}
