//! Both sides of a contact receive its force at one place, whatever touches: equal and opposite forces there turn nothing.

mod hands;
mod touching;

use hands::{DT, Posture, model};
use std::collections::BTreeMap;
use thenar::collide::{Feature, Side};
use thenar::contact::ContactMethod;
use thenar::geometry::distance::Shape;
use thenar::math::{Pose, Quat, Vec3};
use thenar::world::{State, World};
use touching::motion::momentum;
use touching::verdict::Verdict;
use touching::{METHODS, WEIGHTLESS, block, config, free_box, plane, run, slope, soft, thrown, world};

/// Wrenches of the two sides cancel about one point to this share of the force times the size of a hand, 0.1 m.
const CANCEL: f64 = 1e-9;
const SIZE: f64 = 0.1;

/// Where a side carries its force, from the state at the start of the step.
fn place(world: &World, before: &State, side: &Side) -> Vec3 {
    match side {
        Side::Soft { .. } => world.place(side, |body| &before.softs[body].nodes),
        Side::Rigid { object, lever } => before.objects[*object as usize].pose.position + *lever,
    }
}

/// Contacts that pressed by kind, and the largest moment that a pair of forces left, over force and size.
#[derive(Default)]
struct Pairs {
    kinds: BTreeMap<&'static str, usize>,
    moment: f64,
}

impl Pairs {
    /// Takes a step and looks at all that pressed in it.
    fn step(&mut self, world: &mut World, dt: f64) {
        let before = world.state().clone();
        assert_eq!(world.step(dt).unwrap().parts, 1, "levers are those of the start of the step");
        for pair in world.contacts().iter().filter(|pair| pair.active) {
            let rigid = pair.contact.sides.iter().filter(|side| matches!(side, Side::Rigid { .. })).count();
            let kind = match (pair.contact.key.feature, rigid) {
                (_, 2) => "rigid on rigid",
                (_, 0) => "soft on soft",
                (Feature::Edge(_), _) => "an edge on skin",
                _ => "skin on an object",
            };
            *self.kinds.entry(kind).or_default() += 1;
            let [own, other] = pair.contact.sides.each_ref().map(|side| place(world, &before, side));
            let force = pair.force.length();
            if force > 0.0 {
                self.moment = self.moment.max((own - other).cross(pair.force).length() / (force * SIZE));
            }
        }
    }

    fn judge(&self, verdict: &mut Verdict, method: ContactMethod, kinds: &[&str]) {
        for kind in kinds {
            verdict.check(self.kinds.get(kind).is_some_and(|&n| n > 5), || format!("{method:?}: {:?}", self.kinds));
        }
        verdict.check(self.moment < CANCEL, || {
            format!("{method:?}: pairs of forces turn by {:.1e} of force times size; {:?}", self.moment, self.kinds)
        });
    }
}

#[test]
fn what_a_hand_presses_on_is_pressed_at_the_same_places() {
    let mut verdict = Verdict::default();
    for method in METHODS {
        let mut world = World::new(config(method, slope(0.0))).unwrap();
        let hand = world.add_hand(model()).unwrap();
        let top = -0.04;
        plane_below(&mut world, top - 0.12);
        // two boxes on each other; the edges of the upper one meet the palm
        free_box(&mut world, Vec3::new(0.03, 0.03, 0.03), 0.5, Vec3::new(0.0, top - 0.09, -0.075));
        free_box(&mut world, Vec3::new(0.012, 0.03, 0.012), 0.2, Vec3::new(0.0, top - 0.03, -0.075));
        let mut pairs = Pairs::default();
        for i in 0..120 {
            let down = 0.035 * (f64::from(i) / 80.0).min(1.0);
            let wrist = Pose::new(-Vec3::Y * down, Quat::from_rotation_x(0.05));
            world.track(hand, &Posture::REST.frame(model(), wrist)).unwrap();
            pairs.step(&mut world, DT);
        }
        pairs.judge(&mut verdict, method, &["skin on an object", "an edge on skin", "rigid on rigid"]);
    }
    verdict.give();
}

fn plane_below(world: &mut World, height: f64) {
    touching::fixed(world, "plane", Shape::Plane, Pose::new(Vec3::Y * height, Quat::IDENTITY), 0.5);
}

#[test]
fn soft_things_and_what_lies_on_them_are_pressed_at_the_same_places() {
    let mut verdict = Verdict::default();
    for method in METHODS {
        let mut world = world(method, slope(5.0));
        plane(&mut world, 0.5);
        let size = Vec3::new(0.06, 0.02, 0.06);
        soft(&mut world, "lower", block([6, 2, 6], size, Vec3::Y * 0.01));
        soft(&mut world, "upper", block([6, 2, 6], size, Vec3::new(0.004, 0.03, 0.003)));
        free_box(&mut world, Vec3::new(0.013, 0.01, 0.017), 0.3, Vec3::Y * 0.05);
        let mut pairs = Pairs::default();
        (0..60).for_each(|_| pairs.step(&mut world, DT));
        pairs.judge(&mut verdict, method, &["skin on an object", "an edge on skin", "soft on soft"]);
    }
    verdict.give();
}

/// Boxes have no tissue whose linearisation turns them: all that a blow does to angular momentum is the contacts' doing.
#[test]
fn boxes_that_hit_each_other_keep_their_momenta() {
    let mut verdict = Verdict::default();
    for method in METHODS {
        for dt in [1e-3, 1.0 / 250.0, 1.0 / 60.0] {
            let mut world = world(method, WEIGHTLESS);
            let half = Vec3::new(0.03, 0.02, 0.01);
            let turned = Quat::from_rotation_z(0.4) * Quat::from_rotation_x(0.7);
            let boxes = [
                (Vec3::new(-0.05, 0.0, 0.0), Quat::IDENTITY, Vec3::new(1.0, 0.0, 0.1), 0.2),
                (Vec3::new(0.05, 0.012, 0.006), turned, Vec3::new(-0.5, 0.0, 0.0), 0.1),
            ]
            .map(|(at, turn, velocity, mass)| {
                thrown(&mut world, "box", Shape::Box { half }, mass, Pose::new(at, turn), velocity, 0.5)
            });
            let start = momentum(&world, &[], &boxes);
            // what the bodies carry: a total may be zero
            let (linear, angular) = (0.2, 0.2 * SIZE);
            let (mut hits, mut drift) = (0, [0.0f64; 2]);
            run(&mut world, 0.3, dt, |w| {
                hits += w.report().object_contacts;
                let now = momentum(w, &[], &boxes);
                drift[0] = drift[0].max((now.linear - start.linear).length() / linear);
                drift[1] = drift[1].max((now.angular - start.angular).length() / angular);
            });
            verdict.check(hits > 0 && drift.iter().all(|d| *d < CANCEL), || {
                format!("{method:?}, {dt} s: {hits} contacts, momenta change by {drift:?} of what one box carries")
            });
        }
    }
    verdict.give();
}
