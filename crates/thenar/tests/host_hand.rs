//! A hand feels an object of another engine as it would feel its own: its weight, its inertia, nothing else.

mod hands;
mod tiny_host;

use hands::{DT, model, tracked};
use std::f64::consts::{PI, TAU};
use thenar::geometry::distance::Shape;
use thenar::hand::HandPose;
use thenar::host::{Coupling, CouplingParams, Graspable};
use thenar::math::{Pose, Quat, Vec3};
use thenar::tracking::TrackerFrame;
use thenar::world::{HandId, ObjectId, World, WorldConfig};
use tiny_host::TinyHost;

const G: f64 = 9.81;
const HALF: Vec3 = Vec3::new(0.03, 0.02, 0.04);

/// An open hand; its palm looks up at a roll of π.
fn hand_at(wrist: Vec3, roll: f64) -> TrackerFrame {
    tracked(model(), &HandPose::default(), Pose::new(wrist, Quat::from_rotation_z(roll)))
}

struct Tray {
    world: World,
    host: TinyHost,
    coupling: Coupling<TinyHost>,
    hand: HandId,
    body: ObjectId,
    time: f64,
}

impl Tray {
    /// A box that lies on an open palm and nowhere else.
    fn new(mass: f64, rate: f64, units: f64) -> Self {
        let mut world = World::new(WorldConfig::default()).unwrap();
        let hand = world.add_hand(model()).unwrap();
        let mut host = TinyHost::new(rate, units, G, false);
        let id = host.add(HALF, mass, Pose::new(Vec3::new(0.0, 0.02 + HALF.y, -0.075), Quat::IDENTITY));
        let mut coupling = Coupling::new(&mut world, CouplingParams::default());
        let body = coupling.add(&mut world, &host, id, Graspable::new("box", Shape::Box { half: HALF })).unwrap();
        Tray { world, host, coupling, hand, body, time: 0.0 }
    }

    fn step(&mut self, wrist: Vec3) {
        self.track(&hand_at(wrist, PI));
    }

    fn track(&mut self, frame: &TrackerFrame) {
        self.world.track(self.hand, frame).unwrap();
        self.coupling.step(&mut self.world, &mut self.host, DT).unwrap();
        assert!(!self.world.report().flags.rolled_back);
        self.time += DT;
    }

    fn settle(&mut self) {
        for _ in 0..300 {
            self.step(Vec3::ZERO);
        }
        assert!(self.coupling.is_awake(self.body), "no hand came near the box");
    }
}

#[test]
fn the_palm_carries_the_weight_once() {
    for (mass, rate, units) in [(0.05, 60.0, 1.0), (0.3, 60.0, 1.0), (0.3, 90.0, 100.0), (1.0, 120.0, 1.0)] {
        let mut tray = Tray::new(mass, rate, units);
        tray.settle();
        let (mut force, mut offset) = (Vec3::ZERO, 0.0f64);
        for _ in 0..250 {
            tray.step(Vec3::ZERO);
            force += tray.world.object(tray.body).force / 250.0;
            offset = offset.max(tray.coupling.report().offset);
        }
        let expected = Vec3::Y * mass * G;
        assert!((force - expected).length() < 0.02 * mass * G, "{mass} kg at {rate} Hz: {force} N, not {expected}");
        assert!(offset < 1e-3, "{mass} kg at {rate} Hz: copies {offset} m apart");
    }
}

/// Amplitude of a signal at `omega`, by correlation over whole periods.
fn amplitude(signal: &[f64], omega: f64) -> f64 {
    let (mut c, mut s) = (0.0, 0.0);
    for (i, x) in signal.iter().enumerate() {
        let phase = omega * i as f64 * DT;
        c += x * libm::cos(phase);
        s += x * libm::sin(phase);
    }
    libm::hypot(c, s) * 2.0 / signal.len() as f64
}

#[test]
fn shaking_takes_the_force_of_the_whole_inertia() {
    // amplitudes keep the box on the palm (below g) and from sliding (below μ g)
    for (axis, travel) in [(Vec3::Y, 0.02), (Vec3::X, 0.012)] {
        let mut tray = Tray::new(0.3, 60.0, 1.0);
        tray.settle();
        let (hertz, start) = (2.0, tray.time);
        let omega = TAU * hertz;
        let (mut force, mut velocity) = (Vec::new(), Vec::new());
        for i in 0..500 {
            let t = tray.time - start;
            tray.step(axis * (travel * libm::sin(omega * t) * (t / 0.5).min(1.0)));
            if i >= 250 {
                force.push(tray.world.object(tray.body).force.dot(axis));
                velocity.push(tray.host.bodies[0].motion.velocity.dot(axis));
            }
        }
        let (felt, expected) = (amplitude(&force, omega), 0.3 * omega * amplitude(&velocity, omega));
        assert!(expected > 0.3, "the box hardly moves: {expected} N");
        assert!((felt - expected).abs() < 0.05 * expected, "along {axis}: {felt} N, not {expected} N");
    }
}

#[test]
fn a_body_wakes_when_a_hand_comes_and_rests_when_it_leaves() {
    let mut tray = Tray::new(0.3, 60.0, 1.0);
    tray.settle();
    assert!((tray.host.bodies[0].share - 0.75).abs() < 1e-12);
    // the palm turns over and the box falls off
    for i in 0..250 {
        let turned = (f64::from(i) / 100.0).min(1.0);
        tray.track(&hand_at(Vec3::ZERO, PI * (1.0 - turned)));
    }
    assert!(!tray.coupling.is_awake(tray.body));
    assert_eq!(tray.host.bodies[0].share, 1.0);
    let (here, there) = (tray.world.object(tray.body).pose.position, tray.host.bodies[0].motion.pose.position);
    assert!(here.distance(there) < 1e-9, "a dormant object is where its host says: {here} {there}");
}
