//! Surfaces that the elements of a soft object carry: they touch and are seen, not the boundary of the elements.

use thenar::energy::tissue::Material;
use thenar::geometry::TriMesh;
use thenar::geometry::distance::Shape;
use thenar::geometry::mesher::{MeshRequest, mesh_surface};
use thenar::math::{Pose, Quat, Vec3};
use thenar::world::{ContactMethod, ObjectDef, SoftDef, SoftId, World, WorldConfig};

const RADIUS: f64 = 0.03;

fn sphere() -> TriMesh {
    Shape::Sphere { radius: RADIUS }.tessellate(0.003).unwrap()
}

/// A ball of rubber with few elements, its lowest point a millimetre over the ground; and its fine surface.
fn ball() -> SoftDef {
    let mesh = mesh_surface(&sphere(), &MeshRequest::uniform(80)).unwrap();
    let mut def = SoftDef::new("ball", mesh, Material { young: 1e6, poisson: 0.33 }, 1000.0);
    let up = Vec3::Y * (RADIUS + 0.001);
    def.mesh.positions.iter_mut().for_each(|p| *p += up);
    let mut surface = sphere();
    surface.positions.iter_mut().for_each(|p| *p += up);
    def.surface = Some(surface);
    def
}

fn world(config: WorldConfig, def: SoftDef) -> (World, SoftId) {
    let mut world = World::new(config).unwrap();
    world.add_object(ObjectDef::fixed("ground", Shape::Plane, Pose::IDENTITY)).unwrap();
    let id = world.add_soft(def).unwrap();
    (world, id)
}

fn lowest(world: &World, id: SoftId) -> f64 {
    world.soft_vertices(id).unwrap().map(|p| p.y).fold(f64::INFINITY, f64::min)
}

fn middle(world: &World, id: SoftId) -> Vec3 {
    let nodes = &world.state().softs[id.0 as usize].nodes;
    nodes.iter().sum::<Vec3>() / nodes.len() as f64
}

#[test]
fn what_is_seen_is_what_rests_on_the_ground() {
    for contact in [ContactMethod::Penalty, ContactMethod::Point, ContactMethod::Aggregate] {
        let (mut world, id) = world(WorldConfig { method: contact, ..Default::default() }, ball());
        for _ in 0..500 {
            assert!(!world.step(1.0 / 250.0).unwrap().flags.rolled_back);
        }
        let depth = -lowest(&world, id);
        // vertices between those that touch may sag into the ground by what a sphere bulges there, and the weight presses
        assert!((-5e-5..4e-4).contains(&depth), "{contact:?}: {} mm deep", depth * 1e3);
    }
}

#[test]
fn a_round_surface_rolls_on_elements_too_coarse_to() {
    let tilt = 3f64.to_radians();
    let gravity = Vec3::new(9.81 * libm::sin(tilt), -9.81 * libm::cos(tilt), 0.0);
    let rolled = |def: SoftDef| {
        let (mut world, id) = world(WorldConfig { gravity, ..Default::default() }, def);
        let before = middle(&world, id);
        for _ in 0..250 {
            world.step(1.0 / 250.0).unwrap();
        }
        (middle(&world, id) - before).x
    };
    // a solid sphere that rolls: 5/7 g sin(tilt) t² / 2
    let expected = 5.0 / 14.0 * 9.81 * libm::sin(tilt);
    let (round, coarse) = (rolled(ball()), rolled(SoftDef { surface: None, ..ball() }));
    assert!((0.6..1.1).contains(&(round / expected)), "{} of {} mm", round * 1e3, expected * 1e3);
    assert!(coarse < 0.5 * round, "corners of the elements roll {} mm", coarse * 1e3);
}

#[test]
fn a_surface_moves_with_its_elements() {
    let (mut world, id) = world(WorldConfig::default(), ball());
    let before: Vec<Vec3> = world.soft_vertices(id).unwrap().collect();
    let rest = &world.soft_surface(id).unwrap().mesh.positions;
    assert!(before.iter().zip(rest).all(|(a, b)| a.distance(*b) < 1e-12));
    let pose = Pose::new(Vec3::new(0.1, 0.2, 0.3), Quat::from_rotation_y(1.0));
    world.place_soft(id, pose).unwrap();
    let after: Vec<Vec3> = world.soft_vertices(id).unwrap().collect();
    assert!(after.iter().zip(&before).all(|(a, b)| a.distance(pose.point(*b)) < 1e-9));
    assert!(world.soft_vertices(SoftId(7)).is_none());
}

#[test]
fn a_surface_that_cannot_be_is_refused_by_name() {
    let refused = |change: &dyn Fn(&mut TriMesh)| {
        let mut def = ball();
        change(def.surface.as_mut().unwrap());
        World::new(WorldConfig::default()).unwrap().add_soft(def).unwrap_err().to_string()
    };
    assert!(refused(&|s| s.triangles.clear()).contains("surface triangles is 0"));
    assert!(refused(&|s| s.triangles[3][1] = 1_000_000).contains("surface vertex index"));
    assert!(refused(&|s| s.positions[5].y = f64::NAN).contains("surface vertex is NaN"));
}
