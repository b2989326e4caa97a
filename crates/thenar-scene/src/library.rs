//! The scenes that come with Thenar: the same ones are tested, measured, drawn and documented.

use crate::scene::{Scene, SceneError};

/// The text of a file below `scenes/`; `build.rs` knows where that is.
macro_rules! text {
    ($file:literal) => {
        include_str!(concat!(env!("THENAR_SCENES"), "/", $file))
    };
}

/// Name and text of every scene, in the order in which they are listed.
const SCENES: [(&str, &str); 30] = [
    ("ball", text!("ball.toml")),
    ("press", text!("press.toml")),
    ("push-ground", text!("push-ground.toml")),
    ("hold", text!("hold.toml")),
    ("smash", text!("smash.toml")),
    ("stack", text!("stack.toml")),
    ("teleport", text!("teleport.toml")),
    ("rigid-ball-tips", text!("rigid-ball-tips.toml")),
    ("rigid-ball-close", text!("rigid-ball-close.toml")),
    ("dumbbell", text!("dumbbell.toml")),
    ("edge", text!("edge.toml")),
    ("lever", text!("lever.toml")),
    ("soft-ball", text!("soft-ball.toml")),
    ("self", text!("self.toml")),
    ("pencil", text!("pencil.toml")),
    ("bend", text!("bend.toml")),
    ("finger", text!("finger.toml")),
    ("rib", text!("rib.toml")),
    ("rotate", text!("rotate.toml")),
    ("lift-weak", text!("lift-weak.toml")),
    ("lift-strong", text!("lift-strong.toml")),
    ("trajectory", text!("trajectory.toml")),
    ("tools", text!("tools.toml")),
    ("blocks", text!("blocks.toml")),
    ("toy", text!("toy.toml")),
    ("letters", text!("letters.toml")),
    ("ycb-set", text!("ycb-set.toml")),
    ("drawer", text!("drawer.toml")),
    ("button", text!("button.toml")),
    ("door", text!("door.toml")),
];

/// Tactile devices by name.
const DEVICES: [(&str, &str); 2] = [("disc", text!("devices/disc.toml")), ("button", text!("devices/button.toml"))];

/// Names and texts of the tactile devices that come with Thenar.
pub fn devices() -> impl Iterator<Item = (&'static str, &'static str)> {
    DEVICES.into_iter()
}

/// Files that come with the scenes. Their folder `thenar/` is never looked for on this machine.
const FILES: [(&str, &[u8]); 1] = [("thenar/soft-ball-glove.csv", text!("files/soft-ball-glove.csv").as_bytes())];

/// The content of a file that comes with the scenes, by the name under which scenes refer to it.
#[must_use]
pub fn file(name: &str) -> Option<&'static [u8]> {
    FILES.iter().find(|(known, _)| *known == name).map(|(_, content)| *content)
}

/// Names and texts of all scenes.
pub fn scenes() -> impl Iterator<Item = (&'static str, &'static str)> {
    SCENES.into_iter()
}

/// The scene of that name.
///
/// # Errors
/// If there is none; the nearest name is offered.
pub fn scene(name: &str) -> Result<Scene, SceneError> {
    match SCENES.iter().find(|(known, _)| *known == name) {
        Some((_, text)) => Scene::read(text),
        None => {
            let what = format!("there is no scene `{name}` in the library");
            Err(SceneError::unknown("", what, name, SCENES.iter().map(|(known, _)| *known)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scene_is_sound_and_proves_its_checks() {
        for (name, text) in scenes() {
            let scene = Scene::read(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(scene.name, name);
            assert!(!scene.story.is_empty() && !scene.checks.is_empty(), "{name}");
            assert!(!scene.controls.is_empty(), "{name} has no negative control");
            for (case, run) in scene.runs().unwrap_or_else(|error| panic!("{name}: {error}")) {
                assert!(run == scene || case.is_some(), "{name}");
                for variation in scene.variants.iter().chain(&scene.controls) {
                    let varied = run.with(variation);
                    let varied = varied.unwrap_or_else(|error| panic!("{name} {}: {error}", variation.name));
                    assert_ne!(varied, run, "{name} {}", variation.name);
                }
            }
        }
    }

    #[test]
    fn scenes_are_found_by_name() {
        assert_eq!(scene("ball").unwrap().name, "ball");
        let error = scene("bal").unwrap_err().to_string();
        assert_eq!(error, "there is no scene `bal` in the library; did you mean `ball`?");
    }
}
