//! Dense kernels of one front: partial Cholesky factorisation of its panel and the update it leaves.
//!
//! All work on tiles of `HEIGHT x WIDTH` numbers held in registers (8 x 6 in `f64`, 16 x 6 in `f32`). Panels are padded,
//! so a tile may cover rows past the last one; these hold zeros or numbers that nobody reads.

use crate::math::Real;

/// Columns of a tile. Fronts have a multiple of three columns: tiles of six, then one of three if needed.
const WIDTH: usize = 6;

/// A column-major matrix part in memory.
#[derive(Clone, Copy)]
pub(super) struct Part<T> {
    pub at: *mut T,
    pub stride: usize,
}

impl<T> Part<T> {
    /// # Safety
    /// The place must lie inside the allocation.
    #[inline(always)]
    unsafe fn offset(self, row: usize, column: usize) -> *mut T {
        // SAFETY: the caller stays inside the allocation.
        unsafe { self.at.add(column * self.stride + row) }
    }
}

/// `target - A Bᵀ` for the tile of `target`, where `A` and `B` are `depth` columns of the panel.
///
/// # Safety
/// All rows and columns of the tile must lie inside the allocations (padding included).
#[inline(always)]
unsafe fn tile<T: Real, const FUSED: bool, const H: usize, const W: usize>(
    target: *const T,
    target_stride: usize,
    a: *const T,
    b: *const T,
    stride: usize,
    depth: usize,
) -> [[T; H]; W] {
    let mut sum = [[T::ZERO; H]; W];
    for p in 0..depth {
        // SAFETY: inside the panel by the caller's promise.
        let (column, b) = unsafe { (a.add(p * stride).cast::<[T; H]>().read_unaligned(), b.add(p * stride)) };
        for q in 0..W {
            // SAFETY: as above.
            let factor = unsafe { *b.add(q) };
            for r in 0..H {
                sum[q][r] = column[r].mul_then_add::<FUSED>(factor, sum[q][r]);
            }
        }
    }
    for q in 0..W {
        // SAFETY: as above.
        let value = unsafe { target.add(q * target_stride).cast::<[T; H]>().read_unaligned() };
        for r in 0..H {
            sum[q][r] = value[r] - sum[q][r];
        }
    }
    sum
}

/// Writes a tile.
///
/// # Safety
/// The tile must lie inside the allocation (padding included).
#[inline(always)]
unsafe fn store<T: Real, const H: usize, const W: usize>(target: *mut T, stride: usize, tile: &[[T; H]; W]) {
    for q in 0..W {
        // SAFETY: the caller promises that the tile lies inside the allocation.
        unsafe { target.add(q * stride).cast::<[T; H]>().write_unaligned(tile[q]) };
    }
}

/// Factors columns `j..j + W` of the panel, all earlier columns being done.
///
/// # Safety
/// Rows up to `height + H` must exist in the panel (padding), and `W` numbers at `inverse` from `j`.
#[inline(always)]
unsafe fn factor_columns<T: Real, const FUSED: bool, const H: usize, const W: usize>(
    panel: Part<T>,
    height: usize,
    j: usize,
    inverse: *mut T,
) {
    let mut below_diagonal = [[T::ZERO; W]; W];
    let mut scale = [T::ZERO; W];
    let mut i = j;
    while i < height {
        // SAFETY: rows up to `height + H` exist (padding); the columns belong to the panel.
        unsafe {
            let target = panel.offset(i, j);
            let mut t =
                tile::<T, FUSED, H, W>(target, panel.stride, panel.offset(i, 0), panel.offset(j, 0), panel.stride, j);
            let first = i == j;
            for q in 0..W {
                if first {
                    scale[q] = T::ONE / t[q][q].sqrt();
                    *inverse.add(j + q) = scale[q];
                }
                for r in 0..H {
                    t[q][r] *= scale[q];
                }
                for s in q + 1..W {
                    if first {
                        below_diagonal[q][s] = -t[q][s];
                    }
                    for r in 0..H {
                        t[s][r] = t[q][r].mul_then_add::<FUSED>(below_diagonal[q][s], t[s][r]);
                    }
                }
            }
            store(target, panel.stride, &t);
        }
        i += H;
    }
}

/// Subtracts the outer product of the panel's lower rows from columns `j..j + W` of the update.
///
/// # Safety
/// Rows up to `below + H` must exist below the panel's columns and in the update (padding).
#[inline(always)]
unsafe fn update_columns<T: Real, const FUSED: bool, const H: usize, const W: usize>(
    panel: Part<T>,
    columns: usize,
    update: Part<T>,
    below: usize,
    j: usize,
) {
    let mut i = j;
    while i < below {
        // SAFETY: rows up to `below + H` exist in both parts (padding).
        unsafe {
            let target = update.offset(i, j);
            let t = tile::<T, FUSED, H, W>(
                target,
                update.stride,
                panel.offset(columns + i, 0),
                panel.offset(columns + j, 0),
                panel.stride,
                columns,
            );
            store(target, update.stride, &t);
        }
        i += H;
    }
}

/// Factors the first `columns` columns of an assembled front and subtracts their outer product from the update.
///
/// Writes the inverses of the factor's diagonal to `inverse`; a pivot that was not positive and finite leaves an inverse
/// that is not.
///
/// # Safety
/// `panel` must have `columns` columns of `columns + below + H` rows, `update` `below` columns of `below + H` rows (the
/// last may end in shared padding), `inverse` room for `columns` numbers; none may overlap.
#[inline(always)]
pub(super) unsafe fn eliminate<T: Real, const FUSED: bool, const H: usize>(
    panel: Part<T>,
    columns: usize,
    update: Part<T>,
    below: usize,
    inverse: *mut T,
) {
    let height = columns + below;
    let mut j = 0;
    // SAFETY: passed on to the caller.
    unsafe {
        while j + WIDTH <= columns {
            factor_columns::<T, FUSED, H, WIDTH>(panel, height, j, inverse);
            j += WIDTH;
        }
        if j < columns {
            factor_columns::<T, FUSED, H, 3>(panel, height, j, inverse);
        }
        j = 0;
        while j + WIDTH <= below {
            update_columns::<T, FUSED, H, WIDTH>(panel, columns, update, below, j);
            j += WIDTH;
        }
        if j < below {
            update_columns::<T, FUSED, H, 3>(panel, columns, update, below, j);
        }
    }
}
