//! Deformable objects on their own, against closed forms.

use thenar::energy::tissue::Material;
use thenar::geometry::TetMesh;
use thenar::geometry::distance::Shape;
use thenar::math::{Pose, Quat, Vec3};
use thenar::world::{ObjectDef, SoftDef, World, WorldConfig};

/// A bar of `cells` cubes of six tetrahedra, from `low` to `low + size`.
fn bar(low: Vec3, size: Vec3, cells: [usize; 3]) -> TetMesh {
    let n = cells.map(|c| c + 1);
    let index = |i: usize, j: usize, k: usize| (i + n[0] * (j + n[1] * k)) as u32;
    let mut mesh = TetMesh::default();
    for k in 0..n[2] {
        for j in 0..n[1] {
            for i in 0..n[0] {
                let t = Vec3::new(i as f64 / cells[0] as f64, j as f64 / cells[1] as f64, k as f64 / cells[2] as f64);
                mesh.positions.push(low + size * t);
            }
        }
    }
    // Kuhn's subdivision: one tetrahedron per order in which the three axes are walked
    let orders = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
    for k in 0..cells[2] {
        for j in 0..cells[1] {
            for i in 0..cells[0] {
                for (o, order) in orders.iter().enumerate() {
                    let mut at = [i, j, k];
                    let mut tet = [index(i, j, k); 4];
                    for (corner, &axis) in order.iter().enumerate() {
                        at[axis] += 1;
                        tet[corner + 1] = index(at[0], at[1], at[2]);
                    }
                    if o >= 3 {
                        tet.swap(2, 3);
                    }
                    mesh.tets.push(tet);
                }
            }
        }
    }
    mesh
}

fn rubber(name: &str, mesh: TetMesh) -> SoftDef {
    SoftDef { name: name.into(), mesh, material: Material { young: 1e5, poisson: 0.33 }, limit: None, density: 1000.0 }
}

#[test]
fn a_soft_block_rests_on_the_ground_with_its_weight() {
    let mut world = World::new(WorldConfig::default());
    let ground = world.add_object(ObjectDef::fixed("ground", Shape::Plane, Pose::IDENTITY)).unwrap();
    let mesh = bar(Vec3::new(-0.02, 0.005, -0.02), Vec3::splat(0.04), [4, 4, 4]);
    world.add_soft(rubber("block", mesh)).unwrap();
    for _ in 0..1000 {
        assert!(!world.step(1.0 / 250.0).unwrap().flags.rolled_back);
    }
    let weight = 1000.0 * 0.04f64.powi(3) * 9.81;
    assert!((world.object(ground).force.y + weight).abs() < 1e-6 * weight, "{:?}", world.object(ground).force);
}

#[test]
fn a_soft_bar_between_table_and_free_box_holds_it_on_a_slope_without_creep() {
    // the comparison of the design notes: 864 tets, a 0.3 kg box on top, gravity tilted by 5°, friction 0.5
    let tilt = 5f64.to_radians();
    let config =
        WorldConfig { gravity: Vec3::new(9.81 * libm::sin(tilt), -9.81 * libm::cos(tilt), 0.0), ..Default::default() };
    let mut world = World::new(config);
    world.add_object(ObjectDef::fixed("table", Shape::Plane, Pose::IDENTITY)).unwrap();
    world.add_soft(rubber("bar", bar(Vec3::new(-0.04, 0.0, -0.01), Vec3::new(0.08, 0.02, 0.02), [16, 3, 3]))).unwrap();
    let lid = Shape::Box { half: Vec3::new(0.04, 0.01, 0.02) };
    let pose = Pose::new(Vec3::new(0.0, 0.03, 0.0), Quat::IDENTITY);
    let lid = world.add_object(ObjectDef::moving("lid", lid, 0.3, pose)).unwrap();
    for _ in 0..400 {
        assert!(!world.step(0.005).unwrap().flags.rolled_back);
    }
    let settled = world.object(lid).pose.position;
    for _ in 0..800 {
        world.step(0.005).unwrap();
    }
    let crept = world.object(lid).pose.position.distance(settled);
    assert!(crept < 1e-6, "the box creeps {} mm in 4 s", crept * 1e3);
    assert!(world.object(lid).pose.position.distance(pose.position) < 0.004, "{:?}", world.object(lid).pose);
}
