//! The scenes that come with Thenar: the same ones are tested, measured, drawn and documented.

use crate::scene::{Scene, SceneError};

/// Name and text of every scene, in the order in which they are listed.
const SCENES: [(&str, &str); 28] = [
    ("ball", include_str!("../../../scenes/ball.toml")),
    ("press", include_str!("../../../scenes/press.toml")),
    ("push-ground", include_str!("../../../scenes/push-ground.toml")),
    ("hold", include_str!("../../../scenes/hold.toml")),
    ("smash", include_str!("../../../scenes/smash.toml")),
    ("stack", include_str!("../../../scenes/stack.toml")),
    ("teleport", include_str!("../../../scenes/teleport.toml")),
    ("rigid-ball-tips", include_str!("../../../scenes/rigid-ball-tips.toml")),
    ("rigid-ball-close", include_str!("../../../scenes/rigid-ball-close.toml")),
    ("dumbbell", include_str!("../../../scenes/dumbbell.toml")),
    ("edge", include_str!("../../../scenes/edge.toml")),
    ("lever", include_str!("../../../scenes/lever.toml")),
    ("soft-ball", include_str!("../../../scenes/soft-ball.toml")),
    ("self", include_str!("../../../scenes/self.toml")),
    ("pencil", include_str!("../../../scenes/pencil.toml")),
    ("bend", include_str!("../../../scenes/bend.toml")),
    ("rotate", include_str!("../../../scenes/rotate.toml")),
    ("lift-weak", include_str!("../../../scenes/lift-weak.toml")),
    ("lift-strong", include_str!("../../../scenes/lift-strong.toml")),
    ("trajectory", include_str!("../../../scenes/trajectory.toml")),
    ("tools", include_str!("../../../scenes/tools.toml")),
    ("blocks", include_str!("../../../scenes/blocks.toml")),
    ("toy", include_str!("../../../scenes/toy.toml")),
    ("letters", include_str!("../../../scenes/letters.toml")),
    ("ycb-set", include_str!("../../../scenes/ycb-set.toml")),
    ("drawer", include_str!("../../../scenes/drawer.toml")),
    ("button", include_str!("../../../scenes/button.toml")),
    ("door", include_str!("../../../scenes/door.toml")),
];

/// Files that come with the scenes. Their folder `thenar/` is never looked for on this machine.
const FILES: [(&str, &[u8]); 1] =
    [("thenar/soft-ball-glove.csv", include_bytes!("../../../scenes/files/soft-ball-glove.csv"))];

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
