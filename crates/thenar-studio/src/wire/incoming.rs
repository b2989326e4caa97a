//! What a page says. Everything is checked here; nothing that is no number or out of reach gets further.

use serde::Deserialize;
use thenar::hand::{JointSample, JointSet, XR_JOINT_COUNT};
use thenar::math::{Pose, Quat, Vec3};
use thenar::tracking::TrackerFrame;
use thenar_scene::motion::Grasp;
use thenar_scene::scene::HandSide;

use super::frame::Want;

/// Farthest a hand may be asked to go, metres.
const FAR: f64 = 20.0;

/// How a page draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Renderer {
    /// With a graphics card: whole skin.
    Hardware,
    /// Without: coarse skin.
    Software,
}

/// What drives the hands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The motion written in the scene.
    Script,
    /// Mouse, keyboard and sliders.
    Mouse,
    /// An uploaded recording.
    Recording,
    /// A headset's hands.
    Webxr,
}

/// A hand by its number in the scene or by its side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum HandName {
    /// Counted from 0.
    Index(usize),
    /// The first hand of a side.
    Side(HandSide),
}

impl Default for HandName {
    fn default() -> Self {
        HandName::Index(0)
    }
}

/// The value of a switch or a slider.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum SetValue {
    /// Of a slider.
    Number(f64),
    /// Of a switch.
    Word(String),
}

/// Which of the joints were tracked.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
enum Valid {
    Bits(u32),
    Each(Vec<bool>),
}

/// A hand of a headset, 26 joints in the order of OpenXR.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct JointsMessage {
    hand: HandSide,
    /// Number of the input.
    pub seq: u32,
    /// Clock of the page, ms.
    pub t: f64,
    valid: Valid,
    positions: Vec<f64>,
    rotations: Vec<f64>,
    #[serde(default)]
    radii: Vec<f64>,
}

impl JointsMessage {
    /// The hand as a tracked frame; joints that are not valid, finite and near are left out.
    #[must_use]
    pub fn frame(&self) -> TrackerFrame {
        let valid = |joint: usize| match &self.valid {
            Valid::Bits(bits) => bits >> joint & 1 == 1,
            Valid::Each(each) => each.get(joint).copied().unwrap_or(false),
        };
        let mut joints = JointSet::default();
        for joint in (0..XR_JOINT_COUNT).filter(|joint| valid(*joint)) {
            let p = &self.positions[3 * joint..3 * joint + 3];
            let q = &self.rotations[4 * joint..4 * joint + 4];
            let pose = Pose::new(Vec3::new(p[0], p[1], p[2]), Quat::from_xyzw(q[0], q[1], q[2], q[3]));
            let radius = self.radii.get(joint).copied().filter(|r| (0.0..0.1).contains(r)).unwrap_or(0.0);
            if let Some(pose) = usable(pose) {
                joints.0[joint] = Some(JointSample { pose, radius });
            }
        }
        TrackerFrame { side: self.hand.into(), joints }
    }
}

/// The pose with a unit quaternion, if it is finite and near.
fn usable(pose: Pose) -> Option<Pose> {
    let norm = pose.rotation.length();
    let fine = pose.is_finite() && pose.position.abs().max_element() < FAR && (0.5..2.0).contains(&norm);
    fine.then(|| Pose::new(pose.position, pose.rotation.normalize()))
}

/// A text message of a page.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[allow(missing_docs)] // the protocol's page documents each
pub enum PageMessage {
    Hello {
        protocol: u32,
        renderer: Renderer,
    },
    Ack {
        seq: u32,
    },
    Load {
        scene: String,
        #[serde(default)]
        case: Option<String>,
    },
    Play,
    Pause,
    Single,
    Speed {
        value: f64,
    },
    Reset,
    TakeControl,
    Set {
        key: String,
        value: SetValue,
    },
    Mode {
        value: Mode,
    },
    Grasp {
        #[serde(default)]
        hand: HandName,
        name: Grasp,
        amount: f64,
    },
    Finger {
        #[serde(default)]
        hand: HandName,
        digit: usize,
        curl: f64,
        #[serde(default)]
        spread: f64,
    },
    Palm {
        #[serde(default)]
        hand: HandName,
        position: [f64; 3],
        rotation: [f64; 4],
        seq: u32,
        t: f64,
    },
    Hold {
        on: bool,
    },
    Joints(JointsMessage),
    Record {
        on: bool,
    },
    LoadRecording {
        name: String,
        bytes: usize,
    },
    Fit {
        #[serde(default)]
        hand: HandName,
    },
    Want(Want),
    Ping {
        t: f64,
    },
}

/// Reads a message and checks its values.
///
/// # Errors
/// What is wrong with it, for the log.
pub fn parse(text: &str) -> Result<PageMessage, String> {
    let message: PageMessage = serde_json::from_str(text).map_err(|error| error.to_string())?;
    match &message {
        PageMessage::Speed { value } => within("value", *value, 0.05, 2.0)?,
        PageMessage::Grasp { amount, .. } => within("amount", *amount, -0.5, 1.5)?,
        PageMessage::Finger { digit, curl, spread, .. } => {
            within("curl", *curl, 0.0, 1.0)?;
            within("spread", *spread, -1.0, 1.0)?;
            within("digit", *digit as f64, 0.0, 4.0)?;
        }
        PageMessage::Palm { position, rotation, .. } => {
            let pose = Pose::new(Vec3::from_array(*position), Quat::from_array(*rotation));
            usable(pose).ok_or_else(|| format!("palm {position:?} {rotation:?} is no near place"))?;
        }
        PageMessage::Joints(joints) => {
            let lengths = (joints.positions.len(), joints.rotations.len());
            if lengths != (3 * XR_JOINT_COUNT, 4 * XR_JOINT_COUNT) {
                return Err(format!("joints have {lengths:?} numbers, expected (78, 104)"));
            }
        }
        PageMessage::Set { key, value: SetValue::Number(number) } if !number.is_finite() => {
            return Err(format!("set {key}: {number} is no number"));
        }
        _ => {}
    }
    Ok(message)
}

fn within(field: &str, value: f64, low: f64, high: f64) -> Result<(), String> {
    // Written so that NaN fails.
    if value >= low && value <= high { Ok(()) } else { Err(format!("{field} {value} is outside {low} to {high}")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thenar::hand::Side;

    #[test]
    fn messages_of_the_protocol_are_understood() {
        for text in [
            r#"{"type":"hello","protocol":1,"renderer":"software"}"#,
            r#"{"type":"ack","seq":4,"input_seq":7}"#,
            r#"{"type":"play"}"#,
            r#"{"type":"set","key":"contact","value":"point"}"#,
            r#"{"type":"set","key":"friction","value":0.4}"#,
            r#"{"type":"mode","value":"webxr"}"#,
            r#"{"type":"grasp","hand":0,"name":"cylinder","amount":0.5}"#,
            r#"{"type":"finger","hand":"right","digit":1,"curl":0.5,"spread":-1}"#,
            r#"{"type":"palm","hand":0,"position":[0,0.1,0],"rotation":[0,0,0,1],"seq":3,"t":12.5}"#,
            r#"{"type":"hold","on":true}"#,
            r#"{"type":"want","tets":true}"#,
            r#"{"type":"load_recording","name":"a.mcap","bytes":12}"#,
        ] {
            parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        }
    }

    #[test]
    fn values_out_of_range_are_refused() {
        for text in [
            r#"{"type":"speed","value":3}"#,
            r#"{"type":"finger","digit":5,"curl":0}"#,
            r#"{"type":"palm","position":[0,1e9,0],"rotation":[0,0,0,1],"seq":3,"t":1}"#,
            r#"{"type":"palm","position":[0,0,0],"rotation":[0,0,0,0],"seq":3,"t":1}"#,
            r#"{"type":"joints","hand":"left","seq":1,"t":1,"valid":3,"positions":[1],"rotations":[]}"#,
            r#"{"type":"unheard"}"#,
            r#"[1,2,3]"#,
            "",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn joints_become_a_tracked_frame() {
        let (mut positions, mut rotations) = (vec![0.1; 78], vec![0.0; 104]);
        (0..26).for_each(|joint| rotations[4 * joint + 3] = 1.0);
        positions[3] = 1e9;
        let text = format!(
            r#"{{"type":"joints","hand":"left","seq":1,"t":1,"valid":14,"positions":{positions:?},"rotations":{rotations:?}}}"#
        );
        let Ok(PageMessage::Joints(joints)) = parse(&text) else { panic!("{text}") };
        let frame = joints.frame();
        assert_eq!(frame.side, Side::Left);
        // Bits 1 to 3 are valid, and joint 1 is too far away.
        let there: Vec<usize> = (0..26).filter(|k| frame.joints.0[*k].is_some()).collect();
        assert_eq!(there, [2, 3]);
    }
}
