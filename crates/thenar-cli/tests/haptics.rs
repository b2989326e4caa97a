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
