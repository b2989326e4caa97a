//! Adding rigid objects to a world.

use super::WorldConfig;
use crate::body::{ContactMethod, EDGE_SPACING, ObjectFeature, ObjectModel, ObjectSample};
use crate::energy::inertia::RigidMass;
use crate::geometry::Aabb;
use crate::geometry::distance::{MassError, MassProperties, Shape, ShapeError, surface_points};
use crate::math::{Pose, Vec3};

/// A rigid object as a user describes it.
#[derive(Clone, Debug)]
pub struct ObjectDef {
    /// Name for messages and outputs.
    pub name: String,
    /// The solid.
    pub shape: Shape,
    /// Placement of the shape's frame.
    pub pose: Pose,
    /// Mass, kg; `None` for an object that never moves.
    pub mass: Option<f64>,
    /// Coulomb's coefficient against skin; against another object the geometric mean of both.
    pub friction: f64,
    /// Velocity at the start, m/s.
    pub velocity: Vec3,
    /// Spin at the start, rad/s.
    pub spin: Vec3,
    /// How skin contact with it is resolved; `None` for the world's own method.
    pub method: Option<ContactMethod>,
}

/// Why an object was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ObjectError {
    /// The shape itself.
    #[error("object '{name}': {source}")]
    Shape {
        /// Name of the object.
        name: String,
        /// What is wrong with it.
        source: ShapeError,
    },
    /// Its mass.
    #[error("object '{name}': {source}")]
    Mass {
        /// Name of the object.
        name: String,
        /// What is wrong with it.
        source: MassError,
    },
    /// A contact method that the world's solver cannot resolve.
    #[error("object '{name}': method is `{}`, whose constraints are carried through a factor, and the world's solver is `Pcg`, which makes none; choose `SolverParams::Direct` for the world or `ContactMethod::Penalty` for the object", .method.name())]
    Method {
        /// Name of the object.
        name: String,
        /// What it asked for.
        method: ContactMethod,
    },
    /// Any other number.
    #[error("object '{name}': {field} is {value}, expected {expected}")]
    Field {
        /// Name of the object.
        name: String,
        /// Name of the field.
        field: &'static str,
        /// What it was.
        value: f64,
        /// What it should be.
        expected: &'static str,
    },
}

impl ObjectDef {
    /// A fixed object at a placement, with friction 0.5.
    #[must_use]
    pub fn fixed(name: &str, shape: Shape, pose: Pose) -> Self {
        ObjectDef {
            name: name.into(),
            shape,
            pose,
            mass: None,
            friction: 0.5,
            velocity: Vec3::ZERO,
            spin: Vec3::ZERO,
            method: None,
        }
    }

    /// A moving object of that mass (kg) at a placement, with friction 0.5.
    #[must_use]
    pub fn moving(name: &str, shape: Shape, mass: f64, pose: Pose) -> Self {
        ObjectDef { mass: Some(mass), ..ObjectDef::fixed(name, shape, pose) }
    }

    /// The object as the engine keeps it, and the placement of its centre of mass.
    pub(super) fn build(self, config: &WorldConfig) -> Result<(ObjectModel, Pose), ObjectError> {
        self.build_with(config, None)
    }

    /// The same with mass properties that somebody else has found, in the shape's frame.
    pub(super) fn build_with(
        self,
        config: &WorldConfig,
        known: Option<&MassProperties>,
    ) -> Result<(ObjectModel, Pose), ObjectError> {
        if let Some(method) = self.method.filter(|&method| !config.can_resolve(method)) {
            return Err(ObjectError::Method { name: self.name, method });
        }
        let bad = |field, value, expected| ObjectError::Field { name: self.name.clone(), field, value, expected };
        if !(self.friction >= 0.0 && self.friction <= 10.0) {
            return Err(bad("friction", self.friction, "a number from 0 to 10"));
        }
        if !self.pose.is_finite() {
            return Err(bad("pose", f64::NAN, "finite numbers"));
        }
        if !(self.velocity.is_finite() && self.velocity.length() < 100.0) {
            return Err(bad("velocity", self.velocity.length(), "at most 100 m/s"));
        }
        if !(self.spin.is_finite() && self.spin.length() < 1000.0) {
            return Err(bad("spin", self.spin.length(), "at most 1000 rad/s"));
        }
        self.shape.validate().map_err(|source| ObjectError::Shape { name: self.name.clone(), source })?;
        let (com, mass, samples) = match self.mass {
            None => (Vec3::ZERO, None, Vec::new()),
            Some(mass) => {
                let properties = match known {
                    Some(known) => *known,
                    None => MassProperties::of_shape(&self.shape, 1000.0)
                        .and_then(|p| p.with_mass(mass))
                        .map_err(|source| ObjectError::Mass { name: self.name.clone(), source })?,
                };
                let samples = touching_samples(&self.shape, properties.com, config.object_spacing);
                (properties.com, Some(RigidMass { mass, inertia: properties.inertia }), samples)
            }
        };
        let pose = Pose::new(self.pose.point(com), self.pose.rotation.normalize());
        let about_com = |bounds: Aabb| Aabb { min: bounds.min - com, max: bounds.max - com };
        let parts = match &self.shape {
            Shape::Compound(parts) => {
                parts.iter().map(|part| about_com(part.bounds())).collect::<std::sync::Arc<[Aabb]>>()
            }
            _ => std::sync::Arc::from([]),
        };
        let features = sharp_edges(&self.shape, com).into();
        let model = ObjectModel {
            method: self.method,
            name: self.name,
            radius: self.shape.bounding_radius(),
            bounds: about_com(self.shape.bounds()),
            parts,
            shape: self.shape,
            com,
            mass,
            border: None,
            hosted: false,
            absent: false,
            friction: self.friction,
            samples: samples.into(),
            features,
        };
        Ok((model, pose))
    }
}

/// An edge is looked for this deep below the surface, metres: what is rounder than that is no edge to a finger.
const EDGE_DEPTH: f64 = 1e-3;

/// Below a flat place the distance to the surface is the depth itself; below an edge of 90° it is 0.7 of it.
const EDGE_SHARPNESS: f64 = 0.9;

/// Places on the sharp edges and corners of a shape, relative to the centre of mass.
fn sharp_edges(shape: &Shape, com: Vec3) -> Vec<ObjectFeature> {
    let sharp = |p: &crate::geometry::distance::SurfacePoint| {
        shape.distance(p.position - p.normal * EDGE_DEPTH) > -EDGE_SHARPNESS * EDGE_DEPTH
    };
    if matches!(shape, Shape::Sphere { .. } | Shape::Capsule { .. } | Shape::Plane) {
        return Vec::new();
    }
    surface_points(shape, EDGE_SPACING)
        .iter()
        .filter(|p| sharp(p))
        .map(|p| ObjectFeature { local: p.position - com, normal: p.normal, area: p.area })
        .collect()
}

/// Depth at which the contact area of a ball inside an object is taken, metres: about what a held object sinks in.
const BALL_DEPTH: f64 = 2e-4;

/// Balls for round shapes, surface points for all others.
fn touching_samples(shape: &Shape, com: Vec3, spacing: f64) -> Vec<ObjectSample> {
    match *shape {
        Shape::Sphere { radius } => {
            // the cap that a plane cuts off at that depth
            let area = std::f64::consts::TAU * radius * BALL_DEPTH;
            vec![ObjectSample { local: -com, radius, area }]
        }
        Shape::Capsule { half_height, radius } => {
            let count = (2.0 * half_height / spacing.max(0.5 * radius)).ceil().clamp(1.0, 200.0) as usize;
            let step = 2.0 * half_height / count as f64;
            let area = step * 2.0 * (2.0 * radius * BALL_DEPTH).sqrt();
            (0..=count)
                .map(|i| {
                    let along = Vec3::new(0.0, i as f64 * step - half_height, 0.0);
                    ObjectSample { local: along - com, radius, area }
                })
                .collect()
        }
        _ => surface_points(shape, spacing)
            .into_iter()
            .map(|p| ObjectSample { local: p.position - com, radius: 0.0, area: p.area })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::distance::Part;
    use crate::math::{Quat, rotation_exp};

    /// A floor with a wall and a slanted rod: parts that are far apart and parts that meet.
    fn object() -> ObjectModel {
        let part = |x: f64, y: f64, turn: Vec3, shape: Shape| Part {
            pose: Pose::new(Vec3::new(x, y, 0.0), rotation_exp(turn)),
            shape,
        };
        let shape = Shape::Compound(
            [
                part(0.0, -0.01, Vec3::ZERO, Shape::Box { half: Vec3::new(0.2, 0.01, 0.1) }),
                part(0.05, 0.05, Vec3::ZERO, Shape::Box { half: Vec3::new(0.004, 0.06, 0.1) }),
                part(-0.1, 0.1, Vec3::new(0.4, 0.2, 0.9), Shape::Cylinder { half_height: 0.06, radius: 0.01 }),
            ]
            .into(),
        );
        let def = ObjectDef::moving("box", shape, 1.0, Pose::new(Vec3::ZERO, Quat::IDENTITY));
        def.build(&WorldConfig { object_spacing: 0.01, ..WorldConfig::default() }).unwrap().0
    }

    #[test]
    fn passing_over_far_parts_changes_no_bit() {
        let (object, reach) = (object(), 2e-3);
        let (mut near, mut far) = (0, 0);
        for i in 0..40000 {
            let fraction = |step: f64| (f64::from(i) * step).fract() - 0.5;
            let p = Vec3::new(fraction(0.8191725134), fraction(0.6710436067), fraction(0.5497004779));
            let p = p * Vec3::new(0.45, 0.35, 0.25) + Vec3::Y * 0.06;
            let whole = object.sample(p);
            match object.sample_within(p, reach) {
                Some(sample) => {
                    assert_eq!(sample, whole);
                    assert!(object.comes_near(&Aabb::new(p, p), reach));
                    near += 1;
                }
                None => {
                    assert!(whole.distance >= reach, "{p} was passed over at {}", whole.distance);
                    far += 1;
                }
            }
        }
        assert!(near > 1000 && far > 1000, "{near} near, {far} far");
    }
}
