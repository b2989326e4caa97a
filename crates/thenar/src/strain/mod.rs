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
//! Stretches within such limits still let an element lose volume: 0.7, 1 and 1.1 leave 0.77 of it, which flesh, mostly water, does not. So the
//! volume `J = det F = σ₁ σ₂ σ₃` may have a limit of its own, one more row of the same kind:
//! ```text
//! C = J − J_min ≥ 0,     ∂J/∂x_a = Σ_i c_i p_i (q_i · ∇N_a),     c_i = ∂J/∂σ_i, the product of the other two stretches
//! ```
//! Around the joints of a fist (scene `bend`) linear tissue loses 7.7 % of its volume, stretches within 0.7 and 1.4 alone leave a loss of 4.9 %,
//! and with `J ≥ 0.85` 1.8 % are lost. No single element is to blame: a quarter of the region stands at a least stretch of 0.7 with the other
//! two near 1.
//!
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
//! All stop when no stretch is beyond its limit by more than [`StrainParams::tolerance`]. `newton` releases what is too much and ends at the
//! optimum; the others change the motion as little as possible from linearisation to linearisation [Perez eq. 5], release nothing of earlier
//! ones, and end at feasible points near it (the test `solvers_agree_with_an_oracle` prints how near). Contact takes part: `newton` solves its rows
//! with the factor that holds the limits, the others push on the right-hand side, and contact is solved again, until both hold.
//!
//! A bar of 96 elements whose ends fly at each other, beside an optimum found by 20 000 short steps of Uzawa's:
//!
//! | solver | objective [Perez eq. 1] | places, of the correction | linearisations |
//! |---|---|---|---|
//! | `newton` | −1.7 % (limits are met to 0.005) | 0.9 % away | 3 |
//! | `njls` | +25.5 % | 14.2 % | 7 |
//! | `sqp_pgs` | +0.6 % | 4.4 % | 2 |
//! | `sqp_pjls` | +0.5 % | 4.1 % | 2 |
//!
//! # What was tried
//!
//! | idea | what it gave |
//! |---|---|
//! | the papers' solvers, as they are | njls adds and never releases: 40 iterations leave a stretch 0.04 beyond its limit in the full fist of `bend`; `sqp_pgs` and `sqp_pjls` meet all in 6 linearisations on average and 17 at most |
//! | accumulated multipliers in `sqp` (eq. 4 instead of eq. 5), matched by element and stretch | diverges where two stretches of an element are at one limit: rows `dσ` do not see how they turn into each other |
//! | limits in the matrix, all that pull dropped at once | 3 iterations on average, but cycles for ever in one step of twenty: what was dropped is needed after all |
//! | the same, dropping only the strongest | cycles as well |
//! | the same, dropping nothing after five iterations | 14 iterations at most in `bend`; locks where hundreds of limits are on |
//! | the same with a line search on its own energy | 7 iterations at most in `bend`, and what is kept |
//! | limits that become stiffer where multipliers gain little | 3 iterations instead of 23 where 310 limits of 595 elements are on (`thenar bench perez`) |
//! | multipliers that follow only a whole way on which the model agrees | one step of twenty of a fist with 310 limits on ends 0.01 beyond them after 40 iterations: the iterate is at the optimum of its multipliers, and the model errs about limits that are off there and on ahead. They follow where a way promises nothing any more: at most 17 iterations, and all limits met |
//! | limits in the model that are off and would be on ahead | fewer such steps, and more iterations in the others; not kept |
//! | the first linearisation where velocities lead, with what would be broken there | no gain with 600 elements, and more iterations with 5000 |
//! | an end where nothing pulls by more than 0.005 of the strongest force in the body, instead of 0.005 of its own element's stiffness | limits that hold with 58 times that stiffness were asked for forces to 1 in 10 000, and let go of each other by turns after all were met: a fist of 4950 elements takes 3.1 iterations on average and 9 at most, 9.9 and 35 before, one of 602 elements 3.6, so that iterations do not grow with size (`thenar bench squeeze`) |
//! | multipliers that outlive the step | a fist that stays closed (176 limits) needs no factorisation beyond the step's own; without them every step begins anew |
//! | the pairs' terms of the Hessian | without them stretches at the same limit zigzag, as rows do |
//!
//! # Energy limit or hard limits
//!
//! `thenar bench limits`: the worst of each scene with no limit, with the energy limit [CLAP eqs. 8–10] and with hard ones; `thenar bench pad` has force
//! against depth of one pad.
//!
//! | scene | ms, median of a step | least det F | stretches | volume of the joints | N | mm² |
//! |---|---|---|---|---|---|---|
//! | `ball` | 0.67, 0.65, 0.86 | −0.53, 0.62, 0.85 | −0.24–1.86, 0.47–1.43, 0.70–1.40 | 0.949, 0.968, 0.975 | 132, 167, 157 | 384, 328, 338 |
//! | `press` | 0.74, 0.62, 0.73 | −0.05, 0.80, 0.85 | −0.03–1.85, 0.66–1.24, 0.70–1.40 | 0.986, 0.985, 0.986 | 83, 78, 78 | 247, 138, 153 |
//! | `finger` | 0.53, 0.54, 0.59 | 0.70, 0.85, 0.85 | 0.54–1.23, 0.73–1.22, 0.70–1.23 | 0.997, 0.996, 0.996 | 17, 49, 38 | 18, 24, 14 |
//! | `bend` | 0.49, 0.49, 0.79 | −0.62, 0.58, 0.85 | −0.34–1.89, 0.42–1.42, 0.70–1.40 | 0.923, 0.960, 0.976 | – | – |
//!
//! The energy limit stays the default: it keeps every element right side out, and a step of `ball` with hard limits takes 1.2 to 1.4 times as
//! long. Who needs stretches and volumes within known bounds has them with `strain = "hard"`. On a pad of people's softness both stiffen alike: 0.92 and
//! 0.94 mm at 1 N, 3.9 and 3.4 times as stiff at 1.5 N as at 0.2. People's give 1 to 3 mm: flesh of 50 kPa (TouchSim) would give 1.3 mm where that of 100 kPa [CLAP
//! §5.1] gives 0.96; attachments three times as stiff take 0.06 mm away, and so does a Poisson ratio of 0.45.
//!
//! # Constants
//!
//! | constant | value | why |
//! |---|---|---|
//! | `TOLERANCE` | 0.005 | what no eye sees of a stretch; Perez prints none |
//! | `ITERATIONS` | 40 | a budget, so that a step ends; the report says how far limits are broken then |
//! | `STIFFER` | 300 | stiffness of an active limit over that of its element: stress at a limit is of the order of the modulus, which a three-hundredth of is below the tolerance |
//! | `ENOUGH`, `STEP_UP`, `STIFFEST` | 0.25, 4, 2e4 | where an update of multipliers leaves more than a quarter of the violation limits become four times as stiff, as far as factors stay exact to eight digits |
//! | `METRES` | 6 mm | length that a stretch of 1 counts for where rows are compared: 0.005 is then like a gap of 0.03 mm |
//! | `ALIKE` | 1e-9 | stretches closer than this are one where differences are divided by theirs |
//! | `AXES`, `VOLUME` | 10, 9 | of the Hessian over a deformation gradient, and that of the volume among them |
//! | `SOFTEST` | 0.1 | share of a volume limit's stiffness that stays where pressure, which shrinking volume yields to, would take it away: the matrix stays definite |
//! | `GOOD` | 0.2 | a way along a solve is good if the energy's slope at its end is no more than this share of that at its start |
//! | `TRIALS` | 4 | of a way that is not: two secants and two halvings bring the slope to a fifth |
//! | `SHORTEST` | 0.02 | share of a way below which the next linearisation is worth more than the search |
//! | `AGREES` | 0.1 | multipliers take over the stress where the linear model has it to a tenth: Newton is about to converge |
//! | `EXACT` | 1e-6 | share of the stress to which the linear model is exact, as far as factors are: the way is at its end. A search there goes by rounding, never takes a whole way, and multipliers would never follow |
//! | `SETTLED` | 0.01 | a whole way that promises less than this share of the limits' energy is at the end of what these multipliers can do, however the model errs ahead: they follow |
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
