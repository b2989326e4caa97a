//! What hands are made of, and how their skeletons move.

use super::TissueStretch;
use crate::energy::tissue::{EnergyLimit, Material, Relaxation};

/// What the tissue is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TissueParams {
    /// Skin, fat and muscle as one.
    pub flesh: Material,
    /// Elements that are mostly bone.
    pub bone: Material,
    /// Elements under a nail.
    pub nail: Material,
    /// Density of the flesh, kg/m³; bones carry their own mass.
    pub density: f64,
    /// Energy limit [CLAP eqs. 8–10]; `None` leaves the tissue linear.
    pub limit: Option<EnergyLimit>,
    /// Hard limits of its stretches [Perez §II-A]; `None` sets none.
    pub stretch: Option<TissueStretch>,
    /// Stiffness-proportional (Rayleigh) damping, seconds.
    pub damping: f64,
    /// How its stress relaxes; `None` if it stays.
    pub relaxation: Option<Relaxation>,
}

/// What the unknowns of a hand's skeleton are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkeletonMethod {
    /// Sixteen rigid bodies, held together by stiff joints [CLAP §3.2].
    Bodies,
    /// A base and twenty joint angles; bones are functions of them [Talvas §4].
    Reduced,
    /// No skeleton: one rigid part in the palm, made of the nodes around its middle, and fingers that are soft all through and keep the shape they
    /// were built in [Garre §4].
    Handle,
}

/// Whether tissue moves a reduced skeleton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkeletonCoupling {
    /// Tissue and contact push the bones back against the springs of tracking.
    TwoSided,
    /// The skeleton follows its tracker alone, and carries the tissue along.
    OneSided,
}

/// How the skeleton of a hand is simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SkeletonParams {
    /// Bodies or joint angles.
    pub method: SkeletonMethod,
    /// Whether tissue pushes back; bodies always feel it.
    pub coupling: SkeletonCoupling,
}

/// How tissue hangs on bones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttachmentMethod {
    /// Springs between elements and the surfaces of bones inside them [CLAP eq. 11]; `attachment` is the stiffness of a whole bone's.
    Surface,
    /// One spring per node to its place blended between bones [Perez §II-A]; `attachment` is the stiffness of each.
    Blended,
}
