//! Coulomb's law on slopes: what lies below the friction angle stays, what lies above it gains speed as it should.

mod touching;

use thenar::contact::ContactMethod;
use thenar::math::Vec3;
use thenar::world::{ObjectId, World};
use touching::verdict::Verdict;
use touching::{FRICTION, G, Soft, block, free_box, plane, run, slope, soft, world};

const DTS: [f64; 2] = [1e-3, 1.0 / 250.0];

/// Friction of a plane that a slab does not slide on, however steep it is.
const GLUED: f64 = 8.0;

/// Flat enough that no slope here tips it over.
const BLOCK: Vec3 = Vec3::new(0.06, 0.02, 0.06);
const BLOCK_CELLS: [usize; 3] = [6, 2, 6];

/// kg. On a soft slab it sinks in by less than a tenth of a millimetre.
const BOX_MASS: f64 = 0.1;
const BOX: Vec3 = Vec3::new(0.03, 0.01, 0.02);

/// Speed is compared between these times, seconds: after the first touch, before the end of the slab.
const FROM: f64 = 0.1;
const TO: f64 = 0.4;

/// What lies on what.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pairing {
    RigidOnRigid,
    SoftOnRigid,
    RigidOnSoft,
}

enum Body {
    Soft(Soft),
    Rigid(ObjectId),
}

impl Body {
    fn place(&self, world: &World) -> Vec3 {
        match self {
            Body::Soft(soft) => soft.centre(world),
            Body::Rigid(id) => world.object(*id).pose.position,
        }
    }

    fn velocity(&self, world: &World) -> Vec3 {
        match self {
            Body::Soft(soft) => soft.velocity(world),
            Body::Rigid(id) => world.object(*id).velocity,
        }
    }
}

impl Pairing {
    /// On a slope of that angle, rad; a soft slab is so long, with its cells along it.
    fn put(self, method: ContactMethod, angle: f64, (length, along): (f64, usize)) -> (World, Body) {
        let mut world = world(method, slope(angle.to_degrees()));
        let body = match self {
            Pairing::RigidOnRigid => {
                plane(&mut world, FRICTION);
                Body::Rigid(free_box(&mut world, BOX, BOX_MASS, Vec3::Y * BOX.y))
            }
            Pairing::SoftOnRigid => {
                plane(&mut world, FRICTION);
                Body::Soft(soft(&mut world, "block", block(BLOCK_CELLS, BLOCK, Vec3::Y * 0.01)))
            }
            Pairing::RigidOnSoft => {
                plane(&mut world, GLUED);
                let size = Vec3::new(length, 0.02, 0.06);
                soft(&mut world, "slab", block([along, 2, 4], size, Vec3::Y * 0.01));
                // a centimetre and a half from its upper end, where it has a whole track before it
                let start = Vec3::new(-0.5 * length + BOX.x + 0.015, 0.02 + BOX.y, 0.0);
                Body::Rigid(free_box(&mut world, BOX, BOX_MASS, start))
            }
        };
        (world, body)
    }

    /// Below the friction angle it stays: under 0.1 mm in 2 s, after a second in which it sinks in and comes to rest.
    fn judge_sticking(self, method: ContactMethod, dt: f64, verdict: &mut Verdict) {
        let angle = 0.95 * libm::atan(FRICTION);
        let (mut world, body) = self.put(method, angle, (0.12, 8));
        run(&mut world, 1.0, dt, |_| {});
        let before = body.place(&world);
        run(&mut world, 2.0, dt, |_| {});
        let moved = body.place(&world).distance(before);
        verdict.check(moved < 1e-4, || {
            format!(
                "{method:?}, {self:?}, 1/{:.0} s: {:.3} mm in 2 s at 0.95 of the friction angle",
                1.0 / dt,
                moved * 1e3
            )
        });
    }

    /// Above it, what is lost is no more than a soft track may cost.
    fn judge_sliding(self, method: ContactMethod, dt: f64, verdict: &mut Verdict) {
        let angle = 1.5 * libm::atan(FRICTION);
        let (mut world, body) = self.put(method, angle, (0.36, 24));
        run(&mut world, FROM, dt, |_| {});
        let before = body.velocity(&world);
        run(&mut world, TO - FROM, dt, |_| {});
        let a = (body.velocity(&world).x - before.x) / (TO - FROM);
        let expected = G * (libm::sin(angle) - FRICTION * libm::cos(angle));
        // a first-order step on a rigid slope; a slab that shakes under the box besides
        let tolerance = if self == Pairing::RigidOnSoft { 0.05 } else { 0.02 };
        verdict.check((a / expected - 1.0).abs() < tolerance, || {
            format!(
                "{method:?}, {self:?}, 1/{:.0} s: {a:.3} m/s² at 1.5 of the friction angle, \
                 expected {expected:.3}: {:+.1} %",
                1.0 / dt,
                100.0 * (a / expected - 1.0)
            )
        });
    }
}

fn judge(method: ContactMethod) {
    let mut verdict = Verdict::default();
    for pairing in [Pairing::RigidOnRigid, Pairing::SoftOnRigid, Pairing::RigidOnSoft] {
        for dt in DTS {
            pairing.judge_sticking(method, dt, &mut verdict);
            pairing.judge_sliding(method, dt, &mut verdict);
        }
    }
    verdict.give();
}

#[test]
fn coulombs_law_holds_on_slopes_under_springs() {
    judge(ContactMethod::Penalty);
}

#[test]
fn coulombs_law_holds_on_slopes_under_points() {
    judge(ContactMethod::Point);
}

#[test]
fn coulombs_law_holds_on_slopes_under_patches() {
    judge(ContactMethod::Aggregate);
}
