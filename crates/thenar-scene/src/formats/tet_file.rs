//! What the readers of tetrahedral meshes share.

use super::mesh_file::shortened;
use std::fmt::Display;
use std::str::FromStr;
use thenar::geometry::TetMesh;
use thenar::geometry::tet_mesh::{TET_EDGES, tet_volume};
use thenar::math::Vec3;

/// Elements that are read at most.
pub const MOST_TETS: usize = 2_000_000;
/// Nodes that are read at most.
pub const MOST_NODES: usize = 1_000_000;
/// A tetrahedron with less than this share of the volume of a cube on its longest edge is flat.
const FLAT: f64 = 1e-9;

/// Why a file of tetrahedra was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TetFileError {
    /// The file cannot be understood.
    #[error("line {line}: {what}")]
    Line {
        /// Counted from 1; in a binary file, lines of its text.
        line: usize,
        /// What is wrong and what was expected.
        what: String,
    },
    /// More nodes or elements than are read.
    #[error("the file announces {found} {what}, more than the {most} that are read; use a coarser mesh")]
    TooLarge {
        /// Nodes or elements.
        what: &'static str,
        /// How many.
        found: u64,
        /// How many are read.
        most: usize,
    },
    /// No tetrahedra at all.
    #[error("the file holds no tetrahedra")]
    Empty,
    /// An element that encloses nothing.
    #[error("tetrahedron {element} is flat (volume {volume:e} m³); remove it or mesh the body anew")]
    Flat {
        /// Its place among the tetrahedra, counted from 0.
        element: usize,
        /// Its volume, m³.
        volume: f64,
    },
    /// A file name whose ending names no format that is read here.
    #[error("`{name}` does not end in .vtk or .msh")]
    Format {
        /// The name given.
        name: String,
    },
}

impl TetFileError {
    pub(super) fn line(line: usize, what: impl Into<String>) -> Self {
        TetFileError::Line { line, what: what.into() }
    }
}

/// Reads tetrahedra in the format that the ending of the name says. Lengths are taken as metres.
///
/// # Errors
/// If the ending is unknown or the content is refused.
pub fn read_tets(name: &str, bytes: &[u8]) -> Result<TetMesh, TetFileError> {
    match name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase().as_str() {
        "vtk" => super::read_vtk(bytes),
        "msh" => super::read_msh(bytes),
        _ => Err(TetFileError::Format { name: name.to_owned() }),
    }
}

/// Refuses a count that is more than what is read.
pub(super) fn bounded(what: &'static str, found: u64, most: usize) -> Result<usize, TetFileError> {
    if found > most as u64 { Err(TetFileError::TooLarge { what, found, most }) } else { Ok(found as usize) }
}

/// Nodes that no element uses are dropped, elements are turned right side out, flat ones are refused. All node indices
/// must be in range.
pub(super) fn finished(positions: &[Vec3], tets: &[[u32; 4]]) -> Result<TetMesh, TetFileError> {
    if tets.is_empty() {
        return Err(TetFileError::Empty);
    }
    let mut place = vec![u32::MAX; positions.len()];
    for tet in tets {
        tet.iter().for_each(|&n| place[n as usize] = 0);
    }
    let mut mesh = TetMesh::default();
    for (place, position) in place.iter_mut().zip(positions).filter(|(p, _)| **p == 0) {
        *place = mesh.positions.len() as u32;
        mesh.positions.push(*position);
    }
    for (element, tet) in tets.iter().enumerate() {
        let mut tet = tet.map(|n| place[n as usize]);
        let corners = tet.map(|n| mesh.positions[n as usize]);
        let volume = tet_volume(corners);
        let longest = TET_EDGES.iter().map(|&[i, j]| corners[i].distance(corners[j])).fold(0.0, f64::max);
        if volume.is_nan() || volume.abs() <= FLAT * longest * longest * longest {
            return Err(TetFileError::Flat { element, volume });
        }
        if volume < 0.0 {
            tet.swap(2, 3);
        }
        mesh.tets.push(tet);
    }
    Ok(mesh)
}

/// Walks through a file that is text, with pieces of numbers in bytes if it is binary.
#[derive(Clone, Default)]
pub(super) struct Cursor<'a> {
    rest: &'a [u8],
    /// The line that is read, counted from 1.
    pub line: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Cursor { rest: bytes, line: 1 }
    }

    /// Bytes that are left.
    pub fn remaining(&self) -> usize {
        self.rest.len()
    }

    pub fn error(&self, what: impl Into<String>) -> TetFileError {
        TetFileError::line(self.line, what)
    }

    /// The rest of the line, without its end; `None` at the end of the file.
    pub fn line(&mut self) -> Option<&'a str> {
        if self.rest.is_empty() {
            return None;
        }
        let end = self.rest.iter().position(|b| *b == b'\n').unwrap_or(self.rest.len());
        let text = str::from_utf8(&self.rest[..end]).unwrap_or_default();
        self.rest = &self.rest[(end + 1).min(self.rest.len())..];
        self.line += 1;
        Some(text.trim())
    }

    /// The next word, across lines.
    pub fn word(&mut self) -> Option<&'a str> {
        while let [first, rest @ ..] = self.rest
            && first.is_ascii_whitespace()
        {
            self.line += usize::from(*first == b'\n');
            self.rest = rest;
        }
        let end = self.rest.iter().position(u8::is_ascii_whitespace).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        if word.is_empty() { None } else { Some(str::from_utf8(word).unwrap_or("bytes that are no text")) }
    }

    /// The next word as a number; `what` names it in the error.
    pub fn number<T: FromStr>(&mut self, what: impl Display) -> Result<T, TetFileError> {
        let line = self.line;
        let word = self.word().ok_or_else(|| TetFileError::line(line, format!("the file ends before {what}")))?;
        word.parse().map_err(|_| self.error(format!("{what} is `{}`, not a number of its kind", shortened(word))))
    }

    /// The next word as a finite coordinate.
    pub fn coordinate(&mut self, what: impl Display) -> Result<f64, TetFileError> {
        let value: f64 = self.number(&what)?;
        if value.is_finite() { Ok(value) } else { Err(self.error(format!("{what} is not finite"))) }
    }

    /// The next bytes.
    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8], TetFileError> {
        let Some((taken, rest)) = self.rest.split_at_checked(count) else {
            return Err(self.error(format!("the file ends within a block of {count} bytes")));
        };
        self.rest = rest;
        Ok(taken)
    }
}
