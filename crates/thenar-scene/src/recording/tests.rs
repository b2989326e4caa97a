//! Recordings are read back, replayed and refused.

use std::io::{self, Cursor, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use thenar::contact::ContactMethod;
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

/// The scene at its start, and what a recording of it says.
fn set_up(scene: &Scene) -> (Simulation, About) {
    let files = [("cube.obj".to_owned(), CUBE.as_bytes().to_vec())].into();
    let quiet = |_: usize, _: usize| {};
    let mut assets = Assets::new(Path::new(""), 1, &quiet).with_files(files);
    let simulation = Simulation::new(scene, &model, &mut assets).unwrap();
    let about = About { measures: "adult".to_owned(), tets: 600, files: assets.used().unwrap() };
    (simulation, about)
}

/// An empty folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("thenar-{name}-{}", std::process::id()));
    drop(std::fs::remove_dir_all(&folder));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn recorded(scene: &Scene) -> Vec<u8> {
    let (mut simulation, about) = set_up(scene);
    let mut recorder = Recorder::new(Cursor::new(Vec::new()), scene, &simulation, &about).unwrap();
    let names = vec!["ground".to_owned(), "cube".to_owned()];
    let mut channels = OutputChannels::new(Cursor::new(Vec::new()), &simulation, names).unwrap();
    while simulation.advance().unwrap().is_some() {
        recorder.watch(&simulation).unwrap();
        channels.watch(&simulation).unwrap();
    }
    assert!(simulation.world().report().skin_contacts > 0, "the hand should touch the cube");
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
fn recordings_replay_to_the_bit_under_every_method() {
    let mut hashes = Vec::new();
    for (name, _) in ContactMethod::ALL {
        let mut scene = Scene::read(SCENE).unwrap();
        scene.world.set.insert("contact".to_owned(), name.into());
        let recording = Recording::read(&recorded(&scene)).unwrap();
        let outcome = replayed(&recording, None).unwrap();
        assert_eq!((outcome.verdict, outcome.steps, outcome.apart), (Replayed::Identical, 60, 0.0), "{name}");
        hashes.push(recording.steps[59].hash);
    }
    assert!(hashes[0] != hashes[1] && hashes[1] != hashes[2], "the methods differ: {hashes:?}");
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
        verdict => panic!("a changed frame went unnoticed: {verdict:?}"),
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
    // Rounding differs, and the verdict on a contact that is within its tolerance of sticking: a ten-thousandth of friction,
    // which grows to micrometres within a quarter of a second.
    assert!(outcome.apart < 1e-5, "{}", outcome.apart);
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
    for damaged in mutations(whole, 150).filter(|damaged| damaged != whole) {
        match Recording::read(&damaged) {
            Ok(read) => assert_ne!(read.end, End::Whole),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    // Where checksums are left out, as MCAP allows, damage gets further in.
    for damaged in mutations(&without_checksums(whole), 150) {
        if let Err(error) = Recording::read(&damaged) {
            assert!(!error.to_string().is_empty());
        }
    }
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
    assert!(cut.contains("byte") && cut.contains("of 200"), "{cut}");
}

#[test]
fn no_flipped_bit_passes_for_what_was_recorded() {
    let whole = sample();
    assert_eq!(Recording::read(whole).unwrap().end, End::Whole);
    // Evenly spread, each in another place of its byte, and those around the end of the data and of the file.
    let spread = (0..200).map(|k| k * (whole.len() - 1) / 199);
    let last = whole.len() - 60..whole.len();
    for (k, at) in spread.chain(last).enumerate() {
        let mut damaged = whole.to_vec();
        damaged[at] ^= 1 << (k % 8);
        match Recording::read(&damaged) {
            Ok(read) => assert_ne!(read.end, End::Whole, "bit {} of byte {at}", k % 8),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

/// Where the top-level records of a file end.
fn record_ends(file: &[u8]) -> Vec<usize> {
    let mut ends = vec![mcap::MAGIC.len()];
    while let Some(length) = file.get(ends[ends.len() - 1] + 1..).and_then(|rest| rest.first_chunk()) {
        let end = ends[ends.len() - 1] + 9 + u64::from_le_bytes(*length) as usize;
        if end > file.len() {
            break;
        }
        ends.push(end);
    }
    ends
}

/// The same file with zeros where the checksums of its chunks and of its data are.
fn without_checksums(file: &[u8]) -> Vec<u8> {
    let mut plain = file.to_vec();
    for start in record_ends(file) {
        match file.get(start) {
            // After two times and a size.
            Some(&mcap::records::op::CHUNK) => plain[start + 9 + 24..][..4].fill(0),
            Some(&mcap::records::op::DATA_END) => plain[start + 9..][..4].fill(0),
            _ => {}
        }
    }
    plain
}

#[test]
fn a_file_cut_between_records_is_read_up_to_there_and_known_to_be_cut() {
    let whole = sample();
    let mut lengths = Vec::new();
    for end in record_ends(whole) {
        let Ok(read) = Recording::read(&whole[..end]) else { continue };
        assert_eq!((read.end, read.scene_steps()), (End::Cut { offset: end }, 60));
        lengths.push(read.steps.len());
    }
    lengths.dedup();
    assert!(lengths.len() > 1 && lengths[0] > 0, "chunk by chunk: {lengths:?}");
    assert_eq!(lengths.last(), Some(&60));
    // In the middle of a chunk, what came before it counts, and replays.
    let ends = record_ends(whole);
    let mut read = ends
        .windows(2)
        .filter(|pair| pair[1] - pair[0] > 10_000)
        .filter_map(|pair| Recording::read(&whole[..pair[1] - 5_000]).ok().map(|read| (pair[0], read)));
    let (start, read) = read.next_back().unwrap();
    assert_eq!(read.end, End::Cut { offset: start });
    let outcome = replayed(&read, None).unwrap();
    assert!(read.steps.len() < 60);
    assert_eq!((outcome.verdict, outcome.steps), (Replayed::Identical, read.steps.len() as u64));
}

/// A disk with room for so many bytes.
struct Disk {
    held: Cursor<Vec<u8>>,
    room: usize,
}

impl Write for &mut Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let free = self.room.saturating_sub(self.held.position() as usize).min(bytes.len());
        if free == 0 { Err(io::ErrorKind::StorageFull.into()) } else { self.held.write(&bytes[..free]) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for &mut Disk {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.held.seek(to)
    }
}

#[test]
fn a_full_disk_is_reported_and_what_was_written_is_read() {
    let scene = Scene::read(SCENE).unwrap();
    let (mut simulation, about) = set_up(&scene);
    let mut disk = Disk { held: Cursor::new(Vec::new()), room: sample().len() * 3 / 4 };
    let mut recorder = Recorder::new(&mut disk, &scene, &simulation, &about).unwrap();
    let mut refused = None;
    while refused.is_none() && simulation.advance().unwrap().is_some() {
        refused = recorder.watch(&simulation).err();
    }
    let refused = refused.or(recorder.finish().err()).expect("the disk is full").to_string();
    assert!(refused.contains("cannot write the recording"), "{refused}");
    let read = Recording::read(disk.held.get_ref()).unwrap();
    assert!(matches!(read.end, End::Cut { .. }) && read.steps.len() > 20, "{:?}: {}", read.end, read.steps.len());
}

/// The numbers that an entry of an NPZ file starts with, found by its name.
fn first_numbers(npz: &[u8], name: &str, count: usize) -> Vec<f64> {
    let at = npz.windows(name.len()).position(|window| window == name.as_bytes()).unwrap();
    let magic = at + npz[at..].windows(6).position(|window| window == b"\x93NUMPY").unwrap();
    let start = magic + 10 + usize::from(u16::from_le_bytes([npz[magic + 8], npz[magic + 9]]));
    let numbers = npz[start..].chunks(8).take(count);
    numbers.map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap())).collect()
}

#[test]
fn arrays_grow_on_disk_and_end_as_one_file() {
    let scene = Scene::read(SCENE).unwrap();
    let mut sizes = Vec::new();
    for compression in [Compression::None, Compression::Deflate] {
        let (mut simulation, _) = set_up(&scene);
        let folder = folder(&format!("outputs-{compression:?}"));
        let mut tables = OutputTables::create(&folder, &simulation, compression).unwrap();
        let parts = folder.join("outputs.npz.parts");
        for step in 1..=30 {
            simulation.advance().unwrap();
            tables.watch(&simulation).unwrap();
            // 16 bones of 7 numbers, less what waits in a buffer of a few kilobytes.
            let written = std::fs::metadata(parts.join("hand0_bones.f64")).unwrap().len();
            assert!(written + 16_384 >= step * 16 * 7 * 8, "{written} bytes after {step} steps");
        }
        // As a run that is stopped here does.
        tables.finish().unwrap();
        let npz = std::fs::read(folder.join("outputs.npz")).unwrap();
        sizes.push(npz.len());
        if compression == Compression::None {
            assert_eq!(first_numbers(&npz, "step.npy", 30), (1..=30).map(f64::from).collect::<Vec<_>>());
            assert_eq!(first_numbers(&npz, "time.npy", 2), [0.004, 0.008]);
        }
        assert!(!parts.exists());
        std::fs::remove_dir_all(folder).unwrap();
    }
    assert!(sizes[1] < sizes[0] * 3 / 4, "{sizes:?}");
}

#[test]
fn a_run_that_drives_a_hand_keeps_its_times_and_its_length() {
    // The tracker sees nothing at first, and nothing at last.
    let late = SCENE.replace("from = 0.05\n    to = 0.08", "from = 0.0\n    to = 0.05");
    let late = late + "    [[hand.fault]]\n    from = 0.2\n    to = 0.24\n    what = \"dropout\"\n";
    let bytes = recorded(&Scene::read(&late).unwrap());
    let recording = crate::trackers::read_recording(&bytes, "late.mcap").unwrap();
    assert!((recording.seconds() - 0.24).abs() < 1e-12, "{}", recording.seconds());
    let run = Recording::read(&bytes).unwrap();
    for (frame, fed) in recording.frames.iter().zip(&run.hands[0]) {
        assert_eq!(frame.time, fed.step as f64 * 0.004);
    }
    assert!(recording.frames[0].time >= 0.05, "{}", recording.frames[0].time);
}
