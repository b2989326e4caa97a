//! Constraints of a step: rows over bodies, laws that the rows obey, and the forces that make them hold.
//!
//! A *row* `H` measures a displacement at the end of the step, `u = u₀ + h H v`, in metres or whatever its law speaks of
//! (radians of a spin, a stretch); its multiplier `λ` is the force (torque) that acts along it. Rows are grouped into
//! blocks, each with a [`Law`]: an admissible set with its local solve. The [`Compliance`] carries the rows through the
//! step's factor, `u = u_free + W λ`, and [`Sweeps`] solve one block after the other until all laws hold.
//!
//! Nothing here knows of contact, strain or joints: whoever has a law appends rows and reads the multipliers afterwards.
//!
//! # Constants
//!
//! | constant | value | why |
//! |---|---|---|
//! | `TOLERANCE` | 5e-8 m | sweeps stop when none moves a row by more: a thousandth of what contact tolerates as depth |
//! | `EXACT` | 1e-13 m | the same where steps are compared with each other: round-off of a millimetre |
//! | `MAX_SWEEPS` | 100 | a budget, so that a step ends; the report says how far from its laws one is that needs more |
//! | `ENTRIES_PER_ROW` | 24 | room for nodes of a row: a point has four on each side or twelve, a patch a few dozen |
//! | `PLAIN` | 3 | sweeps before extrapolation: from a warm start two or three suffice, and extrapolating costs as much as a sweep |
//! | `WORSE` | 3 | an extrapolation that triples the residual is taken back: without it a flip of stick and slip can run away |
//! | `ROWS_PER_SWEEP` | 16 | rows for which one sweep more is made before all laws are met at once: an elimination of 16 rows costs a sweep, one of 128 about eight |
//! | `MOST_NEWTON_ROWS` | 192 | pushing rows of such a step at most: its elimination grows with the cube, 0.6 ms here |
//! | `PROXIMAL` | 1e-2 | share of its own compliance that a row yields by beside `W` in such a step: without it points carried by the same nodes get forces of 500 N against each other; ten times more takes twice the sweeps in `dumbbell`, ten times less leaves points 13 mm from where they must be in single steps there |
//! | `TANGENT_STEPS` | 4 | such steps until it must be better than before: laws that change their verdict lead astray for one or two |
//! | `ROOT_STEPS` | 6 | trials of a normal force per visit: secants gain two digits each, more digits are lost on the next block anyway |
//! | `STEEPEST` | 0.1 | share of its own compliance below which a secant is not trusted: guards against a division by zero |
//! | `CONE_STEPS` | 8 | Newton steps of one slip, quadratic from below: eight reach round-off from any start |
//! | `MEMORY` | 5 | sweeps that extrapolation remembers; three converge later, eight no sooner (held dumbbell) |
//! | `RIDGE` | 1e-10 | round-off of the normal equations of extrapolation |
//! | `FINENESS` | 0.03 | norms of a slipping patch are rounded off over this share of its slip: 0.05 % of its force |
//! | `STICKING` | 2e-7 m | what a patch may move and still be said to stick: a hundred hours at 250 Hz make no millimetre, since the anchor takes it back |
//! | `SHARE` | 1e-3 | a sticking patch may lack this share of its friction, of which nothing is felt |
//! | `ROUNDING` | 0.05 | part of `STICKING` over which norms stay round, so that derivatives exist |
//! | `SHARPER` | 10 | times that norms are made sharper: five to one each, from a slip of millimetres to nanometres |
//! | `CLOSE` | 3e-6 | force that may be missing where a patch slips, as a share of its friction: round-off of the sums |
//! | `NEAR` | 1e-3 | from here on the next sweep goes on from a slip instead of seeking it anew |
//! | `NEWTON_STEPS` | 8 | steps with each roundness |
//! | `LANES` | 4 | contacts of a patch that are summed side by side: one register of `f64` |
//! | `ON_THE_CONE` | 1 − 1e-9 | friction this close to its limit slides: round-off of the local solve |
//! | `MOST_ROWS` | 4 | rows of one law: a patch has a normal, two slips and a spin; a fixed size keeps blocks off the heap |

mod anderson;
mod compliance;
mod contensou;
mod coulomb;
mod law;
mod loads;
mod newton;
mod rows;
mod shapes;
mod single;
mod sweeps;
mod tangent;

pub use compliance::{Compliance, System, TOLERANCE};
pub use contensou::{Contensou, PatchFriction, PatchPoint, STICKING};
pub use coulomb::{Coulomb, ON_THE_CONE};
pub use law::{AnyLaw, Law, Local, MOST_ROWS};
pub use loads::Loads;
pub use rows::{Block, ConstraintSet, InMatrix, Row, RowEntry, RowObject};
pub use shapes::Shapes;
pub use single::{Bilateral, Unilateral};
pub use sweeps::{SweepInfo, SweepParams, Sweeps};
pub use tangent::Tangent;
