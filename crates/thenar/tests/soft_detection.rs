//! Detection between soft surfaces: balls, and a hand against itself.

mod bar;
mod hands;

use bar::ball;
use hands::{Posture, model};
use thenar::collide::{BodyRef, Contact, Side};
use thenar::energy::tissue::Material;
use thenar::hand::{Digit, Patch};
use thenar::math::Vec3;
use thenar::world::{SoftDef, World, WorldConfig};

/// Soft surfaces feel each other.
fn feeling() -> WorldConfig {
    WorldConfig { self_contact: true, ..WorldConfig::default() }
}

/// What detection found between soft surfaces.
fn soft_contacts(world: &World) -> Vec<Contact> {
    world.contacts().iter().filter(|p| p.is_between_soft()).map(|p| p.contact).collect()
}

fn patch(side: &Side) -> Patch {
    match *side {
        Side::Soft { patch, .. } => Patch(patch),
        Side::Rigid { .. } => Patch(u8::MAX),
    }
}

/// Two balls of 2 cm radius, mirror images of each other, `gap` metres apart along x.
fn two_balls(gap: f64) -> World {
    let mut world = World::new(WorldConfig { gravity: Vec3::ZERO, ..feeling() }).unwrap();
    let right = ball::ball(Vec3::new(0.02 + 0.5 * gap, 0.0, 0.0), 0.02, 6);
    for mesh in [ball::mirrored(&right), right] {
        let material = Material { young: 1e5, poisson: 0.33 };
        world.add_soft(SoftDef::new("ball", mesh, material, 1000.0)).unwrap();
    }
    world
}

#[test]
fn two_balls_see_the_gap_between_them() {
    for gap in [1.5e-3, 0.3e-3, -1e-3] {
        let mut world = two_balls(gap);
        world.step(1e-4).unwrap();
        let contacts = soft_contacts(&world);
        let least = contacts.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
        // points of one lie a millimetre or two beside the axis, where round surfaces are a little further apart
        assert!((-0.05e-3..0.3e-3).contains(&(least - gap)), "{least} m found, {gap} m wanted");
        for c in contacts.iter().filter(|c| c.gap < least + 1e-4) {
            let towards = if c.key.owner == BodyRef::Soft(0) { -1.0 } else { 1.0 };
            assert!(c.normal.x * towards > 0.97, "{:?}", c.normal);
        }
    }
    let mut world = two_balls(3e-3);
    world.step(1e-4).unwrap();
    assert!(soft_contacts(&world).is_empty(), "beyond the alarm distance nothing is near");
}

#[test]
fn mirror_images_see_mirror_images() {
    let mut world = two_balls(-1e-3);
    world.step(1e-4).unwrap();
    let (left, right): (Vec<_>, Vec<_>) =
        soft_contacts(&world).into_iter().partition(|c| c.key.owner == BodyRef::Soft(0));
    assert!(left.len() > 3);
    assert_eq!(left.len(), right.len());
    for a in left {
        let b = right.iter().find(|b| b.key.feature == a.key.feature).expect("the image of a contact is a contact");
        assert!((a.gap - b.gap).abs() < 1e-9, "{} {}", a.gap, b.gap);
    }
}

#[test]
fn both_sides_carry_the_same_place() {
    let mut world = two_balls(-1e-3);
    world.step(1e-4).unwrap();
    let nodes: Vec<_> = world.soft_bodies().iter().map(|b| b.rest.clone()).collect();
    for c in soft_contacts(&world) {
        // the bodies started at rest: the nodes at the start of the step are those at rest
        let [own, other] = c.sides.map(|side| world.place(&side, |body| &nodes[body]));
        assert!(own.distance(other) < 1e-12 && other.distance(c.point) < 1e-12, "{own} {other} {}", c.point);
    }
}

#[test]
fn an_open_hand_does_not_touch_itself() {
    let mut hand = hands::HandWorld::new(feeling());
    for posture in [Posture::REST, Posture::OPEN, Posture::FLAT, Posture::BALL] {
        hand.take(&posture, 60);
        let inside = soft_contacts(&hand.world).into_iter().filter(|c| c.gap < 0.0);
        let names: Vec<_> = inside.map(|c| c.sides.map(|side| patch(&side).name())).collect();
        assert!(names.is_empty(), "{posture:?}: {names:?}");
    }
}

#[test]
fn in_a_pinch_the_thumb_touches_the_index_finger_and_nothing_else() {
    let mut hand = hands::HandWorld::new(feeling());
    hand.take(&Posture::PINCH, 150);
    let inside: Vec<_> = soft_contacts(&hand.world).into_iter().filter(|c| c.gap < 1e-3).collect();
    assert!(inside.len() >= 2, "{} contacts", inside.len());
    for c in inside {
        let mut digits = c.sides.map(|side| patch(&side).digit());
        digits.sort();
        assert_eq!(digits, [Some(Digit::Thumb), Some(Digit::Index)]);
    }
}

#[test]
fn the_surface_that_feels_is_closed_and_nearly_as_large_as_the_skin() {
    let world = hands::HandWorld::new(feeling()).world;
    let body = &world.soft_bodies()[0];
    let surface = thenar::geometry::TriMesh {
        positions: body.touch.points.iter().map(|p| p.interpolate(&body.rest)).collect(),
        triangles: body.touch.triangles.clone(),
    };
    assert_eq!(thenar::geometry::tet_mesh::euler_characteristic(surface.triangles.iter().copied()), 2);
    let skin = &model().skin.mesh;
    assert!((surface.volume() / skin.volume() - 1.0).abs() < 0.06, "{} of {}", surface.volume(), skin.volume());
    let area: f64 = body.touch.points.iter().map(|p| p.area).sum();
    assert!((area / skin.area() - 1.0).abs() < 1e-9);
}
