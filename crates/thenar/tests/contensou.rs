//! Friction of a whole patch against the closed forms of Coulomb and Contensou, measured from the wrench on a body that is
//! pressed on a soft disc and driven at a prescribed twist.

mod bar;

use std::f64::consts::PI;
use std::sync::Arc;

use thenar::collide::BodyRef;
use thenar::contact::{AggregateParams, ContactMethod, Pressure};
use thenar::energy::tissue::Material;
use thenar::geometry::distance::{Part, Shape};
use thenar::math::{Pose, Quat, Vec3};
use thenar::world::{ObjectDef, ObjectId, SoftDef, World, WorldConfig};

/// Radius of the contact, metres; no vertex of the pad lies on its rim.
const RADIUS: f64 = 0.0101;
/// Coefficient of friction.
const FRICTION: f64 = 0.5;
/// How deep the body is pressed in, metres: so little that hardly a vertex is nearer to its side than to its end.
const DEPTH: f64 = 2e-5;
/// Speed of the fastest contact, m/s.
const SPEED: f64 = 0.05;
const STEP: f64 = 0.002;
/// Heavy enough that friction does not slow it, kg.
const DRIVEN: f64 = 1e8;

/// Cells along an edge of the pad.
const CELLS: usize = 28;

/// A thin pad whose lower face is held, its upper face on y = 0: under the body lie more than three hundred of its vertices. With
/// Poisson's ratio zero each spot carries what its own depth gives, so the shape of the body is the shape of the pressure.
fn pad(world: &mut World) {
    let (size, cells) = (Vec3::new(0.028, 0.001, 0.028), [CELLS, 1, CELLS]);
    let mut mesh = bar::box_mesh(cells, size);
    mesh.positions.iter_mut().for_each(|p| *p -= Vec3::new(0.5 * size.x, size.y, 0.5 * size.z));
    let low = mesh.positions.iter().enumerate().filter(|(_, p)| p.y < -0.5 * size.y);
    let clamped = low.map(|(node, _)| node as u32).collect();
    let material = Material { young: 5e6, poisson: 0.0 };
    // without damping of its own: what it dissipates besides friction would be felt as friction
    world
        .add_soft(SoftDef { damping: 0.0, friction: FRICTION, clamped, ..SoftDef::new("pad", mesh, material, 1000.0) })
        .unwrap();
}

fn cylinder(radius: f64, bottom: f64) -> Part {
    let shape = Shape::Cylinder { half_height: 0.01, radius };
    Part { pose: Pose::new(Vec3::new(0.0, 0.01 + bottom, 0.0), Quat::IDENTITY), shape }
}

/// A flat punch.
fn flat() -> Shape {
    Shape::Compound(Arc::new([cylinder(RADIUS, -DEPTH)]))
}

/// Rings that reach down by Hertz's pressure, `√(1 − r²/R²)`, each at the middle of its area.
fn hertz() -> Shape {
    let rings = 20;
    let parts: Vec<Part> = (0..rings)
        .map(|k| {
            let outer = f64::from(k + 1) / f64::from(rings);
            let middle = (f64::from(k) + 0.5) / f64::from(rings);
            cylinder(RADIUS * outer.sqrt(), -DEPTH * (1.0 - middle).sqrt())
        })
        .collect();
    Shape::Compound(parts.into())
}

/// What a body feels from friction, over `μ N` and `μ N R`, and where it is pressed, metres from its axis.
struct Felt {
    /// Along the drive, across it, and about the axis.
    friction: [f64; 3],
    /// What Coulomb's law says at each of the contacts, with the pressure that is there.
    law: [f64; 3],
    /// Distance of the axis of the spin from the middle of the punch, metres.
    off_axis: f64,
}

/// Presses the body on the pad and drives it at a slip ratio `v / (ω R)`.
fn drive(shape: Shape, pressure: Pressure, slip_ratio: f64) -> Felt {
    let aggregate = AggregateParams { pressure, torsion: true };
    let (method, gravity) = (ContactMethod::Aggregate, Vec3::ZERO);
    let mut world = World::new(WorldConfig { method, gravity, aggregate, ..WorldConfig::default() }).unwrap();
    pad(&mut world);
    let mut body = ObjectDef::moving("body", shape, DRIVEN, Pose::IDENTITY);
    let scale = SPEED / slip_ratio.max(1.0);
    body.friction = FRICTION;
    // it starts behind the middle, so that it is there when it is measured
    let travel = slip_ratio * scale * STEP * f64::from(SETTLE + MEASURE / 2);
    body.pose.position.x = -travel;
    body.velocity = Vec3::new(slip_ratio * scale, 0.0, 0.0);
    body.spin = Vec3::new(0.0, scale / RADIUS, 0.0);
    let body = world.add_object(body).unwrap();
    let com = world.objects()[body.0 as usize].com;
    let mut felt = Felt { friction: [0.0; 3], law: [0.0; 3], off_axis: libm::hypot(com.x, com.z) };
    for step in 0..SETTLE + MEASURE {
        assert!(!world.step(STEP).unwrap().flags.rolled_back);
        if step < SETTLE {
            continue;
        }
        let (force, torque) = about_the_axis(&world, body);
        let limit = FRICTION * force.y * f64::from(MEASURE);
        felt.friction[0] -= force.x / limit;
        felt.friction[1] -= force.z / limit;
        felt.friction[2] -= torque.y / (limit * RADIUS);
        let at_contacts = law_at_contacts(&world, body);
        felt.law.iter_mut().zip(at_contacts).for_each(|(sum, one)| *sum += one / f64::from(MEASURE));
    }
    felt
}

const SETTLE: u32 = 25;
const MEASURE: u32 = 20;

/// Force along and across x and torque over `μ N` and `μ N R`, summed over the contacts of a body.
fn law_at_contacts(world: &World, body: ObjectId) -> [f64; 3] {
    let out = world.object(body);
    let centre = out.pose.point(world.objects()[body.0 as usize].com);
    let pressed = world.contacts().iter().filter(|p| p.active && p.contact.sides[1].body() == BodyRef::Object(body.0));
    let (mut total, mut sum) = (0.0, [0.0; 3]);
    for pair in pressed {
        let arm = pair.contact.point - centre;
        let slip = out.velocity + out.spin.cross(arm);
        let direction = Vec3::new(slip.x, 0.0, slip.z).normalize_or_zero();
        let pressing = pair.pressing();
        total += pressing;
        sum[0] += pressing * direction.x;
        sum[1] += pressing * direction.z;
        sum[2] += pressing * arm.cross(direction).y / RADIUS;
    }
    sum.map(|s| s / total)
}

/// Force and torque on a body about the point of its axis in the contact plane.
fn about_the_axis(world: &World, body: ObjectId) -> (Vec3, Vec3) {
    let out = world.object(body);
    let model = &world.objects()[body.0 as usize];
    let centre = out.pose.point(model.com);
    let foot = Vec3::new(centre.x, 0.0, centre.z);
    (out.force, out.torque + (centre - foot).cross(out.force))
}

/// Force along and across the drive and torque over `μ N` and `μ N R`, by integration over the disc.
fn expected(pressure: impl Fn(f64) -> f64, slip_ratio: f64) -> [f64; 3] {
    let (rings, around) = (400, 400);
    let (mut total, mut sum) = (0.0, [0.0; 3]);
    for i in 0..rings {
        let r = (f64::from(i) + 0.5) / f64::from(rings);
        for k in 0..around {
            let angle = 2.0 * PI * (f64::from(k) + 0.5) / f64::from(around);
            let (x, z) = (r * libm::cos(angle), r * libm::sin(angle));
            let p = pressure(r) * r;
            // spin about +y moves (x, z) by (z, −x)
            let (vx, vz) = (slip_ratio + z, -x);
            let speed = libm::hypot(vx, vz).max(1e-12);
            total += p;
            sum[0] += p * vx / speed;
            sum[1] += p * vz / speed;
            sum[2] += p * (z * vx - x * vz) / speed;
        }
    }
    sum.map(|s| s / total)
}

const RATIOS: [f64; 10] = [0.0, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.5, 5.0, 10.0];

/// The whole curve within 1 % of `μ N` and of `μ N R`: a disc of 317 vertices is off the closed form by 0.7 %, its outermost ones having the longest levers. A
/// flat punch feels no force beside its way: what is left are vertices that come and go at its rim as it moves over the pad. And at every
/// ratio friction is what Coulomb's law says at the contacts that there are.
fn curve(shape: &Shape, pressure: Pressure, law: impl Fn(f64) -> f64) {
    for ratio in RATIOS {
        let felt = drive(shape.clone(), pressure, ratio);
        let want = expected(&law, ratio);
        let off = |one: [f64; 3]| [0, 1, 2].map(|k| (felt.friction[k] - one[k]).abs());
        let at_once =
            || format!("{pressure:?}, ratio {ratio}: {:.4?}, law {:.4?}, curve {want:.4?}", felt.friction, felt.law);
        assert!(off(want).iter().all(|off| *off < 0.01), "{}", at_once());
        assert!(off(felt.law).iter().all(|off| *off < 0.01), "{}", at_once());
    }
}

#[test]
fn the_default_pressure_follows_contensous_curve_under_a_flat_punch() {
    curve(&flat(), AggregateParams::default().pressure, |_| 1.0);
}

#[test]
fn uniform_pressure_follows_contensous_curve() {
    let closed = expected(|_| 1.0, 1.0);
    assert!((closed[0] - 8.0 / (3.0 * PI)).abs() < 1e-3 && (closed[2] - 8.0 / (9.0 * PI)).abs() < 1e-3, "{closed:?}");
    curve(&flat(), Pressure::Uniform, |_| 1.0);
}

#[test]
fn hertzian_pressure_follows_contensous_curve() {
    let law = |r: f64| (1.0 - r * r).max(0.0).sqrt();
    let closed = expected(law, 1.0);
    assert!((closed[0] - 9.0 * PI / 32.0).abs() < 1e-3 && (closed[2] - 9.0 * PI / 128.0).abs() < 1e-3, "{closed:?}");
    curve(&hertz(), Pressure::Depth, law);
}

#[test]
fn pressure_off_the_axis_makes_a_spinning_body_drift() {
    // a weight on one side moves the axis of the spin off the centre of the pressure
    let weight = Part {
        pose: Pose::new(Vec3::new(0.024, 0.01, 0.0), Quat::IDENTITY),
        shape: Shape::Cylinder { half_height: 0.009, radius: 0.011 },
    };
    let Shape::Compound(parts) = hertz() else { unreachable!() };
    let shape = Shape::Compound(parts.iter().cloned().chain([weight]).collect::<Vec<_>>().into());
    let felt = drive(shape, Pressure::Depth, 0.0);
    let off = felt.off_axis / RADIUS;
    assert!(off > 0.1, "hardly off the axis: {off}");
    // about the centre of the pressure it slips by ω e and spins by ω
    let law = |r: f64| (1.0 - r * r).max(0.0).sqrt();
    let want = expected(law, off);
    let force = libm::hypot(felt.friction[0], felt.friction[1]);
    let torque = felt.friction[2] - off * force;
    assert!((force - want[0]).abs() < 0.03, "force {force:.4} of {:.4}", want[0]);
    assert!((torque - want[2]).abs() < 0.02, "torque {torque:.4} of {:.4}", want[2]);
}

#[test]
fn friction_grows_while_the_patch_sticks_and_stays_when_it_slips() {
    let mut world = World::new(WorldConfig {
        method: ContactMethod::Aggregate,
        gravity: Vec3::ZERO,
        aggregate: AggregateParams { pressure: Pressure::Depth, torsion: true },
        ..WorldConfig::default()
    })
    .unwrap();
    pad(&mut world);
    let mut body = ObjectDef::moving("body", hertz(), DRIVEN, Pose::IDENTITY);
    body.friction = FRICTION;
    body.velocity = Vec3::new(2e-4, 0.0, 0.0);
    let body = world.add_object(body).unwrap();
    let shares: Vec<f64> = (0..150)
        .map(|_| {
            world.step(STEP).unwrap();
            let (force, _) = about_the_axis(&world, body);
            -force.x / (FRICTION * force.y)
        })
        .collect();
    assert!(shares[4] < 0.5, "sticks at first: {:.3}", shares[4]);
    assert!(shares[2..12].windows(2).all(|w| w[1] > w[0]), "{:?}", &shares[..12]);
    assert!(shares[130..].iter().all(|s| (s - 1.0).abs() < 0.01), "slips at the end: {:?}", &shares[140..]);
}

#[test]
fn a_sticking_patch_does_not_creep_in_a_minute() {
    // a brick on a soft plate, on a slope well below the friction angle
    let tilt = 5f64.to_radians();
    let gravity = Vec3::new(9.81 * libm::sin(tilt), -9.81 * libm::cos(tilt), 0.0);
    let mut world =
        World::new(WorldConfig { method: ContactMethod::Aggregate, gravity, ..WorldConfig::default() }).unwrap();
    let mut table = ObjectDef::fixed("table", Shape::Plane, Pose::IDENTITY);
    table.friction = 0.9;
    world.add_object(table).unwrap();
    let mut mesh = bar::box_mesh([4, 2, 4], Vec3::new(0.06, 0.02, 0.06));
    mesh.positions.iter_mut().for_each(|p| *p -= Vec3::new(0.03, 0.0, 0.03));
    let material = Material { young: 1e5, poisson: 0.33 };
    world.add_soft(SoftDef::new("plate", mesh, material, 1000.0)).unwrap();
    let half = Vec3::new(0.02, 0.01, 0.02);
    let above = Pose::new(Vec3::new(0.0, 0.0301, 0.0), Quat::IDENTITY);
    let brick = world.add_object(ObjectDef::moving("brick", Shape::Box { half }, 0.2, above)).unwrap();
    let dt = 1.0 / 250.0;
    let mut settled = Pose::IDENTITY;
    for step in 0..16_000 {
        world.step(dt).unwrap();
        if step == 1_000 {
            settled = world.object(brick).pose;
        }
    }
    let end = world.object(brick).pose;
    let turned = end.rotation.angle_between(settled.rotation).to_degrees();
    let moved = end.position.distance(settled.position);
    assert!(moved < 1e-5 && turned < 0.01, "creeps {moved} m and {turned}°");
}
