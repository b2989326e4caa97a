//! Scripted hands: key poses, the movements between them, and the tracker that watches.

mod closing;
mod ease;
mod fitted;
mod grasp;
mod hold;
mod joints;
mod least_squares;
mod noise;
mod reach;
mod refit;
mod scaled;
mod script;
mod story;
mod touching;
mod tracker;

pub use closing::{Closing, closed_around, skin_points};
pub use ease::minimum_jerk;
pub use fitted::{Solid, fitted, size};
pub use grasp::{Grasp, Posture};
pub use hold::Hold;
pub use joints::{joint_by_name, joint_name};
pub use noise::gaussian;
pub use refit::Refit;
pub(crate) use refit::pressing_alike;
pub use script::{Script, Stance};
pub(crate) use touching::palm_shift;
pub use tracker::Tracker;
