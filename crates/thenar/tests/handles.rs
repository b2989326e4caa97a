//! Handles: what a device moves, and the linear model of the force on them, by finite differences of the simulation itself.

#![allow(clippy::disallowed_macros)] // prints its tables

mod bar;
mod hands;

use thenar::contact::{ContactMethod, Verdict};
use thenar::energy::tissue::Material;
use thenar::geometry::distance::Shape;
use thenar::hand::BoneId;
use thenar::haptics::{
    ContactMatrix, HandleCoupling, HandleDef, HandleId, HandleModel, HandleState, Lead, Linearisation,
};
use thenar::math::{Pose, Quat, Vec3, rotation_exp};
use thenar::world::{ObjectDef, Preset, SoftDef, World, WorldConfig};

/// What the tool meets.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ground {
    None,
    Rigid,
    Soft,
}

/// What it does there.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Doing {
    Pressing,
    Sliding,
}

const HALF: f64 = 0.02;

/// A rubber block with a handle in its upper half.
fn tool(world: &mut World, at: Vec3) -> HandleId {
    let mut mesh = bar::box_mesh([4, 4, 4], Vec3::splat(2.0 * HALF));
    let middle = mesh.positions.iter().sum::<Vec3>() / mesh.positions.len() as f64;
    mesh.positions.iter_mut().for_each(|p| *p += at - middle);
    let seed = at + Vec3::Y * HALF;
    let def = SoftDef::new("tool", mesh, Material { young: 1e5, poisson: 0.3 }, 1000.0);
    let soft = world.add_soft(SoftDef { handles: vec![HandleDef::new(seed, 0.016)], friction: 0.5, ..def }).unwrap();
    world.handles_of(soft).next().unwrap()
}

fn ground(world: &mut World, ground: Ground) {
    match ground {
        Ground::None => {}
        Ground::Rigid => {
            let plane = ObjectDef::fixed("plane", Shape::Plane, Pose::IDENTITY);
            world.add_object(ObjectDef { friction: 0.5, ..plane }).unwrap();
        }
        Ground::Soft => {
            let mut mesh = bar::box_mesh([6, 3, 6], Vec3::new(0.08, 0.03, 0.08));
            let top = mesh.positions.iter().map(|p| p.y).fold(f64::MIN, f64::max);
            mesh.positions.iter_mut().for_each(|p| p.y -= top);
            let bottom = mesh.positions.iter().fold(Vec3::INFINITY, |low, p| low.min(*p));
            let def = SoftDef::new("cushion", mesh, Material { young: 5e4, poisson: 0.3 }, 1000.0);
            let low = def.mesh.positions.iter().enumerate().filter(|(_, p)| p.y < bottom.y + 1e-6);
            let clamped = low.map(|(node, _)| node as u32).collect();
            world.add_soft(SoftDef { clamped, friction: 0.5, ..def }).unwrap();
        }
    }
}

/// Brings handles down on the ground, each by its own depth, and slides them if they are to; their targets are set for the step to come.
fn bring_down(world: &mut World, handles: &[HandleId], depths: &[f64], on: Ground, doing: Doing, dt: f64) {
    let starts: Vec<_> = handles.iter().map(|&handle| world.handle_state(handle).unwrap()).collect();
    let steps = (0.6 / dt) as usize;
    for i in 0..steps {
        let t = (i + 1) as f64 * dt;
        let slid = if doing == Doing::Sliding { 0.05 * (t - 0.3).max(0.0) } else { 0.0 };
        let velocity = if slid > 0.0 { Vec3::new(0.05, 0.0, 0.015) } else { Vec3::ZERO };
        for ((&handle, start), depth) in handles.iter().zip(&starts).zip(depths) {
            let depth = if on == Ground::None { 0.0 } else { depth * (t / 0.3).min(1.0) };
            let way = Vec3::new(slid, -depth, 0.3 * slid);
            let pose = Pose::new(start.pose.position + way, start.pose.rotation);
            world.set_handle_target(handle, HandleState { pose, velocity, spin: Vec3::ZERO }).unwrap();
        }
        if i + 1 < steps {
            world.step(dt).unwrap();
            assert!(!world.report().flags.rolled_back);
        }
    }
}

/// The tool after it has come down, and slid if it is to.
fn prepared(method: ContactMethod, on: Ground, doing: Doing, dt: f64) -> (World, HandleId) {
    let mut world = World::new(WorldConfig { method, ..WorldConfig::default() }).unwrap();
    ground(&mut world, on);
    let handle = tool(&mut world, Vec3::Y * (HALF + 1e-3));
    bring_down(&mut world, &[handle], &[4e-3], on, doing, dt);
    // the model is that of the last part of a step; differences are those of the whole
    for _ in 0..20 {
        let before = world.snapshot();
        if world.step(dt).unwrap().parts == 1 {
            world.restore(&before).unwrap();
            return (world, handle);
        }
    }
    panic!("{method:?} on {on:?}, {dt} s: every step is cut into parts");
}

fn moved(state: &HandleState, unknown: usize, way: f64, speed: f64) -> HandleState {
    let axis = Vec3::AXES[unknown % 3];
    let mut state = *state;
    if unknown < 3 {
        state.pose.position += axis * way;
        state.velocity += axis * speed;
    } else {
        state.pose.rotation = (rotation_exp(axis * way) * state.pose.rotation).normalize();
        state.spin += axis * speed;
    }
    state
}

fn verdicts(world: &World) -> Vec<(Verdict, bool, bool)> {
    world.contacts().iter().map(|p| (p.verdict, p.active, p.slipping)).collect()
}

/// Six rows and columns for each handle, row by row.
type Matrix = Vec<f64>;

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

/// Largest difference of two matrices, each of their 3 × 3 blocks by its own scale, since units differ: the largest entry of a diagonal block, and
/// for the couplings between two of them the most that a symmetric matrix of such blocks may have there, the geometric mean.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    let m = a.len().isqrt();
    let entries =
        |of: &[f64], r: usize, c: usize| -> [f64; 9] { std::array::from_fn(|k| of[m * (r + k / 3) + c + k % 3]) };
    let size = |r: usize| entries(b, r, r).iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let mut worst = 0.0f64;
    for r in (0..m).step_by(3) {
        for c in (0..m).step_by(3) {
            let off = entries(a, r, c).iter().zip(entries(b, r, c)).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
            worst = worst.max(off / (size(r) * size(c)).sqrt());
        }
    }
    worst
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

/// A bar held at both ends, pressed on the ground and drawn along it.
fn two_handed(method: ContactMethod, on: Ground, doing: Doing, dt: f64) -> (World, Vec<HandleId>) {
    let mut world = World::new(WorldConfig { method, ..WorldConfig::default() }).unwrap();
    ground(&mut world, on);
    let mut mesh = bar::box_mesh([8, 2, 3], Vec3::new(0.08, 0.02, 0.03));
    let middle = mesh.positions.iter().sum::<Vec3>() / mesh.positions.len() as f64;
    mesh.positions.iter_mut().for_each(|p| *p += Vec3::Y * 0.011 - middle);
    let handles = [-0.04, 0.04].map(|x| HandleDef::new(Vec3::new(x, 0.021, 0.0), 0.016)).to_vec();
    let def = SoftDef::new("bar", mesh, Material { young: 1e5, poisson: 0.3 }, 1000.0);
    let soft = world.add_soft(SoftDef { handles, friction: 0.5, ..def }).unwrap();
    let handles: Vec<HandleId> = world.handles_of(soft).collect();
    bring_down(&mut world, &handles, &[3e-3, 4e-3], on, doing, dt);
    (world, handles)
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
                ground(&mut world, Ground::Rigid);
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

/// The default model says what pressing further will cost once the tool has come to rest, and that a tool in the air costs nothing but its weight.
#[test]
fn a_wall_is_as_stiff_in_the_model_as_it_turns_out_to_be() {
    for method in [ContactMethod::Penalty, ContactMethod::Point, ContactMethod::Aggregate] {
        for dt in [0.004, 0.02] {
            let mut model = HandleModel::of(1);
            let (mut world, handle) = prepared(method, Ground::Rigid, Doing::Pressing, dt);
            let settle = |world: &mut World| {
                (0..(0.6 / dt) as usize).for_each(|_| {
                    world.step(dt).unwrap();
                });
            };
            settle(&mut world);
            world.handle_model(&mut model).unwrap();
            let before = model.clone();
            let mut target = world.handle_state(handle).unwrap();
            target.pose.position.y -= 1.2e-3;
            (target.velocity, target.spin) = (Vec3::ZERO, Vec3::ZERO);
            world.set_handle_target(handle, target).unwrap();
            settle(&mut world);
            let mut said = [0.0; 6];
            before.predict(&[world.handle_state(handle).unwrap()], &mut said);
            world.handle_model(&mut model).unwrap();
            let (grown, expected) = (model.force[1] - before.force[1], said[1] - before.force[1]);
            let (mut air, _) = prepared(method, Ground::None, Doing::Pressing, dt);
            settle(&mut air);
            let mut free = HandleModel::of(1);
            air.handle_model(&mut free).unwrap();
            println!(
                "{method:?}, {dt} s: {grown:.3} N more, {expected:.3} N expected; {:.1} N/m on the wall, {:.2} N/m in the air",
                -before.stiffness[7], -free.stiffness[7]
            );
            assert!((grown - expected).abs() < 0.1 * grown, "{grown} N, expected {expected} N");
            // what is left in the air is inertia and damping, to third order: at 250 Hz a twentieth of this wall, at 50 Hz nothing
            let most = if dt < 0.01 { 0.05 } else { 0.001 };
            assert!(free.stiffness[7].abs() < most * before.stiffness[7].abs(), "{:?}", &free.stiffness[..12]);
        }
    }
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
