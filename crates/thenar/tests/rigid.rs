//! Rigid objects on their own: contact, friction and free motion against closed forms.

use std::sync::Arc;
use thenar::geometry::TriMesh;
use thenar::geometry::distance::{DistanceGrid, Shape};
use thenar::math::{Pose, Quat, Vec3};
use thenar::world::{ObjectDef, ObjectId, World, WorldConfig};

const G: f64 = 9.81;

fn brick() -> Shape {
    Shape::Box { half: Vec3::new(0.03, 0.02, 0.04) }
}

/// A brick lying on a plane that is tilted by `angle` about z, with friction `mu`.
fn on_incline(angle: f64, mu: f64) -> (World, ObjectId, Vec3) {
    let tilt = Quat::from_rotation_z(angle);
    let mut world = World::new(WorldConfig::default()).unwrap();
    let mut plane = ObjectDef::fixed("plane", Shape::Plane, Pose::new(Vec3::ZERO, tilt));
    plane.friction = mu;
    world.add_object(plane).unwrap();
    let mut def = ObjectDef::moving("brick", brick(), 0.3, Pose::new(tilt * Vec3::new(0.0, 0.02, 0.0), tilt));
    def.friction = mu;
    let id = world.add_object(def).unwrap();
    (world, id, tilt * Vec3::NEG_X)
}

fn run(world: &mut World, seconds: f64, dt: f64) {
    for _ in 0..(seconds / dt).round() as usize {
        let report = world.step(dt).unwrap();
        assert!(!report.flags.rolled_back);
    }
}

#[test]
fn a_brick_rests_without_creep_and_barely_sinks() {
    let (mut world, brick, _) = on_incline(0.0, 0.5);
    run(&mut world, 2.0, 1.0 / 250.0);
    let settled = world.object(brick).pose;
    assert!((settled.position.y - 0.02).abs() < 1e-4, "sinks {}", 0.02 - settled.position.y);
    run(&mut world, 10.0, 1.0 / 250.0);
    let later = world.object(brick).pose;
    assert!(later.position.distance(settled.position) < 1e-9, "creeps {}", later.position.distance(settled.position));
    assert!(later.rotation.angle_between(settled.rotation) < 1e-7);
}

#[test]
fn a_brick_sticks_on_an_incline_below_the_friction_angle() {
    // atan 0.5 = 26.6°
    let (mut world, brick, _) = on_incline(24f64.to_radians(), 0.5);
    run(&mut world, 2.0, 1.0 / 250.0);
    let settled = world.object(brick).pose.position;
    run(&mut world, 10.0, 1.0 / 250.0);
    let crept = world.object(brick).pose.position.distance(settled);
    assert!(crept < 1e-8, "creeps {crept} m in 10 s");
}

#[test]
fn a_brick_slides_down_with_coulombs_acceleration() {
    for (degrees, mu) in [(30f64, 0.3f64), (40.0, 0.5), (20.0, 0.0)] {
        let angle = degrees.to_radians();
        let (mut world, brick, down) = on_incline(angle, mu);
        run(&mut world, 0.2, 1.0 / 500.0);
        let v0 = world.object(brick).velocity.dot(down);
        run(&mut world, 0.5, 1.0 / 500.0);
        let a = (world.object(brick).velocity.dot(down) - v0) / 0.5;
        let expected = G * (libm::sin(angle) - mu * libm::cos(angle));
        // first-order time stepping: the friction force lags one step behind the load
        assert!((a - expected).abs() < 0.01 * G, "{degrees}°, μ {mu}: {a}, expected {expected}");
    }
}

#[test]
fn a_free_body_keeps_its_momentum_and_flips_about_the_intermediate_axis() {
    let config = WorldConfig { gravity: Vec3::ZERO, ..WorldConfig::default() };
    let mut world = World::new(config).unwrap();
    let mut def = ObjectDef::moving("brick", brick(), 0.3, Pose::IDENTITY);
    // inertia grows with the other two sides: the middle one here is x (0.03)
    def.spin = Vec3::new(8.0, 0.01, 0.01);
    def.velocity = Vec3::new(0.1, 0.2, -0.3);
    let id = world.add_object(def).unwrap();
    let before = world.state().objects[0].momentum;
    let mut least = 1.0f64;
    for _ in 0..8000 {
        world.step(1.0 / 1000.0).unwrap();
        least = least.min((world.object(id).pose.rotation * Vec3::X).dot(Vec3::X));
    }
    assert!(least < -0.9, "the brick never turned over: {least}");
    assert!((world.state().objects[0].momentum - before).length() < 1e-12 * before.length());
    assert!((world.object(id).velocity - Vec3::new(0.1, 0.2, -0.3)).length() < 1e-12);
}

#[test]
fn two_bricks_exchange_momentum_exactly() {
    let config = WorldConfig { gravity: Vec3::ZERO, ..WorldConfig::default() };
    let mut world = World::new(config).unwrap();
    let mut a = ObjectDef::moving("a", brick(), 0.3, Pose::new(Vec3::new(-0.05, 0.0, 0.0), Quat::IDENTITY));
    a.velocity = Vec3::new(1.0, 0.0, 0.0);
    let turned = Quat::from_rotation_y(0.4);
    let b = ObjectDef::moving("b", brick(), 0.5, Pose::new(Vec3::new(0.05, 0.012, 0.01), turned));
    world.add_object(a).unwrap();
    world.add_object(b).unwrap();
    let total = |world: &World| {
        let (mut linear, mut angular) = (Vec3::ZERO, Vec3::ZERO);
        for (object, state) in world.objects().iter().zip(&world.state().objects) {
            let p = state.velocity * object.mass.as_ref().unwrap().mass;
            linear += p;
            angular += state.momentum + state.pose.position.cross(p);
        }
        (linear, angular)
    };
    let before = total(&world);
    let mut touched = false;
    for _ in 0..300 {
        touched |= world.step(1.0 / 1000.0).unwrap().object_contacts > 0;
    }
    let after = total(&world);
    assert!(touched);
    assert!((after.0 - before.0).length() < 1e-12, "{before:?} {after:?}");
    // forces act at the predicted point, momenta at the final one: the difference is of second order in the step
    assert!((after.1 - before.1).length() < 2e-3 * before.0.length() * 0.05, "{before:?} {after:?}");
    assert!(world.state().objects[1].velocity.x > 0.1, "the second brick was pushed");
}

#[test]
fn a_sliding_ball_starts_to_roll_at_five_sevenths_of_its_speed() {
    let mut world = World::new(WorldConfig::default()).unwrap();
    world.add_object(ObjectDef::fixed("ground", Shape::Plane, Pose::IDENTITY)).unwrap();
    let radius = 0.0365;
    let pose = Pose::new(Vec3::new(0.0, radius, 0.0), Quat::IDENTITY);
    let mut def = ObjectDef::moving("ball", Shape::Sphere { radius }, 0.145, pose);
    def.velocity = Vec3::new(1.0, 0.0, 0.0);
    let ball = world.add_object(def).unwrap();
    run(&mut world, 1.0, 1.0 / 1000.0);
    let (v, w) = (world.object(ball).velocity.x, world.object(ball).spin.z);
    // the contact point sinks in by 0.1 mm, so the lever is a third of a percent shorter than the radius
    assert!((v - 5.0 / 7.0).abs() < 0.01, "rolls at {v}");
    assert!((v + w * radius).abs() < 0.01, "slips while rolling: {v} {w}");
    run(&mut world, 1.0, 1.0 / 1000.0);
    assert!((world.object(ball).velocity.x - v).abs() < 1e-3, "rolling costs nothing");
}

/// A cup: a solid of revolution with a hollow 5 cm wide, walls and floor 8 mm thick, standing on y = 0.
fn cup() -> TriMesh {
    let profile = [[0.0, 0.0], [0.033, 0.0], [0.033, 0.06], [0.025, 0.06], [0.025, 0.008], [0.0, 0.008]];
    let around = 48;
    let mut mesh = TriMesh::default();
    let ring = |mesh: &mut TriMesh, [r, y]: [f64; 2]| {
        let first = mesh.positions.len() as u32;
        for k in 0..around {
            let a = std::f64::consts::TAU * f64::from(k) / f64::from(around);
            mesh.positions.push(Vec3::new(r * libm::cos(a), y, r * libm::sin(a)));
        }
        first
    };
    mesh.positions.push(Vec3::ZERO);
    mesh.positions.push(Vec3::new(0.0, 0.008, 0.0));
    let rings: Vec<u32> = profile[1..5].iter().map(|&p| ring(&mut mesh, p)).collect();
    for k in 0..around {
        let next = (k + 1) % around;
        mesh.triangles.push([0, rings[0] + k, rings[0] + next]);
        mesh.triangles.push([1, rings[3] + next, rings[3] + k]);
        for pair in rings.windows(2) {
            mesh.triangles.push([pair[0] + k, pair[1] + k, pair[1] + next]);
            mesh.triangles.push([pair[0] + k, pair[1] + next, pair[0] + next]);
        }
    }
    mesh
}

#[test]
fn a_ball_falls_into_a_cup_and_both_stand_on_the_table() {
    let grid = DistanceGrid::build(&cup(), 64).unwrap();
    let mut world = World::new(WorldConfig::default()).unwrap();
    world.add_object(ObjectDef::fixed("table", Shape::Plane, Pose::IDENTITY)).unwrap();
    let cup = world.add_object(ObjectDef::moving("cup", Shape::Grid(Arc::new(grid)), 0.2, Pose::IDENTITY)).unwrap();
    let above = Pose::new(Vec3::new(0.006, 0.09, 0.003), Quat::IDENTITY);
    let ball = world.add_object(ObjectDef::moving("ball", Shape::Sphere { radius: 0.015 }, 0.03, above)).unwrap();
    run(&mut world, 2.0, 1.0 / 500.0);
    let (cup, ball) = (world.object(cup).pose, world.object(ball).pose.position);
    // the hollow is concave: a convex stand-in would hold the ball above the rim at 6 cm
    assert!((ball.y - 0.023).abs() < 1e-3, "the ball lies on the floor of the cup: {ball}");
    assert!((ball.x * ball.x + ball.z * ball.z).sqrt() < 0.0105, "inside its wall: {ball}");
    assert!((cup.rotation * Vec3::Y).y > 0.9999 && cup.position.y.abs() < 5e-4, "the cup stands: {cup:?}");
}
