//! A hand that comes down on a ball on a table while it closes.

use super::{DT, tracked};
use thenar::geometry::distance::Shape;
use thenar::hand::{Digit, HandModel, HandPose};
use thenar::math::{Pose, Quat, Vec3};
use thenar::tracking::TrackerFrame;
use thenar::world::{HandId, ObjectDef, ObjectId, World, WorldConfig};

/// Fingers bent by `close`: 0 open to 1 fist.
pub fn bent(close: f64) -> HandPose {
    let mut pose = HandPose::default();
    for digit in Digit::FINGERS {
        *pose.digit_mut(digit) = [0.9 * close, 0.0, 1.0 * close, 0.6 * close];
    }
    pose.digit_mut(Digit::Thumb)[0] = 0.4 * close;
    pose
}

/// The tracked hand, bent by `close`, with its wrist at `wrist`.
pub fn frame_of(model: &HandModel, close: f64, wrist: Vec3) -> TrackerFrame {
    tracked(model, &bent(close), Pose::new(wrist, Quat::IDENTITY))
}

/// A hand above a table, a ball under its palm.
pub fn hand_and_ball(model: &HandModel, config: WorldConfig) -> (World, HandId, ObjectId) {
    let mut world = World::new(config).unwrap();
    let hand = world.add_hand(model).unwrap();
    let table = Pose::new(Vec3::new(0.0, -0.1, 0.0), Quat::IDENTITY);
    world.add_object(ObjectDef::fixed("table", Shape::Plane, table)).unwrap();
    let radius = 0.03;
    let at = Pose::new(Vec3::new(-0.005, -0.1 + radius, -0.075), Quat::IDENTITY);
    let ball = world.add_object(ObjectDef::moving("ball", Shape::Sphere { radius }, 0.1, at)).unwrap();
    (world, hand, ball)
}

/// The hand comes down on the ball while it closes: contacts on palm, fingers, table.
pub fn press_on_ball(world: &mut World, hand: HandId, model: &HandModel, steps: usize) {
    for i in 0..steps {
        let t = (i as f64 * DT / 0.6).min(1.0);
        world.track(hand, &frame_of(model, 0.7 * t, Vec3::new(0.0, -0.034 * t, 0.0))).unwrap();
        let report = world.step(DT).unwrap();
        assert!(!report.flags.rolled_back, "step {i}");
    }
}

/// Goes on from [`press_on_ball`], the hand slowly rising; returns the hash of the last step.
pub fn rise_from_ball(world: &mut World, hand: HandId, model: &HandModel, steps: usize) -> u64 {
    for i in 0..steps {
        world.track(hand, &frame_of(model, 0.7, Vec3::new(0.0, -0.034 + 1e-4 * i as f64, 0.0))).unwrap();
        world.step(DT).unwrap();
    }
    world.report().hash
}

/// From one pressed state, a step by the direct and one by the iterative solver must end alike.
pub fn assert_solvers_agree(model: &HandModel, config: &WorldConfig) {
    use thenar::world::SolverParams;
    let (mut world, hand, _) = hand_and_ball(model, config.clone());
    press_on_ball(&mut world, hand, model, 200);
    assert!(world.report().skin_contacts > 4, "{} contacts", world.report().skin_contacts);
    let snapshot = world.snapshot();
    let after = [SolverParams::Direct, SolverParams::Pcg { tolerance: 1e-12, max_iterations: 20_000 }].map(|solver| {
        let (mut other, hand, _) = hand_and_ball(model, WorldConfig { solver, ..config.clone() });
        other.restore(&snapshot).unwrap();
        other.track(hand, &frame_of(model, 0.7, Vec3::new(0.0, -0.034, 0.0))).unwrap();
        other.step(DT).unwrap();
        other.state().clone()
    });
    let fastest = after[0].softs[0].velocities.iter().map(|v| v.length()).fold(0.0, f64::max);
    // The linear systems are solved to 1e-12. The laws of contact are met to a thousandth of friction by both solvers, one by
    // lifting contacts out of the matrix, the other by modelling them anew: a millinewton, which moves a node of half a gram
    // by a few hundredths of a millimetre per second.
    let close = 0.05 * fastest.max(1e-3);
    for (a, b) in after[0].softs[0].velocities.iter().zip(&after[1].softs[0].velocities) {
        assert!((*a - *b).length() < close, "{a} {b}");
    }
    assert!((after[0].objects[1].velocity - after[1].objects[1].velocity).length() < close);
}
