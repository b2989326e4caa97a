//! Objects of one world may each have their own contact method: springs and constraints see each other through one solve.

mod bar;

use thenar::contact::ContactMethod;
use thenar::energy::tissue::Material;
use thenar::geometry::distance::Shape;
use thenar::math::{Pose, Quat, Vec3};
use thenar::world::{ObjectDef, ObjectId, SoftDef, World, WorldConfig};

/// A soft plate on a table with a brick on top; table and brick each by their own method.
fn rest(table_method: ContactMethod, brick_method: ContactMethod) -> (f64, f64, f64) {
    let mut world = World::new(WorldConfig::default()).unwrap();
    let mut table = ObjectDef::fixed("table", Shape::Plane, Pose::IDENTITY);
    table.method = Some(table_method);
    world.add_object(table).unwrap();
    let mut mesh = bar::box_mesh([4, 2, 4], Vec3::new(0.06, 0.02, 0.06));
    mesh.positions.iter_mut().for_each(|p| *p -= Vec3::new(0.03, 0.0, 0.03));
    let material = Material { young: 1e5, poisson: 0.33 };
    world.add_soft(SoftDef::new("plate", mesh, material, 1000.0)).unwrap();
    let above = Pose::new(Vec3::new(0.0, 0.0302, 0.0), Quat::IDENTITY);
    let half = Vec3::new(0.02, 0.01, 0.02);
    let mut brick = ObjectDef::moving("brick", Shape::Box { half }, 0.2, above);
    brick.method = Some(brick_method);
    let brick = world.add_object(brick).unwrap();
    for _ in 0..500 {
        assert!(!world.step(1.0 / 250.0).unwrap().flags.rolled_back);
    }
    let out = world.object(brick);
    (out.pose.position.y, out.force.y, -world.object(ObjectId(0)).force.y)
}

#[test]
fn every_pair_of_methods_carries_the_same_weights_at_the_same_height() {
    let (brick, plate) = (0.2 * 9.81, 0.06 * 0.02 * 0.06 * 1000.0 * 9.81);
    let (reference, ..) = rest(ContactMethod::Point, ContactMethod::Point);
    for (table_name, table) in ContactMethod::ALL {
        for (brick_name, method) in ContactMethod::ALL {
            let (height, on_brick, on_table) = rest(table, method);
            let what = format!("{table_name} below, {brick_name} above");
            assert!((on_brick - brick).abs() < 2e-3 * brick, "{what}: the brick is carried by {on_brick} N");
            assert!(
                (on_table - brick - plate).abs() < 2e-3 * (brick + plate),
                "{what}: the table carries {on_table} N"
            );
            // springs sink in by a few hundredths of a millimetre, aggregates by what single vertices may
            assert!((height - reference).abs() < 1e-4, "{what}: {height} m against {reference} m");
        }
    }
}
