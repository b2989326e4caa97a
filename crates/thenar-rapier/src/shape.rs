//! Solids of Thenar as colliders of Rapier.

use crate::convert;
use rapier3d::geometry::{ColliderBuilder, SharedShape};
use thenar::geometry::distance::{Shape, surface_points};
use thenar::math::Pose;

/// Spacing of the points whose convex hull stands for a mesh, metres.
const HULL_SPACING: f64 = 0.004;

/// Edges of cylinders are rounded by at most this, metres: with sharp ones, contact between a small cylinder and a box
/// that touch exactly is missed (parry 0.31), and the one falls through the other.
const ROUNDED_EDGE: f64 = 2e-3;

/// Colliders without mass, in the frame of the shape. A mesh becomes its convex hull: the hand still feels every
/// hollow of it, the rest of the world does not.
pub(crate) fn colliders(shape: &Shape, friction: f64) -> Option<Vec<ColliderBuilder>> {
    let mut found = Vec::new();
    collect(shape, &Pose::IDENTITY, &mut found)?;
    let finish = |b: ColliderBuilder| b.density(0.0).friction(friction as f32);
    Some(found.into_iter().map(finish).collect())
}

fn collect(shape: &Shape, at: &Pose, found: &mut Vec<ColliderBuilder>) -> Option<()> {
    let solid = match shape {
        Shape::Sphere { radius } => SharedShape::ball(*radius as f32),
        Shape::Box { half } => SharedShape::cuboid(half.x as f32, half.y as f32, half.z as f32),
        Shape::Capsule { half_height, radius } => SharedShape::capsule_y(*half_height as f32, *radius as f32),
        Shape::Cylinder { half_height, radius } => {
            let edge = (0.1 * half_height.min(*radius)).min(ROUNDED_EDGE);
            SharedShape::round_cylinder((half_height - edge) as f32, (radius - edge) as f32, edge as f32)
        }
        Shape::Plane => SharedShape::halfspace(rapier3d::math::Vector::Y),
        Shape::Grid(_) => {
            let points: Vec<_> =
                surface_points(shape, HULL_SPACING).iter().map(|p| convert::vector(p.position)).collect();
            SharedShape::convex_hull(&points)?
        }
        Shape::Compound(parts) => {
            for part in parts.iter() {
                collect(&part.shape, &(*at * part.pose), found)?;
            }
            return Some(());
        }
    };
    found.push(ColliderBuilder::new(solid).position(convert::pose(at)));
    Some(())
}
