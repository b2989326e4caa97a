//! One suite that every spring energy must pass; adding an energy adds one test that calls it.

use super::spring::Spring;
use crate::math::{Mat3, Pose, Quat, Vec3, rotation_exp};

/// A stencil: points (one block each), then bodies (two blocks each).
#[derive(Clone, Debug)]
pub struct Stencil {
    pub points: Vec<Vec3>,
    pub bodies: Vec<Pose>,
}

/// What an energy claims about itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Claims {
    /// Moving everything it refers to leaves the value unchanged, so forces and torques balance.
    pub invariant: bool,
    /// The residual is zero at the stencil that was given as rest.
    pub rest: bool,
}

impl Stencil {
    fn blocks(&self) -> usize {
        self.points.len() + 2 * self.bodies.len()
    }

    fn moved(&self, block: usize, by: Vec3) -> Stencil {
        let mut s = self.clone();
        if block < s.points.len() {
            s.points[block] += by;
        } else {
            let k = block - s.points.len();
            let body = &mut s.bodies[k / 2];
            if k.is_multiple_of(2) {
                body.position += by;
            } else {
                body.rotation = rotation_exp(by) * body.rotation;
            }
        }
        s
    }

    /// Moves and turns everything about the origin.
    fn carried(&self, turn: Quat, shift: Vec3) -> Stencil {
        let rigid = Pose::new(shift, turn);
        Stencil {
            points: self.points.iter().map(|&p| rigid.point(p)).collect(),
            bodies: self.bodies.iter().map(|&b| rigid * b).collect(),
        }
    }

    /// A deterministic scatter of the rest stencil: away from rest, nothing aligned with an axis.
    pub fn disturbed(&self, seed: u64, amount: f64) -> Stencil {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
        };
        let mut vector = || Vec3::new(random(), random(), random()) * amount;
        let mut s = self.clone();
        for p in &mut s.points {
            *p += vector();
        }
        for b in &mut s.bodies {
            b.position += vector();
            b.rotation = (rotation_exp(vector() * 20.0) * b.rotation).normalize();
        }
        s
    }
}

/// Runs the suite on a disturbed copy of a rest stencil. `energy` returns `None` where it is inactive.
pub fn check<const N: usize>(
    name: &str,
    rest: &Stencil,
    amount: f64,
    claims: Claims,
    energy: impl Fn(&Stencil) -> Option<Spring<N>>,
) {
    assert_eq!(rest.blocks(), N, "{name}: stencil and spring disagree on the number of blocks");
    if claims.rest {
        let at_rest = energy(rest).map_or(0.0, |s| s.value());
        assert!(at_rest.abs() < 1e-20, "{name}: energy {at_rest} at rest");
    }
    let mut active = 0;
    for seed in 1..=8 {
        let stencil = rest.disturbed(seed, amount);
        let Some(spring) = energy(&stencil) else { continue };
        active += 1;
        gradient_matches_differences(name, &stencil, &spring, &energy);
        hessian_is_symmetric_and_semi_definite(name, seed, &spring);
        if claims.invariant {
            invariant_and_balanced(name, &stencil, &spring, &energy);
        }
    }
    assert!(active > 0, "{name}: never active in the suite");
}

fn gradient_matches_differences<const N: usize>(
    name: &str,
    stencil: &Stencil,
    spring: &Spring<N>,
    energy: &impl Fn(&Stencil) -> Option<Spring<N>>,
) {
    let step = 1e-6;
    let value = |s: &Stencil| energy(s).map_or(0.0, |s| s.value());
    let scale = (0..N).map(|b| spring.gradient(b).length()).fold(1e-12, f64::max);
    for block in 0..N {
        for axis in 0..3 {
            let by = Vec3::from_array(std::array::from_fn(|i| if i == axis { step } else { 0.0 }));
            let numeric = (value(&stencil.moved(block, by)) - value(&stencil.moved(block, -by))) / (2.0 * step);
            let exact = spring.gradient(block)[axis];
            // central differences: truncation ~ step², cancellation ~ 1e-16 / step relative to the value
            assert!(
                (numeric - exact).abs() < 1e-5 * scale + 1e-9 * spring.value() / step * 1e-6,
                "{name}: block {block} axis {axis}: gradient {exact}, differences {numeric}"
            );
        }
    }
}

fn hessian_is_symmetric_and_semi_definite<const N: usize>(name: &str, seed: u64, spring: &Spring<N>) {
    for a in 0..N {
        for b in 0..N {
            let gap: Mat3 = spring.hessian(a, b) - spring.hessian(b, a).transpose();
            let size = spring.hessian(a, b).to_cols_array().iter().fold(1.0, |m: f64, v| m.max(v.abs()));
            assert!(gap.to_cols_array().iter().all(|v| v.abs() < 1e-12 * size), "{name}: Hessian not symmetric");
        }
    }
    let probe = Stencil { points: vec![Vec3::ZERO; N], bodies: vec![] };
    for k in 0..16 {
        let u = probe.disturbed(seed * 100 + k, 1.0).points;
        let mut quadratic = 0.0;
        for a in 0..N {
            for b in 0..N {
                quadratic += u[a].dot(spring.hessian(a, b) * u[b]);
            }
        }
        assert!(quadratic > -1e-9, "{name}: Hessian has a negative direction ({quadratic})");
    }
}

fn invariant_and_balanced<const N: usize>(
    name: &str,
    stencil: &Stencil,
    spring: &Spring<N>,
    energy: &impl Fn(&Stencil) -> Option<Spring<N>>,
) {
    let carried = stencil.carried(rotation_exp(Vec3::new(0.7, -1.1, 0.4)), Vec3::new(0.2, -0.3, 0.5));
    let after = energy(&carried).map_or(0.0, |s| s.value());
    let value = spring.value();
    assert!((after - value).abs() < 1e-9 * value.abs() + 1e-15, "{name}: moving everything changes {value} to {after}");
    let (mut force, mut torque, mut size) = (Vec3::ZERO, Vec3::ZERO, 1e-12);
    for block in 0..N {
        let g = spring.gradient(block);
        size = f64::max(size, g.length());
        if block < stencil.points.len() {
            force += g;
            torque += stencil.points[block].cross(g);
        } else {
            let k = block - stencil.points.len();
            if k.is_multiple_of(2) {
                force += g;
                torque += stencil.bodies[k / 2].position.cross(g);
            } else {
                torque += g;
            }
        }
    }
    assert!(force.length() < 1e-10 * size && torque.length() < 1e-10 * size, "{name}: forces do not balance");
}
