//! A whole soft hand in a world: following, touching, solvers, snapshots, determinism.

mod hands;

use hands::{DT, ball, model, tracked};
use thenar::contact::ContactMethod;
use thenar::geometry::distance::Shape;
use thenar::hand::HandPose;
use thenar::math::{Kernels, Pose, Quat, Vec3};
use thenar::tracking::{TrackerFrame, TrackingMode};
use thenar::world::{HandId, ObjectDef, ObjectId, Preset, SolverParams, World, WorldConfig};

fn frame(close: f64, wrist: Vec3) -> TrackerFrame {
    ball::frame_of(model(), close, wrist)
}

fn hand_and_ball(config: WorldConfig) -> (World, HandId, ObjectId) {
    ball::hand_and_ball(model(), config)
}

fn press_on_ball(world: &mut World, hand: HandId, steps: usize) {
    ball::press_on_ball(world, hand, model(), steps);
}

#[test]
fn a_free_hand_follows_its_tracker() {
    let mut world = World::new(WorldConfig::default()).unwrap();
    let hand = world.add_hand(model()).unwrap();
    for i in 0..250 {
        let t = i as f64 * DT;
        world.track(hand, &frame(0.5 - 0.5 * libm::cos(3.0 * t), Vec3::new(0.1 * t, 0.05 * t, 0.0))).unwrap();
        world.step(DT).unwrap();
        let out = world.hand(hand);
        assert!(out.bones[0].position.distance(out.tracked[0].position) < 0.006);
        assert!(out.joint_drift < 5e-4, "joints drift {}", out.joint_drift);
    }
    for bone in 0..16 {
        let out = world.hand(hand);
        let off = out.bones[bone].rotation.angle_between(out.tracked[bone].rotation);
        assert!(off < 0.2, "bone {bone} is {off} rad off its target");
    }
}

#[test]
fn direct_and_iterative_solvers_agree() {
    ball::assert_solvers_agree(model(), &WorldConfig::default());
}

/// Preset `clap` is solved by the paper's own solver in every step, and to its tolerance.
#[test]
fn the_solver_of_preset_clap_runs_and_converges() {
    let config = Preset::Clap.config();
    let SolverParams::Pcg { tolerance, .. } = config.solver else { panic!("{:?}", config.solver) };
    let (mut world, hand, _) = hand_and_ball(config);
    let mut touched = 0;
    for step in 0..150 {
        let down = (f64::from(step) * DT / 0.6).min(1.0);
        world.track(hand, &frame(0.7 * down, Vec3::new(0.0, -0.034 * down, 0.0))).unwrap();
        let report = *world.step(DT).unwrap();
        assert!(report.iterations > 0 && report.constraints == 0, "step {step}: {report:?}");
        assert!(report.residual > 0.0 && report.residual <= tolerance, "step {step}: residual {}", report.residual);
        touched = touched.max(report.skin_contacts);
    }
    assert!(touched > 4, "{touched} contacts");
}

#[test]
fn a_snapshot_continues_bit_for_bit_and_runs_repeat() {
    for (name, method) in ContactMethod::ALL {
        let start = || hand_and_ball(WorldConfig { method, ..WorldConfig::default() });
        let (mut world, hand, _) = start();
        press_on_ball(&mut world, hand, 120);
        assert!(world.report().skin_contacts > 0, "{name}: it touches nothing");
        let snapshot = world.snapshot();
        let go_on = |world: &mut World, hand: HandId| ball::rise_from_ball(world, hand, model(), 60);
        let first = go_on(&mut world, hand);
        world.restore(&snapshot).unwrap();
        assert_eq!(go_on(&mut world, hand), first, "{name}: restoring into the same world");
        let (mut other, hand, _) = start();
        other.restore(&snapshot).unwrap();
        assert_eq!(go_on(&mut other, hand), first, "{name}: restoring into a fresh world");
        let (mut again, hand, _) = start();
        press_on_ball(&mut again, hand, 120);
        assert_eq!(go_on(&mut again, hand), first, "{name}: running from the start");
    }
}

#[test]
fn portable_kernels_stay_close_to_the_fast_ones() {
    let positions = [Kernels::auto(), Kernels::portable()].map(|kernels| {
        let (mut world, hand, ball) = hand_and_ball(WorldConfig { kernels, ..WorldConfig::default() });
        press_on_ball(&mut world, hand, 100);
        (world.object(ball).pose.position, world.state().softs[0].nodes.clone())
    });
    // rounding differs in the last place and contact amplifies it; micrometres after 100 steps are the bound
    assert!(positions[0].0.distance(positions[1].0) < 1e-6);
    for (a, b) in positions[0].1.iter().zip(&positions[1].1) {
        assert!(a.distance(*b) < 1e-6);
    }
}

#[test]
fn a_ball_gains_the_momentum_that_the_skin_says_it_gives() {
    for (_, method) in ContactMethod::ALL {
        let mut world = World::new(WorldConfig { gravity: Vec3::ZERO, method, ..WorldConfig::default() }).unwrap();
        let hand = world.add_hand(model()).unwrap();
        let (at, mass) = (Pose::new(Vec3::new(-0.005, -0.07, -0.075), Quat::IDENTITY), 0.1);
        let ball = world.add_object(ObjectDef::moving("ball", Shape::Sphere { radius: 0.03 }, mass, at)).unwrap();
        let mut given = 0.0;
        for i in 0..150 {
            let before = world.object(ball).velocity;
            world.track(hand, &frame(0.0, Vec3::new(0.0, -0.001 * f64::from(i), 0.0))).unwrap();
            world.step(DT).unwrap();
            let gained = (world.object(ball).velocity - before) * mass;
            let from_skin = -world.hand(hand).contacts.iter().map(|c| c.force).sum::<Vec3>() * DT;
            // what comes out is the force at the end of the step, which an implicit step has acted with
            let off = (gained - from_skin).length();
            assert!(off < 1e-9 * mass, "{method:?}, step {i}: {gained} gained, {from_skin} kg m/s given");
            given += from_skin.length();
        }
        assert!(given > 0.01 * mass, "{method:?}: the hand gave {given} kg m/s");
    }
}

#[test]
fn direct_tracking_puts_the_bones_where_the_tracker_says() {
    let mut config = WorldConfig::default();
    config.tracking.mode = TrackingMode::Direct;
    let mut world = World::new(config).unwrap();
    let hand = world.add_hand(model()).unwrap();
    for i in 0..50 {
        world.track(hand, &frame(0.01 * i as f64, Vec3::new(0.002 * i as f64, 0.0, 0.0))).unwrap();
        world.step(DT).unwrap();
    }
    let out = world.hand(hand);
    for bone in 0..16 {
        assert!(out.bones[bone].position.distance(out.tracked[bone].position) < 1e-5);
    }
}

#[test]
fn a_hand_that_appears_inside_an_object_comes_out_without_throwing_it() {
    let mut world = World::new(WorldConfig::default()).unwrap();
    let hand = world.add_hand(model()).unwrap();
    let table = Pose::new(Vec3::new(0.0, -0.03, 0.0), Quat::IDENTITY);
    world.add_object(ObjectDef::fixed("table", Shape::Plane, table)).unwrap();
    // its top is level with the middle of the palm
    let at = Pose::new(Vec3::new(0.0, -0.015, -0.06), Quat::IDENTITY);
    let half = Vec3::new(0.05, 0.015, 0.05);
    let book = world.add_object(ObjectDef::moving("book", Shape::Box { half }, 0.3, at)).unwrap();
    for step in 0..100 {
        world.track(hand, &frame(0.0, Vec3::ZERO)).unwrap();
        assert!(!world.step(DT).unwrap().flags.rolled_back, "step {step}");
        let pressing = world.hand(hand).grip.iter().sum::<f64>() + world.hand(hand).palm_force;
        // tracking pulls with 80 N at most, and the hand falls back on the book with it: a blow of 340 N for three steps
        assert!(pressing < 400.0, "step {step}: {pressing} N");
        assert!(world.object(book).velocity.length() < 0.5, "step {step}: {}", world.object(book).velocity);
    }
}

#[test]
fn two_hands_press_one_box_between_them() {
    let left = model().mirrored();
    let mut world = World::new(WorldConfig { gravity: Vec3::ZERO, ..WorldConfig::default() }).unwrap();
    let hands = [world.add_hand(model()).unwrap(), world.add_hand(&left).unwrap()];
    let shape = Shape::Box { half: Vec3::new(0.05, 0.06, 0.05) };
    let at = Pose::new(Vec3::new(0.0, 0.0, -0.08), Quat::IDENTITY);
    let parcel = world.add_object(ObjectDef::moving("box", shape, 0.5, at)).unwrap();
    // palms face each other: the right hand on +x looks left, the left hand on -x looks right
    let quarter = std::f64::consts::FRAC_PI_2;
    for i in 0..250 {
        let x = 0.11 - 0.06 * (i as f64 / 150.0).min(1.0);
        for (hand, model, side) in [(hands[0], model(), 1.0), (hands[1], &left, -1.0)] {
            let wrist = Pose::new(Vec3::new(side * x, 0.0, 0.0), Quat::from_rotation_z(-side * quarter));
            world.track(hand, &tracked(model, &HandPose::default(), wrist)).unwrap();
        }
        assert!(!world.step(DT).unwrap().flags.rolled_back);
    }
    let forces = hands.map(|h| world.hand(h).contacts.iter().map(|c| c.force).sum::<Vec3>());
    assert!(forces[0].x > 1.0 && forces[1].x < -1.0, "both hands press: {forces:?}");
    // at rest between mirrored hands: the box feels no net push, to a percent of the squeeze
    assert!(world.object(parcel).force.length() < 0.01 * forces[0].length(), "{:?}", world.object(parcel).force);
    // what moves it along its faces is the same on both sides; across them it must stay in the middle
    assert!(world.object(parcel).pose.position.x.abs() < 1e-4, "{:?}", world.object(parcel).pose);
}

#[test]
fn a_hand_that_was_never_seen_is_not_there() {
    let mut world = World::new(WorldConfig::default()).unwrap();
    let hand = world.add_hand(model()).unwrap();
    world.step(DT).unwrap();
    assert!(!world.hand(hand).present);
    world.track(hand, &frame(0.0, Vec3::ZERO)).unwrap();
    let report = world.step(DT).unwrap();
    assert!(report.flags.reseated);
    assert!(world.hand(hand).present);
}

#[test]
fn a_step_length_out_of_range_is_refused() {
    let mut world = World::new(WorldConfig::default()).unwrap();
    for dt in [0.0, -1.0, f64::NAN, 1.0, 1e-7] {
        assert!(world.step(dt).is_err(), "{dt}");
    }
}
