//! A studio as pages see it: scenes, frames, control, switches, recordings.

mod client;

use client::{Heard, Page, body, port, studio, u32_at};
use serde_json::{Value, json};
use thenar::hand::{Anatomy, HandModel, HandOptions, Preset, Side, SkinDetail, TissueOptions};
use thenar_scene::assets::Assets;
use thenar_scene::recording::{Recording, Replayed, replay};

/// The script lifts the ball, frames follow their credit, and another page may watch and take over.
#[test]
fn the_script_lifts_the_ball_for_everyone_who_watches() {
    let studio = studio();
    let mut page = Page::open(&studio, "hardware");
    let hello = page.words("hello", |_| true);
    assert_eq!((hello["protocol"].as_u64(), hello["role"].as_str()), (Some(1), Some("control")));
    assert!(hello["scenes"].as_array().is_some_and(|scenes| scenes.len() >= 20));
    let scene = page.words("scene", |scene| scene["name"] == "ball");
    let mut meshes = Vec::new();
    while meshes.len() < 3 + scene["objects"].as_array().unwrap().len() {
        if let Heard::Mesh(what, index, data) = page.hear() {
            meshes.push((what, index, data));
        }
    }
    let skin = &meshes.iter().find(|mesh| mesh.0 == 1).unwrap().2;
    let vertices = scene["hands"][0]["vertices"].as_u64().unwrap();
    assert_eq!(u64::from(u32_at(skin, 12)), vertices);
    // positions and colours; with bit 2 of the flags, places on the nails besides
    let per_vertex = if skin[2] & 2 == 2 { 18 } else { 16 };
    let triangles = scene["hands"][0]["triangles"].as_u64().unwrap();
    assert_eq!(skin.len() as u64, (20 + vertices * per_vertex + 12 * triangles).div_ceil(4) * 4);

    let first = page.frame();
    let second = page.frame();
    assert_eq!(second.seq, first.seq + 1);
    assert!(second.step > first.step && second.page_t.is_nan());
    let points = second.section(1, 0).expect("the hand is there");
    assert_eq!(points.len() as u64, (16 + 6 * vertices).div_ceil(4) * 4);

    let mut watcher = Page::open(&studio, "software");
    assert_eq!(watcher.words("hello", |_| true)["role"], "watch");
    let coarse = watcher.words("scene", |_| true)["hands"][0]["vertices"].as_u64().unwrap();
    assert!(coarse < vertices / 3, "{coarse} of {vertices}");

    let ball = page.object("ball");
    let start = first.height(ball);
    page.say(&json!({"type": "speed", "value": 2}));
    page.frame_with("the ball is lifted", |frame| frame.height(ball) > start + 0.05);
    // The watcher hears of it as well, and cannot interfere until it takes control.
    watcher.frame_with("the watcher sees it", |frame| frame.height(ball) > start + 0.03);
    watcher.say(&json!({"type": "pause"}));
    assert_eq!(watcher.words("error", |_| true)["remedy"], "Take control first.");
    watcher.say(&json!({"type": "take_control"}));
    page.words("state", |state| state["controller"] == false && state["viewers"] == 2);
    watcher.say(&json!({"type": "pause"}));
    watcher.words("state", |state| state["playing"] == false);
    drop(watcher);
    page.words("state", |state| state["controller"] == true && state["viewers"] == 1);
    page.say(&json!({"type": "play"}));
    let ended = page.words("state", |state| !state["checks"].is_null());
    assert!(ended["checks"].as_array().is_some_and(|checks| checks.len() > 3), "{ended}");
}

/// A credit of one: without acknowledgement there is one frame and no more, however long one waits.
#[test]
fn frames_wait_for_their_acknowledgement() {
    let studio = studio();
    let mut page = Page::open(&studio, "software");
    let first = page.frame();
    let second = page.frame();
    assert!(second.step > first.step);
    page.say(&json!({"type": "pause"}));
    page.words("state", |state| state["playing"] == false);
    // Whatever was on its way has come; now time stands still, and a single step makes a single frame.
    page.say(&json!({"type": "single"}));
    let before = page.frame();
    page.say(&json!({"type": "single"}));
    let after = page.frame_with("the single step", |frame| frame.step > before.step);
    // the frame of the first step may have been the one that was under way
    assert!(after.step - before.step <= 2, "{} after {}", after.step, before.step);
}

/// Methods change under a running hand: the world goes on from where it is.
#[test]
fn switches_act_live_and_what_does_not_fit_is_refused() {
    let studio = studio();
    let mut page = Page::open(&studio, "software");
    let scene = page.words("scene", |_| true)["id"].clone();
    page.frame_with("some time has passed", |frame| frame.time > 0.3);
    for (key, value) in [("contact", "point"), ("strain", "none"), ("tracking", "direct"), ("contact", "penalty")] {
        page.say(&json!({"type": "set", "key": key, "value": value}));
        let options = page.words("options", |_| true);
        let switch = options["switches"].as_array().unwrap().iter().find(|switch| switch["key"] == key).unwrap();
        assert_eq!(switch["value"], value);
        let frame = page.frame();
        assert!(frame.time > 0.3, "the world goes on after {key} = {value}: {}", frame.time);
    }
    page.say(&json!({"type": "set", "key": "friction", "value": 0.9}));
    page.words("options", |options| options["sliders"][0]["value"] == 0.9);
    page.say(&json!({"type": "set", "key": "contact", "value": "glue"}));
    assert!(page.words("error", |_| true)["remedy"].as_str().is_some_and(|remedy| remedy.contains("point")));
    let state = page.words("state", |state| state["loading"].is_null());
    assert_eq!(state["scene"], scene);
}

/// Whatever methods there are: each can be chosen while the hand moves, or is refused with a reason, and frames go on.
#[test]
fn every_word_of_every_switch_can_be_chosen_while_the_hand_moves() {
    let studio = studio();
    let mut page = Page::open(&studio, "software");
    page.words("scene", |_| true);
    page.mode("mouse");
    page.frame_with("the hand moves", |frame| frame.time > 0.05);
    let switches = page.scene["switches"].as_array().unwrap().clone();
    // Other hands are built anew, which takes its time; another test does that.
    for switch in switches.iter().filter(|switch| switch["key"] != "hand") {
        let (key, first) = (&switch["key"], &switch["value"]);
        if key == "haptics" {
            // one-sided coupling has left the skeleton reduced, and a device holds bones that are bodies
            page.set("skeleton", "bodies");
            page.words("options", |_| true);
        }
        let others = switch["values"].as_array().unwrap().iter().filter(|value| *value != first);
        for value in others.chain([first]) {
            page.say(&json!({"type": "set", "key": key, "value": value}));
            let answer = loop {
                if let Heard::Words(words) = page.hear()
                    && ["options", "scene", "error"].contains(&words["type"].as_str().unwrap_or_default())
                {
                    break words;
                }
            };
            let now = answer["switches"].as_array().unwrap().iter().find(|other| other["key"] == *key).unwrap();
            assert_eq!(now["value"], *value, "{key}");
            let step = page.frame().step;
            page.frame_with("time goes on", |frame| frame.step > step);
        }
    }
}

/// Mouse mode: the palm goes where it is asked to, frames say which input they have seen, and what is recorded is verified by
/// simulating it again.
#[test]
fn the_mouse_moves_the_hand_and_its_recording_replays_identically() {
    let studio = studio();
    let mut page = Page::open(&studio, "software");
    page.words("scene", |_| true);
    page.mode("mouse");
    page.record();
    let start = page.scene["hands"][0]["palm"].clone();
    let palm: Vec<f64> = start.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect();
    let wrist = |frame: &client::Frame| client::f32_at(frame.section(2, 0).expect("bones"), 4);
    let height = wrist(&page.frame_with("the hand is there", |frame| frame.section(2, 0).is_some()));
    page.say(&json!({"type": "grasp", "name": "fist", "amount": 0.6}));
    for k in 1..=20 {
        let position = [palm[0], palm[1] + 0.004 * f64::from(k), palm[2]];
        page.say(&json!({"type": "palm", "hand": "right", "position": position, "rotation": &palm[3..], "seq": k, "t": 1000.5 + f64::from(k)}));
        page.frame();
    }
    let frame = page.frame_with("the last input was used", |frame| frame.input_seq == 20);
    assert_eq!(frame.page_t, 1020.5);
    page.frame_with("the wrist has followed", |frame| wrist(frame) > height + 0.07);
    page.say(&json!({"type": "set", "key": "contact", "value": "point"}));
    assert!(page.words("error", |_| true)["message"].as_str().is_some_and(|message| message.contains("recording")));
    let recorded = page.recorded();
    let bytes = body(port(&studio), recorded["url"].as_str().unwrap());
    assert_eq!(Some(bytes.len() as u64), recorded["bytes"].as_u64());

    let recording = Recording::read(&bytes).expect("a recording");
    assert!(recording.steps.len() > 20 && !recording.hands[0].is_empty());
    let tissue = TissueOptions { tets: recording.tets, ..TissueOptions::default() };
    let anatomy = Anatomy::preset(recording.measures.parse().unwrap_or(Preset::Child), Side::Right);
    let model = HandModel::build(&HandOptions { anatomy, detail: SkinDetail::Default, tissue }).expect("a hand");
    let model = std::sync::Arc::new(model);
    let mut assets = Assets::only(recording.files.clone(), 1, &|_, _| {});
    let outcome = replay(&recording, &|_| model.clone(), &mut assets, None, &mut |_| {}).expect("it runs");
    assert_eq!((outcome.verdict, outcome.steps), (Replayed::Identical, recording.steps.len() as u64));

    // The same recording comes back as what drives the hand.
    page.replay("../../etc/mine.mcap", &bytes);
    page.frame_with("the recorded hand rises", |frame| frame.section(2, 0).is_some() && wrist(frame) > height + 0.06);
}

/// A headset's hands: both appear when they are seen, and take the person's measures.
#[test]
fn a_headset_brings_two_hands() {
    let studio = studio();
    let mut page = Page::open(&studio, "software");
    page.words("scene", |_| true);
    page.say(&json!({"type": "mode", "value": "webxr"}));
    let scene = page.words("scene", |scene| scene["hands"].as_array().is_some_and(|hands| hands.len() == 2));
    assert_eq!((scene["hands"][0]["side"].as_str(), scene["hands"][1]["side"].as_str()), (Some("left"), Some("right")));
    let joints = Anatomy::preset(Preset::Child, Side::Right).rest_joints();
    let (mut positions, mut rotations) = (Vec::new(), Vec::new());
    for joint in &joints.0 {
        // WebXR has no palm joint; the bit of it is not set below.
        let pose = joint.map_or(thenar::math::Pose::IDENTITY, |joint| joint.pose);
        positions.extend((pose.position + thenar::math::Vec3::new(0.0, 0.4, 0.1)).to_array());
        rotations.extend(pose.rotation.to_array());
    }
    let say = |seq: u32| json!({"type": "joints", "hand": "right", "seq": seq, "t": 5.0, "valid": 0x3ff_fffe, "positions": positions, "rotations": rotations, "radii": vec![0.008; 26]});
    page.say(&say(1));
    let frame = page.frame_with("the right hand appears", |frame| frame.section(1, 1).is_some());
    assert!(frame.section(1, 0).is_none(), "the left hand has not been seen");
    assert_eq!(frame.page_t, 5.0);
    page.say(&json!({"type": "fit", "hand": "right"}));
    let own = page.words("scene", |_| true);
    let hand = own["switches"].as_array().unwrap().iter().find(|switch| switch["key"] == "hand").unwrap();
    assert_eq!(hand["value"], "own");
}

/// Soft objects are streamed like the skin: a mesh at rest, then their nodes in every frame.
#[test]
fn a_soft_ball_is_streamed_node_by_node() {
    const SOFT: u16 = 7;
    let studio = studio();
    let mut page = Page::open(&studio, "software");
    page.frame();
    page.say(&json!({"type": "load", "scene": "soft-ball"}));
    let scene = page.words("scene", |scene| scene["name"] == "soft-ball");
    let ball = scene["objects"].as_array().unwrap().iter().find(|object| object["name"] == "ball").unwrap();
    assert_eq!((&ball["kind"], &ball["index"]), (&json!("soft"), &json!(1)));
    let nodes = |frame: &client::Frame| {
        frame
            .sections
            .iter()
            .find(|(section, index, _)| (*section, *index) == (SOFT, 1))
            .map(|(_, _, data)| data.clone())
    };
    let first = page.frame_with("the ball", |frame| nodes(frame).is_some());
    let moved =
        page.frame_with("it falls on the table", |frame| nodes(frame).is_some_and(|n| nodes(&first) != Some(n)));
    assert!(nodes(&moved).is_some_and(|data| data.len() > 16 + 6 * 50), "a ball of more than fifty nodes");
}

/// Building a hand takes a while; a page that chose something meanwhile and was loaded anew found its choice gone.
#[test]
fn what_a_page_chose_before_it_went_is_chosen() {
    let studio = studio();
    let mut page = Page::open(&studio, "software");
    page.words("scene", |_| true);
    page.set("hand", "adult-small");
    page.words("state", |state| !state["loading"].is_null());
    page.set("contact", "point");
    page.set("friction", 0.9);
    drop(page);
    let mut page = Page::open(&studio, "software");
    page.words("options", |options| {
        let is = |key: &str, value: &str| {
            let switches = options["switches"].as_array().expect("switches");
            switches.iter().any(|switch| switch["key"] == key && switch["value"] == value)
        };
        is("hand", "adult-small") && is("contact", "point")
    });
}

/// A preset whose choices were changed, by its scene or a person, says which.
#[test]
fn a_preset_says_what_is_not_as_it_brings_it() {
    let studio = studio();
    let mut page = Page::open(&studio, "software");
    let differs = |options: &Value| {
        let switches = options["switches"].as_array().expect("switches");
        let preset = switches.iter().find(|switch| switch["key"] == "preset").expect("presets");
        preset["differs"].as_array().cloned().unwrap_or_default()
    };
    let scene = page.words("scene", |_| true);
    assert!(differs(&scene).is_empty(), "{scene}");
    page.set("contact", "aggregate");
    let options = page.words("options", |options| !differs(options).is_empty());
    assert_eq!(differs(&options), [json!("Skin contact")]);
    page.set("preset", "default");
    page.words("options", |options| differs(options).is_empty());
}
