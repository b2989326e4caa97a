//! The rest of the world: another physics engine, and the joints of bodies that live in it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Direction;

/// Which engine simulates what no hand is near.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostSpec {
    /// The engine.
    pub engine: HostEngine,
    /// Its steps per second.
    #[serde(default = "usual_rate")]
    pub rate: f64,
}

/// Engines that scenes can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HostEngine {
    /// Rapier.
    Rapier,
}

/// How an object is joined to the world: `joint = { slide = "back", limits = [0, 0.2] }`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JointSpec {
    /// It slides along this direction …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slide: Option<Direction>,
    /// … or turns about an axis with this direction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hinge: Option<Direction>,
    /// A point of the axis, metres; the object's position if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<[f64; 3]>,
    /// Least and greatest value, metres or degrees from the start.
    pub limits: [f64; 2],
    /// What drives it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spring: Option<SpringSpec>,
}

/// A spring of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpringSpec {
    /// N/m, or N m per radian.
    pub stiffness: f64,
    /// N s/m, or N m s per radian.
    #[serde(default)]
    pub damping: f64,
    /// Where it wants to be, metres or degrees.
    #[serde(default)]
    pub rest: f64,
}

fn usual_rate() -> f64 {
    90.0
}
