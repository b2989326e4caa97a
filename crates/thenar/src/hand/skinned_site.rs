//! What a place on an imported skin belongs to, told from bones and weights alone.

use super::contact_points::{PAD_SAMPLES, PadPoint};
use super::rest_pose::DigitChain;
use super::{BoneId, Digit, Patch, Skeleton};
use crate::geometry::SurfaceDistance;
use crate::math::{Pose, Vec3};

/// Landmarks of a right hand by which its skin is divided.
pub(super) struct SiteMap {
    /// Rest frames of the bones.
    bones: Vec<Pose>,
    /// Frame of each distal bone and its length with the soft tip.
    tips: [(Pose, f64); 5],
    /// Heads of the metacarpals of index, middle, ring and little finger.
    knuckles: [Vec3; 4],
    thumb_knuckle: Vec3,
}

/// One place of the skin.
pub(super) struct Site {
    pub patch: Patch,
    pub nail: bool,
    pub pad: bool,
}

impl SiteMap {
    pub fn new(chains: &[DigitChain; 5], skeleton: &Skeleton) -> Self {
        let tip = |d: Digit| {
            let chain = &chains[d.index()];
            let joints = chain.joints();
            let distal = joints[joints.len() - 1];
            (distal, distal.position.distance(chain.tip().position))
        };
        SiteMap {
            bones: skeleton.bones.iter().map(|b| b.rest).collect(),
            tips: Digit::ALL.map(tip),
            knuckles: Digit::FINGERS.map(|d| chains[d.index()].frames[1].position),
            thumb_knuckle: chains[Digit::Thumb.index()].frames[1].position,
        }
    }

    /// Where a point of the skin belongs: to the bone that carries most of it, or to a region of the palm.
    pub fn site(&self, point: Vec3, normal: Vec3, weights: &[(BoneId, f32); 4]) -> Site {
        let bone = weights[0].0;
        let palmar = normal.y < 0.15;
        let thumb_root = bone == BoneId::of(Digit::Thumb, 0);
        let Some(digit) = bone.digit().filter(|_| !(thumb_root && palmar)) else {
            let patch = if thumb_root { Patch::THENAR } else { self.palm_region(point, palmar) };
            return Site { patch, nail: false, pad: false };
        };
        let (mut nail, mut pad) = (false, false);
        if bone.segment() == 2 {
            let (frame, length) = self.tips[digit.index()];
            let local = frame.local(point);
            let facing = frame.rotation.inverse() * normal;
            nail = facing.y > 0.75 && -local.z > 0.45 * length && -local.z < 0.97 * length;
            pad = local.y < 0.0 && local.z < 0.0;
        }
        Site { patch: Patch::of_bone(bone), nail, pad }
    }

    fn palm_region(&self, point: Vec3, palmar: bool) -> Patch {
        let [index, _, _, little] = self.knuckles;
        // Along the hand: 0 at the wrist, 1 at the knuckles. Across: 0 at the index, 1 at the little finger.
        let t = point.z / (0.5 * (index.z + little.z));
        let u = (point.x - index.x) / (little.x - index.x);
        let near_thumb = point.distance(0.5 * self.thumb_knuckle) < 0.6 * self.thumb_knuckle.length();
        if t < 0.1 {
            Patch::WRIST
        } else if !palmar {
            Patch::DORSUM
        } else if t > 0.8 {
            Patch::METACARPAL_HEADS
        } else if near_thumb && u < 0.4 {
            Patch::THENAR
        } else if u > 0.62 {
            Patch::HYPOTHENAR
        } else {
            Patch::PALM_CENTRE
        }
    }

    /// Sample points of a fingertip pad: a sunflower pattern on an ellipse below the distal bone, moved onto the skin.
    pub fn pad_points(&self, digit: Digit, skin: &SurfaceDistance) -> Vec<PadPoint> {
        const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
        let (frame, length) = self.tips[digit.index()];
        let bone = self.bones[BoneId::of(digit, 2).index()];
        let depth = |from: Vec3, ray: Vec3| {
            let inside = |d: f64| skin.distance(frame.point(from + d * ray)) < 0.0;
            let far = (1..40).map(|i| 5e-4 * f64::from(i)).find(|&d| !inside(d)).unwrap_or(0.02);
            let (mut low, mut high) = (far - 5e-4, far);
            for _ in 0..20 {
                let middle = 0.5 * (low + high);
                if inside(middle) { low = middle } else { high = middle }
            }
            low
        };
        let centre = Vec3::new(0.0, 0.0, -0.56 * length);
        let width = depth(centre, Vec3::X).min(depth(centre, Vec3::NEG_X));
        (0..PAD_SAMPLES)
            .map(|i| {
                let r = ((i as f64 + 0.5) / PAD_SAMPLES as f64).sqrt();
                let (sin, cos) = libm::sincos(GOLDEN_ANGLE * i as f64);
                let start = centre + Vec3::new(0.72 * width * r * cos, 0.0, 0.36 * length * r * sin);
                let below = start + depth(start, Vec3::NEG_Y) * Vec3::NEG_Y;
                let place = frame.point(below);
                let outward = skin.nearest(place).map_or(Vec3::NEG_Y, |near| skin.normal_at(&near));
                PadPoint {
                    local: bone.local(place),
                    normal: (bone.rotation.inverse() * outward).normalize_or(Vec3::NEG_Y),
                }
            })
            .collect()
    }
}
