//! How far neighbouring digits are joined by their web.

use super::{BoneId, Digit, Skeleton};
use crate::math::{Pose, Vec3};

/// Step along the digits, metres.
const STEP: f64 = 0.5e-3;
/// Depths tried either side of the bones, in millimetres.
const DEPTHS: i32 = 8;
/// Points on the way across.
const ACROSS: i32 = 40;

/// The first free bones of two neighbouring digits, between which a web may reach.
pub(super) struct WebProbe {
    bones: [Pose; 2],
    length: f64,
}

impl WebProbe {
    /// Thumb–index, index–middle, middle–ring, ring–little.
    pub fn all(skeleton: &Skeleton) -> [WebProbe; 4] {
        std::array::from_fn(|i| {
            let pair = [Digit::ALL[i], Digit::ALL[i + 1]];
            // The thumb's metacarpal lies in the palm.
            let bones = pair.map(|digit| skeleton.bone(BoneId::of(digit, usize::from(digit == Digit::Thumb))));
            WebProbe { bones: [bones[0].rest, bones[1].rest], length: bones[0].length.min(bones[1].length) }
        })
    }

    /// True if at that distance from the knuckles some straight way from digit to digit, at some depth between back and
    /// palm, stays inside the body given by `inside`.
    pub fn joined_at(&self, distance: f64, inside: &impl Fn(Vec3) -> bool) -> bool {
        (-DEPTHS..=DEPTHS).any(|depth| {
            let offset = Vec3::new(0.0, f64::from(depth) * 1e-3, -distance);
            let [a, b] = self.bones.map(|pose| pose.point(offset));
            (0..=ACROSS).all(|i| inside(a.lerp(b, f64::from(i) / f64::from(ACROSS))))
        })
    }

    /// Distance beyond the knuckle line up to which the digits are joined, metres.
    pub fn reach(&self, inside: &impl Fn(Vec3) -> bool) -> f64 {
        let mut steps = 0;
        while f64::from(steps) * STEP < self.length && self.joined_at(f64::from(steps + 1) * STEP, inside) {
            steps += 1;
        }
        f64::from(steps) * STEP
    }
}
