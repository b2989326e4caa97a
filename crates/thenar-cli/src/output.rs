//! Results: text for people or one JSON object for programs on standard output, and files.

use crate::error::Error;
use serde::Serialize;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::Path;

/// Prints text and a line end.
pub fn print_text(text: &str) -> Result<(), Error> {
    print_line(text.trim_end())
}

/// Prints one JSON object on one line.
pub fn print_json(result: &impl Serialize) -> Result<(), Error> {
    let json = serde_json::to_string(result).map_err(|error| Error::Print(error.into()))?;
    print_line(&json)
}

/// Refuses a target that cannot be written, before long work rather than after it.
pub fn check_target(path: &Path) -> Result<(), Error> {
    let refuse = |reason| Err(Error::Target { path: path.to_path_buf(), reason });
    if path.is_dir() {
        return refuse("it is a folder");
    }
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            return refuse("its folder does not exist");
        }
        _ => {}
    }
    // Only the system knows whether a file can be written: permissions, disks that can only be read, names it refuses.
    let is_new = !path.exists();
    File::options().append(true).create(true).open(path).map_err(Error::write(path))?;
    if is_new {
        // If it stays, it is written anew later.
        let _ = fs::remove_file(path);
    }
    Ok(())
}

fn print_line(text: &str) -> Result<(), Error> {
    let mut stdout = std::io::stdout().lock();
    match writeln!(stdout, "{text}").and_then(|()| stdout.flush()) {
        // The reader has seen enough (`thenar hand | head -1`).
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result.map_err(Error::Print),
    }
}
