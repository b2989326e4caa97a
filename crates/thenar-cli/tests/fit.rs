//! `thenar hand --fit`: a hand that matches a tracked frame.

mod thenar;

use ::thenar::hand::{Anatomy, Preset, Side, XrJoint};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use thenar::{json as run_json, refusal, scratch};
use thenar_scene::formats::webxr_name;

/// A frame of a child's left hand at rest, as a file.
fn frame(name: &str, change: impl FnOnce(&mut Value)) -> PathBuf {
    let joints = Anatomy::preset(Preset::Child, Side::Left).rest_joints();
    let mut frame = json!({ "side": "left", "joints": {} });
    for joint in XrJoint::ALL {
        if let Some(sample) = joints[joint] {
            frame["joints"][webxr_name(joint)] = json!({ "position": sample.pose.position.to_array() });
        }
    }
    change(&mut frame);
    let path = scratch(name);
    fs::write(&path, frame.to_string()).expect("the frame is written");
    path
}

#[test]
fn a_tracked_hand_is_matched_within_a_millimetre() {
    let path = frame("child.json", |_| {});
    let hand = run_json(&["hand", "--tets", "600", "--json", "--fit", path.to_str().expect("UTF-8")]);
    assert_eq!(hand["side"], "left");
    assert!(hand["fit"]["worst_mm"].as_f64().is_some_and(|worst| worst < 1.0), "{}", hand["fit"]);
}

#[test]
fn a_missing_joint_is_reported_and_keeps_the_proportions_of_the_preset() {
    let path = frame("missing.json", |frame| {
        frame["joints"].as_object_mut().expect("joints").remove("ring-finger-tip");
    });
    let hand = run_json(&["hand", "--tets", "600", "--json", "--fit", path.to_str().expect("UTF-8")]);
    let unused = hand["fit"]["unused"].as_array().expect("a list");
    assert!(unused.iter().any(|joint| joint.as_str().is_some_and(|joint| joint.starts_with("ring-finger-tip"))));
}

#[test]
fn bad_frames_are_refused_with_file_field_and_value() {
    let number = frame("number.json", |frame| frame["joints"]["wrist"]["position"][1] = json!("high"));
    let unknown = frame("unknown.json", |frame| frame["joints"]["elbow"] = json!({ "position": [0, 0, 0] }));
    let giant = frame("giant.json", |frame| {
        for (_, joint) in frame["joints"].as_object_mut().expect("joints") {
            for value in joint["position"].as_array_mut().expect("a position") {
                *value = json!(value.as_f64().expect("a number") * 1000.0);
            }
        }
    });
    let folder = scratch("a-folder-of-frames");
    fs::create_dir_all(&folder).expect("a folder");
    let text = scratch("text.json");
    fs::write(&text, "fingers").expect("a file");
    for (path, words) in [
        (&number, &["number.json", "wrist", "high"][..]),
        (&unknown, &["unknown.json", "elbow"]),
        (&giant, &["giant.json"]),
        (&folder, &["a-folder-of-frames"]),
        (&text, &["text.json", "JSON"]),
        (&PathBuf::from("no-such-frame.json"), &["no-such-frame.json"]),
    ] {
        let message = refusal(&["hand", "--fit", path.to_str().expect("UTF-8")]);
        for word in words {
            assert!(message.contains(word), "{word}: {message}");
        }
    }
}
