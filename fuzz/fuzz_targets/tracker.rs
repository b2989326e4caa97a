//! Any bytes as a tracker's recording, whatever its format: never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use thenar_scene::trackers::read_recording;

fuzz_target!(|bytes: &[u8]| {
    let _ = read_recording(bytes, "fuzz");
});
