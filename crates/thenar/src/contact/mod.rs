//! Contact methods: each appends to the problem of the step and never owns the loop.
//!
//! Detection hands over contacts of one kind ([`crate::collide::Contact`]); [`Touching`] makes [`Pair`]s of them, with what
//! they remember. From there on
//!
//! | method | normal force | friction | where |
//! |---|---|---|---|
//! | `penalty` | a spring at every point that never pulls | an anchored spring within Coulomb's cone | in the matrix where its pattern has room (`springs.rs`), else compliant rows |
//! | `point` | hard: a pressing point ends on the surface | hard: a sticking point ends on its anchor | a stiff spring in the matrix whose multiplier takes over from round to round (`pair.rs`); rows (`rows.rs`) for what slips a little, what flips twice, and soft on soft |
//! | `aggregate` | springs spread the pressure, one multiplier per patch takes its mean depth away | Coulomb–Contensou per patch; springs spread it | springs in the matrix, or in `W` where that has no room (soft on soft), four rows per patch (`patches.rs`) |
//! | `outside` | what a [`Method`] answers | what it answers | rows with its law (`method.rs`) |
//!
//! A spring in the matrix is a linear model of its law. After the free motion every model is judged by the law
//! (`rounds.rs`): where only the size of friction differs, the difference is added as a force; where the verdict differs
//! (a spring that would pull, a point that sank in without one, stick and slip), the contact is lifted out of the matrix and
//! gets rows with the law itself. Where many flip, all are modelled anew at the motion found: friction by its tangent, which is
//! Newton's method, then by its secant, which is slow and sure; what flips again after that gets rows. Contacts between rigid
//! objects live in the border, which is small enough to be factored anew until all verdicts hold; those that do not settle
//! beside skin that has rows get rows, too. When all verdicts hold, gaps of contacts that ended beside their predicted place are read from the
//! distance field anew (`revise.rs`), and the step goes on where one differs.
//!
//! # Constants
//!
//! | constant | value | why |
//! |---|---|---|
//! | `LEAVING_SPEED` | 0.1 m/s | depth that no force explains leaves at this speed at most: a fifth of the 0.5 m/s that count as a launch, yet a millimetre is gone in 10 ms |
//! | `SHEDDING_TIME` | 20 ms | a resting patch of springs sheds its depth in this time: ten times the damping of tissue, so that nothing rings, and below what an eye notices |
//! | `RESTING` | 2 % | a force that changes less within `SHEDDING_TIME` rests; an oscillation below 10 rad/s is slower, and too slow to gain from it |
//! | `CLOSE` | 1e-3 | friction of a sliding model may differ from the law's by this share of the normal force: a tenth of a hundredth, of which nothing is felt |
//! | `SAME_WAY` | 0.9 | friction that turns by up to 26° within a step is mended by a force; beyond, the model pushes aside and the law itself is needed |
//! | `SLACK` | 1e-3 | friction of a sticking model may exceed the cone by this share, of which nothing is felt: at the limit itself every round would flip it |
//! | `HARDNESS` | 100 | a hard point's spring is this many times as stiff as its nodes: a round of multipliers leaves a hundredth of what is unmet; ten times more costs digits of the factor, ten times less a round more |
//! | `TRIED` | 2 | a contact that flips again after it was modelled anew gets rows, so that the rounds come to an end: Newton's method may go round in circles, a sweep does not |
//! | `SUNK_SPRING` | 3 µm | a point without a spring may be this deep: 10 mN, less than skin feels |
//! | `CORRECTED` | 2 | a hard point that two corrections have not brought to where it must end gets rows: another round costs as much as rows of a few points, and two or three slow ones kept one step in ten at its eight rounds (`rigid-ball-close`) |
//! | `FEW_SLIDE` | 48 | hard points that slide get rows where no more do: their 144 rows and those of a few that flip are met at once (`MOST_NEWTON_ROWS`, 192). Without, rounds come to no end in a hand that is wedged around a ball (`rigid-ball-close` at 4.5 ms: 561 rows, 87 ms); hundreds that slide at once, of a soft bar on a slope, settle as models |
//! | `SUNK_POINT` | 30 µm | a point without a row may be this deep: what `point` leaves of depth where the rounds of a step come to their end. Steps of a blow leave more; `judged.rs` of the scenes says how much |
//! | `BESIDE` | 0.24 mm | a contact that ends so near to its predicted place has the gap of its tangent plane: on a radius of 1 mm it bends by `SUNK_POINT` |
//! | `SAME` | 1 nm | rounding of a gap that was read from a distance field twice |
//! | `APART` | 6 mm | contacts of a patch further from each other (and from all between) are two places: the width of a fingertip's contact at 1 N |
//! | `ONE_NORMAL` | 0.5 | contacts whose normals are more than 60° apart are two places: one normal stands for at most a cone of that angle |
//! | `NARROWEST` | 0.2 mm | a narrower patch has no torque worth a row: 0.1 N mm at 1 N |
//! | `VOLUME_SCALE` | 25 | the mean depth of a patch is met to 2 nm: what is left is carried by springs without friction (40 Pa at 50 nm, a fifth of what a foam block weighs) |
//! | `HOLDS_WITHIN` | 50 µm | a contact of a sticking patch has all its friction at this way from its anchor: `TOLERANCE` of a row is a thousandth of that; without such springs a box walks down a slope |
//! | `SOON` | 0.5 mm | room is made for the rows of points this near: what falls freely for 10 ms comes as far |
//! | `MOST_ROWS` | 5400 | hard points beyond 1800 that may need rows are springs: `W` of 6000 rows has 288 MB |
//! | `LEAST_SHARE` | 1e-6 | shares of pressure are never quite zero, so that a patch that forms has a distribution |
//! | `EXACT` | 1e-10 | how close held contacts, which are linear, are brought to their laws: round-off |

mod hold;
mod memory;
mod method;
mod pair;
#[cfg(test)]
mod pair_tests;
mod params;
mod patches;
mod revise;
mod rounds;
mod rows;
mod settle;
mod shedding;
mod springs;
mod touching;

pub use crate::body::ContactMethod;
pub use crate::collide::{Contact, Side};
pub use hold::{HeldContacts, Hold};
pub use memory::{Anchor, ContactMemory, Memory, PatchKey, PatchMemory};
pub use method::{Answer, Method};
pub use pair::{Judged, Pair, Verdict};
pub use params::{AggregateParams, Pressure, SpringParams};
pub use patches::Patch;
pub use rounds::Findings;
pub use springs::ObjectPairs;
pub use touching::{ContactInput, Motion, Touching};
