//! Dense kernels of one front: partial Cholesky factorisation of its panel and the update it leaves.
//!
//! All work on tiles two vector registers high and six columns wide (8 x 6 numbers in `f64`, 16 x 6 in `f32`): twelve
//! registers of sums, two of the left factor and one for the right. Panels are padded, so a tile may cover rows past the
//! last one; these hold numbers that nobody reads.
//!
//! No closures here: a closure is compiled without the vector instructions of the function that it is inlined into.

use crate::math::{Real, Vector};

/// Columns of a tile. Fronts have a multiple of three columns: tiles of six, then one of three if needed.
pub(super) const WIDTH: usize = 6;

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
    pub unsafe fn place(self, row: usize, column: usize) -> *mut T {
        // SAFETY: promised by the caller.
        unsafe { self.at.add(column * self.stride + row) }
    }
}

type Tile<V, const W: usize> = [[V; 2]; W];

/// # Safety
/// The tile must lie inside the allocation, padding included.
#[inline(always)]
unsafe fn load<V: Vector, const W: usize>(from: *const V::Scalar, stride: usize) -> Tile<V, W> {
    let mut tile = [[V::splat(V::Scalar::ZERO); 2]; W];
    for q in 0..W {
        // SAFETY: promised by the caller.
        tile[q] = unsafe { [V::load(from.add(q * stride)), V::load(from.add(q * stride + V::LEN))] };
    }
    tile
}

/// # Safety
/// The tile must lie inside the allocation, padding included.
#[inline(always)]
unsafe fn store<V: Vector, const W: usize>(tile: &Tile<V, W>, to: *mut V::Scalar, stride: usize) {
    for (q, [upper, lower]) in tile.iter().enumerate() {
        // SAFETY: promised by the caller.
        unsafe {
            upper.store(to.add(q * stride));
            lower.store(to.add(q * stride + V::LEN));
        }
    }
}

/// `tile - A Bᵀ`, where `A` are the tile's rows and `B` its columns' rows in the first `depth` columns of the panel.
///
/// # Safety
/// Both must lie inside the panel, padding included.
#[inline(always)]
unsafe fn minus_outer<V: Vector, const W: usize>(
    mut tile: Tile<V, W>,
    mut a: *const V::Scalar,
    mut b: *const V::Scalar,
    stride: usize,
    depth: usize,
) -> Tile<V, W> {
    for _ in 0..depth {
        // SAFETY: promised by the caller; the step past the last column is never read.
        unsafe {
            let (upper, lower) = (V::load(a), V::load(a.add(V::LEN)));
            for q in 0..W {
                let factor = V::splat(*b.add(q));
                tile[q][0] = tile[q][0].minus_product(upper, factor);
                tile[q][1] = tile[q][1].minus_product(lower, factor);
            }
            a = a.wrapping_add(stride);
            b = b.wrapping_add(stride);
        }
    }
    tile
}

/// What the columns of a tile need from the triangle on their diagonal.
struct Triangle<T, const W: usize> {
    /// Inverse of the factor's diagonal.
    scale: [T; W],
    /// `u[q][s] / d[q]`, by which column `q` before scaling is subtracted from column `s`.
    ratio: [[T; W]; W],
}

/// Factors the triangle at `at`, whose entries have been updated by all earlier columns.
///
/// The divisions by pivots are chained from column to column, the square roots are not: this halves the latency.
///
/// # Safety
/// `W` columns of `W` rows must be readable.
#[inline(always)]
unsafe fn factor_triangle<T: Real, const W: usize>(at: *const T, stride: usize) -> Triangle<T, W> {
    let mut u = [[T::ZERO; W]; W];
    for q in 0..W {
        for r in q..W {
            // SAFETY: promised by the caller.
            u[q][r] = unsafe { *at.add(q * stride + r) };
        }
    }
    let mut triangle = Triangle { scale: [T::ZERO; W], ratio: [[T::ZERO; W]; W] };
    for q in 0..W {
        let inverse_pivot = T::ONE / u[q][q];
        triangle.scale[q] = T::ONE / u[q][q].sqrt();
        for s in q + 1..W {
            let ratio = u[q][s] * inverse_pivot;
            triangle.ratio[q][s] = ratio;
            for r in s..W {
                u[s][r] -= ratio * u[q][r];
            }
        }
    }
    triangle
}

/// Divides a tile from the right by the factored triangle of its columns.
#[inline(always)]
fn divide<V: Vector, const W: usize>(tile: &mut Tile<V, W>, triangle: &Triangle<V::Scalar, W>) {
    for q in 0..W {
        let column = tile[q];
        for s in q + 1..W {
            let ratio = V::splat(triangle.ratio[q][s]);
            for half in 0..2 {
                tile[s][half] = tile[s][half].minus_product(column[half], ratio);
            }
        }
        let scale = V::splat(triangle.scale[q]);
        tile[q] = [column[0] * scale, column[1] * scale];
    }
}

/// The tile at row `i` of columns `j..j + W`, updated by all earlier columns.
///
/// # Safety
/// As for [`eliminate`].
#[inline(always)]
unsafe fn updated_tile<V: Vector, const W: usize>(panel: Part<V::Scalar>, i: usize, j: usize) -> Tile<V, W> {
    // SAFETY: promised by the caller.
    unsafe {
        let tile = load::<V, W>(panel.place(i, j), panel.stride);
        minus_outer(tile, panel.place(i, 0), panel.place(j, 0), panel.stride, j)
    }
}

/// Factors columns `j..j + W` of the panel, all earlier columns being done.
///
/// # Safety
/// As for [`eliminate`].
#[inline(always)]
unsafe fn factor_columns<V: Vector, const W: usize>(
    panel: Part<V::Scalar>,
    height: usize,
    j: usize,
    inverse: *mut V::Scalar,
) {
    // SAFETY: rows up to `height + 2 LEN` exist (padding); the columns belong to the panel.
    unsafe {
        let mut tile = updated_tile::<V, W>(panel, j, j);
        store(&tile, panel.place(j, j), panel.stride);
        let triangle = factor_triangle::<V::Scalar, W>(panel.place(j, j), panel.stride);
        for (q, &scale) in triangle.scale.iter().enumerate() {
            *inverse.add(j + q) = scale;
        }
        let mut i = j;
        loop {
            divide(&mut tile, &triangle);
            store(&tile, panel.place(i, j), panel.stride);
            i += 2 * V::LEN;
            if i >= height {
                break;
            }
            tile = updated_tile(panel, i, j);
        }
    }
}

/// Subtracts the outer product of the panel's lower rows from columns `j..j + W` of the update.
///
/// # Safety
/// As for [`eliminate`].
#[inline(always)]
unsafe fn update_columns<V: Vector, const W: usize, const FRESH: bool>(
    panel: Part<V::Scalar>,
    columns: usize,
    update: Part<V::Scalar>,
    below: usize,
    j: usize,
) {
    for i in (j..below).step_by(2 * V::LEN) {
        // SAFETY: rows up to `below + 2 LEN` exist in both parts (padding).
        unsafe {
            let place = update.place(i, j);
            let tile = if FRESH { [[V::splat(V::Scalar::ZERO); 2]; W] } else { load::<V, W>(place, update.stride) };
            let (a, b) = (panel.place(columns + i, 0), panel.place(columns + j, 0));
            let tile = minus_outer::<V, W>(tile, a, b, panel.stride, columns);
            store(&tile, place, update.stride);
        }
    }
}

/// Factors the first `columns` columns of an assembled front and subtracts their outer product from the update, or from
/// zero if the update is `FRESH`.
///
/// Writes the inverses of the factor's diagonal to `inverse`; a pivot that was not positive and finite leaves an inverse
/// that is not.
///
/// # Safety
/// `panel` must have `columns` columns of `columns + below + 2 LEN` rows, `update` `below` columns of `below + 2 LEN`
/// rows, `inverse` room for `columns` numbers; none may overlap. `V` must be allowed on this machine.
#[inline(always)]
pub(super) unsafe fn eliminate<V: Vector, const FRESH: bool>(
    panel: Part<V::Scalar>,
    columns: usize,
    update: Part<V::Scalar>,
    below: usize,
    inverse: *mut V::Scalar,
) {
    let height = columns + below;
    let mut j = 0;
    // SAFETY: promised by the caller.
    unsafe {
        while j + WIDTH <= columns {
            factor_columns::<V, WIDTH>(panel, height, j, inverse);
            j += WIDTH;
        }
        if j < columns {
            factor_columns::<V, 3>(panel, height, j, inverse);
        }
        j = 0;
        while j + WIDTH <= below {
            update_columns::<V, WIDTH, FRESH>(panel, columns, update, below, j);
            j += WIDTH;
        }
        if j < below {
            update_columns::<V, 3, FRESH>(panel, columns, update, below, j);
        }
    }
}
