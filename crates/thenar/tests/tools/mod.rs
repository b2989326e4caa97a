//! Soft tools on handles that come down on the ground, press and slide there: what the models of the force on handles are judged on.

#![allow(dead_code)] // each test file uses a part

#[path = "../bar/mod.rs"]
mod bar;

use thenar::contact::ContactMethod;
use thenar::energy::tissue::Material;
use thenar::geometry::distance::Shape;
use thenar::haptics::{HandleDef, HandleId, HandleState};
use thenar::math::{Pose, Vec3, rotation_exp};
use thenar::world::{ObjectDef, SoftDef, World, WorldConfig};

/// What the tool meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ground {
    None,
    Rigid,
    Soft,
}

/// What it does there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Doing {
    Pressing,
    Sliding,
}

pub const HALF: f64 = 0.02;

/// A rubber block with a handle in its upper half.
pub fn tool(world: &mut World, at: Vec3) -> HandleId {
    let mut mesh = bar::box_mesh([4, 4, 4], Vec3::splat(2.0 * HALF));
    let middle = mesh.positions.iter().sum::<Vec3>() / mesh.positions.len() as f64;
    mesh.positions.iter_mut().for_each(|p| *p += at - middle);
    let seed = at + Vec3::Y * HALF;
    let def = SoftDef::new("tool", mesh, Material { young: 1e5, poisson: 0.3 }, 1000.0);
    let soft = world.add_soft(SoftDef { handles: vec![HandleDef::new(seed, 0.016)], friction: 0.5, ..def }).unwrap();
    world.handles_of(soft).next().unwrap()
}

/// What slides on a cushion needs it slippery: it would take it along otherwise.
pub fn ground(world: &mut World, ground: Ground, doing: Doing) {
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
            let friction = if doing == Doing::Sliding { 0.05 } else { 0.5 };
            world.add_soft(SoftDef { clamped, friction, ..def }).unwrap();
        }
    }
}

/// Brings handles down on the ground, each by its own depth, and slides them if they are to; their targets are set for the step to come.
pub fn bring_down(world: &mut World, handles: &[HandleId], depths: &[f64], on: Ground, doing: Doing, dt: f64) {
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
pub fn prepared(method: ContactMethod, on: Ground, doing: Doing, dt: f64) -> (World, HandleId) {
    let mut world = World::new(WorldConfig { method, ..WorldConfig::default() }).unwrap();
    ground(&mut world, on, doing);
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

pub fn moved(state: &HandleState, unknown: usize, way: f64, speed: f64) -> HandleState {
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

/// It does touch what it is meant to, and slides if it is meant to: most of its contacts slip then, and some hold where it presses.
pub fn check_doing(world: &World, on: Ground, doing: Doing, what: &str) {
    let touching = world.contacts().iter().filter(|p| p.active).count();
    let slipping = world.contacts().iter().filter(|p| p.active && p.slipping).count();
    if on == Ground::None {
        assert_eq!(touching, 0, "{what}");
        return;
    }
    let pressing: Vec3 = (0..world.handle_count()).map(|i| world.handle_wrench(HandleId(i as u32)).unwrap()[0]).sum();
    assert!(touching >= 3 && pressing.y > 0.5, "{what}: {touching} contacts, {pressing} N");
    match doing {
        Doing::Pressing => assert!(slipping < touching, "{what}: {slipping} of {touching} slip"),
        Doing::Sliding => assert!(2 * slipping > touching, "{what}: {slipping} of {touching} slip"),
    }
}

/// Six rows and columns for each handle, row by row.
pub type Matrix = Vec<f64>;

/// Largest difference of two matrices, each of their 3 × 3 blocks by its own scale, since units differ: the largest entry of a diagonal block, and
/// for the couplings between two of them the most that a symmetric matrix of such blocks may have there, the geometric mean.
pub fn apart(a: &[f64], b: &[f64]) -> f64 {
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

/// A bar held at both ends, pressed on the ground and drawn along it.
pub fn two_handed(method: ContactMethod, on: Ground, doing: Doing, dt: f64) -> (World, Vec<HandleId>) {
    let mut world = World::new(WorldConfig { method, ..WorldConfig::default() }).unwrap();
    ground(&mut world, on, doing);
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
