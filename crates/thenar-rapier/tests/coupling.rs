//! Bodies of Rapier that Thenar simulates too: resting, flying, joined, saved.

use thenar::geometry::distance::Shape;
use thenar::host::{Coupling, CouplingParams, Graspable, PhysicsHost};
use thenar::math::{Mat3, Pose, Quat, Vec3, rotation_exp};
use thenar::world::{ObjectId, World, WorldConfig};
use thenar_rapier::{Joint, JointKind, JointSpring, RapierHost, RigidBodyHandle};

const HALF: Vec3 = Vec3::new(0.03, 0.02, 0.04);
const GRAVITY: Vec3 = Vec3::new(0.0, -9.81, 0.0);

struct Coupled {
    world: World,
    host: RapierHost,
    coupling: Coupling<RapierHost>,
    body: RigidBodyHandle,
    object: ObjectId,
}

impl Coupled {
    /// One box, awake without a hand.
    fn new(rate: f64, gravity: Vec3, mass: f64, pose: Pose) -> Self {
        Coupled::on_rail(rate, gravity, mass, pose, None)
    }

    fn on_rail(rate: f64, gravity: Vec3, mass: f64, pose: Pose, rail: Option<Vec3>) -> Self {
        let mut world = World::new(WorldConfig { gravity, ..WorldConfig::default() }).unwrap();
        let mut host = RapierHost::new(rate, gravity).unwrap();
        let shape = Shape::Box { half: HALF };
        let body = host.add_body(&shape, mass, pose, 0.5).unwrap();
        let mut coupling = Coupling::new(&mut world, CouplingParams::default());
        let graspable = Graspable { rail, ..Graspable::new("box", shape) };
        let object = coupling.add(&mut world, &host, body, graspable).unwrap();
        coupling.keep_awake(object, true);
        Coupled { world, host, coupling, body, object }
    }

    fn run(&mut self, seconds: f64, dt: f64) -> f64 {
        let mut largest = 0.0f64;
        for _ in 0..(seconds / dt).round() as usize {
            largest = largest.max(self.coupling.step(&mut self.world, &mut self.host, dt).unwrap().offset);
            assert!(!self.world.report().flags.rolled_back);
        }
        largest
    }

    /// Pulls the engine's copy with a constant force, as a rigid hand would.
    fn pull(&mut self, force: Vec3, seconds: f64) {
        let dt = 1.0 / 250.0;
        let share = self.world.objects()[self.object.0 as usize].mass.unwrap().mass;
        for _ in 0..(seconds / dt).round() as usize {
            let out = *self.world.object(self.object);
            let state = self.world.state().objects[self.object.0 as usize];
            let velocity = out.velocity + force * (dt / share);
            self.world.place_hosted(self.object, state.pose, velocity, out.spin).unwrap();
            self.run(dt, dt);
        }
    }

    /// Momentum of both copies: linear, and angular about the origin.
    fn momentum(&self) -> (Vec3, Vec3) {
        let state = &self.world.state().objects[self.object.0 as usize];
        let own = self.world.objects()[self.object.0 as usize].mass.unwrap();
        let (p, whole) = (state.velocity * own.mass, self.host.mass(self.body).unwrap());
        let there = self.host.motion(self.body).unwrap();
        let q = there.velocity * (0.75 * whole.mass);
        let r = Mat3::from_quat(there.pose.rotation);
        let spin = r * (whole.inertia * 0.75) * r.transpose() * there.spin;
        (p + q, state.pose.position.cross(p) + there.pose.position.cross(q) + state.momentum + spin)
    }
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::new(Vec3::new(x, y, z), Quat::IDENTITY)
}

#[test]
fn copies_rest_together_at_60_hz_whatever_they_weigh() {
    for mass in [0.01, 0.1, 0.5, 2.0] {
        for dt in [1.0 / 250.0, 1.0 / 90.0, 1.0 / 60.0] {
            let mut c = Coupled::new(60.0, GRAVITY, mass, at(0.1, HALF.y + 0.05, 0.0));
            c.host.add_fixed(&Shape::Plane, Pose::IDENTITY, 0.5).unwrap();
            c.run(2.0, dt);
            let offset = c.run(0.5, dt);
            assert!(offset < 1e-3, "{mass} kg, dt {dt}: {offset} m apart");
            let y = c.world.object(c.object).pose.position.y;
            assert!((y - HALF.y).abs() < 1e-3, "{mass} kg, dt {dt}: at {y}");
        }
    }
}

#[test]
fn momentum_passes_between_the_sides_in_free_flight() {
    for (rate, dt) in [(60.0, 1.0 / 1000.0), (60.0, 1.0 / 90.0), (120.0, 1.0 / 90.0), (90.0, 1.0 / 250.0)] {
        let mut c = Coupled::new(rate, Vec3::ZERO, 0.4, at(0.2, 0.1, 0.0));
        c.run(0.1, dt);
        let (v, w) = (Vec3::new(0.4, 0.2, -0.1), Vec3::new(1.0, 3.0, -2.0));
        c.world.place_hosted(c.object, at(0.2, 0.1, 0.0), v, w).unwrap();
        let before = c.momentum();
        c.run(1.0, dt);
        let after = c.momentum();
        assert!((after.0 - before.0).length() < 0.01 * before.0.length(), "{rate} Hz, {dt}: {before:?} {after:?}");
        assert!((after.1 - before.1).length() < 0.01 * before.1.length(), "{rate} Hz, {dt}: {before:?} {after:?}");
        let there = c.host.motion(c.body).unwrap();
        assert!((there.velocity - v * 0.25).length() < 0.01 * v.length(), "{rate} Hz, {dt}: {there:?}");
        assert!((c.world.object(c.object).velocity - v * 0.25).length() < 0.01 * v.length());
    }
}

#[test]
fn a_tumbling_body_that_hits_the_floor_comes_to_rest() {
    for (mass, rate) in [(0.01, 60.0), (0.2, 90.0), (2.0, 60.0)] {
        let pose = Pose::new(Vec3::new(0.0, 0.6, 0.0), rotation_exp(Vec3::new(0.5, 0.3, 0.8)));
        let mut c = Coupled::new(rate, GRAVITY, mass, pose);
        c.host.add_fixed(&Shape::Plane, Pose::IDENTITY, 0.5).unwrap();
        c.host.set_velocity(c.body, Vec3::new(1.0, -3.0, 0.0), Vec3::new(8.0, -5.0, 3.0));
        // one host step of its fall at 4.5 m/s
        let offset = c.run(3.0, 1.0 / 250.0);
        assert!(offset < 0.1, "{mass} kg: {offset} m apart");
        assert!(c.run(0.3, 1.0 / 250.0) < 1e-3, "{mass} kg");
        let speed = c.world.object(c.object).velocity.length();
        assert!(speed < 0.02, "{mass} kg: still {speed} m/s");
    }
}

#[test]
fn a_drawer_slides_to_its_stop_and_nowhere_else() {
    let mut c = Coupled::new(90.0, GRAVITY, 0.8, at(0.0, 0.4, 0.0));
    let joint = Joint { kind: JointKind::Slide, axis: Vec3::Z, anchor: Vec3::ZERO, limits: [0.0, 0.2], spring: None };
    c.host.add_joint(&joint, c.body, None).unwrap();
    c.run(0.3, 1.0 / 250.0);
    let start = c.world.object(c.object).pose.position;
    // obliquely: only the part along the rail moves it, as fast as its whole mass allows
    c.pull(Vec3::new(0.5, 0.5, 1.0), 0.4);
    let moved = c.world.object(c.object).pose.position - start;
    assert!((moved.z - 0.5 * 1.0 / 0.8 * 0.16).abs() < 0.006, "{moved}");
    c.pull(Vec3::new(0.0, 0.0, 2.0), 1.5);
    let moved = c.world.object(c.object).pose.position - start;
    assert!((moved.z - 0.2).abs() < 3e-3 && moved.x.abs() < 1e-3 && moved.y.abs() < 1e-3, "{moved}");
}

#[test]
fn a_door_swings_about_its_hinge() {
    let mut c = Coupled::new(90.0, Vec3::ZERO, 1.5, at(0.3, 1.0, 0.0));
    let joint = Joint {
        kind: JointKind::Hinge,
        axis: Vec3::Y,
        anchor: Vec3::new(0.0, 1.0, 0.0),
        limits: [-1.5, 1.5],
        spring: None,
    };
    c.host.add_joint(&joint, c.body, None).unwrap();
    c.run(0.2, 1.0 / 250.0);
    c.pull(Vec3::new(0.0, 0.0, 2.0), 0.3);
    c.run(0.4, 1.0 / 250.0);
    let out = c.world.object(c.object);
    let arm = out.pose.position - joint.anchor;
    assert!((arm.length() - 0.3).abs() < 2e-3, "left its hinge: {arm}");
    let angle = libm::atan2(-arm.z, arm.x);
    assert!(angle < -0.25, "hardly swung: {angle}");
    let turned = (out.pose.rotation * Vec3::X).angle_between(arm);
    assert!(turned < 0.02, "does not turn with its arm: {turned}");
}

#[test]
fn a_button_gives_way_by_force_over_stiffness_and_comes_back() {
    let mut c = Coupled::on_rail(90.0, Vec3::ZERO, 0.02, at(0.0, 0.5, 0.0), Some(Vec3::Y));
    let spring = JointSpring { rest: 0.0, stiffness: 400.0, damping: 2.0 };
    let joint =
        Joint { kind: JointKind::Slide, axis: Vec3::Y, anchor: Vec3::ZERO, limits: [-0.01, 0.0], spring: Some(spring) };
    c.host.add_joint(&joint, c.body, None).unwrap();
    c.run(0.2, 1.0 / 250.0);
    // obliquely, as fingers do: the rail holds although the button is light
    c.pull(Vec3::new(1.0, -2.0, 0.5), 1.0);
    let aside = c.world.object(c.object).pose.position * Vec3::new(1.0, 0.0, 1.0);
    assert!(aside.length() < 1e-3, "leaves its rail by {aside}");
    let pressed = c.host.frame(c.body).unwrap().position.y - 0.5;
    assert!((pressed + 2.0 / 400.0).abs() < 2.5e-4, "2 N press it by {pressed} m");
    c.run(0.5, 1.0 / 250.0);
    let back = c.host.frame(c.body).unwrap().position.y - 0.5;
    assert!(back.abs() < 1e-4, "comes back to {back}");
}

#[test]
fn both_sides_continue_from_a_snapshot_bit_for_bit() {
    let pose = Pose::new(Vec3::new(0.0, 0.15, 0.0), rotation_exp(Vec3::new(0.5, 0.0, 0.2)));
    let mut c = Coupled::new(90.0, GRAVITY, 0.2, pose);
    c.host.add_fixed(&Shape::Plane, Pose::IDENTITY, 0.5).unwrap();
    c.host.add_body(&Shape::Sphere { radius: 0.03 }, 0.1, at(0.01, 0.03, 0.0), 0.5).unwrap();
    c.run(0.12, 1.0 / 250.0);
    let saved = c.coupling.save(&c.world, &c.host);
    c.run(1.0, 1.0 / 250.0);
    let (hash, there) = (c.world.report().hash, c.host.motion(c.body).unwrap());
    for _ in 0..2 {
        c.coupling.restore(&mut c.world, &mut c.host, &saved).unwrap();
        c.run(1.0, 1.0 / 250.0);
        assert_eq!(hash, c.world.report().hash);
        assert_eq!(there, c.host.motion(c.body).unwrap());
    }
}

#[test]
fn the_same_run_gives_the_same_bits() {
    let run = || {
        let mut c = Coupled::new(60.0, GRAVITY, 0.2, at(0.0, 0.15, 0.0));
        c.host.add_fixed(&Shape::Plane, Pose::IDENTITY, 0.5).unwrap();
        for i in 0..5 {
            let y = 0.03 + 0.07 * f64::from(i);
            c.host.add_body(&Shape::Sphere { radius: 0.03 }, 0.1, at(0.003 * y, y, 0.001), 0.5).unwrap();
        }
        c.run(1.5, 1.0 / 90.0);
        (c.world.report().hash, c.host.motion(c.body).unwrap())
    };
    assert_eq!(run(), run());
}

#[test]
fn bodies_built_with_rapier_itself_can_be_adopted() {
    use rapier3d::prelude::{ColliderBuilder, PhysicsWorld, RigidBodyBuilder, Vector};
    let mut physics = PhysicsWorld::default();
    let body = RigidBodyBuilder::dynamic().translation(Vector::new(0.0, 0.5, 0.0));
    let (body, _) = physics.insert(body, ColliderBuilder::cuboid(0.03, 0.02, 0.04).density(800.0));
    let mut host = RapierHost::from_world(physics, 60.0).unwrap();
    host.adopt(body).unwrap();
    let mass = host.mass(body).unwrap();
    assert!((mass.mass - 800.0 * 8.0 * 0.03 * 0.02 * 0.04).abs() < 1e-6, "{mass:?}");
    host.step();
    assert!((f64::from(host.physics().bodies[body].mass()) - mass.mass).abs() < 1e-6);
    host.set_share(body, 0.75);
    host.step();
    assert!((f64::from(host.physics().bodies[body].mass()) - 0.75 * mass.mass).abs() < 1e-6);
}

#[test]
fn moving_bodies_rest_on_one_another() {
    let box_ = Shape::Box { half: Vec3::new(0.055, 0.02, 0.055) };
    for (shape, half) in [
        (Shape::Box { half: Vec3::splat(0.02) }, 0.02),
        (Shape::Cylinder { half_height: 0.01, radius: 0.045 }, 0.01),
        (Shape::Sphere { radius: 0.03 }, 0.03),
    ] {
        let mut host = RapierHost::new(120.0, GRAVITY).unwrap();
        host.add_fixed(&Shape::Plane, Pose::IDENTITY, 0.5).unwrap();
        host.add_body(&box_, 0.3, at(0.0, 0.02, 0.0), 0.5).unwrap();
        let top = host.add_body(&shape, 0.1, at(0.0, 0.04 + half, 0.0), 0.5).unwrap();
        (0..60).for_each(|_| host.step());
        let y = host.frame(top).unwrap().position.y;
        assert!((y - 0.04 - half).abs() < 2e-3, "{shape:?} ends at {y}");
    }
}
