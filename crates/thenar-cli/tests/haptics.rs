//! What a run with a haptic device says about it.

mod thenar;

use std::net::UdpSocket;
use thenar::{run, stderr, stdout};

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
