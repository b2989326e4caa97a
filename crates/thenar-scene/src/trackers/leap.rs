//! Frames of the Leap Motion service: millimetres, microseconds, hands with `pointables`.
//!
//! Positions of a pointable: `mcpPosition`, `pipPosition`, `dipPosition` and `btipPosition` (or `tipPosition`); fingers have
//! `carpPosition` too, the base of the metacarpal. `type` is 0 for the thumb to 4 for the little finger.

use serde_json::Value;
use thenar::hand::{Digit, JointSet, XrJoint};

use super::error::TrackProblem;
use super::json::{bad, list, position, put, seconds, side};
use super::{TrackFrame, completed};

const MILLIMETRES: f64 = 1e-3;

pub(super) fn read(frames: &[Value]) -> Result<Vec<TrackFrame>, TrackProblem> {
    let mut read = Vec::with_capacity(frames.len());
    for (index, frame) in frames.iter().enumerate() {
        let field = format!("frames[{index}]");
        let time = match frame.get("timestamp") {
            Some(time) => seconds(time, &format!("{field}.timestamp"), 1e-6)?,
            None => index as f64 / 100.0,
        };
        let mut result = TrackFrame { time, ..TrackFrame::default() };
        let nothing = Vec::new();
        let hands = frame.get("hands").map_or(Ok(&nothing), |hands| list(hands, &format!("{field}.hands")))?;
        let fingers =
            frame.get("pointables").map_or(Ok(&nothing), |fingers| list(fingers, &format!("{field}.pointables")))?;
        for (i, hand) in hands.iter().enumerate() {
            let field = format!("{field}.hands[{i}]");
            let which = side(&hand["type"], &format!("{field}.type"))?;
            let mut joints = JointSet::default();
            for (key, joint) in [("palmPosition", XrJoint::Palm), ("wrist", XrJoint::Wrist)] {
                if let Some(value) = hand.get(key) {
                    put(&mut joints, joint, position(value, &format!("{field}.{key}"), MILLIMETRES)?, None, 0.0);
                }
            }
            let own = |finger: &&Value| finger.get("handId").is_some() && finger.get("handId") == hand.get("id");
            for finger in fingers.iter().filter(own) {
                read_finger(finger, &field, &mut joints)?;
            }
            *result.hand_mut(which) = Some(completed(&joints, which));
        }
        read.push(result);
    }
    Ok(read)
}

fn read_finger(finger: &Value, hand: &str, joints: &mut JointSet) -> Result<(), TrackProblem> {
    let kind = finger["type"].as_u64().and_then(|kind| Digit::ALL.get(kind as usize));
    let digit = *kind.ok_or_else(|| bad(&format!("{hand}, type of a pointable"), &finger["type"], "0 to 4"))?;
    let tip = if finger.get("btipPosition").is_some() { "btipPosition" } else { "tipPosition" };
    let last = XrJoint::tip(digit).index();
    for (back, key) in [(4, "carpPosition"), (3, "mcpPosition"), (2, "pipPosition"), (1, "dipPosition"), (0, tip)] {
        // The thumb has no joint before the base of its metacarpal.
        if let Some(value) = finger.get(key).filter(|_| back < 4 || digit != Digit::Thumb) {
            let field = format!("{hand}, {} {key}", digit.name());
            put(joints, XrJoint::ALL[last - back], position(value, &field, MILLIMETRES)?, None, 0.0);
        }
    }
    Ok(())
}
