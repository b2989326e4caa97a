//! Limits in the step's own matrix: Newton's method on an augmented Lagrangian [Nocedal & Wright §17.3].
//!
//! An element's limits touch its four nodes, which the pattern of the matrix couples anyway. So instead of carrying rows through a
//! factor, each active limit joins the matrix as a stiff term with a multiplier, and the matrix is factored anew. With `κ` the
//! stiffness and `λ` the multiplier of a limit (negative against squeezing, positive against stretching) an element has the energy
//! ```text
//! ψ(F) = Σ_i (1/2κ) min(0, λ_i + κ (σ_i − s_min))² + (1/2κ) max(0, λ_i + κ (σ_i − s_max))²
//! ```
//! with the gradient `g_i = ∂ψ/∂σ_i` along `p_i q_iᵀ`. It depends on stretches alone, so its Hessian over `F` has known axes (Smith,
//! De Goes & Kim 2019): the three stretches with `κ` where `g_i ≠ 0`, and for each pair
//! ```text
//! (p_i q_jᵀ + p_j q_iᵀ)/√2  with  (g_i − g_j)/(σ_i − σ_j),     (p_i q_jᵀ − p_j q_iᵀ)/√2  with  (g_i + g_j)/(σ_i + σ_j)
//! ```
//! of which what is negative is left out and what exceeds `κ` is cut. The first of the pairs is what keeps two stretches at the same
//! limit from being turned into each other, which rows `dσ_i` alone do not see.
//!
//! After each solve the multipliers become the forces that acted, `λ ← g + κ dσ`, those that would pull are dropped, and everything is
//! linearised where the solve ended. Stress is carried over as a tensor, so that it matters to nobody which of two equal stretches comes
//! first. Multipliers outlive the step: a hand that stays closed begins each step with the forces that hold it, and needs no more
//! factorisations than without limits.

use super::stretch::Stretch;
use crate::body::StretchElement;
use crate::energy::problem::SoftProblem;
use crate::math::{Mat3, Vec3};
use crate::sparse::Slot;

/// Stiffness of an active limit over that of its element.
const STIFFER: f64 = 300.0;

/// Stretches closer than this are one.
const ALIKE: f64 = 1e-9;

/// Axes of an element's Hessian: three stretches, and two for each of three pairs.
const AXES: usize = 9;

/// An element that the matrix holds terms for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    /// The element.
    pub tet: u32,
    /// Where it is linearised.
    at: Mat3,
    /// That minus where it starts.
    moved: Mat3,
    now: Mat3,
    rest: Mat3,
    /// Which limits are on: against squeezing and against stretching.
    on: [[bool; 3]; 2],
    /// `g`, J.
    gradient: [f64; 3],
    /// Second derivative along each axis, J.
    stiffness: [f64; AXES],
}

/// Pairs of stretches.
const PAIRS: [(usize, usize); 3] = [(0, 1), (0, 2), (1, 2)];

impl Held {
    /// Terms of an element that starts at `start`, linearised at `at`, which has these stretches; `None` if none is active.
    pub fn new(
        tet: u32,
        element: &StretchElement,
        start: &Mat3,
        at: &Mat3,
        stretch: &Stretch,
        holding: [f64; 3],
        kept: &[[bool; 3]; 2],
    ) -> Option<Held> {
        let kappa = STIFFER * element.stiffness;
        let sigma = &stretch.sigma;
        let (mut on, mut gradient) = ([[false; 3]; 2], [0.0; 3]);
        for i in 0..3 {
            let low = holding[i].min(0.0) + kappa * (sigma[i] - element.limits.least);
            let high = holding[i].max(0.0) + kappa * (sigma[i] - element.limits.most);
            on[0][i] = low < 0.0 || kept[0][i];
            on[1][i] = !on[0][i] && (high > 0.0 || kept[1][i]);
            if on[0][i] {
                gradient[i] = low;
            } else if on[1][i] {
                gradient[i] = high;
            }
        }
        if on == [[false; 3]; 2] {
            return None;
        }
        let mut stiffness = [0.0; AXES];
        for i in 0..3 {
            stiffness[i] = if on[0][i] || on[1][i] { kappa } else { 0.0 };
        }
        for (k, (i, j)) in PAIRS.into_iter().enumerate() {
            let quotient = |over: f64, under: f64, same: f64| {
                if under.abs() < ALIKE { same } else { (over / under).clamp(0.0, kappa) }
            };
            let both = if stiffness[i] > 0.0 && stiffness[j] > 0.0 { kappa } else { 0.0 };
            stiffness[3 + 2 * k] = quotient(gradient[i] - gradient[j], sigma[i] - sigma[j], both);
            stiffness[4 + 2 * k] = quotient(gradient[i] + gradient[j], sigma[i] + sigma[j], 0.0);
        }
        let moved = *at - *start;
        Some(Held { tet, at: *at, moved, now: stretch.now, rest: stretch.rest, on, gradient, stiffness })
    }

    /// Number of limits that are on.
    pub fn count(&self) -> u32 {
        self.on.iter().flatten().filter(|on| **on).count() as u32
    }

    /// The strongest pull of its limits where the element ended, J: a limit only pushes.
    pub fn pull(&self, end: &Mat3) -> f64 {
        let along = self.along(&(*end - self.at));
        (0..3).map(|i| self.pulling(i, &along)).fold(0.0, f64::max)
    }

    /// With what a limit acts by the linear model, J.
    fn force(&self, i: usize, along: &[f64; AXES]) -> f64 {
        self.gradient[i] + self.stiffness[i] * along[i]
    }

    fn pulling(&self, i: usize, along: &[f64; AXES]) -> f64 {
        let sign = if self.on[0][i] { 1.0 } else { -1.0 };
        if self.on[0][i] || self.on[1][i] { (sign * self.force(i, along)).max(0.0) } else { 0.0 }
    }

    /// The stress that acts where the element ended, `∂ψ/∂F` by the linear model, without what pulls; and which limits stay on along the
    /// stretches there though they pull, if `keep`.
    pub fn acting(&self, end: &Mat3, stretch: &Stretch, keep: bool) -> (Mat3, [[bool; 3]; 2]) {
        let along = self.along(&(*end - self.at));
        let (mut stress, mut kept) = (Mat3::ZERO, [[false; 3]; 2]);
        for i in (0..3).filter(|&i| self.on[0][i] || self.on[1][i]) {
            let pull = self.pulling(i, &along);
            if pull == 0.0 {
                stress += outer(self.now.col(i) * self.force(i, &along), self.rest.col(i));
            } else if keep {
                let overlap = |j: &usize| self.rest.col(i).dot(stretch.rest.col(*j)).abs();
                let same = (0..3).max_by(|a, b| overlap(a).total_cmp(&overlap(b))).unwrap_or(i);
                kept[usize::from(self.on[1][i])][same] = true;
            }
        }
        // what keeps two stretches at a limit from being turned into each other belongs to the forces of both
        for (k, (i, j)) in PAIRS.into_iter().enumerate() {
            let axis = 3 + 2 * k;
            if self.stiffness[i] > 0.0 && self.stiffness[j] > 0.0 {
                let share = self.stiffness[axis] * along[axis] * std::f64::consts::FRAC_1_SQRT_2;
                stress += outer(self.now.col(i) * share, self.rest.col(j));
                stress += outer(self.now.col(j) * share, self.rest.col(i));
            }
        }
        (stress, kept)
    }

    /// Adds the terms to the matrix and to the right-hand side, or takes them away (`sign` −1).
    pub fn append(
        &self,
        element: &StretchElement,
        slots: &[Slot; 10],
        problem: &mut SoftProblem,
        dt: f64,
        sign: f64,
    ) {
        let gradients = element.gradients.map(|g| self.rest.transpose() * g);
        let along = self.along(&self.moved);
        for axis in (0..AXES).filter(|&axis| self.stiffness[axis] > 0.0) {
            let arms = gradients.map(|g| self.arm(axis, g));
            let force = self.stiffness[axis] * along[axis] - if axis < 3 { self.gradient[axis] } else { 0.0 };
            let stiffness = sign * dt * dt * self.stiffness[axis];
            let mut slot = slots.iter();
            for a in 0..4 {
                problem.rhs[element.nodes[a] as usize] += arms[a] * (sign * dt * force);
                for b in a..4 {
                    if let Some(&slot) = slot.next() {
                        problem.matrix.add_outer(slot, stiffness, arms[a], arms[b]);
                    }
                }
            }
        }
    }

    /// What a node moves an axis by, for the gradient of its shape function along the stretches.
    #[inline]
    fn arm(&self, axis: usize, gradient: Vec3) -> Vec3 {
        if axis < 3 {
            return self.now.col(axis) * gradient[axis];
        }
        let (i, j) = PAIRS[(axis - 3) / 2];
        let sign = if axis % 2 == 1 { 1.0 } else { -1.0 };
        (self.now.col(i) * gradient[j] + self.now.col(j) * (sign * gradient[i])) * std::f64::consts::FRAC_1_SQRT_2
    }

    /// A change of the deformation gradient along all axes.
    fn along(&self, change: &Mat3) -> [f64; AXES] {
        let local = self.now.transpose() * *change * self.rest;
        let entry = |i: usize, j: usize| local.col(j)[i];
        std::array::from_fn(|axis| {
            if axis < 3 {
                return entry(axis, axis);
            }
            let (i, j) = PAIRS[(axis - 3) / 2];
            let sign = if axis % 2 == 1 { 1.0 } else { -1.0 };
            (entry(i, j) + sign * entry(j, i)) * std::f64::consts::FRAC_1_SQRT_2
        })
    }
}

/// `a bᵀ`.
fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_cols(a * b.x, a * b.y, a * b.z)
}
