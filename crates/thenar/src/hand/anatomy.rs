//! The measures of a person's hand: everything the hand is built from.

mod check;
mod preset;

pub use check::AnatomyError;
pub use preset::Preset;

use super::{Digit, Side};
use crate::math::Vec3;

/// Measures of one digit. Vectors and angles are those of a right hand at rest; a left hand is its mirror image.
#[derive(Clone, Debug, PartialEq)]
pub struct DigitAnatomy {
    /// Carpometacarpal joint in the hand frame, metres.
    pub base: Vec3,
    /// Direction of the metacarpal: turn from -Z towards the little finger, radians.
    pub metacarpal_yaw: f64,
    /// Direction of the metacarpal: turn towards the palm, radians.
    pub metacarpal_pitch: f64,
    /// Turn of the digit about its metacarpal, radians (60° for the thumb, whose nail looks sideways; 0 for fingers).
    pub roll: f64,
    /// Length of the metacarpal, metres.
    pub metacarpal: f64,
    /// Length of the proximal phalanx, metres.
    pub proximal: f64,
    /// Length of the middle phalanx, metres; ignored for the thumb, which has none.
    pub middle: f64,
    /// Length of the distal phalanx without the soft tip, metres.
    pub distal: f64,
    /// Length of the soft tip beyond the bone, metres.
    pub soft_tip: f64,
    /// Breadth at the PIP joint (thumb: at the IP joint), metres.
    pub breadth: f64,
    /// Thickness from back to palm side at the same joint, metres.
    pub thickness: f64,
    /// Turn of the resting finger from -Z towards the little finger, radians; ignored for the thumb.
    pub rest_spread: f64,
    /// Flexion at rest, radians: MCP, PIP, DIP of a finger; MCP and IP of the thumb in the last two places, its CMC
    /// being at rest by definition.
    pub rest_flexion: [f64; 3],
    /// Least and greatest anatomical flexion of the three joints, radians (0 is straight).
    pub flexion: [[f64; 2]; 3],
    /// Least and greatest abduction of the first joint from rest, radians; positive is towards the thumb's side for
    /// fingers and away from the palm for the thumb.
    pub abduction: [f64; 2],
    /// Greatest twist of the first joint either way, radians; only the thumb twists.
    pub twist: f64,
}

/// Measures of the palm and the wrist.
#[derive(Clone, Debug, PartialEq)]
pub struct PalmAnatomy {
    /// Breadth of the hand across the heads of the metacarpals, metres.
    pub breadth: f64,
    /// Thickness of the palm across the metacarpals, metres.
    pub thickness: f64,
    /// Breadth of the wrist, metres.
    pub wrist_breadth: f64,
    /// Thickness of the wrist, metres.
    pub wrist_thickness: f64,
    /// Where the webs between the fingers end, as a fraction of the proximal phalanx from the knuckle.
    pub web_height: f64,
}

/// A person's hand in numbers.
///
/// ```
/// use thenar::hand::{Anatomy, Digit, Preset, Side};
/// let mut anatomy = Anatomy::preset(Preset::Adult, Side::Left);
/// anatomy.digit_mut(Digit::Index).proximal = 0.042;
/// assert!(anatomy.validate().is_ok());
/// anatomy.digit_mut(Digit::Index).proximal = 0.0;
/// assert!(anatomy.validate().unwrap_err().to_string().contains("index.proximal"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Anatomy {
    /// Left or right.
    pub side: Side,
    /// Palm and wrist.
    pub palm: PalmAnatomy,
    /// The digits, by [`Digit::index`].
    pub digits: [DigitAnatomy; 5],
}

impl Anatomy {
    /// The measures of one digit.
    #[must_use]
    pub fn digit(&self, digit: Digit) -> &DigitAnatomy {
        &self.digits[digit.index()]
    }

    /// The measures of one digit, to change.
    pub fn digit_mut(&mut self, digit: Digit) -> &mut DigitAnatomy {
        &mut self.digits[digit.index()]
    }

    /// Distance from the wrist to the tip of the stretched middle finger, metres.
    #[must_use]
    pub fn hand_length(&self) -> f64 {
        let middle = self.digit(Digit::Middle);
        -middle.base.z + middle.metacarpal + middle.proximal + middle.middle + middle.distal + middle.soft_tip
    }

    /// Scales every length, keeping angles.
    #[must_use]
    pub fn scaled(mut self, length: f64, breadth: f64, thickness: f64) -> Anatomy {
        let palm = &mut self.palm;
        palm.breadth *= breadth;
        palm.wrist_breadth *= breadth;
        palm.thickness *= thickness;
        palm.wrist_thickness *= thickness;
        for digit in &mut self.digits {
            digit.base *= Vec3::new(breadth, thickness, length);
            for bone in
                [&mut digit.metacarpal, &mut digit.proximal, &mut digit.middle, &mut digit.distal, &mut digit.soft_tip]
            {
                *bone *= length;
            }
            digit.breadth *= breadth;
            digit.thickness *= thickness;
        }
        self
    }
}

impl DigitAnatomy {
    /// Places the metacarpal between two points of a right hand's frame, metres: base, direction and length.
    pub fn set_metacarpal(&mut self, base: Vec3, head: Vec3) {
        let bone = head - base;
        self.base = base;
        self.metacarpal = bone.length();
        self.metacarpal_yaw = libm::atan2(bone.x, -bone.z);
        self.metacarpal_pitch = libm::atan2(-bone.y, libm::hypot(bone.x, bone.z));
    }
}
