//! `handrec-1`: `{"format": "handrec-1", "joints": [names], "frames": [[seconds, {"left": {"p": […], "q": […], "r": […]}}]]}`,
//! positions in metres (three numbers per joint), rotations x y z w and radii where the tracker gave them.

use serde_json::Value;
use thenar::hand::{JointSet, Side, XrJoint};
use thenar::math::{Quat, Vec3};

use super::error::TrackProblem;
use super::json::{bad, list, put, seconds};
use super::{TrackFrame, completed};
use crate::formats::parse_joint;

pub(super) fn read(root: &Value) -> Result<Vec<TrackFrame>, TrackProblem> {
    let mut joints = Vec::new();
    for name in list(&root["joints"], "joints")? {
        let joint = name.as_str().and_then(joint_by_any_name).filter(|joint| !joints.contains(joint));
        joints.push(joint.ok_or_else(|| bad("joints", name, "names of different hand joints"))?);
    }
    let mut frames = Vec::new();
    for (index, item) in list(&root["frames"], "frames")?.iter().enumerate() {
        let mut frame =
            TrackFrame { time: seconds(&item[0], &format!("frames[{index}][0]"), 1.0)?, ..TrackFrame::default() };
        for side in Side::ALL {
            let name = side.name();
            if let Some(hand) = item.get(1).and_then(|hands| hands.get(name)).filter(|hand| !hand.is_null()) {
                let set = hand_joints(hand, &joints, &format!("frames[{index}].{name}"))?;
                *frame.hand_mut(side) = Some(completed(&set, side));
            }
        }
        frames.push(frame);
    }
    Ok(frames)
}

fn hand_joints(hand: &Value, joints: &[XrJoint], field: &str) -> Result<JointSet, TrackProblem> {
    let column = |key: &str, width: usize| -> Result<Option<Vec<f64>>, TrackProblem> {
        let Some(value) = hand.get(key).filter(|value| !value.is_null()) else { return Ok(None) };
        let numbers: Option<Vec<f64>> = value.as_array().and_then(|list| list.iter().map(Value::as_f64).collect());
        let whole = numbers.filter(|numbers| numbers.len() == width * joints.len());
        whole.map(Some).ok_or_else(|| bad(&format!("{field}.{key}"), value, "one row of numbers per joint"))
    };
    let positions = column("p", 3)?.ok_or_else(|| bad(&format!("{field}.p"), &hand["p"], "positions of all joints"))?;
    let (rotations, radii) = (column("q", 4)?, column("r", 1)?);
    let mut set = JointSet::default();
    for (i, joint) in joints.iter().enumerate() {
        let position = Vec3::from_slice(&positions[3 * i..]);
        let rotation = rotations.as_ref().map(|q| Quat::from_slice(&q[4 * i..]));
        let rotation = rotation.filter(|q| (0.9..1.1).contains(&q.length())).map(Quat::normalize);
        let radius = radii.as_ref().map_or(0.0, |r| r[i]);
        if position.abs().max_element() < 1000.0 {
            put(&mut set, *joint, position, rotation, if (0.0..0.2).contains(&radius) { radius } else { 0.0 });
        }
    }
    Ok(set)
}

/// WebXR and OpenXR names, and the anatomical ones of Leap Motion: `index-mcp` is the knuckle where the proximal phalanx
/// begins; the thumb's `mcp` is the base of its metacarpal, because Leap gives thumbs three joints like fingers.
fn joint_by_any_name(name: &str) -> Option<XrJoint> {
    if let Some(joint) = parse_joint(name) {
        return Some(joint);
    }
    let (digit, part) = name.split_once('-')?;
    let step = ["mcp", "pip", "dip"].iter().position(|known| *known == part)?;
    Some(match digit {
        "thumb" => XrJoint::ALL[XrJoint::ThumbMetacarpal.index() + step],
        "index" => XrJoint::ALL[XrJoint::IndexProximal.index() + step],
        "middle" => XrJoint::ALL[XrJoint::MiddleProximal.index() + step],
        "ring" => XrJoint::ALL[XrJoint::RingProximal.index() + step],
        "pinky" | "little" => XrJoint::ALL[XrJoint::LittleProximal.index() + step],
        _ => return None,
    })
}
