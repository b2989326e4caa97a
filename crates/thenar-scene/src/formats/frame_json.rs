//! One tracked frame of a hand from JSON.
//!
//! Our own form, units metres, orientations as `x y z w` in the convention of OpenXR and WebXR:
//! ```json
//! { "side": "right",
//!   "joints": { "wrist": { "position": [0, 1, -0.3], "orientation": [0, 0, 0, 1], "radius": 0.02 },
//!               "thumb-metacarpal": { "position": [-0.02, 1, -0.32] } } }
//! ```
//! Joints carry WebXR or OpenXR names in any spelling; orientation and radius may be left out. A recording of the form
//! `handrec-1` (all frames of a session) is read as well; one of its frames is picked.

use super::joint_names::{parse_joint, parse_side, webxr_name};
use serde_json::{Map, Value};
use thenar::hand::{Anatomy, JointSample, JointSet, Preset, Side, XrJoint, align_joints};
use thenar::math::{Pose, Quat, Vec3};
use thenar::tracking::TrackerFrame;

/// Largest file that is read, bytes.
const MAX_FILE: usize = 64 << 20;
/// Positions beyond this are no hand in a room, metres.
const MAX_POSITION: f64 = 1000.0;

/// Which frame of a recording to take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameChoice {
    /// Number of the frame from 0; the first frame with a complete hand when `None`.
    pub index: Option<usize>,
    /// Which hand; whichever is there when `None`.
    pub side: Option<Side>,
}

/// Why a frame could not be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{file}: {problem}")]
pub struct FrameError {
    /// Name of the file as given by the caller.
    pub file: String,
    /// What is wrong.
    pub problem: FrameProblem,
}

/// What can be wrong with a frame.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FrameProblem {
    /// The file is too large.
    #[error("the file has {0} bytes, the limit is {MAX_FILE}; cut the recording")]
    TooLarge(usize),
    /// Not JSON.
    #[error("not valid JSON: {0}")]
    Json(String),
    /// A field is missing or of the wrong kind.
    #[error("{field} is {found}, expected {expected}")]
    Field {
        /// Where in the file.
        field: String,
        /// What is there.
        found: String,
        /// What should be.
        expected: &'static str,
    },
    /// A joint name nobody knows.
    #[error("joints names {0:?}, which is no WebXR or OpenXR hand joint (such as \"index-finger-tip\")")]
    UnknownJoint(String),
    /// A joint appears twice.
    #[error("joint {0:?} appears twice")]
    DuplicateJoint(&'static str),
    /// A recording without such a frame.
    #[error("there is no frame {index} with a {hand} hand; the recording has {frames} frames")]
    NoSuchFrame {
        /// What was asked for.
        index: String,
        /// Which hand.
        hand: &'static str,
        /// How many frames there are.
        frames: usize,
    },
}

/// Reads a tracked frame. Joints without an orientation get the one that follows from the positions around them.
///
/// # Errors
/// [`FrameError`] naming file, field and value.
pub fn read_frame(bytes: &[u8], name: &str, choice: FrameChoice) -> Result<TrackerFrame, FrameError> {
    parse(bytes, choice).map_err(|problem| FrameError { file: name.to_owned(), problem })
}

fn parse(bytes: &[u8], choice: FrameChoice) -> Result<TrackerFrame, FrameProblem> {
    if bytes.len() > MAX_FILE {
        return Err(FrameProblem::TooLarge(bytes.len()));
    }
    let root: Value = serde_json::from_slice(bytes).map_err(|e| FrameProblem::Json(e.to_string()))?;
    let object = root.as_object().ok_or_else(|| bad("the file", &root, "an object with \"joints\""))?;
    if object.contains_key("frames") { recording(object, choice) } else { single(object, choice) }
}

/// A value as it may stand in an error message.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() > 40 { text.chars().take(37).chain("...".chars()).collect() } else { text }
}

fn bad(field: &str, found: &Value, expected: &'static str) -> FrameProblem {
    FrameProblem::Field { field: field.to_owned(), found: shown(found), expected }
}

fn single(object: &Map<String, Value>, choice: FrameChoice) -> Result<TrackerFrame, FrameProblem> {
    let side = match (object.get("side"), choice.side) {
        (Some(value), _) => {
            let side = value.as_str().and_then(parse_side);
            side.ok_or_else(|| bad("side", value, "\"left\" or \"right\""))?
        }
        (None, Some(side)) => side,
        (None, None) => return Err(bad("side", &Value::Null, "\"left\" or \"right\"")),
    };
    let joints = object.get("joints").unwrap_or(&Value::Null);
    let joints = joints.as_object().ok_or_else(|| bad("joints", joints, "an object of joints by name"))?;
    let mut set = JointSet::default();
    for (name, value) in joints {
        let joint = parse_joint(name).ok_or_else(|| FrameProblem::UnknownJoint(name.chars().take(60).collect()))?;
        if set[joint].is_some() {
            return Err(FrameProblem::DuplicateJoint(webxr_name(joint)));
        }
        if value.is_null() {
            continue; // a joint the tracker lost
        }
        let field = |part: &str| format!("joints.{}.{part}", webxr_name(joint));
        let fields = value.as_object().ok_or_else(|| bad(&field("position"), value, "an object with a position"))?;
        let get = |part: &str| fields.get(part).unwrap_or(&Value::Null);
        let position = numbers::<3>(get("position")).filter(plausible);
        let position = position.ok_or_else(|| bad(&field("position"), get("position"), "three numbers, metres"))?;
        let rotation = match get("orientation") {
            Value::Null => None,
            value => {
                let quaternion = numbers::<4>(value).and_then(unit);
                Some(quaternion.ok_or_else(|| bad(&field("orientation"), value, "a quaternion x, y, z, w"))?)
            }
        };
        let radius = match get("radius") {
            Value::Null => 0.0,
            value => value
                .as_f64()
                .filter(|r| (0.0..0.2).contains(r))
                .ok_or_else(|| bad(&field("radius"), value, "a distance to the skin between 0 and 0.2 m"))?,
        };
        set[joint] = Some(sample(position, rotation, radius));
    }
    Ok(oriented(side, set))
}

fn recording(object: &Map<String, Value>, choice: FrameChoice) -> Result<TrackerFrame, FrameProblem> {
    let get = |key: &str| object.get(key).unwrap_or(&Value::Null);
    if get("format").as_str() != Some("handrec-1") {
        return Err(bad("format", get("format"), "\"handrec-1\" for a file with frames"));
    }
    let names = get("joints").as_array().ok_or_else(|| bad("joints", get("joints"), "an array of joint names"))?;
    let mut joints: Vec<XrJoint> = Vec::new();
    for name in names {
        let text = name.as_str().ok_or_else(|| bad("joints", name, "a joint name"))?;
        let joint = parse_joint(text).ok_or_else(|| FrameProblem::UnknownJoint(text.chars().take(60).collect()))?;
        if joints.contains(&joint) {
            return Err(FrameProblem::DuplicateJoint(webxr_name(joint)));
        }
        joints.push(joint);
    }
    let frames = get("frames").as_array().ok_or_else(|| bad("frames", get("frames"), "an array"))?;
    let sides = choice.side.map_or(vec![Side::Right, Side::Left], |side| vec![side]);
    let candidates = match choice.index {
        Some(index) => index..index.saturating_add(1).min(frames.len().max(index)),
        None => 0..frames.len(),
    };
    for index in candidates {
        for &side in &sides {
            let Some(hand) = frames.get(index).and_then(|f| f.get(1)).and_then(|h| h.get(side.name())) else {
                continue;
            };
            return recorded_hand(hand, index, side, &joints);
        }
    }
    let index = choice.index.map_or_else(|| "at all".to_owned(), |i| i.to_string());
    let hand = choice.side.map_or("left or right", Side::name);
    Err(FrameProblem::NoSuchFrame { index, hand, frames: frames.len() })
}

fn recorded_hand(hand: &Value, index: usize, side: Side, joints: &[XrJoint]) -> Result<TrackerFrame, FrameProblem> {
    let field = |key: &str| format!("frames[{index}].{}.{key}", side.name());
    let column = |key: &str, width: usize| -> Result<Option<Vec<f64>>, FrameProblem> {
        let Some(value) = hand.get(key) else { return Ok(None) };
        let list: Option<Vec<f64>> = value.as_array().and_then(|a| a.iter().map(Value::as_f64).collect());
        let list = list.filter(|l| l.len() == width * joints.len());
        list.map(Some).ok_or_else(|| bad(&field(key), value, "one row of numbers per joint"))
    };
    let positions = column("p", 3)?.ok_or_else(|| bad(&field("p"), hand, "positions of all joints"))?;
    let rotations = column("q", 4)?;
    let radii = column("r", 1)?;
    let mut set = JointSet::default();
    for (i, &joint) in joints.iter().enumerate() {
        let position = [positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]];
        if !plausible(&position) {
            continue;
        }
        let rotation = rotations.as_ref().and_then(|q| unit([q[4 * i], q[4 * i + 1], q[4 * i + 2], q[4 * i + 3]]));
        let radius = radii.as_ref().map_or(0.0, |r| r[i]);
        set[joint] = Some(sample(position, rotation, if (0.0..0.2).contains(&radius) { radius } else { 0.0 }));
    }
    Ok(oriented(side, set))
}

fn sample(position: [f64; 3], rotation: Option<Quat>, radius: f64) -> JointSample {
    let rotation = rotation.unwrap_or(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)); // absent, see `oriented`
    JointSample { pose: Pose::new(Vec3::from_array(position), rotation), radius }
}

/// Replaces absent orientations (all zero) by what the positions tell, or by none at all where they tell nothing.
fn oriented(side: Side, joints: JointSet) -> TrackerFrame {
    let absent = |sample: &JointSample| sample.pose.rotation.length_squared() == 0.0;
    let rest = Anatomy::preset(Preset::Adult, side).rest_joints();
    let recovered = align_joints(&joints, side, &rest);
    let mut whole = joints;
    for joint in XrJoint::ALL {
        if let (Some(sample), Some(better)) = (&mut whole[joint], recovered[joint])
            && absent(sample)
        {
            sample.pose.rotation = if absent(&better) { Quat::IDENTITY } else { better.pose.rotation };
        }
    }
    TrackerFrame { side, joints: whole }
}

fn numbers<const N: usize>(value: &Value) -> Option<[f64; N]> {
    let list: Vec<f64> = value.as_array()?.iter().map(Value::as_f64).collect::<Option<_>>()?;
    list.try_into().ok()
}

fn plausible(position: &[f64; 3]) -> bool {
    position.iter().all(|v| v.abs() < MAX_POSITION)
}

/// A unit quaternion; `None` if the numbers are too far from one to be a rounding matter.
fn unit([x, y, z, w]: [f64; 4]) -> Option<Quat> {
    let q = Quat::from_xyzw(x, y, z, w);
    (0.9..1.1).contains(&q.length()).then(|| q.normalize())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutation::mutations;

    fn read(text: &str) -> Result<TrackerFrame, FrameError> {
        read_frame(text.as_bytes(), "frame.json", FrameChoice::default())
    }

    #[test]
    fn a_frame_in_our_own_form_is_read() {
        let frame = read(
            r#"{"side": "left", "joints": {
                "WRIST": {"position": [0, 1, -0.3], "orientation": [0, 0, 0, 1], "radius": 0.02},
                "XR_HAND_JOINT_INDEX_TIP_EXT": {"position": [0.01, 1, -0.5], "orientation": [0, 0.7071, 0, 0.7071]},
                "thumb-tip": null}}"#,
        )
        .unwrap();
        assert_eq!(frame.side, Side::Left);
        let joints = &frame.joints;
        assert_eq!(joints[XrJoint::Wrist].unwrap().radius, 0.02);
        assert_eq!(joints[XrJoint::IndexTip].unwrap().pose.position, Vec3::new(0.01, 1.0, -0.5));
        assert!(joints[XrJoint::ThumbTip].is_none());
    }

    #[test]
    fn errors_name_file_field_and_value() {
        for (text, expected) in [
            ("{", "not valid JSON"),
            ("[]", "the file is []"),
            ("{}", "side is null"),
            (r#"{"side": "middle"}"#, "side is \"middle\""),
            (r#"{"side": "left"}"#, "joints is null"),
            (r#"{"side": "left", "joints": {"elbow": {}}}"#, "\"elbow\""),
            (r#"{"side": "left", "joints": {"wrist": {}}}"#, "joints.wrist.position is null"),
            (r#"{"side": "left", "joints": {"wrist": {"position": [1, 2]}}}"#, "joints.wrist.position is [1,2]"),
            (r#"{"side": "left", "joints": {"wrist": {"position": [1e9, 2, 3]}}}"#, "joints.wrist.position"),
            (
                r#"{"side": "left", "joints": {"wrist": {"position": [1, 2, 3], "radius": -1}}}"#,
                "joints.wrist.radius is -1",
            ),
            (
                r#"{"side": "left", "joints": {"wrist": {"position": [1, 2, 3], "orientation": [0, 0, 0, 0]}}}"#,
                "joints.wrist.orientation is [0,0,0,0]",
            ),
            (
                r#"{"side": "left", "joints": {"wrist": {"position": [1, 2, 3]}, "Wrist": {"position": [1, 2, 3]}}}"#,
                "\"wrist\" appears twice",
            ),
            (r#"{"frames": []}"#, "format is null"),
            (r#"{"format": "handrec-1", "joints": [], "frames": []}"#, "no frame at all"),
            (
                r#"{"format": "handrec-1", "joints": ["wrist"], "frames": [[0, {"left": {"p": [1]}}]]}"#,
                "frames[0].left.p",
            ),
        ] {
            let message = read(text).unwrap_err().to_string();
            assert!(message.starts_with("frame.json: ") && message.contains(expected), "{text} gave: {message}");
        }
    }

    #[test]
    fn a_frame_is_picked_out_of_a_recording() {
        let text = r#"{"format": "handrec-1", "joints": ["wrist", "pinky-finger-tip"], "frames": [
            [0.0, {}],
            [0.1, {"left": {"p": [0, 1, 2, 3, 4, 5], "q": [0, 0, 0, 1, 0, 0, 0, 1], "r": [0.02, 0.008]}}],
            [0.2, {"right": {"p": [5, 1, 2, 3, 4, 5]}}]]}"#;
        let first = read(text).unwrap();
        assert_eq!(first.side, Side::Left);
        assert_eq!(first.joints[XrJoint::LittleTip].unwrap().radius, 0.008);
        let pick = |choice| read_frame(text.as_bytes(), "r", choice);
        let right = pick(FrameChoice { side: Some(Side::Right), index: None }).unwrap();
        assert_eq!(right.joints[XrJoint::Wrist].unwrap().pose.position.x, 5.0);
        let missing = pick(FrameChoice { side: None, index: Some(0) }).unwrap_err().to_string();
        assert!(missing.contains("no frame 0") && missing.contains("3 frames"), "{missing}");
        assert!(pick(FrameChoice { side: None, index: Some(usize::MAX) }).is_err());
    }

    #[test]
    fn damaged_frames_are_read_or_refused_but_never_panic() {
        let seeds = [
            include_str!("../../../../fuzz/seeds/frame/right.json"),
            include_str!("../../../../fuzz/seeds/frame/recording.json"),
        ];
        let mut fitted = 0;
        for bytes in seeds.iter().flat_map(|seed| mutations(seed.as_bytes(), 4000)) {
            if let Ok(frame) = read_frame(&bytes, "damaged", FrameChoice::default()) {
                let preset = Anatomy::preset(Preset::Adult, frame.side);
                fitted += usize::from(thenar::hand::fit(&frame.joints, frame.side, &preset).is_ok());
            }
        }
        assert!(fitted > 20, "some damage leaves a frame that can be fitted: {fitted}");
    }
}
