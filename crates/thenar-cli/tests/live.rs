//! `thenar run --listen` with `thenar send`: a recording, sent as a live stream, moves the hand.

mod thenar;

use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use thenar::{refusal, run, scratch, stderr, stdout};

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// A hand that nobody moves stays away from the ground; the recording pats it.
fn scene(name: &str) -> std::path::PathBuf {
    let path = scratch(name);
    let scene = "name = 'pat'\nseconds = 6\n[world]\nstep = 0.01\n\
                 [[object]]\nname = 'ground'\nshape = 'plane'\nfixed = true\n\
                 [[hand]]\nside = 'right'\n[[hand.key]]\nat = 0\npalm = { position = [0, 0.3, 0] }\ngrasp = 'flat'\n\
                 [[check]]\nname = 'pats the ground'\nmeasure = 'contacts'\nover = 'max'\nmin = 5\n\
                 [[check]]\nname = 'no recovery'\nmeasure = 'recoveries'\nmax = 0\n";
    fs::write(&path, scene).expect("the scene is written");
    path
}

/// A flat right hand that goes down to the ground and up again in 1.5 s, at 60 Hz, as WebXR joints.
fn recording(name: &str) -> std::path::PathBuf {
    let path = scratch(name);
    let joints = thenar_hand();
    let frames: Vec<Value> = (0..=90)
        .map(|k| {
            let time = f64::from(k) / 60.0;
            let height = 0.06 + 0.06 * (std::f64::consts::TAU * time / 1.5).cos();
            let moved =
                joints.iter().map(|(name, [x, y, z])| (name.clone(), json!({ "position": [x, y + height, *z] })));
            json!({ "time": time, "side": "right", "joints": moved.collect::<serde_json::Map<_, _>>() })
        })
        .collect();
    fs::write(&path, json!({ "frames": frames }).to_string()).expect("the recording is written");
    path
}

/// Positions of the joints of a hand at rest, by WebXR name.
fn thenar_hand() -> Vec<(String, [f64; 3])> {
    let joints =
        ::thenar::hand::Anatomy::preset(::thenar::hand::Preset::Adult, ::thenar::hand::Side::Right).rest_joints();
    let named = ::thenar::hand::XrJoint::ALL.into_iter().skip(1).filter_map(|joint| {
        let name = thenar_scene::formats::webxr_name(joint).to_owned();
        Some((name, joints[joint]?.pose.position.to_array()))
    });
    named.collect()
}

/// Result and what was said while a scene listened and the recording was sent to it.
fn listened(transport: &str) -> (Value, String) {
    let (scene, recording) = (scene(&format!("pat-{transport}.toml")), recording(&format!("pat-{transport}.json")));
    let listen = format!("{transport}:0");
    let mut command = Command::new(env!("CARGO_BIN_EXE_thenar"));
    command.args(["run", text(&scene), "--tets", "600", "--listen", &listen, "--json"]);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    let mut said = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut line = String::new();
    while !line.contains("listening for hands at ") {
        line.clear();
        assert!(said.read_line(&mut line).expect("a line") > 0, "it never listened");
    }
    let to = line.trim().rsplit(' ').next().expect("an address");
    let sent = run(&["send", text(&recording), "--to", to, "--json"]);
    assert!(sent.status.success(), "{}", stderr(&sent));
    let sent: Value = serde_json::from_str(&stdout(&sent)).expect("JSON");
    assert_eq!(sent["messages"], 91, "{sent}");
    let mut rest = String::new();
    said.read_to_string(&mut rest).expect("text");
    let output = child.wait_with_output().expect("it ends");
    (serde_json::from_slice(&output.stdout).expect("JSON"), rest)
}

fn moves_the_hand(transport: &str) {
    let (result, said) = listened(transport);
    assert_eq!(result["outcome"]["passed"], true, "{transport}: {result}\n{said}");
    assert!(said.contains("messages: 91 used, 0 refused, 0 late, 0 too many"), "{transport}: {said}");
}

#[test]
fn a_recording_sent_as_datagrams_moves_the_hand() {
    moves_the_hand("udp");
}

#[test]
fn a_recording_sent_over_a_websocket_moves_the_hand() {
    moves_the_hand("ws");
}

#[test]
fn without_a_sender_nothing_moves() {
    let scene = scene("pat-alone.toml");
    let alone = run(&["run", text(&scene), "--tets", "600", "--listen", "udp:0", "--seconds", "0.2", "--json"]);
    let result: Value = serde_json::from_slice(&alone.stdout).expect("JSON");
    assert_eq!(result["outcome"]["passed"], false, "{result}");
}

#[test]
fn mistakes_are_named() {
    let message = refusal(&["run", "press", "--listen", "tcp:9870"]);
    assert!(message.contains("tcp:9870") && message.contains("udp:PORT"), "{message}");
    let message = refusal(&["send", "absent.json", "--to", "udp:9"]);
    assert!(message.contains("absent.json"), "{message}");
    let recording = recording("pat-mistakes.json");
    let message = refusal(&["send", text(&recording), "--to", "udp:9", "--speed", "0"]);
    assert!(message.contains("--speed 0"), "{message}");
    let message = refusal(&["send", text(&recording), "--to", "ws:1"]);
    assert!(message.contains("ws:127.0.0.1:1"), "{message}");
}
