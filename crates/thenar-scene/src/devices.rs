//! Models of tactile devices as TOML files: geometry, ranges and rates.
//!
//! ```toml
//! name = "disc"
//! [disc]
//! radius = 0.006                    # metres
//! displacement = [-0.003, 0.004]    # retracted to pressed in
//! pitch = [-30, 30]                 # degrees
//! roll = [-30, 30]
//! [rate]
//! displacement = 0.06               # metres per second
//! tilt = 400                        # degrees per second
//! ```
//!
//! `[legs]` (base, platform, length, rate) and `[motor]` (lag) may follow; `docs/tactile.md` explains all fields.

use serde::Deserialize;
use thenar::math::Vec3;
use thenar::tactile::{DeviceModel, Legs};

use crate::library;
use crate::scene::{SceneError, explain_toml, place_of};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DeviceFile {
    name: String,
    disc: Disc,
    rate: Rate,
    legs: Option<LegsFile>,
    #[serde(default)]
    motor: Motor,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Disc {
    radius: f64,
    displacement: [f64; 2],
    pitch: [f64; 2],
    roll: [f64; 2],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rate {
    displacement: f64,
    tilt: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LegsFile {
    base: [[f64; 3]; 3],
    platform: [[f64; 3]; 3],
    length: [f64; 2],
    rate: f64,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Motor {
    #[serde(default)]
    lag: f64,
}

/// Longest device file that is read, bytes.
const LONGEST: usize = 64 << 10;

/// Reads and checks a device.
///
/// # Errors
/// The first mistake, with its line, field, value and what is expected.
pub fn read_device(text: &str) -> Result<DeviceModel, SceneError> {
    if text.len() > LONGEST {
        let what = format!("the file has {} bytes; at most {LONGEST} are read", text.len());
        return Err(SceneError { line: 0, column: 0, field: String::new(), what, nearest: None });
    }
    let file: DeviceFile = toml::from_str(text).map_err(|error| explain_toml(text, &error))?;
    let degrees = |range: [f64; 2]| range.map(f64::to_radians);
    let device = DeviceModel {
        name: file.name,
        radius: file.disc.radius,
        displacement: file.disc.displacement,
        pitch: degrees(file.disc.pitch),
        roll: degrees(file.disc.roll),
        rate: file.rate.displacement,
        tilt_rate: file.rate.tilt.to_radians(),
        legs: file.legs.map(|legs| Legs {
            base: legs.base.map(Vec3::from_array),
            platform: legs.platform.map(Vec3::from_array),
            length: legs.length,
            rate: legs.rate,
        }),
        lag: file.motor.lag,
    };
    match device.check() {
        Ok(()) => Ok(device),
        Err(error) => {
            let (line, column) = place_of(text, error.field.split('[').next().unwrap_or(error.field));
            // angles are degrees in files
            let angle = error.field == "disc.pitch" || error.field == "disc.roll" || error.field == "rate.tilt";
            // as it was written, without the rounding of the way there and back
            let value = if angle { (error.value.to_degrees() * 1e9).round() / 1e9 } else { error.value };
            let what = format!("{value} does not fit; expected {}", error.expected);
            Err(SceneError { line, column, field: error.field.to_owned(), what, nearest: None })
        }
    }
}

/// The device of that name that comes with Thenar.
///
/// # Errors
/// If there is none; the nearest name is offered.
pub fn device(name: &str) -> Result<DeviceModel, SceneError> {
    match library::devices().find(|(known, _)| *known == name) {
        Some((_, text)) => read_device(text),
        None => {
            let what = format!("there is no device `{name}`; a file of one's own ends in .toml");
            Err(SceneError::unknown("tactile.device", what, name, library::devices().map(|(known, _)| known)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutation::mutations;

    #[test]
    fn devices_that_come_with_thenar_are_sound() {
        for (name, _) in library::devices() {
            assert_eq!(device(name).unwrap().name, name);
        }
        let (file, usual) = (device("disc").unwrap(), DeviceModel::default());
        let poses = [usual.free(), thenar::tactile::DiscPose { displacement: 1e-3, pitch: 0.1, roll: -0.2 }];
        for pose in poses {
            for (a, b) in file.lengths(&pose).into_iter().zip(usual.lengths(&pose)) {
                assert!((a - b).abs() < 1e-12, "the default device is the file's");
            }
        }
        assert_eq!(DeviceModel { legs: None, ..file }, DeviceModel { legs: None, ..usual });
        assert!(device("disk").unwrap_err().to_string().contains("did you mean `disc`?"));
    }

    #[test]
    fn a_mistake_is_told_with_its_line_and_what_was_expected() {
        let good = library::devices().next().unwrap().1;
        let told = |from: &str, to: &str| {
            assert!(good.contains(from), "{from}");
            read_device(&good.replace(from, to)).unwrap_err().to_string()
        };
        let message = told("displacement = [-0.003, 0.004]", "displacement = [0.003, 0.004]");
        assert!(message.contains("line 8") && message.contains("`disc.displacement[0]`: 0.003"), "{message}");
        assert!(
            told("radius = 0.006", "radius = 6").contains("`disc.radius`: 6 does not fit; expected 0.001 to 0.03 m")
        );
        assert!(told("pitch = [-30, 30]", "pitch = [-120, 30]").contains("-120"));
        assert!(told("radius", "raduis").contains("did you mean `radius`?"));
        assert!(told("rate = 0.12", "").contains("rate"));
        for damaged in mutations(good.as_bytes(), 300) {
            if let Ok(text) = std::str::from_utf8(&damaged) {
                drop(read_device(text));
            }
        }
    }
}
