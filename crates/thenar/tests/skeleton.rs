//! A hand whose bones are functions of joint angles: it follows, feels, keeps its joints, and repeats bit for bit.

mod hands;

use hands::{DT, ball, model};
use thenar::energy::joints::JointTerm;
use thenar::math::Vec3;
use thenar::tracking::{TrackerFrame, TrackingMode};
use thenar::world::{HandId, ObjectId, SkeletonCoupling, SkeletonMethod, SkeletonParams, World, WorldConfig};

fn reduced(coupling: SkeletonCoupling) -> WorldConfig {
    WorldConfig { skeleton: SkeletonParams { method: SkeletonMethod::Reduced, coupling }, ..WorldConfig::default() }
}

fn frame(close: f64, wrist: Vec3) -> TrackerFrame {
    ball::frame_of(model(), close, wrist)
}

fn hand_and_ball(config: WorldConfig) -> (World, HandId, ObjectId) {
    ball::hand_and_ball(model(), config)
}

fn press_on_ball(world: &mut World, hand: HandId, steps: usize) {
    ball::press_on_ball(world, hand, model(), steps);
}

fn drift(world: &World) -> f64 {
    let bones = &world.state().softs[0].bones;
    let joints = JointTerm::all(&model().skeleton);
    joints.iter().map(|j| j.drift(&bones[j.parent as usize].pose, &bones[j.child as usize].pose)).fold(0.0, f64::max)
}

#[test]
fn a_free_hand_follows_its_tracker_without_drift() {
    for coupling in [SkeletonCoupling::TwoSided, SkeletonCoupling::OneSided] {
        let mut world = World::new(reduced(coupling)).unwrap();
        let hand = world.add_hand(model()).unwrap();
        for i in 0..250 {
            let t = i as f64 * DT;
            world.track(hand, &frame(0.5 - 0.5 * libm::cos(3.0 * t), Vec3::new(0.1 * t, 0.05 * t, 0.0))).unwrap();
            assert!(!world.step(DT).unwrap().flags.rolled_back);
            let out = world.hand(hand);
            assert!(out.bones[0].position.distance(out.tracked[0].position) < 0.006);
            assert_eq!(out.joint_drift, 0.0);
            // the joints meet by construction: only rounding of metres remains
            assert!(drift(&world) < 1e-15, "{}", drift(&world));
        }
        for bone in 0..16 {
            let out = world.hand(hand);
            let off = out.bones[bone].rotation.angle_between(out.tracked[bone].rotation);
            assert!(off < 0.2, "{coupling:?}: bone {bone} is {off} rad off its target");
        }
    }
}

#[test]
fn direct_tracking_puts_the_angles_where_the_tracker_says() {
    let mut config = reduced(SkeletonCoupling::TwoSided);
    config.tracking.mode = TrackingMode::Direct;
    let mut world = World::new(config).unwrap();
    let hand = world.add_hand(model()).unwrap();
    for i in 0..100 {
        world.track(hand, &frame(0.01 * f64::from(i), Vec3::ZERO)).unwrap();
        world.step(DT).unwrap();
    }
    let joints = world.state().softs[0].joints.clone().unwrap();
    for (a, b) in joints.angles.digits.iter().flatten().zip(ball::bent(0.99).digits.iter().flatten()) {
        // tissue pulls against a held inertia of 100 kg m²
        assert!((a - b).abs() < 1e-3, "{a} {b}");
    }
}

#[test]
fn reduced_coordinates_agree_with_stiff_bodies() {
    let mut tips = Vec::new();
    for method in [SkeletonMethod::Bodies, SkeletonMethod::Reduced] {
        let skeleton = SkeletonParams { method, coupling: SkeletonCoupling::TwoSided };
        let (mut world, hand, ball) = hand_and_ball(WorldConfig { skeleton, ..WorldConfig::default() });
        press_on_ball(&mut world, hand, 300);
        assert!(world.report().skin_contacts > 4);
        let out = world.hand(hand);
        let pressing = out.grip.iter().sum::<f64>() + out.palm_force;
        tips.push((out.bones[6].position, world.object(ball).pose.position, pressing));
    }
    let [(a, ball_a, grip_a), (b, ball_b, grip_b)] = [tips[0], tips[1]];
    assert!(a.distance(b) < 0.006, "index fingertips {} m apart", a.distance(b));
    assert!(ball_a.distance(ball_b) < 0.01, "balls {} m apart", ball_a.distance(ball_b));
    assert!(grip_b > 0.3 * grip_a && grip_b < 3.0 * grip_a, "grips {grip_a} and {grip_b} N");
}

#[test]
fn one_sided_coupling_does_not_feel_the_ball() {
    let mut off = Vec::new();
    for coupling in [SkeletonCoupling::TwoSided, SkeletonCoupling::OneSided] {
        let (mut world, hand, _) = hand_and_ball(reduced(coupling));
        press_on_ball(&mut world, hand, 300);
        let out = world.hand(hand);
        off.push(out.bones[0].position.distance(out.tracked[0].position));
    }
    assert!(off[1] < 1e-5 && off[0] > 20.0 * off[1], "palms {off:?} m off their targets");
}

/// Without gravity and contact only tracking acts: the momentum of bones and tissue changes by its force alone.
#[test]
fn tracking_gives_the_hand_its_momentum() {
    let mut config = reduced(SkeletonCoupling::TwoSided);
    config.gravity = Vec3::ZERO;
    let mut world = World::new(config).unwrap();
    let hand = world.add_hand(model()).unwrap();
    let momentum = |world: &World| {
        let (state, body) = (&world.state().softs[0], &world.soft_bodies()[0]);
        let tissue: Vec3 = state.velocities.iter().zip(&body.node_mass).map(|(v, m)| *v * *m).sum();
        tissue + state.bones.iter().zip(&body.bones).map(|(b, m)| b.velocity * m.mass).sum::<Vec3>()
    };
    world.track(hand, &frame(0.0, Vec3::ZERO)).unwrap();
    world.step(DT).unwrap();
    for i in 1..40 {
        let before = momentum(&world);
        let close = 0.02 * f64::from(i);
        world.track(hand, &frame(close, Vec3::new(0.0, 0.002 * f64::from(i), 0.0))).unwrap();
        world.step(DT).unwrap();
        let gained = (momentum(&world) - before) / DT;
        // the spring's force at the end of the step, as the output says
        let pull = world.hand(hand).tracking_force;
        assert!(
            (gained - pull).length() < 1e-3 * pull.length() + 1e-6,
            "step {i}: {gained} gained by a pull of {pull}"
        );
    }
}

#[test]
fn a_snapshot_continues_bit_for_bit() {
    for coupling in [SkeletonCoupling::TwoSided, SkeletonCoupling::OneSided] {
        let (mut world, hand, _) = hand_and_ball(reduced(coupling));
        press_on_ball(&mut world, hand, 120);
        let snapshot = world.snapshot();
        let go_on = |world: &mut World, hand: HandId| ball::rise_from_ball(world, hand, model(), 40);
        let first = go_on(&mut world, hand);
        world.restore(&snapshot).unwrap();
        assert_eq!(go_on(&mut world, hand), first, "restoring into the same world");
        let (mut other, hand, _) = hand_and_ball(reduced(coupling));
        other.restore(&snapshot).unwrap();
        assert_eq!(go_on(&mut other, hand), first, "restoring into a fresh world");
    }
}

#[test]
fn direct_and_iterative_solvers_agree() {
    ball::assert_solvers_agree(model(), &reduced(SkeletonCoupling::TwoSided));
}
