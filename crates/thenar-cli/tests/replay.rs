//! `thenar run --record`, `thenar replay` and hands driven by recordings.

mod thenar;

use serde_json::Value;
use std::fs;
use std::path::Path;
use thenar::{json, refusal, run, scratch, stdout};

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// A quarter of a second of a hand that taps on the ground.
fn scene() -> std::path::PathBuf {
    let path = scratch("tap.toml");
    let scene = "name = 'tap'\nseconds = 0.25\n[world]\nstep = 0.005\n\
                 [[object]]\nname = 'ground'\nshape = 'plane'\nfixed = true\n\
                 [[hand]]\nside = 'right'\n[[hand.key]]\nat = 0\npalm = { position = [0, 0.05, 0] }\ngrasp = 'flat'\n\
                 [[hand.key]]\nat = 0.2\npalm = { position = [0, 0.01, 0] }\n";
    fs::write(&path, scene).expect("the scene is written");
    path
}

#[test]
fn a_recording_replays_identically_and_a_changed_one_does_not() {
    let (scene, file, folder) = (scene(), scratch("tap.mcap"), scratch("tap-outputs"));
    let words = ["run", text(&scene), "--tets", "600", "--record", text(&file), "--outputs", text(&folder), "--json"];
    let made = json(&words);
    let outcome = run(&["replay", text(&file)]);
    assert_eq!((outcome.status.code(), stdout(&outcome).trim()), (Some(0), "identical, 50 steps"));
    let figures = json(&["replay", text(&file), "--json"]);
    assert_eq!(figures["identical"], true);
    assert_eq!(figures["steps"], made["steps"]);
    for name in ["outputs.mcap", "outputs.npz"] {
        assert!(fs::metadata(folder.join(name)).is_ok_and(|data| data.len() > 10_000), "{name}");
    }
    // The frames of a recording drive the same hand again.
    let again = json(&["run", text(&scene), "--tets", "600", "--recording", text(&file), "--json"]);
    assert_eq!(again["recoveries"], 0);

    // One digit of one hash.
    let mut bytes = fs::read(&file).expect("the recording");
    let last = bytes.windows(8).rposition(|window| window == b"\"hash\":\"").expect("a hash") + 8;
    bytes[last] = if bytes[last] == b'0' { b'1' } else { b'0' };
    let changed = scratch("changed.mcap");
    fs::write(&changed, &bytes).expect("a file");
    let message = refusal(&["replay", text(&changed)]);
    assert!(message.contains("changed.mcap") && message.contains("checksum"), "{message}");
    // The same by somebody who leaves the checksums out, as MCAP allows.
    fs::write(&changed, without_checksums(bytes)).expect("a file");
    let outcome = run(&["replay", text(&changed)]);
    assert_eq!(outcome.status.code(), Some(1));
    assert!(stdout(&outcome).starts_with("step 50 differs"), "{}", stdout(&outcome));
}

/// The file with zeros where the checksums of its chunks and of its data are.
fn without_checksums(mut file: Vec<u8>) -> Vec<u8> {
    // After the magic, records: an opcode, a length, a body.
    let mut at = 8;
    while let Some(length) = file.get(at + 1..).and_then(|rest| rest.first_chunk()) {
        let (opcode, length) = (file[at], u64::from_le_bytes(*length) as usize);
        let checksum = match opcode {
            0x06 => at + 9 + 24, // chunk: after two times and a size
            0x0F => at + 9,      // end of data
            _ => 0,
        };
        if checksum > 0 {
            file[checksum..checksum + 4].fill(0);
        }
        at += 9 + length;
    }
    file
}

#[test]
fn bad_recordings_are_refused_by_name() {
    let (empty, json_text) = (scratch("empty.mcap"), scratch("odd.json"));
    fs::write(&empty, b"").expect("a file");
    fs::write(&json_text, r#"{"format": "handrec-1", "joints": ["elbow"], "frames": []}"#).expect("a file");
    for (words, expected) in [
        (&["replay", text(&empty)][..], &["empty.mcap", "no MCAP file"][..]),
        (&["replay", "absent.mcap"], &["absent.mcap"]),
        (&["recording", text(&json_text)], &["odd.json", "elbow"]),
        (&["run", "press", "--recording", text(&json_text)], &["odd.json", "elbow"]),
        (&["run", "press", "--outputs-rate", "5"], &["--outputs"]),
    ] {
        let message = refusal(words);
        for word in expected {
            assert!(message.contains(word), "{word}: {message}");
        }
    }
}

#[test]
fn a_glove_drives_a_hand_over_a_table() {
    let file = scratch("glove.csv");
    let mut table = "time,thumb,index,middle,ring,little,x,y,z\n".to_owned();
    for k in 0..60 {
        let (bend, height) = (0.5 + 0.4 * (0.1 * f64::from(k)).sin(), 1.0 + 0.03 * (0.15 * f64::from(k)).cos());
        table += &format!("{},{bend},{bend},{bend},{bend},{bend},0,{height},0\n", f64::from(k) / 60.0);
    }
    fs::write(&file, table).expect("a file");
    let figures: Value = json(&["recording", text(&file), "--hand", "adult", "--tets", "600", "--json"]);
    assert_eq!((figures["format"].as_str(), figures["passed"].as_bool()), (Some("data glove"), Some(true)));
    assert!(figures["hands"][0]["touching_share"].as_f64().is_some_and(|share| share >= 0.2), "{figures}");
}
