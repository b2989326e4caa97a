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

impl EnergyLimit {
    /// The threshold of CLAP §5.1, with a stiffness of our own, ten times the paper's. Flesh of 50 kPa is there at a strain of `√(2 W_max/E)` = 0.32 along one axis.
    pub const USUAL: EnergyLimit = EnergyLimit { density: 2500.0, stiffness: 1.0e4 };
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
