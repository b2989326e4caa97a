//! A soft bar on a slope carries a box, under each of the contact methods.
//!
//! `cargo run --release -p thenar --example soft_bar`
#![allow(clippy::disallowed_macros)] // An example may print; the engine does not.

use thenar::geometry::TetMesh;
use thenar::geometry::distance::Shape;
use thenar::math::{Pose, Quat, Vec3};
use thenar::world::{ContactMethod, Material, ObjectDef, SoftDef, World, WorldConfig};

const DT: f64 = 1.0 / 250.0;
/// The bar: its size, metres, and how many cells it is cut into.
const SIZE: Vec3 = Vec3::new(0.08, 0.02, 0.02);
const CELLS: [usize; 3] = [16, 3, 3];
/// Half of the box on it.
const BOX: Vec3 = Vec3::new(0.02, 0.01, 0.02);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("method     the bar gives  the box drifts in a second");
    for (name, method) in ContactMethod::ALL {
        let (sunk, drift) = carry(method)?;
        println!("{name:9}  {:10.2} mm  {:10.4} mm", 1e3 * sunk, 1e3 * drift);
    }
    Ok(())
}

/// By how much the bar gives way, and how far the box drifts afterwards, metres.
fn carry(method: ContactMethod) -> Result<(f64, f64), Box<dyn std::error::Error>> {
    // Instead of the table, gravity is tilted: by five degrees, far below what friction of 0.5 holds.
    let gravity = Quat::from_rotation_z(5f64.to_radians()) * Vec3::NEG_Y * 9.81;
    let mut world = World::new(WorldConfig { gravity, method, ..WorldConfig::default() })?;
    world.add_object(ObjectDef::fixed("table", Shape::Plane, Pose::IDENTITY))?;
    world.add_soft(SoftDef::new("bar", bar(), Material { young: 1e5, poisson: 0.33 }, 1000.0))?;
    let on_top = Pose::new(Vec3::Y * (SIZE.y + BOX.y), Quat::IDENTITY);
    let lid = world.add_object(ObjectDef::moving("box", Shape::Box { half: BOX }, 0.3, on_top))?;
    let run = |world: &mut World, seconds: f64| -> Result<Vec3, thenar::world::StepError> {
        for _ in 0..(seconds / DT) as usize {
            world.step(DT)?;
        }
        Ok(world.object(lid).pose.position)
    };
    let settled = run(&mut world, 1.0)?;
    let later = run(&mut world, 1.0)?;
    Ok((on_top.position.y - settled.y, later.distance(settled)))
}

/// Cells of six tetrahedra each, around the path of their axes (Kuhn's subdivision).
fn bar() -> TetMesh {
    const PATHS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let count = CELLS.map(|n| n + 1);
    let all = |n: [usize; 3]| (0..n[0] * n[1] * n[2]).map(move |i| [i % n[0], i / n[0] % n[1], i / (n[0] * n[1])]);
    let node = |c: [usize; 3]| (c[0] + count[0] * (c[1] + count[1] * c[2])) as u32;
    let place = |c: [usize; 3]| {
        let share = Vec3::from_array(std::array::from_fn(|axis| c[axis] as f64 / CELLS[axis] as f64));
        SIZE * (share - Vec3::new(0.5, 0.0, 0.5))
    };
    let mut mesh = TetMesh { positions: all(count).map(place).collect(), ..TetMesh::default() };
    for (cell, path) in all(CELLS).flat_map(|cell| PATHS.map(|path| (cell, path))) {
        let mut corner = cell;
        let mut tet = [node(corner); 4];
        for (step, axis) in path.into_iter().enumerate() {
            corner[axis] += 1;
            tet[step + 1] = node(corner);
        }
        // half of the paths turn the other way
        if (path[1] + 3 - path[0]) % 3 == 2 {
            tet.swap(2, 3);
        }
        mesh.tets.push(tet);
    }
    mesh
}

#[test]
fn every_method_carries_the_box() {
    for (name, method) in ContactMethod::ALL {
        let (sunk, drift) = carry(method).unwrap();
        assert!(sunk > 0.0 && sunk < 2e-3 && drift < 1e-4, "{name}: {sunk} {drift}");
    }
}
