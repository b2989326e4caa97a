//! One hand out of one message, and into one.

use serde_json::{Map, Value, json};
use thenar::hand::XrJoint;
use thenar::tracking::TrackerFrame;
use thenar_scene::formats::webxr_name;
use thenar_scene::trackers::{self, TrackProblem};

/// A hand that arrived.
#[derive(Clone, Debug, PartialEq)]
pub struct HandMessage {
    /// Which run of the sender.
    pub session: u64,
    /// Number of the message within it.
    pub seq: u64,
    /// The hand.
    pub frame: TrackerFrame,
}

/// Why a message was not used.
#[derive(Debug, thiserror::Error)]
pub enum MessageError {
    /// It is too long.
    #[error("the message has {size} bytes, the limit is {limit}")]
    TooLarge {
        /// Its length.
        size: usize,
        /// The longest allowed.
        limit: usize,
    },
    /// It is no JSON.
    #[error("not valid JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// A field.
    #[error(transparent)]
    Field(#[from] TrackProblem),
}

/// Reads a message of at most `limit` bytes.
///
/// # Errors
/// Names the field and its value.
pub fn read_message(bytes: &[u8], limit: usize) -> Result<HandMessage, MessageError> {
    if bytes.len() > limit {
        return Err(MessageError::TooLarge { size: bytes.len(), limit });
    }
    let message: Value = serde_json::from_slice(bytes)?;
    let whole = |field: &str, usual: Option<u64>| match (message.get(field), usual) {
        (None, Some(usual)) => Ok(usual),
        (found, _) => found.and_then(Value::as_u64).ok_or_else(|| TrackProblem::Field {
            field: field.to_owned(),
            found: found.map_or_else(|| "missing".to_owned(), |value| value.to_string().chars().take(40).collect()),
            expected: "a whole number that is not negative",
        }),
    };
    let (session, seq) = (whole("session", Some(0))?, whole("seq", None)?);
    Ok(HandMessage { session, seq, frame: trackers::read_message(&message)? })
}

/// The message as it is sent. Joints that are not finite are left out, and rotations that are unknown (zero) too.
#[must_use]
pub fn write_message(message: &HandMessage) -> String {
    let mut joints = Map::new();
    for joint in XrJoint::ALL {
        let Some(sample) = message.frame.joints[joint].filter(|sample| sample.pose.is_finite()) else { continue };
        let mut written = json!({ "position": sample.pose.position.to_array() });
        if sample.pose.rotation.length_squared() > 0.0 {
            written["orientation"] = json!(sample.pose.rotation.to_array());
        }
        if sample.radius > 0.0 && sample.radius.is_finite() {
            written["radius"] = json!(sample.radius);
        }
        joints.insert(webxr_name(joint).to_owned(), written);
    }
    let side = message.frame.side.name();
    json!({ "session": message.session, "seq": message.seq, "side": side, "joints": joints }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use thenar::hand::{Anatomy, JointSample, Preset, Side};
    use thenar::math::{Pose, Quat, Vec3};

    const GOOD: &str = r#"{"session": 2, "seq": 9, "side": "left", "joints": {
        "wrist": {"position": [0, 1, -0.3], "orientation": [0, 0, 0, 1], "radius": 0.02},
        "index-finger-tip": {"position": {"x": 0.02, "y": 1.03, "z": -0.45}}, "thumb-tip": null}}"#;

    #[test]
    fn a_message_is_read() {
        let message = read_message(GOOD.as_bytes(), 4096).unwrap();
        assert_eq!((message.session, message.seq, message.frame.side), (2, 9, Side::Left));
        assert_eq!(message.frame.joints[XrJoint::Wrist].unwrap().radius, 0.02);
        assert!(message.frame.joints[XrJoint::ThumbTip].is_none());
    }

    #[test]
    fn what_is_written_is_read() {
        let side = Side::Right;
        let mut joints = Anatomy::preset(Preset::Adult, side).rest_joints();
        let whole = HandMessage { session: 3, seq: 8, frame: TrackerFrame { side, joints: joints.clone() } };
        let text = write_message(&whole);
        assert!(text.len() < 8000, "{} bytes", text.len());
        let read = read_message(text.as_bytes(), text.len()).unwrap();
        assert_eq!((read.session, read.seq, read.frame.side), (3, 8, side));
        for joint in XrJoint::ALL {
            let Some(sent) = joints[joint] else { continue };
            let got = read.frame.joints[joint].unwrap();
            assert_eq!((sent.pose.position, sent.radius), (got.pose.position, got.radius), "{joint:?}");
            // Reading makes rotations unit again.
            assert!(sent.pose.rotation.dot(got.pose.rotation) > 1.0 - 1e-12, "{joint:?}");
        }
        joints[XrJoint::ThumbTip] = Some(JointSample { pose: Pose::new(Vec3::NAN, Quat::IDENTITY), radius: 0.0 });
        let holed = HandMessage { frame: TrackerFrame { side, joints }, ..whole };
        let read = read_message(write_message(&holed).as_bytes(), 16000).unwrap();
        assert!(read.frame.joints[XrJoint::ThumbTip].is_none() && read.frame.joints[XrJoint::IndexTip].is_some());
    }

    #[test]
    fn bad_messages_are_refused_with_field_and_value() {
        for (text, expected) in [
            ("{", "not valid JSON"),
            ("{}", "seq is missing"),
            (r#"{"seq": -1}"#, "seq is -1"),
            (r#"{"seq": 1, "side": "up"}"#, "side is \"up\""),
            (r#"{"seq": 1, "side": "left", "joints": {"elbow": {}}}"#, "joints.elbow"),
            (r#"{"seq": 1, "side": "left", "joints": {"wrist": {"position": [0, 1e9, 0]}}}"#, "joints.wrist.position"),
        ] {
            let message = read_message(text.as_bytes(), 4096).unwrap_err().to_string();
            assert!(message.contains(expected), "{text} gave: {message}");
        }
        let message = read_message(GOOD.as_bytes(), 100).unwrap_err().to_string();
        assert!(message.contains("the limit is 100"), "{message}");
    }

    #[test]
    fn damaged_messages_never_panic() {
        // Every byte replaced by each of a few that readers trip over, and every prefix.
        for at in 0..GOOD.len() {
            drop(read_message(&GOOD.as_bytes()[..at], 4096));
            for byte in *b"\0\"{}[],:-9e\xff" {
                let mut damaged = GOOD.as_bytes().to_vec();
                damaged[at] = byte;
                drop(read_message(&damaged, 4096));
            }
        }
    }
}
