//! The hand's solid cut into phalanges.

use crate::geometry::{SurfaceDistance, TriMesh, isosurface};
use crate::hand::tissue::distance_to_segment;
use crate::hand::{BoneId, Digit, HandParts, Skeleton};
use crate::math::Vec3;

/// Grid cell of the cut surfaces relative to the length of the middle finger's first phalanx: 1.5 mm for an adult.
const CELL: f64 = 1.0 / 28.0;
/// Radius with which cuts are rounded, in cells: sharp rims make flat elements.
const ROUNDING: f64 = 1.6;
/// Where a digit's first piece begins, as a fraction of its bone: the flesh around a knuckle belongs to the palm.
const ROOT: [f64; 2] = [0.12, 0.25];

/// One phalanx of a hand as a closed surface in the hand frame.
pub(super) struct PhalanxCut {
    pub bone: BoneId,
    pub surface: TriMesh,
    pub distance: SurfaceDistance,
}

impl PhalanxCut {
    /// The fifteen phalanges in the order of their bones.
    pub fn all(parts: &HandParts) -> Vec<PhalanxCut> {
        let skin = SurfaceDistance::new(&parts.skin.mesh);
        let cell = parts.skeleton.bone(BoneId::of(Digit::Middle, 0)).length * CELL;
        BoneId::all().skip(1).map(|bone| PhalanxCut::new(parts, &skin, bone, cell)).collect()
    }

    fn new(parts: &HandParts, skin: &SurfaceDistance, bone: BoneId, cell: f64) -> PhalanxCut {
        let region = Region::new(&parts.skeleton, bone);
        let rounding = ROUNDING * cell;
        let field = |p: Vec3| {
            let outside = region.outside(p);
            // the skin is only asked where the cuts leave it a say
            if outside > 4.0 * cell { outside } else { smooth_max(skin.distance(p), outside, rounding) }
        };
        let [low, high] = region.bounds;
        let quads = isosurface(&field, [low, high], cell);
        let surface = largest_part(&quads.triangulate());
        PhalanxCut { bone, distance: SurfaceDistance::new(&surface), surface }
    }
}

/// Where a phalanx lies: between two planes, and nearer to its own digit than to any other.
struct Region {
    /// Point and outward direction of the cuts at both ends; a fingertip has no second one.
    planes: [Option<(Vec3, Vec3)>; 2],
    own: Vec<(Vec3, Vec3)>,
    others: Vec<(Vec3, Vec3)>,
    bounds: [Vec3; 2],
}

impl Region {
    fn new(skeleton: &Skeleton, id: BoneId) -> Region {
        let bone = skeleton.bone(id);
        let along = |b: BoneId| skeleton.bone(b).rest.rotation * Vec3::NEG_Z;
        let digit = id.digit().unwrap_or(Digit::Thumb);
        let halfway = |a: BoneId, b: BoneId| (along(a) + along(b)).normalize_or(along(a));
        let start = if id.segment() == 0 {
            let root = ROOT[usize::from(digit == Digit::Thumb)] * bone.length;
            (bone.rest.point(Vec3::new(0.0, 0.0, -root)), -along(id))
        } else {
            (bone.rest.position, -halfway(BoneId(id.0 - 1), id))
        };
        let end = (id.segment() < 2).then(|| {
            let next = BoneId(id.0 + 1);
            (skeleton.bone(next).rest.position, halfway(id, next))
        });
        let axes = |b: BoneId| {
            let bone = skeleton.bone(b);
            bone.capsules.iter().map(|c| (bone.rest.point(c.a), bone.rest.point(c.b))).collect::<Vec<_>>()
        };
        // fingers leave the palm across their first cut; the thumb's metacarpal lies beside the others
        let near_palm = digit == Digit::Thumb && id.segment() < 2;
        let is_other = |b: &BoneId| b.digit() != Some(digit) && (b.digit().is_some() || near_palm);
        let own = BoneId::all().filter(|b| b.digit() == Some(digit)).flat_map(axes).collect();
        let others = BoneId::all().filter(is_other).flat_map(axes).collect();
        let (a, b) = (bone.rest.position, bone.rest.point(Vec3::new(0.0, 0.0, -bone.length)));
        let reach = Vec3::splat(0.9 * bone.length.max(0.024) + 0.012);
        Region { planes: [Some(start), end], own, others, bounds: [a.min(b) - reach, a.max(b) + reach] }
    }

    /// About the distance to the region, negative inside.
    fn outside(&self, p: Vec3) -> f64 {
        let beyond = |(at, outward): (Vec3, Vec3)| (p - at).dot(outward);
        let ends = self.planes.iter().flatten().map(|plane| beyond(*plane)).fold(f64::NEG_INFINITY, f64::max);
        let nearest = |axes: &[(Vec3, Vec3)]| {
            axes.iter().map(|(a, b)| distance_to_segment(p, *a, *b)).fold(f64::INFINITY, f64::min)
        };
        ends.max(0.5 * (nearest(&self.own) - nearest(&self.others)))
    }
}

fn smooth_max(a: f64, b: f64, k: f64) -> f64 {
    let h = (k - (a - b).abs()).max(0.0) / k;
    a.max(b) + h * h * h * k / 6.0
}

/// The connected part with the greatest volume: a cut may leave crumbs of skin folds.
fn largest_part(mesh: &TriMesh) -> TriMesh {
    let mut label: Vec<u32> = (0..mesh.positions.len() as u32).collect();
    fn root(label: &mut [u32], mut v: u32) -> u32 {
        while label[v as usize] != v {
            label[v as usize] = label[label[v as usize] as usize];
            v = label[v as usize];
        }
        v
    }
    for t in &mesh.triangles {
        let [a, b, c] = t.map(|v| root(&mut label, v));
        let least = a.min(b).min(c);
        for r in [a, b, c] {
            label[r as usize] = least;
        }
    }
    let mut volumes = std::collections::BTreeMap::<u32, f64>::new();
    let of = |label: &mut [u32], t: &[u32; 3]| root(label, t[0]);
    for t in &mesh.triangles {
        let [a, b, c] = t.map(|v| mesh.positions[v as usize]);
        *volumes.entry(of(&mut label, t)).or_default() += a.dot(b.cross(c)) / 6.0;
    }
    let Some((&best, _)) = volumes.iter().max_by(|a, b| a.1.total_cmp(b.1)) else { return TriMesh::default() };
    let mut number = vec![u32::MAX; mesh.positions.len()];
    let mut part = TriMesh::default();
    for t in &mesh.triangles {
        if of(&mut label, t) == best {
            part.triangles.push(t.map(|v| {
                if number[v as usize] == u32::MAX {
                    number[v as usize] = part.positions.len() as u32;
                    part.positions.push(mesh.positions[v as usize]);
                }
                number[v as usize]
            }));
        }
    }
    part
}
