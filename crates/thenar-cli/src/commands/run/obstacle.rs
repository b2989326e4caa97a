//! What a haptic device cannot hold, or be combined with: told before anything is built.

use crate::error::Error;
use thenar::world::{SkeletonMethod, SolverParams, WorldConfig};
use thenar_scene::run::world_config;
use thenar_scene::scene::Scene;

/// Refuses a scene that a device cannot make felt.
pub fn check(scene: &Scene, glove: bool) -> Result<(), Error> {
    let config = world_config(&scene.world).map_err(Error::input)?;
    let hand = glove || scene.softs.iter().all(|soft| soft.handles.is_empty());
    if hand && scene.hands.is_empty() {
        let what = if glove { "no hand for a glove" } else { "neither a hand nor a soft object with a handle" };
        return Err(Error::input(format!("--haptics: `{}` has {what}; choose another scene", scene.name)));
    }
    if glove && config.skeleton.method == SkeletonMethod::Handle {
        let what = "has no phalanges that are bodies; leave --glove out";
        return Err(Error::input(format!("--glove: a hand of preset {} {what}", scene.world.preset)));
    }
    match refused(&config, hand) {
        Some(why) => Err(Error::input(format!("--haptics with preset {}: {why}", scene.world.preset))),
        None => Ok(()),
    }
}

/// Why no device can feel a world with these methods; `hand` where it would hold one.
fn refused(config: &WorldConfig, hand: bool) -> Option<&'static str> {
    if matches!(config.solver, SolverParams::Pcg { .. }) {
        return Some(
            "the force is foretold from the factored matrix, and conjugate gradients make none; say `--set world.set.solver=direct`, or choose a preset other than clap",
        );
    }
    if hand && config.skeleton.method == SkeletonMethod::Reduced {
        return Some(
            "a device holds a bone that is a body, and here bones move by joint angles alone; say `--skeleton bodies`",
        );
    }
    None
}
