//! Rigid objects.

use super::ContactMethod;
use crate::energy::inertia::RigidMass;
use crate::geometry::Aabb;
use crate::geometry::distance::{Sample, Shape, nearest_part};
use crate::math::{Pose, Vec3};
use std::sync::Arc;

/// What of an object is tested against other objects: a point of its surface, or a ball inside it that touches with
/// whichever point is nearest (so that round things roll smoothly). Relative to the centre of mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObjectSample {
    /// The point, or the centre of the ball, in the object's frame, metres.
    pub local: Vec3,
    /// Radius of the ball, metres; 0 for a point.
    pub radius: f64,
    /// Area the sample stands for, m².
    pub area: f64,
}

/// Places on sharp edges are this far apart, metres: half of what the touch surface of a hand resolves. Surfaces whose own
/// points are closer see edges themselves.
pub const EDGE_SPACING: f64 = 2.5e-3;

/// A place on a sharp edge or corner: soft surfaces feel it between their own points. Relative to the centre of mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObjectFeature {
    /// In the object's frame, metres.
    pub local: Vec3,
    /// Unit mean of the normals of the sides that meet there, outwards.
    pub normal: Vec3,
    /// Area the place stands for, m².
    pub area: f64,
}

/// A rigid object: what never changes while stepping. Copies share their geometry.
#[derive(Clone, Debug)]
pub struct ObjectModel {
    /// Name for messages and outputs.
    pub name: String,
    /// The solid, in the shape's own frame.
    pub shape: Shape,
    /// Centre of mass in the shape's frame; the object's frame has its origin there and the shape's axes.
    pub com: Vec3,
    /// `None` for an object that never moves.
    pub mass: Option<RigidMass>,
    /// Place among the moving objects, whose unknowns form the border; `None` for an object that never moves, and for
    /// a hosted one while no hand is near.
    pub border: Option<u32>,
    /// Lives in another engine too, which knows what it rests on and bumps into: here other objects do not feel it.
    pub hosted: bool,
    /// It was removed from its world, and nothing meets it; the state says so, this is its copy.
    pub absent: bool,
    /// Coulomb's coefficient against whatever has none of its own, such as skin.
    pub friction: f64,
    /// How skin contact with it is resolved; `None` for the world's own method.
    pub method: Option<ContactMethod>,
    /// Points tested against other objects; empty for fixed ones.
    pub samples: Arc<[ObjectSample]>,
    /// Places on sharp edges, tested against soft surfaces.
    pub features: Arc<[ObjectFeature]>,
    /// Bounds of the solid in the object's frame.
    pub bounds: Aabb,
    /// Bounds of the parts of a compound in the object's frame, in their order; empty for other shapes.
    pub parts: Arc<[Aabb]>,
    /// Radius about the centre of mass that holds the whole solid; infinite for a plane.
    pub radius: f64,
}

impl ObjectModel {
    /// A hosted object that no hand is near, or one that was removed: it takes no part in the step.
    #[must_use]
    pub fn dormant(&self) -> bool {
        self.absent || self.hosted && self.border.is_none()
    }

    /// Gap and normal at a point of the object's frame.
    #[must_use]
    pub fn sample(&self, local: Vec3) -> Sample {
        self.shape.sample(local + self.com)
    }

    /// The same where the gap is less than `reach` metres, else `None`. Parts of a compound that are further away are
    /// passed over by their bounds; the others give the same bits as [`ObjectModel::sample`].
    #[must_use]
    pub fn sample_within(&self, local: Vec3, reach: f64) -> Option<Sample> {
        let nearest = match &self.shape {
            Shape::Compound(parts) => {
                let near =
                    parts.iter().zip(self.parts.iter()).filter(|(_, bounds)| bounds.grown(reach).contains(local));
                nearest_part(near.map(|(part, _)| part), local + self.com)
            }
            _ => self.sample(local),
        };
        Some(nearest).filter(|sample| sample.distance < reach)
    }

    /// True if something of the solid may be within `reach` metres of the box, in the object's frame.
    #[must_use]
    pub fn comes_near(&self, bounds: &Aabb, reach: f64) -> bool {
        let grown = bounds.grown(reach);
        grown.overlaps(&self.bounds) && (self.parts.is_empty() || self.parts.iter().any(|part| grown.overlaps(part)))
    }

    /// World bounds at a placement of the centre of mass; those of a removed object overlap nothing.
    #[must_use]
    pub fn world_bounds(&self, pose: &Pose) -> Aabb {
        if self.absent {
            return Aabb { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };
        }
        if !self.radius.is_finite() {
            return Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY };
        }
        self.bounds.placed(pose)
    }
}
