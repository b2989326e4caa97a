//! What tissue is made of.

/// A linear isotropic elastic material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Young's modulus, Pa.
    pub young: f64,
    /// Poisson's ratio, in (-1, 0.5).
    pub poisson: f64,
}

impl Material {
    /// Lamé's first parameter λ, Pa.
    #[must_use]
    pub fn lambda(&self) -> f64 {
        self.young * self.poisson / ((1.0 + self.poisson) * (1.0 - 2.0 * self.poisson))
    }

    /// The shear modulus μ, Pa.
    #[must_use]
    pub fn mu(&self) -> f64 {
        self.young / (2.0 * (1.0 + self.poisson))
    }
}

/// Stiffening of an element whose energy density exceeds a threshold [CLAP eqs. 8–10]:
/// `W_new = W + k/2 (W/W_max - 1)²` where `W > W_max`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnergyLimit {
    /// Threshold `W_max` of the energy density, J/m³.
    pub density: f64,
    /// Stiffness `k` of the additional energy, J/m³.
    pub stiffness: f64,
}

/// One element: its material, how much of it is tissue, and its limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Element {
    /// Elastic constants.
    pub material: Material,
    /// Fraction of the element's volume that is tissue, in (0, 1]; scales its energy.
    pub fill: f64,
    /// Stiffening at high energy density, if wanted.
    pub limit: Option<EnergyLimit>,
}
