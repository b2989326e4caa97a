//! Bodies: what is in the world, soft and rigid, as models that never change and states that do.
//!
//! Everything that deals with bodies stands above this module and reads them directly: detection, contact, the world.

mod carried;
mod handle_nodes;
mod method;
mod params;
mod rigid;
mod roundness;
mod skeleton;
mod soft;
mod stretch;
mod surface;
mod touch_surface;
mod touch_tree;

pub use carried::CarriedSurface;
pub use handle_nodes::HandleNodes;
pub use method::ContactMethod;
pub use params::{AttachmentMethod, SkeletonCoupling, SkeletonMethod, SkeletonParams, TissueParams};
pub use rigid::{EDGE_SPACING, ObjectFeature, ObjectModel, ObjectSample};
pub use skeleton::{HELD_INERTIA, HELD_MASS, JointState, ReducedSkeleton, SkeletonForces};
pub use soft::{HandMakeup, SoftBody, SoftParts, SoftState};
pub use stretch::{StretchElement, StretchLimits, TissueStretch};
pub use surface::{SoftSurface, SurfacePoint};
pub use touch_surface::{TouchGroup, TouchSurface};
pub use touch_tree::TouchTree;
