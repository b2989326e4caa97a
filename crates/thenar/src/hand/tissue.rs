//! The soft tissue of a hand: a mesh around its skin, what each element is made of and how much of it is hand.

use super::web::WebProbe;
use super::{BoneId, Digit, HandError, HandParts, Phalanges, Skeleton, Tissue, TissueKind};
use crate::geometry::mesher::{MeshRequest, MesherError, Refinement, mesh_surface, surface_volume};
use crate::geometry::tet_mesh::tet_volume;
use crate::geometry::{Embedding, SurfaceDistance, TetLocator, TetMesh};
use crate::math::Vec3;

/// How fine the tissue is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TissueOptions {
    /// Number of elements, within 10 %.
    pub tets: usize,
    /// A fingertip pad that gets at least [`PAD_TETS`] elements on top of the others.
    pub refine: Option<Digit>,
    /// One piece, or pieces.
    pub layout: TissueLayout,
}

/// How the tissue is divided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TissueLayout {
    /// One mesh for the whole hand [CLAP §3].
    #[default]
    Whole,
    /// A mesh for each of these phalanges, on a rigid palm [Talvas §4]; the number of elements is that of all fifteen.
    Phalanges(Phalanges),
}

/// Elements a refined pad gets, at least.
pub const PAD_TETS: usize = 1500;

impl Default for TissueOptions {
    fn default() -> Self {
        TissueOptions { tets: 850, refine: None, layout: TissueLayout::Whole }
    }
}

/// Elements of the palm are this much longer than those of the digits.
const PALM_COARSENESS: f64 = 1.8;
/// Gaps and parts narrower than this fraction of the middle finger's proximal phalanx need not be kept apart at first;
/// smaller fractions are tried if fingers grow together.
const FINEST_FEATURES: [f64; 3] = [0.12, 0.08, 0.055];
/// How far the tissue may join two digits beyond the web of the skin, as a fraction of the same bone.
const WEB_SLACK: f64 = 0.12;

/// Fills the skin with elements: finer in the digits than in the palm, the digits apart up to their webs.
pub(super) fn mesh_tissue(parts: &HandParts, options: &TissueOptions) -> Result<TetMesh, HandError> {
    let axes = BoneAxes::new(&parts.skeleton);
    let sizing = |p: Vec3| PALM_COARSENESS - (PALM_COARSENESS - 1.0) * axes.digit_share(p);
    let phalanx = parts.skeleton.bone(BoneId::of(Digit::Middle, 0)).length;
    let refine: Vec<Refinement> = options.refine.and_then(|digit| pad_ball(parts, digit)).into_iter().collect();
    let mut mesh = TetMesh::default();
    for feature in FINEST_FEATURES {
        let request = MeshRequest {
            tets: options.tets,
            sizing: Some(&sizing),
            finest_feature: Some(feature * phalanx),
            refine: &refine,
        };
        mesh = match mesh_surface(&parts.skin.mesh, &request) {
            // Fingers that stay joined are better than no hand.
            Err(MesherError::TooDetailed { .. }) if !mesh.tets.is_empty() => break,
            filled => filled?,
        };
        if digits_are_apart(parts, &mesh, WEB_SLACK * phalanx) {
            break;
        }
    }
    Ok(mesh)
}

/// True if the tissue joins no digits where the skin, `slack` metres nearer to the knuckles, does not.
fn digits_are_apart(parts: &HandParts, mesh: &TetMesh, slack: f64) -> bool {
    let skin = SurfaceDistance::new(&parts.skin.mesh);
    let locator = TetLocator::new(mesh);
    WebProbe::all(&parts.skeleton).iter().all(|probe| {
        let reach = probe.reach(&|p| locator.locate(p).is_some());
        reach < slack || probe.joined_at(reach - slack, &|p| skin.distance(p) < 0.0)
    })
}

/// The ball that holds the samples of a pad and the flesh between them and the bone.
pub(super) fn pad_ball(parts: &HandParts, digit: Digit) -> Option<Refinement> {
    let bone = parts.skeleton.bone(BoneId::of(digit, 2));
    let samples = &parts.pads[digit.index()];
    let count = samples.len() as f64;
    let middle = samples.iter().map(|s| s.local).sum::<Vec3>() / count;
    let inwards = -samples.iter().map(|s| s.normal).sum::<Vec3>().normalize_or_zero();
    let spread = samples.iter().map(|s| s.local.distance(middle)).fold(0.0, f64::max);
    let centre = bone.rest.point(middle + inwards * (0.3 * spread));
    (!samples.is_empty()).then_some(Refinement { centre, radius: spread, tets: PAD_TETS })
}

/// The axes of all bones, to tell which part of the hand a point belongs to.
pub(super) struct BoneAxes {
    /// Ends of each axis in the hand frame; the palm has several.
    axes: Vec<(BoneId, Vec3, Vec3)>,
    /// Per digit: knuckle and end of the first free bone.
    free: [(Vec3, Vec3); 5],
}

impl BoneAxes {
    pub fn new(skeleton: &Skeleton) -> Self {
        let axes = skeleton
            .bones
            .iter()
            .flat_map(|b| b.capsules.iter().map(|c| (b.id, b.rest.point(c.a), b.rest.point(c.b))))
            .collect();
        let free = Digit::ALL.map(|digit| {
            // The thumb's metacarpal lies in the palm: its free part begins one bone later than a finger's.
            let bone = skeleton.bone(BoneId::of(digit, usize::from(digit == Digit::Thumb)));
            (bone.rest.position, bone.rest.point(Vec3::new(0.0, 0.0, -bone.length)))
        });
        BoneAxes { axes, free }
    }

    /// The bone whose axis is nearest.
    pub fn nearest(&self, p: Vec3) -> BoneId {
        let mut best = (f64::INFINITY, BoneId::PALM);
        for &(id, a, b) in &self.axes {
            let d = distance_to_segment(p, a, b);
            if d < best.0 {
                best = (d, id);
            }
        }
        best.1
    }

    /// 0 in the palm, 1 in the free part of a digit, rising over the lower half of its first free bone.
    fn digit_share(&self, p: Vec3) -> f64 {
        let Some(digit) = self.nearest(p).digit() else { return 0.0 };
        let (knuckle, end) = self.free[digit.index()];
        let bone = end - knuckle;
        let along = (p - knuckle).dot(bone) / bone.length_squared();
        let t = ((along + 0.2) / 0.5).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    }
}

pub(super) fn distance_to_segment(p: Vec3, a: Vec3, b: Vec3) -> f64 {
    let axis = b - a;
    let t = (p - a).dot(axis) / axis.length_squared().max(f64::MIN_POSITIVE);
    p.distance(a + axis * t.clamp(0.0, 1.0))
}

/// True if the point lies inside one of the bone's capsules.
pub(super) fn in_bone(skeleton: &Skeleton, p: Vec3) -> bool {
    skeleton.bones.iter().any(|b| {
        let local = b.rest.local(p);
        b.capsules.iter().any(|c| distance_to_segment(local, c.a, c.b) < c.radius)
    })
}

/// Sample points per element for shares of volume.
const SAMPLES: usize = 48;
/// Least fill of an element: a mesh that covers the skin has elements that barely touch it, and they need some mass.
const LEAST_FILL: f64 = 0.02;

/// Materials and fill fractions of a finished mesh.
pub(super) fn fill_tissue(parts: &HandParts, mesh: TetMesh, embedding: &Embedding) -> Tissue {
    let distance = SurfaceDistance::new(&parts.skin.mesh);
    let samples = unit_samples();
    let mut fill = Vec::with_capacity(mesh.tets.len());
    let mut kinds = Vec::with_capacity(mesh.tets.len());
    for t in 0..mesh.tets.len() {
        let corners = mesh.corners(t);
        let points = spread(&samples, &corners);
        fill.push(filled(&distance, &corners, &points));
        let bony = points.iter().filter(|&&p| in_bone(&parts.skeleton, p)).count();
        kinds.push(if 2 * bony > SAMPLES { TissueKind::Bone } else { TissueKind::Flesh });
    }
    mark_nails(parts, embedding, &mut kinds);
    fit_volume(&mesh, &mut fill, surface_volume(&parts.skin.mesh));
    Tissue { mesh, kinds, fill }
}

/// Well-spread points of an element.
pub(super) fn element_samples(corners: &[Vec3; 4]) -> [Vec3; SAMPLES] {
    spread(&unit_samples(), corners)
}

fn spread(samples: &[[f64; 4]; SAMPLES], corners: &[Vec3; 4]) -> [Vec3; SAMPLES] {
    samples.map(|w| (0..4).map(|k| corners[k] * w[k]).sum::<Vec3>())
}

fn filled(distance: &SurfaceDistance, corners: &[Vec3; 4], points: &[Vec3; SAMPLES]) -> f64 {
    let centre = corners.iter().sum::<Vec3>() / 4.0;
    let reach = corners.iter().map(|c| c.distance(centre)).fold(0.0, f64::max);
    if distance.distance(centre) < -reach {
        return 1.0;
    }
    let inside = points.iter().filter(|&&p| distance.distance(p) < 0.0).count();
    (inside as f64 / SAMPLES as f64).max(LEAST_FILL)
}

/// An element is nail where nails make up most of the skin it carries.
pub(super) fn mark_nails(parts: &HandParts, embedding: &Embedding, kinds: &mut [TissueKind]) {
    let mut areas = vec![[0.0; 2]; kinds.len()];
    for (v, &t) in embedding.tets.iter().enumerate() {
        let nail = usize::from(parts.nail.get(v).copied().unwrap_or(false));
        areas[t as usize][nail] += parts.skin.areas[v];
    }
    for (kind, [skin, nail]) in kinds.iter_mut().zip(areas) {
        if *kind == TissueKind::Flesh && nail > skin {
            *kind = TissueKind::Nail;
        }
    }
}

/// Scales the fill of partly filled elements so that all together hold exactly the volume of the skin: sampling errs a
/// little, and a mesh may miss slivers of skin between vertices.
fn fit_volume(mesh: &TetMesh, fill: &mut [f64], volume: f64) {
    for _ in 0..8 {
        let (mut whole, mut partial) = (0.0, 0.0);
        for (t, f) in fill.iter().enumerate() {
            let v = f * tet_volume(mesh.corners(t));
            if *f < 1.0 { partial += v } else { whole += v }
        }
        if partial <= 0.0 || (whole + partial - volume).abs() < 1e-6 * volume {
            break;
        }
        let scale = ((volume - whole) / partial).max(0.1);
        fill.iter_mut().filter(|f| **f < 1.0).for_each(|f| *f = (*f * scale).min(1.0));
    }
}

/// Barycentric weights of well-spread points in a tetrahedron: a low-discrepancy sequence in the cube, folded.
fn unit_samples() -> [[f64; 4]; SAMPLES] {
    // The additive recurrence of the root of x^4 = x + 1 [Roberts 2018, "The unreasonable effectiveness of
    // quasirandom sequences"].
    const ROOT: f64 = 1.220_744_084_605_759_5;
    std::array::from_fn(|i| {
        let at = |k: i32| (0.5 + (i + 1) as f64 / ROOT.powi(k)).fract();
        // Sorted, three uniform numbers cut the unit interval into four uniform shares.
        let mut cuts = [at(1), at(2), at(3)];
        cuts.sort_by(f64::total_cmp);
        [cuts[0], cuts[1] - cuts[0], cuts[2] - cuts[1], 1.0 - cuts[2]]
    })
}
