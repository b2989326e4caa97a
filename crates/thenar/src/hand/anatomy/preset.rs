//! Typical hands.

use super::{Anatomy, AnatomyError, DigitAnatomy, PalmAnatomy};
use crate::hand::Side;
use crate::math::Vec3;

/// A typical hand by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Preset {
    /// Mean bones of adults [Buryanov & Kotiuk 2010]; with our carpal length the hand is 185 mm long and 84 mm broad,
    /// which are the means of men (184.9 mm, 84 ± 4 mm).
    Adult,
    /// Mean woman: 167.6 mm long, 75 ± 4 mm broad.
    AdultSmall,
    /// Large man: breadth at the 95th percentile (84 + 1.645 · 4 mm), length in the same proportion.
    AdultLarge,
    /// Child of about six years: 130 mm long, 62 mm broad, relatively broader and thicker than an adult. The figures
    /// are rounded from what is common knowledge of child anthropometry, not from a table, and only set proportions.
    Child,
}

impl Preset {
    /// All presets.
    pub const ALL: [Preset; 4] = [Preset::Adult, Preset::AdultSmall, Preset::AdultLarge, Preset::Child];

    /// The name used on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Preset::Adult => "adult",
            Preset::AdultSmall => "adult-small",
            Preset::AdultLarge => "adult-large",
            Preset::Child => "child",
        }
    }

    /// Factors on the adult's lengths, breadths and thicknesses.
    const fn scales(self) -> [f64; 3] {
        match self {
            Preset::Adult => [1.0, 1.0, 1.0],
            Preset::AdultSmall => [167.6 / 185.4, 75.0 / 84.0, 75.0 / 84.0],
            Preset::AdultLarge => [90.6 / 84.0, 90.6 / 84.0, 90.6 / 84.0],
            Preset::Child => [130.0 / 185.4, 62.0 / 84.0, 0.74],
        }
    }
}

impl std::str::FromStr for Preset {
    type Err = AnatomyError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Preset::ALL.into_iter().find(|p| p.name() == name).ok_or_else(|| AnatomyError::UnknownPreset {
            name: name.to_owned(),
            known: Preset::ALL.map(Preset::name).join(", "),
        })
    }
}

/// One row of the table of digits: millimetres and degrees.
struct Row {
    base: [f64; 3],
    yaw_pitch_roll: [f64; 3],
    /// Metacarpal, proximal, middle, distal, soft tip [Buryanov & Kotiuk 2010, via REFERENCE].
    bones: [f64; 5],
    breadth_thickness: [f64; 2],
    spread: f64,
    rest: [f64; 3],
    abduction: [f64; 2],
}

#[rustfmt::skip]
const ADULT_DIGITS: [Row; 5] = [
    Row { base: [-17.0, -7.0, -15.0], yaw_pitch_roll: [-46.0, 24.0, 60.0], bones: [46.2, 31.6, 0.0, 21.7, 5.7],
          breadth_thickness: [21.2, 19.0], spread: 0.0, rest: [0.0, 8.0, 10.0], abduction: [-30.0, 45.0] },
    Row { base: [-12.5, 1.0, -23.0], yaw_pitch_roll: [-11.0, 1.5, 0.0], bones: [68.1, 39.8, 22.4, 15.8, 3.8],
          breadth_thickness: [18.4, 18.0], spread: -7.0, rest: [9.0, 14.0, 8.0], abduction: [-20.0, 20.0] },
    Row { base: [-1.0, 2.5, -28.5], yaw_pitch_roll: [-1.0, 0.0, 0.0], bones: [64.6, 44.6, 26.3, 17.4, 4.0],
          breadth_thickness: [18.8, 18.5], spread: -0.5, rest: [10.0, 16.0, 8.0], abduction: [-20.0, 20.0] },
    Row { base: [8.5, 1.5, -27.5], yaw_pitch_roll: [9.5, 1.5, 0.0], bones: [58.0, 41.4, 25.7, 17.3, 4.0],
          breadth_thickness: [17.4, 17.3], spread: 6.0, rest: [11.0, 18.0, 9.0], abduction: [-20.0, 20.0] },
    Row { base: [17.6, -1.0, -25.0], yaw_pitch_roll: [20.0, 4.0, 0.0], bones: [53.7, 32.7, 18.1, 16.0, 3.7],
          breadth_thickness: [15.2, 15.1], spread: 16.0, rest: [12.0, 18.0, 9.0], abduction: [-20.0, 20.0] },
];

/// Anatomical flexion of MCP, PIP and DIP, degrees [REFERENCE]: hyperextension of the MCP reaches 45°.
const FINGER_FLEXION: [[f64; 2]; 3] = [[-45.0, 90.0], [0.0, 100.0], [0.0, 85.0]];
/// Flexion of the thumb's CMC (from rest, within the 60° either way of REFERENCE), MCP and IP, degrees.
const THUMB_FLEXION: [[f64; 2]; 3] = [[-25.0, 50.0], [-8.0, 60.0], [-12.0, 88.0]];
/// Axial rotation the thumb's saddle joint allows either way, degrees.
const THUMB_TWIST: f64 = 25.0;

const MM: f64 = 1e-3;

impl Anatomy {
    /// A typical hand.
    #[must_use]
    pub fn preset(preset: Preset, side: Side) -> Anatomy {
        let palm = PalmAnatomy {
            breadth: 84.0 * MM,
            thickness: 29.0 * MM,
            wrist_breadth: 56.5 * MM,
            wrist_thickness: 39.4 * MM,
            web_height: 0.39,
        };
        let digits = std::array::from_fn(|i| adult_digit(&ADULT_DIGITS[i], i == 0));
        let [length, breadth, thickness] = preset.scales();
        Anatomy { side, palm, digits }.scaled(length, breadth, thickness)
    }
}

fn adult_digit(row: &Row, is_thumb: bool) -> DigitAnatomy {
    let [yaw, pitch, roll] = row.yaw_pitch_roll.map(f64::to_radians);
    let [metacarpal, proximal, middle, distal, soft_tip] = row.bones.map(|b| b * MM);
    let flexion = if is_thumb { THUMB_FLEXION } else { FINGER_FLEXION };
    DigitAnatomy {
        base: Vec3::from(row.base) * MM,
        metacarpal_yaw: yaw,
        metacarpal_pitch: pitch,
        roll,
        metacarpal,
        proximal,
        middle,
        distal,
        soft_tip,
        breadth: row.breadth_thickness[0] * MM,
        thickness: row.breadth_thickness[1] * MM,
        rest_spread: row.spread.to_radians(),
        rest_flexion: row.rest.map(f64::to_radians),
        flexion: flexion.map(|r| r.map(f64::to_radians)),
        abduction: row.abduction.map(f64::to_radians),
        twist: if is_thumb { THUMB_TWIST.to_radians() } else { 0.0 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_have_names_and_are_valid() {
        for preset in Preset::ALL {
            assert_eq!(preset.name().parse::<Preset>(), Ok(preset));
            assert_eq!(Anatomy::preset(preset, Side::Right).validate(), Ok(()));
        }
        let error = "giant".parse::<Preset>().unwrap_err().to_string();
        assert!(error.contains("giant") && error.contains("adult-large"), "{error}");
    }

    #[test]
    fn lengths_are_those_of_the_literature() {
        let length = |p| Anatomy::preset(p, Side::Right).hand_length();
        // Means of men and women from REFERENCE; half a millimetre for rounding the table.
        assert!((length(Preset::Adult) - 0.1849).abs() < 0.0006);
        assert!((length(Preset::AdultSmall) - 0.1676).abs() < 0.0005);
        assert!(length(Preset::AdultLarge) > length(Preset::Adult));
        assert!(length(Preset::Child) < length(Preset::AdultSmall));
    }
}
