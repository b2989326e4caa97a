//! A contact method joins from outside: it says by which law a contact is answered; detection, memory and solver stay as
//! they are.

mod touching;

use std::sync::Arc;

use thenar::constraint::{AnyLaw, Law, Local, Unilateral};
use thenar::contact::{Answer, ContactMethod, Method, Pair};
use thenar::math::Vec3;
use thenar::world::World;
use touching::{FRICTION, G, Soft, block, plane, run, slope, soft, world};

const DT: f64 = 1.0 / 250.0;

/// Ice: nothing but the normal.
#[derive(Debug)]
struct Ice;

impl Method for Ice {
    fn answer(&self, _: &Pair) -> Answer {
        Answer { law: AnyLaw::Unilateral(Unilateral), compliance: [0.0; 3] }
    }
}

/// Glue: holds in every direction, up to a pressure, Pa.
#[derive(Debug)]
struct Glue(f64);

impl Method for Glue {
    fn answer(&self, pair: &Pair) -> Answer {
        Answer { law: AnyLaw::Other(Arc::new(Held { most: self.0 * pair.contact.area })), compliance: [0.0; 3] }
    }
}

/// Presses as it has to; pulls, and holds to both sides, with so many newtons at most.
#[derive(Debug)]
struct Held {
    most: f64,
}

impl Law for Held {
    fn rows(&self) -> usize {
        3
    }
    fn solve(&self, local: &Local<'_>, lambda: &mut [f64; 4], _: &mut [f64; 4]) {
        // one row after the other: the sweeps bring them together
        for k in 0..3 {
            let others: f64 = (0..3).filter(|&j| j != k).map(|j| local.own[k][j] * lambda[j]).sum();
            lambda[k] = (-(local.free[k] + others) / local.own[k][k]).max(-self.most);
            if k > 0 {
                lambda[k] = lambda[k].min(self.most);
            }
        }
    }
    fn admit(&self, lambda: &mut [f64]) {
        lambda[0] = lambda[0].max(-self.most);
        lambda[1..].iter_mut().for_each(|l| *l = l.clamp(-self.most, self.most));
    }
}

/// A soft block on a plane of that slope, degrees, whose contacts are answered by `method`.
fn on_slope(degrees: f64, method: Arc<dyn Method>) -> (World, Soft) {
    let mut world = world(ContactMethod::Outside, slope(degrees));
    world.set_method(method);
    plane(&mut world, FRICTION);
    let block = soft(&mut world, "block", block([6, 2, 6], Vec3::new(0.06, 0.02, 0.06), Vec3::Y * 0.01));
    (world, block)
}

#[test]
fn a_block_slides_on_ice_as_if_nothing_held_it() {
    let (mut world, block) = on_slope(5.0, Arc::new(Ice));
    run(&mut world, 0.2, DT, |_| {});
    let before = block.velocity(&world);
    run(&mut world, 0.2, DT, |_| {});
    let a = (block.velocity(&world).x - before.x) / 0.2;
    let expected = G * libm::sin(5f64.to_radians());
    assert!((a - expected).abs() < 0.02 * expected, "{a} m/s², {expected} expected");
    assert!(world.report().depth < 5e-5, "{} m inside", world.report().depth);
}

#[test]
fn glue_holds_a_block_on_a_steep_slope_as_long_as_it_bears_its_weight() {
    // the block weighs 0.7 N on 36 cm²: 200 Pa, of which 170 Pa pull along the slope
    let slid = |glue: f64| {
        let (mut world, block) = on_slope(60.0, Arc::new(Glue(glue)));
        let before = block.centre(&world);
        run(&mut world, 0.5, DT, |_| {});
        block.centre(&world).x - before.x
    };
    let (held, lost) = (slid(2000.0), slid(20.0));
    assert!(held.abs() < 2e-3, "it moved by {held} m");
    assert!(lost > 0.1, "it hangs on, {lost} m away");
}
