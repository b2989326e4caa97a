//! Changing a world between steps: bodies are placed, set in motion and removed, worlds are doubled, and ids and
//! snapshots of other worlds are refused.

mod hands;

use hands::{Posture, model};
use thenar::energy::tissue::Material;
use thenar::geometry::TetMesh;
use thenar::geometry::distance::Shape;
use thenar::math::{Mat3, Pose, Quat, Vec3};
use thenar::world::{
    BodyError, ContactMethod, HandId, HeldNodes, ObjectDef, ObjectId, ScratchError, SkeletonMethod, SnapshotError,
    SoftDef, SoftId, Tether, World, WorldConfig,
};

const DT: f64 = 1.0 / 250.0;

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::new(Vec3::new(x, y, z), Quat::IDENTITY)
}

fn weightless() -> World {
    World::new(WorldConfig { gravity: Vec3::ZERO, ..WorldConfig::default() }).unwrap()
}

fn ball(pose: Pose) -> ObjectDef {
    ObjectDef::moving("ball", Shape::Sphere { radius: 0.03 }, 0.1, pose)
}

/// One element of a centimetre.
fn soft_thing() -> SoftDef {
    let positions = vec![Vec3::ZERO, Vec3::X * 0.01, Vec3::Y * 0.01, Vec3::Z * 0.01];
    let mesh = TetMesh { positions, tets: vec![[0, 1, 2, 3]] };
    SoftDef::new("thing", mesh, Material { young: 1e5, poisson: 0.3 }, 1000.0)
}

/// A hand that holds a ball.
fn holding(method: ContactMethod) -> (World, HandId, ObjectId) {
    let mut world = World::new(WorldConfig { method, gravity: Vec3::ZERO, ..WorldConfig::default() }).unwrap();
    let hand = world.add_hand(model()).unwrap();
    let ball = world.add_object(ball(at(-0.005, -0.05, -0.09))).unwrap();
    for i in 0..150 {
        close(&mut world, hand, (f64::from(i) / 100.0).min(1.0));
    }
    assert!(world.hand(hand).grip.iter().sum::<f64>() > 1.0, "{method:?}: {:?}", world.hand(hand).grip);
    (world, hand, ball)
}

fn step(world: &mut World) {
    world.step(DT).unwrap();
}

fn close(world: &mut World, hand: HandId, amount: f64) {
    world.track(hand, &Posture::OPEN.mixed(&Posture::BALL, 1.2 * amount).frame(model(), Pose::IDENTITY)).unwrap();
    world.step(DT).unwrap();
}

/// How far the bones of the fingers are from where the tracker sees them.
fn held_off(world: &World, hand: HandId) -> f64 {
    let out = world.hand(hand);
    out.bones.iter().zip(&out.tracked).map(|(bone, seen)| bone.position.distance(seen.position)).fold(0.0, f64::max)
}

#[test]
fn removing_a_held_object_lets_the_hand_close() {
    for (_, method) in ContactMethod::ALL {
        let (mut world, hand, ball) = holding(method);
        let before = held_off(&world, hand);
        world.remove_object(ball).unwrap();
        let place = world.object(ball).pose;
        close(&mut world, hand, 1.0);
        assert!(world.events().iter().any(|event| !event.began), "{method:?}: letting go is an event");
        (0..100).for_each(|_| close(&mut world, hand, 1.0));
        let touching = world.hand(hand).contacts.iter().filter(|c| c.object().is_some()).count();
        assert_eq!((touching, world.object(ball).pose), (0, place), "{method:?}");
        assert!(held_off(&world, hand) < 0.7 * before, "{method:?}: {before} to {}", held_off(&world, hand));
        assert!(!world.has_object(ball) && world.get_object(ball).is_some());
    }
}

#[test]
fn a_world_goes_on_alike_across_a_removal_and_its_snapshots() {
    let (mut world, hand, ball) = holding(ContactMethod::Penalty);
    let held = world.snapshot();
    let remove = |world: &mut World| {
        world.remove_object(ball).unwrap();
        let removed = world.snapshot();
        (0..20).for_each(|_| close(world, hand, 1.0));
        (removed, world.report().hash)
    };
    let (removed, hash) = remove(&mut world);
    world.restore(&removed).unwrap();
    assert!(!world.has_object(ball));
    (0..20).for_each(|_| close(&mut world, hand, 1.0));
    assert_eq!(world.report().hash, hash, "restored after the removal");
    world.restore(&held).unwrap();
    assert!(world.has_object(ball), "the snapshot is older than the removal");
    let mut other = holding(ContactMethod::Penalty).0;
    for w in [&mut world, &mut other] {
        close(w, hand, 1.0);
    }
    assert_eq!(world.report().hash, other.report().hash, "held again");
    world.restore(&held).unwrap();
    assert_eq!(remove(&mut world).1, hash, "removed again");
}

#[test]
fn a_restored_world_remembers_contacts_that_come_later() {
    let mut world = weightless();
    let hand = world.add_hand(model()).unwrap();
    world.add_object(ball(at(-0.005, -0.05, -0.09))).unwrap();
    let free = world.snapshot();
    let grasp = |world: &mut World| (0..150).for_each(|i| close(world, hand, (f64::from(i) / 100.0).min(1.0)));
    grasp(&mut world);
    let (hash, contacts) = (world.report().hash, world.report().skin_contacts);
    world.restore(&free).unwrap();
    grasp(&mut world);
    assert!(contacts > 10 && world.report().hash == hash, "{contacts} contacts, then {}", world.report().skin_contacts);
}

#[test]
fn other_objects_do_not_feel_a_removed_one() {
    let mut world = World::new(WorldConfig::default()).unwrap();
    let table = world.add_object(ObjectDef::fixed("table", Shape::Plane, Pose::IDENTITY)).unwrap();
    let lower = world.add_object(ball(at(0.0, 0.03, 0.0))).unwrap();
    let upper = world.add_object(ball(at(0.0, 0.09, 0.0))).unwrap();
    (0..50).for_each(|_| step(&mut world));
    assert!(world.object(upper).pose.position.y > 0.089);
    world.remove_object(lower).unwrap();
    (0..250).for_each(|_| step(&mut world));
    assert!((world.object(upper).pose.position.y - 0.03).abs() < 1e-3, "{}", world.object(upper).pose.position);
    world.remove_object(table).unwrap();
    (0..50).for_each(|_| step(&mut world));
    // half of g t² after 0.2 s
    assert!((world.object(upper).pose.position.y + 0.166).abs() < 0.01, "{}", world.object(upper).pose.position);
}

#[test]
fn removed_hands_and_soft_objects_take_no_part() {
    let mut world = weightless();
    let hand = world.add_hand(model()).unwrap();
    let soft = world.add_soft(soft_thing()).unwrap();
    world.set_soft_velocity(soft, Vec3::X).unwrap();
    close(&mut world, hand, 0.0);
    assert!(world.hand(hand).present && (world.soft(soft).velocity - Vec3::X).length() < 1e-6);
    world.remove_hand(hand).unwrap();
    world.remove_soft(soft).unwrap();
    let place = world.soft(soft).centre;
    world.step(DT).unwrap();
    assert!(!world.hand(hand).present && world.soft(soft).centre == place);
    let frame = Posture::REST.frame(model(), Pose::IDENTITY);
    assert_eq!(world.track(hand, &frame), Err(BodyError::Removed { kind: "hand", id: 0 }));
    assert_eq!(world.remove_soft(soft), Err(BodyError::Removed { kind: "soft object", id: soft.0 }));
}

#[test]
fn bodies_go_where_they_are_put() {
    let mut world = weightless();
    let id = world.add_object(ball(Pose::IDENTITY)).unwrap();
    let soft = world.add_soft(soft_thing()).unwrap();
    world.set_object_motion(id, at(1.0, 0.0, 0.0), Vec3::Y, Vec3::Z).unwrap();
    let turned = Pose::new(Vec3::X * -1.0, Quat::from_rotation_y(1.0));
    world.place_soft(soft, turned).unwrap();
    (0..25).for_each(|_| step(&mut world));
    let out = world.object(id);
    assert!((out.pose.position - Vec3::new(1.0, 0.1, 0.0)).length() < 1e-9 && (out.spin - Vec3::Z).length() < 1e-6);
    let centre = turned.point(Vec3::splat(0.0025));
    assert!((world.soft(soft).centre - centre).length() < 1e-9, "undeformed, at rest: {}", world.soft(soft).centre);
}

/// A tether without damping towards a place.
fn towards(target: Pose, stiffness: f64) -> Tether {
    let [zero, linear] = [0.0, stiffness].map(|value| Mat3::from_diagonal(Vec3::splat(value)));
    let (velocity, spin, force, torque) = (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
    let damping = Mat3::from_diagonal(Vec3::splat(stiffness.sqrt()));
    Tether {
        target,
        velocity,
        spin,
        linear,
        linear_damping: damping,
        angular: zero,
        angular_damping: zero,
        force,
        torque,
    }
}

#[test]
fn what_is_held_hangs_by_its_weight_over_the_stiffness_until_it_is_released() {
    let mut world = World::new(WorldConfig::default()).unwrap();
    let aside = at(1.0, 0.0, 0.0);
    let object = world.add_object(ball(aside)).unwrap();
    let soft = world.add_soft(soft_thing()).unwrap();
    world.hold(object, towards(aside, 200.0)).unwrap();
    let places = world.state().softs[soft.0 as usize].nodes.clone();
    let weight: f64 = 1e-6 / 6.0 * 1000.0 * 9.81;
    let held = HeldNodes { places: places.clone(), stiffness: 1.0, damping: 0.05 };
    world.hold_soft(soft, held.clone()).unwrap();
    let start = world.soft(soft).centre;
    (0..500).for_each(|_| step(&mut world));
    let sag = -world.object(object).pose.position.y;
    assert!((sag - 0.1 * 9.81 / 200.0).abs() < 1e-6, "{sag}");
    let hangs = (start - world.soft(soft).centre).y;
    assert!((hangs / weight - 1.0).abs() < 1e-3, "{hangs} {weight}");
    // a hold in proportion to mass bends nothing
    let nodes = &world.state().softs[soft.0 as usize].nodes;
    assert!(nodes.iter().zip(&places).all(|(now, place)| (*place - *now - Vec3::Y * hangs).length() < 1e-6));
    let one_less = HeldNodes { places: places[1..].to_vec(), ..held };
    let refused = world.hold_soft(soft, one_less).unwrap_err().to_string();
    assert!(refused.contains("places is 3, expected one for each of its nodes"), "{refused}");
    world.release(object).unwrap();
    world.release_soft(soft).unwrap();
    (0..50).for_each(|_| step(&mut world));
    // half of g t² after 0.2 s
    assert!((world.object(object).pose.position.y + sag + 0.2).abs() < 0.01);
    assert!((start.y - hangs - world.soft(soft).centre.y - 0.2).abs() < 0.01);
}

#[test]
fn a_soft_object_can_be_put_there_bent() {
    let mut world = weightless();
    let soft = world.add_soft(soft_thing()).unwrap();
    let bent: Vec<Vec3> = world.state().softs[soft.0 as usize].nodes.iter().map(|p| *p * 1.2 + Vec3::X).collect();
    world.shape_soft(soft, &bent, &[Vec3::Y; 4]).unwrap();
    let centre = Vec3::splat(0.003) + Vec3::X;
    assert!((world.soft(soft).centre - centre).length() < 1e-12 && world.soft(soft).velocity == Vec3::Y);
    (0..250).for_each(|_| step(&mut world));
    // sprung back on its way
    let nodes = &world.state().softs[soft.0 as usize].nodes;
    assert!((nodes[0].distance(nodes[1]) - 0.01).abs() < 1e-5, "{nodes:?}");
    assert!((world.soft(soft).centre - centre - Vec3::Y).length() < 1e-6);
    assert!(world.shape_soft(soft, &bent[1..], &[Vec3::Y; 4]).is_err());
    assert!(world.shape_soft(soft, &[Vec3::NAN; 4], &[Vec3::Y; 4]).is_err());
}

#[test]
fn foreign_ids_and_impossible_motions_are_refused() {
    let mut world = weightless();
    let hand = world.add_hand(model()).unwrap();
    let fixed = world.add_object(ObjectDef::fixed("wall", Shape::Plane, Pose::IDENTITY)).unwrap();
    let free = world.add_object(ball(Pose::IDENTITY)).unwrap();
    let (none, still) = (ObjectId(9), Vec3::ZERO);
    assert!(
        world.get_hand(HandId(1)).is_none() && world.get_object(none).is_none() && world.get_soft(SoftId(1)).is_none()
    );
    let unknown = Err(BodyError::Unknown { kind: "object", id: 9 });
    assert_eq!(world.set_object_motion(none, Pose::IDENTITY, still, still), unknown);
    assert_eq!(
        (world.remove_object(none), world.untether(none), world.push(none, still, still)),
        (unknown, unknown, unknown)
    );
    // the body of a hand is no soft object
    let body = SoftId(hand.0);
    assert!(world.get_soft(body).is_none() && world.soft_surface(body).is_none() && !world.has_soft(body));
    assert!(world.soft_vertices(body).is_none());
    assert_eq!(world.remove_soft(SoftId(hand.0)), Err(BodyError::Unknown { kind: "soft object", id: 0 }));
    assert_eq!(world.set_object_motion(fixed, Pose::IDENTITY, Vec3::X, still), Err(BodyError::Fixed { id: fixed.0 }));
    world.set_object_motion(fixed, at(0.0, -1.0, 0.0), still, still).unwrap();
    let fast = world.set_object_motion(free, Pose::IDENTITY, Vec3::X * 1e3, still);
    assert!(matches!(fast, Err(BodyError::Field { field: "velocity", .. })), "{fast:?}");
    assert!(world.set_object_motion(free, at(f64::NAN, 0.0, 0.0), still, still).is_err());
    let message = world.wake_hosted(free).unwrap_err().to_string();
    assert!(message.contains("not hosted") && message.contains("add_hosted"), "{message}");
}

#[test]
fn a_snapshot_of_another_world_is_refused_and_changes_nothing() {
    let (mut one, mut two) = (weightless(), weightless());
    one.add_object(ball(Pose::IDENTITY)).unwrap();
    one.step(DT).unwrap();
    let refused = two.restore(&one.snapshot()).unwrap_err();
    assert_eq!(refused, SnapshotError::OtherWorld { what: "objects of the world", index: 0, saved: 1, here: 0 });
    assert_eq!(two.state().step, 0);
    two.add_object(ObjectDef::moving("box", Shape::Box { half: Vec3::splat(0.02) }, 0.1, Pose::IDENTITY)).unwrap();
    let message = two.restore(&one.snapshot()).unwrap_err().to_string();
    assert!(message.contains("contact points of object 0 counts 1 there"), "{message}");
}

#[test]
fn a_snapshot_goes_on_under_another_skeleton() {
    let with = |method| {
        let mut config = WorldConfig::default();
        config.skeleton.method = method;
        let mut world = World::new(config).unwrap();
        let hand = world.add_hand(model()).unwrap();
        (world, hand)
    };
    for [from, to] in
        [[SkeletonMethod::Bodies, SkeletonMethod::Reduced], [SkeletonMethod::Reduced, SkeletonMethod::Bodies]]
    {
        let ((mut before, hand), (mut after, _)) = (with(from), with(to));
        (0..50).for_each(|i| close(&mut before, hand, f64::from(i) / 50.0));
        after.restore(&before.snapshot()).unwrap();
        (0..100).for_each(|_| close(&mut after, hand, 0.0));
        let (mut fresh, _) = with(to);
        (0..50).for_each(|_| close(&mut fresh, hand, 0.0));
        // it follows its tracker back to the open hand, as near as a hand that never did anything else
        let (off, usual) = (held_off(&after, hand), held_off(&fresh, hand));
        assert!(off < usual + 2e-4, "{from:?} to {to:?}: {off}, usually {usual}");
    }
}

#[test]
fn twins_step_alike_and_apart_and_share_their_models() {
    for (_, method) in ContactMethod::ALL {
        let (mut world, hand, ball) = holding(method);
        let mut twin = world.twin();
        assert!(std::sync::Arc::ptr_eq(&world.soft_bodies()[0], &twin.soft_bodies()[0]));
        assert!(std::sync::Arc::ptr_eq(&world.objects()[0].samples, &twin.objects()[0].samples));
        for _ in 0..20 {
            close(&mut world, hand, 1.0);
            close(&mut twin, hand, 1.0);
        }
        assert_eq!(world.report().hash, twin.report().hash, "{method:?}: alike");
        let alone = world.state().hash();
        twin.remove_object(ball).unwrap();
        (0..20).for_each(|_| close(&mut twin, hand, 0.5));
        assert_eq!(world.state().hash(), alone, "{method:?}: apart");
        assert!(world.has_object(ball) && !twin.has_object(ball));
    }
}

/// Batches step many worlds in turn: one scratch serves all of them, and none of them sees what another left in it.
#[test]
fn worlds_that_are_stepped_in_turn_share_one_scratch() {
    for (_, method) in ContactMethod::ALL {
        let (mut world, hand, held) = holding(method);
        let mut lean: Vec<World> = (0..3).map(|_| world.twin_without_scratch()).collect();
        let mut whole: Vec<World> = (0..3).map(|_| world.twin()).collect();
        assert!(lean.iter().all(|w| !w.has_scratch()) && whole.iter().all(World::has_scratch));
        let mut holder: Option<usize> = None;
        for step in 0..15 {
            for i in 0..3 {
                match holder {
                    Some(j) if j != i => {
                        let (a, b) = lean.split_at_mut(i.max(j));
                        let (own, lender) = if i < j { (&mut a[i], &mut b[0]) } else { (&mut b[0], &mut a[j]) };
                        own.take_scratch(lender).unwrap();
                        assert!(!lender.has_scratch() && lender.contacts().is_empty());
                    }
                    Some(_) => {}
                    None => lean[i].take_scratch(&mut world).unwrap(),
                }
                holder = Some(i);
                // one presses on, one opens, one goes to and fro
                let bend = [1.0, 1.0 - f64::from(step) / 15.0, f64::from(step % 2)][i];
                close(&mut lean[i], hand, bend);
                close(&mut whole[i], hand, bend);
                assert_eq!(lean[i].report().hash, whole[i].report().hash, "{method:?}: world {i}, step {step}");
            }
        }
        // who is stepped without scratch makes its own, and goes on alike
        assert!(!lean[0].has_scratch());
        close(&mut lean[0], hand, 1.0);
        close(&mut whole[0], hand, 1.0);
        assert!(lean[0].has_scratch());
        assert_eq!(lean[0].report().hash, whole[0].report().hash, "{method:?}: with scratch of its own");
        // other bodies need another scratch
        let (mut other, _, _) = holding(method);
        assert_eq!(other.take_scratch(&mut whole[0]), Err(ScratchError::OtherBodies));
        let mut edited = whole[0].twin_without_scratch();
        edited.add_object(ball(at(0.0, 0.5, 0.0))).unwrap();
        assert_eq!(edited.take_scratch(&mut whole[1]), Err(ScratchError::OtherBodies));
        edited.remove_object(held).unwrap();
        close(&mut edited, hand, 0.0);
    }
}
