//! Free bodies that hit each other: no contact pulls, nothing gains energy, momentum is kept.

mod touching;

use thenar::contact::ContactMethod;
use thenar::geometry::distance::Shape;
use thenar::math::{Pose, Quat, Vec3};
use thenar::world::{ObjectId, World};
use touching::motion::{energy, momentum, weight};
use touching::pulling::{self, NO_PULL};
use touching::verdict::Verdict;
use touching::{Soft, WEIGHTLESS, block, plane, run, slope, soft, thrown, world};

const DTS: [f64; 3] = [1e-3, 1.0 / 250.0, 1.0 / 60.0];
const SPEEDS: [f64; 2] = [1.0, 2.0];

/// Long enough for things to part again, seconds.
const END: f64 = 0.25;

const CUBE: Vec3 = Vec3::splat(0.04);
const CUBE_CELLS: [usize; 3] = [4, 4, 4];

/// What flies where, and what to look at.
struct Impact {
    name: &'static str,
    world: World,
    softs: Vec<Soft>,
    moving: Vec<ObjectId>,
    /// An object, and where what it touches lies as seen from it.
    touched: Option<(ObjectId, Vec3)>,
    /// Nothing fixed takes momentum away.
    free: bool,
}

/// A steel ball flies at the top of a free soft cube, beside its middle.
fn ball_on_cube(method: ContactMethod, speed: f64, friction: f64) -> Impact {
    let mut world = world(method, WEIGHTLESS);
    let cube = soft(&mut world, "cube", block(CUBE_CELLS, CUBE, Vec3::ZERO));
    let (radius, mass) = (0.015, 0.05);
    let at = Pose::new(Vec3::new(0.008, 0.02 + radius + 0.005, 0.005), Quat::IDENTITY);
    let ball = thrown(&mut world, "ball", Shape::Sphere { radius }, mass, at, -Vec3::Y * speed, friction);
    // without friction all forces on the ball are normals of its lower half
    let touched = (friction == 0.0).then_some((ball, -Vec3::Y));
    Impact { name: "ball on soft cube", world, softs: vec![cube], moving: vec![ball], touched, free: true }
}

/// A soft cube is thrown at a plane, on an edge of its lower face first.
fn cube_on_plane(method: ContactMethod, speed: f64) -> Impact {
    let mut world = world(method, WEIGHTLESS);
    let ground = plane(&mut world, 0.5);
    let mut mesh = block(CUBE_CELLS, CUBE, Vec3::ZERO);
    let turn = Quat::from_rotation_z(0.2);
    mesh.positions.iter_mut().for_each(|p| *p = turn * *p + Vec3::Y * 0.03);
    let cube = soft(&mut world, "cube", mesh);
    world.set_soft_velocity(cube.id, Vec3::new(0.5, -1.0, 0.0) * speed).unwrap();
    let touched = Some((ground, Vec3::Y));
    Impact { name: "soft cube on plane", world, softs: vec![cube], moving: Vec::new(), touched, free: false }
}

/// A soft cube lies on a plane, and a steel ball falls and is thrown on it, beside its middle; all of it has weight.
fn ball_on_lying_cube(method: ContactMethod, speed: f64) -> Impact {
    let mut world = world(method, slope(0.0));
    plane(&mut world, 0.5);
    let cube = soft(&mut world, "cube", block(CUBE_CELLS, CUBE, Vec3::Y * 0.02));
    let (radius, mass) = (0.015, 0.05);
    let at = Pose::new(Vec3::new(0.008, 0.04 + radius + 0.005, 0.005), Quat::IDENTITY);
    let ball = thrown(&mut world, "ball", Shape::Sphere { radius }, mass, at, -Vec3::Y * speed, 0.5);
    Impact { name: "ball on lying cube", world, softs: vec![cube], moving: vec![ball], touched: None, free: false }
}

/// A soft cube falls on a plane, on an edge first.
fn cube_falls_on_plane(method: ContactMethod, speed: f64) -> Impact {
    let mut world = world(method, slope(0.0));
    plane(&mut world, 0.5);
    let mut mesh = block(CUBE_CELLS, CUBE, Vec3::ZERO);
    let turn = Quat::from_rotation_z(0.2);
    mesh.positions.iter_mut().for_each(|p| *p = turn * *p + Vec3::Y * 0.05);
    let cube = soft(&mut world, "cube", mesh);
    world.set_soft_velocity(cube.id, Vec3::new(0.5, -0.5, 0.0) * speed).unwrap();
    Impact {
        name: "soft cube falls on plane",
        world,
        softs: vec![cube],
        moving: Vec::new(),
        touched: None,
        free: false,
    }
}

/// Two soft cubes fly past each other's middle, into each other.
fn cube_on_cube(method: ContactMethod, speed: f64) -> Impact {
    let mut world = world(method, WEIGHTLESS);
    let left = soft(&mut world, "left", block(CUBE_CELLS, CUBE, Vec3::new(-0.022, 0.0, 0.0)));
    let right = soft(&mut world, "right", block(CUBE_CELLS, CUBE, Vec3::new(0.022, 0.013, 0.007)));
    world.set_soft_velocity(left.id, Vec3::X * 0.5 * speed).unwrap();
    world.set_soft_velocity(right.id, -Vec3::X * 0.5 * speed).unwrap();
    Impact {
        name: "soft cube on soft cube",
        world,
        softs: vec![left, right],
        moving: Vec::new(),
        touched: None,
        free: true,
    }
}

impl Impact {
    fn judge(mut self, method: ContactMethod, speed: f64, dt: f64, verdict: &mut Verdict) {
        let (softs, moving, touched) = (self.softs, self.moving, self.touched);
        let of = |what: &str| format!("{method:?}, {}, {speed} m/s, 1/{:.0} s: {what}", self.name, 1.0 / dt);
        // kinetic, elastic and weight together, that of what lies on y = 0 none
        let energy = |world: &World| energy(world, &softs, &moving) + weight(world, &softs, &moving);
        let start = (energy(&self.world), momentum(&self.world, &softs, &moving));
        // the total may be zero; what the bodies carry is the measure of its rounding
        let scale = softs.iter().flat_map(Soft::masses).sum::<f64>() * speed;
        let (mut most, mut pull, mut drift, mut hits, mut touching) = (0.0f64, 0.0f64, 0.0f64, 0, 0);
        let (mut steps, mut rolled_back) = (0usize, 0);
        run(&mut self.world, END, dt, |w| {
            steps += 1;
            most = most.max(energy(w));
            pull = pull.max(pulling::between_softs(w));
            if let Some((object, towards)) = touched {
                pull = pull.max(pulling::on_object(w, object, towards));
            }
            drift = drift.max((momentum(w, &softs, &moving).linear - start.1.linear).length());
            rolled_back += u32::from(w.report().flags.rolled_back);
            if w.report().skin_contacts + w.report().soft_contacts > 0 {
                (hits, touching) = (hits + 1, steps);
            }
        });
        verdict.check(hits > 0, || of("they never touch"));
        verdict.check(rolled_back == 0, || of(&format!("{rolled_back} steps were rolled back")));
        verdict.check(pull <= NO_PULL, || of(&format!("a contact pulls with {pull:.3e} N")));
        let gain = most / start.0 - 1.0;
        verdict.check(gain < 1e-3, || of(&format!("the energy grows by {:.2} %", 100.0 * gain)));
        if self.free {
            verdict.check(drift < 1e-9 * scale, || of(&format!("momentum changes by {:.1e} of it", drift / scale)));
            // the same bodies, turning and trembling as the blow left them, for as long without one
            let hit = momentum(&self.world, &softs, &moving).angular;
            run(&mut self.world, touching as f64 * dt, dt, |_| {});
            let alone = momentum(&self.world, &softs, &moving).angular - hit;
            let moment = (hit - start.1.angular).length();
            let size = scale * CUBE.x;
            let text = format!(
                "angular momentum changes by {:.2} % with contact, {:.2} % in {touching} steps without",
                100.0 * moment / size,
                100.0 * alone.length() / size
            );
            eprintln!("{}", of(&text));
        }
    }
}

fn judge(impact: impl Fn(ContactMethod, f64) -> Impact, method: ContactMethod) {
    let mut verdict = Verdict::default();
    for dt in DTS {
        for speed in SPEEDS {
            impact(method, speed).judge(method, speed, dt, &mut verdict);
        }
    }
    verdict.give();
}

macro_rules! under_each_method {
    ($($name:ident: $impact:expr;)*) => {$(
        mod $name {
            use super::*;

            #[test]
            fn under_springs() {
                judge($impact, ContactMethod::Penalty);
            }

            #[test]
            fn under_points() {
                judge($impact, ContactMethod::Point);
            }

            #[test]
            fn under_patches() {
                judge($impact, ContactMethod::Aggregate);
            }
        }
    )*};
}

under_each_method! {
    a_ball_on_a_soft_cube_neither_pulls_nor_gains: |method, speed| ball_on_cube(method, speed, 0.5);
    a_slippery_ball_on_a_soft_cube_neither_pulls_nor_gains: |method, speed| ball_on_cube(method, speed, 0.0);
    a_soft_cube_on_a_plane_neither_pulls_nor_gains: cube_on_plane;
    two_soft_cubes_neither_pull_nor_gain: cube_on_cube;
    a_ball_on_a_soft_cube_that_lies_neither_pulls_nor_gains: ball_on_lying_cube;
    a_soft_cube_that_falls_on_a_plane_neither_pulls_nor_gains: cube_falls_on_plane;
}
