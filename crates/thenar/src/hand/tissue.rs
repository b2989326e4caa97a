//! The soft tissue of a hand: a mesh around its skin, what each element is made of and how much of it is hand.

use super::web::WebProbe;
use super::{BoneId, Digit, HandError, HandParts, Phalanges, Skeleton, Tissue, TissueKind};
use crate::geometry::mesher::{MeshRequest, MesherError, Refinement, mesh_surface};
use crate::geometry::{Embedding, SurfaceDistance, TetLocator, TetMesh, element_samples, fill_of_elements};
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

/// Materials and fill fractions of a finished mesh.
pub(super) fn fill_tissue(parts: &HandParts, mesh: TetMesh, embedding: &Embedding) -> Tissue {
    let kind = |t| {
        let points = element_samples(&mesh.corners(t));
        let bony = points.iter().filter(|&&p| in_bone(&parts.skeleton, p)).count();
        if 2 * bony > points.len() { TissueKind::Bone } else { TissueKind::Flesh }
    };
    let mut kinds: Vec<TissueKind> = (0..mesh.tets.len()).map(kind).collect();
    mark_nails(parts, embedding, &mut kinds);
    let fill = fill_of_elements(&mesh, &parts.skin.mesh);
    Tissue { mesh, kinds, fill }
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
