//! Hard limits of how far tissue is stretched and squeezed [Perez §II–III].
//!
//! # The constraint
//!
//! An element's deformation gradient is `F = Σ x_a ∇N_aᵀ`, linear in the places `x_a` of its nodes. With the signed singular
//! values of `F = P Σ Qᵀ` (`det P = det Q = 1`, so that `σ₃ < 0` where the element is inside out) its limits are
//! ```text
//! C = σ_i − s_min ≥ 0,     C = s_max − σ_i ≥ 0,     i = 1, 2, 3
//! ```
//! From `dF = dP Σ Qᵀ + P dΣ Qᵀ + P Σ dQᵀ`, and since `Pᵀ dP` and `dQᵀ Q` are skew and have no diagonal, `dσ_i = p_iᵀ dF q_i`:
//! ```text
//! ∂σ_i/∂x_a = p_i (q_i · ∇N_a)
//! ```
//! A step finds velocities near those of the free motion for which all limits hold at its end [Perez eq. 1],
//! ```text
//! min ½ (v − v_free)ᵀ A (v − v_free)     so that C(x₀ + h v) ≥ 0
//! ```
//! and a multiplier is an energy per stretch, J: the force on node `a` is `λ ∂C/∂x_a`.
//!
//! # Four solvers of the same problem
//!
//! | solver | how |
//! |---|---|
//! | `newton` (default) | the active limits join the step's own matrix, where its pattern has room for them, as stiff terms with multipliers; the matrix is factored anew in each iteration (`newton.rs`) |
//! | `njls` | one projected Jacobi step with a line search between two linearisations [Perez Alg. 1] (`jacobi.rs`) |
//! | `sqp_pgs` | `W` of all limits that are active, projected Gauss–Seidel until the linearised limits hold, then the next linearisation (`gauss_seidel.rs`) |
//! | `sqp_pjls` | the same by projected Jacobi steps with line searches, without `W` (`jacobi.rs`) |
//!
//! All stop when no stretch is beyond its limit by more than [`StrainParams::tolerance`]. `newton` and the two `sqp` accumulate their
//! multipliers and give back what is too much, so that they end at the optimum; `njls` adds to what it has and ends at a
//! feasible point (its objective is higher, see the test `solvers_agree_with_an_oracle`).
//!
//! # Constants
//!
//! | constant | value | why |
//! |---|---|---|
//! | `TOLERANCE` | 0.005 | what no eye sees of a stretch; Perez prints none |
//! | `ITERATIONS` | 40 | a budget, so that a step ends; the report says how far limits are broken then |
//! | `STIFFER` | 300 | stiffness of an active limit over that of its element: an iteration leaves a three-hundredth of an error to the next; ten times more makes limits that come and go throw each other about |
//! | `METRES` | 6 mm | length that a stretch of 1 counts for where rows are compared: 0.005 is then like a gap of 0.03 mm |
//! | `ALIKE` | 1e-9 | stretches closer than this are one where differences are divided by theirs |
//! | `JACOBI_STEPS` | 200 | steps of one linear problem of `sqp_pjls` |
//! | `CLOSE` | 0.1 | share of the tolerance to which `sqp_pjls` solves its linear problems |

mod gauss_seidel;
mod jacobi;
mod limits;
mod newton;
mod params;
mod response;
mod rows;
mod search;
mod stretch;
#[cfg(test)]
mod tests;

pub use limits::{Limits, StrainEffort, StrainInput};
pub use params::{StrainParams, StrainSolver};
pub use rows::METRES;
pub use stretch::{Stretch, beyond};
