//! What laws say of small changes: the active set of a step, kept as it is [Garre §5.3].

use super::law::MOST_ROWS;

/// `by_motion du + by_force dλ = 0` for the rows of one block: which changes of displacements and forces a law allows while it keeps its
/// verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tangent {
    /// Coefficients of the displacements.
    pub by_motion: [[f64; MOST_ROWS]; MOST_ROWS],
    /// Coefficients of the forces.
    pub by_force: [[f64; MOST_ROWS]; MOST_ROWS],
}

const ZERO: [[f64; MOST_ROWS]; MOST_ROWS] = [[0.0; MOST_ROWS]; MOST_ROWS];

fn identity() -> [[f64; MOST_ROWS]; MOST_ROWS] {
    std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))))
}

impl Tangent {
    /// Nothing pushes, and nothing will.
    #[must_use]
    pub fn open() -> Tangent {
        Tangent { by_motion: ZERO, by_force: identity() }
    }

    /// It stays where it is, whatever force that takes.
    #[must_use]
    pub fn stick() -> Tangent {
        Tangent { by_motion: identity(), by_force: ZERO }
    }

    /// The first row stays where it is; the forces of the others stay in proportion to its own.
    #[must_use]
    pub fn slide(lambda: &[f64]) -> Tangent {
        let mut tangent = Tangent::open();
        tangent.by_motion[0][0] = 1.0;
        tangent.by_force[0][0] = 0.0;
        for (k, &force) in lambda.iter().enumerate().skip(1) {
            tangent.by_force[k][0] = -force / lambda[0];
        }
        tangent
    }

    /// True if it allows no change of any force.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.by_motion == ZERO
    }
}
