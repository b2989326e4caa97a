//! The shapes that can be touched, behind one interface.

use std::sync::Arc;

use super::{DistanceGrid, primitive};
use crate::geometry::Aabb;
use crate::math::{Pose, Vec3};

/// Signed distance and direction out of a shape at one point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Distance to the surface, metres; negative inside.
    pub distance: f64,
    /// Unit gradient of the distance: away from the surface outside, towards it inside. In the shape's frame.
    pub normal: Vec3,
}

/// A solid in its own frame. Cylinders and capsules stand along Y.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A ball around the origin.
    Sphere {
        /// Metres.
        radius: f64,
    },
    /// A box around the origin.
    Box {
        /// Half of each edge, metres.
        half: Vec3,
    },
    /// The points within a radius of a segment along Y.
    Capsule {
        /// Half the length of the segment (without the round ends), metres.
        half_height: f64,
        /// Metres.
        radius: f64,
    },
    /// A round cylinder along Y with flat ends.
    Cylinder {
        /// Half the height, metres.
        half_height: f64,
        /// Metres.
        radius: f64,
    },
    /// The half-space below y = 0.
    Plane,
    /// A mesh, through its sampled distance.
    Grid(Arc<DistanceGrid>),
    /// Several solids joined into one.
    Compound(Arc<[Part]>),
}

/// A piece of a [`Shape::Compound`].
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Placement of the piece in the compound's frame.
    pub pose: Pose,
    /// The piece.
    pub shape: Shape,
}

impl Part {
    /// Box around the part in the frame of the compound.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.shape.bounds().placed(&self.pose)
    }
}

/// Why a shape cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ShapeError {
    /// A length that is zero, negative or not finite.
    #[error("{shape} {field} is {value} m; it must be a positive finite length")]
    Length {
        /// Name of the shape.
        shape: &'static str,
        /// Which of its lengths.
        field: &'static str,
        /// The value given.
        value: f64,
    },
    /// A compound without parts.
    #[error("a compound shape needs at least one part")]
    NoParts,
    /// A part whose pose is not a finite rigid placement.
    #[error("part {part} of a compound shape has a pose that is not finite or not a rotation")]
    PartPose {
        /// Index of the part.
        part: usize,
    },
    /// A part that is itself unusable.
    #[error("part {part} of a compound shape: {error}")]
    Part {
        /// Index of the part.
        part: usize,
        /// What is wrong with it.
        error: Box<ShapeError>,
    },
}

impl Shape {
    /// Distance and outward direction at a point of the shape's frame.
    #[must_use]
    pub fn sample(&self, local: Vec3) -> Sample {
        match self {
            Shape::Sphere { radius } => primitive::sphere(*radius, local),
            Shape::Box { half } => primitive::cuboid(*half, local),
            Shape::Capsule { half_height, radius } => primitive::capsule(*half_height, *radius, local),
            Shape::Cylinder { half_height, radius } => primitive::cylinder(*half_height, *radius, local),
            Shape::Plane => primitive::plane(local),
            Shape::Grid(grid) => grid.sample(local),
            Shape::Compound(parts) => nearest_part(parts.iter(), local),
        }
    }

    /// The sample if its distance is at most `reach` metres, else `None`; for grids much faster than
    /// [`Shape::sample`] where nothing is near.
    #[must_use]
    pub fn sample_within(&self, local: Vec3, reach: f64) -> Option<Sample> {
        match self {
            Shape::Grid(grid) => grid.sample_within(local, reach),
            _ => Some(self.sample(local)).filter(|sample| sample.distance <= reach),
        }
    }

    /// Distance at a point of the shape's frame, metres; negative inside.
    #[must_use]
    pub fn distance(&self, local: Vec3) -> f64 {
        self.sample(local).distance
    }

    /// The smallest known box around the shape in its own frame; unbounded for a plane.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        match self {
            Shape::Sphere { radius } => Aabb::from_half(Vec3::splat(*radius)),
            Shape::Box { half } => Aabb::from_half(*half),
            Shape::Capsule { half_height, radius } => {
                Aabb::from_half(Vec3::new(*radius, half_height + radius, *radius))
            }
            Shape::Cylinder { half_height, radius } => Aabb::from_half(Vec3::new(*radius, *half_height, *radius)),
            Shape::Plane => Aabb::new(Vec3::NEG_INFINITY, Vec3::new(f64::INFINITY, 0.0, f64::INFINITY)),
            Shape::Grid(grid) => grid.bounds(),
            Shape::Compound(parts) => parts.iter().fold(Aabb::EMPTY, |bounds, part| bounds.union(&part.bounds())),
        }
    }

    /// Radius of a ball around the origin of the shape's frame that holds all of it; infinite for a plane.
    #[must_use]
    pub fn bounding_radius(&self) -> f64 {
        match self {
            Shape::Sphere { radius } => *radius,
            Shape::Box { half } => half.length(),
            Shape::Capsule { half_height, radius } => half_height + radius,
            Shape::Cylinder { half_height, radius } => (half_height * half_height + radius * radius).sqrt(),
            Shape::Plane => f64::INFINITY,
            Shape::Grid(grid) => grid.bounding_radius(),
            Shape::Compound(parts) => {
                parts.iter().map(|part| part.pose.position.length() + part.shape.bounding_radius()).fold(0.0, f64::max)
            }
        }
    }

    /// Refuses shapes that have no inside: lengths that are not positive, compounds without parts.
    ///
    /// # Errors
    /// The first fault found.
    pub fn validate(&self) -> Result<(), ShapeError> {
        let length = |shape, field, value: f64| {
            if value.is_finite() && value > 0.0 { Ok(()) } else { Err(ShapeError::Length { shape, field, value }) }
        };
        match self {
            Shape::Sphere { radius } => length("sphere", "radius", *radius),
            Shape::Box { half } => {
                length("box", "half x", half.x)?;
                length("box", "half y", half.y)?;
                length("box", "half z", half.z)
            }
            Shape::Capsule { half_height, radius } => {
                length("capsule", "half height", *half_height)?;
                length("capsule", "radius", *radius)
            }
            Shape::Cylinder { half_height, radius } => {
                length("cylinder", "half height", *half_height)?;
                length("cylinder", "radius", *radius)
            }
            // A grid was checked when it was built.
            Shape::Plane | Shape::Grid(_) => Ok(()),
            Shape::Compound(parts) => validate_parts(parts),
        }
    }
}

/// The nearest part decides: exact outside; inside, where parts overlap, the depth is that of the deepest part, which is
/// at most the true depth.
pub(crate) fn nearest_part<'a>(parts: impl Iterator<Item = &'a Part>, local: Vec3) -> Sample {
    let mut nearest = Sample { distance: f64::INFINITY, normal: Vec3::Y };
    for part in parts {
        let sample = part.shape.sample(part.pose.local(local));
        if sample.distance < nearest.distance {
            nearest = Sample { distance: sample.distance, normal: part.pose.rotation * sample.normal };
        }
    }
    nearest
}

fn validate_parts(parts: &[Part]) -> Result<(), ShapeError> {
    if parts.is_empty() {
        return Err(ShapeError::NoParts);
    }
    for (index, part) in parts.iter().enumerate() {
        if !part.pose.is_finite() || !part.pose.rotation.is_normalized() {
            return Err(ShapeError::PartPose { part: index });
        }
        part.shape.validate().map_err(|error| ShapeError::Part { part: index, error: Box::new(error) })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Quat;

    fn hammer() -> Shape {
        let handle = Part { pose: Pose::IDENTITY, shape: Shape::Cylinder { half_height: 0.1, radius: 0.012 } };
        let turned = Quat::from_rotation_z(core::f64::consts::FRAC_PI_2);
        let head = Part {
            pose: Pose::new(Vec3::new(0.01, 0.1, 0.0), turned),
            shape: Shape::Box { half: Vec3::new(0.015, 0.05, 0.02) },
        };
        Shape::Compound([handle, head].into())
    }

    #[test]
    fn compound_is_the_union_in_its_own_frame() {
        let shape = hammer();
        assert!(shape.validate().is_ok());
        // The head was turned: its long edge now lies along X.
        let beside = shape.sample(Vec3::new(0.07, 0.1, 0.0));
        assert!((beside.distance - 0.01).abs() < 1e-12 && (beside.normal - Vec3::X).length() < 1e-12, "{beside:?}");
        let below = shape.sample(Vec3::new(0.0, -0.11, 0.0));
        assert!((below.distance - 0.01).abs() < 1e-12 && (below.normal + Vec3::Y).length() < 1e-12);
        let bounds = shape.bounds();
        assert!((bounds.max - Vec3::new(0.06, 0.115, 0.02)).length() < 1e-12, "{bounds:?}");
    }

    #[test]
    fn bounds_hold_every_inside_point() {
        for shape in [hammer(), Shape::Capsule { half_height: 0.05, radius: 0.02 }] {
            let (bounds, radius) = (shape.bounds(), shape.bounding_radius());
            for i in 0..20000 {
                let fraction = |step: f64| (f64::from(i) * step).fract() - 0.5;
                let p = 0.4 * Vec3::new(fraction(0.8191725134), fraction(0.6710436067), fraction(0.5497004779));
                if shape.distance(p) <= 0.0 {
                    assert!(bounds.contains(p) && p.length() <= radius);
                }
            }
        }
    }

    #[test]
    fn faults_are_named() {
        let flat = Shape::Box { half: Vec3::new(0.1, 0.0, 0.1) };
        assert_eq!(flat.validate().unwrap_err().to_string(), "box half y is 0 m; it must be a positive finite length");
        assert!(Shape::Sphere { radius: f64::NAN }.validate().is_err());
        assert_eq!(Shape::Compound([].into()).validate(), Err(ShapeError::NoParts));
        let nested = Shape::Compound([Part { pose: Pose::IDENTITY, shape: flat }].into());
        assert!(nested.validate().unwrap_err().to_string().starts_with("part 0 of a compound shape: box half y"));
    }
}
