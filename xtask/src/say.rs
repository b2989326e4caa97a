//! Standard output that may be closed early: `cargo xtask tidy | head -1` ends with its result, not with a panic.

use std::io::Write;

/// Shows text at once. A closed standard output is no reason to stop testing.
pub fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// The same with the end of the line.
pub fn say_line(text: &str) {
    say(&format!("{text}\n"));
}
