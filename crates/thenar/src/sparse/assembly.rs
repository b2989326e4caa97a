//! Filling a front: blocks of the matrix, and what its children left.

use super::front::{Part, WIDTH};
use super::symbolic::{Front, Run};
use super::{Block, BlockMatrix, Symbolic};
use crate::math::{Real, Vector};

/// Clears the lower trapezoid, by whole tiles.
///
/// # Safety
/// The part must have `columns` columns of `stride` rows, a multiple of eight.
#[inline(always)]
pub(super) unsafe fn clear<V: Vector>(part: Part<V::Scalar>, columns: usize) {
    let zero = V::splat(V::Scalar::ZERO);
    for j in 0..columns {
        for i in ((j / WIDTH * WIDTH) / V::LEN * V::LEN..part.stride).step_by(V::LEN) {
            // SAFETY: promised by the caller.
            unsafe { zero.store(part.place(i, j)) };
        }
    }
}

/// Writes the matrix blocks whose column is a pivot of this front into its cleared panel.
///
/// # Safety
/// The panel must be the one planned for the front.
#[inline(always)]
pub(super) unsafe fn place_matrix<T: Real>(symbolic: &Symbolic, matrix: &BlockMatrix, front: &Front, panel: Part<T>) {
    for (local, &block) in symbolic.order()[front.first..front.first + front.pivots].iter().enumerate() {
        // SAFETY: the diagonal block of a pivot lies in the panel.
        unsafe { write_block(&matrix.diagonal[block as usize], panel.place(3 * local, 3 * local), panel.stride) };
    }
    // Writing a block also clears the row below it: the plan lists the blocks of a column from top to bottom.
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

/// Writes a block and a row of zeros below it.
///
/// # Safety
/// There must be room for both.
#[inline(always)]
unsafe fn write_block<T: Real>(block: &Block, target: *mut T, stride: usize) {
    for (c, column) in block.0.iter().enumerate() {
        // SAFETY: promised by the caller.
        unsafe { target.add(c * stride).cast::<[T; 4]>().write_unaligned(column.map(T::from_f64)) };
    }
}

/// Adds a child's update to its parent's panel and update, in runs of rows that are consecutive in both.
///
/// # Safety
/// All parts must be the planned ones, and `runs` those of the child.
#[inline(always)]
pub(super) unsafe fn take_update<V: Vector>(
    runs: &[Run],
    from: Part<V::Scalar>,
    parent_pivots: usize,
    panel: Part<V::Scalar>,
    update: Part<V::Scalar>,
) {
    for (k, first) in runs.iter().enumerate() {
        for within in 0..first.len {
            let (column, target_column) = ((first.child + within) as usize, (first.parent + within) as usize);
            // SAFETY: the plan maps rows and columns of the child to rows and columns of the parent. Rows of the update
            // are counted from its first row, `parent_pivots` below the panel's; the wrapped pointer is not read there.
            unsafe {
                let target = if target_column < parent_pivots {
                    Part { at: panel.place(0, 3 * target_column), stride: panel.stride }
                } else {
                    let at = update.place(0, 3 * (target_column - parent_pivots));
                    Part { at: at.wrapping_sub(3 * parent_pivots), stride: update.stride }
                };
                let source = Part { at: from.place(0, 3 * column), stride: from.stride };
                // On the column's own run only the part from the diagonal down exists.
                add_rows::<V>(source, 3 * column, target, 3 * target_column, 3 * (first.len - within) as usize);
                for run in &runs[k + 1..] {
                    let (from_row, to_row) = (3 * run.child as usize, 3 * run.parent as usize);
                    add_rows::<V>(source, from_row, target, to_row, 3 * run.len as usize);
                }
            }
        }
    }
}

/// Adds `len` rows of three columns.
///
/// # Safety
/// The rows must exist in both parts.
#[inline(always)]
unsafe fn add_rows<V: Vector>(
    source: Part<V::Scalar>,
    from_row: usize,
    target: Part<V::Scalar>,
    to_row: usize,
    len: usize,
) {
    let (from, to) = (source.at.wrapping_add(from_row), target.at.wrapping_add(to_row));
    let mut i = 0;
    while i + V::LEN <= len {
        for c in 0..3 {
            let to = to.wrapping_add(c * target.stride + i);
            // SAFETY: promised by the caller.
            unsafe { (V::load(to) + V::load(from.wrapping_add(c * source.stride + i))).store(to) };
        }
        i += V::LEN;
    }
    while i < len {
        for c in 0..3 {
            // SAFETY: promised by the caller.
            unsafe { *to.wrapping_add(c * target.stride + i) += *from.wrapping_add(c * source.stride + i) };
        }
        i += 1;
    }
}
