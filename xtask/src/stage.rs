//! Runs named stages one after another, times them and sums them up.

use crate::progress::{Progress, minutes};
use crate::say::{say, say_line};
use crate::times::Times;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
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
    times: Times,
    finished: Vec<(&'static str, Outcome, Duration)>,
}

impl Stages {
    /// Keeps the output of the stages in `logs`; with `full`, the long tests are among them.
    pub fn new(logs: PathBuf, full: bool) -> Self {
        Stages { times: Times::read(&logs, full), logs, finished: Vec::new() }
    }

    /// Says beforehand how long these stages will take.
    pub fn announce(&self, names: &[&str]) {
        say_line(&format!("{} stages: {}", names.len(), self.times.expected(names)));
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
        // What failed may have ended early.
        if !matches!(outcome, Outcome::Failed(_)) {
            self.times.keep(name, time);
        }
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
        let total = minutes(total);
        say_line(&format!("{passed} stages passed, {skipped} not run, {failed} failed, in {total}"));
        failed == 0
    }
}

/// Runs a command with its output in `log`, which is shown if the stage fails.
pub fn run_command(command: &mut Command, log: &Path) -> Result<(), String> {
    let output = File::create(log).and_then(|file| Ok([file.try_clone()?, file]));
    run_with(command, output.map_err(|error| cannot_write(log, &error))?, log)
}

/// The same with what the command prints for programs, on its standard output, in a file of its own.
pub fn run_command_into(command: &mut Command, result: &Path, log: &Path) -> Result<(), String> {
    let create = |path: &Path| File::create(path).map_err(|error| cannot_write(path, &error));
    run_with(command, [create(result)?, create(log)?], log)
}

fn cannot_write(path: &Path, error: &io::Error) -> String {
    format!("cannot write {}: {error}", path.display())
}

fn run_with(command: &mut Command, [stdout, stderr]: [File; 2], log: &Path) -> Result<(), String> {
    let shown = show(command);
    let started = command.stdin(Stdio::null()).stdout(stdout).stderr(stderr).spawn();
    match started.and_then(|child| wait(child, log)) {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{shown}` ended with {status}")),
        Err(error) => Err(format!("`{shown}` did not start: {error}")),
    }
}

/// Waits for the end and shows what goes on meanwhile.
fn wait(mut child: Child, log: &Path) -> io::Result<ExitStatus> {
    let mut progress = Progress::start();
    let mut pause = Duration::from_millis(1);
    let ended = loop {
        match child.try_wait() {
            Ok(None) => {}
            Ok(Some(status)) => break Ok(status),
            Err(error) => break Err(error),
        }
        std::thread::sleep(pause);
        // Short commands end at once, long ones are not asked all the time.
        pause = (pause * 2).min(Duration::from_millis(200));
        progress.show(log);
    };
    progress.finish();
    ended
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
        let logs = std::env::temp_dir().join(format!("thenar-xtask-stage-{}", std::process::id()));
        let mut stages = Stages::new(logs.clone(), false);
        stages.run("good", |_| Outcome::Passed(String::new()));
        stages.run("skipped", |_| Outcome::Skipped("no network".into()));
        assert!(stages.summary());
        stages.run("bad", |_| Outcome::Failed("broken".into()));
        assert!(!stages.summary());
        let again = Times::read(&logs, false);
        assert_eq!(again.expected(&["good", "skipped"]), "0 s the last time");
        assert_ne!(again.expected(&["bad"]), "0 s the last time", "how long a failure took is no forecast");
        fs::remove_dir_all(&logs).unwrap();
    }
}
