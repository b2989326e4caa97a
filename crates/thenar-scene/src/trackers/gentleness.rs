//! How roughly a tracker reaches the hand: the comparison of elastic and direct tracking [CLAP §5.3].

use std::path::Path;
use std::sync::Arc;

use thenar::hand::HandModel;
use thenar::math::Vec3;

use super::{Damage, RecordedHand, synthetic, table_height, table_scene};
use crate::assets::Assets;
use crate::run::{RunError, Simulation};
use crate::scene::{Scene, Tracking};

/// Force, tremor and motion of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gentleness {
    /// Greatest sum of normal forces on the hand, N.
    pub peak_force: f64,
    /// Root mean square of the palm's place less the mean of its places one step before and after, metres.
    pub jitter: f64,
    /// Greatest kinetic energy of bones and objects together, J.
    pub kinetic_energy: f64,
    /// Steps that were rolled back.
    pub recoveries: u64,
}

/// Runs a scene of the right hand with that tracking.
///
/// # Errors
/// If it cannot be set up or run.
pub fn gentleness_of_scene(scene: &Scene, tracking: Tracking, right: &Arc<HandModel>) -> Result<Gentleness, RunError> {
    let mut scene = scene.clone();
    scene.world.tracking = tracking;
    measure(simulation(&scene, right)?)
}

/// Runs three seconds of a recording with 1 mm of noise, dropouts and millimetre steps over a table.
///
/// # Errors
/// If it cannot be set up or run.
pub fn gentleness_of_recording(tracking: Tracking, right: &Arc<HandModel>) -> Result<Gentleness, RunError> {
    let damage = Damage { noise: 1e-3, quantum: 1e-3, dropouts: true, ..Damage::default() };
    let recording = Arc::new(synthetic(&right.skeleton, 3.0, damage));
    let mut scene = table_scene(&recording, table_height(&recording, &right.skeleton, 0.35), 0.002)?;
    scene.world.tracking = tracking;
    let mut simulation = simulation(&scene, right)?;
    simulation.drive(0, Box::new(RecordedHand::new(recording, right.side)));
    measure(simulation)
}

fn simulation(scene: &Scene, right: &Arc<HandModel>) -> Result<Simulation, RunError> {
    let quiet = |_: usize, _: usize| {};
    Simulation::new(scene, &|_| Arc::clone(right), &mut Assets::new(Path::new(""), 1, &quiet))
}

fn measure(mut simulation: Simulation) -> Result<Gentleness, RunError> {
    let mut found = Gentleness::default();
    let mut palms: Vec<Vec3> = Vec::new();
    while simulation.advance()?.is_some() {
        let world = simulation.world();
        found.recoveries += u64::from(world.report().flags.rolled_back);
        for hand in simulation.hands() {
            let outputs = world.hand(hand.id);
            found.peak_force = found.peak_force.max(outputs.grip.iter().sum::<f64>() + outputs.palm_force);
        }
        palms.extend(simulation.hands().first().map(|hand| world.hand(hand.id).bones[0].position));
        found.kinetic_energy = found.kinetic_energy.max(kinetic_energy(&simulation));
    }
    let squares = palms.windows(3).map(|w| w[1].distance_squared(0.5 * (w[0] + w[2])));
    found.jitter = (squares.sum::<f64>() / (palms.len() as f64).max(1.0)).sqrt();
    Ok(found)
}

fn kinetic_energy(simulation: &Simulation) -> f64 {
    let state = simulation.world().state();
    let mut sum = 0.0;
    for (index, hand) in simulation.hands().iter().enumerate() {
        // Soft bodies of hands come first, in their order.
        if let Some(soft) = state.softs.get(index) {
            for (bone, body) in hand.model.skeleton.bones.iter().zip(&soft.bones) {
                sum += 0.5 * bone.mass * body.velocity.length_squared();
            }
        }
    }
    for (mass, body) in simulation.masses().iter().zip(&state.objects) {
        sum += 0.5 * mass.unwrap_or(0.0) * body.velocity.length_squared();
    }
    sum
}
