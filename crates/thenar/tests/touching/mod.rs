//! Soft blocks, boxes and planes that touch: what the tests of contact are made of.
#![allow(dead_code)] // Each test uses its part.

#[path = "../bar/mod.rs"]
pub mod bar;
pub mod cores;
pub mod motion;
pub mod pulling;
pub mod verdict;

use thenar::contact::ContactMethod;
use thenar::energy::tissue::Material;
use thenar::geometry::TetMesh;
use thenar::geometry::distance::Shape;
use thenar::math::{Pose, Quat, Vec3};
use thenar::world::{ObjectDef, ObjectId, SoftDef, SoftId, World, WorldConfig};

pub const METHODS: [ContactMethod; 3] = [ContactMethod::Penalty, ContactMethod::Point, ContactMethod::Aggregate];

/// Coulomb's coefficient of everything that is not told otherwise.
pub const FRICTION: f64 = 0.5;

/// m/s².
pub const G: f64 = 9.81;

/// The rubber of all soft things here.
pub const RUBBER: Material = Material { young: 1e5, poisson: 0.33 };

/// kg/m³.
pub const DENSITY: f64 = 1000.0;

/// What does not fall.
pub const WEIGHTLESS: Vec3 = Vec3::ZERO;

/// Weight that pulls along +x as on a slope of that many degrees.
pub fn slope(degrees: f64) -> Vec3 {
    let tilt = degrees.to_radians();
    Vec3::new(G * libm::sin(tilt), -G * libm::cos(tilt), 0.0)
}

/// The parameters of all worlds here.
pub fn config(method: ContactMethod, gravity: Vec3) -> WorldConfig {
    WorldConfig { gravity, method, soft_friction: FRICTION, ..WorldConfig::default() }
}

/// An empty world.
pub fn world(method: ContactMethod, gravity: Vec3) -> World {
    World::new(config(method, gravity)).unwrap()
}

/// A soft body with what its energy and its momentum are computed from.
pub struct Soft {
    pub id: SoftId,
    pub mesh: TetMesh,
}

/// Kuhn cells in a box around `centre`.
pub fn block(cells: [usize; 3], size: Vec3, centre: Vec3) -> TetMesh {
    let mut mesh = bar::box_mesh(cells, size);
    mesh.positions.iter_mut().for_each(|p| *p += centre - size * 0.5);
    mesh
}

/// Adds a body of rubber at rest. Without damping of its own (the bar of the comparisons has 5 ms) a kilogram on a bar
/// rocks for seconds: only the step damps it.
pub fn soft(world: &mut World, name: &str, mesh: TetMesh) -> Soft {
    let def = SoftDef { friction: FRICTION, ..SoftDef::new(name, mesh.clone(), RUBBER, DENSITY) };
    Soft { id: world.add_soft(def).unwrap(), mesh }
}

/// The plane y = 0.
pub fn plane(world: &mut World, friction: f64) -> ObjectId {
    fixed(world, "plane", Shape::Plane, Pose::IDENTITY, friction)
}

/// Adds what never moves.
pub fn fixed(world: &mut World, name: &str, shape: Shape, at: Pose, friction: f64) -> ObjectId {
    world.add_object(ObjectDef { friction, ..ObjectDef::fixed(name, shape, at) }).unwrap()
}

/// Adds a box that moves, axis-aligned, at rest.
pub fn free_box(world: &mut World, half: Vec3, mass: f64, centre: Vec3) -> ObjectId {
    let at = Pose::new(centre, Quat::IDENTITY);
    thrown(world, "box", Shape::Box { half }, mass, at, Vec3::ZERO, FRICTION)
}

/// Adds an object that starts with a velocity.
pub fn thrown(
    world: &mut World,
    name: &str,
    shape: Shape,
    mass: f64,
    at: Pose,
    velocity: Vec3,
    friction: f64,
) -> ObjectId {
    let def = ObjectDef { friction, velocity, ..ObjectDef::moving(name, shape, mass, at) };
    world.add_object(def).unwrap()
}

/// Steps for so long; `watch` looks after every step. No step may fail or be taken back.
pub fn run(world: &mut World, seconds: f64, dt: f64, mut watch: impl FnMut(&World)) {
    for _ in 0..(seconds / dt).round() as usize {
        world.step(dt).unwrap();
        watch(world);
    }
}
