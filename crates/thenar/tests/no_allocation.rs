//! A step allocates nothing once the world has warmed up: proven by an allocator that counts.

mod bar;
mod tiny_host;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use thenar::contact::ContactMethod;
use thenar::geometry::distance::Shape;
use thenar::hand::{Digit, HandModel, HandOptions, HandPose, SkinDetail};
use thenar::host::{Coupling, CouplingParams, Graspable};
use thenar::math::{Pose, Quat, Vec3};
use thenar::tactile::TactileParams;
use thenar::tracking::TrackerFrame;
use thenar::world::{
    ObjectDef, SkeletonCoupling, SkeletonMethod, SkeletonParams, SoftDef, SolverParams, World, WorldConfig,
};
use tiny_host::TinyHost;

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// Whether allocations of this thread count: what runs tests has one of its own, which speaks up when a test takes a minute.
    static COUNTS: Cell<bool> = const { Cell::new(false) };
}

fn count() {
    // a thread that ends has no such value any more
    if COUNTS.try_with(Cell::get).unwrap_or(false) {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
    }
}

// SAFETY: every call is passed on to the system allocator unchanged; counting has no other effect.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promises about `layout` are passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` came from `alloc` above with the same layout.
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as for `dealloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// One test only: the count is one for all.
#[test]
fn a_step_allocates_nothing() {
    COUNTS.set(true);
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    drop(std::hint::black_box(vec![0u8; 64]));
    assert!(ALLOCATIONS.load(Ordering::Relaxed) > before, "this thread is counted");
    alone_while_it_grasps_loses_track_and_recovers();
    with_a_host_while_bodies_wake_are_carried_and_rest();
    while_a_slab_falls_on_an_object_of_another_method();
    with_the_model_of_its_handles();
}

/// A palm, and a palm with fingers, come down on a table, press, slide and rise again; the model is asked for after each step, both ways.
fn with_the_model_of_its_handles() {
    use thenar::hand::BoneId;
    use thenar::haptics::{HandleCoupling, HandleModel, HandleState, Lead, Linearisation};
    let mut options = HandOptions { detail: SkinDetail::Coarse, ..HandOptions::default() };
    options.tissue.tets = 600;
    let model = HandModel::build(&options).unwrap();
    let phalanges: Vec<BoneId> = BoneId::all().collect();
    for method in [ContactMethod::Penalty, ContactMethod::Point, ContactMethod::Aggregate] {
        for bones in [&phalanges[..1], &phalanges[..7]] {
            let mut world = World::new(WorldConfig { method, ..WorldConfig::default() }).unwrap();
            let hand = world.add_hand(&model).unwrap();
            let table = Pose::new(Vec3::new(0.0, -0.03, 0.0), Quat::IDENTITY);
            world.add_object(ObjectDef::fixed("table", Shape::Plane, table)).unwrap();
            let at = Pose::new(Vec3::new(0.0, -0.01, -0.08), Quat::IDENTITY);
            let cube = Shape::Box { half: Vec3::splat(0.02) };
            world.add_object(ObjectDef::moving("cube", cube, 0.1, at)).unwrap();
            let rest = model.skeleton.pose(&HandPose::default(), Pose::new(Vec3::Y * 0.02, Quat::IDENTITY));
            world.track(hand, &TrackerFrame { side: model.side, joints: model.skeleton.joint_set(&rest) }).unwrap();
            world.step(1.0 / 250.0).unwrap();
            let handles: Vec<_> =
                bones.iter().map(|bone| world.add_handle(hand, *bone, HandleCoupling::default()).unwrap()).collect();
            let starts: Vec<_> = handles.iter().map(|handle| world.handle_state(*handle).unwrap()).collect();
            world.reserve_rows(2000);
            let mut force = HandleModel::of(handles.len());
            let (mut contacts, mut largest) = (0, 0.0f64);
            for i in 0..150 {
                let down = 0.045 * (f64::from(i) / 50.0).min((150.0 - f64::from(i)) / 30.0).min(1.0);
                let along = 0.03 * (f64::from(i) / 50.0 - 1.0).max(0.0);
                let before = ALLOCATIONS.load(Ordering::Relaxed);
                for (handle, start) in handles.iter().zip(&starts) {
                    let pose = Pose::new(start.pose.position + Vec3::new(along, -down, 0.0), start.pose.rotation);
                    world.set_handle_target(*handle, HandleState { pose, ..HandleState::default() }).unwrap();
                }
                contacts = contacts.max(world.step(1.0 / 250.0).unwrap().skin_contacts);
                for lead in [Lead::Held, Lead::Free] {
                    world.handle_model_by(Linearisation { lead, ..Linearisation::default() }, &mut force).unwrap();
                }
                let count = ALLOCATIONS.load(Ordering::Relaxed) - before;
                let of = bones.len();
                assert!(
                    i < 2 || count == 0,
                    "{method:?}, {of} handles: step {i} with its models allocated {count} times"
                );
                largest = force.force.iter().fold(largest, |most, f| most.max(f.abs()));
            }
            assert!(contacts > 10 && largest > 1.0, "{method:?}: {contacts} contacts, {largest} N");
        }
    }
}

/// 225 nodes meet the plane in one step.
fn while_a_slab_falls_on_an_object_of_another_method() {
    use thenar::energy::tissue::Material;
    for of_plane in [ContactMethod::Point, ContactMethod::Aggregate] {
        let mut world = World::new(WorldConfig { method: ContactMethod::Penalty, ..WorldConfig::default() }).unwrap();
        let plane = ObjectDef::fixed("plane", Shape::Plane, Pose::IDENTITY);
        world.add_object(ObjectDef { method: Some(of_plane), ..plane }).unwrap();
        let mut mesh = bar::box_mesh([24, 1, 8], Vec3::new(0.08, 0.01, 0.03));
        mesh.positions.iter_mut().for_each(|p| p.y += 0.005);
        let material = Material { young: 1e5, poisson: 0.33 };
        let slab = SoftDef::new("slab", mesh, material, 1000.0);
        world.add_soft(slab).unwrap();
        // a world grows where it is in closer contact than ever before; who cannot have that says so beforehand
        world.reserve_rows(1500);
        let mut contacts = 0;
        for i in 0..15 {
            let before = ALLOCATIONS.load(Ordering::Relaxed);
            contacts = contacts.max(world.step(1.0 / 250.0).unwrap().skin_contacts);
            let count = ALLOCATIONS.load(Ordering::Relaxed) - before;
            assert!(
                i < 2 || count == 0,
                "a plane by {of_plane:?} in a world of springs: step {i} allocated {count} times"
            );
        }
        assert!(contacts > 200, "{contacts} nodes touched");
    }
}

fn alone_while_it_grasps_loses_track_and_recovers() {
    let mut options = HandOptions { detail: SkinDetail::Coarse, ..HandOptions::default() };
    options.tissue.tets = 600;
    let model = HandModel::build(&options).unwrap();
    let pcg = SolverParams::Pcg { tolerance: 1e-5, max_iterations: 200 };
    let bodies = WorldConfig::default().skeleton;
    let reduced = SkeletonParams { method: SkeletonMethod::Reduced, ..bodies };
    let one_sided = SkeletonParams { coupling: SkeletonCoupling::OneSided, ..reduced };
    let direct = SolverParams::Direct;
    let (penalty, point, aggregate) = (ContactMethod::Penalty, ContactMethod::Point, ContactMethod::Aggregate);
    for (solver, skeleton, method, of_cubes) in [
        (direct, bodies, penalty, None),
        (direct, bodies, point, None),
        (direct, bodies, aggregate, None),
        (pcg, bodies, penalty, None),
        (direct, reduced, penalty, None),
        (direct, one_sided, penalty, None),
        (direct, bodies, penalty, Some(point)),
        (direct, bodies, aggregate, Some(point)),
    ] {
        let tactile = Some(TactileParams::default());
        let mut world =
            World::new(WorldConfig { solver, skeleton, method, tactile, ..WorldConfig::default() }).unwrap();
        let hand = world.add_hand(&model).unwrap();
        let table = Pose::new(Vec3::new(0.0, -0.1, 0.0), Quat::IDENTITY);
        world.add_object(ObjectDef::fixed("table", Shape::Plane, table)).unwrap();
        for x in [-0.03, 0.03] {
            let at = Pose::new(Vec3::new(x, -0.07, -0.08), Quat::IDENTITY);
            let cube = Shape::Box { half: Vec3::splat(0.025) };
            world.add_object(ObjectDef { method: of_cubes, ..ObjectDef::moving("cube", cube, 0.1, at) }).unwrap();
        }
        // a fist around both cubes has more than sixty-four points near them
        world.reserve_rows(1500);
        let frame = |t: f64| {
            let mut pose = HandPose::default();
            for digit in Digit::FINGERS {
                *pose.digit_mut(digit) = [0.7 * t, 0.0, 0.8 * t, 0.5 * t];
            }
            let bones = model.skeleton.pose(&pose, Pose::new(Vec3::new(0.0, -0.04 * t, 0.0), Quat::IDENTITY));
            TrackerFrame { side: model.side, joints: model.skeleton.joint_set(&bones) }
        };
        let mut contacts = 0;
        for i in 0..300 {
            let far = if i > 250 { 1.0 } else { 0.0 }; // a jump of the tracker, then back
            let mut seen = frame((i as f64 / 100.0).min(1.0));
            for joint in seen.joints.0.iter_mut().flatten() {
                joint.pose.position.x += far;
            }
            let before = ALLOCATIONS.load(Ordering::Relaxed);
            world.track(hand, &seen).unwrap();
            contacts = contacts.max(world.step(1.0 / 250.0).unwrap().skin_contacts);
            let count = ALLOCATIONS.load(Ordering::Relaxed) - before;
            assert!(
                i < 2 || count == 0,
                "{solver:?}, {skeleton:?}, {method:?}, cubes by {of_cubes:?}: step {i} allocated {count} times"
            );
        }
        assert!(contacts > 3, "the hand touched something: {contacts}");
    }
}

/// Coupled steps, exchange with the host included; the host itself allocates nothing either.
fn with_a_host_while_bodies_wake_are_carried_and_rest() {
    let mut options = HandOptions { detail: SkinDetail::Coarse, ..HandOptions::default() };
    options.tissue.tets = 600;
    let model = HandModel::build(&options).unwrap();
    for method in [ContactMethod::Penalty, ContactMethod::Point, ContactMethod::Aggregate] {
        let mut world = World::new(WorldConfig { method, ..WorldConfig::default() }).unwrap();
        let hand = world.add_hand(&model).unwrap();
        world.reserve_rows(2000);
        let mut host = TinyHost::new(90.0, 1.0, 9.81, true);
        let mut coupling = Coupling::new(&mut world, CouplingParams::default());
        let half = Vec3::new(0.012, 0.012, 0.015);
        for x in [-0.03, 0.0, 0.03] {
            let body = host.add(half, 0.05, Pose::new(Vec3::new(x, 0.4, -0.075), Quat::IDENTITY));
            coupling.add(&mut world, &host, body, Graspable::new("box", Shape::Box { half })).unwrap();
        }
        // the palm catches the boxes, carries them and turns over
        let frame = |t: f64| {
            let roll = std::f64::consts::PI * (1.0 - (t - 1.0) / 0.3).clamp(0.0, 1.0);
            let wrist = Pose::new(Vec3::new(0.1 * t, 0.2, 0.0), Quat::from_rotation_z(roll));
            let bones = model.skeleton.pose(&HandPose::default(), wrist);
            TrackerFrame { side: model.side, joints: model.skeleton.joint_set(&bones) }
        };
        let (mut awake, mut touched) = (0, 0);
        for i in 0..500 {
            let seen = frame(f64::from(i) / 250.0);
            let before = ALLOCATIONS.load(Ordering::Relaxed);
            world.track(hand, &seen).unwrap();
            awake = awake.max(coupling.step(&mut world, &mut host, 1.0 / 250.0).unwrap().awake);
            let count = ALLOCATIONS.load(Ordering::Relaxed) - before;
            assert!(i < 2 || count == 0, "{method:?} with a host: step {i} allocated {count} times");
            touched = touched.max(world.report().skin_contacts);
        }
        assert_eq!(awake, 3, "{method:?}: bodies that woke at once");
        assert!(touched > 3, "{method:?}: the boxes lay on the hand: {touched}");
        assert_eq!(coupling.report().awake, 0, "{method:?}: all rest again");
    }
}
