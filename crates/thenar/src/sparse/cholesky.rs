//! Multifrontal Cholesky factorisation `A = L Lᵀ` with a fixed plan.

use super::assembly::{clear, place_matrix, take_update};
use super::front::{Part, eliminate};
use super::symbolic::PADDING;
use super::triangular::{backward, forward};
use super::{BlockMatrix, Symbolic};
use crate::math::{Array, Executor, Kernels, Real, Serial, Vector};
use std::sync::atomic::{AtomicUsize, Ordering};
use thiserror::Error;

/// The matrix cannot be factored: it is not positive definite, or holds a number that is not finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the system matrix is not positive definite at block {block}; check masses, stiffnesses and positions there")]
pub struct NotPositiveDefinite {
    /// The block, in original numbering, whose pivot failed.
    pub block: u32,
}

/// The numbers of a factorisation, in `f64` or `f32`; the plan is in [`Symbolic`].
///
/// Factoring and solving allocate nothing. The same `Symbolic` must be passed to all calls.
#[derive(Clone, Debug)]
pub struct Cholesky<T> {
    pub(super) kernels: Kernels,
    pub(super) panels: Vec<T>,
    updates: Vec<T>,
    /// Inverses of the factor's diagonal, in elimination order.
    pub(super) inverse: Vec<T>,
    /// One front's rows, for the solves.
    pub(super) gathered: Vec<T>,
    /// A right-hand side in elimination order.
    pub(super) permuted: Vec<T>,
    /// One front's rows for eight right-hand sides.
    pub(super) gathered_lanes: Vec<[T; 8]>,
}

/// `f64` or `f32`, with the kernels of this precision.
pub trait Scalar: Real {
    /// Does one task with the vectors of this type; for a factorisation returns the position of the first bad pivot.
    #[doc(hidden)]
    fn run(kernels: Kernels, symbolic: &Symbolic, task: Task<'_, Self>) -> Option<usize>;
}

/// What a factor is asked to do.
#[doc(hidden)]
pub enum Task<'a, T> {
    /// The fronts of one part, or those above all parts.
    Factor {
        matrix: &'a BlockMatrix,
        memory: Memory<T>,
        part: Option<usize>,
    },
    Forward {
        panels: &'a [T],
        inverse: &'a [T],
        work: &'a mut [T],
        x: &'a mut [T],
    },
    Backward {
        panels: &'a [T],
        inverse: &'a [T],
        work: &'a mut [T],
        x: &'a mut [T],
    },
}

/// Where a factorisation writes. Parts of the plan write to different places.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Memory<T> {
    panels: *mut T,
    updates: *mut T,
    inverse: *mut T,
}

// SAFETY: threads that share it work on different parts of the plan (`factor_with`), whose places do not overlap.
unsafe impl<T: Send> Send for Memory<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Memory<T> {}

#[inline(always)]
fn run_with<V: Vector>(symbolic: &Symbolic, task: Task<'_, V::Scalar>) -> Option<usize> {
    match task {
        Task::Factor { matrix, memory, part: Some(part) } => {
            return factor_fronts::<V>(symbolic, matrix, memory, symbolic.parts.independent[part].clone());
        }
        Task::Factor { matrix, memory, part: None } => {
            return factor_fronts::<V>(symbolic, matrix, memory, symbolic.parts.above.iter().map(|&f| f as usize));
        }
        Task::Forward { panels, inverse, work, x } => forward::<V>(symbolic, panels, inverse, work, x),
        Task::Backward { panels, inverse, work, x } => backward::<V>(symbolic, panels, inverse, work, x),
    }
    None
}

macro_rules! scalar {
    ($t:ty, $array:ty, $register:ident) => {
        impl Scalar for $t {
            #[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))] // Only x86-64 has a choice.
            fn run(kernels: Kernels, symbolic: &Symbolic, task: Task<'_, $t>) -> Option<usize> {
                #[cfg(target_arch = "x86_64")]
                if kernels.has_avx2() {
                    #[target_feature(enable = "avx2,fma")]
                    fn avx2(symbolic: &Symbolic, task: Task<'_, $t>) -> Option<usize> {
                        run_with::<crate::math::avx2::$register>(symbolic, task)
                    }
                    // SAFETY: `has_avx2` is true only after detecting AVX2 and FMA.
                    return unsafe { avx2(symbolic, task) };
                }
                run_with::<$array>(symbolic, task)
            }
        }
    };
}
scalar!(f64, Array<f64, 4>, F64x4);
scalar!(f32, Array<f32, 8>, F32x8);

impl<T: Scalar> Cholesky<T> {
    /// Room for a factorisation by this plan.
    #[must_use]
    pub fn new(symbolic: &Symbolic, kernels: Kernels) -> Self {
        let n = 3 * symbolic.block_count();
        let tallest = symbolic.max_height + PADDING;
        Cholesky {
            kernels,
            panels: vec![T::ZERO; symbolic.panel_len],
            updates: vec![T::ZERO; symbolic.update_len],
            inverse: vec![T::ONE; n],
            gathered: vec![T::ZERO; tallest],
            permuted: vec![T::ZERO; n],
            gathered_lanes: vec![[T::ZERO; 8]; tallest],
        }
    }

    /// Factors a matrix of the planned pattern.
    ///
    /// # Errors
    /// Names the block at which a pivot was not a positive finite number. The factor must not be used then.
    ///
    /// # Panics
    /// If the matrix is not of the pattern that was planned.
    pub fn factor(&mut self, symbolic: &Symbolic, matrix: &BlockMatrix) -> Result<(), NotPositiveDefinite> {
        self.factor_with(&Serial, symbolic, matrix)
    }

    /// Factors a matrix of the planned pattern, independent subtrees perhaps at the same time. The factor is the same,
    /// bit for bit, for every executor.
    ///
    /// # Errors
    /// As for [`factor`](Self::factor).
    ///
    /// # Panics
    /// If the matrix is not of the pattern that was planned.
    pub fn factor_with(
        &mut self,
        executor: &dyn Executor,
        symbolic: &Symbolic,
        matrix: &BlockMatrix,
    ) -> Result<(), NotPositiveDefinite> {
        assert_eq!(matrix.diagonal.len(), symbolic.block_count(), "matrix and plan must share a pattern");
        assert_eq!(matrix.off.len(), symbolic.scatter.len(), "matrix and plan must share a pattern");
        assert_eq!(self.panels.len(), symbolic.panel_len, "factor and plan must belong together");
        assert_eq!(self.updates.len(), symbolic.update_len, "factor and plan must belong together");
        assert_eq!(self.inverse.len(), 3 * symbolic.block_count(), "factor and plan must belong together");
        let kernels = self.kernels;
        let memory = Memory {
            panels: self.panels.as_mut_ptr(),
            updates: self.updates.as_mut_ptr(),
            inverse: self.inverse.as_mut_ptr(),
        };
        // The first bad pivot of all parts: the same one whichever part meets its own first.
        let bad = AtomicUsize::new(usize::MAX);
        executor.run(symbolic.part_count(), &|part| {
            if let Some(position) = T::run(kernels, symbolic, Task::Factor { matrix, memory, part: Some(part) }) {
                bad.fetch_min(position, Ordering::Relaxed);
            }
        });
        let mut bad = bad.into_inner();
        if bad == usize::MAX {
            bad = T::run(kernels, symbolic, Task::Factor { matrix, memory, part: None }).unwrap_or(usize::MAX);
        }
        if bad == usize::MAX { Ok(()) } else { Err(NotPositiveDefinite { block: symbolic.block_at(bad) }) }
    }
}

/// Factors front by front; returns the position of the first bad pivot.
#[inline(always)]
fn factor_fronts<V: Vector>(
    symbolic: &Symbolic,
    matrix: &BlockMatrix,
    memory: Memory<V::Scalar>,
    fronts: impl Iterator<Item = usize>,
) -> Option<usize> {
    let Memory { panels, updates, inverse } = memory;
    for front in fronts {
        let front = &symbolic.fronts[front];
        let (columns, below) = (front.columns(), front.below());
        // SAFETY: the plan places each panel inside `panels`, each update inside `updates`, apart from those that
        // live at the same time, and each pivot inside `inverse`; `factor_with` has checked that the lengths are those
        // of the plan and gives each part to one thread. Updates of other parts are read by the fronts above all parts
        // only, when those are done.
        let inverse = unsafe {
            let panel = Part { at: panels.add(front.panel), stride: front.panel_stride };
            let update = Part { at: updates.add(front.update), stride: front.update_stride };
            let inverse = inverse.add(3 * front.first);
            clear::<V>(panel, columns);
            place_matrix(symbolic, matrix, front, panel);
            if front.children.is_empty() {
                eliminate::<V, true>(panel, columns, update, below, inverse);
            } else {
                clear::<V>(update, below);
                for &child in &symbolic.children[front.children.clone()] {
                    let child = &symbolic.fronts[child as usize];
                    let from = Part { at: updates.add(child.update), stride: child.update_stride };
                    take_update::<V>(&symbolic.runs[child.runs.clone()], from, front.pivots, panel, update);
                }
                eliminate::<V, false>(panel, columns, update, below, inverse);
            }
            std::slice::from_raw_parts(inverse.cast_const(), columns)
        };
        if let Some(bad) = inverse.iter().position(|v| !(*v > V::Scalar::ZERO && v.is_finite())) {
            return Some(front.first + bad / 3);
        }
    }
    None
}
