//! Where the joints of a right hand lie at rest, from its anatomy.

use super::{Anatomy, Digit, DigitAnatomy};
use crate::math::{Pose, Quat, Vec3};

/// Frames along one digit of a right hand, from the base of its metacarpal to the end of its soft tip.
#[derive(Clone, Debug)]
pub(super) struct DigitChain {
    /// Metacarpal base, each phalanx, end of the distal bone, end of the soft tip: 6 for fingers, 5 for the thumb.
    pub frames: Vec<Pose>,
}

impl DigitChain {
    /// Frames of the joints: metacarpal base, then each phalanx, without the two ends.
    pub fn joints(&self) -> &[Pose] {
        &self.frames[..self.frames.len() - 2]
    }

    /// Where the distal bone ends.
    pub fn bone_end(&self) -> Pose {
        self.frames[self.frames.len() - 2]
    }

    /// Where the skin ends.
    pub fn tip(&self) -> Pose {
        self.frames[self.frames.len() - 1]
    }

    /// A point of a bone's frame in the hand frame; `fraction` along the bone, then an offset in its frame.
    pub fn anchor(&self, bone: usize, fraction: f64, offset: Vec3) -> Vec3 {
        let length = self.frames[bone].position.distance(self.frames[bone + 1].position);
        self.frames[bone].point(Vec3::new(0.0, 0.0, -length * fraction) + offset)
    }
}

/// The chains of all digits of a right hand at rest, metres, by [`Digit::index`].
pub(super) fn rest_chains(anatomy: &Anatomy) -> [DigitChain; 5] {
    Digit::ALL.map(|digit| rest_chain(anatomy.digit(digit), digit == Digit::Thumb))
}

fn rest_chain(digit: &DigitAnatomy, is_thumb: bool) -> DigitChain {
    let towards_ulnar = |angle: f64| Quat::from_rotation_y(-angle);
    let towards_palm = |angle: f64| Quat::from_rotation_x(-angle);
    let metacarpal =
        towards_ulnar(digit.metacarpal_yaw) * towards_palm(digit.metacarpal_pitch) * Quat::from_rotation_z(digit.roll);
    // A finger leaves its metacarpal for its own direction; the thumb stays in line.
    let first_turn = if is_thumb { Quat::IDENTITY } else { towards_ulnar(digit.rest_spread - digit.metacarpal_yaw) };
    let [first, second, third] = digit.rest_flexion;
    let bends: Vec<(f64, Quat)> = if is_thumb {
        vec![(digit.metacarpal, towards_palm(second)), (digit.proximal, towards_palm(third))]
    } else {
        vec![
            (digit.metacarpal, first_turn * towards_palm(first)),
            (digit.proximal, towards_palm(second)),
            (digit.middle, towards_palm(third)),
        ]
    };
    let straight = [(digit.distal, Quat::IDENTITY), (digit.soft_tip, Quat::IDENTITY)];
    let mut frames = vec![Pose::new(digit.base, metacarpal)];
    for (length, turn) in bends.into_iter().chain(straight) {
        let last = frames[frames.len() - 1];
        frames.push(last * Pose::new(Vec3::new(0.0, 0.0, -length), turn));
    }
    DigitChain { frames }
}
