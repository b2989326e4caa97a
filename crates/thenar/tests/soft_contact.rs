//! Soft bodies that touch each other, and a hand that touches itself.

mod bar;
mod hands;

use bar::ball;
use hands::{DT, HandWorld, Posture, model};
use thenar::collide::{BodyRef, Side};
use thenar::contact::{ContactMethod, Pair};
use thenar::energy::tissue::Material;
use thenar::geometry::TetMesh;
use thenar::geometry::distance::Shape;
use thenar::hand::{Digit, Patch, XrJoint};
use thenar::math::{Pose, Quat, Vec3};
use thenar::world::{ObjectDef, SoftDef, World, WorldConfig};

const METHODS: [ContactMethod; 3] = [ContactMethod::Penalty, ContactMethod::Point, ContactMethod::Aggregate];

fn rubber(name: &str, mesh: TetMesh) -> SoftDef {
    SoftDef::new(name, mesh, Material { young: 6e4, poisson: 0.4 }, 1000.0)
}

/// Linear momentum, and angular momentum about the origin.
fn momentum(world: &World) -> (Vec3, Vec3) {
    let (mut linear, mut angular) = (Vec3::ZERO, Vec3::ZERO);
    for (body, state) in world.soft_bodies().iter().zip(&world.state().softs) {
        for ((mass, x), v) in body.node_mass.iter().zip(&state.nodes).zip(&state.velocities) {
            linear += *v * *mass;
            angular += x.cross(*v) * *mass;
        }
    }
    (linear, angular)
}

/// Contacts between soft surfaces.
fn soft_pairs(world: &World) -> impl Iterator<Item = &Pair> {
    world.contacts().iter().filter(|p| p.is_between_soft())
}

fn patch(side: &Side) -> u8 {
    match *side {
        Side::Soft { patch, .. } => patch,
        Side::Rigid { .. } => u8::MAX,
    }
}

/// Sum of the forces of soft contacts on a body, N.
fn force_on_body(world: &World, body: u32) -> Vec3 {
    soft_pairs(world).map(|p| if p.contact.sides[0].body() == BodyRef::Soft(body) { p.force } else { -p.force }).sum()
}

/// Sum of the forces on one digit of the hand from the other soft parts, N.
fn force_on(world: &World, digit: Digit) -> Vec3 {
    let of = |patch: u8| Patch(patch).digit() == Some(digit);
    soft_pairs(world)
        .map(|p| {
            let [own, other] = p.contact.sides.map(|side| of(patch(&side)));
            p.force * (f64::from(u8::from(own)) - f64::from(u8::from(other)))
        })
        .sum()
}

/// Mean velocity of a body.
fn velocity(world: &World, body: usize) -> Vec3 {
    let (b, s) = (&world.soft_bodies()[body], &world.state().softs[body]);
    b.node_mass.iter().zip(&s.velocities).map(|(m, v)| *v * *m).sum::<Vec3>() / b.node_mass.iter().sum::<f64>()
}

/// Greatest depth of a pressing point, metres.
fn depth(world: &World) -> f64 {
    soft_pairs(world).filter(|p| p.active).map(|p| -p.gap).fold(0.0, f64::max)
}

#[test]
fn balls_that_fly_into_each_other_keep_their_momentum() {
    for method in METHODS {
        let mut world = World::new(WorldConfig { gravity: Vec3::ZERO, method, ..WorldConfig::default() }).unwrap();
        let left = world.add_soft(rubber("left", ball::ball(Vec3::new(-0.0205, 0.0, 0.0), 0.02, 6))).unwrap();
        let right = world.add_soft(rubber("right", ball::ball(Vec3::new(0.0205, 0.012, 0.004), 0.02, 6))).unwrap();
        world.set_soft_velocity(left, Vec3::new(0.6, 0.0, 0.0)).unwrap();
        world.set_soft_velocity(right, Vec3::new(-0.3, 0.05, 0.0)).unwrap();
        let ((linear, angular), scale) = (momentum(&world), 0.6 * 0.03);
        let (mut touched, mut turned) = (0, 0.0f64);
        for _ in 0..60 {
            let softs = world.state().softs.clone();
            let report = *world.step(1e-3).unwrap();
            assert!(!report.flags.rolled_back);
            for pair in soft_pairs(&world).filter(|p| p.active) {
                let places = pair.contact.sides.map(|side| world.place(&side, |body| &softs[body].nodes));
                let apart = places[0].distance(places[1]);
                assert!(apart < 1e-12, "the two sides act {apart} m apart");
            }
            touched = touched.max(report.soft_contacts);
            let now = momentum(&world);
            let drift = (now.0 - linear).length();
            assert!(drift < 1e-9 * scale, "{method:?}: {drift} kg m/s");
            turned = turned.max((now.1 - angular).length());
        }
        assert!(touched > 3, "{touched} contacts");
        let apart = velocity(&world, 1) - velocity(&world, 0);
        assert!(apart.x > 0.0, "the balls part again: {apart} m/s");
        // the contact turns nothing (both sides carry the same place); the linearised tissue does, a little
        assert!(turned < 0.02 * scale * 0.02, "{turned} kg m²/s");
    }
}

#[test]
fn equal_balls_pressed_together_deform_alike() {
    let mut world = World::new(WorldConfig { gravity: Vec3::ZERO, ..WorldConfig::default() }).unwrap();
    let right = ball::ball(Vec3::new(0.0202, 0.0, 0.0), 0.02, 6);
    let ids = [ball::mirrored(&right), right].map(|mesh| world.add_soft(rubber("ball", mesh)).unwrap());
    world.set_soft_velocity(ids[0], Vec3::X * 0.3).unwrap();
    world.set_soft_velocity(ids[1], -Vec3::X * 0.3).unwrap();
    let (mut flattened, mut unlike) = (0.0f64, 0.0f64);
    for _ in 0..40 {
        world.step(1e-3).unwrap();
        let state = world.state();
        for (a, b) in state.softs[0].nodes.iter().zip(&state.softs[1].nodes) {
            let image = Vec3::new(-a.x, a.y, a.z);
            unlike = unlike.max(image.distance(*b));
        }
        let width = |axis: Vec3| {
            let along = state.softs[1].nodes.iter().map(|x| x.dot(axis));
            along.clone().fold(f64::NEG_INFINITY, f64::max) - along.fold(f64::INFINITY, f64::min)
        };
        flattened = flattened.max(width(Vec3::Y) - width(Vec3::X));
    }
    // the sweeps stop at 0.05 micrometres, in an order that favours one side
    assert!(unlike < 0.005 * flattened, "{unlike} m unlike, {flattened} m flattened");
    assert!(flattened > 5e-4, "the balls are flattened by {flattened} m at most");
}

#[test]
fn the_thumb_presses_on_the_index_finger_as_hard_as_it_is_pressed() {
    for method in METHODS {
        let mut hand = HandWorld::new(WorldConfig { method, self_contact: true, ..WorldConfig::default() });
        hand.take(&Posture::PINCH, 150);
        let (thumb, index) = (force_on(&hand.world, Digit::Thumb), force_on(&hand.world, Digit::Index));
        assert!(thumb.length() > 0.1, "{method:?}: the thumb feels {thumb} N");
        assert!((thumb + index).length() < 1e-9 * thumb.length(), "{thumb} and {index} N");
        assert!(depth(&hand.world) < 1e-3, "{} m deep", depth(&hand.world));
    }
}

#[test]
fn fingers_of_a_fist_do_not_pass_through_each_other() {
    let deepest = |self_contact: bool| {
        let mut hand = HandWorld::new(WorldConfig { self_contact, ..WorldConfig::default() });
        hand.take(&Posture::FIST, 250);
        // the thumb would go through the index finger: how far its tip is from that finger's middle phalanx
        let bones = &hand.world.state().softs[0].bones;
        (depth(&hand.world), bones[3].pose.position.distance(bones[5].pose.position), *hand.world.report())
    };
    let (depth, apart, report) = deepest(true);
    let (_, through, _) = deepest(false);
    assert!(report.soft_contacts > 2, "{} contacts", report.soft_contacts);
    assert!(depth < 2e-3, "{depth} m deep");
    assert!(apart > through + 2e-3, "thumb and finger are {apart} m apart, {through} m if nothing holds them");
}

#[test]
fn a_hand_at_rest_with_its_fingers_touching_stays_at_rest() {
    let mut hand = HandWorld::new(WorldConfig { self_contact: true, ..WorldConfig::default() });
    // pads roll over each other until they lie well, which may take two seconds
    hand.take(&Posture::PINCH, 600);
    hand.take(&Posture::PINCH, 350);
    let before = hand.world.state().softs[0].nodes.clone();
    hand.take(&Posture::PINCH, 250);
    let moved = hand.world.state().softs[0].nodes.iter().zip(&before).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(moved < 1e-6, "the skin creeps {moved} m in a second");
}

#[test]
fn a_soft_ball_dropped_on_a_soft_block_comes_to_rest_there() {
    for method in METHODS {
        let mut world = World::new(WorldConfig { method, ..WorldConfig::default() }).unwrap();
        let table = world.add_object(ObjectDef::fixed("table", Shape::Plane, Pose::IDENTITY)).unwrap();
        let mut block = bar::box_mesh([6, 2, 6], Vec3::new(0.08, 0.02, 0.08));
        block.positions.iter_mut().for_each(|p| *p -= Vec3::new(0.04, 0.0, 0.04));
        let ball = ball::ball(Vec3::new(0.0, 0.045, 0.0), 0.02, 4);
        world.add_soft(rubber("block", block)).unwrap();
        world.add_soft(rubber("ball", ball)).unwrap();
        for _ in 0..500 {
            assert!(!world.step(DT).unwrap().flags.rolled_back);
        }
        let carried = -world.object(table).force.y;
        let weight: f64 = world.soft_bodies().iter().flat_map(|b| &b.node_mass).sum::<f64>() * 9.80665;
        // at rest, but for what still rocks: 0.1 % in the last four tenths of a second
        assert!((carried - weight).abs() < 2e-3 * weight, "{method:?}: the table carries {carried} of {weight} N");
        assert!(depth(&world) < 1e-3, "{} m deep", depth(&world));
        assert!(velocity(&world, 1).length() < 0.02, "{}", velocity(&world, 1));
    }
}

#[test]
fn two_hands_press_palm_to_palm() {
    let left = model().mirrored();
    let mut world = World::new(WorldConfig::default()).unwrap();
    let hands = [model(), &left].map(|m| world.add_hand(m).unwrap());
    // palms face each other across the plane x = 0: the right hand's palm (-Y) looks to -X, the left hand's to +X
    for i in 0..250 {
        let apart = 0.05 - 0.042 * (i as f64 / 200.0).min(1.0);
        for (k, sign) in [1.0, -1.0].into_iter().enumerate() {
            let turn = Quat::from_rotation_z(-sign * std::f64::consts::FRAC_PI_2);
            let wrist = Pose::new(Vec3::X * (sign * apart), turn);
            let model = if k == 0 { model() } else { &left };
            world.track(hands[k], &Posture::FLAT.frame(model, wrist)).unwrap();
        }
        assert!(!world.step(DT).unwrap().flags.rolled_back);
    }
    let on_right = force_on_body(&world, 0);
    assert!(on_right.x > 1.0, "the right hand is pushed back with {on_right} N");
    assert!(depth(&world) < 2e-3, "{} m deep", depth(&world));
}

#[test]
fn a_hand_presses_a_soft_ball_flat() {
    for method in METHODS {
        let mut world = World::new(WorldConfig { method, ..WorldConfig::default() }).unwrap();
        let hand = world.add_hand(model()).unwrap();
        let floor = Pose::new(Vec3::new(0.0, -0.1, 0.0), Quat::IDENTITY);
        let table = world.add_object(ObjectDef::fixed("table", Shape::Plane, floor)).unwrap();
        world.add_soft(rubber("ball", ball::ball(Vec3::new(-0.005, -0.07, -0.075), 0.03, 5))).unwrap();
        let mut lowest = 0.0f64;
        for i in 0..200 {
            let t = (i as f64 / 150.0).min(1.0);
            let wrist = Pose::new(Vec3::new(0.0, -0.04 * t, 0.0), Quat::IDENTITY);
            world.track(hand, &Posture::REST.frame(model(), wrist)).unwrap();
            assert!(!world.step(DT).unwrap().flags.rolled_back, "{method:?}: step {i}");
            lowest = lowest.min(world.object(table).force.y);
        }
        let on_ball = force_on_body(&world, 1);
        assert!(on_ball.y < -1.0, "{method:?}: the hand pushes the ball with {on_ball} N");
        let top = world.state().softs[1].nodes.iter().map(|x| x.y).fold(f64::NEG_INFINITY, f64::max);
        assert!(top + 0.1 < 0.058, "the ball is still {} m high", top + 0.1);
        assert!(depth(&world) < 2e-3, "{} m deep", depth(&world));
    }
}

#[test]
fn a_hand_grasps_a_soft_ball_and_lifts_it() {
    let mut world = World::new(WorldConfig::default()).unwrap();
    let hand = world.add_hand(model()).unwrap();
    let palm = model().skeleton.xr_rest[XrJoint::Palm].unwrap().pose.position;
    let (centre, radius) = (palm + Vec3::new(0.0, -0.038, -0.03), 0.03);
    let floor = Pose::new(Vec3::Y * (centre.y - radius), Quat::IDENTITY);
    world.add_object(ObjectDef::fixed("table", Shape::Plane, floor)).unwrap();
    world.add_soft(rubber("ball", ball::ball(centre, radius, 5))).unwrap();
    let ramp = |i: usize, from: f64, to: f64| ((i as f64 * DT - from) / (to - from)).clamp(0.0, 1.0);
    let height = |world: &World| {
        let nodes = &world.state().softs[1].nodes;
        nodes.iter().map(|x| x.y).sum::<f64>() / nodes.len() as f64 - centre.y
    };
    let mut held = Vec::new();
    for i in 0..500 {
        // down, closed, up, and held there
        let lift = 0.05 * (1.0 - ramp(i, 0.0, 0.3)) + 0.08 * ramp(i, 1.0, 1.6);
        let posture = Posture::OPEN.mixed(&Posture::BALL, 0.3 + 1.1 * ramp(i, 0.3, 0.9));
        world.track(hand, &posture.frame(model(), Pose::new(Vec3::Y * lift, Quat::IDENTITY))).unwrap();
        assert!(!world.step(DT).unwrap().flags.rolled_back, "step {i}");
        if i >= 425 {
            held.push(height(&world));
        }
    }
    let (first, last) = (held[0], held[held.len() - 1]);
    assert!(last > 0.06, "the ball is {last} m up");
    assert!((last - first).abs() < 1e-3, "the ball slips {} m in 0.3 s", first - last);
}
