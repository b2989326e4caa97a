//! Deformable objects of a scene.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thenar::energy::tissue::Material;
use thenar::math::Pose;

use super::object::placement;
use super::validate::{Outcome, fault, vector, within};
use super::{Scene, ShapeSpec};

/// Something that can be squeezed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SoftSpec {
    /// Name, by which checks refer to it.
    pub name: String,
    /// Its solid at rest: one closed surface, so no `parts` and no `plane`.
    pub shape: ShapeSpec,
    /// Where its origin is at the start, metres.
    #[serde(default)]
    pub position: [f64; 3],
    /// Turns in degrees about x, then y, then z (axes of the world).
    #[serde(default)]
    pub rotation: [f64; 3],
    /// Number of elements, about.
    #[serde(default = "usual_tets")]
    pub tets: usize,
    /// Young's modulus, Pa. Foam has 5e3 to 1e5, rubber 1e6.
    pub young: f64,
    /// Poisson's ratio.
    #[serde(default = "usual_poisson")]
    pub poisson: f64,
    /// kg/m³.
    #[serde(default = "usual_density")]
    pub density: f64,
    /// For pictures: `#rrggbb`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub colour: Option<String>,
}

fn usual_tets() -> usize {
    400
}

fn usual_poisson() -> f64 {
    0.4
}

fn usual_density() -> f64 {
    200.0
}

impl SoftSpec {
    /// Where it is at the start.
    #[must_use]
    pub fn pose(&self) -> Pose {
        placement(self.position, self.rotation)
    }

    /// What it is made of.
    #[must_use]
    pub fn material(&self) -> Material {
        Material { young: self.young, poisson: self.poisson }
    }
}

impl Scene {
    pub(super) fn check_softs(&self) -> Outcome {
        for (index, soft) in self.softs.iter().enumerate() {
            let path = format!("soft[{index}]");
            let others =
                self.objects.iter().map(|object| &object.name).chain(self.softs[..index].iter().map(|s| &s.name));
            if others.into_iter().any(|other| *other == soft.name) {
                let what = format!("`{}` is already the name of something else", soft.name);
                return Err(fault(format!("{path}.name"), what));
            }
            check_soft(&path, soft)?;
        }
        Ok(())
    }
}

fn check_soft(path: &str, soft: &SoftSpec) -> Outcome {
    super::validate::check_name(path, &soft.name)?;
    if matches!(soft.shape, ShapeSpec::Plane | ShapeSpec::Parts(_)) {
        return Err(fault(format!("{path}.shape"), "a soft object needs one closed surface: no `plane`, no `parts`"));
    }
    super::validate::check_shape(&format!("{path}.shape"), &soft.shape, 1)?;
    vector(format!("{path}.position"), soft.position, 1000.0, "m")?;
    vector(format!("{path}.rotation"), soft.rotation, 36000.0, "degrees")?;
    within(format!("{path}.tets"), soft.tets as f64, 50.0, 50_000.0, "elements")?;
    within(format!("{path}.young"), soft.young, 100.0, 1e9, "Pa")?;
    within(format!("{path}.poisson"), soft.poisson, 0.0, 0.49, "")?;
    within(format!("{path}.density"), soft.density, 1.0, 30_000.0, "kg/m³")?;
    super::validate::check_colour(path, soft.colour.as_deref())
}
