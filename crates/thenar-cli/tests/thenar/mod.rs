//! Runs the built binary.
#![allow(dead_code)] // each test file uses a part

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Output, Stdio};

/// Runs `thenar` with these words and waits for it.
pub fn run(words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_thenar"));
    command.args(words).stdin(Stdio::null()).output().expect("the binary starts")
}

/// A `thenar` that goes on by itself; it ends with the test.
pub struct Running {
    child: Child,
    lines: BufReader<ChildStdout>,
}

/// Starts `thenar` with these words. It finds no screen, so it opens no browser.
pub fn start(words: &[&str]) -> Running {
    let mut command = Command::new(env!("CARGO_BIN_EXE_thenar"));
    command.args(words).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("the binary starts");
    let lines = BufReader::new(child.stdout.take().expect("a pipe"));
    Running { child, lines }
}

impl Running {
    /// The next line of standard output.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).expect("a line");
        line.trim_end().to_owned()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a server on this machine answers to a request.
pub fn get(port: u16, path: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("it listens");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
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
