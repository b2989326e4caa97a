//! A hand grasps a baseball on a table, lifts it and prints how hard it grips.
//!
//! `cargo run --release -p thenar --example lift_ball`
#![allow(clippy::disallowed_macros)] // An example may print; the engine does not.

use thenar::geometry::distance::Shape;
use thenar::hand::{HandModel, HandOptions, HandPose, SkinDetail};
use thenar::math::{Pose, Quat, Vec3};
use thenar::tracking::TrackerFrame;
use thenar::world::{ObjectDef, World, WorldConfig};

const DT: f64 = 1.0 / 250.0;
const RADIUS: f64 = 0.0365;

/// Joint angles of thumb to little finger around a ball, degrees: flexion and spread at the root, then two flexions.
const GRASP: [[f64; 4]; 5] = [
    [32.0, 4.0, 21.0, 11.0],
    [44.0, 2.0, 40.0, 20.0],
    [40.0, -4.0, 40.0, 21.0],
    [40.0, -10.0, 42.0, 22.0],
    [44.0, -14.0, 42.0, 22.0],
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let lifted = lift()?;
    println!("the ball hangs {:.0} mm above the table", 1e3 * lifted);
    Ok(())
}

/// Height of the ball over the table at the end, metres.
fn lift() -> Result<f64, Box<dyn std::error::Error>> {
    let model = HandModel::build(&HandOptions { detail: SkinDetail::Coarse, ..HandOptions::default() })?;
    let mut world = World::new(WorldConfig::default())?;
    let hand = world.add_hand(&model)?;
    world.add_object(ObjectDef::fixed("table", Shape::Plane, Pose::IDENTITY))?;
    let on_table = Pose::new(Vec3::Y * RADIUS, Quat::IDENTITY);
    let ball = world.add_object(ObjectDef {
        friction: 0.6,
        ..ObjectDef::moving("ball", Shape::Sphere { radius: RADIUS }, 0.145, on_table)
    })?;
    println!("time s  grip N  palm N  ball mm");
    for step in 0..750 {
        // What a tracker would see: over the ball with half closed fingers, closing, then rising.
        let time = f64::from(step) * DT;
        let closed = 0.4 + 0.5 * (time / 1.0).clamp(0.0, 1.0);
        let risen = 0.1 * (time - 1.5).clamp(0.0, 1.0);
        let pose = HandPose { digits: GRASP.map(|digit| digit.map(|angle| (closed * angle).to_radians())) };
        let wrist = Pose::new(Vec3::new(0.005, RADIUS + 0.05 + risen, 0.09), Quat::IDENTITY);
        let joints = model.skeleton.joint_set(&model.skeleton.pose(&pose, wrist));
        world.track(hand, &TrackerFrame { side: model.side, joints })?;
        world.step(DT)?;
        if step % 75 == 74 {
            // What a game, a glove or a report would read.
            let (out, height) = (world.hand(hand), world.object(ball).pose.position.y - RADIUS);
            let grip: f64 = out.grip.iter().sum();
            println!("{:6.2}  {grip:6.1}  {:6.1}  {:7.1}", time + DT, out.palm_force, 1e3 * height);
        }
    }
    Ok(world.object(ball).pose.position.y - RADIUS)
}

#[test]
fn the_ball_is_lifted() {
    assert!(lift().unwrap() > 0.08);
}
