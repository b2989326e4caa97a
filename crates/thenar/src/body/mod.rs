//! Bodies: what is in the world, soft and rigid, as models that never change and states that do.
//!
//! Everything that deals with bodies stands above this module and reads them directly: detection, contact, the world.
//!
//! # Constants
//!
//! | constant | value | why |
//! |---|---|---|
//! | `HELD_MASS`, `HELD_INERTIA` | 1e5 kg, 1e2 kg m² | what is held where it is told to be: a newton moves it by 10 µm/s in a second, and the factor keeps its digits |
//! | `N` | 36 | rows of a reduced skeleton: twelve blocks of three |
//! | `APART` | 18 mm | parts of a hand nearer than this along the skin do not touch each other: webs, and folds over a joint |
//! | `HAND_SPACING` | 4.5 mm | points of the surface with which hands feel soft things: finer than their elements, so that more would contradict each other |
//! | `EDGE_SPACING` | 2.5 mm | places on sharp edges of objects: half of what that surface resolves |
//! | `OF_A_SPHERE` | 1/2 | tangent planes at the corners of a triangle rise twice as high over it as the sphere they touch |
//! | `MOST` | 3/4 | bulge of a surface, as a share of those planes [Boubekeur & Alexa 2008] |
//! | `CREASE` | cos 45° | triangles that meet at more than this are faces of something with an edge: half of what a box turns by, and what a ball of forty triangles does |
//! | `LEVEL` | 1 µm | a lower bulge is none: rounding of a flat face |
//! | `LEAF` | 4 | triangles of a leaf of the search tree: a budget, of which results do not depend |
//! | `DEPTH` | 48 | room on the stack of a search: halving a million triangles needs twenty levels |
//! | `TAKEN` | 1/2 | share of a node's mass that its handle takes over: both need some, and together they weigh what they did |
//! | `HAND_NODES` | 100 | nodes of the handle of a hand [Garre §6] |

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
