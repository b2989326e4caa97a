//! From options to what is run.

use super::Arguments;
use super::unjudged::{NotJudged, take_checks_beyond, take_checks_of_script};
use crate::error::Error;
use std::sync::Arc;
use thenar_scene::scene::{Scene, Variation};
use thenar_scene::trackers::TrackRecording;

/// One run.
pub struct Chosen {
    /// Of the case, or of the scene where it has none.
    pub name: String,
    /// With the options applied.
    pub scene: Scene,
    /// What moves its hands instead of their scripts.
    pub recorded: Option<Arc<TrackRecording>>,
    /// Checks that say nothing about this run.
    pub not_judged: Vec<NotJudged>,
}

impl Arguments {
    /// What is to be run: the scene with the options applied, or all or one of its cases.
    pub(super) fn chosen(&self, scene: &Scene) -> Result<Vec<Chosen>, Error> {
        let mut chosen = Vec::new();
        let runs = scene.runs().map_err(Error::input)?;
        let names: Vec<String> = runs.iter().filter_map(|(case, _)| case.clone()).collect();
        for (case, mut scene) in runs {
            if self.case.is_some() && self.case != case {
                continue;
            }
            let mut not_judged = self.seconds.map_or(Vec::new(), |seconds| shorten(&mut scene, seconds));
            let variation = self.variation(&scene)?;
            self.tactile.apply(&mut scene);
            let mut scene = scene.with(&variation).map_err(Error::input)?;
            let recorded = self.recorded.read(&mut scene, self.seconds, &mut not_judged)?;
            if self.haptics.haptics.is_some() {
                not_judged.extend(take_checks_of_script(&mut scene));
            }
            chosen.push(Chosen { name: case.unwrap_or_else(|| scene.name.clone()), scene, recorded, not_judged });
        }
        match &self.case {
            Some(case) if chosen.is_empty() && names.is_empty() => {
                Err(Error::input(format!("--case {case}: `{}` has no cases", scene.name)))
            }
            Some(case) if chosen.is_empty() => {
                Err(Error::input(format!("--case {case}: expected one of {}", names.join(", "))))
            }
            _ => Ok(chosen),
        }
    }

    /// The options as replaced values of the scene.
    fn variation(&self, scene: &Scene) -> Result<Variation, Error> {
        let mut set = toml::Table::new();
        let mut put = |key: String, value: toml::Value| set.insert(key, value);
        let texts = [
            ("world.preset", &self.preset),
            ("world.tracking", &self.tracking),
            ("world.set.contact", &self.contact),
            ("world.set.pressure", &self.pressure),
            ("world.set.torsion", &self.torsion),
            ("world.set.strain", &self.strain),
            ("world.set.strain-solver", &self.strain_solver),
            ("world.set.relaxation", &self.relaxation),
            ("world.set.skeleton", &self.skeleton),
            ("world.set.coupling", &self.coupling),
            ("world.set.kernels", &self.kernels),
        ];
        for (key, value) in texts {
            if let Some(value) = value {
                put(key.to_owned(), value.clone().into());
            }
        }
        if let Some(soft) = &self.soft {
            put("world.soft".to_owned(), soft.clone().into());
        }
        for (key, value) in [("seconds", self.seconds), ("world.step", self.dt.or(self.haptics.step()))] {
            if let Some(value) = value {
                put(key.to_owned(), value.into());
            }
        }
        if let Some(friction) = self.friction {
            put("world.friction".to_owned(), friction.into());
            for object in scene.objects.iter().filter(|o| o.friction.is_some()) {
                put(format!("object.{}.friction", object.name), friction.into());
            }
        }
        if let Some(side) = self.side {
            for index in 0..scene.hands.len() {
                put(format!("hand.{index}.side"), side.name().into());
            }
        }
        for pair in &self.set {
            let Some((key, value)) = pair.split_once('=') else {
                return Err(Error::input(format!("--set {pair}: expected KEY=VALUE, such as object.ball.mass=0.2")));
            };
            put(key.trim().to_owned(), parsed(value.trim()));
        }
        Ok(Variation { name: "command line".to_owned(), set, cases: Vec::new(), fails: Vec::new() })
    }
}

/// Takes out of a scene what lies beyond a length, and names the checks among it.
fn shorten(scene: &mut Scene, seconds: f64) -> Vec<NotJudged> {
    if seconds >= scene.seconds {
        return Vec::new();
    }
    scene.pushes.retain(|push| push.from < seconds);
    scene.pushes.iter_mut().for_each(|push| push.to = push.to.min(seconds));
    // They may replace values of what is gone, and are not run here.
    scene.variants.clear();
    scene.controls.clear();
    take_checks_beyond(scene, seconds)
}

/// A TOML value, or the text itself where it is none (`--set world.preset=clap`).
fn parsed(text: &str) -> toml::Value {
    let table: Result<toml::Table, _> = format!("v = {text}").parse();
    table.ok().and_then(|mut t| t.remove("v")).unwrap_or_else(|| text.into())
}
