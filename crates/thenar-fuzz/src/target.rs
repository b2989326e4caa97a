//! What is fuzzed: any bytes in; a value that keeps its promises or an error that says why, but never a panic.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use thenar::hand::{Anatomy, HandSurface, Preset, Side, Skeleton, SkinDetail, fit};
use thenar::haptics::HandleState;
use thenar::tactile::DiscPose;
use thenar::tracking::TrackerFrame;
use thenar_devices::haptics::Motion;
use thenar_devices::haptics::udp::read_pose;
use thenar_devices::{Limits, read_message};
use thenar_scene::devices::read_device;
use thenar_scene::formats::{
    FrameChoice, import_parts, read_frame, read_gltf_mesh, read_msh, read_obj, read_stl, read_vtk,
};
use thenar_scene::recording::Recording;
use thenar_scene::run::world_config;
use thenar_scene::scene::Scene;
use thenar_scene::trackers::{read_recording, retargeted};

/// A reader under test.
#[derive(Clone, Copy)]
pub struct Target {
    /// Name of the target and of its folder in `fuzz/seeds/`.
    pub name: &'static str,
    /// Reads the bytes; a panic is a fault.
    pub run: fn(&[u8]),
}

/// All of them.
pub const TARGETS: [Target; 10] = [
    Target { name: "device", run: device },
    Target { name: "frame", run: frame },
    Target { name: "gltf", run: gltf },
    Target { name: "haptic", run: haptic },
    Target { name: "mesh", run: mesh },
    Target { name: "message", run: message },
    Target { name: "recording", run: recording },
    Target { name: "scene", run: scene },
    Target { name: "tets", run: tets },
    Target { name: "tracker", run: tracker },
];

/// The target of that name.
#[must_use]
pub fn target(name: &str) -> Option<Target> {
    TARGETS.into_iter().find(|target| target.name == name)
}

impl Target {
    /// Good files to start from, in the order of their names.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn seeds(&self) -> std::io::Result<Vec<Vec<u8>>> {
        let mut paths = Vec::new();
        for folder in self.folders() {
            for entry in std::fs::read_dir(folder)? {
                paths.push(entry?.path());
            }
        }
        paths.retain(|path| path.is_file());
        paths.sort();
        paths.into_iter().map(std::fs::read).collect()
    }

    fn folders(&self) -> Vec<PathBuf> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        // The library is the best collection of scenes there is.
        let own = match self.name {
            "scene" => root.join("scenes"),
            "device" => root.join("scenes/devices"),
            name => root.join("fuzz/seeds").join(name),
        };
        vec![own]
    }
}

/// A tactile device: what is read can be asked for its legs anywhere in its range.
fn device(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(device) = read_device(text) {
        let [displacement, pitch, roll] = [device.displacement[1], device.pitch[0], device.roll[1]];
        let reached = device.reachable(DiscPose { displacement, pitch, roll });
        assert!(device.lengths(&reached).iter().all(|length| length.is_finite()), "{device:?}");
    }
}

/// A tracked frame, and the person to fit in it.
fn frame(bytes: &[u8]) {
    if let Ok(frame) = read_frame(bytes, "fuzz.json", FrameChoice::default()) {
        let preset = Anatomy::preset(Preset::Adult, frame.side);
        drop(fit(&frame.joints, frame.side, &preset));
    }
}

fn gltf(bytes: &[u8]) {
    drop(read_gltf_mesh(bytes, "fuzz.glb"));
    drop(import_parts(bytes, "fuzz.glb", None));
}

fn mesh(bytes: &[u8]) {
    for mesh in [read_stl(bytes), read_obj(bytes)].into_iter().flatten() {
        assert!(mesh.triangles.iter().flatten().all(|&n| (n as usize) < mesh.positions.len()));
    }
}

/// One hand from the network.
/// A pose of a haptic device from the network, and a motion from a file.
fn haptic(bytes: &[u8]) {
    let mut states = [HandleState::default()];
    if read_pose(bytes, &mut states).is_ok() {
        let HandleState { pose, velocity, spin } = states[0];
        assert!(pose.is_finite() && (velocity + spin).is_finite() && (pose.rotation.length() - 1.0).abs() < 1e-6);
    }
    if let Ok(mut motion) = std::str::from_utf8(bytes).map_or(Err(()), |text| Motion::read(text).map_err(|_| ())) {
        let end = motion.end();
        assert!(motion.at(0.5 * end).pose.is_finite() && motion.at(end).pose.is_finite());
    }
}

fn message(bytes: &[u8]) {
    if let Ok(message) = read_message(bytes, Limits::default().message_bytes) {
        usable(&message.frame);
    }
}

/// A recorded run.
fn recording(bytes: &[u8]) {
    drop(Recording::read(bytes));
}

/// A scene, its cases and its settings.
fn scene(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(scene) = Scene::read(text) {
        drop(world_config(&scene.world));
        drop(scene.runs());
    }
}

fn tets(bytes: &[u8]) {
    for mesh in [read_vtk(bytes), read_msh(bytes)].into_iter().flatten() {
        assert!(mesh.tets.iter().flatten().all(|&n| (n as usize) < mesh.positions.len()));
    }
}

/// A tracker's recording, whatever its format.
fn tracker(bytes: &[u8]) {
    if let Ok(recording) = read_recording(bytes, "fuzz") {
        let hands = recording.frames.iter().flat_map(|frame| [&frame.left, &frame.right]).flatten();
        hands.take(20).for_each(usable);
    }
}

/// What was read must be finite after retargeting too: it drives a hand.
fn usable(frame: &TrackerFrame) {
    static SKELETON: OnceLock<Option<Skeleton>> = OnceLock::new();
    let adult = || Anatomy::preset(Preset::Adult, Side::Right);
    let skeleton = SKELETON.get_or_init(|| Some(HandSurface::build(&adult(), SkinDetail::Coarse).ok()?.skeleton));
    let Some(skeleton) = skeleton else { return };
    let fed = retargeted(frame, skeleton);
    assert!(fed.joints.0.iter().flatten().all(|joint| joint.pose.is_finite()), "{frame:?} became {fed:?}");
}
