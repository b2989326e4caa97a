//! What a run with a haptic device says about it.

mod thenar;

use std::net::UdpSocket;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use thenar::{run, stderr, stdout};
use thenar_devices::haptics::Motors;
use thenar_devices::haptics::udp::{PoseMessage, write_pose};

#[test]
fn a_run_whose_device_never_came_says_so() {
    // a port that was free a moment ago
    let port = UdpSocket::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a socket").port();
    let device = format!("udp:{port}");
    let words = ["run", "trajectory", "--tets", "600", "--seconds", "0.2", "--haptics", device.as_str()];
    let text = run(&words);
    assert!(stderr(&text).contains(&format!("waiting for a program that sends poses to 127.0.0.1:{port}")));
    assert!(stdout(&text).contains("NO DEVICE WAS EVER FOUND"), "{}", stdout(&text));
    let object = run(&[&words[..], &["--json"]].concat());
    let result: serde_json::Value = serde_json::from_slice(&object.stdout).expect("JSON");
    assert_eq!(result["haptics"]["found"], false, "{result}");
}

#[test]
fn checks_written_for_the_script_are_not_judged_where_a_device_leads() {
    let ran = run(&["run", "trajectory", "--tets", "600", "--haptics", "sim6", "--seconds", "1.3", "--json"]);
    let result: serde_json::Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    let names = |list: &serde_json::Value| -> Vec<String> {
        let names = list.as_array().expect("a list").iter();
        names.filter_map(|entry| entry["name"].as_str().or(entry.as_str()).map(str::to_owned)).collect()
    };
    let outcome = &result["outcome"];
    assert_eq!(names(&outcome["checks"]), ["skin stays outside", "joints hold", "no recovery"], "{result}");
    let not_judged = names(&outcome["not_judged"]);
    assert!(not_judged.contains(&"path kept".to_owned()) && not_judged.len() == 6, "{result}");
    assert_eq!(outcome["passed"], ran.status.success(), "{result}");
}

/// A program that sends sixteen poses is a glove: found, moved by models, told what its joints hold.
#[test]
fn a_glove_of_ones_own_feels_a_scene() {
    // a port that was free a moment ago
    let port = UdpSocket::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a socket").port();
    let over = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&over);
    let program = std::thread::spawn(move || {
        let line = UdpSocket::bind("127.0.0.1:0").expect("a socket");
        line.connect(("127.0.0.1", port)).expect("a port of this machine");
        line.set_nonblocking(true).expect("a socket that does not wait");
        let (mut sequence, mut with_joints, mut bytes) = (0, 0, [0; 2000]);
        while !told.load(Ordering::Relaxed) {
            sequence += 1;
            let states = vec![Default::default(); 16];
            let message = PoseMessage { sequence, motors: Motors::six(8.0, 0.4), joints: true, states };
            // nobody listens before the run has begun
            let _ = line.send(&write_pose(&message));
            while let Ok(length) = line.recv(&mut bytes) {
                with_joints += u32::from(length == 16 + 16 * 48 + 160);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        with_joints
    });
    let device = format!("udp:{port}");
    let words = ["run", "trajectory", "--tets", "600", "--seconds", "0.5", "--haptics", &device, "--glove", "--json"];
    let ran = run(&words);
    over.store(true, Ordering::Relaxed);
    let with_joints = program.join().expect("the program ends");
    let result: serde_json::Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    let haptics = &result["haptics"];
    assert!(ran.status.success(), "{}", stderr(&ran));
    assert_eq!((&haptics["found"], &haptics["refused"]), (&true.into(), &0.into()), "{result}");
    assert!(haptics["models"].as_u64().is_some_and(|models| models > 10), "{result}");
    assert!(haptics["joint_torque_most"].is_number(), "{result}");
    assert!(with_joints > 10, "{with_joints} answers with torques on joints");
}
