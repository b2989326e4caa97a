//! Two methods of contact on the same scene, step by step in turn, so that whatever else the machine does hits both.

use crate::commands::run::nanoseconds;
use crate::error::Error;
use std::path::Path;
use std::sync::Arc;
use thenar::hand::{HandModel, Side};
use thenar::world::StepReport;
use thenar_scene::assets::Assets;
use thenar_scene::run::{Host, Simulation};
use thenar_scene::scene::Scene;

/// Steps that are measured.
pub const STEPS: u64 = 100;

/// The methods, in the order of the figures.
pub const METHODS: [&str; 2] = ["point", "aggregate"];

/// Medians of one method over the measured steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    /// Gathering and solving the constraints, ms.
    pub solve_ms: f64,
    /// Whole step, ms.
    pub total_ms: f64,
    /// Rows of constraints.
    pub constraints: f64,
    /// Skin vertices that press.
    pub contacts: f64,
    /// How deep the deepest skin vertex is, mm.
    pub depth_mm: f64,
    /// What the hands carry of the weight of what they touch.
    pub carried: f64,
}

/// Runs the scene with both methods up to `hold` seconds, then measures.
pub fn duel(scene: &Scene, hand: &dyn Fn(Side) -> Arc<HandModel>, hold: f64) -> Result<[Figures; 2], Error> {
    let mut sides = Vec::new();
    for method in METHODS {
        let mut scene = scene.clone();
        scene.world.set.insert("contact".to_owned(), method.into());
        // the literal law of preset `talvas` takes steps of 1 ms, which would compare four solves with one
        scene.world.set.insert("pressure".to_owned(), "springs".into());
        let quiet = |_: usize, _: usize| {};
        let mut assets = Assets::new(Path::new("."), 1, &quiet);
        let mut simulation = Simulation::new(&scene, hand, &mut assets).map_err(Error::input)?;
        Host { clock: Some(nanoseconds), threads: 1 }.lend(simulation.world_mut());
        sides.push((simulation, Samples::default()));
    }
    let first = (hold / scene.world.step).round() as u64;
    for step in 0..first + STEPS {
        // Who goes first changes, so that neither always finds the caches of the other.
        for turn in 0..sides.len() as u64 {
            let (simulation, samples) = &mut sides[((step + turn) % 2) as usize];
            let Some(report) = simulation.advance().map_err(Error::input)? else {
                return Err(Error::input(format!("scene {} ends before it was measured", scene.name)));
            };
            if step >= first {
                samples.add(&report.clone(), carried(simulation, scene));
            }
        }
    }
    let figures: Vec<Figures> = sides.iter().map(|(_, samples)| samples.medians()).collect();
    Ok([figures[0], figures[1]])
}

/// Share of the weight of all objects that move which hands hold up.
fn carried(simulation: &Simulation, scene: &Scene) -> f64 {
    let gravity = scene.world.gravity.map(f64::abs).into_iter().fold(0.0, f64::max);
    let (mut lift, mut weight) = (0.0, 0.0);
    for (&object, mass) in simulation.objects().iter().zip(simulation.masses()) {
        if let Some(mass) = mass {
            lift += simulation.world().object(object).force.y;
            weight += mass * gravity;
        }
    }
    if weight > 0.0 { lift / weight } else { 0.0 }
}

#[derive(Default)]
struct Samples(Vec<Figures>);

impl Samples {
    fn add(&mut self, report: &StepReport, carried: f64) {
        self.0.push(Figures {
            solve_ms: report.constrain_ns as f64 * 1e-6,
            total_ms: report.stage_ns.iter().sum::<u64>() as f64 * 1e-6,
            constraints: f64::from(report.constraints),
            contacts: f64::from(report.skin_contacts),
            depth_mm: report.depth * 1e3,
            carried,
        });
    }

    fn medians(&self) -> Figures {
        let median = |value: fn(&Figures) -> f64| {
            let mut values: Vec<f64> = self.0.iter().map(value).collect();
            values.sort_unstable_by(f64::total_cmp);
            values.get(values.len() / 2).copied().unwrap_or(0.0)
        };
        Figures {
            solve_ms: median(|f| f.solve_ms),
            total_ms: median(|f| f.total_ms),
            constraints: median(|f| f.constraints),
            contacts: median(|f| f.contacts),
            depth_mm: self.0.iter().map(|f| f.depth_mm).fold(0.0, f64::max),
            carried: median(|f| f.carried),
        }
    }
}
