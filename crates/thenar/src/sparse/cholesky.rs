//! Multifrontal Cholesky factorisation `A = L Lᵀ` with a fixed plan.

use super::front::{Part, eliminate};
use super::symbolic::{Front, PADDING};
use super::{Block, BlockMatrix, Symbolic};
use crate::math::{Kernels, Real, dispatch};
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

/// A kernel width: the tile height that fills the vector registers.
pub trait Scalar: Real {
    /// Factors with the tile height of this type.
    #[doc(hidden)]
    fn factor(
        kernels: Kernels,
        symbolic: &Symbolic,
        matrix: &BlockMatrix,
        target: FactorTarget<'_, Self>,
    ) -> Option<usize>;
}

/// Where a factorisation is written.
#[doc(hidden)]
pub struct FactorTarget<'a, T> {
    panels: &'a mut [T],
    updates: &'a mut [T],
    inverse: &'a mut [T],
}

impl Scalar for f64 {
    fn factor(
        kernels: Kernels,
        symbolic: &Symbolic,
        matrix: &BlockMatrix,
        target: FactorTarget<'_, f64>,
    ) -> Option<usize> {
        dispatch!(kernels, fn avx2<>(symbolic: &Symbolic, matrix: &BlockMatrix, target: FactorTarget<'_, f64>) -> Option<usize> {
            FUSED => factor_all::<f64, FUSED, 8>(symbolic, matrix, target)
        })
    }
}

impl Scalar for f32 {
    fn factor(
        kernels: Kernels,
        symbolic: &Symbolic,
        matrix: &BlockMatrix,
        target: FactorTarget<'_, f32>,
    ) -> Option<usize> {
        dispatch!(kernels, fn avx2<>(symbolic: &Symbolic, matrix: &BlockMatrix, target: FactorTarget<'_, f32>) -> Option<usize> {
            FUSED => factor_all::<f32, FUSED, 16>(symbolic, matrix, target)
        })
    }
}

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
        assert_eq!(matrix.diagonal.len(), symbolic.block_count(), "matrix and plan must share a pattern");
        assert_eq!(matrix.off.len(), symbolic.scatter.len(), "matrix and plan must share a pattern");
        assert_eq!(self.panels.len(), symbolic.panel_len, "factor and plan must belong together");
        assert_eq!(self.updates.len(), symbolic.update_len, "factor and plan must belong together");
        let target = FactorTarget { panels: &mut self.panels, updates: &mut self.updates, inverse: &mut self.inverse };
        match T::factor(self.kernels, symbolic, matrix, target) {
            None => Ok(()),
            Some(position) => Err(NotPositiveDefinite { block: symbolic.block_at(position) }),
        }
    }
}

/// Factors front by front; returns the position of the first bad pivot.
#[inline(always)]
fn factor_all<T: Real, const FUSED: bool, const H: usize>(
    symbolic: &Symbolic,
    matrix: &BlockMatrix,
    target: FactorTarget<'_, T>,
) -> Option<usize> {
    let (panels, updates) = (target.panels.as_mut_ptr(), target.updates.as_mut_ptr());
    for front in &symbolic.fronts {
        let inverse = &mut target.inverse[3 * front.first..][..front.columns()];
        // SAFETY: the plan places each panel inside `panels` and each update inside `updates`, apart from those that
        // live at the same time; `factor` has checked that the lengths are those of the plan.
        unsafe {
            let panel = Part { at: panels.add(front.panel), stride: front.panel_stride };
            let update = Part { at: updates.add(front.update), stride: front.update_stride };
            clear(panel, front.columns());
            clear(update, front.below());
            place_matrix(symbolic, matrix, front, panel);
            for &child in &symbolic.children[front.children.clone()] {
                let child = &symbolic.fronts[child as usize];
                let from = Part { at: updates.add(child.update), stride: child.update_stride };
                take_update(symbolic, child, from, front.pivots, panel, update);
            }
            eliminate::<T, FUSED, H>(panel, front.columns(), update, front.below(), inverse.as_mut_ptr());
        }
        if let Some(bad) = inverse.iter().position(|v| !(*v > T::ZERO && v.is_finite())) {
            return Some(front.first + bad / 3);
        }
    }
    None
}

/// Clears the lower trapezoid, by whole tiles.
///
/// # Safety
/// The part must have `columns` columns of `stride` rows.
#[inline(always)]
unsafe fn clear<T: Real>(part: Part<T>, columns: usize) {
    for j in 0..columns {
        let from = j / 6 * 6;
        // SAFETY: the part has `columns` columns of `stride` rows.
        unsafe { part.at.add(j * part.stride + from).write_bytes(0, part.stride - from) };
    }
}

/// Writes the matrix blocks whose column is a pivot of this front.
///
/// # Safety
/// The panel must be the one that the plan laid out for this front.
#[inline(always)]
unsafe fn place_matrix<T: Real>(symbolic: &Symbolic, matrix: &BlockMatrix, front: &Front, panel: Part<T>) {
    for local in 0..front.pivots {
        let block = &matrix.diagonal[symbolic.block_at(front.first + local) as usize];
        // SAFETY: the diagonal block of a pivot lies in the panel.
        unsafe { write_block(block, panel.at.add(3 * local * (panel.stride + 1)), panel.stride) };
    }
    for place in &symbolic.scatter[front.scatter.clone()] {
        let block = &matrix.off[place.edge as usize];
        // SAFETY: the plan's targets lie in the panel.
        unsafe {
            let target = panel.at.add(place.target as usize);
            if place.transposed {
                write_block(&block.transpose(), target, panel.stride);
            } else {
                write_block(block, target, panel.stride);
            }
        }
    }
}

/// Writes one block at `target`.
///
/// # Safety
/// The target must have room for three columns of three rows, `stride` apart.
#[inline(always)]
unsafe fn write_block<T: Real>(block: &Block, target: *mut T, stride: usize) {
    for (c, column) in block.0.iter().enumerate() {
        for (r, &value) in column[..3].iter().enumerate() {
            // SAFETY: the caller promises room for a block.
            unsafe { *target.add(c * stride + r) = T::from_f64(value) };
        }
    }
}

/// Adds a child's update to its parent's panel and update, column by column in runs of consecutive rows.
///
/// # Safety
/// The parts must be those that the plan laid out for the child and its parent.
#[inline(always)]
unsafe fn take_update<T: Real>(
    symbolic: &Symbolic,
    child: &Front,
    from: Part<T>,
    parent_pivots: usize,
    panel: Part<T>,
    update: Part<T>,
) {
    let runs = &symbolic.runs[child.runs.clone()];
    for (k, first_run) in runs.iter().enumerate() {
        for within in 0..first_run.len {
            let column = (first_run.child + within) as usize;
            let target_column = (first_run.parent + within) as usize;
            // SAFETY: the plan maps rows and columns of the child to rows and columns of the parent.
            unsafe {
                let (base, stride) = if target_column < parent_pivots {
                    (panel.at.add(3 * target_column * panel.stride), panel.stride)
                } else {
                    let c = 3 * (target_column - parent_pivots);
                    (update.at.add(c * update.stride).wrapping_sub(3 * parent_pivots), update.stride)
                };
                for c in 0..3 {
                    let source = from.at.add((3 * column + c) * from.stride);
                    let target = base.wrapping_add(c * stride);
                    // The diagonal block's own run starts at the column itself.
                    add_segment(
                        source.add(3 * column),
                        target.wrapping_add(3 * target_column),
                        3 * (first_run.len - within) as usize,
                    );
                    for run in &runs[k + 1..] {
                        add_segment(
                            source.add(3 * run.child as usize),
                            target.wrapping_add(3 * run.parent as usize),
                            3 * run.len as usize,
                        );
                    }
                }
            }
        }
    }
}

/// # Safety
/// There must be `len` numbers at both places, and the two must not overlap.
#[inline(always)]
unsafe fn add_segment<T: Real>(source: *const T, target: *mut T, len: usize) {
    for i in 0..len {
        // SAFETY: the caller promises `len` numbers at both places.
        unsafe { *target.add(i) += *source.add(i) };
    }
}
