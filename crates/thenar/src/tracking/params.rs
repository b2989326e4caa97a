//! How firmly the simulated hand follows the tracked one.

/// How tracked poses reach the simulated bones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackingMode {
    /// Through intermediate bones and virtual couplings [CLAP §3.6]: forces stay bounded.
    Elastic,
    /// Straight: the bones are put where the tracker says, whatever is in the way. Kept as the comparison of CLAP §5.3.
    Direct,
}

/// Stiffness of one virtual coupling, with the largest force and torque it transmits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CouplingParams {
    /// N/m.
    pub linear: f64,
    /// N m/rad.
    pub angular: f64,
    /// N; the spring goes on pulling with this force however far the target is.
    pub force_cap: f64,
    /// N m.
    pub torque_cap: f64,
}

/// Parameters of elastic tracking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrackingParams {
    /// Elastic or direct.
    pub mode: TrackingMode,
    /// Couplings of the palm, on both sides of the intermediate bone.
    pub palm: CouplingParams,
    /// Couplings of the phalanges; towards the simulated bones only the angular part acts [CLAP §3.6].
    pub phalanx: CouplingParams,
    /// Rate of the intermediate bones, Hz [CLAP §5.1: 250].
    pub rate: f64,
    /// A hand that is free of contact and further than this from its target is put there at once, metres.
    pub reseat_distance: f64,
}
