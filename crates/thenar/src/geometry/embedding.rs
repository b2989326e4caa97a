//! Fine points carried by a coarse tetrahedral mesh.

/// For each embedded point, the tetrahedron that carries it and its barycentric weights (which sum to 1).
///
/// A point outside the mesh is carried by the nearest tetrahedron with slightly negative weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Embedding {
    /// Index of the carrying tetrahedron, per point.
    pub tets: Vec<u32>,
    /// Barycentric weights in that tetrahedron, per point.
    pub weights: Vec<[f64; 4]>,
}
