//! Fitting to frames of a real headset, where its recordings are at hand (they are not part of the repository).

use std::path::{Path, PathBuf};
use thenar::hand::{Anatomy, Preset, Side, fit};
use thenar_scene::formats::{FrameChoice, read_frame};

/// `THENAR_RECORDINGS`, or the folder `shared/recordings` beside the repository.
fn recording(name: &str) -> Option<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = [
        std::env::var_os("THENAR_RECORDINGS").map(PathBuf::from),
        Some(root.join("../shared/recordings")),
        Some(root.join("../../shared/recordings")),
    ];
    folders.into_iter().flatten().find_map(|folder| std::fs::read(folder.join(name)).ok())
}

#[test]
fn frames_of_a_headset_are_fitted_within_a_millimetre() {
    let Some(bytes) = recording("quest3_webxr_25joint.json") else {
        println!("skipped: no recordings folder beside the repository (or set THENAR_RECORDINGS)");
        return;
    };
    for side in [Side::Left, Side::Right] {
        let preset = Anatomy::preset(Preset::Adult, side);
        let mut sizes = Vec::new();
        for index in (100..850).step_by(75) {
            let choice = FrameChoice { index: Some(index), side: Some(side) };
            let Ok(frame) = read_frame(&bytes, "quest3", choice) else { continue };
            let (anatomy, report) = fit(&frame.joints, frame.side, &preset).unwrap();
            assert!(report.unused.is_empty(), "frame {index}: {:?}", report.unused);
            assert!(report.worst() < 1e-3, "frame {index}: worst joint is {} m away", report.worst());
            sizes.push(anatomy.hand_length());
        }
        assert!(sizes.len() > 5, "the recording has both hands most of the time");
        let spread = sizes.iter().fold(0.0_f64, |s, v| s.max((v - sizes[0]).abs()));
        // Positions are rounded to 1 mm in the recording, and a hand length adds up four bones.
        assert!(spread < 0.004, "one person's hand length varies by {spread} m over poses");
    }
}
