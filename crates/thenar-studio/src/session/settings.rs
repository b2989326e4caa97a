//! Switches and sliders: what a person may change, taken from what exists.

use std::collections::BTreeMap;

use thenar::hand::Preset as HandPreset;
use thenar::world::Preset;
use thenar_scene::run::{CHOICES, number_of, world_config};
use thenar_scene::scene::{Scene, SceneError, Tracking, Variation, WorldSpec};

use super::explain;
use super::hands::{Measures, OWN};
use super::problem::Problem;
use crate::wire::{Options, SetValue, Slider, Switch};

/// Choices that are of no use on the page: the solver of limits and relaxation make no difference that can be seen, and the panel must fit 720 px.
const LEFT_OUT: [&str; 3] = ["kernels", "strain-solver", "relaxation"];

/// Key, label, unit, least, greatest, grain.
const SLIDERS: [(&str, &str, &str, f64, f64, f64); 4] = [
    ("friction", "Friction", "", 0.0, 1.5, 0.05),
    ("mass", "Mass of objects", "×", 0.1, 10.0, 0.1),
    ("stiffness", "Stiffness of the flesh", "kPa", 20.0, 400.0, 5.0),
    ("gravity", "Gravity", "m/s²", 0.0, 20.0, 0.1),
];

/// What a person has changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    words: BTreeMap<String, String>,
    numbers: BTreeMap<String, f64>,
    /// Whose hand.
    pub measures: Measures,
    own: Option<Measures>,
}

impl Settings {
    pub fn new(measures: HandPreset) -> Settings {
        let measures = Measures::Preset(measures);
        Settings { words: BTreeMap::new(), numbers: BTreeMap::new(), measures, own: None }
    }

    /// For another scene: its own friction and masses, the same methods.
    pub fn forget_numbers(&mut self) {
        self.numbers.clear();
    }

    /// A person's own hand, from now on to be chosen.
    pub fn add_own(&mut self, own: Measures) {
        self.own = Some(own.clone());
        self.measures = own;
    }

    /// Changes one switch or slider of a scene. What does not go with it in that scene is changed too, which the words say.
    pub fn set(&mut self, key: &str, value: &SetValue, scene: Option<&Scene>) -> Result<Option<String>, Problem> {
        self.change(key, value)?;
        Ok(scene.and_then(|scene| self.reconcile(key, scene)))
    }

    /// Changes the other one of two choices that exclude each other.
    fn reconcile(&mut self, key: &str, scene: &Scene) -> Option<String> {
        let refused = |settings: &Settings| world_config(&settings.apply(scene).ok()?.world).is_err().then_some(());
        refused(self)?;
        let others: &[(&str, &str, &str)] = match key {
            "coupling" => &[("skeleton", "reduced", "One-sided coupling needs the reduced skeleton")],
            "skeleton" => &[("coupling", "two-sided", "Bones that are bodies always feel their flesh")],
            "solver" => &[
                ("contact", "penalty", "Conjugate gradients know contact by springs only"),
                ("strain", "energy", "Conjugate gradients know no hard limits"),
            ],
            "contact" => &[("solver", "direct", "Constraints need the direct solver")],
            "strain" => &[("solver", "direct", "Hard limits need the direct solver")],
            _ => return None,
        };
        let before = self.words.clone();
        let mut told = Vec::new();
        for (other, word, why) in others {
            let last = self.words.insert((*other).to_owned(), (*word).to_owned());
            if last.as_deref() != Some(*word) {
                told.push(format!("{why}: {} is {word} now.", label(other)));
            }
            if refused(self).is_none() {
                return Some(told.join(" "));
            }
        }
        self.words = before;
        None
    }

    fn change(&mut self, key: &str, value: &SetValue) -> Result<(), Problem> {
        match value {
            SetValue::Word(word) if key == "hand" => {
                let own = self.own.clone().filter(|_| word == OWN);
                let preset = || word.parse().ok().map(Measures::Preset);
                self.measures = own.or_else(preset).ok_or_else(|| unfit(key, word))?;
            }
            SetValue::Word(word) => {
                if !words(key).is_some_and(|known| known.contains(word)) {
                    return Err(unfit(key, word));
                }
                if key == "preset" {
                    // A preset brings its own methods.
                    self.words.clear();
                }
                self.words.insert(key.to_owned(), word.clone());
            }
            SetValue::Number(number) => {
                let slider = SLIDERS.iter().find(|slider| slider.0 == key && (slider.3..=slider.4).contains(number));
                slider.ok_or_else(|| unfit(key, number))?;
                self.numbers.insert(key.to_owned(), *number);
            }
        }
        Ok(())
    }

    /// The scene with what was changed.
    pub fn apply(&self, scene: &Scene) -> Result<Scene, SceneError> {
        let mut set = toml::Table::new();
        for (key, word) in &self.words {
            let path = match key.as_str() {
                "preset" | "tracking" => format!("world.{key}"),
                _ => format!("world.set.{key}"),
            };
            set.insert(path, word.clone().into());
        }
        for (key, number) in &self.numbers {
            match key.as_str() {
                "gravity" => {
                    let down: Vec<toml::Value> = [0.0, -number, 0.0].into_iter().map(Into::into).collect();
                    set.insert("world.gravity".to_owned(), down.into());
                }
                "stiffness" => {
                    set.insert("world.set.flesh-young".to_owned(), (number * 1e3).into());
                }
                _ => {}
            }
        }
        let mut scene =
            scene.with(&Variation { name: "studio".to_owned(), set, cases: Vec::new(), fails: Vec::new() })?;
        if let Some(friction) = self.numbers.get("friction") {
            scene.world.friction = *friction;
            scene.objects.iter_mut().for_each(|object| object.friction = None);
        }
        if let Some(factor) = self.numbers.get("mass") {
            for object in scene.objects.iter_mut().filter(|object| !object.fixed) {
                match (&mut object.mass, &mut object.density) {
                    (Some(mass), _) => *mass *= factor,
                    (None, Some(density)) => *density *= factor,
                    (None, density) => *density = Some(thenar_scene::run::USUAL_DENSITY * factor),
                }
            }
        }
        scene.validate()?;
        Ok(scene)
    }

    /// Everything that can be changed, with its value in this scene.
    pub fn options(&self, scene: &Scene) -> Options {
        let config = world_config(&scene.world).ok();
        let mut switches = Vec::new();
        let mut add = |key: &str, label: String, value: String| {
            let mut values = words(key).unwrap_or_default();
            if key == "hand" && self.own.is_some() {
                values.push(OWN.to_owned());
            }
            let about = values.iter().map(|word| explain::about(key, word)).collect();
            let rebuilds = values.iter().filter(|word| **word != value && rebuilds(key, &value, word));
            let rebuilds: Vec<String> = rebuilds.cloned().collect();
            let idle = config.as_ref().and_then(|config| explain::idle(key, config));
            let live = rebuilds.is_empty();
            let differs = if key == "preset" { differs(&scene.world) } else { Vec::new() };
            switches.push(Switch { key: key.to_owned(), label, values, value, live, about, rebuilds, idle, differs });
        };
        add("preset", "Preset".to_owned(), scene.world.preset.clone());
        for choice in CHOICES.iter().filter(|choice| !LEFT_OUT.contains(&choice.name)) {
            let value = config.as_ref().and_then(|config| choice.of(config)).unwrap_or_default();
            add(choice.name, label(choice.name), value.to_owned());
        }
        let tracking = match scene.world.tracking {
            Tracking::Elastic => "elastic",
            Tracking::Direct => "direct",
        };
        add("tracking", "Tracking".to_owned(), tracking.to_owned());
        add("hand", "Hand".to_owned(), self.measures.name().to_owned());
        let moving = scene.objects.iter().find(|object| !object.fixed).or(scene.objects.first());
        let value = |key: &str| match key {
            "friction" => moving.and_then(|object| object.friction).unwrap_or(scene.world.friction),
            "mass" => self.numbers.get("mass").copied().unwrap_or(1.0),
            "stiffness" => config.as_ref().and_then(|c| number_of(c, "flesh-young")).unwrap_or(0.0) * 1e-3,
            _ => -scene.world.gravity[1],
        };
        let slider = |&(key, label, unit, min, max, step): &(&str, &str, &'static str, f64, f64, f64)| Slider {
            key: key.to_owned(),
            label: label.to_owned(),
            min,
            max,
            step,
            value: value(key),
            unit,
            // What another engine simulates has its own friction, masses and gravity.
            rebuilds: scene.host.is_some() && key != "stiffness",
        };
        Options { sliders: SLIDERS.iter().map(slider).collect(), switches }
    }
}

/// Labels of the choices that are not what a world's preset brings: its scene or a person made them.
fn differs(world: &WorldSpec) -> Vec<String> {
    let brought = WorldSpec { set: toml::Table::new(), ..world.clone() };
    let (Ok(now), Ok(brought)) = (world_config(world), world_config(&brought)) else { return Vec::new() };
    let choices = CHOICES.iter().filter(|choice| !LEFT_OUT.contains(&choice.name));
    choices.filter(|choice| choice.of(&now) != choice.of(&brought)).map(|choice| label(choice.name)).collect()
}

/// True if another word needs other hands.
fn rebuilds(key: &str, now: &str, other: &str) -> bool {
    let tissue = |word: &str| Preset::ALL.iter().find(|(name, _)| *name == word).map(|(_, preset)| preset.tissue());
    key == "hand" || (key == "preset" && tissue(now) != tissue(other))
}

/// The words of a switch.
fn words(key: &str) -> Option<Vec<String>> {
    let owned = |words: Vec<&str>| words.into_iter().map(str::to_owned).collect();
    match key {
        "preset" => Some(owned(Preset::ALL.iter().map(|(name, _)| *name).collect())),
        "tracking" => Some(owned(vec!["elastic", "direct"])),
        "hand" => Some(owned(HandPreset::ALL.iter().map(|preset| preset.name()).collect())),
        _ => {
            let choice = CHOICES.iter().find(|choice| choice.name == key && !LEFT_OUT.contains(&key))?;
            Some(owned(choice.words().collect()))
        }
    }
}

/// Words for people; a method that nobody has named here shows its own name.
fn label(choice: &str) -> String {
    let known = match choice {
        "contact" => "Skin contact",
        "strain" => "Limit of strain",
        "strain-solver" => "Solver of hard limits",
        "solver" => "Linear solver",
        "coupling" => "Skeleton and tissue",
        "torsion" => "Torsional friction",
        "pressure" => "Pressure in a patch",
        other => {
            let mut letters = other.replace('-', " ");
            if let Some(first) = letters.get_mut(..1) {
                first.make_ascii_uppercase();
            }
            return letters;
        }
    };
    known.to_owned()
}

fn unfit(key: &str, value: &dyn std::fmt::Display) -> Problem {
    let message = format!("`{key}` cannot be `{value}`");
    let remedy = match (words(key), SLIDERS.iter().find(|slider| slider.0 == key)) {
        (Some(words), _) => format!("Choose one of: {}.", words.join(", ")),
        (None, Some(slider)) => format!("Choose a number from {} to {}.", slider.3, slider.4),
        (None, None) => "Choose one of the listed switches and sliders.".to_owned(),
    };
    Problem { message, remedy }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thenar_scene::library;

    fn word(text: &str) -> SetValue {
        SetValue::Word(text.to_owned())
    }

    #[test]
    fn every_word_of_every_switch_and_both_ends_of_every_slider_make_a_scene() {
        let scene = library::scene("ball").unwrap();
        let options = Settings::new(HandPreset::Adult).options(&scene);
        assert!(options.switches.iter().any(|switch| switch.key == "contact" && switch.values.len() >= 2));
        for switch in &options.switches {
            assert!(switch.values.contains(&switch.value), "{switch:?}");
            for value in &switch.values {
                let mut settings = Settings::new(HandPreset::Adult);
                settings.set(&switch.key, &word(value), Some(&scene)).unwrap();
                let changed = settings.apply(&scene).unwrap();
                world_config(&changed.world).unwrap_or_else(|error| panic!("{} {value}: {error}", switch.key));
                let changed = settings.options(&changed);
                let now = changed.switches.iter().find(|other| other.key == switch.key).unwrap();
                assert_eq!(&now.value, value, "{}", switch.key);
            }
        }
        for slider in &options.sliders {
            assert!((slider.min..=slider.max).contains(&slider.value), "{slider:?}");
            for value in [slider.min, slider.max] {
                let mut settings = Settings::new(HandPreset::Adult);
                settings.set(&slider.key, &SetValue::Number(value), Some(&scene)).unwrap();
                let changed = settings.options(&settings.apply(&scene).unwrap());
                let now = changed.sliders.iter().find(|other| other.key == slider.key).unwrap();
                assert!((now.value - value).abs() < 1e-9, "{}", slider.key);
            }
        }
    }

    /// The studio says so beforehand.
    #[test]
    fn what_another_engine_simulates_is_built_anew_by_its_sliders() {
        let rebuilds = |scene: &str| -> Vec<String> {
            let options = Settings::new(HandPreset::Adult).options(&library::scene(scene).unwrap());
            options.sliders.into_iter().filter(|slider| slider.rebuilds).map(|slider| slider.key).collect()
        };
        assert_eq!(rebuilds("stack"), ["friction", "mass", "gravity"]);
        assert!(rebuilds("ball").is_empty());
    }

    /// Whatever is chosen after whatever: there is no pair that a person has to undo.
    #[test]
    fn choices_that_exclude_each_other_give_way() {
        let scene = library::scene("ball").unwrap();
        let switches = Settings::new(HandPreset::Adult).options(&scene).switches;
        let all = || switches.iter().flat_map(|switch| switch.values.iter().map(|value| (&switch.key, value)));
        let mut told = 0;
        for (first, second) in all().flat_map(|first| all().map(move |second| (first, second))) {
            let mut settings = Settings::new(HandPreset::Adult);
            for (key, value) in [first, second] {
                told += usize::from(settings.set(key, &word(value), Some(&scene)).unwrap().is_some());
            }
            let world = settings.apply(&scene).unwrap().world;
            world_config(&world).unwrap_or_else(|error| panic!("{first:?}, {second:?}: {error}"));
            let now = settings.options(&settings.apply(&scene).unwrap()).switches;
            assert!(now.iter().any(|switch| (&switch.key, &switch.value) == second), "{first:?}, {second:?}");
        }
        assert!(told > 0, "one-sided coupling changes the skeleton, and the page says so");
    }

    #[test]
    fn what_does_not_fit_is_refused_with_what_would() {
        let mut settings = Settings::new(HandPreset::Adult);
        let remedy =
            |settings: &mut Settings, key: &str, value: SetValue| settings.set(key, &value, None).unwrap_err().remedy;
        assert!(remedy(&mut settings, "contact", word("glue")).contains("penalty"));
        assert!(remedy(&mut settings, "friction", SetValue::Number(9.0)).contains("1.5"));
        assert!(remedy(&mut settings, "kernels", word("portable")).contains("listed"));
        assert!(remedy(&mut settings, "hand", word(OWN)).contains("child"));
        assert_eq!(settings, Settings::new(HandPreset::Adult));
    }
}
