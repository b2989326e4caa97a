//! One array of a run while it grows: a file of plain numbers.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::npy::npy_header;
use super::tables::OutputError;
use super::zip::{Compression, ZipFile};

/// Rows of one shape, on disk.
pub(super) struct Column {
    name: String,
    row: Vec<usize>,
    rows: u64,
    path: PathBuf,
    file: BufWriter<File>,
}

impl Column {
    /// Begins `NAME.f64` in a folder.
    pub fn create(folder: &Path, name: String, row: &[usize]) -> Result<Column, OutputError> {
        let path = folder.join(format!("{name}.f64"));
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&path);
        match file {
            Ok(file) => Ok(Column { name, row: row.to_vec(), rows: 0, path, file: BufWriter::new(file) }),
            Err(error) => Err(OutputError { path, error }),
        }
    }

    pub fn push(&mut self, row: impl IntoIterator<Item = f64>) -> Result<(), OutputError> {
        let written = row.into_iter().try_for_each(|value| self.file.write_all(&value.to_le_bytes()));
        written.map_err(|error| self.failed(error))?;
        self.rows += 1;
        Ok(())
    }

    /// Copies the array into the file of all.
    pub fn pack<W: Write + Seek>(&mut self, zip: &mut ZipFile<W>, compression: Compression) -> Result<(), OutputError> {
        self.file.flush().map_err(|error| self.failed(error))?;
        let shape: Vec<u64> = std::iter::once(self.rows).chain(self.row.iter().map(|n| *n as u64)).collect();
        let bytes = shape.iter().product::<u64>() * 8;
        let file = self.file.get_mut();
        let packed = zip.add(&format!("{}.npy", self.name), compression, |out| {
            out.write_all(&npy_header(&shape))?;
            file.seek(SeekFrom::Start(0))?;
            let copied = io::copy(&mut io::Read::take(file, bytes), out)?;
            if copied == bytes { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
        });
        packed.map_err(|error| self.failed(error))
    }

    /// Number of rows so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    fn failed(&self, error: io::Error) -> OutputError {
        OutputError { path: self.path.clone(), error }
    }
}
