//! WebXR joints, and the message that devices send.
//!
//! A frame of a session, times in milliseconds (`timestamp`) or seconds (`time`):
//! ```json
//! { "timestamp": 16.6,
//!   "hands": { "left": { "wrist": { "position": [0, 1, -0.3], "orientation": [0, 0, 0, 1], "radius": 0.02 } } } }
//! ```
//! `hands` (or `inputSources`) may also be a list of objects with `handedness` and `joints` (or `hand`); joints may be a list
//! of 25 in WebXR's order, and poses may stand in `transform`, as in the JSON of an `XRJointPose`. A single hand is
//! `{"time": 0.1, "side": "left", "joints": {…}}`.

use serde_json::Value;
use thenar::hand::{JointSet, Side, XrJoint};
use thenar::tracking::TrackerFrame;

use super::error::TrackProblem;
use super::json::{bad, position, put, radius, rotation, seconds, side};
use super::{TrackFrame, completed};
use crate::formats::parse_joint;

pub(super) fn read(frames: &[Value]) -> Result<Vec<TrackFrame>, TrackProblem> {
    let mut read = Vec::with_capacity(frames.len());
    for (index, frame) in frames.iter().enumerate() {
        read.push(read_frame(frame, index)?);
    }
    Ok(read)
}

/// One hand out of a message of the form `{"side": "left", "joints": {…}}`.
///
/// # Errors
/// Names the field and its value.
pub fn read_message(message: &Value) -> Result<TrackerFrame, TrackProblem> {
    let side = side(&message["side"], "side")?;
    Ok(completed(&joints(&message["joints"], "joints")?, side))
}

fn read_frame(frame: &Value, index: usize) -> Result<TrackFrame, TrackProblem> {
    let field = format!("frames[{index}]");
    let time = match (frame.get("time"), frame.get("timestamp")) {
        (Some(time), _) => seconds(time, &format!("{field}.time"), 1.0)?,
        (None, Some(time)) => seconds(time, &format!("{field}.timestamp"), 1e-3)?,
        // Without times: the usual rate of headsets.
        (None, None) => index as f64 / 72.0,
    };
    let mut read = TrackFrame { time, ..TrackFrame::default() };
    if frame.get("joints").is_some() {
        let side = side(&frame["side"], &format!("{field}.side"))?;
        *read.hand_mut(side) = Some(completed(&joints(&frame["joints"], &format!("{field}.joints"))?, side));
        return Ok(read);
    }
    let (key, hands) = match frame.get("hands") {
        Some(hands) => ("hands", hands),
        None => ("inputSources", &frame["inputSources"]),
    };
    let field = format!("{field}.{key}");
    let mut put = |which: Side, value: &Value, field: &str| -> Result<(), TrackProblem> {
        if !value.is_null() {
            *read.hand_mut(which) = Some(completed(&joints(value, field)?, which));
        }
        Ok(())
    };
    match hands {
        Value::Null => {}
        Value::Object(object) => {
            for (name, hand) in object {
                let which = side(&Value::String(name.clone()), &field)?;
                put(which, hand.get("joints").unwrap_or(hand), &format!("{field}.{name}"))?;
            }
        }
        Value::Array(list) => {
            for (i, hand) in list.iter().enumerate() {
                let field = format!("{field}[{i}]");
                let named = hand.get("handedness").or(hand.get("side")).unwrap_or(&Value::Null);
                // Controllers and gazes are input sources without hands.
                let Some(joints) = hand.get("joints").or(hand.get("hand")) else { continue };
                put(side(named, &format!("{field}.handedness"))?, joints, &format!("{field}.joints"))?;
            }
        }
        other => return Err(bad(&field, other, "hands by side, or a list of them")),
    }
    Ok(read)
}

fn joints(value: &Value, field: &str) -> Result<JointSet, TrackProblem> {
    let mut set = JointSet::default();
    let mut one = |joint: XrJoint, value: &Value, field: &str| -> Result<(), TrackProblem> {
        if value.is_null() {
            return Ok(());
        }
        if set[joint].is_some() {
            return Err(bad(field, value, "every joint once"));
        }
        let pose = value.get("transform").unwrap_or(value);
        let at = position(&pose["position"], &format!("{field}.position"), 1.0)?;
        let turn = rotation(&pose["orientation"], &format!("{field}.orientation"))?;
        let around = radius(&value["radius"], &format!("{field}.radius"))?;
        put(&mut set, joint, at, turn, around);
        Ok(())
    };
    match value {
        Value::Object(object) => {
            for (name, joint) in object {
                let field = format!("{field}.{}", name.chars().take(40).collect::<String>());
                let which = parse_joint(name).ok_or_else(|| bad(&field, joint, "a WebXR or OpenXR name of a joint"))?;
                one(which, joint, &field)?;
            }
        }
        Value::Array(list) if list.len() == 25 || list.len() == 26 => {
            // WebXR's order is OpenXR's without the palm.
            for (joint, value) in XrJoint::ALL[26 - list.len()..].iter().zip(list) {
                one(*joint, value, &format!("{field}[{}]", joint.index()))?;
            }
        }
        other => return Err(bad(field, other, "joints by name, or a list of 25")),
    }
    Ok(set)
}
