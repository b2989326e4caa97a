//! Cases, variants and controls of the library's scenes, simulated in full: their checks hold, and the controls prove that the
//! checks can fail.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use thenar::hand::{HandModel, HandOptions, Side};
use thenar_scene::assets::Assets;
use thenar_scene::library;
use thenar_scene::run::{Host, run, run_variations};

fn model(side: Side) -> Arc<HandModel> {
    static RIGHT: OnceLock<Arc<HandModel>> = OnceLock::new();
    let right = RIGHT.get_or_init(|| Arc::new(HandModel::build(&HandOptions::default()).unwrap()));
    match side {
        Side::Right => Arc::clone(right),
        Side::Left => Arc::new(right.mirrored()),
    }
}

fn passes(name: &str) {
    let scene = library::scene(name).unwrap();
    let mut assets = Assets::new(Path::new("."), 1, &|_, _| {});
    // the first case, or the only one, is judged with those of the other methods (`judged.rs`)
    for (case, scene) in scene.runs().unwrap().into_iter().skip(1) {
        let outcome = run(&scene, &model, &mut assets, Host::default(), &mut |_| {}).unwrap();
        assert!(outcome.passed, "{name}, {case:?}: {:#?}", outcome.checks);
    }
    for outcome in run_variations(&scene, &model, &mut assets, Host::default()).unwrap() {
        assert!(outcome.passed, "{name}, {:?}: {:#?}", outcome.role, outcome.checks);
    }
}

#[test]
fn ball() {
    passes("ball");
}

#[test]
fn teleport() {
    passes("teleport");
}

#[test]
fn push_ground() {
    passes("push-ground");
}

#[test]
fn press() {
    passes("press");
}

#[test]
fn hold() {
    passes("hold");
}

#[test]
fn rigid_ball_tips() {
    passes("rigid-ball-tips");
}

#[test]
fn bend() {
    passes("bend");
}

#[test]
fn finger() {
    passes("finger");
}

#[test]
fn rib() {
    passes("rib");
}

#[test]
fn lift_weak() {
    passes("lift-weak");
}

#[test]
fn lift_strong() {
    passes("lift-strong");
}

#[test]
fn rigid_ball_close() {
    passes("rigid-ball-close");
}

#[test]
fn dumbbell() {
    passes("dumbbell");
}

#[test]
fn pencil() {
    passes("pencil");
}

#[test]
fn rotate() {
    passes("rotate");
}

#[test]
fn trajectory() {
    passes("trajectory");
}

#[test]
fn tools() {
    passes("tools");
}

#[test]
fn smash() {
    passes("smash");
}

#[test]
fn stack() {
    passes("stack");
}

#[test]
fn blocks() {
    passes("blocks");
}

#[test]
fn toy() {
    passes("toy");
}

#[test]
fn letters() {
    passes("letters");
}

#[test]
fn ycb_set() {
    passes("ycb-set");
}

#[test]
fn drawer() {
    passes("drawer");
}

#[test]
fn button() {
    passes("button");
}

#[test]
fn door() {
    passes("door");
}

#[test]
fn edge() {
    passes("edge");
}

#[test]
fn lever() {
    passes("lever");
}

#[test]
fn soft_ball() {
    passes("soft-ball");
}

#[test]
fn a_hand_feels_itself() {
    passes("self");
}
