//! The scene file as data, field by field as it is written.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Check, HandSpec, HostSpec, ObjectSpec, PushSpec, SoftSpec, TactileSpec, Variation};

/// A whole scene. `Scene::read` makes one from TOML and refuses what cannot be simulated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// Short name, as on the command line.
    pub name: String,
    /// One sentence: what happens.
    #[serde(default)]
    pub story: String,
    /// Length in simulated seconds.
    pub seconds: f64,
    /// Films and pictures show what is near this object, from near; the whole of it where it is missing.
    #[serde(default, rename = "close-up", skip_serializing_if = "Option::is_none")]
    pub close_up: Option<String>,
    /// Settings of the simulation.
    #[serde(default)]
    pub world: WorldSpec,
    /// The engine in which moving objects live too; without it they live in Thenar alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<HostSpec>,
    /// Touch on the fingertips is rendered; without it, it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tactile: Option<TactileSpec>,
    /// What can be touched.
    #[serde(default, rename = "object", skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<ObjectSpec>,
    /// What can be squeezed.
    #[serde(default, rename = "soft", skip_serializing_if = "Vec::is_empty")]
    pub softs: Vec<SoftSpec>,
    /// Who touches it.
    #[serde(default, rename = "hand", skip_serializing_if = "Vec::is_empty")]
    pub hands: Vec<HandSpec>,
    /// What pushes it besides.
    #[serde(default, rename = "push", skip_serializing_if = "Vec::is_empty")]
    pub pushes: Vec<PushSpec>,
    /// What must come of it.
    #[serde(default, rename = "check", skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<Check>,
    /// Several runs in place of one: the scene with the values of each case, which must all pass.
    #[serde(default, rename = "case", skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<Variation>,
    /// The same scene with other values, which must pass as well.
    #[serde(default, rename = "variant", skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<Variation>,
    /// The same scene with values under which certain checks must fail: the proof that they can.
    #[serde(default, rename = "control", skip_serializing_if = "Vec::is_empty")]
    pub controls: Vec<Variation>,
}

/// How simulated bones follow tracked ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Tracking {
    /// Through springs that yield under contact.
    #[default]
    Elastic,
    /// Straight to the tracked poses.
    Direct,
}

/// Settings of the simulation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WorldSpec {
    /// Set of methods and parameters: `default`, `clap`, `talvas`, `perez` or `garre`.
    pub preset: String,
    /// Phalanges that are soft, such as `["thumb", "index-distal"]`, in a preset whose hand is soft by phalanges;
    /// all if it does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub soft: Option<Vec<String>>,
    /// Metres per second squared.
    pub gravity: [f64; 3],
    /// Time step, seconds.
    pub step: f64,
    /// Coulomb friction of rigid objects that do not say.
    pub friction: f64,
    /// How simulated bones follow tracked ones.
    pub tracking: Tracking,
    /// Other parameters of the preset by name, such as `strain = "none"`.
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub set: toml::Table,
}

impl Default for WorldSpec {
    fn default() -> Self {
        WorldSpec {
            preset: "default".to_owned(),
            soft: None,
            gravity: [0.0, -9.81, 0.0],
            step: 0.002,
            friction: 0.5,
            tracking: Tracking::default(),
            set: toml::Table::new(),
        }
    }
}
