//! Files of other programs.

mod mesh_file;
mod obj;
mod stl;

pub use mesh_file::{MeshFileError, read_mesh};
pub use obj::read_obj;
pub use stl::read_stl;
