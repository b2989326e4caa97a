//! Handles, clamps and regions of soft objects.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thenar::math::Vec3;

use super::validate::{Outcome, fault, vector, within};

/// A box whose nodes never move, in the frame of its soft object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClampSpec {
    /// Its middle, metres.
    pub centre: [f64; 3],
    /// Its edge lengths, metres.
    pub size: [f64; 3],
}

impl ClampSpec {
    /// True for a place inside, in the frame of the soft object.
    #[must_use]
    pub fn contains(&self, place: Vec3) -> bool {
        in_box(self.centre, self.size, place)
    }

    pub(super) fn check(&self, path: &str) -> Outcome {
        check_box(path, self.centre, self.size)
    }
}

fn in_box(centre: [f64; 3], size: [f64; 3], place: Vec3) -> bool {
    let away = (place - Vec3::from_array(centre)).abs();
    away.cmple(Vec3::from_array(size) * 0.5).all()
}

fn check_box(path: &str, centre: [f64; 3], size: [f64; 3]) -> Outcome {
    vector(format!("{path}.centre"), centre, 1000.0, "m")?;
    for (axis, size) in ["x", "y", "z"].iter().zip(size) {
        within(format!("{path}.size.{axis}"), size, 1e-4, 100.0, "m")?;
    }
    Ok(())
}

/// A box of another stiffness, in the frame of its soft object: elements whose middle is inside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegionSpec {
    /// Its middle, metres.
    pub centre: [f64; 3],
    /// Its edge lengths, metres.
    pub size: [f64; 3],
    /// Young's modulus there, Pa.
    pub young: f64,
}

impl RegionSpec {
    /// True for a place inside, in the frame of the soft object.
    #[must_use]
    pub fn contains(&self, place: Vec3) -> bool {
        in_box(self.centre, self.size, place)
    }

    pub(super) fn check(&self, path: &str) -> Outcome {
        within(format!("{path}.young"), self.young, 100.0, 1e9, "Pa")?;
        check_box(path, self.centre, self.size)
    }
}

/// A handle: the nodes inside a sphere, held by a rigid part that follows its keys like a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HandleSpec {
    /// Middle of the sphere, metres, in the frame of the soft object.
    pub seed: [f64; 3],
    /// Radius of the sphere, metres.
    pub radius: f64,
    /// Stiffness with which it follows its keys, N/m; 12 000 where it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f64>,
    /// Where it is at which time; without keys it is free.
    #[serde(default, rename = "key", skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<HandleKey>,
}

/// Where a handle is at one time. Between keys it moves from rest to rest.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HandleKey {
    /// Seconds from the start.
    pub at: f64,
    /// How far it is from its start, metres, in world axes.
    #[serde(default, rename = "move")]
    pub moved: [f64; 3],
    /// How it is turned from its start: a rotation vector in world axes, degrees.
    #[serde(default)]
    pub turn: [f64; 3],
}

impl HandleSpec {
    pub(super) fn check(&self, path: &str) -> Outcome {
        vector(format!("{path}.seed"), self.seed, 1000.0, "m")?;
        within(format!("{path}.radius"), self.radius, 1e-4, 10.0, "m")?;
        within(format!("{path}.stiffness"), self.stiffness.unwrap_or(1.0), 0.0, 1e7, "N/m")?;
        for (k, key) in self.keys.iter().enumerate() {
            let path = format!("{path}.key[{k}]");
            within(format!("{path}.at"), key.at, 0.0, 1e5, "s")?;
            vector(format!("{path}.move"), key.moved, 1000.0, "m")?;
            vector(format!("{path}.turn"), key.turn, 179.0, "degrees")?;
            if k > 0 && key.at <= self.keys[k - 1].at {
                let what = format!("{} s is not after the key before it, at {} s", key.at, self.keys[k - 1].at);
                return Err(fault(format!("{path}.at"), what));
            }
        }
        Ok(())
    }
}
