//! Objects that live in two engines: their weight, inertia and momentum stay single.

mod tiny_host;

use thenar::energy::tether::Tether;
use thenar::geometry::distance::Shape;
use thenar::host::{Coupling, CouplingParams, Graspable};
use thenar::math::{Mat3, Pose, Quat, Vec3, rotation_exp};
use thenar::world::{ObjectId, World, WorldConfig};
use tiny_host::TinyHost;

const HALF: Vec3 = Vec3::new(0.03, 0.02, 0.04);

struct Coupled {
    world: World,
    host: TinyHost,
    coupling: Coupling<TinyHost>,
    body: ObjectId,
}

impl Coupled {
    /// One box, awake without a hand.
    fn new(mut host: TinyHost, mass: f64, pose: Pose) -> Self {
        let gravity = host.gravity / host.units;
        let mut world = World::new(WorldConfig { gravity, ..WorldConfig::default() }).unwrap();
        let id = host.add(HALF, mass, pose);
        let mut coupling = Coupling::new(&mut world, CouplingParams::default());
        let body = coupling.add(&mut world, &host, id, Graspable::new("box", Shape::Box { half: HALF })).unwrap();
        coupling.keep_awake(body, true);
        Coupled { world, host, coupling, body }
    }

    fn run(&mut self, seconds: f64, dt: f64) -> f64 {
        let mut largest = 0.0f64;
        for _ in 0..(seconds / dt).round() as usize {
            largest = largest.max(self.coupling.step(&mut self.world, &mut self.host, dt).unwrap().offset);
            assert!(!self.world.report().flags.rolled_back);
        }
        largest
    }

    /// Linear and angular momentum (about the origin) of both copies, in metres.
    fn momentum(&self) -> (Vec3, Vec3) {
        let state = &self.world.state().objects[self.body.0 as usize];
        let p = state.velocity * self.world.objects()[self.body.0 as usize].mass.unwrap().mass;
        let (b, u) = (&self.host.bodies[0], self.host.units);
        let q = b.motion.velocity / u * (b.mass.mass * b.share);
        let r = Mat3::from_quat(b.motion.pose.rotation);
        let spin = r * (b.mass.inertia * (b.share / (u * u))) * r.transpose() * b.motion.spin;
        let about = state.pose.position.cross(p) + (b.motion.pose.position / u).cross(q);
        (p + q, about + state.momentum + spin)
    }
}

#[test]
fn copies_rest_together_at_60_hz_whatever_they_weigh() {
    for units in [1.0, 100.0] {
        for mass in [0.01, 0.1, 0.5, 2.0] {
            for dt in [1.0 / 250.0, 1.0 / 90.0, 1.0 / 60.0, 1.0 / 45.0] {
                let host = TinyHost::new(60.0, units, 9.81, true);
                let mut c = Coupled::new(host, mass, Pose::new(Vec3::new(0.1, HALF.y + 0.05, 0.0), Quat::IDENTITY));
                c.run(1.5, dt);
                let offset = c.run(0.5, dt);
                assert!(offset < 1e-3, "{mass} kg, {units} units, dt {dt}: {offset} m apart");
                let y = c.world.object(c.body).pose.position.y;
                assert!((y - HALF.y).abs() < 1e-3, "{mass} kg, {units} units, dt {dt}: at {y}");
            }
        }
    }
}

/// The engine holds its copy; the host's comes along and both rest, whatever their shares and rates.
#[test]
fn what_the_engine_holds_the_host_holds() {
    for dt in [1.0 / 250.0, 1.0 / 90.0, 1.0 / 60.0] {
        let mut c = Coupled::new(TinyHost::new(60.0, 1.0, 9.81, false), 0.4, Pose::IDENTITY);
        let body = c.body;
        c.coupling.keep_awake(body, false);
        assert!(c.coupling.wake(&mut c.world, &mut c.host, body) && c.coupling.is_awake(body));
        c.coupling.keep_awake(body, true);
        let firm = |value: f64| Mat3::from_diagonal(Vec3::splat(value));
        let still = Vec3::ZERO;
        let hold = Tether {
            target: Pose::IDENTITY,
            velocity: still,
            spin: still,
            linear: firm(2e5),
            linear_damping: firm(500.0),
            angular: firm(500.0),
            angular_damping: firm(1.0),
            force: still,
            torque: still,
        };
        c.world.hold(body, hold).unwrap();
        c.run(2.0, dt);
        let (own, theirs) = (c.world.object(body).pose.position, c.host.bodies[0].motion.pose.position);
        // the weight over the stiffness is 20 µm
        assert!(own.length() < 1e-4 && theirs.length() < 1e-3, "dt {dt}: {own} {theirs}");
        c.world.release(body).unwrap();
        c.run(0.2, dt);
        let fallen = -c.world.object(body).pose.position.y;
        assert!((fallen - 0.2).abs() < 0.02, "dt {dt}: {fallen}");
    }
}

#[test]
fn momentum_passes_between_the_sides_in_free_flight() {
    for units in [1.0, 100.0] {
        for dt in [1.0 / 1000.0, 1.0 / 250.0, 1.0 / 90.0, 1.0 / 60.0] {
            let mut c = Coupled::new(TinyHost::new(60.0, units, 0.0, false), 0.4, Pose::IDENTITY);
            c.run(0.1, dt);
            // the engine's copy is hit
            let (v, w) = (Vec3::new(0.4, 0.2, -0.1), Vec3::new(0.0, 3.0, 0.0));
            c.world.place_hosted(c.body, Pose::IDENTITY, v, w).unwrap();
            let before = c.momentum();
            c.run(1.0, dt);
            let after = c.momentum();
            let (lost, turned) = ((after.0 - before.0).length(), (after.1 - before.1).length());
            assert!(lost < 0.01 * before.0.length(), "dt {dt}: {before:?} {after:?}");
            assert!(turned < 0.01 * before.1.length(), "dt {dt}: {before:?} {after:?}");
            // both share it: a quarter of the mass had all of it
            let (here, there) = (c.world.object(c.body), &c.host.bodies[0].motion);
            assert!((here.velocity - v * 0.25).length() < 0.01 * v.length(), "dt {dt}: {here:?}");
            assert!((there.velocity / units - v * 0.25).length() < 0.01 * v.length(), "dt {dt}: {there:?}");
            assert!((here.spin - w * 0.25).length() < 0.01 * w.length(), "dt {dt}: {here:?}");
            assert!((there.spin - w * 0.25).length() < 0.01 * w.length(), "dt {dt}: {there:?}");
        }
    }
}

#[test]
fn a_coupled_body_falls_as_fast_as_any_other() {
    let mut c = Coupled::new(TinyHost::new(60.0, 1.0, 9.81, false), 0.3, Pose::new(Vec3::Y, Quat::IDENTITY));
    c.run(1.0, 1.0 / 250.0);
    let v = c.world.object(c.body).velocity.y;
    assert!((v + 9.81).abs() < 0.05, "{v}");
}

#[test]
fn a_tumbling_body_that_hits_the_floor_does_not_blow_up() {
    for mass in [0.01, 0.2, 2.0] {
        for dt in [1.0 / 1000.0, 1.0 / 90.0, 1.0 / 60.0] {
            let pose = Pose::new(Vec3::new(0.0, 0.6, 0.0), rotation_exp(Vec3::new(0.5, 0.3, 0.8)));
            let host = TinyHost::new(60.0, 1.0, 9.81, true);
            let mut c = Coupled::new(host, mass, pose);
            c.host.bodies[0].motion.spin = Vec3::new(8.0, -5.0, 3.0);
            c.host.bodies[0].motion.velocity = Vec3::new(1.0, -3.0, 0.0);
            let offset = c.run(3.0, dt);
            // it falls with 4.5 m/s, and the engine hears of the floor one host step (75 mm) later
            assert!(offset < 0.1, "{mass} kg, dt {dt}: {offset} m apart");
            assert!(c.run(0.3, dt) < 1e-3, "{mass} kg, dt {dt}");
            let speed = c.world.object(c.body).velocity.length();
            assert!(speed < 0.02, "{mass} kg, dt {dt}: still {speed} m/s");
        }
    }
}

#[test]
fn both_sides_continue_from_a_snapshot_bit_for_bit() {
    let host = TinyHost::new(60.0, 100.0, 9.81, true);
    let mut c = Coupled::new(host, 0.2, Pose::new(Vec3::new(0.0, 0.1, 0.0), rotation_exp(Vec3::new(0.5, 0.0, 0.2))));
    c.run(0.1, 1.0 / 250.0);
    let saved = c.coupling.save(&c.world, &c.host);
    c.run(0.5, 1.0 / 250.0);
    let (hash, there) = (c.world.report().hash, c.host.bodies[0].motion);
    c.coupling.restore(&mut c.world, &mut c.host, &saved).unwrap();
    c.run(0.5, 1.0 / 250.0);
    assert_eq!(hash, c.world.report().hash);
    assert_eq!(there, c.host.bodies[0].motion);
}
