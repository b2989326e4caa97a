//! What the readers of mesh files share.

use thenar::geometry::TriMesh;
use thenar::geometry::distance::MOST_TRIANGLES;
use thenar::math::Vec3;

/// Why a mesh file was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshFileError {
    /// A line of a text file cannot be understood.
    #[error("line {line}: {what}")]
    Line {
        /// Counted from 1.
        line: usize,
        /// What is wrong and what was expected.
        what: String,
    },
    /// A binary file holds something unusable.
    #[error("byte {offset}: {what}")]
    Byte {
        /// Counted from 0.
        offset: usize,
        /// What is wrong and what was expected.
        what: String,
    },
    /// More triangles than are read.
    #[error("the file holds more than {MOST_TRIANGLES} triangles; simplify the mesh first")]
    TooLarge,
    /// No triangles at all.
    #[error("the file holds no triangles")]
    Empty,
    /// A glTF file.
    #[error("{0}")]
    Gltf(String),
    /// A file name whose ending names no format that is read here.
    #[error("`{name}` does not end in .stl, .obj, .glb or .gltf")]
    Format {
        /// The name given.
        name: String,
    },
}

impl MeshFileError {
    pub(super) fn line(line: usize, what: impl Into<String>) -> Self {
        MeshFileError::Line { line, what: what.into() }
    }
}

/// Reads a mesh in the format that the ending of its name says. Lengths are taken as metres.
///
/// # Errors
/// If the ending is unknown or the content is refused.
pub fn read_mesh(name: &str, bytes: &[u8]) -> Result<TriMesh, MeshFileError> {
    let ending = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    match ending.as_str() {
        "stl" => super::read_stl(bytes),
        "obj" => super::read_obj(bytes),
        "glb" | "gltf" => super::read_gltf_mesh(bytes, name).map_err(|error| MeshFileError::Gltf(error.to_string())),
        _ => Err(MeshFileError::Format { name: name.to_owned() }),
    }
}

/// The three coordinates at the front of a line's words.
pub(super) fn coordinates<'a>(words: &mut impl Iterator<Item = &'a str>, line: usize) -> Result<Vec3, MeshFileError> {
    let mut next = |axis: &str| {
        let word = words.next().ok_or_else(|| MeshFileError::line(line, format!("{axis} is missing")))?;
        match word.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => Err(MeshFileError::line(line, format!("{axis} is `{}`, not a finite number", shortened(word)))),
        }
    };
    Ok(Vec3::new(next("x")?, next("y")?, next("z")?))
}

/// A piece of a hostile file, fit to be shown.
pub(super) fn shortened(word: &str) -> String {
    let mut text: String = word.chars().take(24).map(|c| if c.is_control() { '?' } else { c }).collect();
    if word.chars().nth(24).is_some() {
        text.push('…');
    }
    text
}
