//! Triangle and tetrahedral meshes and what is computed from them.

mod aabb;
mod coarse_surface;
pub mod contraction;
pub mod distance;
mod embedding;
mod isosurface;
pub mod mesher;
mod orientation;
mod spread;
mod surface_checks;
mod surface_distance;
pub mod tet_mesh;
mod tri_mesh;
pub mod triangle_tree;
mod weld;

pub use aabb::Aabb;
pub use coarse_surface::coarse_surface;
pub use embedding::{Embedding, TetLocator};
pub use isosurface::{QuadSurface, isosurface};
pub(crate) use spread::spread;
pub use surface_checks::SurfaceError;
pub use surface_distance::SurfaceDistance;
pub use tet_mesh::{TetMesh, TetQuality};
pub use tri_mesh::TriMesh;
pub use triangle_tree::{Nearest, TriangleTree};
