//! Bodies of the host that hands may touch.

use crate::geometry::distance::Shape;
use crate::math::Vec3;
use crate::world::ObjectError;

/// How a body of the host feels to a hand.
#[derive(Clone, Debug)]
pub struct Graspable {
    /// Name for messages and outputs.
    pub name: String,
    /// The solid in the body's own frame, in metres.
    pub shape: Shape,
    /// Coulomb's coefficient against skin.
    pub friction: f64,
    /// The engine's copy feels the fixed objects of the engine's world, so that pushing it against the ground is as
    /// stiff there as the contact itself. Wrong for a body whose host ignores some of them, like a drawer in its case.
    pub touches_fixed: bool,
    /// The host lets the body do nothing but slide along this direction of the world, like a drawer. A hand then feels
    /// its rails as firm, however light it is.
    pub rail: Option<Vec3>,
}

impl Graspable {
    /// A body with friction 0.5 that feels fixed objects through the host only.
    #[must_use]
    pub fn new(name: &str, shape: Shape) -> Self {
        Graspable { name: name.into(), shape, friction: 0.5, touches_fixed: false, rail: None }
    }
}

/// Why a body cannot be grasped.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GraspError {
    /// The host has no such body.
    #[error("object '{name}': the host has no body {body}, or it has no mass; add a dynamic body first")]
    NoBody {
        /// Name of the object.
        name: String,
        /// What the host calls it.
        body: String,
    },
    /// Shape, mass or friction.
    #[error(transparent)]
    Object(#[from] ObjectError),
}
