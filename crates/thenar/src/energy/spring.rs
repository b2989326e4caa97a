//! The contract of an energy: a spring over a small stencil.
//!
//! Every energy of the hand except the tissue and inertia is a spring `U = ½ rᵀ K r`: a residual `r`, a positive
//! semi-definite stiffness `K`, and the Jacobian of `r` with respect to the blocks it touches. A block is either a
//! point (3 coordinates) or one half of a rigid body: its centre of mass, or its rotation increment `exp([dθ]) R` in
//! world axes. The gradient `Jᵀ K r` is exact; the Hessian `Jᵀ K J` is Gauss–Newton's and so positive semi-definite.

use crate::math::{Mat3, Vec3};

/// A spring with a vector residual over `N` blocks.
#[derive(Clone, Copy, Debug)]
pub struct Spring<const N: usize> {
    /// What the spring wants to be zero.
    pub residual: Vec3,
    /// Stiffness, symmetric positive semi-definite; N/m where the residual is a length.
    pub stiffness: Mat3,
    /// Derivative of the residual by each block.
    pub jacobian: [Mat3; N],
}

impl<const N: usize> Spring<N> {
    /// `½ rᵀ K r`, joules.
    #[must_use]
    pub fn value(&self) -> f64 {
        0.5 * self.residual.dot(self.stiffness * self.residual)
    }

    /// Derivative of the value by block `b`: minus the force on it.
    #[must_use]
    pub fn gradient(&self, b: usize) -> Vec3 {
        self.jacobian[b].transpose() * (self.stiffness * self.residual)
    }

    /// Second derivative by blocks `a` and `b`.
    #[must_use]
    pub fn hessian(&self, a: usize, b: usize) -> Mat3 {
        self.jacobian[a].transpose() * (self.stiffness * self.jacobian[b])
    }
}

/// A spring with a scalar residual over `N` blocks.
#[derive(Clone, Copy, Debug)]
pub struct ScalarSpring<const N: usize> {
    /// What the spring wants to be zero.
    pub residual: f64,
    /// Stiffness, not negative.
    pub stiffness: f64,
    /// Gradient of the residual by each block.
    pub jacobian: [Vec3; N],
}

impl<const N: usize> ScalarSpring<N> {
    /// The same spring in vector form, with the residual along x.
    #[must_use]
    pub fn to_spring(&self) -> Spring<N> {
        Spring {
            residual: Vec3::new(self.residual, 0.0, 0.0),
            stiffness: Mat3::from_cols(Vec3::new(self.stiffness, 0.0, 0.0), Vec3::ZERO, Vec3::ZERO),
            jacobian: self
                .jacobian
                .map(|g| Mat3::from_cols(Vec3::new(g.x, 0.0, 0.0), Vec3::new(g.y, 0.0, 0.0), Vec3::new(g.z, 0.0, 0.0))),
        }
    }
}
