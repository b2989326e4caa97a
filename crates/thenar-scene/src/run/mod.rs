//! Running scenes and judging what came of them.

mod handle;
mod host;
mod measure;
mod regrasp;
mod rest;
mod series;
mod settings;
mod simulation;
mod soft;
mod source;
mod stretch;
mod tactile;
mod take_over;
mod timing;
mod tissue;
mod verdict;

pub use handle::DrivenHandle;
pub use host::Host;
pub use measure::Probe;
pub use rest::RestError;
pub use series::{COUNTED, CheckOutcome, Series, judge};
pub use settings::{CHOICES, Choice, number_of, world_config};
pub use simulation::{DrivenHand, RunError, Simulation, USUAL_DENSITY};
pub use soft::SoftThing;
pub use source::FrameSource;
pub use stretch::{JointRegion, extremes};
pub use take_over::Continuation;
pub use timing::{Timing, TimingSummary};
pub use tissue::{phalanges_named, phalanx_name, tissue_options};
pub use verdict::{Outcome, Role, run, run_to_end, run_variations};
