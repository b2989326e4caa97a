//! Runs the built binary.
#![allow(dead_code)] // each test file uses a part

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// Runs `thenar` with these words and waits for it.
pub fn run(words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_thenar"));
    command.args(words).stdin(Stdio::null()).output().expect("the binary starts")
}

/// Standard output as text.
pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("standard output is UTF-8")
}

/// Standard error as text.
pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("standard error is UTF-8")
}

/// The one JSON object that a successful run printed.
pub fn json(words: &[&str]) -> serde_json::Value {
    let output = run(words);
    assert!(output.status.success(), "{words:?}: {}", stderr(&output));
    let value: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("exactly one JSON value");
    assert!(value.is_object(), "{value}");
    value
}

/// What bad input printed on standard error. Standard output stays empty and the exit code is 2.
pub fn refusal(words: &[&str]) -> String {
    let output = run(words);
    assert_eq!(output.status.code(), Some(2), "{words:?}: {}", stderr(&output));
    assert_eq!(stdout(&output), "", "{words:?}");
    stderr(&output)
}

/// A path for a file that a test writes.
pub fn scratch(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}
