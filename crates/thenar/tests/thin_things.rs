//! Thin, light and fast things are met where they are, not where they would be a step later.

mod hands;
mod touching;

use hands::{Posture, model};
use std::f64::consts::PI;
use thenar::contact::ContactMethod;
use thenar::geometry::distance::Shape;
use thenar::math::{Pose, Quat, Vec3};
use thenar::world::{ObjectId, World};
use touching::verdict::Verdict;
use touching::{METHODS, WEIGHTLESS, block, config, plane, run, slope, soft, thrown, world};

/// 4 mm thick.
const PLATE: Vec3 = Vec3::new(0.03, 0.002, 0.03);
/// kg.
const PLATE_MASS: f64 = 0.02;
const SPEED: f64 = 3.0;
const DT: f64 = 1.0 / 60.0;

/// A plate that flies down from `at`, turned so much about z.
fn throw(world: &mut World, at: Vec3, turn: f64) -> ObjectId {
    let at = Pose::new(at, Quat::from_rotation_z(turn));
    thrown(world, "plate", Shape::Box { half: PLATE }, PLATE_MASS, at, -Vec3::Y * SPEED, 0.5)
}

/// The deepest of these points inside a plate, metres; half its thickness at most.
fn deepest(world: &World, plate: ObjectId, points: impl Iterator<Item = Vec3>) -> f64 {
    let pose = world.object(plate).pose;
    points.map(|p| (PLATE - pose.local(p).abs()).min_element()).fold(0.0, f64::max)
}

#[test]
fn a_thrown_plate_does_not_pass_into_a_soft_block() {
    let mut verdict = Verdict::default();
    for method in METHODS {
        for (turn, start) in [(0.0, 0.085), (0.0, 0.1), (0.5, 0.105)] {
            let mut world = world(method, WEIGHTLESS);
            plane(&mut world, 0.5);
            let target = soft(&mut world, "block", block([6, 6, 6], Vec3::splat(0.06), Vec3::Y * 0.03));
            let plate = throw(&mut world, Vec3::Y * start, turn);
            let mut lowest = f64::INFINITY;
            run(&mut world, 0.2, DT, |w| {
                lowest = lowest.min(w.object(plate).pose.position.y - target.centre(w).y);
            });
            let inside = deepest(&world, plate, target.nodes(&world).iter().copied());
            // 0.09 J press an edge of the plate in by less than 15 mm; the middle of the block is 30 mm down
            verdict.check(lowest > 0.01 && inside < 5e-4, || {
                format!(
                    "{method:?}, turned by {turn}, from {start} m: the plate's middle comes to \
                     {:.1} mm above the block's, and ends {:.2} mm deep",
                    lowest * 1e3,
                    inside * 1e3
                )
            });
        }
    }
    verdict.give();
}

/// Where a plate is that was thrown at an open palm, above the palm's bone at the least, and how deep skin is in it.
fn thrown_at_palm(method: ContactMethod, start: f64) -> (f64, f64) {
    let mut world = World::new(config(method, slope(0.0))).unwrap();
    let hand = world.add_hand(model()).unwrap();
    let wrist = Pose::new(Vec3::ZERO, Quat::from_rotation_z(PI));
    // the hand is there before the plate comes
    let frame = Posture::REST.frame(model(), wrist);
    for _ in 0..10 {
        world.track(hand, &frame).unwrap();
        world.step(DT).unwrap();
    }
    let plate = throw(&mut world, Vec3::new(0.0, start, -0.075), 0.0);
    let mut lowest = f64::INFINITY;
    run(&mut world, 0.1, DT, |w| {
        lowest = lowest.min(w.object(plate).pose.position.y - w.hand(hand).bones[0].position.y);
    });
    let skin = world.hand(hand).skin_positions.iter().map(|p| Vec3::from_array(p.map(f64::from)));
    (lowest, deepest(&world, plate, skin))
}

#[test]
fn a_plate_thrown_at_a_palm_stays_on_it() {
    let mut verdict = Verdict::default();
    for method in METHODS {
        // from 56 mm skin was 1.4 mm deep where contacts were looked for within a millimetre: at 1/60 s things fall further
        for start in [0.05, 0.056, 0.06, 0.065, 0.07] {
            let (lowest, inside) = thrown_at_palm(method, start);
            verdict.check(lowest > 0.0 && inside < 1e-3, || {
                format!(
                    "{method:?}, from {start} m: the plate is {:.1} mm above the bones of the palm at the least, \
                     and skin ends {:.2} mm deep in it",
                    lowest * 1e3,
                    inside * 1e3
                )
            });
        }
    }
    verdict.give();
}
