//! What a stage is doing while one waits: at a terminal beside its name, elsewhere a line now and then.

use crate::say::say;
use std::io::IsTerminal;
use std::path::Path;
use std::time::{Duration, Instant};

/// How often something is shown where lines stay.
const EVERY: Duration = Duration::from_secs(60);
/// Characters that fit beside the name of a stage.
const WIDTH: usize = 68;

/// Watches the log of a command that runs.
pub struct Progress {
    start: Instant,
    shown: Instant,
    is_terminal: bool,
    has_lines: bool,
}

impl Progress {
    pub fn start() -> Progress {
        let now = Instant::now();
        Progress { start: now, shown: now, is_terminal: std::io::stdout().is_terminal(), has_lines: false }
    }

    /// To be called every now and then.
    pub fn show(&mut self, log: &Path) {
        let wait = if self.is_terminal { Duration::from_secs(1) } else { EVERY };
        if self.shown.elapsed() < wait {
            return;
        }
        self.shown = Instant::now();
        let what = doing(&std::fs::read_to_string(log).unwrap_or_default());
        let line: String = format!("{}  {what}", minutes(self.start.elapsed())).chars().take(WIDTH).collect();
        if self.is_terminal {
            // Clear to the end of the line, write, and go back to beside the name.
            say(&format!("\x1b[K{line}\x1b[{}D", line.chars().count()));
        } else {
            self.has_lines = true;
            say(&format!("\n         {line}"));
        }
    }

    /// Makes room for the result.
    pub fn finish(self) {
        if self.is_terminal {
            say("\x1b[K");
        } else if self.has_lines {
            say("\n         ");
        }
    }
}

/// A time for people.
pub fn minutes(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds < 60 { format!("{seconds} s") } else { format!("{} min {:02} s", seconds / 60, seconds % 60) }
}

/// What the log says: tests so far, if there are any, and the last thing that began.
fn doing(log: &str) -> String {
    let log: Vec<&str> = log.lines().map(str::trim).collect();
    let tests = log.iter().filter(|line| line.starts_with("test ") && line.ends_with("... ok")).count();
    let starts = ["Compiling ", "Checking ", "Running ", "Doc-tests ", "Documenting ", "Building "];
    let last = log.iter().rev().find(|line| starts.iter().any(|start| line.starts_with(start)));
    let last = last.or_else(|| log.iter().rev().find(|line| !line.is_empty())).copied().unwrap_or_default();
    // `(/path/of/the/crate)` and `(target/release/deps/…)` say nothing that one waits for.
    let last = last.split(" (").next().unwrap_or_default();
    if tests == 0 { last.to_owned() } else { format!("{tests} tests so far; {last}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_tells_what_is_being_done() {
        let log = "   Compiling thenar v0.1.0 (/x/thenar)\n   Compiling thenar-scene v0.1.0 (/x/scene)\n";
        assert_eq!(doing(log), "Compiling thenar-scene v0.1.0");
        let log = format!(
            "{log}     Running unittests src/lib.rs (target/a)\n\nrunning 2 tests\ntest a ... ok\ntest b::c ... ok\n\
             test result: ok. 2 passed\n     Running tests/fit.rs (target/b)\n"
        );
        assert_eq!(doing(&log), "2 tests so far; Running tests/fit.rs");
        assert_eq!(doing("added 12 packages\n"), "added 12 packages");
        assert_eq!(doing(""), "");
    }

    #[test]
    fn times_are_readable() {
        assert_eq!(minutes(Duration::from_secs(59)), "59 s");
        assert_eq!(minutes(Duration::from_secs(725)), "12 min 05 s");
    }
}
