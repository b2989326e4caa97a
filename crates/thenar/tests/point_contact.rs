//! Contact as constraints at points, through a whole step.

mod bar;

use thenar::contact::ContactMethod;
use thenar::energy::tissue::Material;
use thenar::geometry::TetMesh;
use thenar::geometry::distance::Shape;
use thenar::math::{Pose, Quat, Vec3};
use thenar::world::{ObjectDef, SoftDef, World, WorldConfig};

/// A soft plate, its lower face on y = 0.
fn plate() -> TetMesh {
    let mut mesh = bar::box_mesh([4, 2, 4], Vec3::new(0.06, 0.02, 0.06));
    mesh.positions.iter_mut().for_each(|p| *p -= Vec3::new(0.03, 0.0, 0.03));
    mesh
}

/// A soft plate on a table with a brick on top, gravity tilted by `degrees`, friction `mu`.
fn brick_on_plate(method: ContactMethod, degrees: f64, mu: f64) -> (World, thenar::world::ObjectId) {
    let tilt = degrees.to_radians();
    let gravity = Vec3::new(9.81 * libm::sin(tilt), -9.81 * libm::cos(tilt), 0.0);
    let mut world = World::new(WorldConfig { gravity, method, ..WorldConfig::default() }).unwrap();
    let mut table = ObjectDef::fixed("table", Shape::Plane, Pose::IDENTITY);
    table.friction = 0.9;
    world.add_object(table).unwrap();
    let material = Material { young: 1e5, poisson: 0.33 };
    let mesh = plate();
    world.add_soft(SoftDef::new("plate", mesh, material, 1000.0)).unwrap();
    let half = Vec3::new(0.02, 0.01, 0.02);
    let above = Pose::new(Vec3::new(0.0, 0.0305, 0.0), Quat::IDENTITY);
    let mut brick = ObjectDef::moving("brick", Shape::Box { half }, 0.2, above);
    brick.friction = mu;
    let brick = world.add_object(brick).unwrap();
    (world, brick)
}

#[test]
fn nothing_sinks_in_and_the_plate_carries_both_weights() {
    let (mut world, brick) = brick_on_plate(ContactMethod::Point, 0.0, 0.5);
    for _ in 0..600 {
        assert!(!world.step(1.0 / 250.0).unwrap().flags.rolled_back);
    }
    let (brick_weight, plate_weight) = (0.2 * 9.81, 0.06 * 0.02 * 0.06 * 1000.0 * 9.81);
    let on_brick = world.object(brick).force.y;
    let on_table = world.object(thenar::world::ObjectId(0)).force.y;
    assert!((on_brick - brick_weight).abs() < 1e-3 * brick_weight, "the plate carries {on_brick} N");
    assert!((on_table + brick_weight + plate_weight).abs() < 1e-3 * (brick_weight + plate_weight), "{on_table} N");
    let lowest = world.state().softs[0].nodes.iter().map(|n| n.y).fold(f64::INFINITY, f64::min);
    assert!(lowest > -1e-6, "sinks {lowest} m into the table");
}

#[test]
fn a_brick_sticks_below_the_friction_angle_and_slides_above() {
    // atan 0.5 = 26.6°
    for (degrees, sticks) in [(15.0, true), (40.0, false)] {
        let (mut world, brick) = brick_on_plate(ContactMethod::Point, degrees, 0.5);
        for _ in 0..250 {
            world.step(1.0 / 250.0).unwrap();
        }
        let before = world.object(brick).pose.position;
        for _ in 0..50 {
            world.step(1.0 / 250.0).unwrap();
        }
        let moved = world.object(brick).pose.position.distance(before);
        if sticks {
            assert!(moved < 1e-6, "creeps {moved} m in 0.2 s");
        } else {
            assert!(moved > 1e-2, "hangs on a slope that is too steep: {moved} m in 0.2 s");
        }
    }
}

#[test]
fn springs_and_constraints_rest_in_the_same_place() {
    let rest = [ContactMethod::Penalty, ContactMethod::Point].map(|method| {
        let (mut world, brick) = brick_on_plate(method, 10.0, 0.8);
        for _ in 0..600 {
            world.step(1.0 / 250.0).unwrap();
        }
        world.object(brick).pose.position
    });
    assert!(rest[0].distance(rest[1]) < 3e-4, "{rest:?}");
}

/// How far a contact's gap is from what the distance field says where it ended, the worst of all steps of an oblique blow on a ball, metres.
fn misread_gap(dt: f64) -> f64 {
    let mut world =
        World::new(WorldConfig { gravity: Vec3::ZERO, method: ContactMethod::Point, ..WorldConfig::default() })
            .unwrap();
    let mut ball = ObjectDef::moving("ball", Shape::Sphere { radius: 0.02 }, 0.3, Pose::IDENTITY);
    ball.velocity = Vec3::new(-1.0, 1.0, 0.0);
    let ball = world.add_object(ball).unwrap();
    let mesh = bar::box_mesh([4, 4, 4], Vec3::splat(0.04));
    let above = Vec3::new(-0.035, 0.0205, -0.02);
    let mesh = TetMesh { positions: mesh.positions.iter().map(|p| *p + above).collect(), ..mesh };
    let material = Material { young: 5e4, poisson: 0.33 };
    world.add_soft(SoftDef::new("block", mesh, material, 1000.0)).unwrap();
    let mut worst: f64 = 0.0;
    for _ in 0..(0.05 / dt) as usize {
        world.step(dt).unwrap();
        let model = &world.objects()[ball.0 as usize];
        for pair in world.contacts().iter().filter(|p| p.active) {
            let end = world.place(&pair.contact.sides[0], |body| &world.state().softs[body].nodes);
            let local = world.object(ball).pose.inverse().point(end);
            // depth that no force explains is not pushed out at once
            let kept = pair.contact.normal.dot(pair.predicted) - pair.bend - pair.contact.gap;
            worst = worst.max((model.sample(local).distance + kept - pair.gap).abs());
        }
    }
    worst
}

/// Detection looks at the predicted end of a step; a blow ends elsewhere, and on a ball the gap there is another. Once steps of 1/60 s ended
/// with points that they took to be on the surface tenths of a millimetre off it.
#[test]
fn gaps_are_those_at_the_end_of_the_step() {
    for dt in [1.0 / 60.0, 1.0 / 120.0, 1.0 / 250.0] {
        let worst = misread_gap(dt);
        assert!(worst < 4e-5, "dt {dt}: a gap is misread by {worst} m");
    }
}
