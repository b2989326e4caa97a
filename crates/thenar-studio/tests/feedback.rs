//! Force feedback as pages have it: a device takes the hand, presses, lets go and gives it back. Nothing here asserts a time.

mod client;

use client::{Frame, Page, f32_at, studio, u32_at};
use serde_json::{Value, json};

/// The HAPTIC section.
struct Haptic {
    present: bool,
    device: [f64; 3],
    proxy: [f64; 3],
    wish: [f64; 3],
    force: [f64; 3],
    rate: f64,
    /// Index, then the least and greatest of ten numbers.
    groups: Vec<(u32, Vec<f64>)>,
}

const HAPTIC: u16 = 11;
const TOOL: u16 = 0xffff;

impl Haptic {
    fn of(frame: &Frame, index: u16) -> Option<Haptic> {
        let data = frame.section(HAPTIC, index)?;
        let vector = |at: usize| [f32_at(data, at), f32_at(data, at + 4), f32_at(data, at + 8)];
        let count = u32_at(data, 124) as usize;
        let group = |k: usize| {
            let at = 128 + 84 * k;
            (u32_at(data, at), (0..20).map(|n| f32_at(data, at + 4 + 4 * n)).collect())
        };
        assert_eq!(data.len(), 128 + 84 * count, "groups end with the section");
        Some(Haptic {
            present: u32_at(data, 0) & 1 == 1,
            device: vector(4),
            proxy: vector(32),
            wish: vector(60),
            force: vector(88),
            rate: f32_at(data, 112),
            groups: (0..count).map(group).collect(),
        })
    }
}

fn size(v: [f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn switch(options: &Value) -> &Value {
    let switches = options["switches"].as_array().expect("switches");
    switches.iter().find(|switch| switch["key"] == "haptics").expect("a switch for devices")
}

/// Whether hands are built anew for a word of a switch.
fn rebuilds(scene: &Value, key: &str, word: &str) -> bool {
    let switch = scene["switches"].as_array().and_then(|all| all.iter().find(|switch| switch["key"] == key));
    switch.and_then(|switch| switch["rebuilds"].as_array()).is_some_and(|words| words.contains(&json!(word)))
}

/// Chooses a device, and waits until it is chosen.
fn choose(page: &mut Page, device: &str) {
    page.set("haptics", device);
    page.words("options", |options| switch(options)["value"] == device);
}

/// Drags the mouse there, metres, and goes on holding it until a frame satisfies a condition.
fn drag(page: &mut Page, what: &str, to: [f64; 3], mut wanted: impl FnMut(&Haptic, &Frame) -> bool) -> Haptic {
    let mut found = None;
    page.say(&json!({"type": "hold", "on": true}));
    page.say(&json!({"type": "palm", "position": to, "rotation": [0, 0, 0, 1], "seq": 1, "t": 0}));
    for _ in 0..4000 {
        let frame = page.frame();
        page.say(&json!({"type": "hold", "on": true}));
        page.say(&json!({"type": "palm", "position": to, "rotation": [0, 0, 0, 1], "seq": 1, "t": 0}));
        let haptic = Haptic::of(&frame, 0).or_else(|| Haptic::of(&frame, TOOL));
        if let Some(haptic) = haptic.filter(|haptic| wanted(haptic, &frame)) {
            found = Some(haptic);
            break;
        }
    }
    found.unwrap_or_else(|| panic!("dragged in vain: {what}"))
}

/// The mouse presses the hand on the table: the force on it is in the frame, the device stays behind the mouse and goes deeper than its
/// proxy. Then the page falls silent: no force, and the hand stays where it was led.
#[test]
fn the_mouse_feels_the_table_and_is_safe_when_its_page_stalls() {
    let studio = studio();
    let mut page = Page::open(&studio, "software");
    page.words("scene", |_| true);
    page.mode("mouse");
    choose(&mut page, "mouse");
    let free = drag(&mut page, "beside the ball", [-0.2, 0.12, 0.05], |haptic, frame| {
        let palm = f32_at(frame.section(13, 0).expect("a stance"), 0);
        haptic.present && palm < -0.19 && size(haptic.force) < 0.3 && haptic.rate > 0.0
    });
    let (mut most, mut in_groups) = (0.0_f64, 0.0_f64);
    // a hand of 0.4 kg is felt for a moment when it is pushed; the table stays
    let mut since = f64::INFINITY;
    let pressed = drag(&mut page, "a force that presses back", [-0.2, -0.03, 0.05], |haptic, frame| {
        most = most.max(haptic.force[1]);
        let sizes = haptic.groups.iter().map(|(_, numbers)| numbers[6].max(numbers[7]));
        in_groups = in_groups.max(sizes.fold(0.0, f64::max));
        since = if haptic.force[1] > 3.0 { since.min(frame.time) } else { f64::INFINITY };
        frame.time > since + 0.3
    });
    assert!(pressed.device[1] < free.device[1] - 0.02, "it went down");
    let [wish, device, proxy] = [pressed.wish[1], pressed.device[1], pressed.proxy[1]];
    assert!(wish < device - 0.005 && device < proxy, "mouse {wish}, device {device}, proxy {proxy} m high");
    assert!(in_groups > 0.9 * most, "ticks reach {in_groups} N, frames {most} N");
    // silence
    let calm = loop {
        let haptic = Haptic::of(&page.frame(), 0).expect("it is still on");
        if !haptic.present {
            break haptic;
        }
    };
    assert_eq!(size(calm.force), 0.0);
    let start = page.frame().time;
    let kept = Haptic::of(&page.frame_with("a second", |frame| frame.time > start + 1.0), 0).expect("it is still on");
    let moved = size(std::array::from_fn(|axis| kept.device[axis] - calm.device[axis]));
    assert!(!kept.present && moved < 1e-4, "what it led stays: {moved} m");
    // and it is found there again, without a blow
    let again = drag(&mut page, "held again", [-0.2, 0.1, 0.05], |haptic, _| haptic.present);
    assert!(size(again.force) < 2.0 && (again.device[1] - kept.device[1]).abs() < 0.03, "{:?}", again.force);
}

/// Height at which the ball of scene `ball` is held, metres.
const HELD: f64 = 0.09;

fn held_for_a_while(page: &mut Page, ball: usize, what: &str) {
    let start = page.frame().time;
    loop {
        let frame = page.frame();
        assert!(frame.height(ball) > HELD, "{what}: the ball is at {} m", frame.height(ball));
        if frame.time > start + 1.5 {
            return;
        }
    }
}

#[test]
fn a_device_takes_the_hand_with_what_it_holds_and_gives_it_back() {
    let studio = studio();
    let mut page = Page::open(&studio, "software");
    page.words("scene", |_| true);
    let ball = page.object("ball");
    page.frame_with("the script lifts the ball", |frame| frame.time > 3.3 && frame.height(ball) > 0.1);
    page.mode("mouse");
    for device in ["mouse", "sim6", "sim3", "off"] {
        choose(&mut page, device);
        held_for_a_while(&mut page, ball, device);
        let there = page.frame().section(HAPTIC, 0).is_some();
        assert_eq!(there, device != "off", "{device}");
    }
    // other methods under the device: the world goes on, and the device with it
    choose(&mut page, "sim3");
    page.set("contact", "point");
    page.words("options", |_| true);
    held_for_a_while(&mut page, ball, "point");
    assert!(page.frame().section(HAPTIC, 0).is_some(), "still on");
}

/// In the script a simulated person wants what the script wants; turned off, the hand is back on its way.
#[test]
fn a_simulated_person_feels_the_script_and_gives_the_hand_back_gently() {
    let studio = studio();
    let mut page = Page::open(&studio, "software");
    page.words("scene", |_| true);
    page.say(&json!({"type": "load", "scene": "trajectory"}));
    page.words("scene", |scene| scene["name"] == "trajectory");
    choose(&mut page, "sim6");
    page.frame_with("it feels the log", |frame| {
        Haptic::of(frame, 0).is_some_and(|haptic| haptic.present && size(haptic.force) > 0.5)
    });
    choose(&mut page, "off");
    let mut last = page.frame();
    let start = last.time;
    while last.time < start + 0.8 {
        let frame = page.frame();
        assert!(frame.section(HAPTIC, 0).is_none(), "it is off");
        let speed = size(between(bone(&last, BONES), bone(&frame, BONES))) / (frame.time - last.time).max(1e-3);
        // the script moves it by less than 0.1 m/s
        assert!(speed < 0.6, "launched: {speed} m/s, {} s after it was turned off", frame.time - start);
        last = frame;
    }
    let away = size(between(bone(&last, BONES), bone(&last, TRACKED)));
    assert!(away < 0.01, "the wrist is {away} m from where the script has it");
}

const BONES: u16 = 2;
const TRACKED: u16 = 3;

fn bone(frame: &Frame, section: u16) -> [f64; 3] {
    let bones = frame.section(section, 0).expect("bones");
    [f32_at(bones, 0), f32_at(bones, 4), f32_at(bones, 8)]
}

fn between(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|axis| b[axis] - a[axis])
}

/// A scene whose handle is a soft tool's: the mouse takes the tool.
#[test]
fn the_mouse_moves_a_soft_tool_that_has_a_handle() {
    let studio = studio();
    let mut page = Page::open(&studio, "software");
    page.words("scene", |_| true);
    page.say(&json!({"type": "load", "scene": "tools"}));
    page.words("scene", |scene| scene["name"] == "tools");
    choose(&mut page, "mouse");
    page.words("state", |state| state["mode"] == "mouse");
    let start = drag(&mut page, "it is there", [0.0, 0.2, 0.0], |haptic, _| haptic.present);
    let up = drag(&mut page, "it rises", [0.0, 0.2, 0.0], |haptic, _| haptic.device[1] > 0.18);
    assert!(up.device[1] > start.device[1] && size(up.force) < 2.0, "{:?}", up.force);
    drag(&mut page, "it feels the block", [0.0, 0.02, 0.0], |haptic, _| haptic.force[1] > 2.0);
    // another case is another tool: the device takes that
    page.say(&json!({"type": "load", "scene": "tools", "case": "rabbit"}));
    page.words("scene", |scene| scene["case"] == "rabbit");
    drag(&mut page, "the rabbit, too", [0.0, 0.2, 0.0], |haptic, _| haptic.present && haptic.device[1] > 0.15);
}

#[test]
fn where_nothing_can_be_felt_the_page_hears_why() {
    let studio = studio();
    let mut page = Page::open(&studio, "software");
    let scene = page.words("scene", |_| true);
    assert_eq!((&switch(&scene)["value"], &switch(&scene)["idle"]), (&json!("off"), &Value::Null));
    page.mode("mouse");
    for (key, value, back, word) in
        [("skeleton", "reduced", "bodies", "bodies"), ("preset", "clap", "default", "direct")]
    {
        choose(&mut page, "sim3");
        page.set(key, value);
        let why = page.words("notice", |notice| notice["message"].as_str().is_some_and(|m| m.contains("off now")));
        assert!(why["message"].as_str().is_some_and(|message| message.contains(word)), "{why}");
        let idle = |words: &Value| words["switches"].is_array() && switch(words)["idle"].is_string();
        let kind = if rebuilds(&scene, key, value) { "scene" } else { "options" };
        let options = page.words(kind, idle);
        assert_eq!(switch(&options)["value"], "off");
        page.set("haptics", "mouse");
        let error = page.words("error", |_| true);
        assert!(error["remedy"].as_str().is_some_and(|remedy| remedy.contains(word)), "{error}");
        page.set(key, back);
        page.words(kind, |words| switch(words)["idle"].is_null());
    }
    page.set("haptics", "glove");
    assert!(page.words("error", |_| true)["remedy"].as_str().is_some_and(|remedy| remedy.contains("sim6")));
    choose(&mut page, "sim3");
    page.say(&json!({"type": "record", "on": true}));
    let error = page.words("error", |_| true);
    assert!(error["remedy"].as_str().is_some_and(|remedy| remedy.contains("off")), "{error}");
    // the mouse holds the hand of who plays, and a script has no mouse
    choose(&mut page, "mouse");
    page.say(&json!({"type": "mode", "value": "script"}));
    page.words("notice", |notice| notice["message"].as_str().is_some_and(|m| m.contains("off now")));
}

/// A hand that the scene leads by its palm once stayed where its script had left it, whatever the mouse did.
#[test]
fn a_hand_led_by_its_palm_follows_the_mouse() {
    let studio = studio();
    let mut page = Page::open(&studio, "software");
    page.words("scene", |_| true);
    page.say(&json!({"type": "load", "scene": "trajectory"}));
    page.words("scene", |scene| scene["name"] == "trajectory");
    page.frame_with("on its way", |frame| frame.time > 0.4);
    page.mode("mouse");
    page.say(&json!({"type": "palm", "position": [0.1, 0.25, 0.1], "rotation": [0, 0, 0, 1], "seq": 3, "t": 0}));
    page.frame_with("the wrist rises", |frame| frame.input_seq == 3 && bone(frame, BONES)[1] > 0.24);
}
