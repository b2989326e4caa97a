//! Touch on the fingertips: what pads feel, and what a device does so that its wearer feels the same.
//!
//! # The pad
//!
//! About a hundred samples of each fingertip are carried by the tissue ([`PadModel`]). They are looked at in the *pad's frame*, which is
//! fixed to the distal bone: its origin is the outermost point of the undeformed pad, y goes into the finger, x across and z along
//! it, away from the tip. After a step every sample knows its signed gap `g` to what it may touch and the normal `n` from there to the skin:
//! rigid objects by their distance fields, soft objects, other fingers and other hands by their touch surfaces. What is
//! farther than the *band* (3 mm, or how far the disc retracts if that is less) is not seen.
//!
//! # Contact-surface matching
//!
//! A disc on the pad with three degrees of freedom shall be where the virtual surface is [Perez §IV]. Their objective is in a paper of
//! 2015 that we do not have; this one is ours. A sample at `p` sees the surface point `s = p − g n`. The disc is the plane
//! `y = d + a x + b z` of the pad's frame, where `d` is its displacement from the undeformed pad, `tan roll = a` and
//! `tan pitch = −b`. Surface and plane are compared by place and by slope:
//!
//! ```text
//! E(d, a, b) = Σ w(g) [ (s_y − d − a s_x − b s_z)² + ρ² ((a − a_n)² + (b − b_n)²) ]  +  ε_d (d − d_free)² + ε_t ρ² (a² + b²)
//! ```
//!
//! over all samples and all that each of them sees; `a_n = −n_x/n_y`, `b_n = −n_z/n_y` are the slopes of the surface. In words: the signed
//! distances of the deformed samples to the disc are to be those to the virtual surface, and the disc is to be tilted as the surface
//! is, which the places alone do not say where few samples touch. `ρ` weighs one against the other.
//!
//! It is smooth by construction, so that nothing has to be filtered out:
//!
//! - `w(g) = (1 − g/band)⁴` outside and 1 inside: a sample enters and leaves with weight zero, and those that touch count most.
//! - The disc rests at `d_free = −band`. A flat surface that enters the band is exactly there: the disc is met, not thrown.
//! - Each partner of a sample is a term of its own, so that nothing switches where two are equally near.
//! - `E` is a strictly convex quadratic, so its minimum in the device's range is unique and moves continuously with the data. It is
//!   found exactly, by trying the faces of the box. Without contact it is the retracted, level disc.
//!
//! Legs that would be too short or too long pull the pose back towards the free one ([`DeviceModel::reachable`]).
//!
//! # From the matched pose to the device
//!
//! [`follow`] moves the disc to the matched pose no faster than the device can; and where the finger itself moves slower than 20 mm/s, no faster
//! than 0.1 mm and 1° in 1/90 s, so that a person who keeps still feels no jumps, whatever happens in the virtual world. Between 20
//! and 100 mm/s the bound goes over into the device's own.
//!
//! # Beyond the paper
//!
//! - **Pressure.** Virtual tissue is not the wearer's. [`pressure_displacement`] is how deep a disc has to go into a real pad to press as
//!   hard as the virtual surface does: an exponential law, `F = F₀ (exp(δ/δ₀) − 1)` [Pawluk & Howe 1999], 2 mm at 1 N.
//! - **Shear**: force and mean displacement of the touching samples beside the normal.
//! - **Slip** ([`Slip`]): force-weighted speed of the contacts that slide, as a level from 0 to 1 for vibrating gloves, and an event once the
//!   skin has slid by 0.25 mm.
//! - **Taxels** ([`Taxels`]): the contact forces of the fingertip on a grid over the pad, which sum to the whole.
//!
//! None of this acts back on the simulation, allocates, or enters the hash of the state.
//!
//! # Constants
//!
//! | constant | value | why |
//! |---|---|---|
//! | `MOST_BAND` | 3 mm | about as deep as a pad can be pressed: what is farther is not about to be felt |
//! | `LEAST_BAND` | 1 mm | a device that hardly retracts still needs a way on which samples enter gently |
//! | `SLOPE_LENGTH` | 3 mm | `ρ`: half of the pad's half-length, so that places and slopes count alike where half of a pad touches |
//! | `FREE_SHARE` | 0.05 | `ε_d`: a twentieth of one touching sample holds the free disc where it is; its pull on a touching one is below 10 µm |
//! | `LEVEL_SHARE` | 0.5 | `ε_t`: half a sample keeps the disc level; the tilt of a surface under twenty samples comes out 2 % too small |
//! | `STEEPEST`, `STEEP` | 0.2, 0.5 | cosines between the surface's normal and the actuator's axis from which on it counts, and counts fully: 78° and 60°, beyond what discs tilt |
//! | `AWAY` | −0.2 | the same cosine below which soft surfaces are not looked at: what counts is at 0.2, and coarse triangles are up to 20° off |
//! | `TOUCHING` | 0.1 mm | samples within it count as touching in pictures and means: contact vertices lie between them |
//! | `STILL`, `QUICK` | 20, 100 mm/s | speeds of the finger up to which the disc is slow, and from which on it is as fast as it can |
//! | `SLOW_RATE` | 8.9 mm/s | just below 0.1 mm in 1/90 s, the least step that a person feels as one |
//! | `SLOW_TILT` | 1.55 rad/s | just below 1° in 1/90 s |
//! | `PAD_FORCE`, `PAD_LENGTH` | 0.2 N, 1.116 mm | `F₀` and `δ₀` of a real pad: 2 mm at 1 N, four times stiffer at 1.5 N than at 0.2 N |
//! | `FELT_FORCE` | 0.05 N | force at which half of the displacement is pressure's: about the least that a fingertip feels |
//! | `HALF_SPEED` | 10 mm/s | sliding at which the slip level is one half |
//! | `SLID`, `HELD` | 0.25, 0.1 mm | sliding that is reported as slip, and below which it has ended |
//! | `FORGETTING` | 0.5 s | in which sliding is forgotten |
//! | `MOST_TAXELS` | 64 | taxels along a side of the grid at most |

mod device;
mod finger;
mod follow;
mod matching;
mod pad;
mod pressure;
mod slip;
mod surroundings;
mod taxels;

pub use device::{DeviceError, DeviceModel, DiscPose, Legs};
pub use finger::{Displacement, Felt, FingerMemory, FingerTouch, PadState, TactileParams};
pub use follow::follow;
pub use matching::Matching;
pub use pad::PadModel;
pub use pressure::pressure_displacement;
pub use slip::Slip;
pub use surroundings::{SampleTouch, SoftPlaces, Surroundings};
pub use taxels::Taxels;
