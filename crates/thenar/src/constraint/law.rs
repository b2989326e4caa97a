//! The contract of a law: an admissible set of forces over a few rows, with its local solve.

use super::{Bilateral, Contensou, Coulomb, PatchPoint, Tangent, Unilateral};
use std::fmt::Debug;
use std::sync::Arc;

/// Rows that a law may join at most.
pub const MOST_ROWS: usize = 4;

/// One block of rows with its own forces taken off: what it would do without them, and how it yields to them.
///
/// Displacements at the end of the step are `u = free + own λ`.
#[derive(Clone, Copy, Debug)]
pub struct Local<'a> {
    /// Displacements without the block's own forces.
    pub free: [f64; MOST_ROWS],
    /// The block's own compliance, symmetric.
    pub own: [[f64; MOST_ROWS]; MOST_ROWS],
    /// How exact the displacements must be, in units of the rows.
    pub tolerance: f64,
    /// Pressure distributions of all patches; a patch's law knows which part is its own.
    pub points: &'a [PatchPoint],
}

impl Local<'_> {
    /// Displacement of row `k` under the forces `lambda`.
    #[must_use]
    pub fn displacement(&self, k: usize, lambda: &[f64; MOST_ROWS]) -> f64 {
        (0..MOST_ROWS).map(|j| self.own[k][j] * lambda[j]).sum::<f64>() + self.free[k]
    }
}

/// A law: which forces are admissible at which displacements.
pub trait Law: Debug + Send + Sync {
    /// Rows it joins, at most four.
    fn rows(&self) -> usize;

    /// Finds the admissible forces of the block with everything else as it is. `lambda` holds the last ones, and `warm`
    /// whatever the law left there in the sweep before (zero at first).
    fn solve(&self, local: &Local<'_>, lambda: &mut [f64; MOST_ROWS], warm: &mut [f64; MOST_ROWS]);

    /// What it says of small changes of the forces `lambda` and the displacements `reached` that it found, `points` being the pressure
    /// distributions of all patches. Unless a law knows better, what pushes stays where it is.
    fn tangent(&self, lambda: &[f64], reached: &[f64], points: &[PatchPoint]) -> Tangent {
        let _ = (reached, points);
        if lambda.iter().any(|force| *force != 0.0) { Tangent::stick() } else { Tangent::open() }
    }

    /// The law's derivative where it was met, for Newton's method: the tangent, unless that leaves something out.
    fn derivative(&self, lambda: &[f64], reached: &[f64], points: &[PatchPoint]) -> Tangent {
        self.tangent(lambda, reached, points)
    }

    /// Brings forces that were extrapolated back into the admissible set, roughly: the next sweep does it exactly.
    fn admit(&self, lambda: &mut [f64]);
}

/// The laws that the engine knows, and any other.
#[derive(Clone, Debug)]
pub enum AnyLaw {
    /// One row that pushes and never pulls.
    Unilateral(Unilateral),
    /// One row that holds in both directions.
    Bilateral(Bilateral),
    /// Signorini's law and Coulomb's cone at a point.
    Coulomb(Coulomb),
    /// The same for a patch, with torsion.
    Contensou(Contensou),
    /// Somebody else's.
    Other(Arc<dyn Law>),
    /// So many rows that are out of the step.
    Released(usize),
}

impl Law for usize {
    fn rows(&self) -> usize {
        *self
    }
    fn solve(&self, _: &Local<'_>, lambda: &mut [f64; MOST_ROWS], _: &mut [f64; MOST_ROWS]) {
        lambda.fill(0.0);
    }
    fn tangent(&self, _: &[f64], _: &[f64], _: &[PatchPoint]) -> Tangent {
        Tangent::open()
    }
    fn admit(&self, lambda: &mut [f64]) {
        lambda.fill(0.0);
    }
}

impl AnyLaw {
    /// The law behind the name.
    #[inline]
    #[must_use]
    pub fn law(&self) -> &dyn Law {
        match self {
            AnyLaw::Unilateral(law) => law,
            AnyLaw::Bilateral(law) => law,
            AnyLaw::Coulomb(law) => law,
            AnyLaw::Contensou(law) => law,
            AnyLaw::Other(law) => &**law,
            AnyLaw::Released(rows) => rows,
        }
    }
}
