//! Files of other programs: meshes, skinned hands and tracked frames.

mod frame_json;
mod glb;
mod gltf_data;
mod gltf_read;
mod gltf_write;
mod gmsh;
mod hand_import;
mod import_error;
mod joint_names;
mod mesh_file;
mod obj;
mod stl;
mod surface_repair;
mod tet_file;
#[cfg(test)]
mod tet_file_tests;
mod vtk;

pub use frame_json::{FrameChoice, FrameError, FrameProblem, read_frame};
pub use glb::GlbError;
pub use gltf_read::read_gltf_mesh;
pub use gltf_write::{write_hand, write_skin};
pub use gmsh::read_msh;
pub use hand_import::{ImportOptions, import_hand, import_parts};
pub use import_error::{ImportError, ImportProblem};
pub use joint_names::{parse_joint, parse_side, webxr_name};
pub use mesh_file::{MeshFileError, read_mesh};
pub use obj::read_obj;
pub use stl::read_stl;
pub use tet_file::{MOST_NODES, MOST_TETS, TetFileError, read_tets};
pub use vtk::read_vtk;
