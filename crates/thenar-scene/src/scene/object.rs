//! Objects of a scene.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thenar::contact::ContactMethod;
use thenar::geometry::distance::{DistanceGrid, Part, Shape};
use thenar::math::{Pose, Quat, Vec3};

use super::JointSpec;
use crate::models::Model;

/// Something that can be touched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObjectSpec {
    /// Name, by which checks refer to it.
    pub name: String,
    /// Its solid.
    pub shape: ShapeSpec,
    /// Where its origin is at the start, metres.
    #[serde(default)]
    pub position: [f64; 3],
    /// Turns in degrees about x, then y, then z (axes of the world).
    #[serde(default)]
    pub rotation: [f64; 3],
    /// Starting velocity, m/s.
    #[serde(default)]
    pub velocity: [f64; 3],
    /// Starting rate of turn, degrees per second about x, y and z.
    #[serde(default)]
    pub spin: [f64; 3],
    /// Kilograms; without it the density counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    /// Kilograms per cubic metre; 700 (wood) where neither mass nor density is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// True for what never moves.
    #[serde(default)]
    pub fixed: bool,
    /// Kept where it is until this time, seconds, as if somebody presented it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<f64>,
    /// How it is joined to the world; needs a `[host]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint: Option<JointSpec>,
    /// Coulomb friction; that of the world where it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// How contact with it is resolved; the world's method (`world.set.contact`) where it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contact: Option<ContactSpec>,
    /// For pictures: `#rrggbb`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub colour: Option<String>,
}

/// How contact is resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ContactSpec {
    /// Springs at skin points.
    Penalty,
    /// Constraints at skin points.
    Point,
    /// Constraints on the volume and slip of whole patches.
    Aggregate,
}

impl From<ContactSpec> for ContactMethod {
    fn from(spec: ContactSpec) -> ContactMethod {
        match spec {
            ContactSpec::Penalty => ContactMethod::Penalty,
            ContactSpec::Point => ContactMethod::Point,
            ContactSpec::Aggregate => ContactMethod::Aggregate,
        }
    }
}

/// A solid as written in a scene: `shape = { sphere = 0.03 }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ShapeSpec {
    /// Radius, metres.
    Sphere(f64),
    /// Edge lengths, metres.
    Box([f64; 3]),
    /// A rod with round ends along y.
    #[serde(rename_all = "kebab-case")]
    Capsule {
        /// Metres.
        radius: f64,
        /// From end to end, metres; more than twice the radius.
        length: f64,
    },
    /// A round rod along y.
    #[serde(rename_all = "kebab-case")]
    Cylinder {
        /// Metres.
        radius: f64,
        /// From end to end, metres.
        length: f64,
    },
    /// Everything below y = 0.
    Plane,
    /// A closed mesh.
    Mesh(MeshSource),
    /// Several solids joined into one.
    Parts(Vec<PartSpec>),
}

/// A mesh and how to take it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table such as { file = \"thing.stl\", scale = 0.001 }")]
pub struct MeshSource {
    /// STL, OBJ or glTF, relative to the scene …
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// … or a thing that Thenar knows how to make.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Model>,
    /// Metres per unit of the file.
    #[serde(default = "one")]
    pub scale: f64,
    /// Nodes of the distance grid along the longest side.
    #[serde(default = "usual_resolution")]
    pub resolution: usize,
}

/// A piece of a joined solid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PartSpec {
    /// Its solid.
    pub shape: ShapeSpec,
    /// Metres.
    #[serde(default)]
    pub position: [f64; 3],
    /// Turns in degrees about x, then y, then z.
    #[serde(default)]
    pub rotation: [f64; 3],
}

fn one() -> f64 {
    1.0
}

fn usual_resolution() -> usize {
    64
}

/// A placement from a position and turns in degrees about the fixed axes x, then y, then z.
pub(crate) fn placement(position: [f64; 3], degrees: [f64; 3]) -> Pose {
    let [x, y, z] = degrees.map(f64::to_radians);
    let rotation = Quat::from_rotation_z(z) * Quat::from_rotation_y(y) * Quat::from_rotation_x(x);
    Pose::new(Vec3::from_array(position), rotation)
}

impl ObjectSpec {
    /// Where it is at the start.
    #[must_use]
    pub fn pose(&self) -> Pose {
        placement(self.position, self.rotation)
    }
}

impl ShapeSpec {
    /// The solid itself. `load` brings the grid of a mesh file.
    ///
    /// # Errors
    /// What `load` returns.
    pub fn build<E>(&self, load: &mut dyn FnMut(&MeshSource) -> Result<Arc<DistanceGrid>, E>) -> Result<Shape, E> {
        Ok(match self {
            ShapeSpec::Sphere(radius) => Shape::Sphere { radius: *radius },
            ShapeSpec::Box(edges) => Shape::Box { half: Vec3::from_array(*edges) * 0.5 },
            ShapeSpec::Capsule { radius, length } => {
                Shape::Capsule { half_height: 0.5 * length - radius, radius: *radius }
            }
            ShapeSpec::Cylinder { radius, length } => Shape::Cylinder { half_height: 0.5 * length, radius: *radius },
            ShapeSpec::Plane => Shape::Plane,
            ShapeSpec::Mesh(source) => Shape::Grid(load(source)?),
            ShapeSpec::Parts(parts) => {
                let mut built = Vec::with_capacity(parts.len());
                for part in parts {
                    built.push(Part { pose: placement(part.position, part.rotation), shape: part.shape.build(load)? });
                }
                Shape::Compound(built.into())
            }
        })
    }
}
