//! Sixteen rigid bones and the joints between them.

use super::{BONE_COUNT, BoneId, JointSet};
use crate::math::{Mat3, Pose, Vec3};

/// A segment with a radius, in the frame of the bone it belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// One end of the axis.
    pub a: Vec3,
    /// The other end of the axis.
    pub b: Vec3,
    /// Distance from the axis to the surface, metres.
    pub radius: f64,
}

/// A rigid bone. The body that is simulated sits at `com`; everything here is in the bone's own frame unless said.
#[derive(Clone, Debug, PartialEq)]
pub struct Bone {
    /// Which bone.
    pub id: BoneId,
    /// Placement of the bone frame in the hand frame at rest.
    pub rest: Pose,
    /// Length to the next joint (for distal bones: to the end of the bone, without the soft tip), metres.
    pub length: f64,
    /// Shape of the bone proper; the palm has one capsule per metacarpal and one across the carpals.
    pub capsules: Vec<Capsule>,
    /// Mass of the bone proper, kilograms (soft tissue is carried by the tetrahedra).
    pub mass: f64,
    /// Centre of mass.
    pub com: Vec3,
    /// Inertia tensor about the centre of mass, kg m².
    pub inertia: Mat3,
}

/// How two bones are joined. Axes are unit vectors in the hand frame at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ArticulationKind {
    /// One axis (finger PIP and DIP, thumb MCP and IP). Positive angles flex.
    Hinge {
        /// Flexion axis.
        flex: Vec3,
        /// Least and greatest flexion from rest, radians.
        flex_range: [f64; 2],
    },
    /// Two perpendicular axes (finger MCP): flexion fixed in the parent, abduction fixed in the child.
    Universal {
        /// Flexion axis.
        flex: Vec3,
        /// Abduction axis; positive angles move the finger towards the thumb's side.
        abduct: Vec3,
        /// Least and greatest flexion from rest, radians.
        flex_range: [f64; 2],
        /// Least and greatest abduction from rest, radians.
        abduct_range: [f64; 2],
    },
    /// Three axes with limits on swing and twist (thumb CMC).
    Spherical {
        /// Flexion axis.
        flex: Vec3,
        /// Abduction axis.
        abduct: Vec3,
        /// Least and greatest flexion from rest, radians.
        flex_range: [f64; 2],
        /// Least and greatest abduction from rest, radians.
        abduct_range: [f64; 2],
        /// Greatest twist about the bone either way, radians.
        twist: f64,
    },
}

/// A joint between a bone and its parent.
#[derive(Clone, Debug, PartialEq)]
pub struct Articulation {
    /// The bone nearer to the wrist.
    pub parent: BoneId,
    /// The bone that moves.
    pub child: BoneId,
    /// Centre of the joint in the hand frame at rest (the origin of the child's frame).
    pub centre: Vec3,
    /// Axes and ranges.
    pub kind: ArticulationKind,
}

/// Bones and joints of one hand.
#[derive(Clone, Debug, PartialEq)]
pub struct Skeleton {
    /// The sixteen bones, by [`BoneId`].
    pub bones: Vec<Bone>,
    /// The fifteen joints; `articulations[i]` moves bone `i + 1`.
    pub articulations: Vec<Articulation>,
    /// All 26 OpenXR joints at rest in the hand frame, with radii.
    pub xr_rest: JointSet,
}

impl Skeleton {
    /// The bone with that id.
    #[must_use]
    pub fn bone(&self, id: BoneId) -> &Bone {
        &self.bones[id.index()]
    }

    /// Rest placements of all bone frames in the hand frame.
    #[must_use]
    pub fn rest_poses(&self) -> [Pose; BONE_COUNT] {
        std::array::from_fn(|i| self.bones[i].rest)
    }
}
