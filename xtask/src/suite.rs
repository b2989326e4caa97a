//! Unit, integration and doc tests, optimised: all programs from one queue, as many beside each other as there are cores. Most of them end with
//! one long test while the other cores wait; `cargo test` by itself would begin the next program only then.

use crate::checks::cargo;
use crate::programs::{self, Program};
use crate::progress::{Progress, minutes};
use crate::stage::{self, Outcome};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Builds all test programs; the arguments of cargo that the page's tests use as well.
pub const BUILD: [&str; 4] = ["test", "--release", "--workspace", "--no-run"];

/// Builds and runs everything. All programs run even if one failed.
pub fn run(root: &Path, full: bool, log: &Path) -> Outcome {
    let messages = log.with_extension("json");
    let mut build = cargo(root);
    build.args(BUILD).arg("--message-format=json-render-diagnostics");
    if let Err(error) = stage::run_command_into(&mut build, &messages, log) {
        return Outcome::Failed(error);
    }
    let mut programs = match fs::read_to_string(&messages) {
        Ok(text) => programs::built(&text),
        Err(error) => return Outcome::Failed(format!("{}: {error}", messages.display())),
    };
    let _ = fs::remove_file(&messages);
    if programs.is_empty() {
        return Outcome::Failed("cargo built no test programs".into());
    }
    let mut examples = cargo(root);
    examples.args(["test", "--release", "--workspace", "--doc", "--no-fail-fast"]);
    if full {
        for program in &mut programs {
            program.command().arg("--include-ignored");
        }
        examples.args(["--", "--include-ignored"]);
    }
    // First: what is still compiled must not be what all others wait for in the end.
    programs.insert(0, Program::new("examples of the documentation", examples));
    match run_all(programs, &log.with_extension("parts"), log) {
        Ok(failed) if failed.is_empty() => {
            let counts = TestCounts::read(&fs::read_to_string(log).unwrap_or_default());
            let hint = if counts.ignored > 0 { " (run by --full)" } else { "" };
            Outcome::Passed(format!("{} tests, {} left out{hint}", counts.passed, counts.ignored))
        }
        Ok(failed) => Outcome::Failed(format!("{} failed", failed.join(", "))),
        Err(error) => Outcome::Failed(error),
    }
}

/// Runs programs on all cores. Their outputs are appended to the log one after another, those that failed last, where
/// they are read first. Names of what failed.
fn run_all(programs: Vec<Program>, parts: &Path, log: &Path) -> Result<Vec<String>, String> {
    let wrong = |error: std::io::Error| format!("cannot write {}: {error}", log.display());
    fs::create_dir_all(parts).map_err(wrong)?;
    let mut output = OpenOptions::new().create(true).append(true).open(log).map_err(wrong)?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let queue = Mutex::new(programs.into_iter().enumerate());
    let (mut progress, mut failed) = (Progress::start(), Vec::new());
    let written = std::thread::scope(|scope| {
        let (done, ended) = mpsc::channel();
        for _ in 0..cores {
            let (done, queue) = (done.clone(), &queue);
            scope.spawn(move || {
                let next = || queue.lock().ok().and_then(|mut queue| queue.next());
                while let Some((number, program)) = next() {
                    if done.send(run_one(program, &parts.join(format!("{number}.log")))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(done);
        loop {
            match ended.recv_timeout(Duration::from_millis(200)) {
                Ok(part) if part.passed => output.write_all(part.text.as_bytes())?,
                Ok(part) => failed.push(part),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            progress.show(log);
        }
        failed.iter().try_for_each(|part| output.write_all(part.text.as_bytes()))
    });
    progress.finish();
    let _ = fs::remove_dir_all(parts);
    written.map_err(wrong)?;
    Ok(failed.into_iter().map(|part| part.name).collect())
}

/// What came of a program.
struct Part {
    name: String,
    passed: bool,
    text: String,
}

fn run_one(mut program: Program, log: &Path) -> Part {
    let start = Instant::now();
    let files = File::create(log).and_then(|file| Ok((file.try_clone()?, file)));
    let status = files
        .and_then(|(stdout, stderr)| program.command().stdin(Stdio::null()).stdout(stdout).stderr(stderr).status());
    let (passed, ended) = match status {
        Ok(status) => (status.success(), format!("ended with {status}")),
        Err(error) => (false, format!("did not start: {error}")),
    };
    let output = fs::read(log).unwrap_or_default();
    let name = program.name;
    let mut text = format!("     Running {name} ({})\n{}", minutes(start.elapsed()), String::from_utf8_lossy(&output));
    if !passed {
        text.push_str(&format!("\n{name} {ended}\n"));
    }
    Part { name, passed, text }
}

/// Sums of the `test result:` lines of the test harness.
#[derive(Debug, Default, PartialEq)]
struct TestCounts {
    passed: usize,
    ignored: usize,
}

impl TestCounts {
    fn read(log: &str) -> Self {
        let mut counts = TestCounts::default();
        for line in log.lines().filter(|line| line.starts_with("test result:")) {
            counts.passed += number_before(line, " passed");
            counts.ignored += number_before(line, " ignored");
        }
        counts
    }
}

fn number_before(line: &str, word: &str) -> usize {
    let before = line.split(word).next().unwrap_or_default();
    before.rsplit(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn test_counts_add_up_over_binaries() {
        let log = "running 3 tests\n\
            test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s\n\
            test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n";
        assert_eq!(TestCounts::read(log), TestCounts { passed: 14, ignored: 1 });
    }

    /// A program that fails, or does not start, fails the stage; the others run all the same, and the log holds every word.
    #[test]
    fn all_programs_run_and_those_that_fail_are_named_and_shown_last() {
        let folder = std::env::temp_dir().join(format!("thenar-xtask-suite-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let rustc = |argument: &str| {
            let mut command = Command::new("rustc");
            command.arg(argument);
            command
        };
        let programs = vec![
            Program::new("bad", rustc("--no-such-option")),
            Program::new("absent", Command::new(folder.join("absent"))),
            Program::new("good", rustc("--version")),
            Program::new("better", rustc("--version")),
        ];
        let log = folder.join("tests.log");
        fs::write(&log, "built\n").unwrap();
        let mut failed = run_all(programs, &folder.join("parts"), &log).unwrap();
        failed.sort();
        assert_eq!(failed, ["absent", "bad"]);
        let text = fs::read_to_string(&log).unwrap();
        assert!(text.starts_with("built\n     Running "), "{text}");
        let place = |word: &str| text.find(word).unwrap_or_else(|| panic!("no {word} in {text}"));
        assert_eq!(text.matches("rustc 1.").count(), 2, "{text}");
        for good in ["Running good", "Running better"] {
            assert!(place(good) < place("no-such-option").min(place("absent did not start")), "{text}");
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
