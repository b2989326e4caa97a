//! What a step holds, phase by phase. Each phase is a type, so that nobody asks for what is not there yet.
//!
//! ```text
//! Assembled ─ factor ─► Factored ─ free motion ─► Free ─ constraints ─► Solved
//!     ▲                                            │
//!     └──────────── contacts modelled anew ────────┘
//! ```

use crate::constraint::System;
use crate::contact::Motion;
use crate::energy::problem::{BorderProblem, BorderTerms, SoftProblem};
use crate::math::{Executor, Kernels};
use crate::solve::direct::SoftFactor;
use crate::solve::pcg::IterativeSolver;
use crate::solve::{SolveError, direct};
use crate::sparse::{PcgInfo, PcgParams};

/// Matrices, factors and velocities of all bodies: the memory that the phases hand on.
#[derive(Debug, Default)]
pub struct Equations {
    /// Soft bodies: matrix and right-hand side from [`Assembled`] on, velocities from [`Free`] on.
    pub problems: Vec<SoftProblem>,
    /// Their factors, from [`Factored`] on.
    pub factors: Vec<SoftFactor>,
    /// Rigid objects.
    pub border: BorderProblem,
}

/// Every energy, and the springs of contact that the pattern has room for, are in the matrix.
pub struct Assembled(pub Equations);

/// The matrices of soft bodies are factored.
pub struct Factored(Equations);

/// The velocities are those without constraints.
pub struct Free(Equations);

/// The velocities are those of the end of the step.
#[derive(Debug)]
pub struct Solved(Equations);

/// A step that could not be solved, with the memory back.
pub struct Failed {
    /// Why.
    pub error: SolveError,
    /// The memory.
    pub equations: Equations,
}

impl Assembled {
    /// Factors the matrices of the soft bodies.
    pub fn factor(mut self, executor: &dyn Executor) -> Result<Factored, Failed> {
        let Equations { problems, factors, .. } = &mut self.0;
        match direct::factor(executor, problems, factors) {
            Ok(()) => Ok(Factored(self.0)),
            Err(error) => Err(Failed { error, equations: self.0 }),
        }
    }

    /// The free motion by conjugate gradients, without a factor.
    pub fn iterate(
        mut self,
        solver: &mut IterativeSolver,
        kernels: Kernels,
        params: PcgParams,
        terms: &impl BorderTerms,
    ) -> (Free, PcgInfo) {
        let Equations { problems, border, .. } = &mut self.0;
        border.factored.copy_from(&border.assembled);
        terms.append(&mut border.factored);
        let info = solver.solve(problems, border, kernels, params);
        (Free(self.0), info)
    }
}

impl Factored {
    /// The motion without constraints; contacts between objects are judged until they hold.
    pub fn solve(mut self, terms: &mut impl BorderTerms) -> Result<Free, Failed> {
        let Equations { problems, factors, border } = &mut self.0;
        match direct::solve(problems, factors, border, terms) {
            Ok(_) => Ok(Free(self.0)),
            Err(error) => Err(Failed { error, equations: self.0 }),
        }
    }
}

impl Free {
    /// The motion.
    #[must_use]
    pub fn motion(&self) -> Motion<'_> {
        Motion { problems: &self.0.problems, border: &self.0.border }
    }

    /// Matrices and factors, for constraints to carry their rows through.
    pub fn system(&mut self) -> System<'_> {
        let Equations { problems, factors, border } = &mut self.0;
        System { problems, factors, border }
    }

    /// Right-hand sides, for forces that the model of a contact misjudged.
    pub fn right_hand_sides(&mut self) -> (&mut [SoftProblem], &mut BorderProblem) {
        (&mut self.0.problems, &mut self.0.border)
    }

    /// The free motion once more, without the response to constraints, for right-hand sides that changed; contacts
    /// between objects are as they were judged last, with that response.
    pub fn solve_again(mut self, terms: &mut impl BorderTerms) -> Result<Free, Failed> {
        let Equations { problems, factors, border } = &mut self.0;
        match direct::solve_again(problems, factors, border, terms) {
            Ok(_) => Ok(self),
            Err(error) => Err(Failed { error, equations: self.0 }),
        }
    }

    /// Back to assembling, for contacts that have to be modelled anew.
    #[must_use]
    pub fn reopen(self) -> Assembled {
        Assembled(self.0)
    }

    /// All constraints hold.
    #[must_use]
    pub fn close(self) -> Solved {
        Solved(self.0)
    }
}

impl Solved {
    /// The motion at the end of the step.
    #[must_use]
    pub fn motion(&self) -> Motion<'_> {
        Motion { problems: &self.0.problems, border: &self.0.border }
    }

    /// The memory back.
    #[must_use]
    pub fn into_equations(self) -> Equations {
        self.0
    }
}
