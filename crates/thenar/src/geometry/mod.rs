//! Triangle and tetrahedral meshes and what is computed from them.

mod aabb;
pub mod distance;
mod embedding;
mod tet_mesh;
mod tri_mesh;
mod weld;

pub use aabb::Aabb;
pub use embedding::Embedding;
pub use tet_mesh::TetMesh;
pub use tri_mesh::TriMesh;
