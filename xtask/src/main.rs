//! Tests and upkeep of the workspace: `cargo xtask help`.

mod checks;
mod node;
mod package;
mod programs;
mod progress;
mod say;
mod stage;
mod suite;
mod system;
mod tidy;
mod times;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const HELP: &str = "\
Tests and upkeep of the workspace.

cargo xtask test [--full]   everything a change must pass; --full adds the long tests
cargo xtask test STAGE ...  only some of it: tidy format npm page clippy tests browser docs package
cargo xtask tidy            only the rules that no compiler checks
cargo xtask fmt             formats the workspace
cargo xtask fuzz SECONDS [TARGET]   damaged files for every reader, or one, for so long
cargo xtask package         all crates as they would be published, in target/package/
cargo xtask help            this text

The output of each stage is kept in target/xtask/ and shown when the stage fails.
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let root = workspace_root();
    let passed = match words.as_slice() {
        ["test", "--full", only @ ..] if are_stages(only) => checks::run(&root, true, only),
        ["test", only @ ..] if are_stages(only) => checks::run(&root, false, only),
        ["tidy"] => checks::run_tidy(&root),
        ["fmt"] => checks::run_fmt(&root),
        ["package"] => checks::run_package(&root),
        ["fuzz", rest @ ..] if !rest.is_empty() => checks::run_fuzz(&root, rest),
        [] | ["help" | "--help" | "-h"] => {
            say::say(HELP);
            true
        }
        _ => {
            eprint!("cargo xtask does not know `{}`.\n\n{HELP}", words.join(" "));
            return ExitCode::from(2);
        }
    };
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn are_stages(words: &[&str]) -> bool {
    words.iter().all(|word| checks::STAGES.contains(word))
}

fn workspace_root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_path_buf()
}
