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
//! Around the joints of a fist (scene `bend`) linear tissue loses 9.3 % of its volume, stretches within 0.7 and 1.4 alone leave a loss of 5.2 %,
//! and with `J ≥ 0.85` 1.1 % are lost. No single element is to blame: a quarter of them stands at a least stretch of 0.7 with the other
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
//! | `njls` | one projected Jacobi step with a line search between two linearisations [Perez Alg. 1], and more of the last step; as it is printed without [`StrainParams::accelerated`] (`jacobi.rs`) |
//! | `sqp_pgs` | `W` of all limits that are active, projected Gauss–Seidel until the linearised limits hold, then the next linearisation (`gauss_seidel.rs`) |
//! | `sqp_pjls` | the same by projected Jacobi steps with line searches, without `W` (`jacobi.rs`) |
//!
//! All stop when no stretch is beyond its limit by more than [`StrainParams::tolerance`], in the full fist of `bend` as well (the test
//! `every_solver_meets_the_limits_of_a_closed_fist`), or after [`StrainParams::iterations`] linearisations, and then the report says how far the worst one is
//! beyond. Of the usual 40 `njls` needs up to all there; as it is printed it needs 119, and is 0.04 beyond after 40. `newton` releases what is too much and ends at the
//! optimum; the others change the motion as little as possible from linearisation to linearisation [Perez eq. 5], release nothing of earlier
//! ones, and end at feasible points near it (the test `solvers_agree_with_an_oracle` prints how near). Contact takes part: `newton` solves its rows
//! with the factor that holds the limits, the others push on the right-hand side, and contact is solved again, until both hold.
//!
//! A bar of 96 elements whose ends fly at each other, beside an optimum found by 20 000 short steps of Uzawa's (`oracle.rs`; `thenar bench perez` prints it):
//!
//! | solver | objective [Perez eq. 1] | places, of the correction | linearisations |
//! |---|---|---|---|
//! | `newton` | −1.7 % (limits are met to 0.005) | 0.9 % away | 3 |
//! | `njls` | +26.7 % | 14.8 % | 6 |
//! | `njls` as printed | +25.5 % | 14.2 % | 7 |
//! | `sqp_pgs` | +0.6 % | 4.4 % | 2 |
//! | `sqp_pjls` | +0.5 % | 4.1 % | 2 |
//!
//! # What was tried
//!
//! | idea | what it gave |
//! |---|---|
//! | the papers' solvers, as they are | njls adds and never releases: 130 iterations of 79 ms together in the fist of `thenar bench perez`, 108 in the closing fist of `bend` and 123 in the closed one (310, 270 and 300 limits on; the same three below). `sqp_pgs` takes 18, 15 and 17 linearisations, `sqp_pjls` 18, 12 and 14 |
//! | njls that finds the diagonal of a limit once in a step, and only that of new rows later | 166, 108 and 124 iterations, in 0.55, 0.45 and 0.55 of the time; every eighth time anew 134, 110 and 123 in 0.61. Kept, without finding it anew |
//! | njls by blocks: the rows of an element solved together, 4 × 4 at most | 129, 120 and 128 iterations: an element's own limits hardly hinder each other, its neighbours' do. Not kept |
//! | njls with momentum, by a line search over the plane of step and last step | 33, 29 and 32 iterations, a quarter; with the diagonal found once 42, 32 and 36, in 0.13 of the time of what is printed. **Kept** |
//! | the same with two or four last steps | 32, 28 and 31; 35, 29 and 32. Not kept |
//! | the same with steps that may take back what the last gave, or longer than whole ones | 33, 29 and 32; 37, 32 and 34. Not kept |
//! | njls that asks for half the tolerance more than is needed | 119, 98 and 116 iterations, with momentum 36, 30 and 35: it no longer crawls to a bound from outside. Not kept |
//! | accumulated multipliers in `sqp` (eq. 4 instead of eq. 5), matched by element and stretch | diverges where two stretches of an element are at one limit: rows `dσ` do not see how they turn into each other |
//! | limits in the matrix, all that pull dropped at once | 3 iterations on average, but cycles for ever in one step of twenty: what was dropped is needed after all |
//! | the same, dropping only the strongest | cycles as well |
//! | the same, dropping nothing after five iterations | 14 iterations at most in `bend`; locks where hundreds of limits are on |
//! | the same with a line search on its own energy | 7 iterations at most in `bend`, and what is kept |
//! | limits that become stiffer where multipliers gain little | 3 iterations instead of 23 where 310 limits of 595 elements are on (`thenar bench perez`) |
//! | multipliers that follow only a whole way on which the model agrees | one step of twenty of a fist with 310 limits on ends 0.01 beyond them after 40 iterations: the iterate is at the optimum of its multipliers, and the model errs about limits that are off there and on ahead. They follow where a way promises nothing any more: at most 17 iterations, and all limits met |
//! | limits in the model that are off and would be on ahead | fewer such steps, and more iterations in the others; not kept |
//! | the first linearisation where velocities lead, with what would be broken there | no gain with 600 elements, and more iterations with 5000 |
//! | an end where nothing pulls by more than 0.005 of the strongest force in the body, instead of 0.005 of its own element's stiffness | limits that hold with 58 times that stiffness were asked for forces to 1 in 10 000, and let go of each other by turns after all were met: a fist of 4950 elements takes 3.1 iterations on average and 9 at most, 9.9 and 35 before, one of 602 elements 3.6; with flesh of 50 kPa 3.8 and 11 against 2.1 and 4 (`thenar bench squeeze`) |
//! | multipliers of `newton` that outlive the step, and are released | a fist that stays closed (176 limits) needs no factorisation beyond the step's own; without them every step begins anew |
//! | the end of the last solve, where linearisations run out | nodes of a bar whose ends are nailed down half as far apart as at rest flew off by ten times its length. The step ends where the line search says, as all before it did, and forgets what held back in vain. Where a step may take one linearisation only that is further beyond limits than the last solve is (1.0 and 0.014, bones led 3 cm apart) |
//! | the pairs' terms of the Hessian | without them stretches at the same limit zigzag, as rows do |
//!
//! # Energy limit or hard limits
//!
//! `thenar bench limits`: the worst of each scene with no limit, with the energy limit [CLAP eqs. 8–10] and with hard ones; `thenar bench pad` has force
//! against depth of one pad.
//!
//! | scene | ms, median of a step | least det F | stretches | volume of the joints | N | mm² |
//! |---|---|---|---|---|---|---|
//! | `ball` | 0.36, 0.35, 0.51 | −1.66, 0.58, 0.85 | −0.57–2.09, 0.39–1.53, 0.70–1.40 | 0.939, 0.952, 0.971 | 106, 142, 150 | 490, 428, 371 |
//! | `lift-strong` | 0.42, 0.41, 0.49 | 0.26, 0.70, 0.85 | 0.19–1.54, 0.51–1.36, 0.70–1.40 | 0.984, 0.985, 0.986 | 24, 29, 30 | 113, 96, 94 |
//! | `press` | 0.40, 0.32, 0.42 | −3.77, 0.74, 0.85 | −1.10–2.59, 0.53–1.37, 0.70–1.40 | 0.972, 0.978, 0.981 | 107, 77, 79 | 294, 146, 150 |
//! | `finger` | 0.28, 0.28, 0.31 | 0.67, 0.74, 0.85 | 0.53–1.26, 0.64–1.26, 0.70–1.26 | 0.995, 0.995, 0.995 | 13, 42, 37 | 24, 24, 14 |
//! | `bend` | 0.26, 0.26, 0.42 | −0.86, 0.47, 0.85 | −0.44–2.03, 0.31–1.47, 0.70–1.40 | 0.907, 0.941, 0.976 | – | – |
//!
//! The energy limit stays the default: it keeps every element of these scenes right side out, which the rib below takes hard limits for, and a step of `ball` with hard limits takes 1.5 times as
//! long. Who needs stretches and volumes within known bounds has them with `strain = "hard"`.
//!
//! # The flesh that people have
//!
//! `thenar bench pad` presses a fine index pad (3843 elements) on a plate, with flesh of several moduli and with energy limits that act from several strains along
//! one axis on, `√(2 W_max/E)`, all as steep from there on (`k = 4 W_max`):
//!
//! | kPa | strain | J/m³ | mm at 1 N | stiffening | mm² at 1 N | at 5 N | exponent | centre/rim | least stretch at 5 N | det F |
//! |---|---|---|---|---|---|---|---|---|---|---|
//! | people | | | 1–3 | ≥ 2 | 50–100 ± 40 % | 100–200 ± 40 % | 0.15–0.67 | 2.3, a paraboloid | 0.5 | |
//! | 50 | 0.22 | 1250 | 1.09 | 6.7 | 42 | 49 | 0.22 | 3.1 | 0.60 | 0.62 |
//! | **50** | **0.32** | **2500** | **1.28** | **5.4** | **51** | **82** | **0.31** | **1.9** | **0.50** | **0.50** |
//! | 50 | 0.50 | 6250 | 1.41 | 3.2 | 57 | 112 | 0.40 | 1.4 | 0.28 | 0.17 |
//! | 70 | 0.22 | 1750 | 1.01 | 4.9 | 40 | 47 | 0.19 | 2.8 | 0.63 | 0.65 |
//! | 70 | 0.32 | 3500 | 1.15 | 4.1 | 45 | 74 | 0.32 | 1.6 | 0.54 | 0.59 |
//! | 70 | 0.50 | 8750 | 1.20 | 2.6 | 51 | 103 | 0.43 | 1.5 | 0.37 | 0.32 |
//! | 100 | 0.22 | 2500 | 0.92 | 3.9 | 37 | 47 | 0.21 | 2.5 | 0.66 | 0.69 |
//! | 100 | 0.32 | 5000 | 0.97 | 2.6 | 40 | 73 | 0.37 | 1.7 | 0.58 | 0.63 |
//! | 100 | 0.50 | 12500 | 0.98 | 2.0 | 40 | 94 | 0.46 | 1.5 | 0.43 | 0.43 |
//!
//! The row in bold is nearest to people. Both of its figures are printed elsewhere: 50 kPa and ν = 0.4 are those of a fingertip in one layer (TouchSim), 2500 J/m³ is the
//! threshold of CLAP §5.1. Flesh of 100 kPa gives less than 1 mm at 1 N with each of these limits. One that acts from 0.22 on bars the patch from growing, and flesh from strains
//! of a half, which skin has at 5 N (Delhaye 2016; ours is the worst element's, so the two are only of the same kind). One that acts from a half on spreads pressure more evenly than linear flesh
//! does under a ball (Hertz: 1.6), where people's is about a paraboloid (Pawluk & Howe 1999), and leaves little before an element turns inside out.
//!
//! What the row in bold does not meet: 82 mm² at 5 N are below 100, and inside only with the 40 % to which areas are known; 1.9 lies between Hertz and the paraboloid. Way, stiffening
//! and areas of people are envelopes, known at second hand. Points touch one by one, so that a limit that differs in its fourth digit changes areas by 2 mm² and the ratio by 0.1.
//! With hard limits that flesh gives 1.14 mm at 1 N, but 50 mm² at 5 N and an exponent of 0.13, which is outside. On a rib of 3 mm pressed with 8 N its worst element is inside out
//! by a hair with the energy limit (det F −0.01), and at 0.85 with hard limits, which scene `rib` has.
//!
//! So it is the default (`WorldConfig`), and the test `the_usual_flesh_is_within_the_bands_of_people` holds it. The presets of the papers keep the 100 kPa of CLAP: three of
//! them have tissue that does not stiffen, or by hard limits alone.
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
//! | `PARALLEL` | 1e-9 | share to which two steps of `njls` that push alike have one direction, and the plane of both no second one |
//! | `LIMITS` | 7 | of an element, for the oracle: three stretches at their least, three at their greatest, and the volume |
//! | `UZAWA`, `UZAWA_ROUNDS` | 0.01, 20 000 | of the oracle: steps of multipliers over their element's stiffness, and how many; longer ones overshoot, and after these limits that hold are met to a twenty-fifth of `TOLERANCE` |
//! | `JACOBI_STEPS` | 200 | steps of one linear problem of `sqp_pjls` |
//! | `CLOSE` | 0.1 | share of the tolerance to which `sqp_pjls` solves its linear problems |

mod gauss_seidel;
mod jacobi;
mod limits;
mod newton;
mod oracle;
mod params;
mod response;
mod rows;
mod search;
mod stretch;
#[cfg(test)]
mod tests;

pub use limits::{Limits, StrainEffort, StrainInput};
pub use oracle::{LimitProblem, Optimum};
pub use params::{StrainParams, StrainSolver};
pub use rows::METRES;
pub use stretch::{Stretch, beyond};
