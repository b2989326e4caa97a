//! Recordings that no page had fetched when the studio ended.

use crate::error::Error;
use crate::output;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use thenar_studio::Unfetched;

/// Writes a recording into the working folder, or where that cannot be written into the folder for temporary files, and says where.
pub fn keep(recording: &Unfetched) -> Result<(), Error> {
    let path = put(recording, Path::new(""), &std::env::temp_dir())?;
    output::print_text(&format!("The recording that no page had fetched is in {}", path.display()))
}

/// Where a recording is now: in one folder, or else in another.
fn put(recording: &Unfetched, here: &Path, there: &Path) -> Result<PathBuf, Error> {
    let path = here.join(&recording.name);
    let Err(error) = write(&path, &recording.bytes) else { return Ok(path) };
    eprintln!("warning: cannot write {}: {error}", path.display());
    let path = there.join(&recording.name);
    write(&path, &recording.bytes).map_err(Error::write(&path))?;
    Ok(path)
}

/// All of a file or none of it; what is there already stays.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    if written.is_err() {
        let _ = fs::remove_file(path);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_is_kept_elsewhere_where_its_folder_cannot_be_written() {
        let folder = std::env::temp_dir().join(format!("thenar-kept-{}", std::process::id()));
        let (absent, other) = (folder.join("absent"), folder.join("other"));
        fs::create_dir_all(&other).unwrap();
        let recording = Unfetched { name: "ball.mcap".to_owned(), bytes: b"steps".as_slice().into() };
        let path = put(&recording, &absent, &other).unwrap();
        assert_eq!((path, fs::read(other.join("ball.mcap")).unwrap()), (other.join("ball.mcap"), b"steps".to_vec()));
        // nothing is written over
        let later = Unfetched { name: "ball.mcap".to_owned(), bytes: b"later".as_slice().into() };
        let path = put(&later, &other, &folder).unwrap();
        assert_eq!((path, fs::read(other.join("ball.mcap")).unwrap()), (folder.join("ball.mcap"), b"steps".to_vec()));
        let lost = put(&later, &absent, &other).unwrap_err().to_string();
        assert!(lost.contains("ball.mcap"), "{lost}");
        fs::remove_dir_all(&folder).unwrap();
    }
}
