//! Runs named stages one after another, times them and sums them up.

use crate::say::{say, say_line};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How a stage ended; the text is printed beside its name.
pub enum Outcome {
    Passed(String),
    /// Could not run here, and why. Does not fail the run.
    Skipped(String),
    Failed(String),
}

/// The stages run so far.
pub struct Stages {
    logs: PathBuf,
    finished: Vec<(&'static str, Outcome, Duration)>,
}

impl Stages {
    /// Keeps the output of the stages in `logs`.
    pub fn new(logs: PathBuf) -> Self {
        Stages { logs, finished: Vec::new() }
    }

    /// Runs one stage and prints its line.
    pub fn run(&mut self, name: &'static str, stage: impl FnOnce(&Path) -> Outcome) {
        say(&format!("{name:<8} "));
        let log = self.logs.join(format!("{name}.log"));
        let start = Instant::now();
        // No stage shall show the log of an earlier run.
        let _ = fs::remove_file(&log);
        let outcome = match fs::create_dir_all(&self.logs) {
            Ok(()) => stage(&log),
            Err(error) => Outcome::Failed(format!("cannot create {}: {error}", self.logs.display())),
        };
        let time = start.elapsed();
        if let (Outcome::Failed(_), Ok(text)) = (&outcome, fs::read_to_string(&log)) {
            say_line(&format!("\n{text}"));
        }
        say_line(&line(&outcome, time));
        self.finished.push((name, outcome, time));
    }

    /// Prints what failed and what could not run; true if nothing failed.
    pub fn summary(&self) -> bool {
        let total: Duration = self.finished.iter().map(|(_, _, time)| *time).sum();
        let (mut passed, mut skipped, mut failed) = (0, 0, 0);
        say_line("");
        for (name, outcome, _) in &self.finished {
            match outcome {
                Outcome::Passed(_) => passed += 1,
                Outcome::Skipped(why) => {
                    skipped += 1;
                    say_line(&format!("not run: {name}: {why}"));
                }
                Outcome::Failed(why) => {
                    failed += 1;
                    say_line(&format!("failed: {name}: {why}"));
                }
            }
        }
        let total = seconds(total);
        say_line(&format!("{passed} stages passed, {skipped} not run, {failed} failed, in {total}"));
        failed == 0
    }
}

/// Runs a command with its output in `log`, which is shown if the stage fails.
pub fn run_command(command: &mut Command, log: &Path) -> Result<(), String> {
    let shown = show(command);
    let output = File::create(log).and_then(|file| Ok((file.try_clone()?, file)));
    let (stdout, stderr) = output.map_err(|error| format!("cannot write {}: {error}", log.display()))?;
    let status = command.stdin(Stdio::null()).stdout(stdout).stderr(stderr).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{shown}` ended with {status}")),
        Err(error) => Err(format!("`{shown}` did not start: {error}")),
    }
}

fn show(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let mut words = vec![program.file_stem().unwrap_or(command.get_program()).to_string_lossy().into_owned()];
    words.extend(command.get_args().map(|argument| argument.to_string_lossy().into_owned()));
    words.join(" ")
}

fn line(outcome: &Outcome, time: Duration) -> String {
    let (word, note) = match outcome {
        Outcome::Passed(note) => ("ok", note),
        Outcome::Skipped(note) => ("not run", note),
        Outcome::Failed(note) => ("FAILED", note),
    };
    let time = seconds(time);
    if note.is_empty() { format!("{word:<7} {time:>8}") } else { format!("{word:<7} {time:>8}  {note}") }
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_failed_stage_fails_the_run_and_a_skipped_one_does_not() {
        let mut stages = Stages::new(std::env::temp_dir().join("thenar-xtask-stage"));
        stages.run("good", |_| Outcome::Passed(String::new()));
        stages.run("skipped", |_| Outcome::Skipped("no network".into()));
        assert!(stages.summary());
        stages.run("bad", |_| Outcome::Failed("broken".into()));
        assert!(!stages.summary());
    }
}
