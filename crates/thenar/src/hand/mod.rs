//! The human hand: from anatomy to everything a simulation needs.
//!
//! Frame of a hand at rest: right-handed, wrist joint at the origin, +Y out of the back of the hand, -Z towards the
//! fingers; the thumb of a right hand lies on -X, of a left hand on +X. Bone frames follow OpenXR: origin at the
//! proximal joint, -Z along the bone to the tip, +Y out of the back of the finger (for the thumb: out of its nail).

mod digit;
mod model;
mod openxr;
mod skeleton;

pub use digit::{BONE_COUNT, BoneId, Digit, Side};
pub use model::{Attachment, HandModel, NodeSpring, PadSample, Patch, Skin, Tissue, TissueKind};
pub use openxr::{JointSample, JointSet, XR_JOINT_COUNT, XrJoint};
pub use skeleton::{Articulation, ArticulationKind, Bone, Capsule, Skeleton};
