//! What a change must pass.

use crate::say::say_line;
use crate::stage::{self, Outcome, Stages};
use crate::{node, package, system, tidy};
use std::fs;
use std::path::Path;
use std::process::Command;

/// All stages, quick ones first. Every stage runs even if an earlier one failed. True if all is well.
pub fn run(root: &Path, full: bool) -> bool {
    let mut stages = Stages::new(root.join("target").join("xtask"));
    stages.announce(&["tidy", "format", "npm", "page", "clippy", "tests", "browser", "docs", "package"]);
    stages.run("tidy", |_| tidy_stage(root));
    stages.run("format", |log| component(root, "fmt", "rustfmt", &["--all", "--check"], log));
    stages.run("npm", |log| node::install_packages(&root.join("tests").join("npm"), log));
    // Before anything is compiled: the build of the studio embeds its page.
    stages.run("page", |log| node::install_packages(&root.join("web"), log));
    let clippy = ["--release", "--workspace", "--all-targets", "--", "-D", "warnings"];
    stages.run("clippy", |log| component(root, "clippy", "clippy", &clippy, log));
    stages.run("tests", |log| tests(root, full, log));
    stages.run("browser", |log| node::test_page(root, &mut cargo(root), log));
    stages.run("docs", |log| docs(root, log));
    stages.run("package", |_| package::check(&|| cargo(root)));
    stages.summary()
}

/// Packs what is published.
pub fn run_package(root: &Path) -> bool {
    let mut stages = Stages::new(root.join("target").join("xtask"));
    stages.run("pack", |log| package::pack(root, &|| cargo(root), log));
    stages.summary()
}

/// Only the rules of [`tidy`].
pub fn run_tidy(root: &Path) -> bool {
    let mut stages = Stages::new(root.join("target").join("xtask"));
    stages.run("tidy", |_| tidy_stage(root));
    stages.summary()
}

/// Formats the workspace.
pub fn run_fmt(root: &Path) -> bool {
    let mut stages = Stages::new(root.join("target").join("xtask"));
    stages.run("format", |log| component(root, "fmt", "rustfmt", &["--all"], log));
    stages.summary()
}

/// Damaged files for the readers (`crates/thenar-fuzz`), with the output as it comes.
pub fn run_fuzz(root: &Path, arguments: &[&str]) -> bool {
    let mut command = cargo(root);
    command.args(["run", "--release", "--package", "thenar-fuzz", "--"]).args(arguments);
    command.status().is_ok_and(|status| status.success())
}

fn tidy_stage(root: &Path) -> Outcome {
    match tidy::check(root) {
        Ok(report) if report.problems.is_empty() => Outcome::Passed(format!("{} files", report.files)),
        Ok(report) => {
            say_line("");
            for problem in &report.problems {
                say_line(&problem.to_string());
            }
            Outcome::Failed(format!("{} problems", report.problems.len()))
        }
        Err(error) => Outcome::Failed(error),
    }
}

/// A cargo subcommand that is a rustup component; installs the component where it is missing.
fn component(root: &Path, subcommand: &str, component: &str, arguments: &[&str], log: &Path) -> Outcome {
    let version = cargo(root).args([subcommand, "--version"]).output();
    if !version.is_ok_and(|output| output.status.success()) {
        let missing = format!("`cargo {subcommand}` is missing");
        if !system::has_program("rustup") {
            return Outcome::Failed(format!("{missing}: please install {component} for this Rust"));
        }
        let mut add = Command::new("rustup");
        add.args(["component", "add", component]).current_dir(root);
        if let Err(error) = stage::run_command(&mut add, log) {
            return Outcome::Failed(format!("{missing}: {error}"));
        }
    }
    outcome(stage::run_command(cargo(root).arg(subcommand).args(arguments), log))
}

/// Unit, integration and doc tests, optimised.
fn tests(root: &Path, full: bool, log: &Path) -> Outcome {
    let mut command = cargo(root);
    command.args(["test", "--release", "--workspace", "--no-fail-fast"]);
    if full {
        command.args(["--", "--include-ignored"]);
    }
    if let Err(error) = stage::run_command(&mut command, log) {
        return Outcome::Failed(error);
    }
    let counts = TestCounts::read(&fs::read_to_string(log).unwrap_or_default());
    let hint = if counts.ignored > 0 { " (run by --full)" } else { "" };
    Outcome::Passed(format!("{} tests, {} left out{hint}", counts.passed, counts.ignored))
}

fn docs(root: &Path, log: &Path) -> Outcome {
    let mut command = cargo(root);
    command.args(["doc", "--release", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings");
    outcome(stage::run_command(&mut command, log))
}

fn outcome(result: Result<(), String>) -> Outcome {
    match result {
        Ok(()) => Outcome::Passed(String::new()),
        Err(error) => Outcome::Failed(error),
    }
}

fn cargo(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    command
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

    #[test]
    fn test_counts_add_up_over_binaries() {
        let log = "running 3 tests\n\
            test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s\n\
            test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n";
        assert_eq!(TestCounts::read(log), TestCounts { passed: 14, ignored: 1 });
    }
}
