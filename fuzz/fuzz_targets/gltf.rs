//! Any bytes as a glTF file: a mesh, a hand, or an error, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use thenar_scene::formats::{import_parts, read_gltf_mesh};

fuzz_target!(|bytes: &[u8]| {
    let _ = read_gltf_mesh(bytes, "fuzz.glb");
    let _ = import_parts(bytes, "fuzz.glb", None);
});
