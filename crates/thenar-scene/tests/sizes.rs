//! Scripts are written for an adult; every other hand does the same.

use std::path::Path;

use thenar::hand::{Anatomy, HandModel, HandOptions, Preset, Side};
use thenar_scene::assets::Assets;
use thenar_scene::library;
use thenar_scene::run::{Probe, Simulation};

#[test]
fn every_hand_lifts_squeezes_and_puts_back_the_ball() {
    let scene = library::scene("ball").unwrap();
    let mut failed = Vec::new();
    for preset in Preset::ALL.into_iter().filter(|preset| *preset != Preset::Adult) {
        let anatomy = Anatomy::preset(preset, Side::Right);
        let model = HandModel::build(&HandOptions { anatomy, ..HandOptions::default() }).unwrap();
        let model = std::sync::Arc::new(model);
        let mut assets = Assets::new(Path::new("."), 1, &|_, _| {});
        let mut simulation = Simulation::new(&scene, &|_| model.clone(), &mut assets).unwrap();
        let mut probe = Probe::new(&scene, &simulation);
        while simulation.advance().unwrap().is_some() {
            probe.read(&simulation);
        }
        for check in probe.outcomes(simulation.step()).iter().filter(|check| !check.ok) {
            failed.push(format!("{}: {} is {}", preset.name(), check.name, check.value));
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}
