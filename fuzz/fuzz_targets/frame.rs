//! Any bytes as a tracked frame, and any frame that can be read as a person to fit: never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use thenar::hand::{Anatomy, Preset, fit};
use thenar_scene::formats::{FrameChoice, read_frame};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(frame) = read_frame(bytes, "fuzz.json", FrameChoice::default()) {
        let preset = Anatomy::preset(Preset::Adult, frame.side);
        let _ = fit(&frame.joints, frame.side, &preset);
    }
});
