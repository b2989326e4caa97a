//! Touch on the fingertips: discs follow what pads touch, smoothly, and nothing of a contact is lost.

mod bar;
mod hands;

use hands::{DT, HandWorld, Posture, model};
use thenar::energy::tissue::Material;
use thenar::geometry::distance::Shape;
use thenar::hand::{BoneId, Digit, Patch};
use thenar::math::{Pose, Quat, Vec3};
use thenar::tactile::{DeviceModel, DiscPose, Displacement, FingerTouch, TactileParams};
use thenar::world::{ContactMethod, ObjectDef, SoftDef, World, WorldConfig};

fn config(method: ContactMethod) -> WorldConfig {
    WorldConfig { method, tactile: Some(TactileParams::default()), ..WorldConfig::default() }
}

/// A hand whose index is 4 mm above a plate that is tilted by that many degrees about the finger's length.
fn above_a_plate(config: WorldConfig, tilt: f64) -> HandWorld {
    let tactile = config.tactile.clone();
    let mut hands = HandWorld::new(config);
    hands.world.set_tactile(Some(TactileParams::default())).unwrap();
    at_height(&mut hands, 0.0);
    let pad = index(&hands).frame;
    let turned = pad.rotation * Quat::from_rotation_z(tilt.to_radians());
    let (below, half) = (5e-3, Vec3::new(0.01, 0.005, 0.015));
    let plate = Pose::new(pad.position - pad.rotation * Vec3::Y * 4e-3 - turned * Vec3::Y * below, turned);
    hands.world.add_object(ObjectDef::fixed("plate", Shape::Box { half }, plate)).unwrap();
    hands.world.set_tactile(tactile).unwrap();
    hands
}

/// One step with the wrist at a height.
fn at_height(hands: &mut HandWorld, y: f64) {
    let frame = Posture::REST.frame(model(), Pose::new(Vec3::new(0.0, y, 0.0), Quat::IDENTITY));
    hands.world.track(hands.hand, &frame).unwrap();
    hands.world.step(DT).unwrap();
}

fn fingers(hands: &HandWorld) -> &[FingerTouch] {
    &hands.world.hand(hands.hand).tactile
}

fn index(hands: &HandWorld) -> &FingerTouch {
    &fingers(hands)[Digit::Index.index()]
}

/// Normal force on the tip of the index, N.
fn pressing(hands: &HandWorld) -> f64 {
    let own = Patch::of_bone(BoneId::of(Digit::Index, 2));
    let contacts = hands.world.hand(hands.hand).contacts.iter().filter(|c| c.patch == own);
    contacts.map(|c| c.force.dot(c.normal)).sum()
}

/// Lowers the hand at 15 mm/s until the index presses with 1 N, and holds it there.
fn press(hands: &mut HandWorld, mut seen: impl FnMut(&HandWorld)) -> f64 {
    let (mut y, mut held) = (0.0, 0);
    for _ in 0..2000 {
        if pressing(hands) < 1.0 && held == 0 {
            y -= 0.015 * DT;
        } else {
            held += 1;
        }
        at_height(hands, y);
        seen(hands);
        if held > 150 {
            return y;
        }
    }
    panic!("the index never pressed: {} N", pressing(hands));
}

#[test]
fn a_disc_follows_the_slope_under_a_pad_without_jumps() {
    for (method, tilt) in
        [(ContactMethod::Penalty, 12.0), (ContactMethod::Point, 0.0), (ContactMethod::Aggregate, -10.0)]
    {
        let mut hands = above_a_plate(config(method), tilt);
        let device = DeviceModel::default();
        at_height(&mut hands, 0.0);
        assert!(fingers(&hands).iter().all(|f| f.disc == device.free() && f.touching == 0), "a free disc is retracted");
        let mut last: Vec<(DiscPose, Vec3)> = fingers(&hands).iter().map(|f| (f.disc, f.frame.position)).collect();
        press(&mut hands, |hands| {
            for (finger, (disc, at)) in fingers(hands).iter().zip(&mut last) {
                let speed = finger.frame.position.distance(*at) / DT;
                let share = DT * 90.0;
                if speed < 0.02 {
                    assert!((finger.disc.displacement - disc.displacement).abs() <= 1e-4 * share, "{method:?}");
                    let tilt = libm::hypot(finger.disc.pitch - disc.pitch, finger.disc.roll - disc.roll);
                    assert!(tilt.to_degrees() <= share, "{method:?}");
                }
                let legs = device.lengths(&finger.disc).into_iter().zip(device.lengths(disc));
                let fastest = legs.map(|(a, b)| (a - b).abs() / DT).fold(0.0, f64::max);
                assert!(fastest <= 1.01 * device.legs.unwrap().rate, "{fastest}");
                (*disc, *at) = (finger.disc, finger.frame.position);
            }
        });
        let finger = index(&hands);
        assert!(finger.touching >= 5 && finger.disc.displacement > 2e-4, "{method:?}: {:?}", finger.disc);
        let error = finger.tilt_error().unwrap().to_degrees();
        assert!(error < 5.0, "{method:?}: the disc is {error}° off the slope");
        assert!(finger.residual < 3e-4, "{method:?}: {}", finger.residual);
        assert_eq!(finger.legs, device.lengths(&finger.disc));
    }
}

#[test]
fn taxels_sum_to_the_force_on_the_fingertip() {
    for (_, method) in ContactMethod::ALL {
        let mut hands = above_a_plate(config(method), 5.0);
        press(&mut hands, |hands| {
            let out = hands.world.hand(hands.hand);
            for digit in Digit::ALL {
                let finger = &out.tactile[digit.index()];
                let felt = finger.frame.rotation * finger.taxels.sum();
                let whole = out.bone_wrenches[BoneId::of(digit, 2).index()].force;
                assert!(felt.distance(whole) <= 1e-2 * whole.length() + 1e-12, "{method:?} {digit:?}: {felt} {whole}");
            }
        });
        assert!(index(&hands).force.y > 0.7);
    }
}

#[test]
fn pressure_says_how_hard_and_nothing_of_it_moves_the_world() {
    let mut params = TactileParams { displacement: Displacement::Pressure, ..TactileParams::default() };
    let mut hands = above_a_plate(WorldConfig { tactile: Some(params.clone()), ..WorldConfig::default() }, 0.0);
    let mut plain = above_a_plate(WorldConfig::default(), 0.0);
    let y = press(&mut hands, |_| {});
    let pressed = index(&hands);
    assert!((pressed.disc.displacement - pressed.pressure_displacement).abs() < 2e-4, "{:?}", pressed.disc);
    params.matching = false;
    hands.world.set_tactile(Some(params)).unwrap();
    at_height(&mut hands, y);
    assert_eq!(index(&hands).disc, DeviceModel::default().free());
    // the same way without touch gives the same bits
    press(&mut plain, |_| {});
    at_height(&mut plain, y);
    assert_eq!(plain.world.report().hash, hands.world.report().hash);
}

#[test]
fn snapshots_hold_the_discs() {
    let mut hands = above_a_plate(config(ContactMethod::Penalty), 8.0);
    let y = press(&mut hands, |_| {});
    let saved = hands.world.snapshot();
    let lift = |hands: &mut HandWorld| {
        (0..30).for_each(|k| at_height(hands, y + 2e-4 * f64::from(k)));
        fingers(hands).iter().map(|f| (f.disc, f.slip)).collect::<Vec<_>>()
    };
    let first = lift(&mut hands);
    hands.world.restore(&saved).unwrap();
    assert_eq!(lift(&mut hands), first);
}

#[test]
fn pads_feel_soft_things_other_fingers_and_the_other_hand() {
    // a soft block under the index
    let mut hands = HandWorld::new(config(ContactMethod::Penalty));
    at_height(&mut hands, 0.0);
    let at = index(&hands).frame.position;
    let (height, top) = (0.03, at.y - 4e-3);
    let mut mesh = bar::box_mesh([6, 6, 6], Vec3::splat(height));
    let middle = mesh.positions.iter().sum::<Vec3>() / mesh.positions.len() as f64;
    mesh.positions.iter_mut().for_each(|p| *p += Vec3::new(at.x, top - 0.5 * height, at.z) - middle);
    let mut soft = SoftDef::new("block", mesh, Material { young: 2e5, poisson: 0.3 }, 1000.0);
    soft.friction = 0.6;
    hands.world.add_soft(soft).unwrap();
    let floor = Pose::new(Vec3::new(0.0, top - height, 0.0), Quat::IDENTITY);
    hands.world.add_object(ObjectDef::fixed("floor", Shape::Plane, floor)).unwrap();
    let mut y = 0.0;
    for _ in 0..400 {
        y -= if pressing(&hands) < 0.5 { 0.015 * DT } else { 0.0 };
        at_height(&mut hands, y);
    }
    let finger = index(&hands);
    assert!(finger.pressing > 0.2 && finger.touching > 3, "soft block: {} N, {}", finger.pressing, finger.touching);
    // the block is level and the pad is not: the disc is tilted and touches with the side of the tip
    assert!(finger.disc.displacement > -1e-3 && finger.tilt_error().unwrap() < 0.15, "{:?}", finger.disc);

    // thumb and index of one hand
    let mut hands = HandWorld::new(config(ContactMethod::Penalty));
    hands.take(&Posture::PINCH, 300);
    let thumb = &fingers(&hands)[Digit::Thumb.index()];
    assert!(thumb.pressing > 0.0 && thumb.samples.iter().any(|s| s.gap < 5e-4), "{} N", thumb.pressing);
    assert!(thumb.disc.displacement > DeviceModel::default().free().displacement);
    assert!(fingers(&hands)[Digit::Little.index()].samples.iter().all(|s| s.gap.is_infinite()));

    // another hand below, palm up: its fingers under ours
    let mut world = World::new(config(ContactMethod::Penalty)).unwrap();
    let (above, below) = (world.add_hand(model()).unwrap(), world.add_hand(model()).unwrap());
    let mut felt = false;
    for k in 0..400 {
        let down = Pose::new(Vec3::new(0.0, 0.06 - 1e-4 * f64::from(k), 0.0), Quat::IDENTITY);
        let up = Pose::new(Vec3::new(0.01, 0.0, 0.0), Quat::from_rotation_z(std::f64::consts::PI));
        world.track(above, &Posture::REST.frame(model(), down)).unwrap();
        world.track(below, &Posture::REST.frame(model(), up)).unwrap();
        world.step(DT).unwrap();
        felt |= world.hand(above).tactile.iter().any(|f| f.pressing > 0.1 && f.touching > 0);
        if felt {
            break;
        }
    }
    assert!(felt, "the other hand is felt");
}
