//! A scene as it is played: its own motion, or hands that a person or a recording moves.

use std::collections::BTreeMap;
use std::sync::Arc;

use thenar::hand::Side;
use thenar_scene::scene::{Key, PalmSpec, Scene, Variation};
use thenar_scene::trackers::TrackRecording;

use crate::wire::Mode;

/// Time step of hands that people move, seconds: new input waits no longer than this.
const LIVE_STEP: f64 = 0.004;
/// Longest that a world may go on without a new start, seconds.
const LONGEST: f64 = 3600.0;

/// Where a scene comes from.
#[derive(Clone)]
pub struct Origin {
    /// As it is in the library, or in the recording.
    pub scene: Scene,
    /// Which of its cases that is, of which.
    pub case: Option<String>,
    pub cases: Vec<String>,
    /// Mesh files that came with it.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Frames of an uploaded recording.
    pub recording: Option<Arc<TrackRecording>>,
}

/// Where the palm of a hand waits that a recording moves in the scene itself, metres: above the middle of the table.
const WAITING: [f64; 3] = [0.0, 0.17, 0.04];

/// The scene for a mode.
pub fn arranged(scene: &Scene, mode: Mode, recording: Option<&TrackRecording>) -> Scene {
    let mut scene = scene.clone();
    if mode == Mode::Script {
        return scene;
    }
    scene.checks.clear();
    scene.variants = Vec::<Variation>::new();
    scene.controls.clear();
    scene.cases.clear();
    // Nobody but the hand pushes what a person plays with.
    scene.pushes.clear();
    for hand in &mut scene.hands {
        if hand.recording.take().is_some() {
            hand.recording_offset = None;
            let palm = PalmSpec { position: Some(WAITING), ..PalmSpec::default() };
            hand.keys = vec![Key { palm: Some(palm), ..Key::default() }];
        }
        hand.keys.truncate(1);
        hand.keys.iter_mut().for_each(|key| key.at = 0.0);
        hand.faults.clear();
    }
    match (mode, recording) {
        (Mode::Recording, Some(recording)) => {
            scene.seconds = recording.seconds().clamp(scene.world.step, LONGEST);
            have_sides(&mut scene, &recording.sides());
        }
        (Mode::Webxr, _) => {
            have_sides(&mut scene, &[Side::Left, Side::Right]);
            live(&mut scene);
        }
        _ => live(&mut scene),
    }
    scene
}

fn live(scene: &mut Scene) {
    scene.seconds = LONGEST;
    scene.world.step = scene.world.step.max(LIVE_STEP);
}

/// One hand of each of these sides and no other, the first ones of the scene where it has them.
fn have_sides(scene: &mut Scene, sides: &[Side]) {
    let Some(example) = scene.hands.first().cloned() else { return };
    let old = std::mem::take(&mut scene.hands);
    for side in sides {
        let mut hand = old.iter().find(|hand| Side::from(hand.side) == *side).unwrap_or(&example).clone();
        hand.side = (*side).into();
        scene.hands.push(hand);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thenar_scene::library;

    #[test]
    fn every_scene_can_be_played_in_every_mode() {
        for (name, _) in library::scenes() {
            let scene = library::scene(name).unwrap();
            assert_eq!(arranged(&scene, Mode::Script, None), scene);
            for mode in [Mode::Mouse, Mode::Webxr] {
                let played = arranged(&scene, mode, None);
                played.validate().unwrap_or_else(|error| panic!("{name}: {error}"));
                assert!(played.hands.iter().all(|hand| hand.keys.len() == 1));
            }
            let sides = |scene: &Scene| scene.hands.iter().map(|hand| Side::from(hand.side)).collect::<Vec<_>>();
            if !scene.hands.is_empty() {
                assert_eq!(sides(&arranged(&scene, Mode::Webxr, None)), [Side::Left, Side::Right]);
            }
        }
    }
}
