//! How far to go along a solve of the limits' linear model, and what the next one starts from.
//!
//! The energy of the step along the way from the last iterate `v₀` to what was solved, `v₁`, is
//! `φ(t) = ½ vᵀ A v − rᵀ v + Σ ψ(F)` with `v = v₀ + t (v₁ − v₀)`. Its slope needs no product with `A`: the solve balances `A v₁ − r` with the
//! stress `S₁` of the linear model, element by element, and so did the solves before (in between, the share of both), `A v₀ − r` with `S₀`. So
//! ```text
//! φ'(t) = Σ (∂ψ/∂F − (1 − t) S₀ − t S₁) : (F₁ − F₀)
//! ```
//! over the elements whose limits are on anywhere. Without the search, limits that are dropped because they pull come back because they are
//! needed, and so on for ever.

use super::limits::{BodyLimits, StrainInput};
use super::newton::{Held, Multiplier, stress};
use super::stretch::{Stretch, is_within};
use crate::body::SoftBody;
use crate::math::{Mat3, Vec3};

/// A way is good if at its end the slope is no steeper upwards than this share of the slope downwards at its start.
const GOOD: f64 = 0.2;

/// Trials of a way that is not.
const TRIALS: u32 = 4;

/// The linear model agrees with the energy if their stresses differ by no more than this share.
pub(super) const AGREES: f64 = 0.1;

/// And is exact, as far as factors of stiff matrices are, where they differ by this.
pub(super) const EXACT: f64 = 1e-6;

/// Share of the limits' energy that a whole way promises to gain, below which multipliers go on from where the way starts.
pub(super) const SETTLED: f64 = 1e-2;

/// The shortest share of a way: so little progress that the model is of no use beyond.
const SHORTEST: f64 = 0.02;

/// What becomes of multipliers and stiffness at the end of a way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Update {
    /// The stress there becomes that of the multipliers.
    pub multipliers: bool,
    /// Stiffness of limits over that of their elements so far, and from now on.
    pub before: f64,
    pub stiffer: f64,
}

/// An element on the way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    tet: u32,
    from: Mat3,
    to: Mat3,
    /// Stretches at both ends.
    ends: [Stretch; 2],
    /// `S₀` and `S₁`.
    balance: [Mat3; 2],
}

impl Way {
    /// The stretches at a share of it.
    fn stretch(&self, share: f64) -> Stretch {
        match share {
            0.0 => self.ends[0],
            1.0 => self.ends[1],
            share => Stretch::of(&(self.from + (self.to - self.from) * share)),
        }
    }
}

/// The sum of products of the entries.
pub(super) fn product(a: &Mat3, b: &Mat3) -> f64 {
    a.x_axis.dot(b.x_axis) + a.y_axis.dot(b.y_axis) + a.z_axis.dot(b.z_axis)
}

impl BodyLimits {
    /// Begins a step at rest at its start.
    pub fn begin_search(&mut self, body: usize, elements: &SoftBody, input: &StrainInput<'_>) {
        self.multipliers.fill(Multiplier::ZERO);
        self.balance.fill(Mat3::ZERO);
        self.at_stretch.fill(None);
        for (t, element) in elements.stretch.iter().enumerate() {
            self.at[t] = input.start(body, element);
        }
    }

    /// The elements whose limits are on at one end of the way to these velocities, by which they were just judged.
    pub fn find_way(&mut self, body: usize, elements: &SoftBody, input: &StrainInput<'_>, velocities: &[Vec3]) {
        self.way.clear();
        let mut held = self.held.iter().peekable();
        for (t, element) in elements.stretch.iter().enumerate() {
            let to = input.end(body, element, velocities);
            let own = held.next_if(|held| held.tet == t as u32);
            let idle = own.is_none() && self.balance[t] == Mat3::ZERO && self.multipliers[t] == Multiplier::ZERO;
            if idle && is_within(&to, &element.limits) {
                // it takes part in nothing, and goes along
                self.ends[t] = to;
                continue;
            }
            self.ends[t] = to;
            let acting = own.map_or(Mat3::ZERO, |own| own.acting(&to));
            let first = self.at_stretch[t].unwrap_or_else(|| Stretch::of(&self.at[t]));
            let last = self.end_stretch[t].unwrap_or_else(|| Stretch::of(&to));
            let (ends, balance) = ([first, last], [self.balance[t], acting]);
            self.way.push(Way { tet: t as u32, from: self.at[t], to, ends, balance });
        }
    }

    /// The slope of the energy at a share of the way.
    pub fn slope(&self, elements: &SoftBody, share: f64, stiffer: f64) -> f64 {
        let of = |way: &Way| {
            let element = &elements.stretch[way.tet as usize];
            let change = way.to - way.from;
            let pressed = stress(element, &way.stretch(share), &self.multipliers[way.tet as usize], stiffer);
            let balanced = way.balance[0] * (1.0 - share) + way.balance[1] * share;
            product(&(pressed - balanced), &change)
        };
        self.way.iter().map(of).sum()
    }

    /// The energy of limits at the start of the way, J.
    pub fn energy(&self, elements: &SoftBody, stiffer: f64) -> f64 {
        let of = |way: &Way| {
            let element = &elements.stretch[way.tet as usize];
            let acting = self.multipliers[way.tet as usize].acting(element, &way.ends[0], stiffer);
            acting.iter().map(|g| g * g).sum::<f64>() / (2.0 * stiffer * element.stiffness)
        };
        self.way.iter().map(of).sum()
    }

    /// How far the stresses of model and energy are apart at the end of the way, and how large they are: sums of squares.
    pub fn disagreement(&self, elements: &SoftBody, stiffer: f64) -> [f64; 2] {
        let mut sums = [0.0; 2];
        for way in &self.way {
            let t = way.tet as usize;
            let pressed = stress(&elements.stretch[t], &way.ends[1], &self.multipliers[t], stiffer);
            let apart = pressed - way.balance[1];
            sums[0] += product(&apart, &apart);
            sums[1] += product(&pressed, &pressed);
        }
        sums
    }

    /// Goes a share of the way: what should be in the matrix there.
    pub fn go(&mut self, body: usize, elements: &SoftBody, input: &StrainInput<'_>, share: f64, update: Update) {
        for (at, end) in self.at.iter_mut().zip(&self.ends) {
            *at += (*end - *at) * share;
        }
        self.next.clear();
        self.at_stretch.fill(None);
        for way in &self.way {
            let t = way.tet as usize;
            let element = &elements.stretch[t];
            self.balance[t] = way.balance[0] * (1.0 - share) + way.balance[1] * share;
            let stretch = way.stretch(share);
            self.at_stretch[t] = Some(stretch);
            if update.multipliers {
                self.multipliers[t] = self.multipliers[t].updated(element, &stretch, update.before);
            }
            let holding = self.multipliers[t].along(&stretch);
            let start = input.start(body, element);
            self.next.extend(Held::new(way.tet, element, &start, &self.at[t], &stretch, holding, update.stiffer));
        }
    }
}

/// How far to go, for a slope by share of the way.
pub(super) fn share(mut slope: impl FnMut(f64) -> f64) -> f64 {
    let (first, last) = (slope(0.0), slope(1.0));
    // contact may have moved what the limits did not expect; then any way is as good
    if first >= 0.0 || last <= GOOD * -first {
        return 1.0;
    }
    let (mut low, mut high) = ((0.0, first), (1.0, last));
    for trial in 0..TRIALS {
        let secant = low.0 - low.1 * (high.0 - low.0) / (high.1 - low.1);
        let middle = if trial % 2 == 0 { secant } else { 0.5 * (low.0 + high.0) };
        let found = slope(middle);
        if found.abs() <= GOOD * -first {
            return middle.max(SHORTEST);
        }
        if found < 0.0 {
            low = (middle, found);
        } else {
            high = (middle, found);
        }
    }
    low.0.max(SHORTEST)
}

/// To such a share, by sums of squares.
pub(super) fn agrees(sums: [f64; 2], share: f64) -> bool {
    sums[0] <= share * share * sums[1]
}
