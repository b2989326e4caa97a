//! The list of scenes, and the greeting of pages.

use serde_json::Value;
use thenar::hand::Preset;
use thenar_scene::library;
use thenar_scene::motion::Grasp;
use thenar_scene::scene::Scene;

use crate::page;
use crate::wire::{Options, PROTOCOL, SceneEntry, ServerMessage};

/// Headings, and the scenes under them; scenes that stand nowhere come under the last one.
const GROUPS: [(&str, &[&str]); 4] = [
    ("Grasp and lift", &["ball", "hold", "dumbbell", "lift-weak", "lift-strong", "pencil", "tools"]),
    ("Push and press", &["press", "push-ground", "smash", "blocks", "stack", "rotate"]),
    ("Doors and drawers", &["drawer", "button", "door"]),
    ("More", &[]),
];

/// What a page hears first.
pub fn hello(role: &'static str, options: Options) -> ServerMessage {
    ServerMessage::Hello {
        protocol: PROTOCOL,
        version: env!("CARGO_PKG_VERSION"),
        role,
        software_hint: false,
        scenes: scenes(),
        options,
        hands: Preset::ALL.iter().map(|preset| preset.name().to_owned()).collect(),
        grasps: Grasp::ALL.iter().filter_map(name).collect(),
    }
}

/// As it is written in scenes and messages.
fn name(grasp: &Grasp) -> Option<String> {
    match serde_json::to_value(grasp) {
        Ok(Value::String(name)) => Some(name),
        _ => None,
    }
}

fn scenes() -> Vec<SceneEntry> {
    let mut entries: Vec<SceneEntry> = library::scenes()
        .map(|(name, text)| {
            let known = GROUPS.iter().find(|(_, scenes)| scenes.contains(&name));
            let scene = Scene::read(text).ok();
            let cases = scene.iter().flat_map(|scene| scene.cases.iter().map(|case| case.name.clone()));
            SceneEntry {
                name: name.to_owned(),
                cases: cases.collect(),
                story: scene.as_ref().map(|scene| scene.story.clone()).unwrap_or_default(),
                group: known.or(GROUPS.last()).map_or("", |(group, _)| group),
                picture: page::picture(name).map(|_| format!("/scenes/{name}.png")),
            }
        })
        .collect();
    // The order of the library within each group.
    entries.sort_by_key(|entry| GROUPS.iter().position(|(group, _)| *group == entry.group));
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scene_is_listed_once_and_every_name_of_a_group_exists() {
        let listed = scenes();
        assert_eq!(listed.len(), library::scenes().count());
        for name in GROUPS.iter().flat_map(|(_, names)| *names) {
            assert!(listed.iter().any(|entry| entry.name == *name), "{name}");
        }
        assert!(Grasp::ALL.iter().all(|grasp| name(grasp).is_some()));
    }
}
