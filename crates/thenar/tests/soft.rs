//! Deformable objects on their own, against closed forms.

mod bar;

use thenar::energy::tissue::Material;
use thenar::geometry::TetMesh;
use thenar::geometry::distance::Shape;
use thenar::math::{Pose, Quat, Vec3};
use thenar::world::{ObjectDef, SoftDef, World, WorldConfig};

/// A box of `cells` cubes from `low` to `low + size`.
fn block(low: Vec3, size: Vec3, cells: [usize; 3]) -> TetMesh {
    let mut mesh = bar::box_mesh(cells, size);
    mesh.positions.iter_mut().for_each(|p| *p += low);
    mesh
}

fn rubber(name: &str, mesh: TetMesh) -> SoftDef {
    SoftDef::new(name, mesh, Material { young: 1e5, poisson: 0.33 }, 1000.0)
}

#[test]
fn a_soft_block_rests_on_the_ground_with_its_weight() {
    let mut world = World::new(WorldConfig::default()).unwrap();
    let ground = world.add_object(ObjectDef::fixed("ground", Shape::Plane, Pose::IDENTITY)).unwrap();
    let mesh = block(Vec3::new(-0.02, 0.005, -0.02), Vec3::splat(0.04), [4, 4, 4]);
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
    let mut world = World::new(config).unwrap();
    world.add_object(ObjectDef::fixed("table", Shape::Plane, Pose::IDENTITY)).unwrap();
    world
        .add_soft(rubber("bar", block(Vec3::new(-0.04, 0.0, -0.01), Vec3::new(0.08, 0.02, 0.02), [16, 3, 3])))
        .unwrap();
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
