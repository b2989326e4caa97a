//! What can be wrong with an imported file.

use super::glb::GlbError;
use thenar::hand::{HandError, SkinnedError, XrJoint};

/// A file that could not be imported: which, and why.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {problem}")]
pub struct ImportError {
    /// Name of the file as given by the caller.
    pub file: String,
    /// What is wrong.
    pub problem: ImportProblem,
}

/// Why a file could not be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportProblem {
    /// More than the reader accepts.
    #[error("{what} is {value}, the limit is {limit}; reduce the model before import")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// How large it is.
        value: usize,
        /// How large it may be.
        limit: usize,
    },
    /// Not a binary glTF container.
    #[error("not a valid GLB file: {0}")]
    Container(#[from] GlbError),
    /// Not glTF 2.0 JSON.
    #[error("not valid glTF 2.0: {0}")]
    Json(String),
    /// Bytes in another file.
    #[error("buffer {index} lies outside the file ({uri:?}); export as a single .glb")]
    ExternalBuffer {
        /// Which buffer.
        index: usize,
        /// Where it is said to be.
        uri: String,
    },
    /// Data that cannot be read.
    #[error("accessor {index} ({what}) {reason}")]
    Accessor {
        /// Which accessor.
        index: usize,
        /// What it should hold.
        what: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// A vertex attribute of the wrong length.
    #[error("{attribute} has {found} entries but POSITION has {expected}; re-export the mesh")]
    AttributeCount {
        /// Which attribute.
        attribute: &'static str,
        /// Its length.
        found: usize,
        /// Number of vertices.
        expected: usize,
    },
    /// No triangles at all.
    #[error("there are no triangles in the file; it needs a mesh in a scene")]
    NoTriangles,
    /// A triangle points past the vertices.
    #[error("triangle {triangle} names vertex {vertex} but there are only {vertices} vertices")]
    IndexOutOfRange {
        /// Which triangle.
        triangle: usize,
        /// Which vertex.
        vertex: usize,
        /// How many there are.
        vertices: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} is at {x} {y} {z}, which is not a finite position")]
    NotFinite {
        /// Which vertex.
        vertex: usize,
        /// X.
        x: f64,
        /// Y.
        y: f64,
        /// Z.
        z: f64,
    },
    /// No skin, so there are no joints.
    #[error("the file has no skin (joints and weights); export the hand with its armature")]
    NoSkin,
    /// A joint the hand cannot do without.
    #[error(
        "joint {name:?} is missing; joints are matched by their WebXR or OpenXR names, found: {found}",
        name = super::joint_names::webxr_name(*joint)
    )]
    MissingJoint {
        /// Which joint.
        joint: XrJoint,
        /// Names of the joints there are.
        found: String,
    },
    /// Left or right cannot be told.
    #[error("cannot tell whether this is a left or a right hand from joints or names; pass --side")]
    UnknownSide,
    /// The surface has a hole too large to be closed.
    #[error("the surface is open: a hole of {edges} edges at vertex {vertex} ({x:.4} {y:.4} {z:.4}); close it")]
    Open {
        /// Number of edges around the hole.
        edges: usize,
        /// One vertex on its rim.
        vertex: usize,
        /// X of that vertex.
        x: f64,
        /// Y of that vertex.
        y: f64,
        /// Z of that vertex.
        z: f64,
    },
    /// More than two triangles on one edge, or triangles that face opposite ways.
    #[error(
        "the surface is not manifold at the edge between vertices {a} and {b} ({x:.4} {y:.4} {z:.4}): {reason}; \
         merge vertices and recompute normals in a modelling program"
    )]
    NotManifold {
        /// One vertex.
        a: usize,
        /// The other vertex.
        b: usize,
        /// X of the first vertex.
        x: f64,
        /// Y of the first vertex.
        y: f64,
        /// Z of the first vertex.
        z: f64,
        /// What is wrong.
        reason: &'static str,
    },
    /// Joints and skin that make no hand, or a skin that cuts itself.
    #[error(transparent)]
    Hand(#[from] SkinnedError),
    /// The tissue could not be built.
    #[error(transparent)]
    Tissue(#[from] HandError),
}

impl ImportProblem {
    /// Attaches the name of the file.
    #[must_use]
    pub fn in_file(self, file: &str) -> ImportError {
        ImportError { file: file.to_owned(), problem: self }
    }
}
