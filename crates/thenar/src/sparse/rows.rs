//! Constraint rows through a factor: `diag(J A⁻¹ Jᵀ)`, `J A⁻¹ Jᵀ` and `A⁻¹ Jᵀ λ` for sparse rows `J`.
//!
//! A row that touches one tetrahedron needs only the fronts on the way from its nodes to the root of the elimination
//! tree. Rows are sorted by where they enter the tree and solved eight at a time, so that a batch shares most of its way.

use super::lanes::add_combined;
use super::{Cholesky, EliminationPath, Symbolic};
use crate::math::{Kernels, Vec3};
use std::ops::Range;

/// Rows solved together.
const LANES: usize = 8;

/// Sparse rows over the blocks of a matrix.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SparseRows {
    /// End of each row's entries.
    ends: Vec<u32>,
    entries: Vec<(u32, Vec3)>,
}

impl SparseRows {
    /// Room for rows of some entries each; more will allocate.
    #[must_use]
    pub fn with_capacity(rows: usize, entries_per_row: usize) -> Self {
        SparseRows { ends: Vec::with_capacity(rows), entries: Vec::with_capacity(rows * entries_per_row) }
    }

    /// Makes room for `rows` rows over `entries_per_row` blocks each.
    pub fn reserve(&mut self, rows: usize, entries_per_row: usize) {
        self.ends.reserve(rows.saturating_sub(self.ends.len()));
        self.entries.reserve((rows * entries_per_row).saturating_sub(self.entries.len()));
    }

    /// Removes all rows.
    pub fn clear(&mut self) {
        self.ends.clear();
        self.entries.clear();
    }

    /// Appends a row: for each block it touches, in original numbering, its three coefficients. Repeated blocks add up.
    pub fn push(&mut self, entries: impl IntoIterator<Item = (u32, Vec3)>) {
        self.entries.extend(entries);
        self.ends.push(self.entries.len() as u32);
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True if there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The entries of a row.
    #[must_use]
    pub fn row(&self, row: usize) -> &[(u32, Vec3)] {
        let start = if row == 0 { 0 } else { self.ends[row - 1] as usize };
        &self.entries[start..self.ends[row] as usize]
    }
}

/// Rows carried through a factor; scratch with a fixed capacity. More rows can be carried later through the same factor.
#[derive(Clone, Debug)]
pub struct RowSolver {
    batches: Vec<Batch>,
    /// How many batches are in use.
    used: usize,
    /// Rows by place; each batch holds a range of them.
    order: Vec<u32>,
    permuted: Vec<f64>,
}

/// Portions of rows that there is room for.
const PORTIONS: usize = 16;

/// `L⁻¹ Jᵀ` for up to eight rows, in elimination order; zero outside the path.
#[derive(Clone, Debug)]
struct Batch {
    lanes: Vec<[f64; LANES]>,
    path: EliminationPath,
    /// Its rows, as places in the order.
    rows: Range<usize>,
    /// Fronts of the path.
    length: usize,
}

impl RowSolver {
    /// Room for `capacity` rows; more will allocate once.
    #[must_use]
    pub fn new(symbolic: &Symbolic, capacity: usize) -> Self {
        let mut solver = RowSolver {
            batches: Vec::new(),
            used: 0,
            order: Vec::with_capacity(capacity),
            permuted: vec![0.0; 3 * symbolic.block_count()],
        };
        solver.reserve(symbolic, capacity);
        solver
    }

    /// Makes room for `rows` rows.
    pub fn reserve(&mut self, symbolic: &Symbolic, rows: usize) {
        // rows that come in several portions leave the last batch of each half empty
        self.reserve_batches(symbolic, rows.div_ceil(LANES) + PORTIONS);
        self.order.reserve(rows.saturating_sub(self.order.len()));
    }

    fn reserve_batches(&mut self, symbolic: &Symbolic, batches: usize) {
        while self.batches.len() < batches {
            self.batches.push(Batch {
                lanes: vec![[0.0; LANES]; 3 * symbolic.block_count()],
                path: EliminationPath::new(symbolic),
                rows: 0..0,
                length: 0,
            });
        }
    }

    /// Number of rows carried.
    #[must_use]
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// True if no rows are carried.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Computes `L⁻¹ Jᵀ` for all rows.
    pub fn solve(&mut self, symbolic: &Symbolic, cholesky: &mut Cholesky<f64>, rows: &SparseRows) {
        self.clear();
        self.extend(symbolic, cholesky, rows);
    }

    /// Computes `L⁻¹ Jᵀ` for the rows that came after those already carried; returns the first of their batches.
    pub fn extend(&mut self, symbolic: &Symbolic, cholesky: &mut Cholesky<f64>, rows: &SparseRows) -> usize {
        let (first, first_batch) = (self.order.len(), self.used);
        self.order.extend(first as u32..rows.len() as u32);
        let first_position = |row: u32| rows.row(row as usize).iter().map(|&(b, _)| symbolic.position(b)).min();
        self.order[first..].sort_unstable_by_key(|&row| (first_position(row), row));
        self.used += (self.order.len() - first).div_ceil(LANES);
        self.reserve_batches(symbolic, self.used);
        let places = (first..self.order.len()).step_by(LANES);
        for (batch, start) in self.batches[first_batch..self.used].iter_mut().zip(places) {
            batch.clear(symbolic);
            batch.rows = start..(start + LANES).min(self.order.len());
            for (lane, &row) in self.order[batch.rows.clone()].iter().enumerate() {
                for &(block, value) in rows.row(row as usize) {
                    batch.path.touch(symbolic, block);
                    let position = symbolic.position(block);
                    for (k, value) in value.to_array().into_iter().enumerate() {
                        batch.lanes[3 * position + k][lane] += value;
                    }
                }
            }
            batch.length = batch.path.front_count();
            cholesky.forward_lanes(symbolic, &batch.path, &mut batch.lanes);
        }
        first_batch
    }

    /// `diagonal[i] = J_i A⁻¹ J_iᵀ`.
    ///
    /// # Panics
    /// If `diagonal` is shorter than the number of rows.
    pub fn diagonal(&self, symbolic: &Symbolic, diagonal: &mut [f64]) {
        for batch in &self.batches[..self.used] {
            let mut sum = [0.0; LANES];
            for rows in batch.ranges(symbolic) {
                for row in &batch.lanes[rows] {
                    for l in 0..LANES {
                        sum[l] += row[l] * row[l];
                    }
                }
            }
            for (&row, sum) in self.order[batch.rows.clone()].iter().zip(sum) {
                diagonal[row as usize] = sum;
            }
        }
    }

    /// Calls `take(i, j, J_i A⁻¹ J_jᵀ)` once for every ordered pair of rows of which one is in a batch from `first_batch` on.
    pub fn products_from(
        &self,
        first_batch: usize,
        symbolic: &Symbolic,
        cholesky: &Cholesky<f64>,
        mut take: impl FnMut(u32, u32, f64),
    ) {
        for i in first_batch..self.used {
            for j in 0..=i {
                let (a, b) = (&self.batches[i], &self.batches[j]);
                // Rows of A⁻¹ Jᵀ are zero off either path: the shorter way will do.
                let path = if a.length <= b.length { &a.path } else { &b.path };
                let mut gram = [[0.0; LANES]; LANES];
                cholesky.gram_lanes(symbolic, path, &a.lanes, &b.lanes, &mut gram);
                for (&row, gram) in self.order[a.rows.clone()].iter().zip(&gram) {
                    for (&column, &value) in self.order[b.rows.clone()].iter().zip(gram) {
                        take(row, column, value);
                        if i != j {
                            take(column, row, value);
                        }
                    }
                }
            }
        }
    }

    /// `compliance[i * n + j] = J_i A⁻¹ J_jᵀ` for the `n` rows carried.
    ///
    /// # Panics
    /// If `compliance` is shorter than `n * n`.
    pub fn compliance(&self, symbolic: &Symbolic, cholesky: &Cholesky<f64>, compliance: &mut [f64]) {
        let n = self.order.len();
        self.products_from(0, symbolic, cholesky, |row, column, value| {
            compliance[row as usize * n + column as usize] = value;
        });
    }

    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.order.clear();
        self.used = 0;
    }

    /// `(L⁻¹ Jᵀ)ᵀ Y` for columns `Y` in elimination order, such as `L⁻¹ B`: calls `take(row, products)` for each row of
    /// the batches from `first_batch` on.
    pub fn products(
        &self,
        first_batch: usize,
        symbolic: &Symbolic,
        cholesky: &Cholesky<f64>,
        columns: &[[f64; LANES]],
        mut take: impl FnMut(usize, &[f64; LANES]),
    ) {
        for batch in &self.batches[first_batch..self.used] {
            let mut gram = [[0.0; LANES]; LANES];
            cholesky.gram_lanes(symbolic, &batch.path, &batch.lanes, columns, &mut gram);
            for (&row, products) in self.order[batch.rows.clone()].iter().zip(&gram) {
                take(row as usize, products);
            }
        }
    }

    /// `y += L⁻¹ Jᵀ λ`, in elimination order.
    ///
    /// # Panics
    /// If `multipliers` or `y` is too short.
    pub fn accumulate(&self, symbolic: &Symbolic, multipliers: &[f64], y: &mut [f64]) {
        for batch in &self.batches[..self.used] {
            let mut factors = [0.0; LANES];
            for (factor, &row) in factors.iter_mut().zip(&self.order[batch.rows.clone()]) {
                *factor = multipliers[row as usize];
            }
            if factors == [0.0; LANES] {
                continue;
            }
            for rows in batch.ranges(symbolic) {
                for (sum, lanes) in y[rows.clone()].iter_mut().zip(&batch.lanes[rows]) {
                    for l in 0..LANES {
                        *sum += factors[l] * lanes[l];
                    }
                }
            }
        }
    }

    /// The same for eight columns of multipliers.
    ///
    /// # Panics
    /// If `multipliers` or `y` is too short.
    pub fn accumulate_lanes(
        &self,
        kernels: Kernels,
        symbolic: &Symbolic,
        multipliers: &[[f64; LANES]],
        y: &mut [[f64; LANES]],
    ) {
        for batch in &self.batches[..self.used] {
            let mut factors = [[0.0; LANES]; LANES];
            for (factor, &row) in factors.iter_mut().zip(&self.order[batch.rows.clone()]) {
                *factor = multipliers[row as usize];
            }
            if factors == [[0.0; LANES]; LANES] {
                continue;
            }
            for rows in batch.ranges(symbolic) {
                add_combined(kernels, &batch.lanes[rows.clone()], &factors, &mut y[rows]);
            }
        }
    }

    /// `x += A⁻¹ Jᵀ λ`, in the original order of blocks.
    ///
    /// # Panics
    /// If `multipliers` or `x` is too short.
    pub fn add_response(
        &mut self,
        symbolic: &Symbolic,
        cholesky: &mut Cholesky<f64>,
        multipliers: &[f64],
        x: &mut [f64],
    ) {
        let mut permuted = std::mem::take(&mut self.permuted);
        permuted.fill(0.0);
        self.accumulate(symbolic, multipliers, &mut permuted);
        self.permuted = permuted;
        cholesky.backward(symbolic, &mut self.permuted);
        let (x, _) = x.as_chunks_mut::<3>();
        for (p, &block) in self.permuted.as_chunks::<3>().0.iter().zip(symbolic.order()) {
            for k in 0..3 {
                x[block as usize][k] += p[k];
            }
        }
    }
}

impl Batch {
    /// The scalar rows of the path.
    fn ranges<'a>(&'a self, symbolic: &'a Symbolic) -> impl Iterator<Item = Range<usize>> + 'a {
        self.path.positions(symbolic).map(|p| 3 * p.start..3 * p.end)
    }

    fn clear(&mut self, symbolic: &Symbolic) {
        for positions in self.path.positions(symbolic) {
            self.lanes[3 * positions.start..3 * positions.end].fill([0.0; LANES]);
        }
        self.path.clear();
    }
}
