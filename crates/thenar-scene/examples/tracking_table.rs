//! Elastic against direct tracking [CLAP §5.3]: force, jitter and motion in scenes and under a noisy recording.
//!
//! `cargo run --release -p thenar-scene --example tracking_table`

use std::sync::Arc;

use thenar::hand::{HandModel, HandOptions};
use thenar_scene::scene::Tracking;
use thenar_scene::trackers::{Gentleness, gentleness_of_recording, gentleness_of_scene};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let right = Arc::new(HandModel::build(&HandOptions::default())?);
    println!(
        "| run | tracking | peak force on the hand, N | jitter of the palm, mm | greatest kinetic energy, mJ | recoveries |"
    );
    println!("|---|---|---|---|---|---|");
    for tracking in [Tracking::Elastic, Tracking::Direct] {
        for name in ["press", "push-ground"] {
            row(name, tracking, gentleness_of_scene(&thenar_scene::library::scene(name)?, tracking, &right)?);
        }
        row("noisy recording", tracking, gentleness_of_recording(tracking, &right)?);
    }
    Ok(())
}

fn row(name: &str, tracking: Tracking, g: Gentleness) {
    println!(
        "| {name} | {tracking:?} | {:.1} | {:.3} | {:.2} | {} |",
        g.peak_force,
        1e3 * g.jitter,
        1e3 * g.kinetic_energy,
        g.recoveries
    );
}
