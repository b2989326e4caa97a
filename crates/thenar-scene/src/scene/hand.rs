//! Hands of a scene and what their trackers do to them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thenar::hand::Side;

use super::{Direction, Rounds};
use crate::motion::Grasp;

/// Which hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HandSide {
    /// The left hand.
    Left,
    /// The right hand.
    Right,
}

impl From<HandSide> for Side {
    fn from(side: HandSide) -> Side {
        match side {
            HandSide::Left => Side::Left,
            HandSide::Right => Side::Right,
        }
    }
}

impl From<Side> for HandSide {
    fn from(side: Side) -> HandSide {
        match side {
            Side::Left => HandSide::Left,
            Side::Right => HandSide::Right,
        }
    }
}

/// A hand with its motion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HandSpec {
    /// Left or right.
    pub side: HandSide,
    /// What leads its palm.
    #[serde(default, skip_serializing_if = "Lead::is_tracker")]
    pub lead: Lead,
    /// How often and how well it is tracked.
    #[serde(default)]
    pub tracker: TrackerSpec,
    /// A recording of a tracker that moves the hand, relative to the scene file; instead of keys. All formats of
    /// [`crate::trackers`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recording: Option<String>,
    /// Moves the recording, metres.
    #[serde(default, rename = "recording-offset", skip_serializing_if = "Option::is_none")]
    pub recording_offset: Option<[f64; 3]>,
    /// Repeats the keys, once per round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<Rounds>,
    /// Key poses in order of time.
    #[serde(default, rename = "key", skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<Key>,
    /// What goes wrong with the tracker, and when.
    #[serde(default, rename = "fault", skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
}

/// What leads the palm of a hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Lead {
    /// The tracker, as all bones.
    #[default]
    Tracker,
    /// A handle on the palm, as a device that a person holds does; fingers keep the script's posture over the palm. Where bones are functions of
    /// joint angles, the tracker.
    Handle,
}

impl Lead {
    fn is_tracker(&self) -> bool {
        *self == Lead::Tracker
    }
}

/// A tracker.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TrackerSpec {
    /// Frames per second; a frame is held until the next.
    pub rate: f64,
    /// Noise of every joint's position, metres (standard deviation per axis).
    pub noise: f64,
    /// Seed of the noise.
    pub seed: u64,
}

impl Default for TrackerSpec {
    fn default() -> Self {
        TrackerSpec { rate: 90.0, noise: 0.0, seed: 1 }
    }
}

/// What the hand looks like at one time. What a key does not mention keeps moving between the keys that do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// Seconds from the start.
    pub at: f64,
    /// Number of the round's place that the palm's position counts from; for a hand with `rounds`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<usize>,
    /// Place and direction of the palm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub palm: Option<PalmSpec>,
    /// A named posture of the fingers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grasp: Option<Grasp>,
    /// How far from `open` (0) to the grasp (1), or beyond.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<f64>,
    /// Close around this rigid object, by name: every joint goes on from the posture before, towards the grasp and beyond it,
    /// until its phalanx touches the object where it is at the start of the scene, wherever it has gone by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub around: Option<String>,
    /// How much further than touching, degrees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub squeeze: Option<f64>,
    /// Angles of single digits, instead of the grasp's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingers: Option<FingersSpec>,
}

/// Place and direction of the palm's centre.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PalmSpec {
    /// Metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<[f64; 3]>,
    /// Where straight fingers point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingers: Option<Direction>,
    /// Where the palm looks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub facing: Option<Direction>,
}

/// Angles by digit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FingersSpec {
    /// The thumb.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thumb: Option<FingerSpec>,
    /// The index finger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<FingerSpec>,
    /// The middle finger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub middle: Option<FingerSpec>,
    /// The ring finger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ring: Option<FingerSpec>,
    /// The little finger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub little: Option<FingerSpec>,
}

impl FingersSpec {
    /// By digit, from the thumb.
    #[must_use]
    pub fn digits(&self) -> [Option<&FingerSpec>; 5] {
        [&self.thumb, &self.index, &self.middle, &self.ring, &self.little].map(Option::as_ref)
    }
}

/// Angles of one digit in degrees from the rest pose.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FingerSpec {
    /// Flexion of its three joints from the palm outwards.
    pub flex: [f64; 3],
    /// Abduction at its first joint, towards the thumb's side.
    #[serde(default)]
    pub spread: f64,
}

/// Something that goes wrong with the tracker for a while.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// Seconds.
    pub from: f64,
    /// Seconds.
    pub to: f64,
    /// What goes wrong.
    pub what: FaultKind,
    /// Which joints, by their OpenXR names in kebab case (`index-tip`); all if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joints: Vec<String>,
}

/// Faults of trackers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// Positions and rotations that are not numbers.
    Nan,
    /// Everything displaced, metres.
    Jump([f64; 3]),
    /// Noise on positions, metres (standard deviation per axis), new in every frame.
    Jitter(f64),
    /// The joints are not tracked; if all are, there is no frame at all.
    Dropout,
    /// The tracker takes the hand for the other one.
    Swap,
    /// The first frame of the fault is repeated.
    Freeze,
}
