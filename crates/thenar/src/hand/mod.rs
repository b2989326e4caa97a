//! The human hand: from anatomy to everything a simulation needs.
//!
//! Frame of a hand at rest: right-handed, wrist joint at the origin, +Y out of the back of the hand, -Z towards the
//! fingers; the thumb of a right hand lies on -X, of a left hand on +X. Bone frames follow OpenXR: origin at the
//! proximal joint, -Z along the bone to the tip, +Y out of the back of the finger (for the thumb: out of its nail).

mod anatomy;
mod attach;
mod build;
mod build_skeleton;
mod contact_points;
mod digit;
mod fit;
mod fit_gaps;
mod joint_angles;
mod joint_frames;
mod kinematics;
mod model;
mod openxr;
mod patch;
mod phalanges;
mod report;
mod rest_pose;
mod shape;
mod skeleton;
mod skin;
mod skin_site;
mod skinned;
mod skinned_site;
mod surface;
mod tissue;
mod web;

pub use anatomy::{Anatomy, AnatomyError, DigitAnatomy, PalmAnatomy, Preset};
pub use build::{HandError, HandOptions, HandParts};
pub use contact_points::{MIN_CONTACT_VERTICES, PAD_SAMPLES, PadPoint};
pub use digit::{BONE_COUNT, BoneId, Digit, Side};
pub use fit::{FitError, FitReport, Unused, fit};
pub use joint_angles::{BoneJacobian, REDUCED_BLOCKS};
pub use joint_frames::align_joints;
pub use kinematics::{HandPose, carrier};
pub use model::{Attachment, HandModel, NodeSpring, PadSample, Patch, SeamCarrier, Skin, Tissue, TissueKind};
pub use openxr::{JointSample, JointSet, XR_JOINT_COUNT, XrJoint};
pub use phalanges::Phalanges;
pub use report::{FLESH_DENSITY, HandReport};
pub use skeleton::{Articulation, ArticulationKind, Bone, Capsule, Skeleton};
pub use skin::SkinDetail;
pub use skinned::{SkinnedError, SkinnedSurface};
pub use surface::HandSurface;
pub use tissue::{PAD_TETS, TissueLayout, TissueOptions};
