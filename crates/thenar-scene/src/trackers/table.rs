//! A table for a recording: placed so that the hands touch it for a part of their time.

use thenar::hand::{Skeleton, XrJoint};

use super::TrackRecording;
use crate::scene::{Scene, SceneError};

/// Height of the lowest skin of each tracked hand of each frame, metres; by the radii of a similar hand, which has the stub of
/// the forearm too.
#[must_use]
pub fn lowest_points(recording: &TrackRecording, skeleton: &Skeleton) -> Vec<f64> {
    let hands = recording.frames.iter().flat_map(|frame| [&frame.left, &frame.right]).flatten();
    hands
        .filter_map(|hand| {
            let heights = XrJoint::ALL.into_iter().filter_map(|joint| {
                let radius = skeleton.xr_rest[joint].map_or(0.0, |rest| rest.radius);
                hand.joints[joint].map(|here| here.pose.position.y - radius)
            });
            heights.filter(|height| height.is_finite()).min_by(f64::total_cmp)
        })
        .collect()
}

/// The height below which the lowest skin is in this share of the tracked hands.
#[must_use]
pub fn table_height(recording: &TrackRecording, skeleton: &Skeleton, share: f64) -> f64 {
    let mut heights = lowest_points(recording, skeleton);
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
            let name = side.name();
            format!("[[hand]]\nside = '{name}'\n[[hand.key]]\nat = 0\npalm = {{ position = [0, 0, 0] }}\n")
        })
        .collect();
    let seconds = recording.seconds().max(step);
    Scene::read(&format!(
        "name = 'recording'\nseconds = {seconds:?}\n[world]\nstep = {step:?}\n\
         [[object]]\nname = 'table'\nshape = 'plane'\nposition = [0, {height:?}, 0]\nfixed = true\n{hands}"
    ))
}
