//! Scenes: what is in the world, how hands move through it, and what must come of it.
//!
//! ```toml
//! name = "ball"
//! story = "A hand closes around a baseball and lifts it."
//! seconds = 4.0
//!
//! [[object]]
//! name = "table"
//! shape = { box = [0.6, 0.04, 0.4] }   # edge lengths, metres
//! position = [0, -0.02, 0]
//! fixed = true
//!
//! [[object]]
//! name = "ball"
//! shape = { sphere = 0.0365 }          # radius
//! mass = 0.145
//! position = [0, 0.0365, 0]
//!
//! [[hand]]
//! side = "right"
//!
//! [[hand.key]]                         # key poses, joined by movements that start and end at rest
//! at = 0.0
//! palm = { position = [0, 0.12, 0.03], fingers = "forward", facing = "down" }
//! grasp = "open"
//!
//! [[hand.key]]
//! at = 1.0
//! palm = { position = [0, 0.09, 0.03] }
//! grasp = "cylinder"
//! amount = 0.8
//!
//! [[check]]
//! name = "lifted"
//! object = "ball"
//! measure = "height"
//! at = 4.0
//! min = 0.08                           # metres
//! ```

mod check;
mod direction;
mod error;
mod file;
mod hand;
mod handle;
mod host;
mod locate;
mod object;
mod push;
mod read;
mod rounds;
mod schema;
mod soft;
mod tactile;
#[cfg(test)]
mod tests;
mod validate;
mod validate_check;
mod validate_motion;

pub use check::{Check, Measure, Over, Subject, Variation};
pub use direction::Direction;
pub use error::SceneError;
pub(crate) use error::nearest;
pub use file::{Scene, Tracking, WorldSpec};
pub use hand::{Fault, FaultKind, FingerSpec, FingersSpec, HandSide, HandSpec, Key, Lead, PalmSpec, TrackerSpec};
pub use handle::{ClampSpec, HandleKey, HandleSpec, RegionSpec};
pub use host::{HostEngine, HostSpec, JointSpec, SpringSpec};
pub use object::{ContactSpec, MeshSource, ObjectSpec, PartSpec, ShapeSpec};
pub use push::PushSpec;
pub(crate) use read::{explain as explain_toml, place_of};
pub use rounds::Rounds;
pub use schema::schema;
pub use soft::{MOST_SOFT_TETS, SoftSpec, USUAL_TETS};
pub use tactile::{DisplacementSpec, TactileSpec};
