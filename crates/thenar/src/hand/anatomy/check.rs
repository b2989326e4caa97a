//! What measures a hand may have.

use super::{Anatomy, DigitAnatomy};
use crate::geometry::SurfaceError;
use crate::hand::Digit;
use std::f64::consts::PI;

/// Why a hand cannot be built from these measures.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AnatomyError {
    /// A measure lies outside what a hand can have, or is not a number.
    #[error("{field} is {value} {unit}, but must lie between {min} and {max} {unit}")]
    OutOfRange {
        /// The measure, for example `index.proximal`.
        field: String,
        /// What it was.
        value: f64,
        /// Least allowed value.
        min: f64,
        /// Greatest allowed value.
        max: f64,
        /// Unit of the three numbers.
        unit: &'static str,
    },
    /// A range of motion whose ends are in the wrong order, or that does not contain the resting pose.
    #[error("{field} is {range:?} rad, which must be ascending and contain the resting angle {rest} rad")]
    BadRange {
        /// The range, for example `index.flexion[1]`.
        field: String,
        /// What it was.
        range: [f64; 2],
        /// The resting angle.
        rest: f64,
    },
    /// No such typical hand.
    #[error("there is no hand called {name:?}; known are {known}")]
    UnknownPreset {
        /// What was asked for.
        name: String,
        /// What exists.
        known: String,
    },
    /// The measures are possible one by one, but the skin built from them is not a proper surface.
    #[error("these measures do not give a proper skin: {0}")]
    Skin(#[from] SurfaceError),
}

/// From a small child's little finger to a giant's palm, metres.
const METACARPAL: [f64; 2] = [0.015, 0.12];
const PROXIMAL: [f64; 2] = [0.010, 0.085];
const MIDDLE: [f64; 2] = [0.006, 0.06];
const DISTAL: [f64; 2] = [0.005, 0.05];
const SOFT_TIP: [f64; 2] = [0.001, 0.02];
const DIGIT_SECTION: [f64; 2] = [0.006, 0.04];
const BASE: [f64; 2] = [-0.08, 0.08];

impl Anatomy {
    /// Checks every measure.
    ///
    /// # Errors
    /// The first measure that is out of range or not a number.
    pub fn validate(&self) -> Result<(), AnatomyError> {
        let palm = &self.palm;
        within("palm.breadth", palm.breadth, [0.03, 0.15], "m")?;
        within("palm.thickness", palm.thickness, [0.01, 0.06], "m")?;
        within("palm.wrist_breadth", palm.wrist_breadth, [0.02, 0.11], "m")?;
        within("palm.wrist_thickness", palm.wrist_thickness, [0.012, 0.08], "m")?;
        within("palm.web_height", palm.web_height, [0.2, 0.6], "")?;
        Digit::ALL.into_iter().try_for_each(|d| self.digit(d).validate(d))
    }
}

impl DigitAnatomy {
    fn validate(&self, digit: Digit) -> Result<(), AnatomyError> {
        let name = |field: &str| format!("{}.{field}", digit.name());
        let is_thumb = digit == Digit::Thumb;
        for (axis, value) in ["x", "y", "z"].iter().zip(self.base.to_array()) {
            within(&name(&format!("base.{axis}")), value, BASE, "m")?;
        }
        let lengths = [
            ("metacarpal", self.metacarpal, METACARPAL),
            ("proximal", self.proximal, PROXIMAL),
            ("middle", if is_thumb { MIDDLE[0] } else { self.middle }, MIDDLE),
            ("distal", self.distal, DISTAL),
            ("soft_tip", self.soft_tip, SOFT_TIP),
            ("breadth", self.breadth, DIGIT_SECTION),
            ("thickness", self.thickness, DIGIT_SECTION),
        ];
        for (field, value, range) in lengths {
            within(&name(field), value, range, "m")?;
        }
        let yaw = if is_thumb { 1.6 } else { 0.8 };
        within(&name("metacarpal_yaw"), self.metacarpal_yaw, [-yaw, yaw], "rad")?;
        within(&name("metacarpal_pitch"), self.metacarpal_pitch, [-0.7, 1.3], "rad")?;
        within(&name("roll"), self.roll, [-0.6, 1.6], "rad")?;
        within(&name("rest_spread"), self.rest_spread, [-0.6, 0.6], "rad")?;
        within(&name("twist"), self.twist, [0.0, PI / 2.0], "rad")?;
        for (i, rest) in self.rest_flexion.into_iter().enumerate() {
            within(&name(&format!("rest_flexion[{i}]")), rest, [-0.3, 1.0], "rad")?;
            motion_range(&name(&format!("flexion[{i}]")), self.flexion[i], rest)?;
        }
        motion_range(&name("abduction"), self.abduction, 0.0)
    }
}

fn within(field: &str, value: f64, [min, max]: [f64; 2], unit: &'static str) -> Result<(), AnatomyError> {
    if (min..=max).contains(&value) {
        Ok(())
    } else {
        Err(AnatomyError::OutOfRange { field: field.to_owned(), value, min, max, unit })
    }
}

fn motion_range(field: &str, range: [f64; 2], rest: f64) -> Result<(), AnatomyError> {
    for end in range {
        within(field, end, [-PI, PI], "rad")?;
    }
    if range[0] <= rest && rest <= range[1] {
        Ok(())
    } else {
        Err(AnatomyError::BadRange { field: field.to_owned(), range, rest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hand::{Preset, Side};

    #[test]
    fn bad_measures_are_named() {
        let spoilt = |spoil: &dyn Fn(&mut Anatomy)| {
            let mut anatomy = Anatomy::preset(Preset::Adult, Side::Right);
            spoil(&mut anatomy);
            anatomy.validate().unwrap_err().to_string()
        };
        assert!(spoilt(&|a| a.digits[3].middle = 0.0).contains("ring.middle is 0 m"));
        assert!(spoilt(&|a| a.palm.breadth = f64::NAN).contains("palm.breadth is NaN"));
        assert!(spoilt(&|a| a.digits[0].base.z = f64::INFINITY).contains("thumb.base.z"));
        assert!(spoilt(&|a| a.digits[1].flexion[1] = [1.0, 0.5]).contains("index.flexion[1]"));
        assert!(spoilt(&|a| a.digits[4].rest_flexion[2] = -2.0).contains("little.rest_flexion[2]"));
    }

    #[test]
    fn the_thumb_needs_no_middle_phalanx() {
        let mut anatomy = Anatomy::preset(Preset::Child, Side::Left);
        anatomy.digits[0].middle = f64::NAN;
        assert_eq!(anatomy.validate(), Ok(()));
    }
}
