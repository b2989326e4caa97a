//! Any bytes as an MCAP recording of a run: never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use thenar_scene::recording::Recording;

fuzz_target!(|bytes: &[u8]| {
    let _ = Recording::read(bytes);
});
