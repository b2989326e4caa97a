//! Parameters of a world, and the named sets of them.

use crate::body::{
    AttachmentMethod, SkeletonCoupling, SkeletonMethod, SkeletonParams, StretchLimits, TissueParams, TissueStretch,
};
use crate::contact::{AggregateParams, ContactMethod, Pressure, SpringParams};
use crate::energy::gravity::STANDARD_GRAVITY;
use crate::energy::joints::JointParams;
use crate::energy::tissue::{EnergyLimit, Material};
use crate::hand::{BONE_COUNT, FLESH_DENSITY, Phalanges, TissueLayout, TissueOptions};
use crate::math::{Kernels, Vec3};
use crate::strain::StrainParams;
use crate::tactile::TactileParams;
use crate::tracking::{CouplingParams, TrackingMode, TrackingParams};

/// How the linear system of a step is solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SolverParams {
    /// Multifrontal block Cholesky with a dense border.
    Direct,
    /// Jacobi-preconditioned conjugate gradients with warm start: the paper's own solver [CLAP §5.1].
    Pcg {
        /// Relative residual to reach.
        tolerance: f64,
        /// Iterations at most.
        max_iterations: u32,
    },
}

/// All parameters of a world.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldConfig {
    /// Acceleration of free fall, m/s². A person carries the weight of the hand itself, so it acts on objects only.
    pub gravity: Vec3,
    /// Tissue materials.
    pub tissue: TissueParams,
    /// Stiffness with which a whole bone holds its tissue, N/m [CLAP §5.1: 3.2e6]; of each node's spring where they are blended.
    pub attachment: f64,
    /// How tissue hangs on bones.
    pub attach: AttachmentMethod,
    /// Bodies or joint angles.
    pub skeleton: SkeletonParams,
    /// Joints of the skeleton.
    pub joints: JointParams,
    /// How skin contact is resolved.
    pub method: ContactMethod,
    /// Stiffness of contact springs.
    pub contact: SpringParams,
    /// Options of aggregated contact.
    pub aggregate: AggregateParams,
    /// Tracking.
    pub tracking: TrackingParams,
    /// How hard limits of stretches are met, where tissue has them.
    pub strain: StrainParams,
    /// Linear solver.
    pub solver: SolverParams,
    /// Which machine kernels to use.
    pub kernels: Kernels,
    /// Spacing of the points with which moving objects feel other objects, metres.
    pub object_spacing: f64,
    /// Room for contacts in one step; more are left out and flagged.
    pub contact_capacity: usize,
    /// Hands touch themselves, too: thumb and fingers, fingers and palm. Different soft bodies always touch each other.
    pub self_contact: bool,
    /// Coulomb's coefficient of skin on skin, and of whatever surfaces have none of their own; soft objects have their own
    /// ([`super::SoftDef::friction`]).
    pub soft_friction: f64,
    /// Fill skin positions and normals in every step.
    pub skin_output: bool,
    /// Render touch on the fingertips after every step; `None` leaves it out.
    pub tactile: Option<TactileParams>,
}

/// A named set of parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// The best we know how to make.
    Default,
    /// The numbers of CLAP §5.1 where it prints them, with its solver.
    Clap,
    /// The layered hand of Talvas §4: soft phalanges on a rigid palm, a skeleton of joint angles, contact by constraints.
    Talvas,
    /// The hand of Perez §II and §V: hard limits of stretches, blended attachment, contact by springs with anchors.
    Perez,
    /// The hand of Garre §4 and §6: unarticulated, soft all through, with a rigid handle in its palm, contact by constraints at points.
    Garre,
}

impl Preset {
    /// All presets with their names.
    pub const ALL: [(&'static str, Preset); 5] = [
        ("default", Preset::Default),
        ("clap", Preset::Clap),
        ("talvas", Preset::Talvas),
        ("perez", Preset::Perez),
        ("garre", Preset::Garre),
    ];

    /// The parameters.
    #[must_use]
    pub fn config(self) -> WorldConfig {
        match self {
            Preset::Default => WorldConfig::default(),
            Preset::Clap => clap(),
            Preset::Talvas => talvas(),
            Preset::Perez => perez(),
            Preset::Garre => garre(),
        }
    }

    /// The tissue of the hands that go with it.
    #[must_use]
    pub fn tissue(self) -> TissueOptions {
        match self {
            Preset::Default | Preset::Clap => TissueOptions::default(),
            Preset::Talvas => {
                let layout = TissueLayout::Phalanges(Phalanges::ALL);
                TissueOptions { tets: TALVAS_TETS, layout, ..TissueOptions::default() }
            }
            Preset::Perez => TissueOptions { tets: PEREZ_TETS, ..TissueOptions::default() },
            Preset::Garre => TissueOptions { tets: GARRE_TETS, ..TissueOptions::default() },
        }
    }
}

impl Default for WorldConfig {
    fn default() -> Self {
        WorldConfig {
            gravity: STANDARD_GRAVITY,
            tissue: TissueParams {
                flesh: Material { young: 5.0e4, poisson: 0.4 },
                bone: Material { young: 5.0e5, poisson: 0.3 },
                nail: Material { young: 1.0e6, poisson: 0.3 },
                density: FLESH_DENSITY,
                limit: Some(EnergyLimit::USUAL),
                stretch: None,
                damping: 2.0e-3,
                relaxation: None,
            },
            attachment: 3.0e4,
            attach: AttachmentMethod::Surface,
            skeleton: SkeletonParams { method: SkeletonMethod::Bodies, coupling: SkeletonCoupling::TwoSided },
            joints: JointParams { centre: 2.0e5, axis: 50.0, limit: 20.0 },
            method: ContactMethod::Penalty,
            contact: SpringParams { normal: 2.4e9, tangent: 1.2e9 },
            aggregate: AggregateParams::default(),
            tracking: TrackingParams {
                mode: TrackingMode::Elastic,
                palm: CouplingParams { linear: 1.2e4, angular: 60.0, force_cap: 80.0, torque_cap: 6.0 },
                phalanx: CouplingParams { linear: 500.0, angular: 8.0, force_cap: 20.0, torque_cap: 2.0 },
                rate: 250.0,
                reseat_distance: 0.25,
            },
            strain: StrainParams::default(),
            solver: SolverParams::Direct,
            kernels: Kernels::auto(),
            object_spacing: 0.004,
            contact_capacity: 8192,
            self_contact: true,
            soft_friction: 0.6,
            skin_output: true,
            tactile: None,
        }
    }
}

/// Flesh of the presets whose papers print none: Young's modulus is CLAP's, the only one that is printed. Our own is softer, and stiffens by a limit that fits people
/// (`strain`); tissue without that limit is as soft under a firm grip as under a touch.
const FLESH_OF_PAPERS: Material = Material { young: 1.0e5, poisson: 0.4 };

/// Elements of all fifteen phalanges [Talvas §4].
const TALVAS_TETS: usize = 1513;

/// Talvas §4–5: reduced skeleton, constraint contact with objects only, tissue without a limit of its own. The paper
/// prints no stiffness.
fn talvas() -> WorldConfig {
    let base = WorldConfig::default();
    WorldConfig {
        skeleton: SkeletonParams { method: SkeletonMethod::Reduced, coupling: SkeletonCoupling::TwoSided },
        method: ContactMethod::Aggregate,
        aggregate: AggregateParams { pressure: Pressure::Depth, ..AggregateParams::default() },
        tissue: TissueParams { flesh: FLESH_OF_PAPERS, limit: None, ..base.tissue },
        self_contact: false,
        ..base
    }
}

/// Elements of the whole hand [Perez §V].
const PEREZ_TETS: usize = 597;

/// Perez §II and §V: sixteen bones, linear corotational tissue with hard limits, one blended spring per node, contact by springs with
/// anchored friction, no contact of the hand with itself. They move bones first and tissue after them, to avoid a system of both [Garre 2011];
/// our factor takes both at once, with the same sparse work, so that nothing lags a step behind. Neither limits nor stiffness are printed: ours
/// are the usual limits, that of the volume with them (the paper's are stretches alone), and springs that hold a finger's node against a third of a newton with a millimetre.
fn perez() -> WorldConfig {
    let base = WorldConfig::default();
    WorldConfig {
        tissue: TissueParams {
            flesh: FLESH_OF_PAPERS,
            limit: None,
            stretch: Some(TissueStretch::all(StretchLimits::USUAL)),
            ..base.tissue
        },
        attachment: 300.0,
        attach: AttachmentMethod::Blended,
        method: ContactMethod::Penalty,
        self_contact: false,
        ..base
    }
}

/// Elements of the middle hand [Garre §6].
const GARRE_TETS: usize = 800;

/// Garre §3–4 and §6: linear corotational tissue on one rigid handle of about 100 nodes, contact of hands with objects, soft things and themselves
/// by constraints. The paper prints no stiffness; the springs of the handle are those of a bone.
fn garre() -> WorldConfig {
    let base = WorldConfig::default();
    WorldConfig {
        skeleton: SkeletonParams { method: SkeletonMethod::Handle, coupling: SkeletonCoupling::TwoSided },
        tissue: TissueParams { flesh: FLESH_OF_PAPERS, limit: None, ..base.tissue },
        method: ContactMethod::Point,
        ..base
    }
}

/// CLAP §5.1: E, ν, `k_total`, joint stiffness, `W_max`, `k`, PCG to 1e-5. The couplings as printed, 50 N/m and
/// 200 N m/rad, mix units of their engine, which counts in centimetres:
///
/// - 50 N/m sags two centimetres per newton; 50 N/cm is 5000 N/m.
/// - 200 N m/rad at every phalanx reaches the strength of a finger after a third of a degree, and 200 N cm/rad drops the
///   100 g that the paper lifts. Neither can be meant: 20 N m/rad, at which its five scenes pass.
/// - The caps are ours: a phalanx gives 20 N, or 1 N m, which is that at its length of 5 cm.
fn clap() -> WorldConfig {
    let flesh = Material { poisson: 0.33, ..FLESH_OF_PAPERS };
    let base = WorldConfig::default();
    let palm = CouplingParams { linear: 5000.0, angular: 20.0, force_cap: 80.0, torque_cap: 6.0 };
    let phalanx = CouplingParams { force_cap: 20.0, torque_cap: 1.0, ..palm };
    WorldConfig {
        tissue: TissueParams {
            flesh,
            bone: flesh,
            nail: flesh,
            limit: Some(EnergyLimit { density: 2500.0, stiffness: 1000.0 }),
            damping: 0.0,
            ..base.tissue
        },
        // "a total stiffness of 3.2e6 N/m" of sixteen bones: of each as much as of a joint
        attachment: 3.2e6 / BONE_COUNT as f64,
        joints: JointParams { centre: 2.0e5, ..base.joints },
        // the paper gives none; a third of the usual one is what its soft limit of compression bears in `press`
        contact: SpringParams { normal: 8.0e8, tangent: 4.0e8 },
        tracking: TrackingParams { palm, phalanx, ..base.tracking },
        solver: SolverParams::Pcg { tolerance: 1e-5, max_iterations: 1000 },
        // the paper has none
        self_contact: false,
        ..base
    }
}
