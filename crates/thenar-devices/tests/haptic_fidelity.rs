//! The force of a hand on a prescribed path, at 50 steps a second and at 1000, against a simulation of everything at 1 kHz.

use std::path::Path;
use std::sync::Arc;
use thenar::hand::{HandModel, HandOptions, SkinDetail};
use thenar::haptics::DeviceCoupling;
use thenar_devices::haptics::fidelity::{Fidelity, fidelity};
use thenar_devices::haptics::trial::Rendering;
use thenar_scene::assets::Assets;
use thenar_scene::library;
use thenar_scene::run::Simulation;

fn measured(options: &HandOptions, ways: &[(Rendering, f64)]) -> Vec<Fidelity> {
    let hand = Arc::new(HandModel::build(options).unwrap());
    let mut make = |step: f64| {
        let mut scene = library::scene("trajectory")?;
        scene.world.step = step;
        let mut assets = Assets::new(Path::new("."), 1, &|_, _| {});
        Simulation::new(&scene, &|_| Arc::clone(&hand), &mut assets)
    };
    let rows = fidelity(&mut make, ways, DeviceCoupling::default()).unwrap();
    println!("{rows:#?}");
    for row in &rows {
        assert!(row.force > 0.3, "{} feels {:.2} N", row.way, row.force);
        assert!(row.counted > 0.9, "{:.2} of the time counts", row.counted);
    }
    rows
}

/// A person tells forces apart that differ by 7 to 10 %.
#[test]
fn the_linear_model_at_50_steps_a_second_is_within_what_people_tell_apart() {
    let mut options = HandOptions { detail: SkinDetail::Coarse, ..HandOptions::default() };
    options.tissue.tets = 600;
    let [row] = &measured(&options, &[(Rendering::Linear, 50.0)])[..] else { panic!("one way, one row") };
    assert!(row.error < 0.1, "{:.1} %", 100.0 * row.error);
}

#[test]
#[ignore = "simulates 15 s of the usual hand in steps of 1 ms"]
fn the_usual_hand_is_as_true_at_every_rate() {
    let rates = [20.0, 50.0, 90.0].map(|rate| (Rendering::Linear, rate));
    let ways = [&rates[..], &[(Rendering::Full, 1000.0)]].concat();
    for row in measured(&HandOptions::default(), &ways) {
        let most = match (row.way, row.visual_rate) {
            ("linear model", 50.0..) => 0.1,
            // a frame of 50 ms is longer than what is left out after an impact: a touch is told of a frame late
            ("linear model", _) => 0.2,
            // what a handle does within two ticks
            _ => 0.03,
        };
        assert!(row.error < most, "{} at {} Hz: {:.1} %", row.way, row.visual_rate, 100.0 * row.error);
    }
}
