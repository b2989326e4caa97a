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
//! A limit of the volume `J = σ₁ σ₂ σ₃` adds `(1/2κ) min(0, λ_J + κ (J − J_min))²` with the gradient `g_J`. Along the stretches it is
//! `g_J c` with `c_i = ∂J/∂σ_i`, which joins `g` in the quotients of the pairs, and its Hessian there is `κ c cᵀ + g_J ∂c/∂σ`. For stretches
//! near each other, `σ̄` on average, `g_J ∂c/∂σ` is `−g_J σ̄` across `c` and twice the opposite along it, where `κ |c|²` is far more: pressure resists
//! changes of shape. So `−g_J σ̄` joins the axes of the three stretches, and is taken from the axis along `c`.
//!
//! A solve goes as far as a line search on the same energy says (`search.rs`), and everything is linearised there. Where the
//! model and the energy agree at its end the multipliers become the forces that act, `λ ← g`; stress is carried over as a tensor, so that it matters to nobody which of two
//! equal stretches comes first. A step ends when no limit is broken and none pulls. Multipliers outlive it: a hand that stays closed begins each
//! step with the forces that hold it, and needs no more factorisations than without limits.

use super::stretch::Stretch;
use crate::body::StretchElement;
use crate::energy::problem::SoftProblem;
use crate::math::{Mat3, Vec3};
use crate::sparse::Slot;

/// Stiffness of an active limit over that of its element, at first.
pub(super) const STIFFER: f64 = 300.0;

/// Stretches closer than this are one.
const ALIKE: f64 = 1e-9;

/// Axes of an element's Hessian: three stretches, two for each of three pairs, and the volume.
const AXES: usize = 10;
const VOLUME: usize = 9;

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
    /// `g` of the stretches, J.
    gradient: [f64; 3],
    /// `g_J`, J, the length of `c`, and its direction.
    pressure: f64,
    steepness: f64,
    direction: [f64; 3],
    /// Second derivative along each axis, J.
    stiffness: [f64; AXES],
}

/// Share of a volume limit's stiffness that pressure may not take away.
const SOFTEST: f64 = 0.1;

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
        holding: [f64; 4],
        stiffer: f64,
    ) -> Option<Held> {
        let kappa = stiffer * element.stiffness;
        let sigma = &stretch.sigma;
        let [g0, g1, g2, pressure] = gradient(element, stretch, holding, stiffer);
        let gradient = [g0, g1, g2];
        if gradient == [0.0; 3] && pressure == 0.0 {
            return None;
        }
        let slopes = stretch.volume_by_stretch();
        let steepness = Vec3::from_array(slopes).length();
        let direction = if steepness > 0.0 { slopes.map(|c| c / steepness) } else { [0.0; 3] };
        let total: [f64; 3] = std::array::from_fn(|i| gradient[i] + pressure * slopes[i]);
        let shape = -pressure * (sigma[0] + sigma[1] + sigma[2]).max(0.0) / 3.0;
        let mut stiffness = [0.0; AXES];
        for i in 0..3 {
            stiffness[i] = shape + if gradient[i] == 0.0 { 0.0 } else { kappa };
        }
        if pressure < 0.0 {
            let own = kappa * steepness * steepness;
            stiffness[VOLUME] = (own - shape).max(SOFTEST * own);
        }
        for (k, (i, j)) in PAIRS.into_iter().enumerate() {
            let quotient = |over: f64, under: f64, same: f64| {
                if under.abs() < ALIKE { same } else { (over / under).clamp(0.0, kappa) }
            };
            let both = if gradient[i] != 0.0 && gradient[j] != 0.0 { kappa } else { shape };
            stiffness[3 + 2 * k] = quotient(total[i] - total[j], sigma[i] - sigma[j], both);
            stiffness[4 + 2 * k] = quotient(total[i] + total[j], sigma[i] + sigma[j], 0.0);
        }
        let (moved, now, rest) = (*at - *start, stretch.now, stretch.rest);
        Some(Held { tet, at: *at, moved, now, rest, gradient, pressure, steepness, direction, stiffness })
    }

    /// Number of limits that are on.
    pub fn count(&self) -> u32 {
        (self.gradient.iter().filter(|g| **g != 0.0).count() + usize::from(self.pressure != 0.0)) as u32
    }

    /// The strongest pull of its limits where the element ended, J: a limit only pushes.
    pub fn pull(&self, end: &Mat3) -> f64 {
        let along = self.along(&(*end - self.at));
        let pull = |i: usize| match self.gradient[i] + self.stiffness[i] * along[i] {
            acting if acting * self.gradient[i] < 0.0 => acting.abs(),
            _ => 0.0,
        };
        (0..3).map(pull).fold(self.acting_volume(&along).max(0.0), f64::max)
    }

    /// `g_J` by the linear model, J.
    fn acting_volume(&self, along: &[f64; AXES]) -> f64 {
        if self.pressure == 0.0 || self.steepness == 0.0 {
            return 0.0;
        }
        self.pressure + self.stiffness[VOLUME] * along[VOLUME] / self.steepness
    }

    /// What holds stretches and volume by the linear model where the element ended, with these stretches there, J.
    pub fn holding(&self, end: &Mat3, stretch: &Stretch) -> [f64; 4] {
        let along = self.along(&(*end - self.at));
        // the stretches' own part is what is left without the volume's
        let mut bare = Held { pressure: 0.0, ..*self };
        bare.stiffness[VOLUME] = 0.0;
        for i in 0..3 {
            bare.stiffness[i] = if self.gradient[i] == 0.0 { 0.0 } else { self.stiffness[i] };
        }
        let [a, b, c] = stretch.along(&bare.model(&along));
        [a, b, c, self.acting_volume(&along).min(0.0)]
    }

    /// `∂ψ/∂F` by the linear model where the element ended: the stress that the motion balances.
    pub fn acting(&self, end: &Mat3) -> Mat3 {
        self.model(&self.along(&(*end - self.at)))
    }

    fn model(&self, along: &[f64; AXES]) -> Mat3 {
        let mut local = [[0.0; 3]; 3];
        let volume = self.pressure * self.steepness + self.stiffness[VOLUME] * along[VOLUME];
        for i in 0..3 {
            local[i][i] = self.gradient[i] + self.stiffness[i] * along[i] + volume * self.direction[i];
        }
        for (k, (i, j)) in PAIRS.into_iter().enumerate() {
            for (axis, sign) in [(3 + 2 * k, 1.0), (4 + 2 * k, -1.0)] {
                let share = self.stiffness[axis] * along[axis] * std::f64::consts::FRAC_1_SQRT_2;
                local[j][i] += share;
                local[i][j] += sign * share;
            }
        }
        self.now * Mat3::from_cols_array_2d(&local) * self.rest.transpose()
    }

    /// Adds the terms to the matrix and to the right-hand side, or takes them away (`sign` −1).
    pub fn append(&self, element: &StretchElement, slots: &[Slot; 10], problem: &mut SoftProblem, dt: f64, sign: f64) {
        let gradients = element.gradients.map(|g| self.rest.transpose() * g);
        let along = self.along(&self.moved);
        for axis in (0..AXES).filter(|&axis| self.stiffness[axis] > 0.0) {
            let arms = gradients.map(|g| self.arm(axis, g));
            let gradient = match axis {
                VOLUME => self.pressure * self.steepness,
                axis => self.gradient.get(axis).copied().unwrap_or(0.0),
            };
            let force = self.stiffness[axis] * along[axis] - gradient;
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
        if axis == VOLUME {
            return self.now * (Vec3::from_array(self.direction) * gradient);
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
            if axis == VOLUME {
                return (0..3).map(|i| self.direction[i] * entry(i, i)).sum();
            }
            let (i, j) = PAIRS[(axis - 3) / 2];
            let sign = if axis % 2 == 1 { 1.0 } else { -1.0 };
            (entry(i, j) + sign * entry(j, i)) * std::f64::consts::FRAC_1_SQRT_2
        })
    }
}

/// `g` of an element's stretches and volume with these multipliers, J.
fn gradient(element: &StretchElement, stretch: &Stretch, holding: [f64; 4], stiffer: f64) -> [f64; 4] {
    let kappa = stiffer * element.stiffness;
    std::array::from_fn(|i| {
        if i == 3 {
            let limit = element.limits.volume;
            let low = holding[3].min(0.0) + kappa * (stretch.volume() - limit);
            return if limit > 0.0 { low.min(0.0) } else { 0.0 };
        }
        let low = holding[i].min(0.0) + kappa * (stretch.sigma[i] - element.limits.least);
        let high = holding[i].max(0.0) + kappa * (stretch.sigma[i] - element.limits.most);
        low.min(0.0) + high.max(0.0)
    })
}

/// What holds an element's stretches, as a stress, and its volume, J.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Multiplier {
    pub stress: Mat3,
    pub volume: f64,
}

impl Multiplier {
    pub const ZERO: Multiplier = Multiplier { stress: Mat3::ZERO, volume: 0.0 };

    /// Of an element with these stretches.
    pub fn new(stretch: &Stretch, holding: [f64; 4]) -> Multiplier {
        let [a, b, c, volume] = holding;
        Multiplier { stress: stretch.with([a, b, c]), volume }
    }

    /// Along these stretches.
    pub fn along(&self, stretch: &Stretch) -> [f64; 4] {
        let [a, b, c] = stretch.along(&self.stress);
        [a, b, c, self.volume]
    }

    /// The forces that act at these stretches, along them.
    pub fn acting(&self, element: &StretchElement, stretch: &Stretch, stiffer: f64) -> [f64; 4] {
        gradient(element, stretch, self.along(stretch), stiffer)
    }

    /// What it becomes: the forces that act at these stretches.
    pub fn updated(&self, element: &StretchElement, stretch: &Stretch, stiffer: f64) -> Multiplier {
        Multiplier::new(stretch, gradient(element, stretch, self.along(stretch), stiffer))
    }
}

/// `∂ψ/∂F` of an element with these stretches and multipliers.
pub(super) fn stress(element: &StretchElement, stretch: &Stretch, multiplier: &Multiplier, stiffer: f64) -> Mat3 {
    let [a, b, c, pressure] = gradient(element, stretch, multiplier.along(stretch), stiffer);
    let slopes = Vec3::from_array(stretch.volume_by_stretch());
    stretch.with((Vec3::new(a, b, c) + slopes * pressure).to_array())
}
