//! A law joins the solver of constraints from outside: rows, an admissible set, a local solve, and nothing else.

use std::sync::Arc;

use thenar::constraint::{AnyLaw, ConstraintSet, Coulomb, Law, Local, SweepParams, Sweeps, Unilateral};

/// Holds in both directions, but not with more than so many newtons: a magnet, a snap.
#[derive(Debug)]
struct Capped {
    most: f64,
}

impl Law for Capped {
    fn rows(&self) -> usize {
        1
    }
    fn solve(&self, local: &Local<'_>, lambda: &mut [f64; 4], _: &mut [f64; 4]) {
        lambda[0] = (-local.free[0] / local.own[0][0]).clamp(-self.most, self.most);
    }
    fn admit(&self, lambda: &mut [f64]) {
        lambda[0] = lambda[0].clamp(-self.most, self.most);
    }
}

/// Rows over nothing but a compliance that is given, in metres per newton.
fn solve(set: &mut ConstraintSet, free: &[f64], compliance: &[f64]) {
    set.free.extend_from_slice(free);
    let params = SweepParams { tolerance: 1e-12, max_sweeps: 1000 };
    let info = Sweeps::default().solve(compliance, free.len(), set, params);
    assert!(info.residual < 1e-12, "{info:?}");
}

fn rows(set: &mut ConstraintSet, law: AnyLaw, count: usize) -> u32 {
    let block = set.begin(law);
    (0..count).for_each(|_| set.row([], [None; 2], 0.0, 0.0, 0.0));
    block
}

#[test]
fn a_law_from_outside_is_solved_together_with_those_of_the_engine() {
    let mut set = ConstraintSet::new();
    let snap = rows(&mut set, AnyLaw::Other(Arc::new(Capped { most: 2.0 })), 1);
    let stop = rows(&mut set, AnyLaw::Unilateral(Unilateral), 1);
    let point = rows(&mut set, AnyLaw::Coulomb(Coulomb { friction: 0.5 }), 3);
    // all five yield by a tenth of a millimetre to a newton, and feel each other a little
    let compliance: Vec<f64> = (0..25).map(|k| if k % 6 == 0 { 1e-4 } else { 1e-5 }).collect();
    solve(&mut set, &[-1e-3, -2e-4, -3e-4, 1e-3, 0.0], &compliance);
    assert_eq!(set.force(snap), &[2.0], "it gives way at its cap");
    assert!(set.reached(snap)[0] < 0.0);
    assert!(set.force(stop)[0] > 0.0 && set.reached(stop)[0].abs() < 1e-9, "the stop holds beside it");
    let (force, slip) = (set.force(point), set.reached(point));
    assert!((libm::hypot(force[1], force[2]) - 0.5 * force[0]).abs() < 1e-9 && slip[1] > 0.0, "the point slides");
}

#[test]
fn a_law_from_outside_holds_as_long_as_it_can() {
    let mut set = ConstraintSet::new();
    let snap = rows(&mut set, AnyLaw::Other(Arc::new(Capped { most: 20.0 })), 1);
    solve(&mut set, &[-1e-3], &[1e-4]);
    assert!((set.force(snap)[0] - 10.0).abs() < 1e-9 && set.reached(snap)[0].abs() < 1e-12);
}
