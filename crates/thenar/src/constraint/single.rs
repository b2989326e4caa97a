//! Laws of one row.

use super::law::{Law, Local, MOST_ROWS};
use super::{PatchPoint, Tangent};

/// `0 ≤ u ⟂ λ ≥ 0`: a stop, a stretch that may not grow, a contact without friction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Unilateral;

/// `u = 0` whatever force that takes: a weld, a hinge. With a compliance it is a spring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Bilateral;

impl Law for Unilateral {
    fn rows(&self) -> usize {
        1
    }
    fn solve(&self, local: &Local<'_>, lambda: &mut [f64; MOST_ROWS], _: &mut [f64; MOST_ROWS]) {
        lambda[0] = (-local.free[0] / local.own[0][0]).max(0.0);
    }
    fn admit(&self, lambda: &mut [f64]) {
        lambda[0] = lambda[0].max(0.0);
    }
}

impl Law for Bilateral {
    fn rows(&self) -> usize {
        1
    }
    fn solve(&self, local: &Local<'_>, lambda: &mut [f64; MOST_ROWS], _: &mut [f64; MOST_ROWS]) {
        lambda[0] = -local.free[0] / local.own[0][0];
    }
    fn tangent(&self, _: &[f64], _: &[f64], _: &[PatchPoint]) -> Tangent {
        Tangent::stick()
    }
    fn admit(&self, _: &mut [f64]) {}
}
