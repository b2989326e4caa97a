//! What the server says in words: JSON messages.

use serde::Serialize;

use super::Mode;

/// A text message of the server.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[allow(missing_docs)] // the protocol's page documents each
pub enum ServerMessage {
    Hello {
        protocol: u32,
        version: &'static str,
        role: &'static str,
        software_hint: bool,
        scenes: Vec<SceneEntry>,
        options: Options,
        hands: Vec<String>,
        grasps: Vec<String>,
    },
    Scene {
        id: u32,
        name: String,
        case: Option<String>,
        cases: Vec<String>,
        continues: bool,
        story: String,
        step: f64,
        seconds: f64,
        hands: Vec<HandEntry>,
        objects: Vec<ObjectEntry>,
        supports: Vec<Support>,
        limits: [[f64; 3]; 2],
        switches: Vec<Switch>,
        sliders: Vec<Slider>,
    },
    Options(Options),
    State(State),
    Error {
        message: String,
        remedy: String,
    },
    Notice {
        message: String,
        remedy: String,
    },
    Recorded {
        bytes: usize,
        seconds: f64,
        name: String,
        url: String,
    },
    Pong {
        t: f64,
    },
}

impl ServerMessage {
    /// As JSON.
    #[must_use]
    pub fn json(&self) -> String {
        // Only maps with odd keys can fail, and there are none.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// A scene of the list.
#[derive(Clone, Debug, Serialize)]
pub struct SceneEntry {
    /// As on the command line.
    pub name: String,
    /// What happens.
    pub story: String,
    /// Heading under which it stands.
    pub group: &'static str,
    /// Address of its picture, if there is one.
    pub picture: Option<String>,
    /// Names of its cases: other things in the same story.
    pub cases: Vec<String>,
}

/// Something level that never moves: its extent, its top and its underside, metres.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Support {
    /// From left to right.
    pub x: [f64; 2],
    /// From back to front.
    pub z: [f64; 2],
    /// Height of its top.
    pub top: f64,
    /// Height of its underside.
    pub bottom: f64,
}

/// Something that is wrong with the simulation itself.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Trouble {
    /// `rolled_back`, `inside_out`, `force`, `overflow` or `yielded`.
    pub kind: &'static str,
    /// For people.
    pub message: String,
    /// What to do about it.
    pub remedy: &'static str,
}

/// Switches and sliders with their present values.
#[derive(Clone, Debug, Serialize)]
pub struct Options {
    /// Choices.
    pub switches: Vec<Switch>,
    /// Numbers.
    pub sliders: Vec<Slider>,
}

/// One of a few words.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Switch {
    /// For `set`.
    pub key: String,
    /// For people.
    pub label: String,
    /// The words.
    pub values: Vec<String>,
    /// The present one.
    pub value: String,
    /// The world goes on as it is when it changes; else hands are built anew, and close around what they held.
    pub live: bool,
    /// Each word in a sentence, with its paper.
    pub about: Vec<String>,
    /// Words for which hands are built anew.
    pub rebuilds: Vec<String>,
    /// Why it makes no difference now, if it does not.
    pub idle: Option<&'static str>,
    /// Of a preset: which choices are not what it brings, in words for people.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differs: Vec<String>,
}

/// A number between bounds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Slider {
    /// For `set`.
    pub key: String,
    /// For people.
    pub label: String,
    /// Least.
    pub min: f64,
    /// Greatest.
    pub max: f64,
    /// Grain.
    pub step: f64,
    /// The present one.
    pub value: f64,
    /// Unit, for people.
    pub unit: &'static str,
    /// The scene is built anew for another value: hands close around what they held.
    pub rebuilds: bool,
}

/// A hand of a scene.
#[derive(Clone, Debug, Serialize)]
pub struct HandEntry {
    /// From 0.
    pub index: usize,
    /// `left` or `right`.
    pub side: &'static str,
    /// Vertices of the streamed skin.
    pub vertices: usize,
    /// Triangles of the streamed skin.
    pub triangles: usize,
    /// Elements of its tissue.
    pub tets: usize,
    /// Where the palm joint is at the start: position, quaternion x y z w.
    pub palm: [f64; 7],
    /// Its length over that of an adult's.
    pub size: f64,
}

/// An object of a scene.
#[derive(Clone, Debug, Serialize)]
pub struct ObjectEntry {
    /// From 0.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// `rigid` or `soft`.
    pub kind: &'static str,
    /// `sphere`, `box`, `capsule`, `cylinder`, `plane`, `mesh` or `parts`.
    pub shape: &'static str,
    /// It never moves.
    pub fixed: bool,
    /// Kilograms; 0 for what is fixed.
    pub mass: f64,
    /// sRGB, 0 to 1.
    pub color: [f32; 3],
    /// It looks best with normals smoothed over its triangles.
    pub smooth: bool,
}

/// What takes time before a scene can start.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Loading {
    /// For people.
    pub what: String,
    /// 0 to 1, where it is known.
    pub share: Option<f64>,
}

/// How it goes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct State {
    /// Number of the loaded scene.
    pub scene: u32,
    /// Time goes on.
    pub playing: bool,
    /// Speed of time.
    pub speed: f64,
    /// Simulated seconds.
    pub time: f64,
    /// What drives the hands.
    pub mode: Mode,
    /// A recording is being made.
    pub recording: bool,
    /// A recording has been loaded that can drive the hands.
    pub replayable: bool,
    /// What is wrong with the simulation.
    pub troubles: Vec<Trouble>,
    /// The page that gets this message controls.
    pub controller: bool,
    /// Pages that are connected.
    pub viewers: usize,
    /// Simulated over real time.
    pub realtime: f64,
    /// Steps per second of real time.
    pub steps_per_s: f64,
    /// What came of the scene, when it has ended.
    pub checks: Option<Vec<Check>>,
    /// Set while something is built.
    pub loading: Option<Loading>,
}

/// The verdict on one check of a scene.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    /// Its name.
    pub label: String,
    /// What was found; `None` where there is no number.
    pub value: Option<f64>,
    /// Of the value and its bounds.
    pub unit: &'static str,
    /// Least allowed.
    pub min: Option<f64>,
    /// Greatest allowed.
    pub max: Option<f64>,
    /// Within its bounds.
    pub ok: bool,
}
