//! Hands of 21 landmarks in MediaPipe's order: the wrist, then four points of each digit from the thumb.
//!
//! ```json
//! { "timestamp": 33.3, "handedness": [[{ "categoryName": "Right" }]], "worldLandmarks": [[{ "x": 0, "y": 0, "z": 0 }, …]] }
//! ```
//! World landmarks are metres about the middle of the hand, x to the right of the picture, y down and z away from the camera;
//! they become ours by turning half a circle about x. They do not say where the hand is: it stays about the origin. A frame
//! may also hold `hands`: a list of `{"handedness": "Right", "landmarks": […]}`, already metres and Y up.

use serde_json::Value;
use thenar::hand::{JointSet, Side, XrJoint};
use thenar::math::Vec3;

use super::error::TrackProblem;
use super::json::{bad, list, position, put, seconds, side};
use super::{TrackFrame, completed};

const COUNT: usize = 21;

pub(super) fn read(frames: &[Value]) -> Result<Vec<TrackFrame>, TrackProblem> {
    let mut read = Vec::with_capacity(frames.len());
    for (index, frame) in frames.iter().enumerate() {
        let field = format!("frames[{index}]");
        let time = match (frame.get("time"), frame.get("timestamp")) {
            (Some(time), _) => seconds(time, &format!("{field}.time"), 1.0)?,
            (None, Some(time)) => seconds(time, &format!("{field}.timestamp"), 1e-3)?,
            (None, None) => index as f64 / 30.0,
        };
        let mut result = TrackFrame { time, ..TrackFrame::default() };
        for (which, points, field, turned) in hands(frame, &field)? {
            let points = list(points, &field)?;
            if points.len() != COUNT {
                return Err(bad(&field, &Value::from(points.len()), "21 landmarks"));
            }
            let mut joints = JointSet::default();
            for (k, point) in points.iter().enumerate() {
                let p = position(point, &format!("{field}[{k}]"), 1.0)?;
                let p = if turned { Vec3::new(p.x, -p.y, -p.z) } else { p };
                put(&mut joints, joint(k), p, None, 0.0);
            }
            *result.hand_mut(which) = Some(completed(&joints, which));
        }
        read.push(result);
    }
    Ok(read)
}

type Hand<'a> = (Side, &'a Value, String, bool);

fn hands<'a>(frame: &'a Value, field: &str) -> Result<Vec<Hand<'a>>, TrackProblem> {
    let mut found = Vec::new();
    if let Some(hands) = frame.get("hands") {
        for (i, hand) in list(hands, &format!("{field}.hands"))?.iter().enumerate() {
            let field = format!("{field}.hands[{i}]");
            let which = side(&hand["handedness"], &format!("{field}.handedness"))?;
            found.push((which, &hand["landmarks"], format!("{field}.landmarks"), false));
        }
        return Ok(found);
    }
    let keys = ["worldLandmarks", "multiHandWorldLandmarks", "landmarks", "multiHandLandmarks"];
    let Some(key) = keys.into_iter().find(|key| frame.get(key).is_some()) else { return Ok(found) };
    for (i, hand) in list(&frame[key], &format!("{field}.{key}"))?.iter().enumerate() {
        let names = ["handedness", "handednesses", "multiHandedness"].into_iter().find_map(|k| frame.get(k));
        let name = names.map_or(&Value::Null, |names| &names[i]);
        let name = if name.is_array() { &name[0] } else { name };
        let label = ["categoryName", "label", "displayName"].into_iter().find_map(|k| name.get(k)).unwrap_or(name);
        let which = side(label, &format!("{field}.handedness[{i}]"))?;
        found.push((which, hand, format!("{field}.{key}[{i}]"), true));
    }
    Ok(found)
}

/// The joint of a landmark: fingers begin at their knuckles, the thumb at the base of its metacarpal.
fn joint(landmark: usize) -> XrJoint {
    match landmark {
        0 => XrJoint::Wrist,
        1..=4 => XrJoint::ALL[XrJoint::ThumbMetacarpal.index() + landmark - 1],
        k => XrJoint::ALL[XrJoint::IndexProximal.index() + 5 * ((k - 5) / 4) + (k - 5) % 4],
    }
}
