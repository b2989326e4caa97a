//! What a change must pass.

use crate::say::say_line;
use crate::stage::{self, Outcome, Stages};
use crate::{node, package, suite, system, tidy};
use std::path::Path;
use std::process::Command;

/// What `cargo xtask test` runs, quick ones first. The page comes before anything is compiled: the build of the studio embeds it.
pub const STAGES: [&str; 9] = ["tidy", "format", "npm", "page", "clippy", "tests", "browser", "docs", "package"];

/// The engine, and crates that make do with what is public of it without its feature `unstable`.
const CLOSED: [&str; 6] = ["thenar", "thenar-rapier", "thenar-scene", "thenar-devices", "thenar-draw", "thenar-studio"];

/// The stages named, or all if none is, in their order. Every stage runs even if an earlier one failed. True if all is well.
pub fn run(root: &Path, full: bool, only: &[&str]) -> bool {
    let mut stages = Stages::new(root.join("target").join("xtask"), full);
    let chosen: Vec<&'static str> =
        STAGES.into_iter().filter(|stage| only.is_empty() || only.contains(stage)).collect();
    if only.is_empty() {
        stages.announce(&chosen);
    }
    let clippy = ["--release", "--workspace", "--all-targets", "--", "-D", "warnings"];
    for stage in chosen {
        stages.run(stage, |log| match stage {
            "tidy" => tidy_stage(root),
            "format" => component(root, "fmt", "rustfmt", &["--all", "--check"], log),
            "npm" => node::install_packages(&root.join("tests").join("npm"), log),
            "page" => node::install_packages(&root.join("web"), log),
            "clippy" => match component(root, "clippy", "clippy", &clippy, log) {
                Outcome::Passed(_) => closed(root, log),
                other => other,
            },
            "tests" => suite::run(root, full, log),
            "browser" => node::test_page(root, &mut cargo(root), log),
            "docs" => docs(root, log),
            _ => package::check(&|| cargo(root), full, log),
        });
    }
    stages.summary()
}

/// Packs what is published.
pub fn run_package(root: &Path) -> bool {
    let mut stages = Stages::new(root.join("target").join("xtask"), false);
    stages.run("pack", |log| package::pack(root, &|| cargo(root), log));
    stages.summary()
}

/// Only the rules of [`tidy`].
pub fn run_tidy(root: &Path) -> bool {
    let mut stages = Stages::new(root.join("target").join("xtask"), false);
    stages.run("tidy", |_| tidy_stage(root));
    stages.summary()
}

/// Formats the workspace.
pub fn run_fmt(root: &Path) -> bool {
    let mut stages = Stages::new(root.join("target").join("xtask"), false);
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

/// Everything that is built without what the engine keeps to itself.
fn closed(root: &Path, log: &Path) -> Outcome {
    let packages = CLOSED.iter().flat_map(|name| ["--package", name]);
    outcome(stage::run_command(cargo(root).args(["check", "--release"]).args(packages), log))
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

/// Cargo in the workspace.
pub fn cargo(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    command
}
