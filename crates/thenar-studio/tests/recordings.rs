//! Recordings of the studio come back as they were, and are not lost when it ends.

mod client;

use client::{Page, body, get, port, studio};
use serde_json::json;
use thenar_scene::recording::{End, Recording};

/// Nobody touches the hand: there is one tracked frame, and it comes back as long as it was.
#[test]
fn a_recording_without_input_lasts_as_long_as_it_did() {
    let studio = studio();
    let mut page = Page::open(&studio, "software");
    page.words("scene", |_| true);
    page.mode("mouse");
    page.record();
    page.frame_with("half a second", |frame| frame.time > 0.5 && frame.time < 5.0);
    let recorded = page.recorded();
    let seconds = recorded["seconds"].as_f64().expect("a length");
    let name = recorded["name"].as_str().expect("a name").to_owned();
    assert!(name.starts_with("ball-20") && name.ends_with(".mcap"), "{name}");
    let port = port(&studio);
    let answer = get(port, "/recording.mcap", &format!("Host: localhost:{port}\r\n"));
    let head = String::from_utf8_lossy(&answer[..answer.len().min(2000)]).into_owned();
    assert!(head.contains(&format!("filename=\"{name}\"")), "{head}");
    let start = answer.windows(4).position(|window| window == b"\r\n\r\n").expect("a head") + 4;
    let bytes = &answer[start..];

    page.replay(&name, bytes);
    let near_end = page.frame_with("almost the end", |frame| frame.time > seconds - 0.1);
    assert!(near_end.time < seconds + 0.01, "{} of {seconds}", near_end.time);
}

#[test]
fn what_is_being_recorded_when_the_studio_ends_is_given_back() {
    let studio = studio();
    let mut page = Page::open(&studio, "software");
    page.words("scene", |_| true);
    page.record();
    page.frame_with("some steps", |frame| frame.time > 0.1 && frame.time < 5.0);
    let kept = studio.end().expect("the recording");
    assert!(kept.name.starts_with("ball-"), "{}", kept.name);
    let recording = Recording::read(&kept.bytes).expect("a recording");
    assert_eq!(recording.end, End::Whole);
    assert!(recording.steps.len() > 10, "{}", recording.steps.len());
}

/// Another scene, the same one from its beginning, another driver: each ended a recording without a word.
#[test]
fn a_recording_is_delivered_whatever_ends_it() {
    let studio = studio();
    let mut page = Page::open(&studio, "software");
    page.words("scene", |_| true);
    let ends = [
        json!({"type": "reset"}),
        json!({"type": "mode", "value": "mouse"}),
        json!({"type": "load", "scene": "press"}),
    ];
    for (count, end) in ends.iter().enumerate() {
        page.record();
        page.frame_with("some steps", |frame| frame.time > 0.1 && frame.time < 5.0);
        page.say(end);
        let recorded = page.words("recorded", |_| true);
        assert!(recorded["seconds"].as_f64().is_some_and(|seconds| seconds > 0.1), "{count}: {recorded}");
        page.words("state", |state| state["recording"] == false && state["loading"].is_null());
        let bytes = body(port(&studio), recorded["url"].as_str().expect("a place"));
        assert_eq!(Recording::read(&bytes).expect("a recording").end, End::Whole);
    }
}
