//! Touch on the fingertips of a scene's hands.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thenar::tactile::{Displacement, TactileParams};

use super::validate::{Outcome, fault};
use super::{Scene, SceneError};
use crate::assets::{AssetError, Assets};

/// What a disc's displacement says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DisplacementSpec {
    /// Where the virtual surface is.
    #[default]
    Surface,
    /// How hard it presses.
    Pressure,
}

/// Touch on the fingertips is rendered, for a device on each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TactileSpec {
    /// The device: `disc`, `button`, or a file `NAME.toml` beside the scene.
    pub device: String,
    /// The disc follows the surface that the pad touches; else it stays retracted.
    pub matching: bool,
    /// What its displacement says.
    pub displacement: DisplacementSpec,
    /// Taxels across and along each pad.
    pub taxels: [usize; 2],
}

impl Default for TactileSpec {
    fn default() -> Self {
        let usual = TactileParams::default();
        TactileSpec {
            device: usual.device.name,
            matching: usual.matching,
            displacement: DisplacementSpec::Surface,
            taxels: usual.taxels,
        }
    }
}

impl TactileSpec {
    /// What the engine needs.
    ///
    /// # Errors
    /// If the device is not known, or its file cannot be read or used.
    pub fn params(&self, assets: &mut Assets<'_>) -> Result<TactileParams, AssetError> {
        Ok(TactileParams {
            device: assets.device(&self.device)?,
            matching: self.matching,
            displacement: match self.displacement {
                DisplacementSpec::Surface => Displacement::Surface,
                DisplacementSpec::Pressure => Displacement::Pressure,
            },
            taxels: self.taxels,
        })
    }
}

impl Scene {
    pub(super) fn check_tactile(&self) -> Outcome {
        if let Some(spec) = &self.tactile {
            for (axis, n) in spec.taxels.iter().enumerate() {
                super::validate::within(format!("tactile.taxels[{axis}]"), *n as f64, 1.0, 64.0, "taxels")?;
            }
        }
        let blind = |check: &&super::Check| self.tactile.is_none() && check.measure.is_tactile();
        match self.checks.iter().find(blind) {
            Some(check) => {
                let what = format!("check `{}` measures touch on the fingertips: add a table `[tactile]`", check.name);
                Err::<(), SceneError>(fault("check", what))
            }
            None => Ok(()),
        }
    }
}
