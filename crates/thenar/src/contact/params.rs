//! Parameters of contact.

/// Stiffness of contact springs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpringParams {
    /// Normal stiffness per area, N/m³. With 2.4e9 the 20 kPa of a firm grip need a depth of 8 µm.
    pub normal: f64,
    /// Tangential stiffness per area of a sticking point, N/m³.
    pub tangent: f64,
}

/// How the pressure of a patch is spread over its contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Pressure {
    /// As springs spread it, which the step solves together with everything else.
    #[default]
    Springs,
    /// In proportion to how deep the free motion takes each contact [Talvas eq. 11, literally].
    Depth,
    /// The same everywhere.
    Uniform,
}

/// Options of aggregated contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AggregateParams {
    /// How pressure is spread.
    pub pressure: Pressure,
    /// Friction against spinning about the normal.
    pub torsion: bool,
}

impl Default for AggregateParams {
    fn default() -> Self {
        AggregateParams { pressure: Pressure::Springs, torsion: true }
    }
}
