//! Tetrahedral meshes.

use crate::math::Vec3;

/// A tetrahedral mesh; `det [b-a, c-a, d-a] > 0` for every element `[a, b, c, d]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TetMesh {
    /// Node positions, metres.
    pub positions: Vec<Vec3>,
    /// Node indices of each tetrahedron.
    pub tets: Vec<[u32; 4]>,
}
