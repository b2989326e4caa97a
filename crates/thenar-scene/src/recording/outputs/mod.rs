//! What researchers need of a run: bones, objects, contacts, forces and pressures over time.
//!
//! As MCAP channels (`/tf` with Foxglove's transforms, `/hand/N/touch`) and as one NPZ file of arrays (`docs/recordings.md`
//! says the same for users):
//!
//! | array | shape | what |
//! |---|---|---|
//! | `time` | T | simulated seconds |
//! | `step` | T | number of the step |
//! | `handN_bones`, `handN_tracked` | T × 16 × 7 | placements of the simulated and of the tracked bones: x y z, qx qy qz qw |
//! | `handN_grip` | T × 6 | normal force on thumb to little finger and palm, N |
//! | `handN_tracking_force` | T × 3 | pull of the tracker on the palm, N |
//! | `objects` | T × M × 13 | placement, velocity m/s, spin rad/s |
//! | `object_forces` | T × M × 6 | force N and torque N m of all hands about the centre of mass |
//! | `handN_contacts` | C × 13 | row of `time`, vertex, object, patch, point, normal, gap m, pressure Pa, slipping |
//! | `handN_contact_forces` | C × 3 | force on the skin, N |
//! | `handN_patches` | P × 10 | row of `time`, patch, object, force, torque about the bone's origin, greatest pressure Pa |
//! | `handN_discs`, `handN_disc_targets` | T × 5 × 3 | displacement m, pitch and roll rad of the disc on each fingertip, as told and as matched |
//! | `handN_disc_legs` | T × 5 × 3 | lengths of its legs, m |
//! | `handN_fingertips` | T × 5 × 12 | touching samples, residual m, force N (3, pad's frame), normal force N, displacement by pressure m, stretch m (2), slip level, slips, slip began |
//! | `handN_taxels` | T × 5 × rows × columns × 3 | force on each taxel, N, in the pad's frame |

mod channels;
mod column;
mod npy;
mod tables;
mod tactile;
mod wrench;
mod zip;

pub use channels::OutputChannels;
pub use tables::{OutputError, OutputTables};
pub use zip::Compression;
