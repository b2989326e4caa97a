//! A person plays: takes over, switches while holding, loses things and gets them back.

mod client;

use client::{Frame, Page, f32_at, studio};
use serde_json::json;

/// Height at which the ball of scene `ball` is lifted by its script, metres.
const LIFTED: f64 = 0.1;

/// Held, metres: each hand that takes it over holds it a few millimetres lower. On the table it lies at 0.037.
const HELD: f64 = 0.09;

/// The script has lifted the ball; the person takes the hand over.
fn taken_over_with_the_ball(page: &mut Page) -> usize {
    page.words("scene", |_| true);
    let ball = page.object("ball");
    page.frame_with("the script lifts the ball", |frame| frame.time > 3.3 && frame.height(ball) > LIFTED);
    page.mode("mouse");
    ball
}

fn held_for_a_second(page: &mut Page, ball: usize, what: &str) {
    let start = page.frame().time;
    let mut last = page.frame();
    while last.time < start + 2.5 {
        last = page.frame();
        assert!(last.height(ball) > HELD, "{what}: the ball is at {} m", last.height(ball));
    }
}

#[test]
fn taking_over_in_mid_script_keeps_the_grasp() {
    let studio = studio();
    let mut page = Page::open(&studio, "software");
    let ball = taken_over_with_the_ball(&mut page);
    let frame = page.frame();
    // the page hears where the hand is wanted, and how far it is closed
    let palm = frame.section(13, 0).expect("a stance");
    assert!(f32_at(palm, 4) > 0.15 && f32_at(palm, 28) > 0.5, "{} m, {}", f32_at(palm, 4), f32_at(palm, 28));
    held_for_a_second(&mut page, ball, "taken over");
}

/// Other hands are built anew: the scene goes on, and the ball stays in the palm.
#[test]
fn another_hand_and_another_preset_hold_what_the_first_one_held() {
    let studio = studio();
    let mut page = Page::open(&studio, "software");
    let ball = taken_over_with_the_ball(&mut page);
    for (key, value) in [("hand", "adult-small"), ("preset", "talvas"), ("preset", "default"), ("tracking", "direct")] {
        let before = page.frame().time;
        page.set(key, value);
        let rebuilt = key != "tracking";
        let answer = page.words(if rebuilt { "scene" } else { "options" }, |_| true);
        assert!(!rebuilt || answer["continues"] == true, "{answer}");
        held_for_a_second(&mut page, ball, value);
        assert!(page.frame().time > before, "time goes on");
    }
}

#[test]
fn replay_without_a_recording_changes_nothing() {
    let studio = studio();
    let mut page = Page::open(&studio, "software");
    let id = page.words("scene", |_| true)["id"].clone();
    let state = page.words("state", |state| state["loading"].is_null());
    assert_eq!(state["replayable"], false);
    let before = page.frame_with("some time", |frame| frame.time > 0.3).time;
    page.say(&json!({"type": "mode", "value": "recording"}));
    assert!(page.words("error", |_| true)["remedy"].as_str().is_some_and(|remedy| remedy.contains("Load")));
    assert!(page.frame().time > before);
    let state = page.words("state", |state| state["time"].as_f64().is_some_and(|time| time > before));
    assert_eq!((&state["scene"], &state["mode"]), (&id, &json!("script")));
}

#[test]
fn what_has_fallen_comes_back_with_a_word() {
    let studio = studio();
    let mut page = Page::open(&studio, "software");
    page.words("scene", |_| true);
    let ball = page.object("ball");
    page.mode("mouse");
    // a fist from the side sweeps it off the table
    page.say(&json!({"type": "grasp", "name": "fist", "amount": 1.0}));
    let say = |page: &mut Page, seq: u32, x: f64, y: f64| {
        page.say(&json!({"type": "palm", "position": [x, y, 0.06], "rotation": [0, 0, 0, 1], "seq": seq, "t": 0}));
    };
    say(&mut page, 1, -0.25, 0.17);
    page.frame_with("aside", |frame| frame.input_seq == 1 && f32_at(frame.section(13, 0).unwrap(), 0) < -0.24);
    say(&mut page, 2, -0.25, 0.06);
    page.frame_with("down", |frame| frame.input_seq == 2 && f32_at(frame.section(13, 0).unwrap(), 4) < 0.07);
    say(&mut page, 3, 0.5, 0.06);
    let x = |frame: &Frame| f32_at(frame.section(4, 0).unwrap(), 28 * ball);
    page.frame_with("it falls", |frame| frame.height(ball) < -0.1);
    let notice = page.words("notice", |_| true);
    assert!(notice["message"].as_str().is_some_and(|message| message.contains("ball")), "{notice}");
    page.frame_with("it is back", |frame| (frame.height(ball) - 0.0365).abs() < 2e-3 && x(frame).abs() < 2e-3);
}

#[test]
fn cases_are_chosen_and_unknown_ones_refused() {
    let studio = studio();
    let mut page = Page::open(&studio, "software");
    page.words("scene", |_| true);
    page.say(&json!({"type": "load", "scene": "ycb-set", "case": "banana"}));
    let scene = page.words("scene", |scene| scene["name"] == "ycb-set");
    assert_eq!((&scene["case"], scene["cases"].as_array().map(Vec::len)), (&json!("banana"), Some(12)));
    assert_eq!(scene["supports"], json!([]), "there is no floor to cut it");
    page.say(&json!({"type": "load", "scene": "ycb-set", "case": "pear"}));
    let error = page.words("error", |_| true);
    assert!(error["message"].as_str().is_some_and(|message| message.contains("banana")), "{error}");
}

/// Direct tracking presses with whatever force it takes: the page hears that no hand can.
#[test]
fn absurd_forces_are_told() {
    let studio = studio();
    let mut page = Page::open(&studio, "software");
    page.words("scene", |_| true);
    page.set("tracking", "direct");
    page.words("options", |_| true);
    let state = page.words("state", |state| {
        let told = state["troubles"].as_array().into_iter().flatten();
        told.filter_map(|trouble| trouble["kind"].as_str()).any(|kind| kind == "force")
    });
    let told = state["troubles"].as_array().expect("a list");
    let force = told.iter().find(|trouble| trouble["kind"] == "force").expect("the force");
    assert!(force["message"].as_str().is_some_and(|message| message.contains(" N")), "{state}");
    assert!(told.iter().all(|trouble| trouble["remedy"].as_str().is_some_and(|remedy| !remedy.is_empty())), "{state}");
}
