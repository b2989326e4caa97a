//! Recordings of the studio come back as they were, and are not lost when it ends.

mod client;

use client::{Frame, Page, body, f32_at, get, port, studio};
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
    let kept = studio.end().pop().expect("the recording");
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

/// Height of the wrist, metres.
fn wrist(frame: &Frame) -> f64 {
    f32_at(frame.section(2, 0).expect("bones"), 4)
}

/// When the wrist first was at a height, seconds of the simulation; between two frames it moves evenly.
fn reached(seen: &[(f64, f64)], height: f64) -> f64 {
    let passes = |pair: &&[(f64, f64)]| pair[0].1 < height && pair[1].1 >= height;
    let pair = seen.windows(2).find(passes).unwrap_or_else(|| panic!("never {height} m high: {seen:?}"));
    pair[0].0 + (pair[1].0 - pair[0].0) * (height - pair[0].1) / (pair[1].1 - pair[0].1)
}

/// 16.0 s once came back as 14.6: a hand that was led by the mouse rises at the same times again, and ends when it ended.
#[test]
fn a_recording_with_input_has_the_length_and_the_rate_that_it_had() {
    const SPEED: f64 = 0.05;
    const RISE: f64 = 0.08;
    let studio = studio();
    let mut page = Page::open(&studio, "software");
    page.words("scene", |_| true);
    page.mode("mouse");
    page.record();
    let palm: Vec<f64> = page.scene["hands"][0]["palm"]
        .as_array()
        .expect("a palm")
        .iter()
        .filter_map(serde_json::Value::as_f64)
        .collect();
    let begin = page.frame_with("the recorded run", |frame| frame.time > 0.1 && frame.time < 1.0);
    let rest = wrist(&begin);
    let mut seen = vec![(begin.time, rest)];
    for seq in 1.. {
        let frame = page.frame();
        seen.push((frame.time, wrist(&frame)));
        let since = frame.time - begin.time;
        if since > 1.25 * RISE / SPEED {
            break;
        }
        let position = [palm[0], palm[1] + (SPEED * since).min(RISE), palm[2]];
        page.say(&json!({"type": "palm", "position": position, "rotation": &palm[3..], "seq": seq, "t": 0}));
    }
    let recorded = page.recorded();
    let seconds = recorded["seconds"].as_f64().expect("a length");
    let bytes = body(port(&studio), recorded["url"].as_str().expect("a place"));
    let tracked = Recording::read(&bytes).expect("a recording").hands;
    assert!(tracked[0].len() > 20, "{} tracked frames", tracked[0].len());

    page.replay("ball.mcap", &bytes);
    let mut again: Vec<(f64, f64)> = Vec::new();
    page.frame_with("almost the end", |frame| {
        if again.last().is_some_and(|(time, _)| frame.time < *time) {
            again.clear();
        }
        again.push((frame.time, wrist(frame)));
        frame.time > seconds - 0.1
    });
    assert!(again.iter().all(|(time, _)| *time < seconds + 0.01), "{seconds} s became {again:?}");
    for share in [0.2, 0.5, 0.8] {
        let height = rest + share * RISE;
        let (first, second) = (reached(&seen, height), reached(&again, height));
        // A frame may show the wrist up to a step early or late, and between two of them it does not move quite evenly.
        assert!((first - second).abs() < 0.05, "{share} of the way after {first} and {second} s");
    }
}

/// A page that was closed, or that recorded again before it had the first, has them all in the end.
#[test]
fn recordings_wait_for_a_page_that_fetches_them() {
    let studio = studio();
    let mut page = Page::open(&studio, "software");
    page.words("scene", |_| true);
    let names = [(); 2].map(|()| {
        page.record();
        page.frame_with("some steps", |frame| frame.time > 0.1 && frame.time < 5.0);
        page.recorded()["name"].as_str().expect("a name").to_owned()
    });
    drop(page);
    let mut page = Page::open(&studio, "software");
    let offered = [(); 2].map(|()| page.words("recorded", |_| true));
    assert_eq!(offered.clone().map(|one| one["name"].as_str().map(str::to_owned)), names.clone().map(Some));
    let first = body(port(&studio), offered[0]["url"].as_str().expect("a place"));
    assert_eq!(Recording::read(&first).expect("a recording").end, End::Whole);
    let left: Vec<String> = studio.end().into_iter().map(|kept| kept.name).collect();
    assert_eq!(left, names[1..]);
}

/// To record is to begin anew, and what a person holds is put back: the page hears so.
#[test]
fn a_recording_says_that_the_scene_begins_anew() {
    let studio = studio();
    let mut page = Page::open(&studio, "software");
    page.words("scene", |_| true);
    page.frame_with("some steps", |frame| frame.time > 0.1);
    page.say(&json!({"type": "record", "on": true}));
    let notice = page.words("notice", |_| true);
    assert!(notice["message"].as_str().is_some_and(|message| message.contains("begins anew")), "{notice}");
}
