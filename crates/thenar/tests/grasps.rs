//! Things in hands: what is held neither trembles nor turns, thin plates stay between palm and thumb, and what a glove is told balances.

mod hands;
mod touching;

use hands::{DT, Posture, model, tracked};
use std::f64::consts::FRAC_PI_2;
use thenar::contact::ContactMethod;
use thenar::geometry::distance::Shape;
use thenar::hand::{Anatomy, BoneId, Digit, HandModel, HandOptions, HandPose, Preset as Size, Side, SkinDetail};
use thenar::math::{Pose, Quat, Vec3};
use thenar::world::{HandId, World, WorldConfig};
use touching::verdict::Verdict;
use touching::{G, METHODS, WEIGHTLESS, config, fixed, free_box, plane, slope, thrown};

/// Two hands hold a box of 2 kg between their palms and lift it: it stood still before, and it shall stand still again. It once
/// trembled at 60 to 80 mm/s.
#[test]
fn a_heavy_box_between_two_childs_hands_does_not_tremble() {
    let anatomy = Anatomy::preset(Size::Child, Side::Right);
    let mut options = HandOptions { anatomy, detail: SkinDetail::Coarse, ..HandOptions::default() };
    options.tissue.tets = 600;
    let right = HandModel::build(&options).unwrap();
    let left = right.mirrored();
    let mut verdict = Verdict::default();
    for method in METHODS {
        let mut world = World::new(config(method, slope(0.0))).unwrap();
        let hands = [world.add_hand(&right).unwrap(), world.add_hand(&left).unwrap()];
        let half = Vec3::splat(0.05);
        plane(&mut world, 0.5);
        let parcel = free_box(&mut world, half, 2.0, Vec3::new(0.0, half.y, -0.06));
        let ramp = |i: i32, from: f64, to: f64| ((f64::from(i) * DT - from) / (to - from)).clamp(0.0, 1.0);
        let mut trembling = 0.0f64;
        for i in 0..700 {
            let x = 0.1 - 0.052 * ramp(i, 0.0, 0.6);
            let y = half.y + 0.05 * ramp(i, 0.8, 1.8);
            for (hand, model, side) in [(hands[0], &right, 1.0), (hands[1], &left, -1.0)] {
                let wrist = Pose::new(Vec3::new(side * x, y, 0.0), Quat::from_rotation_z(-side * FRAC_PI_2));
                world.track(hand, &tracked(model, &HandPose::default(), wrist)).unwrap();
            }
            assert!(!world.step(DT).unwrap().flags.rolled_back);
            let out = world.object(parcel);
            if f64::from(i) * DT > 2.3 {
                trembling = trembling.max(out.velocity.length().max(out.spin.length() * half.length()));
            }
        }
        let lifted = world.object(parcel).pose.position.y - half.y;
        verdict.check(lifted > 0.03 && trembling < 5e-3, || {
            format!("{method:?}: lifted by {:.0} mm, {:.1} mm/s at rest", lifted * 1e3, trembling * 1e3)
        });
    }
    verdict.give();
}

/// Thumb and index finger on their way to a pinch; the distance of their pads, and the middle between them.
fn pads(share: f64) -> (f64, Vec3) {
    let pose = HandPose { digits: Posture::OPEN.mixed(&Posture::PINCH, share).0.map(|d| d.map(f64::to_radians)) };
    let bones = model().skeleton.pose(&pose, Pose::IDENTITY);
    let pad = |digit: Digit| {
        let bone = bones[BoneId::of(digit, 2).index()];
        model().pads[digit.index()].iter().map(move |sample| bone.point(sample.local))
    };
    let pairs = pad(Digit::Thumb).flat_map(|a| pad(Digit::Index).map(move |b| (a.distance(b), (a + b) * 0.5)));
    pairs.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap()
}

/// At which share of the way the pads are so far apart.
fn apart(distance: f64) -> f64 {
    let (mut open, mut closed) = (0.0, 1.0);
    for _ in 0..40 {
        let middle = 0.5 * (open + closed);
        *(if pads(middle).0 > distance { &mut open } else { &mut closed }) = middle;
    }
    open
}

/// It once turned by 13°. It rolls between the pads while they close, which move past each other, by as much under every method; once it is
/// held, and has a weight, it stays.
#[test]
fn a_small_sphere_between_two_fingers_does_not_turn() {
    let (radius, mass) = (0.0075, 0.014);
    let (start, end) = (apart(2.0 * radius), apart(0.008));
    let mut rolls = Vec::new();
    let mut verdict = Verdict::default();
    for method in METHODS {
        let mut world = World::new(config(method, WEIGHTLESS)).unwrap();
        let hand = world.add_hand(model()).unwrap();
        let at = Pose::new(pads(start).1, Quat::IDENTITY);
        let ball = thrown(&mut world, "ball", Shape::Sphere { radius }, mass, at, Vec3::ZERO, 0.5);
        let mut held = Quat::IDENTITY;
        let mut place = Vec3::ZERO;
        for i in 0..750 {
            let time = f64::from(i) * DT;
            let share = start + (end - start) * (time / 0.4).min(1.0) - 0.15 * (1.0 - time / 0.1).max(0.0);
            let frame = Posture::OPEN.mixed(&Posture::PINCH, share).frame(model(), Pose::IDENTITY);
            world.track(hand, &frame).unwrap();
            if time > 0.5 {
                world.push(ball, -Vec3::Y * 9.81 * mass, Vec3::ZERO).unwrap();
            }
            assert!(!world.step(DT).unwrap().flags.rolled_back);
            if i == 250 {
                held = world.object(ball).pose.rotation;
                place = world.object(ball).pose.position;
            }
        }
        let out = world.object(ball);
        let grip = world.hand(hand).grip;
        let [turned, rolled] = [held, Quat::IDENTITY].map(|from| out.pose.rotation.angle_between(from).to_degrees());
        let moved = out.pose.position.distance(place);
        rolls.push(rolled);
        verdict.check(turned < 0.5 && moved < 1e-5 && grip[0] > 0.3 && grip[1] > 0.3, || {
            format!("{method:?}: turns by {turned:.2}°, moves by {moved} m in 2 s, gripped with {grip:.2?} N")
        });
    }
    let (least, most) =
        (rolls.iter().copied().fold(f64::INFINITY, f64::min), rolls.iter().copied().fold(0.0, f64::max));
    verdict.check(most - least < 1.0, || format!("rolls by {rolls:.2?}°"));
    verdict.give();
}

/// 4 mm thick; as broad as the hollow between the balls of thumb and little finger.
const PLATE: Vec3 = Vec3::new(0.014, 0.002, 0.02);

/// It once ended inside both, with forces that balanced.
#[test]
fn a_thin_plate_stays_between_palm_and_thumb() {
    let thumb = |away: f64| Posture([[60.0, away, 60.0, 60.0], [0.0; 4], [0.0; 4], [0.0; 4], [0.0; 4]]);
    let (open, closed) = (thumb(45.0), thumb(-30.0));
    let mut verdict = Verdict::default();
    for method in METHODS {
        for dt in [DT, 1.0 / 60.0] {
            // the palm looks up, and the plate lies on it
            let mut world = World::new(config(method, Vec3::Y * G)).unwrap();
            let hand = world.add_hand(model()).unwrap();
            let at = Pose::new(Vec3::new(0.022, -0.028, -0.058), Quat::IDENTITY);
            let plate = thrown(&mut world, "plate", Shape::Box { half: PLATE }, 0.02, at, Vec3::ZERO, 0.5);
            let mut worst = 0.0f64;
            for i in 0..(1.2 / dt) as u32 {
                let share = (f64::from(i) * dt / 0.6).min(1.0);
                world.track(hand, &open.mixed(&closed, share).frame(model(), Pose::IDENTITY)).unwrap();
                assert!(!world.step(dt).unwrap().flags.rolled_back);
                let pose = world.object(plate).pose;
                let skin = world.hand(hand).skin_positions.iter().map(|p| Vec3::from_array(p.map(f64::from)));
                worst = skin.map(|p| (PLATE - pose.local(p).abs()).min_element()).fold(worst, f64::max);
            }
            let out = world.hand(hand);
            let (thumb, palm) = (out.grip[0], out.palm_force);
            // half of its thickness would be the middle of it
            verdict.check(worst < 1e-3 && thumb > 0.5 && palm > 0.5, || {
                format!("{method:?}, {dt} s: skin {:.2} mm deep, thumb {thumb:.2} N, palm {palm:.2} N", worst * 1e3)
            });
        }
    }
    verdict.give();
}

/// An index finger that presses on a fixed ball; springs of the tracker on the palm alone pull, those on the phalanges only turn.
fn pressing(method: ContactMethod) -> (World, HandId) {
    let mut config = WorldConfig { self_contact: false, ..config(method, WEIGHTLESS) };
    config.tracking.phalanx.linear = 0.0;
    let mut world = World::new(config).unwrap();
    let hand = world.add_hand(model()).unwrap();
    let tip = model().skeleton.rest_poses()[BoneId::of(Digit::Index, 2).index()];
    let pads = &model().pads[Digit::Index.index()];
    let middle = pads.iter().map(|sample| tip.point(sample.local)).sum::<Vec3>() / pads.len() as f64;
    let radius = 0.01;
    fixed(
        &mut world,
        "ball",
        Shape::Sphere { radius },
        Pose::new(middle - Vec3::Y * (radius + 2e-3), Quat::IDENTITY),
        0.5,
    );
    for i in 0..500 {
        let down = 0.012 * (f64::from(i) / 200.0).min(1.0);
        world.track(hand, &Posture::REST.frame(model(), Pose::new(-Vec3::Y * down, Quat::IDENTITY))).unwrap();
        assert!(!world.step(DT).unwrap().flags.rolled_back);
    }
    (world, hand)
}

#[test]
fn torques_for_a_glove_are_those_of_the_forces_on_the_finger() {
    let mut verdict = Verdict::default();
    for method in METHODS {
        let (world, hand) = pressing(method);
        let out = world.hand(hand);
        let force: Vec3 = out.contacts.iter().map(|c| c.force).sum();
        assert!(force.y > 0.5, "{method:?}: the ball presses with {force} N");
        for (joint, segment) in [(0, 0), (2, 1), (3, 2)] {
            // a finger bends about the x axis of the bone behind its joint, whose frame has its origin there
            let bone = out.bones[BoneId::of(Digit::Index, segment).index()];
            let torque: Vec3 = out.contacts.iter().map(|c| (c.point - bone.position).cross(c.force)).sum();
            let about = -torque.dot(bone.rotation * Vec3::X);
            let said = out.joint_torques.digits[Digit::Index.index()][joint];
            verdict.check((said - about).abs() < 1e-3 * torque.length(), || {
                format!("{method:?}, joint {joint}: {said:.5} N m, r × F is {about:.5} N m of {:.5}", torque.length())
            });
        }
        for digit in [Digit::Thumb, Digit::Middle, Digit::Ring, Digit::Little] {
            verdict.check(out.joint_torques.digits[digit.index()] == [0.0; 4], || format!("{digit:?} touches nothing"));
        }
    }
    verdict.give();
}

/// Nothing else holds the hand: forces and torques of tracker and contact balance about any point.
#[test]
fn what_tracking_does_to_a_hand_at_rest_balances_what_it_touches() {
    let mut verdict = Verdict::default();
    for method in METHODS {
        let (world, hand) = pressing(method);
        let out = world.hand(hand);
        let force: Vec3 = out.contacts.iter().map(|c| c.force).sum();
        let palm = out.bones[0].point(model().skeleton.bones[0].com);
        let torque: Vec3 = out.contacts.iter().map(|c| (c.point - palm).cross(c.force)).sum();
        let turning: Vec3 = out.tracking_torques.iter().sum();
        let (left, turned) = ((force + out.tracking_force).length(), (torque + turning).length());
        verdict.check(left < 1e-3 * force.length() && turned < 1e-3 * torque.length(), || {
            format!("{method:?}: {left:.4} N of {force:.3} and {turned:.5} N m of {torque:.4} are left over")
        });
    }
    verdict.give();
}
