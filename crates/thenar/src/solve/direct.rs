//! The bordered system by block Cholesky [Garre §3.1, with what is touched ordered last].
//!
//! With `A = L Lᵀ` for each soft body and `Y = L⁻¹ B`, the objects see the Schur complement `S = C − Σ Yᵀ Y`. Its
//! columns are few (six per touched object) and their forward solves walk only the fronts above the touched nodes.

use crate::energy::problem::{BorderProblem, BorderTerms, SoftProblem};
use crate::math::{Executor, Kernels, Serial, Shared, Vec3, dense};
use crate::sparse::{Cholesky, LANES, NotPositiveDefinite, Symbolic};

/// Why a step could not be solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SolveError {
    /// A soft body's matrix has a pivot that is not positive.
    #[error("soft body {body}: the matrix is not positive definite at block {block}")]
    SoftBody {
        /// Index of the soft body.
        body: usize,
        /// The block.
        block: u32,
    },
    /// The objects' Schur complement has one.
    #[error("objects: {0}")]
    Objects(dense::NotPositiveDefinite),
}

/// The factor of one soft body and its scratch.
#[derive(Debug)]
pub struct SoftFactor {
    cholesky: Cholesky<f64>,
    outcome: Result<(), NotPositiveDefinite>,
    x: Vec<f64>,
    /// `L⁻¹ r`, kept for solving again with other contacts between objects.
    forward: Vec<f64>,
}

impl SoftFactor {
    /// Room for a factor.
    #[must_use]
    pub fn new(symbolic: &Symbolic, kernels: Kernels) -> Self {
        SoftFactor {
            cholesky: Cholesky::new(symbolic, kernels),
            outcome: Ok(()),
            x: vec![0.0; 3 * symbolic.block_count()],
            forward: vec![0.0; 3 * symbolic.block_count()],
        }
    }
}

impl SoftFactor {
    /// The factor, for carrying constraint rows through it.
    pub fn cholesky_mut(&mut self) -> &mut Cholesky<f64> {
        &mut self.cholesky
    }
}

/// Factors the matrices of all active soft bodies: small bodies at the same time as each other, large ones one by one
/// with their own parts at the same time.
pub fn factor(executor: &dyn Executor, problems: &[SoftProblem], factors: &mut [SoftFactor]) -> Result<(), SolveError> {
    let shared = Shared::new(factors);
    executor.run(problems.len(), &|body| {
        // SAFETY: every piece of work takes the factor of its own body.
        let factor = unsafe { shared.item(body) };
        if !problems[body].is_shared() {
            factor.factor(&Serial, &problems[body]);
        }
    });
    for (problem, factor) in problems.iter().zip(factors.iter_mut()).filter(|(p, _)| p.is_shared()) {
        factor.factor(executor, problem);
    }
    for (body, factor) in factors.iter().enumerate() {
        factor.outcome.map_err(|e| SolveError::SoftBody { body, block: e.block })?;
    }
    Ok(())
}

impl SoftFactor {
    fn factor(&mut self, executor: &dyn Executor, problem: &SoftProblem) {
        self.outcome = Ok(());
        if problem.active {
            self.outcome = self.cholesky.factor_with(executor, &problem.symbolic, &problem.matrix);
        }
    }
}

/// How often the contacts between objects are judged anew at most; two or three times is usual, and what is left after
/// that goes on in the next round of the step.
const BORDER_ITERATIONS: u32 = 12;

/// Solves with the factors; leaves the solution in the problems. `terms` are the contacts between objects; returns how
/// often they were judged.
pub fn solve(
    problems: &mut [SoftProblem],
    factors: &mut [SoftFactor],
    border: &mut BorderProblem,
    terms: &mut impl BorderTerms,
) -> Result<u32, SolveError> {
    border.reduced.copy_from(&border.assembled);
    for (problem, factor) in problems.iter_mut().zip(factors.iter_mut()).filter(|(p, _)| p.active) {
        factor.forward(problem);
        reduce_columns(problem, factor, border);
        reduce_rhs(problem, factor, border);
    }
    let judged = solve_border(border, terms, BORDER_ITERATIONS)?;
    back(problems, factors, border);
    Ok(judged)
}

/// Solves again after [`solve`] with other right-hand sides, and `terms` as they are judged now.
pub fn solve_again(
    problems: &mut [SoftProblem],
    factors: &mut [SoftFactor],
    border: &mut BorderProblem,
    terms: &mut impl BorderTerms,
) -> Result<u32, SolveError> {
    border.reduced.rhs.copy_from_slice(&border.assembled.rhs);
    for (problem, factor) in problems.iter_mut().zip(factors.iter_mut()).filter(|(p, _)| p.active) {
        factor.forward(problem);
        reduce_rhs(problem, factor, border);
    }
    let judged = solve_border(border, terms, 1)?;
    back(problems, factors, border);
    Ok(judged)
}

fn back(problems: &mut [SoftProblem], factors: &mut [SoftFactor], border: &BorderProblem) {
    for (problem, factor) in problems.iter_mut().zip(factors.iter_mut()).filter(|(p, _)| p.active) {
        factor.x.copy_from_slice(&factor.forward);
        backward(problem, factor, border);
    }
}

/// The objects' own system. The soft bodies are already reduced into it, so solving it again is cheap.
fn solve_border(border: &mut BorderProblem, terms: &mut impl BorderTerms, most: u32) -> Result<u32, SolveError> {
    let size = border.size();
    if size == 0 {
        return Ok(0);
    }
    for round in 1..=most {
        border.factored.copy_from(&border.reduced);
        terms.append(&mut border.factored);
        border.solution.copy_from_slice(&border.factored.rhs);
        dense::factor(&mut border.factored.matrix, size).map_err(SolveError::Objects)?;
        dense::solve(&border.factored.matrix, size, &mut border.solution);
        if round == most || !terms.reconsider(border) {
            return Ok(round);
        }
    }
    Ok(most)
}

impl SoftFactor {
    /// `y = L⁻¹ r`.
    fn forward(&mut self, problem: &SoftProblem) {
        let symbolic = &problem.symbolic;
        for (block, r) in problem.rhs.iter().enumerate() {
            let at = 3 * symbolic.position(block as u32);
            self.forward[at..at + 3].copy_from_slice(&r.to_array());
        }
        self.cholesky.forward(symbolic, &mut self.forward);
    }
}

/// `Y = L⁻¹ B` and its products taken off the border: `C −= Yᵀ Y`.
fn reduce_columns(problem: &mut SoftProblem, factor: &mut SoftFactor, border: &mut BorderProblem) {
    let symbolic = &problem.symbolic;
    let n = border.size();
    for object in 0..problem.border.len() {
        let (before, rest) = problem.border.split_at_mut(object);
        let columns = &mut rest[0];
        if !columns.touched {
            continue;
        }
        factor.cholesky.forward_lanes(symbolic, &columns.path, &mut columns.rows);
        let matrix = &mut border.reduced.matrix;
        for (other, columns_before) in before.iter().enumerate().filter(|(_, c)| c.touched) {
            let mut gram = [[0.0; LANES]; LANES];
            factor.cholesky.gram_lanes(symbolic, &columns.path, &columns.rows, &columns_before.rows, &mut gram);
            for i in 0..6 {
                for j in 0..6 {
                    matrix[(6 * object + i) * n + 6 * other + j] -= gram[i][j];
                    matrix[(6 * other + j) * n + 6 * object + i] -= gram[i][j];
                }
            }
        }
        let mut gram = [[0.0; LANES]; LANES];
        factor.cholesky.gram_lanes(symbolic, &columns.path, &columns.rows, &columns.rows, &mut gram);
        for i in 0..6 {
            for j in 0..6 {
                matrix[(6 * object + i) * n + 6 * object + j] -= gram[i][j];
            }
        }
    }
}

/// `c −= Yᵀ y`.
fn reduce_rhs(problem: &SoftProblem, factor: &SoftFactor, border: &mut BorderProblem) {
    for (object, columns) in problem.border.iter().enumerate().filter(|(_, c)| c.touched) {
        let mut product = [0.0; 6];
        for rows in columns.path.rows(&problem.symbolic) {
            for (row, x) in columns.rows[rows.clone()].iter().zip(&factor.forward[rows]) {
                for k in 0..6 {
                    product[k] += row[k] * x;
                }
            }
        }
        for k in 0..6 {
            border.reduced.rhs[6 * object + k] -= product[k];
        }
    }
}

/// `v = L⁻ᵀ (y − Y w)`.
fn backward(problem: &mut SoftProblem, factor: &mut SoftFactor, border: &BorderProblem) {
    let symbolic = &problem.symbolic;
    for (object, columns) in problem.border.iter().enumerate().filter(|(_, c)| c.touched) {
        let w = &border.solution[6 * object..6 * object + 6];
        for rows in columns.path.rows(symbolic) {
            for (x, row) in factor.x[rows.clone()].iter_mut().zip(&columns.rows[rows]) {
                let mut sum = 0.0;
                for k in 0..6 {
                    sum += row[k] * w[k];
                }
                *x -= sum;
            }
        }
    }
    factor.cholesky.backward(symbolic, &mut factor.x);
    for (block, v) in problem.solution.iter_mut().enumerate() {
        let at = 3 * symbolic.position(block as u32);
        *v = Vec3::new(factor.x[at], factor.x[at + 1], factor.x[at + 2]);
    }
}
