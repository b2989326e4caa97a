//! A table for a recording: placed so that the hands touch it for a part of their time.

use thenar::hand::Side;

use super::TrackRecording;
use crate::scene::{Scene, SceneError};

/// Distance from a joint to the skin where the tracker does not say, metres: half the thickness of a finger.
const USUAL_RADIUS: f64 = 0.008;

/// Height of the lowest skin of each tracked hand of each frame, metres.
#[must_use]
pub fn lowest_points(recording: &TrackRecording) -> Vec<f64> {
    let hands = recording.frames.iter().flat_map(|frame| [&frame.left, &frame.right]).flatten();
    hands
        .filter_map(|hand| {
            let lowest = |joint: &thenar::hand::JointSample| {
                joint.pose.position.y - if joint.radius > 0.0 { joint.radius } else { USUAL_RADIUS }
            };
            let heights = hand.joints.0.iter().flatten().map(lowest).filter(|height| height.is_finite());
            heights.min_by(f64::total_cmp)
        })
        .collect()
}

/// The height below which the lowest skin is in this share of the tracked hands.
#[must_use]
pub fn table_height(recording: &TrackRecording, share: f64) -> f64 {
    let mut heights = lowest_points(recording);
    heights.sort_by(f64::total_cmp);
    let index = (share * heights.len() as f64) as usize;
    heights.get(index.min(heights.len().saturating_sub(1))).copied().unwrap_or(0.0)
}

/// A scene with a table at that height and the hands of the recording, for its whole length.
///
/// # Errors
/// If the recording is longer than scenes may be.
pub fn table_scene(recording: &TrackRecording, height: f64, step: f64) -> Result<Scene, SceneError> {
    let hands: String = (recording.sides().into_iter())
        .map(|side| {
            let name = if side == Side::Left { "left" } else { "right" };
            format!("[[hand]]\nside = '{name}'\n[[hand.key]]\nat = 0\npalm = {{ position = [0, 0, 0] }}\n")
        })
        .collect();
    let seconds = recording.seconds().max(step);
    Scene::read(&format!(
        "name = 'recording'\nseconds = {seconds:?}\n[world]\nstep = {step:?}\n\
         [[object]]\nname = 'table'\nshape = 'plane'\nposition = [0, {height:?}, 0]\nfixed = true\n{hands}"
    ))
}
