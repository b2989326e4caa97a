//! A hand slapped on a table: nothing pulls, and every method feels the same blow.

mod hands;
mod touching;

use hands::{Posture, model};
use thenar::contact::ContactMethod;
use thenar::geometry::distance::Shape;
use thenar::math::{Pose, Quat, Vec3};
use thenar::world::{HandId, World};
use touching::pulling::{self, NO_PULL};
use touching::verdict::Verdict;
use touching::{METHODS, config, fixed, slope};

const DTS: [f64; 2] = [1.0 / 250.0, 1e-3];

/// Lowest skin above the table at the start, and below it where the tracked hand ends, metres.
const ABOVE: f64 = 0.03;
const INTO: f64 = 0.03;
/// A jump of a tracker comes from higher up, yet not from so far that a free hand is put on its target at once, metres.
const JUMP: f64 = 0.2;
/// Added to the height: a blow must not depend on where in a step of 4 ms the hand meets the table.
const PHASES: [f64; 4] = [0.0, 1e-3, 2e-3, 3e-3];
/// Held until here, seconds.
const END: f64 = 0.3;
/// Forces are means over this, seconds: a touch that is shorter feels like this one.
const WINDOW: f64 = 0.01;

/// A hand over a table whose top is at y = 0.
struct Slap {
    world: World,
    hand: HandId,
    tilt: Quat,
    above: f64,
    lowest: f64,
    dt: f64,
}

/// What a slap was like.
struct Blow {
    /// Strongest pull of a contact, N.
    pull: f64,
    /// Largest share of contacts that pull in one step.
    pulling: f64,
    /// Largest mean of the total normal force, N.
    force: f64,
    /// Normal force in the end, N.
    held: f64,
    /// Lowest skin in the end, metres.
    lowest: f64,
    touched: usize,
}

impl Slap {
    /// Fingers point down by `tilt`, rad.
    fn new(method: ContactMethod, table: Shape, tilt: f64, above: f64, dt: f64) -> Slap {
        let mut world = World::new(config(method, slope(0.0))).unwrap();
        let hand = world.add_hand(model()).unwrap();
        let depth = if let Shape::Box { half } = &table { half.y } else { 0.0 };
        fixed(&mut world, "table", table, Pose::new(-Vec3::Y * depth, Quat::IDENTITY), 0.5);
        let tilt = Quat::from_rotation_x(-tilt);
        let lowest = model().skin.mesh.positions.iter().map(|p| (tilt * *p).y).fold(f64::INFINITY, f64::min);
        Slap { world, hand, tilt, above, lowest, dt }
    }

    /// Down with that speed, and held.
    fn strike(&mut self, speed: f64) -> Blow {
        let mut blow = Blow { pull: 0.0, pulling: 0.0, force: 0.0, held: 0.0, lowest: 0.0, touched: 0 };
        let mut impulses = vec![0.0];
        for step in 1..=(END / self.dt).round() as usize {
            let down = (speed * (step - 1) as f64 * self.dt).min(self.above + INTO);
            let wrist = Pose::new(Vec3::Y * (self.above - self.lowest - down), self.tilt);
            self.world.track(self.hand, &Posture::REST.frame(model(), wrist)).unwrap();
            self.world.step(self.dt).unwrap();
            let (pull, share) = pulling::on_skin(&self.world, self.hand);
            blow.pull = blow.pull.max(pull);
            blow.pulling = blow.pulling.max(share);
            let out = self.world.hand(self.hand);
            blow.touched = blow.touched.max(out.contacts.len());
            blow.held = out.grip.iter().sum::<f64>() + out.palm_force;
            impulses.push(impulses[step - 1] + blow.held * self.dt);
        }
        blow.force = strongest_mean(&impulses, self.dt);
        let skin = &self.world.hand(self.hand).skin_positions;
        blow.lowest = skin.iter().map(|p| f64::from(p[1])).fold(f64::INFINITY, f64::min);
        blow
    }
}

/// The largest mean force over [`WINDOW`] from the impulse up to the end of each step, which grows evenly within a step.
fn strongest_mean(impulses: &[f64], dt: f64) -> f64 {
    let up_to = |steps: f64| {
        let whole = steps.max(0.0) as usize;
        let next = impulses.get(whole + 1).copied().unwrap_or(impulses[whole]);
        impulses[whole] + (next - impulses[whole]) * (steps.max(0.0) - whole as f64)
    };
    let means = (1..impulses.len()).map(|end| (impulses[end] - up_to(end as f64 - WINDOW / dt)) / WINDOW);
    means.fold(0.0, f64::max)
}

#[test]
fn the_mean_over_a_window_weighs_parts_of_steps() {
    // 100 N for one step of 4 ms: 0.4 Ns in 10 ms
    let impulses = [0.0, 0.0, 0.4, 0.4, 0.4, 0.4];
    assert!((strongest_mean(&impulses, 0.004) - 40.0).abs() < 1e-9);
}

#[test]
fn no_contact_of_a_slap_pulls() {
    let mut verdict = Verdict::default();
    for dt in DTS {
        for method in METHODS {
            let blow = Slap::new(method, Shape::Plane, 0.0, ABOVE, dt).strike(1.0);
            verdict.check(blow.touched > 4, || format!("{method:?}, {dt} s: {} contacts", blow.touched));
            verdict.check(blow.pull <= NO_PULL, || {
                format!(
                    "{method:?}, {dt} s: {:.0} % of the contacts pull, with {:.3} N",
                    100.0 * blow.pulling,
                    blow.pull
                )
            });
        }
    }
    verdict.give();
}

/// Within a factor of two of each other.
fn alike(forces: [f64; 3]) -> bool {
    let (least, most) = (forces.into_iter().fold(f64::INFINITY, f64::min), forces.into_iter().fold(0.0, f64::max));
    least > 1.0 && most < 2.0 * least
}

#[test]
fn every_method_feels_the_same_blow() {
    let mut verdict = Verdict::default();
    for dt in DTS {
        for phase in PHASES {
            let blows = METHODS.map(|method| Slap::new(method, Shape::Plane, 0.0, ABOVE + phase, dt).strike(1.0));
            let (forces, held) = (blows.each_ref().map(|blow| blow.force), blows.each_ref().map(|blow| blow.held));
            verdict.check(alike(forces), || {
                format!("{dt} s, {phase} m higher: {forces:.1?} N in 10 ms under {METHODS:?}, {held:.1?} N in the end")
            });
        }
    }
    verdict.give();
}

#[test]
fn a_jump_of_the_tracker_into_a_table_is_the_same_blow_under_every_method() {
    let mut verdict = Verdict::default();
    let half = Vec3::new(0.3, 0.02, 0.3);
    for dt in DTS {
        for tilt in [0.0, 0.4] {
            // the target is there in the second step; the hand is as fast as the cap of tracking lets it be
            let blows = METHODS.map(|method| Slap::new(method, Shape::Box { half }, tilt, JUMP, dt).strike(1e3));
            let (forces, pulls) = (blows.each_ref().map(|blow| blow.force), blows.each_ref().map(|blow| blow.pull));
            let lowest = blows.iter().map(|blow| blow.lowest).fold(f64::INFINITY, f64::min);
            verdict.check(alike(forces) && pulls.iter().all(|&p| p <= NO_PULL), || {
                format!(
                    "{dt} s, tilted by {tilt}: {forces:.1?} N in 10 ms and pulls of {pulls:.1?} N under {METHODS:?}"
                )
            });
            // springs give way by a millimetre or two; below the middle of the table nothing leads up again
            verdict.check(lowest > -5e-3, || format!("{dt} s, tilted by {tilt}: skin is {lowest} m below the top"));
        }
    }
    verdict.give();
}
