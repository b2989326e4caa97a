//! Which device lets one feel a scene, and why none can.

use thenar::world::{SkeletonMethod, SolverParams, WorldConfig};
use thenar_devices::haptics::Motors;
use thenar_scene::run::world_config;
use thenar_scene::scene::Scene;

use crate::session::explain;
use crate::wire::{Mode, Switch};

/// Of the switch.
pub const KEY: &str = "haptics";
/// Largest force of every device here, N: what desktop devices have.
const FORCE: f64 = 8.0;
/// Largest torque of the one with six motors, N·m.
const TORQUE: f64 = 0.4;

/// What has the hand, or the scene's tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// Tracking, or the scene.
    #[default]
    Off,
    /// The mouse as a device of three motors: there while it drags.
    Mouse,
    /// A simulated person with three motors, who wants what the hand is wanted to do.
    Sim3,
    /// The same with six.
    Sim6,
}

impl Choice {
    pub const ALL: [Choice; 4] = [Choice::Off, Choice::Mouse, Choice::Sim3, Choice::Sim6];

    /// As on the wire, and as the command line has the devices.
    pub fn word(self) -> &'static str {
        match self {
            Choice::Off => "off",
            Choice::Mouse => "mouse",
            Choice::Sim3 => "sim3",
            Choice::Sim6 => "sim6",
        }
    }

    pub fn parse(word: &str) -> Option<Choice> {
        Choice::ALL.into_iter().find(|choice| choice.word() == word)
    }

    pub fn motors(self) -> Motors {
        if self == Choice::Sim6 { Motors::six(FORCE, TORQUE) } else { Motors::three(FORCE) }
    }

    /// The switch with what can be chosen in a scene.
    pub fn switch(self, scene: &Scene, mode: Mode) -> Switch {
        let values: Vec<String> = Choice::ALL.iter().map(|choice| choice.word().to_owned()).collect();
        Switch {
            key: KEY.to_owned(),
            label: "Device".to_owned(),
            about: values.iter().map(|word| explain::about(KEY, word)).collect(),
            values,
            value: self.word().to_owned(),
            live: true,
            rebuilds: Vec::new(),
            idle: obstacle(scene, mode),
            differs: Vec::new(),
        }
    }
}

/// Why no device can hold anything of a scene as it is played, for people.
pub fn obstacle(scene: &Scene, mode: Mode) -> Option<&'static str> {
    match mode {
        Mode::Recording => return Some("A recording moves the hands: choose Watch or Play."),
        Mode::Webxr => return Some("A headset moves the hands: leave VR first."),
        Mode::Script | Mode::Mouse => {}
    }
    let config = world_config(&scene.world).ok()?;
    let tool = scene.softs.iter().any(|soft| !soft.handles.is_empty());
    if !tool && scene.hands.is_empty() {
        return Some("The scene has neither a hand nor a tool that a device could hold.");
    }
    refused(&config, tool)
}

fn refused(config: &WorldConfig, tool: bool) -> Option<&'static str> {
    if matches!(config.solver, SolverParams::Pcg { .. }) {
        return Some(
            "The force is foretold from the factored matrix, and conjugate gradients make none: choose the direct linear solver.",
        );
    }
    if !tool && config.skeleton.method == SkeletonMethod::Reduced {
        return Some(
            "A device holds a palm that is a body, and here bones move by joint angles alone: choose the skeleton of bodies.",
        );
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use thenar_scene::library;

    fn with(name: &str, preset: &str) -> Scene {
        let mut scene = library::scene(name).unwrap();
        scene.world.preset = preset.to_owned();
        scene
    }

    #[test]
    fn what_cannot_be_felt_says_why() {
        for (name, preset, mode, word) in [
            ("ball", "default", Mode::Mouse, None),
            ("ball", "garre", Mode::Script, None),
            ("ball", "perez", Mode::Mouse, None),
            ("tools", "default", Mode::Mouse, None),
            ("tools", "talvas", Mode::Mouse, None),
            ("ball", "clap", Mode::Mouse, Some("direct")),
            ("tools", "clap", Mode::Mouse, Some("direct")),
            ("ball", "talvas", Mode::Script, Some("bodies")),
            ("ball", "default", Mode::Webxr, Some("VR")),
            ("ball", "default", Mode::Recording, Some("Play")),
        ] {
            let why = obstacle(&with(name, preset), mode);
            assert_eq!(why.is_some(), word.is_some(), "{name} {preset} {mode:?}: {why:?}");
            assert!(word.is_none_or(|word| why.is_some_and(|why| why.contains(word))), "{name} {preset}: {why:?}");
        }
    }

    #[test]
    fn words_come_back_as_choices() {
        assert!(Choice::ALL.iter().all(|choice| Choice::parse(choice.word()) == Some(*choice)));
        assert_eq!(Choice::parse("sim9"), None);
    }
}
