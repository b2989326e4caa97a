//! Fig. 9 of CLAP: set-up and solve of every step, from no hand to the last touch.

use super::chart::{Axis, Band, Chart, Series};
use super::measure::{grasp_scene, simulate};
use crate::error::Error;
use std::sync::Arc;
use thenar::hand::HandModel;
use thenar::world::Stage;
use thenar_scene::scene::{Fault, FaultKind};

/// Seconds without a tracked hand before the scene begins.
const ABSENT: f64 = 1.0;
/// The scene's own length, seconds, and its step.
const LENGTH: f64 = 9.5;
const STEP: f64 = 1.0 / 90.0;

/// What happens when, in seconds of the scene.
const PHASES: [(f64, f64, &str); 8] = [
    (-ABSENT, 0.0, "no hand"),
    (0.0, 1.6, "it appears"),
    (1.6, 3.0, "grasp, lift"),
    (3.0, 5.0, "squeeze"),
    (5.0, 6.0, "put back"),
    (6.0, 7.3, "release"),
    (7.3, 8.3, ""),
    (8.3, 9.2, "touch"),
];

pub fn draw(hand: &Arc<HandModel>) -> Result<String, Error> {
    let mut scene = grasp_scene(STEP, LENGTH + ABSENT)?;
    for hand in &mut scene.hands {
        hand.keys.iter_mut().for_each(|key| key.at += ABSENT);
        hand.faults.push(Fault { from: 0.0, to: ABSENT, what: FaultKind::Dropout, joints: Vec::new() });
    }
    let stages = [(Stage::Collide, Stage::Assemble), (Stage::Factor, Stage::Solve)];
    let mut points = [Vec::new(), Vec::new()];
    let mut collision = Vec::new();
    simulate(&scene, hand, 1, |report| {
        let ms = |stage: Stage| report.stage_ns[stage as usize] as f64 * 1e-6;
        for (points, (a, b)) in points.iter_mut().zip(stages) {
            points.push((report.time, ms(a) + ms(b)));
        }
        collision.push((report.time, ms(Stage::Collide)));
    })?;
    let [set_up, solve] = points;
    Ok(Chart {
        title: "Time per step while a hand grasps a ball".to_owned(),
        caption: "CLAP Fig. 9: set-up about 10 ms, solve about 10 ms, collision under 0.7 ms (856 tetrahedra)"
            .to_owned(),
        x: Axis { label: "simulated time, s".to_owned(), logarithmic: false },
        y: Axis { label: "ms per step".to_owned(), logarithmic: false },
        series: vec![
            Series { name: "solve".to_owned(), colour: "#c2452d", points: solve, marks: false },
            Series { name: "set-up".to_owned(), colour: "#2d6fc2", points: set_up, marks: false },
            Series { name: "of it collision".to_owned(), colour: "#7a7a7a", points: collision, marks: false },
        ],
        bands: PHASES
            .iter()
            .map(|&(from, to, name)| Band { from: from + ABSENT, to: to + ABSENT, name: name.to_owned() })
            .collect(),
    }
    .svg())
}
