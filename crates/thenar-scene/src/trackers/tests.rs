//! Readers of all formats agree about one hand, and refuse damaged files with a reason.

use serde_json::{Value, json};
use thenar::hand::{Anatomy, Digit, HandPose, HandSurface, JointSet, Preset, Side, Skeleton, SkinDetail, XrJoint};
use thenar::math::{Pose, Quat, Vec3};

use super::*;
use crate::formats::webxr_name;
use crate::mutation::mutations;

fn skeleton(side: Side) -> Skeleton {
    HandSurface::build(&Anatomy::preset(Preset::Adult, side), SkinDetail::Coarse).unwrap().skeleton
}

/// A half-closed hand, turned and moved.
fn posed(skeleton: &Skeleton) -> JointSet {
    let mut pose = HandPose::default();
    for angles in &mut pose.digits {
        *angles = [0.3, 0.05, 0.5, 0.3];
    }
    let turn = Quat::from_rotation_y(0.7) * Quat::from_rotation_x(-0.4);
    skeleton.joint_set(&skeleton.pose(&pose, Pose::new(Vec3::new(0.1, 0.2, -0.05), turn)))
}

fn at(joints: &JointSet, joint: XrJoint) -> Vec3 {
    joints[joint].unwrap().pose.position
}

fn read(text: &str) -> TrackRecording {
    read_recording(text.as_bytes(), "test").unwrap_or_else(|error| panic!("{error}"))
}

fn webxr_text(joints: &JointSet) -> String {
    let mut hand = serde_json::Map::new();
    for joint in XrJoint::ALL.into_iter().filter(|joint| *joint != XrJoint::Palm) {
        let sample = joints[joint].unwrap();
        let [x, y, z] = sample.pose.position.to_array();
        let [qx, qy, qz, qw] = sample.pose.rotation.to_array();
        let transform = json!({ "position": { "x": x, "y": y, "z": z, "w": 1 },
                                "orientation": { "x": qx, "y": qy, "z": qz, "w": qw } });
        hand.insert(webxr_name(joint).to_owned(), json!({ "transform": transform, "radius": sample.radius }));
    }
    let source = |hand: &Value| json!([{ "handedness": "none" }, { "handedness": "left", "hand": hand }]);
    let hand = Value::Object(hand);
    json!([{ "timestamp": 100.0, "inputSources": source(&hand) }, { "timestamp": 116.0, "inputSources": [] },
           { "timestamp": 133.0, "inputSources": source(&hand) }])
    .to_string()
}

fn leap_text(joints: &JointSet) -> String {
    let mm = |joint: XrJoint| json!((at(joints, joint) * 1e3).to_array());
    let pointables: Vec<Value> = (Digit::ALL.into_iter())
        .map(|digit| {
            let last = XrJoint::tip(digit).index();
            let joint = |back: usize| mm(XrJoint::ALL[last - back]);
            json!({ "handId": 4, "type": digit.index(), "mcpPosition": joint(3), "pipPosition": joint(2),
                    "dipPosition": joint(1), "tipPosition": joint(0) })
        })
        .collect();
    let hand = json!({ "id": 4, "type": "right", "palmPosition": mm(XrJoint::Palm) });
    let frame = |time: u64| json!({ "timestamp": time, "hands": [hand], "pointables": pointables });
    format!("{}\n{}\n", frame(5_000_000), frame(5_010_000))
}

fn landmarks_text(joints: &JointSet) -> String {
    let mut points = vec![at(joints, XrJoint::Wrist)];
    for digit in Digit::ALL {
        let last = XrJoint::tip(digit).index();
        points.extend((0..4).rev().map(|back| at(joints, XrJoint::ALL[last - back])));
    }
    let points: Vec<Value> =
        points.iter().map(|p| json!({ "x": p.x, "y": -p.y, "z": -p.z, "visibility": 1 })).collect();
    json!({ "frames": [{ "timestamp": 0, "handedness": [[{ "categoryName": "Right" }]], "worldLandmarks": [points] }] })
        .to_string()
}

fn handrec_text(joints: &JointSet) -> String {
    let chosen: Vec<XrJoint> = XrJoint::ALL.into_iter().filter(|joint| *joint != XrJoint::Palm).collect();
    let names: Vec<&str> = chosen.iter().map(|joint| webxr_name(*joint)).collect();
    let p: Vec<f64> = chosen.iter().flat_map(|joint| at(joints, *joint).to_array()).collect();
    json!({ "format": "handrec-1", "joints": names, "frames": [[0, {}], [0.01, { "right": { "p": p } }]] }).to_string()
}

#[test]
fn webxr_keeps_poses_radii_and_gaps() {
    let joints = posed(&skeleton(Side::Left));
    let recording = read(&webxr_text(&joints));
    assert_eq!((recording.format, recording.sides()), (TrackFormat::WebXr, vec![Side::Left]));
    assert_eq!(recording.frames.iter().map(|f| f.left.is_some()).collect::<Vec<_>>(), [true, false, true]);
    assert!((recording.seconds() - 0.033).abs() < 1e-9);
    let read = recording.frames[2].left.as_ref().unwrap();
    for joint in XrJoint::ALL.into_iter().filter(|joint| *joint != XrJoint::Palm) {
        let (a, b) = (read.joints[joint].unwrap(), joints[joint].unwrap());
        assert!(a.pose.position == b.pose.position && a.radius == b.radius);
        assert!(a.pose.rotation.dot(b.pose.rotation).abs() > 1.0 - 1e-12);
    }
}

#[test]
fn rotations_and_the_wrist_are_recovered_from_positions() {
    let skeleton = skeleton(Side::Right);
    let joints = posed(&skeleton);
    let texts = [leap_text(&joints), landmarks_text(&joints), handrec_text(&joints)];
    for (text, format) in texts.iter().zip([TrackFormat::Leap, TrackFormat::Landmarks, TrackFormat::Handrec]) {
        let recording = read(text);
        assert_eq!(recording.format, format);
        let hand = recording.frames.last().unwrap().right.as_ref().unwrap();
        for joint in XrJoint::ALL {
            let Some(found) = hand.joints[joint].filter(|_| joint != XrJoint::Palm) else { continue };
            let truth = joints[joint].unwrap();
            // Without a wrist it is estimated from the knuckles and the thumb, which is bent here.
            let far = if joint == XrJoint::Wrist { 0.012 } else { 1e-9 };
            let distance = found.pose.position.distance(truth.pose.position);
            assert!(distance < far, "{format:?} {joint:?}: {distance} m");
            let angle = found.pose.rotation.angle_between(truth.pose.rotation).to_degrees();
            assert!(angle < 20.0, "{format:?} {joint:?}: {angle}°");
        }
        assert!(hand.joints[XrJoint::Wrist].is_some());
    }
}

#[test]
fn retargeting_keeps_rotations_and_takes_the_lengths_of_the_hand() {
    let (adult, side) = (skeleton(Side::Right), Side::Right);
    let joints = posed(&adult);
    let frame = thenar::tracking::TrackerFrame { side, joints: joints.clone() };
    // Onto itself it changes nothing.
    let same = retargeted(&frame, &adult);
    for joint in XrJoint::ALL {
        assert!(at(&same.joints, joint).distance(at(&joints, joint)) < 1e-6, "{joint:?}");
    }
    let child = HandSurface::build(&Anatomy::preset(Preset::Child, side), SkinDetail::Coarse).unwrap().skeleton;
    let small = retargeted(&frame, &child);
    for bone in child.articulations.iter().map(|joint| joint.child) {
        let joint = XrJoint::of_bone(bone);
        let (a, b) = (small.joints[joint].unwrap().pose.rotation, joints[joint].unwrap().pose.rotation);
        assert!(a.angle_between(b) < 1e-3, "{joint:?}");
    }
    let length = |set: &JointSet| at(set, XrJoint::IndexProximal).distance(at(set, XrJoint::IndexIntermediate));
    assert!((length(&small.joints) - length(&child.xr_rest)).abs() < 1e-9);
    let mut lost = frame;
    lost.joints[XrJoint::RingIntermediate] = None;
    let moved = retargeted(&lost, &child);
    assert!(moved.joints[XrJoint::RingIntermediate].is_none() && moved.joints[XrJoint::RingDistal].is_some());
}

#[test]
fn gloves_bend_fingers_by_one_value_each() {
    let table = "time,thumb,index,middle,ring,little,x,y,z\n0,100,200,300,50,9,0.1,0.2,0.3\n\
                 0.1,900,200,700,60,8,0.1,0.2,0.3\n\n0.2,100,900,300,50,7,0.1,0.2,0.3\n";
    let recording = read(table);
    assert_eq!((recording.format, recording.frames.len()), (TrackFormat::Glove, 3));
    let hand = |frame: usize| &recording.frames[frame].right.as_ref().unwrap().joints;
    let reach =
        |frame: usize, digit: Digit| at(hand(frame), XrJoint::tip(digit)).distance(at(hand(frame), XrJoint::Wrist));
    assert_eq!(at(hand(0), XrJoint::Wrist), Vec3::new(0.1, 0.2, 0.3));
    assert!(reach(2, Digit::Index) < reach(0, Digit::Index) - 0.05, "a closed finger is nearer to the wrist");
    assert!((reach(1, Digit::Index) - reach(0, Digit::Index)).abs() < 1e-12);
    assert!(at(hand(1), XrJoint::ThumbTip).distance(at(hand(0), XrJoint::ThumbTip)) > 0.02);
    let json = r#"{"format": "glove-5", "side": "left", "frames": [[0, [0, 0, 0, 0, 0]], [0.02, [1, 1, 1, 1, 1]]]}"#;
    let recording = read(json);
    let fist = &recording.frames[1].left.as_ref().unwrap().joints;
    for digit in Digit::FINGERS {
        assert!(at(fist, XrJoint::tip(digit)).distance(at(fist, XrJoint::Wrist)) < 0.12, "{digit:?}");
    }
}

#[test]
fn damaged_recordings_are_refused_with_file_and_field() {
    let joints = posed(&skeleton(Side::Right));
    let glove = "time,thumb,index,middle,ring,little\n0,0,0,0,0,0\n0.1,1,1,1,1,1\n".to_owned();
    for text in [webxr_text(&joints), leap_text(&joints), landmarks_text(&joints), handrec_text(&joints), glove] {
        let mut refused = 0;
        for damaged in mutations(text.as_bytes(), 400) {
            if let Err(error) = read_recording(&damaged, "damaged.json") {
                refused += 1;
                assert!(error.to_string().starts_with("damaged.json: "), "{error}");
            }
        }
        assert!(refused > 100, "{refused} of 400 refused");
    }
    for (text, expected) in [
        ("{", "not valid JSON"),
        ("{}", "no known form"),
        ("[]", "no known form"),
        (r#"{"format": "handrec-1", "joints": ["elbow"], "frames": []}"#, "joints is \"elbow\""),
        (r#"{"format": "handrec-1", "joints": ["wrist"], "frames": [[0, {"left": {"p": [1]}}]]}"#, "frames[0].left.p"),
        (r#"{"format": "handrec-1", "joints": [], "frames": [[0, {}]]}"#, "none of the 1 frames has a hand"),
        (
            r#"[{"time": 1, "hands": {"left": {"wrist": {"position": [0, 1e9, 0]}}}}]"#,
            "frames[0].hands.left.wrist.position",
        ),
        (r#"[{"hands": {"middle": {}}}]"#, "\"middle\""),
        (r#"[{"timestamp": 1, "hands": [{"type": "left", "palmPosition": [1]}], "pointables": []}]"#, "palmPosition"),
        (r#"[{"handedness": ["Left"], "worldLandmarks": [[1, 2]]}]"#, "worldLandmarks[0] is 2, expected 21"),
        ("time,thumb,index,middle,ring,little\n0,0,x,0,0,0\n", "line 2: `index` is \"x\""),
        ("thumb,index,middle,ring,little\n", "no column `time`"),
        ("time,thumb,index,middle,ring,little\n1,0,0,0,0,0\n0,0,0,0,0,0\n", "the time of frame 1"),
    ] {
        let message = read_recording(text.as_bytes(), "file").unwrap_err().to_string();
        assert!(message.starts_with("file: ") && message.contains(expected), "{text} gave: {message}");
    }
}

#[test]
fn synthetic_recordings_have_their_faults_and_tables_their_height() {
    let skeleton = skeleton(Side::Right);
    let clean = synthetic(&skeleton, 2.0, Damage::default());
    assert_eq!((clean.frames.len(), clean.tracked(Side::Right), clean.tracked(Side::Left)), (181, 181, 0));
    let damage = Damage { noise: 5e-4, quantum: 1e-3, dropouts: true, positions_only: true, swapped: true };
    let bad = synthetic(&skeleton, 2.0, damage);
    // Of 90 frames a second 13 or 14 are lost and 9 swapped.
    assert!((17..=19).contains(&bad.tracked(Side::Left)), "{}", bad.tracked(Side::Left));
    assert!((130..=138).contains(&bad.tracked(Side::Right)), "{}", bad.tracked(Side::Right));
    let frame = bad.frames[0].right.as_ref().unwrap();
    assert!(frame.joints[XrJoint::IndexMetacarpal].is_none() && frame.joints[XrJoint::Wrist].is_some());
    let tip = at(&frame.joints, XrJoint::IndexTip) * 1e3;
    assert!((tip - tip.round()).abs().max_element() < 1e-6);

    let height = table_height(&clean, &skeleton, 0.3);
    let below = lowest_points(&clean, &skeleton).iter().filter(|lowest| **lowest < height).count();
    assert!((50..=58).contains(&below), "{below}");
    let scene = table_scene(&clean, height, 0.004).unwrap();
    assert_eq!((scene.hands.len(), scene.seconds), (1, 2.0));
    let fitted = fitted_anatomy(&clean, Side::Right).unwrap();
    let adult = Anatomy::preset(Preset::Adult, Side::Right);
    assert!((fitted.hand_length() - adult.hand_length()).abs() < 2e-3);
}
