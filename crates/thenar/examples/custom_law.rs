//! A law of one's own: ropes over a brake that slips. The solver of constraints runs it as it runs contact and friction.
//!
//! `cargo run --release -p thenar --example custom_law`
#![allow(clippy::disallowed_macros)] // An example may print; the engine does not.

use std::sync::Arc;
use thenar::constraint::{AnyLaw, Compliance, ConstraintSet, Law, Local, RowObject, System};
use thenar::energy::problem::{BorderProblem, BorderSystem, BorderTerms};
use thenar::math::{Mat3, Vec3};
use thenar::solve::direct;

const DT: f64 = 0.01;
const G: f64 = 9.81;
/// Weights on the ropes, kg.
const LOADS: [f64; 2] = [0.3, 0.5];

/// Holds its row still, never pushes, and slips when that would take more than `limit` newtons.
#[derive(Debug)]
struct Brake {
    limit: f64,
}

impl Law for Brake {
    fn rows(&self) -> usize {
        1
    }
    fn solve(&self, local: &Local<'_>, lambda: &mut [f64; 4], _warm: &mut [f64; 4]) {
        // what brings the displacement `free + own λ` to zero, as far as it is admissible
        lambda[0] = (-local.free[0] / local.own[0][0]).clamp(0.0, self.limit);
    }
    fn admit(&self, lambda: &mut [f64]) {
        lambda[0] = lambda[0].clamp(0.0, self.limit);
    }
}

/// The weights do not touch each other.
struct Apart;

impl BorderTerms for Apart {
    fn append(&self, _border: &mut BorderSystem) {}
    fn reconsider(&mut self, _border: &BorderProblem) -> bool {
        false
    }
}

/// Velocities of the two weights after one step from rest, and the forces in their ropes.
fn hang(limit: f64) -> Result<[(f64, f64); 2], Box<dyn std::error::Error>> {
    // The equations of the step: (mass) v' = mass v + h weight, two blocks of three for each body.
    let mut border = BorderProblem::default();
    border.resize(LOADS.len());
    for (i, mass) in LOADS.into_iter().enumerate() {
        border.assembled.add(2 * i, 2 * i, &Mat3::from_diagonal(Vec3::splat(mass)));
        border.assembled.add(2 * i + 1, 2 * i + 1, &Mat3::IDENTITY);
        border.assembled.add_rhs(2 * i, Vec3::NEG_Y * (mass * G * DT));
    }
    direct::solve(&mut [], &mut [], &mut border, &mut Apart)?;
    // One row for each rope: the height of its weight, which the brake would keep.
    let mut set = ConstraintSet::new();
    for index in 0..LOADS.len() as u32 {
        set.begin(AnyLaw::Other(Arc::new(Brake { limit })));
        set.row([], [Some(RowObject { index, linear: Vec3::Y, angular: Vec3::ZERO }), None], 0.0, 0.0, 0.0);
    }
    let mut compliance = Compliance::default();
    compliance.resize_border(border.size());
    compliance.reserve(LOADS.len(), &[]);
    compliance.solve(&mut set, DT, &mut System { problems: &mut [], factors: &mut [], border: &mut border });
    Ok([0, 1].map(|i| (border.motion(i).0.y, set.force(i as u32)[0])))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for (mass, (velocity, force)) in LOADS.iter().zip(hang(4.0)?) {
        println!("{mass} kg on a brake of 4 N: pulled by {force:.3} N, falls at {velocity:.4} m/s after {DT} s");
    }
    Ok(())
}

#[test]
fn the_brake_holds_the_light_weight_and_slips_under_the_heavy_one() {
    let [(still, held), (falling, slipping)] = hang(4.0).unwrap();
    assert!(still.abs() < 1e-9 && (held - LOADS[0] * G).abs() < 1e-6);
    assert!(slipping == 4.0 && (falling + (G - 4.0 / LOADS[1]) * DT).abs() < 1e-9);
}
