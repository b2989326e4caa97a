//! Times of whole steps: a hand of 850 tetrahedra alone, and with fingers closed on a block:
//! `cargo bench -p thenar --bench step`.

use divan::Bencher;
use thenar::geometry::distance::Shape;
use thenar::hand::{Digit, HandModel, HandOptions, HandPose};
use thenar::math::{Pose, Quat, Vec3};
use thenar::tracking::TrackerFrame;
use thenar::world::{ObjectDef, SolverParams, World, WorldConfig};

fn main() {
    divan::main();
}

const DT: f64 = 1.0 / 250.0;

/// A hand that has closed on a block, or on nothing.
fn settled(solver: SolverParams, with_block: bool) -> World {
    let model = HandModel::build(&HandOptions::default()).expect("the default hand");
    let mut world = World::new(WorldConfig { solver, ..WorldConfig::default() }).expect("parameters that fit");
    let hand = world.add_hand(&model).expect("its tissue");
    if with_block {
        let at = Pose::new(Vec3::new(0.0, -0.04, -0.08), Quat::IDENTITY);
        let block = Shape::Box { half: Vec3::splat(0.025) };
        world.add_object(ObjectDef::fixed("block", block, at)).expect("a block");
    }
    for step in 0..200 {
        let closed = (f64::from(step) / 100.0).min(1.0);
        let mut pose = HandPose::default();
        for digit in Digit::FINGERS {
            *pose.digit_mut(digit) = [closed, 0.0, closed, 0.6 * closed];
        }
        let bones = model.skeleton.pose(&pose, Pose::IDENTITY);
        world
            .track(hand, &TrackerFrame { side: model.side, joints: model.skeleton.joint_set(&bones) })
            .expect("a hand of this world");
        world.step(DT).expect("a step of 4 ms");
    }
    world
}

fn step(bencher: Bencher<'_, '_>, mut world: World) {
    bencher.bench_local(move || world.step(DT).map(|report| report.hash));
}

#[divan::bench(sample_size = 20)]
fn free(bencher: Bencher<'_, '_>) {
    step(bencher, settled(SolverParams::Direct, false));
}

#[divan::bench(sample_size = 20)]
fn touching(bencher: Bencher<'_, '_>) {
    step(bencher, settled(SolverParams::Direct, true));
}

#[divan::bench(sample_size = 20)]
fn touching_with_conjugate_gradients(bencher: Bencher<'_, '_>) {
    step(bencher, settled(SolverParams::Pcg { tolerance: 1e-5, max_iterations: 1000 }, true));
}
