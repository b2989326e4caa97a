//! Recordings are read back, replayed and refused.

use std::io::Cursor;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use thenar::hand::{Anatomy, HandModel, HandOptions, Preset, Side, SkinDetail, TissueOptions};
use thenar::math::Kernels;

use super::*;
use crate::assets::Assets;
use crate::mutation::mutations;
use crate::run::Simulation;
use crate::scene::Scene;

/// A noisy, interrupted tracker above a cube on the ground: 60 steps.
const SCENE: &str = r#"
    name = "tap"
    seconds = 0.24
    [world]
    step = 0.004
    [[object]]
    name = "ground"
    shape = "plane"
    fixed = true
    [[object]]
    name = "cube"
    shape = { mesh = { file = "cube.obj", scale = 0.001, resolution = 24 } }
    mass = 0.1
    position = [-0.02, 0.0, -0.06]
    [[hand]]
    side = "right"
    tracker = { rate = 90, noise = 0.0007 }
    [[hand.key]]
    at = 0
    palm = { position = [0, 0.07, 0] }
    grasp = "flat"
    [[hand.key]]
    at = 0.2
    palm = { position = [0, 0.045, 0] }
    [[hand.fault]]
    from = 0.05
    to = 0.08
    what = "dropout"
    [[hand.fault]]
    from = 0.1
    to = 0.13
    what = "nan"
    joints = ["index-tip", "ring-distal"]
"#;

const CUBE: &str = "v 0 0 0\nv 40 0 0\nv 40 40 0\nv 0 40 0\nv 0 0 40\nv 40 0 40\nv 40 40 40\nv 0 40 40\n\
                    f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

fn model(_: Side) -> Arc<HandModel> {
    static MODEL: OnceLock<Arc<HandModel>> = OnceLock::new();
    let build = || {
        let options = HandOptions {
            anatomy: Anatomy::preset(Preset::Adult, Side::Right),
            detail: SkinDetail::Coarse,
            tissue: TissueOptions { tets: 600, ..TissueOptions::default() },
        };
        Arc::new(HandModel::build(&options).unwrap())
    };
    Arc::clone(MODEL.get_or_init(build))
}

fn recorded(scene: &Scene) -> Vec<u8> {
    let files = [("cube.obj".to_owned(), CUBE.as_bytes().to_vec())].into();
    let quiet = |_: usize, _: usize| {};
    let mut assets = Assets::new(Path::new(""), 1, &quiet).with_files(files);
    let mut simulation = Simulation::new(scene, &model, &mut assets).unwrap();
    let about = About { measures: "adult".to_owned(), tets: 600, files: assets.used().unwrap() };
    let mut recorder = Recorder::new(Cursor::new(Vec::new()), scene, &simulation, &about).unwrap();
    let (mut tables, names) = (OutputTables::default(), vec!["ground".to_owned(), "cube".to_owned()]);
    let mut channels = OutputChannels::new(Cursor::new(Vec::new()), &simulation, names).unwrap();
    while simulation.advance().unwrap().is_some() {
        recorder.watch(&simulation).unwrap();
        tables.watch(&simulation);
        channels.watch(&simulation).unwrap();
    }
    assert!(simulation.world().report().skin_contacts > 0, "the hand should touch the cube");
    assert!(tables.npz().unwrap().starts_with(b"PK"));
    // What viewers are given is MCAP as its own library understands it, every message JSON.
    let written = channels.finish().unwrap().into_inner();
    let messages: Vec<_> = mcap::MessageStream::new(&written).unwrap().map(Result::unwrap).collect();
    assert_eq!(messages.len(), 2 * simulation.steps() as usize);
    for message in &messages {
        let value: serde_json::Value = serde_json::from_slice(&message.data).unwrap();
        let touches = message.channel.topic == "/hand/0/touch";
        assert!(value[if touches { "contacts" } else { "transforms" }].is_array());
    }
    recorder.finish().unwrap().into_inner()
}

fn sample() -> &'static [u8] {
    static SAMPLE: OnceLock<Vec<u8>> = OnceLock::new();
    SAMPLE.get_or_init(|| recorded(&Scene::read(SCENE).unwrap()))
}

fn replayed(recording: &Recording, kernels: Option<Kernels>) -> Result<Replay, ReplayError> {
    let quiet = |_: usize, _: usize| {};
    let mut assets = Assets::new(Path::new(""), 1, &quiet).with_files(recording.files.clone());
    replay(recording, &model, &mut assets, kernels, &mut |_| {})
}

#[test]
fn a_recording_holds_its_run_and_replays_to_the_bit() {
    let recording = Recording::read(sample()).unwrap();
    assert_eq!(recording.scene, Scene::read(SCENE).unwrap());
    assert_eq!((recording.measures.as_str(), recording.tets), ("adult", 600));
    assert_eq!(recording.kernels, Kernels::auto().name());
    assert_eq!(recording.steps.len(), 60);
    // 22 frames in 0.24 s at 90 Hz, less those lost from 0.05 to 0.08 s.
    assert_eq!(recording.hands[0].len(), 22 - 3);
    let outcome = replayed(&recording, None).unwrap();
    assert_eq!((outcome.verdict, outcome.steps, outcome.apart), (Replayed::Identical, 60, 0.0));
    // The library that viewers use agrees with our reader.
    let messages = mcap::MessageStream::new(sample()).unwrap().map(Result::unwrap);
    assert_eq!(messages.count(), 60 + 19);
}

#[test]
fn the_first_step_that_differs_is_named() {
    let mut recording = Recording::read(sample()).unwrap();
    let changed = &mut recording.hands[0][10];
    let step = changed.step + 1;
    // One bit of one number.
    let x = &mut changed.frame.joints.0[1].as_mut().unwrap().pose.position.x;
    *x = f64::from_bits(x.to_bits() ^ 1);
    match replayed(&recording, None).unwrap().verdict {
        Replayed::Differs { step: found, .. } => assert_eq!(found, step),
        Replayed::Identical => panic!("a changed frame went unnoticed"),
    }
    let mut recording = Recording::read(sample()).unwrap();
    recording.steps[41].hash ^= 1;
    let verdict = replayed(&recording, None).unwrap().verdict;
    assert!(matches!(verdict, Replayed::Differs { step: 42, recorded, found } if recorded ^ found == 1));
}

#[test]
fn kernels_the_machine_lacks_are_named_and_portable_ones_offered() {
    let mut recording = Recording::read(sample()).unwrap();
    recording.kernels = "avx1024".to_owned();
    let message = replayed(&recording, None).unwrap_err().to_string();
    assert!(message.contains("avx1024") && message.contains("--kernels portable"), "{message}");
    let outcome = replayed(&recording, Some(Kernels::portable())).unwrap();
    assert_eq!(outcome.kernels, "portable");
    // Rounding differs at most, and grows little within a quarter of a second.
    assert!(outcome.apart < 1e-6, "{}", outcome.apart);
}

#[test]
fn portable_recordings_name_their_kernels_and_replay() {
    let mut scene = Scene::read(SCENE).unwrap();
    scene.world.set.insert("kernels".to_owned(), "portable".into());
    let recording = Recording::read(&recorded(&scene)).unwrap();
    assert_eq!(recording.kernels, "portable");
    assert_eq!(replayed(&recording, None).unwrap().verdict, Replayed::Identical);
}

#[test]
fn damaged_files_are_refused_without_a_panic() {
    let whole = sample();
    let mut refused = 0;
    for damaged in mutations(whole, 150) {
        if let Err(error) = Recording::read(&damaged) {
            refused += 1;
            assert!(!error.to_string().is_empty());
        }
    }
    assert!(refused > 50, "{refused} of 150 refused");
    // Faults in the framing, where lengths are: the first records of the file.
    for at in 0..700.min(whole.len()) {
        for value in [0, 0x7F, 0xFF] {
            let mut damaged = whole.to_vec();
            damaged[at] = value;
            drop(Recording::read(&damaged));
        }
    }
    for length in (0..whole.len()).step_by(whole.len() / 40) {
        drop(Recording::read(&whole[..length]));
    }
    assert!(matches!(Recording::read(b"PK\x03\x04"), Err(RecordingError::NotMcap)));
    let cut = Recording::read(&whole[..200]).unwrap_err().to_string();
    assert!(cut.contains("byte") && cut.contains("left"), "{cut}");
}
