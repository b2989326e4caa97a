//! Which solver meets the limits, and how well.

/// How far a stretch may be beyond its limit at the end of a step.
const TOLERANCE: f64 = 0.005;

/// Linearisations of a step at most.
const ITERATIONS: u32 = 40;

/// How hard limits of stretches are met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrainParams {
    /// The solver.
    pub solver: StrainSolver,
    /// How far a stretch may be beyond its limit: a pure number, as stretches are.
    pub tolerance: f64,
    /// Linearisations of a step at most.
    pub iterations: u32,
    /// `njls` goes on along its last step and finds the diagonal of a limit once; without, it is what the paper prints.
    pub accelerated: bool,
}

/// Solvers of the same problem; the documentation of the module compares them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrainSolver {
    /// Active limits in the step's matrix, with multipliers.
    Newton,
    /// Nonlinear projected Jacobi with line searches [Perez Alg. 1].
    Njls,
    /// Linearised problems by projected Gauss–Seidel [Perez §II-B].
    SqpPgs,
    /// Linearised problems by projected Jacobi with line searches [Perez §II-B].
    SqpPjls,
}

impl StrainSolver {
    /// All solvers with their names.
    pub const ALL: [(&'static str, StrainSolver); 4] = [
        ("newton", StrainSolver::Newton),
        ("njls", StrainSolver::Njls),
        ("sqp_pgs", StrainSolver::SqpPgs),
        ("sqp_pjls", StrainSolver::SqpPjls),
    ];
}

impl Default for StrainParams {
    fn default() -> Self {
        StrainParams { solver: StrainSolver::Newton, tolerance: TOLERANCE, iterations: ITERATIONS, accelerated: true }
    }
}
