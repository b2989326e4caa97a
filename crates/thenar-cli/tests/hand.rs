//! `thenar hand`: figures, files and refusals.

mod thenar;

use std::fs;
use thenar::{json, refusal, run, scratch, stderr};

/// The fields of `thenar hand --json`, in order: a contract with scripts.
const FIELDS: [&str; 16] = [
    "side",
    "skin_triangles",
    "tets",
    "nodes",
    "bones",
    "min_dihedral_deg",
    "max_dihedral_deg",
    "worst_aspect",
    "volume_cm3",
    "volume_ratio",
    "embedded_fraction",
    "euler",
    "web_mm",
    "contact_vertices",
    "build_ms",
    "mass_g",
];

#[test]
fn json_is_one_object_with_the_promised_fields() {
    let hand = json(&["hand", "--json"]);
    let object = hand.as_object().expect("an object");
    for field in FIELDS {
        assert!(object.contains_key(field), "{field} is missing: {hand}");
        assert!(!hand[field].is_null(), "{field} is not a number: {hand}");
    }
    assert_eq!(object.len(), FIELDS.len(), "{hand}");
    assert_eq!(hand["side"], "right");
    assert_eq!(hand["bones"], 16);
    assert_eq!(hand["euler"], 2);
    assert_eq!(hand["web_mm"].as_array().map(Vec::len), Some(4));
    assert!(hand["build_ms"].as_f64() > Some(0.0));
}

#[test]
fn options_reach_the_hand() {
    let child = json(&["hand", "--side", "left", "--hand", "child", "--tets", "600", "--json"]);
    let adult = json(&["hand", "--tets", "600", "--json"]);
    assert_eq!(child["side"], "left");
    assert!(child["volume_cm3"].as_f64() < adult["volume_cm3"].as_f64());
    // `--tets` is met within a tenth.
    for hand in [child, adult] {
        let tets = hand["tets"].as_u64().expect("a count");
        assert!((540..=660).contains(&tets), "{hand}");
    }
}

#[test]
fn the_picture_is_a_png_and_the_model_a_binary_gltf() {
    let (png, glb) = (scratch("hand.png"), scratch("hand.glb"));
    let [picture, model] = [&png, &glb].map(|path| path.to_str().expect("UTF-8"));
    let output = run(&["hand", "--tets", "600", "--png", picture, "--out", model]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(fs::read(&png).expect("the picture was written").starts_with(b"\x89PNG\r\n\x1a\n"));
    assert!(fs::read(&glb).expect("the model was written").starts_with(b"glTF\x02\0\0\0"));
}

#[test]
fn impossible_numbers_of_tetrahedra_are_refused_by_name_and_value() {
    for tets in ["10", "0", "10000000"] {
        let message = refusal(&["hand", "--tets", tets]);
        assert!(message.contains("tets") && message.contains(tets), "{message}");
    }
    for tets in ["-5", "many", "1e3", "850.5"] {
        let message = refusal(&["hand", &format!("--tets={tets}")]);
        assert!(message.contains("--tets") && message.contains(tets), "{message}");
    }
}

#[test]
fn a_file_that_cannot_be_written_is_refused_by_name() {
    let message = refusal(&["hand", "--out", "no/such/folder/hand.glb"]);
    assert!(message.contains("no/such/folder/hand.glb"), "{message}");
    let folder = scratch("a-folder");
    fs::create_dir_all(&folder).expect("a folder");
    let message = refusal(&["hand", "--png", folder.to_str().expect("UTF-8")]);
    assert!(message.contains("a-folder"), "{message}");
}
