//! `thenar hand import`: a skinned glTF becomes a hand.

mod thenar;

use std::fs;
use std::path::{Path, PathBuf};
use thenar::{json, refusal, scratch};

/// The generic hand of WebXR, which `cargo xtask test` takes from npm. Without it the test has nothing to read.
fn generic_hand(file: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/npm/node_modules");
    let path = root.join("@webxr-input-profiles/assets/dist/profiles/generic-hand").join(file);
    if !path.exists() {
        eprintln!("skipped: {} is missing; `cargo xtask test` installs it", path.display());
        return None;
    }
    Some(path)
}

#[test]
fn the_generic_hands_of_webxr_become_hands() {
    for side in ["left", "right"] {
        let Some(path) = generic_hand(&format!("{side}.glb")) else { return };
        let hand = json(&["hand", "import", path.to_str().expect("UTF-8"), "--json"]);
        assert_eq!(hand["side"], side);
        assert_eq!(hand["bones"], 16);
        assert_eq!(hand["euler"], 2);
        assert!(hand["min_dihedral_deg"].as_f64() > Some(10.0), "{hand}");
        assert!(hand["embedded_fraction"].as_f64() > Some(0.998), "{hand}");
    }
}

#[test]
fn what_is_no_skinned_hand_is_refused_by_name() {
    let text = scratch("text.glb");
    fs::write(&text, "no glTF").expect("a file");
    let folder = scratch("a-folder.glb");
    fs::create_dir_all(&folder).expect("a folder");
    for path in [&text, &folder, &PathBuf::from("no-such.glb")] {
        let message = refusal(&["hand", "import", path.to_str().expect("UTF-8")]);
        let name = path.file_name().expect("a name").to_str().expect("UTF-8");
        assert!(message.contains(name), "{message}");
    }
    let Some(path) = generic_hand("right.glb") else { return };
    let whole = fs::read(path).expect("the generic hand");
    let cut = scratch("cut.glb");
    fs::write(&cut, &whole[..whole.len() / 2]).expect("a file");
    let message = refusal(&["hand", "import", cut.to_str().expect("UTF-8")]);
    assert!(message.contains("cut.glb"), "{message}");
}

#[test]
fn measures_do_not_go_with_an_imported_hand() {
    let message = refusal(&["hand", "import", "any.glb", "--hand", "child"]);
    assert!(message.contains("--hand"), "{message}");
}
