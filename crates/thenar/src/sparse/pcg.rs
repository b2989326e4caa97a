//! Preconditioned conjugate gradients.

use super::{BlockMatrix, BlockPattern, Cholesky, Scalar, Symbolic};
use crate::math::{Kernels, dot};

/// A symmetric positive definite matrix that is known by its products only.
pub trait LinearOperator {
    /// `y = A x`.
    fn apply(&self, x: &[f64], y: &mut [f64]);
}

/// A cheap approximate inverse, symmetric positive definite.
pub trait Preconditioner {
    /// `z = P⁻¹ r`.
    fn apply(&mut self, r: &[f64], z: &mut [f64]);
}

/// A block matrix as an operator.
#[derive(Clone, Copy, Debug)]
pub struct MatrixOperator<'a> {
    /// Which blocks there are.
    pub pattern: &'a BlockPattern,
    /// Their values.
    pub matrix: &'a BlockMatrix,
    /// How to multiply.
    pub kernels: Kernels,
}

impl LinearOperator for MatrixOperator<'_> {
    fn apply(&self, x: &[f64], y: &mut [f64]) {
        self.matrix.mul(self.kernels, self.pattern, x, y);
    }
}

/// Division by the diagonal.
#[derive(Clone, Debug, Default)]
pub struct Jacobi {
    inverse: Vec<f64>,
}

impl Jacobi {
    /// Room for systems of `n` blocks.
    #[must_use]
    pub fn new(n: usize) -> Self {
        Jacobi { inverse: vec![1.0; 3 * n] }
    }

    /// Takes the diagonal of a matrix; entries that are not positive count as 1.
    pub fn set(&mut self, matrix: &BlockMatrix) {
        for (inverse, block) in self.inverse.as_chunks_mut::<3>().0.iter_mut().zip(&matrix.diagonal) {
            for k in 0..3 {
                let d = block.get(k, k);
                inverse[k] = if d > 0.0 { 1.0 / d } else { 1.0 };
            }
        }
    }

    /// The inverses, for callers whose operator has more rows than the matrix.
    pub fn inverse_mut(&mut self) -> &mut Vec<f64> {
        &mut self.inverse
    }
}

impl Preconditioner for Jacobi {
    fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        for ((z, r), inverse) in z.iter_mut().zip(r).zip(&self.inverse) {
            *z = r * inverse;
        }
    }
}

/// A factorisation, usually in single precision, that approximates the matrix: conjugate gradients then refine its
/// solution to double precision in a few iterations, also where plain refinement would diverge.
#[derive(Debug)]
pub struct FactorPreconditioner<'a, T> {
    /// The plan of the factorisation.
    pub symbolic: &'a Symbolic,
    /// The factorisation.
    pub cholesky: &'a mut Cholesky<T>,
}

impl<T: Scalar> Preconditioner for FactorPreconditioner<'_, T> {
    fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        z.copy_from_slice(r);
        self.cholesky.solve(self.symbolic, z);
    }
}

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PcgParams {
    /// Residual to reach, relative to the right-hand side.
    pub tolerance: f64,
    /// Iterations at most.
    pub max_iterations: usize,
}

impl Default for PcgParams {
    fn default() -> Self {
        PcgParams { tolerance: 1e-6, max_iterations: 500 }
    }
}

/// How it went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PcgInfo {
    /// Iterations used.
    pub iterations: usize,
    /// Norm of the residual relative to the right-hand side, as updated by the recurrence.
    pub residual: f64,
    /// True if the tolerance was reached. Otherwise the best use of `x` is to discard it or to go on from it.
    pub converged: bool,
}

/// Scratch vectors of the method.
#[derive(Clone, Debug)]
pub struct Pcg {
    r: Vec<f64>,
    z: Vec<f64>,
    p: Vec<f64>,
    ap: Vec<f64>,
}

impl Pcg {
    /// Room for systems of `len` scalars.
    #[must_use]
    pub fn new(len: usize) -> Self {
        Pcg { r: vec![0.0; len], z: vec![0.0; len], p: vec![0.0; len], ap: vec![0.0; len] }
    }

    /// Solves `A x = b`, starting from the given `x`. Allocates nothing and always ends.
    ///
    /// # Panics
    /// If `b` or `x` is not of the length given to [`new`](Self::new).
    pub fn solve(
        &mut self,
        a: &impl LinearOperator,
        preconditioner: &mut impl Preconditioner,
        b: &[f64],
        x: &mut [f64],
        params: &PcgParams,
    ) -> PcgInfo {
        assert!(b.len() == self.r.len() && x.len() == self.r.len(), "system and scratch must be of one size");
        let Pcg { r, z, p, ap } = self;
        let size = dot(b, b).sqrt();
        if size == 0.0 {
            x.fill(0.0);
            return PcgInfo { iterations: 0, residual: 0.0, converged: true };
        }
        a.apply(x, ap);
        for i in 0..r.len() {
            r[i] = b[i] - ap[i];
        }
        let mut residual = dot(r, r).sqrt() / size;
        let mut rz = 0.0;
        for iteration in 0..params.max_iterations {
            if residual <= params.tolerance {
                return PcgInfo { iterations: iteration, residual, converged: true };
            }
            preconditioner.apply(r, z);
            let next = dot(r, z);
            let beta = if iteration == 0 { 0.0 } else { next / rz };
            rz = next;
            for (p, z) in p.iter_mut().zip(z.iter()) {
                *p = if iteration == 0 { *z } else { z + beta * *p };
            }
            a.apply(p, ap);
            let curvature = dot(p, ap);
            // Not positive definite, or not finite: nothing better can come.
            if !(curvature > 0.0 && rz > 0.0 && curvature.is_finite()) {
                return PcgInfo { iterations: iteration, residual, converged: false };
            }
            let alpha = rz / curvature;
            for i in 0..r.len() {
                x[i] += alpha * p[i];
                r[i] -= alpha * ap[i];
            }
            residual = dot(r, r).sqrt() / size;
        }
        PcgInfo { iterations: params.max_iterations, residual, converged: residual <= params.tolerance }
    }
}
