//! Any bytes as a file of tetrahedra: a mesh with sound elements or an error, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use thenar_scene::formats::{read_msh, read_vtk};

fuzz_target!(|bytes: &[u8]| {
    for mesh in [read_vtk(bytes), read_msh(bytes)].into_iter().flatten() {
        assert!(mesh.tets.iter().flatten().all(|&n| (n as usize) < mesh.positions.len()));
    }
});
