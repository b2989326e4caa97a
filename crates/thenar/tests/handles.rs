//! Handles: what a device moves, and the linear model of the force on them, by finite differences of the simulation itself.

#![allow(clippy::disallowed_macros)] // prints its tables

mod hands;
mod tools;

use thenar::contact::{ContactMethod, Verdict};
use thenar::geometry::distance::Shape;
use thenar::hand::BoneId;
use thenar::haptics::{ContactMatrix, HandleCoupling, HandleId, HandleModel, HandleState, Lead, Linearisation};
use thenar::math::{Pose, Quat, Vec3};
use thenar::world::{ObjectDef, Preset, World, WorldConfig};
use tools::{Doing, Ground, Matrix, apart, check_doing, ground, moved, prepared, tool, two_handed};

fn verdicts(world: &World) -> Vec<(Verdict, bool, bool)> {
    world.contacts().iter().map(|p| (p.verdict, p.active, p.slipping)).collect()
}

/// How the forces after the step depend on the states before it, by stepping again from states `small` apart; how many of the trials met other
/// contacts than the step itself.
fn differences(world: &mut World, handles: &[HandleId], dt: f64, small: [f64; 4], hold: bool) -> (Matrix, Matrix, u32) {
    let m = 6 * handles.len();
    let from = world.snapshot();
    let starts: Vec<_> = handles.iter().map(|&handle| world.handle_state(handle).unwrap()).collect();
    world.step(dt).unwrap();
    let as_it_is = verdicts(world);
    world.hold_contacts(hold);
    let mut model = HandleModel::of(handles.len());
    let (mut by_place, mut by_speed) = (vec![0.0; m * m], vec![0.0; m * m]);
    let mut others = 0;
    for unknown in 0..m {
        let (of, own) = (unknown / 6, unknown % 6);
        let angular = usize::from(own >= 3);
        for (matrix, way, speed) in [(&mut by_place, small[angular], 0.0), (&mut by_speed, 0.0, small[2 + angular])] {
            let step = way + speed;
            for sign in [1.0, -1.0] {
                world.restore(&from).unwrap();
                world.put_handle(handles[of], moved(&starts[of], own, sign * way, sign * speed)).unwrap();
                world.step(dt).unwrap();
                others += u32::from(verdicts(world) != as_it_is);
                world.handle_model(&mut model).unwrap();
                for row in 0..m {
                    matrix[m * row + unknown] += sign * model.force[row] / (2.0 * step);
                }
            }
        }
    }
    world.hold_contacts(false);
    world.restore(&from).unwrap();
    (by_place, by_speed, others)
}

const FREE: Linearisation = Linearisation { lead: Lead::Free, contacts: ContactMatrix::Full };

#[test]
fn the_model_is_the_derivative_of_the_simulation() {
    let mut failed = Vec::new();
    println!("method     ground  doing      dt    dF/dx  dF/dv  flips | not held: dF/dx dF/dv flips | diagonal");
    for method in [ContactMethod::Penalty, ContactMethod::Point, ContactMethod::Aggregate] {
        for (on, doing) in [
            (Ground::None, Doing::Pressing),
            (Ground::Rigid, Doing::Pressing),
            (Ground::Rigid, Doing::Sliding),
            (Ground::Soft, Doing::Pressing),
            (Ground::Soft, Doing::Sliding),
        ] {
            for dt in [0.004, 0.02] {
                let (mut world, handle) = prepared(method, on, doing, dt);
                let small = [2e-6, 1e-4, 2e-6 / dt, 1e-4 / dt];
                let large = [1e-4, 5e-3, 1e-4 / dt, 5e-3 / dt];
                let held = differences(&mut world, &[handle], dt, small, true);
                let free = differences(&mut world, &[handle], dt, large, false);
                world.step(dt).unwrap();
                check_doing(&world, on, doing, &format!("{method:?} on {on:?}, {doing:?}, {dt} s"));
                let (mut model, mut rough) = (HandleModel::of(1), HandleModel::of(1));
                world.handle_model_by(FREE, &mut model).unwrap();
                world.handle_model_by(Linearisation { contacts: ContactMatrix::Diagonal, ..FREE }, &mut rough).unwrap();
                let [x, v] = [apart(&model.stiffness, &held.0), apart(&model.damping, &held.1)];
                let [fx, fv] = [apart(&model.stiffness, &free.0), apart(&model.damping, &free.1)];
                let diagonal = apart(&rough.stiffness, &held.0);
                println!(
                    "{:10} {:7} {:9} {dt:5.3} {:6.2}% {:6.2}% {:3} | {:6.1}% {:6.1}% {:3} | {:6.1}%  ({} contacts)",
                    format!("{method:?}"),
                    format!("{on:?}"),
                    format!("{doing:?}"),
                    100.0 * x,
                    100.0 * v,
                    held.2,
                    100.0 * fx,
                    100.0 * fv,
                    free.2,
                    100.0 * diagonal,
                    world.contacts().iter().filter(|p| p.active).count(),
                );
                if !(x < 0.05 && v < 0.05) {
                    failed.push((method, on, doing, dt, x, v));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

/// What one hand does to a tool the other feels: the cross terms are derivatives, too.
#[test]
fn several_handles_are_one_model() {
    let (dt, mut failed) = (0.02, Vec::new());
    for method in [ContactMethod::Penalty, ContactMethod::Point, ContactMethod::Aggregate] {
        for (on, doing) in [
            (Ground::None, Doing::Pressing),
            (Ground::Rigid, Doing::Pressing),
            (Ground::Rigid, Doing::Sliding),
            (Ground::Soft, Doing::Pressing),
        ] {
            let (mut world, handles) = two_handed(method, on, doing, dt);
            let held = differences(&mut world, &handles, dt, [2e-6, 1e-4, 2e-6 / dt, 1e-4 / dt], true);
            world.step(dt).unwrap();
            check_doing(&world, on, doing, &format!("{method:?} on {on:?}, {doing:?}, two handles"));
            let mut model = HandleModel::of(2);
            world.handle_model_by(FREE, &mut model).unwrap();
            let [x, v] = [apart(&model.stiffness, &held.0), apart(&model.damping, &held.1)];
            let across = model.stiffness[6].abs() / model.stiffness[0].abs();
            println!("{method:?} {on:?} {doing:?}: {:.2} % {:.2} %, across {across:.3}", 100.0 * x, 100.0 * v);
            if !(x < 0.05 && v < 0.05 && across > 1e-3) {
                failed.push((method, on, doing, x, v, across));
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

/// The same with the palm of a hand as the handle, joints and tracked fingers behind it, in the air and flat on a table.
#[test]
fn a_palm_is_a_handle_like_any_other() {
    let mut failed = Vec::new();
    for method in [ContactMethod::Penalty, ContactMethod::Point, ContactMethod::Aggregate] {
        for (pressed, dt) in [(false, 0.02), (true, 0.02), (false, 0.004), (true, 0.004)] {
            let mut world = World::new(WorldConfig { method, ..WorldConfig::default() }).unwrap();
            if pressed {
                ground(&mut world, Ground::Rigid, Doing::Pressing);
            }
            let hand = world.add_hand(hands::model()).unwrap();
            let handle = world.add_handle(hand, BoneId::PALM, HandleCoupling::default()).unwrap();
            let open =
                |down: f64| hands::Posture::OPEN.frame(hands::model(), Pose::new(Vec3::Y * down, Quat::IDENTITY));
            world.track(hand, &open(0.02)).unwrap();
            world.step(dt).unwrap();
            let start = world.handle_state(handle).unwrap();
            for i in 0..40 {
                let low = if pressed { -0.012 * (f64::from(i) / 20.0).min(1.0) } else { 0.0 };
                let pose = Pose::new(start.pose.position + Vec3::Y * low, start.pose.rotation);
                world.set_handle_target(handle, HandleState { pose, ..HandleState::default() }).unwrap();
                world.track(hand, &open(0.02 + low)).unwrap();
                if i < 39 {
                    world.step(dt).unwrap();
                }
            }
            let held = differences(&mut world, &[handle], dt, [2e-6, 1e-4, 2e-6 / dt, 1e-4 / dt], true);
            world.step(dt).unwrap();
            let contacts = world.contacts().iter().filter(|p| p.active).count();
            let mut model = HandleModel::of(1);
            world.handle_model_by(FREE, &mut model).unwrap();
            let [x, v] = [apart(&model.stiffness, &held.0), apart(&model.damping, &held.1)];
            println!("palm {method:?}, {contacts} contacts, {dt} s: {:.2} % {:.2} %", 100.0 * x, 100.0 * v);
            // without how the torques of joints on the fingers change as the palm turns, beyond their Gauss-Newton part, it was 10 % at 20 ms; hard points
            // come to rest at the rim of their cones, where sticking and sliding differ by 2 %
            let most = if method == ContactMethod::Point && pressed { 0.05 } else { 0.01 };
            if !(x < most && v < most && (contacts > 0) == pressed) {
                failed.push((method, pressed, contacts, x, v));
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn a_handle_follows_its_target_and_feels_its_tool() {
    let mut world = World::new(WorldConfig::default()).unwrap();
    let handle = tool(&mut world, Vec3::ZERO);
    let start = world.handle_state(handle).unwrap();
    let dt = 0.004;
    let to = Pose::new(start.pose.position + Vec3::new(0.05, 0.02, 0.0), Quat::from_rotation_y(0.4));
    let target = HandleState { pose: to, ..HandleState::default() };
    world.set_handle_target(handle, target).unwrap();
    for _ in 0..500 {
        world.step(dt).unwrap();
    }
    let state = world.handle_state(handle).unwrap();
    // 64 g hang on 12 kN/m
    assert!(state.pose.position.distance(to.position) < 2e-4, "{}", state.pose.position);
    assert!(state.pose.rotation.angle_between(to.rotation) < 2e-3);
    let mut model = HandleModel::of(1);
    world.handle_model(&mut model).unwrap();
    let body = &world.soft_bodies()[0];
    let carried: f64 = body.node_mass.iter().sum();
    let whole = carried + body.bones[0].mass;
    assert!((whole - 0.064).abs() < 1e-9, "the handle has its mass from its nodes: {whole} kg");
    assert!((model.force[1] + 9.81 * carried).abs() < 1e-3, "{:?}", model.force);
    println!("free: {:?}", model.stiffness);
}

/// The palm of a hand as the handle: the hand comes down on a table with bent fingers, led by a device alone.
#[test]
fn a_palm_that_a_device_leads_feels_what_the_fingers_touch() {
    for method in [ContactMethod::Penalty, ContactMethod::Point, ContactMethod::Aggregate] {
        let mut world = World::new(WorldConfig { method, ..WorldConfig::default() }).unwrap();
        let hand = world.add_hand(hands::model()).unwrap();
        world.add_object(ObjectDef::fixed("table", Shape::Plane, Pose::new(Vec3::Y * -0.12, Quat::IDENTITY))).unwrap();
        let palm = world.add_handle(hand, BoneId::PALM, HandleCoupling::default()).unwrap();
        world.track(hand, &hands::Posture::BALL.frame(hands::model(), Pose::IDENTITY)).unwrap();
        let start = {
            world.step(0.004).unwrap();
            world.handle_state(palm).unwrap()
        };
        let mut model = HandleModel::of(1);
        let lead = |world: &mut World, down: f64| {
            let pose = Pose::new(start.pose.position - Vec3::Y * down, start.pose.rotation);
            world.set_handle_target(palm, HandleState { pose, ..HandleState::default() }).unwrap();
            world.step(0.004).unwrap();
            let report = world.report();
            assert!(
                !report.flags.rolled_back && !report.flags.reseated,
                "step {}: {:?}, {:?}",
                report.step,
                report.flags,
                report.failure
            );
        };
        for i in 0..250 {
            lead(&mut world, 0.0 * f64::from(i));
        }
        world.handle_model(&mut model).unwrap();
        let free = model.clone();
        assert!(
            Vec3::from_slice(&free.force).length() < 0.05,
            "a hand that touches nothing weighs nothing: {:?}",
            free.force
        );
        let mut down = 0.0;
        while world.report().skin_contacts < 8 {
            down += 2e-4;
            lead(&mut world, down);
            assert!(down < 0.1, "it met no table");
        }
        for i in 0..200 {
            lead(&mut world, down + 2e-3 * (f64::from(i) / 50.0).min(1.0));
        }
        world.handle_model(&mut model).unwrap();
        let on_table: Vec3 =
            world.contacts().iter().filter(|p| p.active && !p.is_between_soft()).map(|p| p.force).sum();
        println!(
            "{method:?}: {:?} N, the table pushes with {on_table}; stiffness along y {:.1} free, {:.1} N/m pressed",
            &model.force[..3],
            free.stiffness[7],
            model.stiffness[7]
        );
        assert!(on_table.y > 0.5, "it presses: {on_table}");
        assert!(
            (Vec3::from_slice(&model.force) - on_table).length() < 0.03 * on_table.length(),
            "{:?} and {on_table}",
            model.force
        );
        assert!(model.stiffness[7] < 4.0 * free.stiffness[7].min(0.0) - 50.0);
    }
}

/// Made a handle, led away and made a bone again, the palm follows its tracker, and the world takes the state of one without handles.
#[test]
fn a_handle_that_is_removed_leaves_the_world_as_it_was() {
    let mut world = World::new(WorldConfig::default()).unwrap();
    let hand = world.add_hand(hands::model()).unwrap();
    let frame = hands::Posture::BALL.frame(hands::model(), Pose::IDENTITY);
    let rest = |world: &mut World| {
        (0..250).for_each(|_| {
            world.step(0.004).unwrap();
        });
        world.hand(hand).bones[0].position
    };
    world.track(hand, &frame).unwrap();
    let palm = rest(&mut world);
    let before = world.snapshot();
    let handle = world.add_handle(hand, BoneId::PALM, HandleCoupling::default()).unwrap();
    assert!(world.restore(&before).is_err(), "a world with a handle more");
    let mut target = world.handle_state(handle).unwrap();
    target.pose.position += Vec3::Y * 0.02;
    world.set_handle_target(handle, target).unwrap();
    let led = rest(&mut world);
    assert!((led - palm - Vec3::Y * 0.02).length() < 2e-3, "{led} from {palm}");
    world.remove_handle(handle).unwrap();
    assert_eq!((world.handle_count(), world.remove_handle(handle).is_err()), (0, true));
    world.track(hand, &frame).unwrap();
    let back = rest(&mut world);
    assert!((back - palm).length() < 1e-3, "{back} is where the tracker has it: {palm}");
    world.restore(&before).unwrap();
    // those that others count on stay
    let first = world.add_handle(hand, BoneId::PALM, HandleCoupling::default()).unwrap();
    let tool = tool(&mut world, Vec3::Y * 0.5);
    assert!(world.remove_handle(first).is_err(), "another one was added after it");
    assert!(world.remove_handle(tool).is_err(), "a soft object keeps its rigid part");
}

/// The hand of preset `garre` has no skeleton: its handle carries all of it, and feels what its fingers touch.
#[test]
fn a_hand_without_a_skeleton_hangs_on_its_handle() {
    let mut world = World::new(Preset::Garre.config()).unwrap();
    let hand = world.add_hand(hands::model()).unwrap();
    world.add_object(ObjectDef::fixed("table", Shape::Plane, Pose::new(Vec3::Y * -0.06, Quat::IDENTITY))).unwrap();
    let palm = world.add_handle(hand, BoneId::PALM, HandleCoupling::default()).unwrap();
    world.track(hand, &hands::Posture::REST.frame(hands::model(), Pose::IDENTITY)).unwrap();
    world.step(0.004).unwrap();
    let start = world.handle_state(palm).unwrap();
    let springs = world.soft_bodies()[0].attachments.springs().len();
    assert!((50..=100).contains(&springs), "{springs} nodes");
    let mut pressed = 0.0f64;
    for i in 0..400 {
        let pose = Pose::new(start.pose.position - Vec3::Y * 2e-4 * f64::from(i), start.pose.rotation);
        world.set_handle_target(palm, HandleState { pose, ..HandleState::default() }).unwrap();
        world.step(0.004).unwrap();
        assert!(!world.report().flags.rolled_back, "step {i}");
        let on_table: Vec3 =
            world.contacts().iter().filter(|p| p.active && !p.is_between_soft()).map(|p| p.force).sum();
        pressed = pressed.max(on_table.y);
        if pressed > 5.0 {
            break;
        }
    }
    assert!(pressed > 5.0, "it met the table: {pressed} N");
    let tip = world.hand(hand).bones[BoneId::of(thenar::hand::Digit::Index, 2).index()];
    let palm_frame = world.hand(hand).bones[0];
    let rest = &hands::model().skeleton;
    let over = rest.bone(BoneId::PALM).rest.inverse() * rest.bone(BoneId::of(thenar::hand::Digit::Index, 2)).rest;
    assert!((palm_frame.inverse() * tip).position.distance(over.position) < 1e-9, "bones go with the handle");
    let mut model = HandleModel::of(1);
    world.handle_model(&mut model).unwrap();
    assert!(model.stiffness[7] < -50.0, "{:?}", &model.stiffness[6..9]);
}
