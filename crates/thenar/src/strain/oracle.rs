//! The optimum of a small problem, found slowly and surely: what the solvers are judged by.
//!
//! Uzawa's iteration: multipliers `λ ≥ 0` of all limits follow their violation in short steps and may shrink, and the motion is what they push,
//! `v = v_free + A⁻¹ h Σ λ ∂C/∂x`. Where it comes to rest the conditions of Karush, Kuhn and Tucker hold, and [`Optimum`] says how well they do.

use super::stretch::{Stretch, beyond};
use crate::body::SoftBody;
use crate::math::{Kernels, Vec3};
use crate::sparse::{BlockMatrix, Cholesky};
use std::sync::Arc;

/// Multipliers follow a violation by this share of their element's stiffness: less than what would let elements that hold each other overshoot.
const UZAWA: f64 = 0.01;

/// Rounds of the iteration: limits that hold are then met to a twenty-fifth of the tolerance of a step.
const UZAWA_ROUNDS: usize = 20_000;

/// Limits of an element: three stretches that may be too short, as many that may be too long, and the volume.
const LIMITS: usize = 7;

/// What the limits of one body ask of one step [Perez eq. 1].
#[derive(Clone)]
pub struct LimitProblem {
    /// Step length, s.
    pub dt: f64,
    /// The body.
    pub body: Arc<SoftBody>,
    /// Its nodes at the start of the step.
    pub start: Vec<Vec3>,
    /// `A`.
    pub matrix: BlockMatrix,
    /// Velocities without limits.
    pub free: Vec<Vec3>,
}

/// The best motion within the limits, and how well it is known.
#[derive(Clone, Debug)]
pub struct Optimum {
    /// Velocities of the nodes, m/s.
    pub velocities: Vec<Vec3>,
    /// What forces of limits leave of `A (v − v_free)`, as a share of it: 0 at an optimum.
    pub stationarity: f64,
    /// How far limits that hold something are from where they hold it, as a stretch: the greatest `λ |C|` over the greatest `λ`.
    pub complementarity: f64,
    /// How far the worst stretch is beyond its limit.
    pub violation: f64,
}

impl LimitProblem {
    /// `½ (v − v_free)ᵀ A (v − v_free)`, J.
    #[must_use]
    pub fn objective(&self, velocities: &[Vec3]) -> f64 {
        let away: Vec<f64> = self.away(velocities);
        0.5 * away.iter().zip(self.product(&away)).map(|(a, b)| a * b).sum::<f64>()
    }

    /// How far the worst stretch is beyond its limit, 0 within all.
    #[must_use]
    pub fn violation(&self, velocities: &[Vec3]) -> f64 {
        let of = |element| beyond(&self.deformation(element, velocities), &self.body.stretch[element].limits);
        (0..self.body.stretch.len()).map(of).fold(0.0, f64::max)
    }

    /// The optimum; `None` if the matrix has no factor.
    #[must_use]
    pub fn optimum(&self) -> Option<Optimum> {
        let symbolic = &self.body.symbolic;
        let mut cholesky = Cholesky::<f64>::new(symbolic, Kernels::portable());
        cholesky.factor(symbolic, &self.matrix).ok()?;
        let mut lambda = vec![[0.0; LIMITS]; self.body.stretch.len()];
        let mut velocities = self.free.clone();
        for _ in 0..UZAWA_ROUNDS {
            self.follow(&velocities, &mut lambda);
            let mut impulse = self.impulse(&velocities, &lambda);
            cholesky.solve(symbolic, &mut impulse);
            for ((v, free), dv) in velocities.iter_mut().zip(&self.free).zip(impulse.as_chunks::<3>().0) {
                *v = *free + Vec3::from_array(*dv);
            }
        }
        let asked = self.product(&self.away(&velocities));
        let given = self.impulse(&velocities, &lambda);
        let left = asked.iter().zip(&given).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        let whole = asked.iter().map(|a| a * a).sum::<f64>();
        let strongest = lambda.iter().flatten().fold(0.0, |most: f64, l| most.max(*l));
        let mut apart = 0.0f64;
        for (element, lambda) in lambda.iter().enumerate() {
            let rows = self.rows(element, &velocities);
            apart = rows.iter().zip(lambda).fold(apart, |most, ((value, _), l)| most.max(l * value.abs()));
        }
        let share = |part: f64, of: f64| if of > 0.0 { part / of } else { 0.0 };
        Some(Optimum {
            stationarity: share(left, whole).sqrt(),
            complementarity: share(apart, strongest),
            violation: self.violation(&velocities),
            velocities,
        })
    }

    fn away(&self, velocities: &[Vec3]) -> Vec<f64> {
        velocities.iter().zip(&self.free).flat_map(|(v, free)| (*v - *free).to_array()).collect()
    }

    fn product(&self, x: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; x.len()];
        self.matrix.mul(Kernels::portable(), &self.body.pattern, x, &mut product);
        product
    }

    fn deformation(&self, element: usize, velocities: &[Vec3]) -> crate::math::Mat3 {
        let at = |node: u32| self.start[node as usize] + velocities[node as usize] * self.dt;
        self.body.stretch[element].deformation(at)
    }

    /// `C` of all limits of an element at the end of the step, with its gradients.
    fn rows(&self, element: usize, velocities: &[Vec3]) -> [(f64, [Vec3; 4]); LIMITS] {
        let stretch = Stretch::of(&self.deformation(element, velocities));
        let element = &self.body.stretch[element];
        let limits = &element.limits;
        std::array::from_fn(|k| match k {
            0..3 => (stretch.sigma[k] - limits.least, stretch.gradient(k, element)),
            3..6 => (limits.most - stretch.sigma[k - 3], stretch.gradient(k - 3, element).map(|g| -g)),
            _ if limits.volume > 0.0 => (stretch.volume() - limits.volume, stretch.volume_gradient(element)),
            _ => (f64::MAX, [Vec3::ZERO; 4]),
        })
    }

    fn follow(&self, velocities: &[Vec3], lambda: &mut [[f64; LIMITS]]) {
        for (element, lambda) in lambda.iter_mut().enumerate() {
            let step = UZAWA * self.body.stretch[element].stiffness;
            for (lambda, (value, _)) in lambda.iter_mut().zip(self.rows(element, velocities)) {
                *lambda = (*lambda - step * value).max(0.0);
            }
        }
    }

    /// `h Σ λ ∂C/∂x`.
    fn impulse(&self, velocities: &[Vec3], lambda: &[[f64; LIMITS]]) -> Vec<f64> {
        let mut impulse = vec![0.0; 3 * velocities.len()];
        for (element, lambda) in lambda.iter().enumerate().filter(|(_, lambda)| **lambda != [0.0; LIMITS]) {
            for (lambda, (_, gradients)) in lambda.iter().zip(self.rows(element, velocities)) {
                for (node, gradient) in self.body.stretch[element].nodes.iter().zip(gradients) {
                    for k in 0..3 {
                        impulse[3 * *node as usize + k] += self.dt * lambda * gradient[k];
                    }
                }
            }
        }
        impulse
    }
}
