//! How rows yield to forces, through the step's own factor, and the forces that make their laws hold.
//!
//! The free motion is solved already; rows `H` over nodes and `G` over objects see it through
//! ```text
//! W = h² (H A⁻¹ Hᵀ + (G − H A⁻¹ B) S⁻¹ (G − H A⁻¹ B)ᵀ),     S = C − Bᵀ A⁻¹ B
//! ```
//! where `B` holds what already ties nodes to objects, such as contact springs. Rows may be added while the factor stays:
//! `W` grows by what they add.
//!
//! A block whose linear force `c − K u` the matrix holds already is lifted out of it: without that force
//! ```text
//! W' = W + W K (I − W K)⁻¹ W,     u' = u − W' (c − K u) …  = (I + W K (I − W K)⁻¹)(u − W c)
//! ```
//! (Woodbury; `K` acts on the lifted rows alone), and its law takes the place of the force.

use super::rows::ConstraintSet;
use super::sweeps::{SweepInfo, SweepParams, Sweeps};
use crate::energy::problem::{BorderProblem, SoftProblem};
use crate::math::Vec3;
use crate::solve::direct::SoftFactor;
use crate::sparse::{EliminationPath, RowSolver, SparseRows, Symbolic, dense};

/// Sweeps stop when none moves a row by more than this, metres; hard points end as near to where they must.
pub const TOLERANCE: f64 = 5e-8;

/// The same where steps are compared with each other, metres.
const EXACT: f64 = 1e-13;

/// Sweeps at most.
const MAX_SWEEPS: u32 = 200;

/// Nodes of a row that there is room for: a point has four on each side or twelve, a patch a few dozen.
const ENTRIES_PER_ROW: usize = 24;

/// Rows lifted out of the matrix that there is room for: contacts that flip between two factorisations.
const MOST_LIFTED: usize = 384;

/// The solved system that rows are carried through.
pub struct System<'a> {
    /// Soft bodies; their solutions hold the motion that the rows act on.
    pub problems: &'a mut [SoftProblem],
    /// Their factors.
    pub factors: &'a mut [SoftFactor],
    /// The objects; the matrix is factored, as the direct solver leaves it.
    pub border: &'a mut BorderProblem,
}

/// Rows of one soft body.
#[derive(Debug)]
pub(super) struct BodyRows {
    pub(super) rows: SparseRows,
    /// Which row of the set each of them is.
    pub(super) global: Vec<u32>,
    pub(super) solver: RowSolver,
    /// The whole elimination tree.
    pub(super) everything: EliminationPath,
    impulses: Vec<f64>,
    response: Vec<f64>,
}

/// `W`, and what it is made of. Scratch: sized when bodies are added, grown between steps.
#[derive(Debug, Default)]
pub struct Compliance {
    pub(super) bodies: Vec<BodyRows>,
    /// Rows carried so far.
    carried: usize,
    /// `h² H A⁻¹ Hᵀ`.
    soft: Vec<f64>,
    /// `W`.
    total: Vec<f64>,
    /// `G − H A⁻¹ B`, one row of the border's size each.
    objects: Vec<f64>,
    /// `S⁻¹ (G − H A⁻¹ B)ᵀ`, likewise.
    pub(super) moved: Vec<f64>,
    kick: Vec<f64>,
    lifted: Lifted,
    sweeps: Sweeps,
    /// Unknowns of the border.
    pub(super) size: usize,
    /// Rows there is room for; the distance between two rows of `W`.
    stride: usize,
    /// Sweeps go on to round-off: for those who compare steps.
    pub exact: bool,
}

/// Rows that are lifted out of the matrix, and the small system for that.
#[derive(Debug, Default)]
struct Lifted {
    rows: Vec<u32>,
    matrix: Vec<f64>,
    columns: Vec<f64>,
}

impl Compliance {
    /// Makes room for one more soft body.
    pub fn add_body(&mut self, symbolic: &Symbolic) {
        let rows = self.stride;
        self.bodies.push(BodyRows {
            rows: SparseRows::with_capacity(rows, ENTRIES_PER_ROW),
            global: Vec::with_capacity(rows),
            solver: RowSolver::new(symbolic, rows),
            everything: EliminationPath::all(symbolic),
            impulses: vec![0.0; rows],
            response: vec![0.0; 3 * symbolic.block_count()],
        });
    }

    /// Makes room for the objects of a border.
    pub fn resize_border(&mut self, size: usize) {
        self.size = size;
        self.kick.resize(size, 0.0);
        self.objects.resize(self.stride * size, 0.0);
        self.moved.resize(self.stride * size, 0.0);
    }

    /// Rows there is room for without allocating.
    #[must_use]
    pub fn room(&self) -> usize {
        self.stride
    }

    /// Makes room for `rows` rows; to be called between steps, since it allocates.
    pub fn reserve(&mut self, rows: usize, problems: &[SoftProblem]) {
        if rows > self.stride {
            self.stride = rows;
            self.soft = vec![0.0; rows * rows];
            self.total = vec![0.0; rows * rows];
        }
        let rows = self.stride;
        let lifted = rows.min(MOST_LIFTED);
        self.lifted.rows.reserve(rows);
        self.lifted.matrix.reserve(lifted * lifted);
        self.lifted.columns.reserve(lifted * (rows + 1));
        self.sweeps.reserve(rows);
        self.resize_border(self.size);
        for (body, problem) in self.bodies.iter_mut().zip(problems) {
            body.rows.reserve(rows, ENTRIES_PER_ROW);
            body.global.reserve(rows);
            body.impulses.resize(rows, 0.0);
            body.solver.reserve(&problem.symbolic, rows);
        }
    }

    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.carried = 0;
        for body in &mut self.bodies {
            body.rows.clear();
            body.global.clear();
            body.solver.clear();
        }
    }

    /// Carries the rows that were added to the set since the last call through the factors.
    pub fn grow(&mut self, set: &ConstraintSet, dt: f64, system: &mut System<'_>) {
        let (first, n, stride) = (self.carried, set.rows.len(), self.stride);
        if first == n {
            return;
        }
        self.carried = n;
        for i in 0..n {
            let from = if i < first { first } else { 0 };
            self.soft[i * stride + from..i * stride + n].fill(0.0);
        }
        let size = self.size;
        self.objects[first * size..n * size].fill(0.0);
        for (row, own) in set.rows[first..].iter().zip(self.objects[first * size..].chunks_exact_mut(size.max(1))) {
            for object in row.objects.iter().flatten() {
                let at = 6 * object.index as usize;
                for k in 0..3 {
                    own[at + k] += object.linear[k];
                    own[at + 3 + k] += object.angular[k];
                }
            }
        }
        for (body, own) in self.bodies.iter_mut().enumerate() {
            let before = own.rows.len();
            for (i, row) in set.rows.iter().enumerate().skip(first) {
                let mut entries = set.entries(row).iter().filter(|e| e.body as usize == body).peekable();
                if entries.peek().is_some() {
                    own.rows.push(entries.map(|e| (e.block, e.value)));
                    own.global.push(i as u32);
                }
            }
            if own.rows.len() == before {
                continue;
            }
            let problem = &system.problems[body];
            let (symbolic, cholesky) = (&problem.symbolic, system.factors[body].cholesky_mut());
            let batch = own.solver.extend(symbolic, cholesky, &own.rows);
            let (global, soft) = (&own.global, &mut self.soft);
            own.solver.products_from(batch, symbolic, cholesky, |row, column, w| {
                let (i, j) = (global[row as usize] as usize, global[column as usize] as usize);
                soft[i * stride + j] += dt * dt * w;
            });
            for (object, columns) in problem.border.iter().enumerate().filter(|(_, c)| c.touched) {
                own.solver.products(batch, symbolic, cholesky, &columns.rows, |row, product| {
                    let at = own.global[row] as usize * size + 6 * object;
                    for (x, p) in self.objects[at..at + 6].iter_mut().zip(product) {
                        *x -= p;
                    }
                });
            }
        }
    }
    /// Finds the multipliers of all rows, by laws that see the motion the system holds, and adds their response to it.
    pub fn solve(&mut self, set: &mut ConstraintSet, dt: f64, system: &mut System<'_>) -> SweepInfo {
        if set.rows.is_empty() {
            return SweepInfo::default();
        }
        self.carry(set, dt, system);
        let mut params = SweepParams { tolerance: TOLERANCE, max_sweeps: MAX_SWEEPS };
        if self.exact {
            params = SweepParams { tolerance: EXACT, max_sweeps: 100 * MAX_SWEEPS };
        }
        let info = self.sweeps.solve(&self.total, self.stride, set, params);
        Compliance::act(set);
        self.respond(&set.acting, dt, system);
        info
    }

    /// `W` of all rows of the set, and what they measure by the motion that the system holds.
    pub fn carry(&mut self, set: &mut ConstraintSet, dt: f64, system: &mut System<'_>) {
        if set.rows.len() < self.carried {
            self.clear();
        }
        self.grow(set, dt, system);
        self.add_objects(set, dt, system.border);
        set.measure(dt, system.problems, system.border);
        self.lift(set);
        let (n, stride) = (set.rows.len(), self.stride);
        for (i, row) in set.rows.iter().enumerate() {
            self.total[i * stride + i] += row.compliance;
        }
        debug_assert!(self.total[..n].iter().all(|w| w.is_finite()));
    }

    /// What of changes `lambda` of the multipliers acts beside the forces that the matrix has for lifted blocks, which change too.
    pub(super) fn act_for(&self, set: &ConstraintSet, lambda: &[f64], acting: &mut Vec<f64>) {
        let n = set.rows.len();
        acting.clear();
        acting.extend_from_slice(lambda);
        for block in &set.blocks {
            let Some(held) = &block.in_matrix else { continue };
            let moved = |row: usize| -> f64 {
                let yields = self.total[row * self.stride..row * self.stride + n].iter().zip(lambda);
                yields.map(|(w, l)| w * l).sum::<f64>() - set.rows[row].compliance * lambda[row]
            };
            let range = block.range();
            for (a, row) in range.clone().enumerate() {
                acting[row] += range.clone().enumerate().map(|(b, r)| held.stiffness[a][b] * moved(r)).sum::<f64>();
            }
        }
    }

    /// `W`: the soft part, and what the objects yield.
    fn add_objects(&mut self, set: &ConstraintSet, dt: f64, border: &BorderProblem) {
        let (n, size, stride) = (set.rows.len(), self.size, self.stride);
        for i in 0..n {
            self.total[i * stride..i * stride + n].copy_from_slice(&self.soft[i * stride..i * stride + n]);
        }
        if size == 0 {
            return;
        }
        self.moved[..n * size].copy_from_slice(&self.objects[..n * size]);
        for x in self.moved[..n * size].chunks_exact_mut(size) {
            if x.iter().any(|x| *x != 0.0) {
                dense::solve(&border.factored.matrix, size, x);
            }
        }
        for i in 0..n {
            let own = &self.objects[i * size..(i + 1) * size];
            let Some(from) = own.iter().position(|x| *x != 0.0) else { continue };
            let to = own.iter().rposition(|x| *x != 0.0).map_or(from, |k| k + 1);
            for j in 0..n {
                let other = &self.moved[j * size..(j + 1) * size];
                let w: f64 = own[from..to].iter().zip(&other[from..to]).map(|(a, b)| a * b).sum();
                self.total[i * stride + j] += dt * dt * w;
            }
        }
    }

    /// Takes the forces that the matrix holds for some blocks off `W` and off the free displacements.
    fn lift(&mut self, set: &mut ConstraintSet) {
        let (n, stride) = (set.rows.len(), self.stride);
        let Lifted { rows, matrix, columns } = &mut self.lifted;
        rows.clear();
        for block in set.blocks.iter().filter(|b| b.in_matrix.is_some()) {
            rows.extend(block.range().map(|r| r as u32));
        }
        let m = rows.len();
        if m == 0 {
            return;
        }
        // u − W c on all rows
        let mut at = 0;
        for block in &set.blocks {
            let Some(held) = &block.in_matrix else { continue };
            for (k, r) in block.range().enumerate() {
                for i in 0..n {
                    set.free[i] -= self.total[i * stride + r] * held.constant[k];
                }
            }
            at += block.range().len();
        }
        debug_assert_eq!(at, m);
        // X = (I − W K)⁻¹ on the lifted rows: solve (I − W K) X = [W, u] for the rows of the lifted set, then W' = W + W K X
        let wide = n + 1;
        matrix.clear();
        matrix.resize(m * m, 0.0);
        columns.clear();
        columns.resize(m * wide, 0.0);
        for (i, &row) in rows.iter().enumerate() {
            let own = &self.total[row as usize * stride..row as usize * stride + n];
            columns[i * wide..i * wide + n].copy_from_slice(own);
            columns[i * wide + n] = set.free[row as usize];
            matrix[i * m + i] = 1.0;
            let mut first = 0;
            for block in &set.blocks {
                let Some(held) = &block.in_matrix else { continue };
                let range = block.range();
                for b in 0..range.len() {
                    let wk: f64 = range.clone().enumerate().map(|(a, r)| own[r] * held.stiffness[a][b]).sum();
                    matrix[i * m + first + b] -= wk;
                }
                first += range.len();
            }
        }
        eliminate(matrix, m, columns, wide);
        // K X
        let mut first = 0;
        for block in &set.blocks {
            let Some(held) = &block.in_matrix else { continue };
            let count = block.range().len();
            for column in 0..wide {
                let mut x = [0.0; 3];
                for b in 0..count {
                    x[b] = columns[(first + b) * wide + column];
                }
                for a in 0..count {
                    columns[(first + a) * wide + column] = (0..count).map(|b| held.stiffness[a][b] * x[b]).sum();
                }
            }
            first += count;
        }
        for i in 0..n {
            for (l, &row) in rows.iter().enumerate() {
                // W itself, before any of it is changed, is still in the lifted columns of the rows not yet reached
                matrix[l] = self.total[i * stride + row as usize];
            }
            for l in 0..m {
                let w = matrix[l];
                if w == 0.0 {
                    continue;
                }
                let (kx, rest) = (&columns[l * wide..l * wide + n], columns[l * wide + n]);
                for (t, x) in self.total[i * stride..i * stride + n].iter_mut().zip(kx) {
                    *t += w * x;
                }
                set.free[i] += w * rest;
            }
        }
    }

    /// The multipliers that act beyond what the matrix holds: `λ − (c − K u)`.
    fn act(set: &mut ConstraintSet) {
        set.acting.clear();
        set.acting.extend_from_slice(&set.lambda);
        for block in &set.blocks {
            let Some(held) = &block.in_matrix else { continue };
            let range = block.range();
            for (a, row) in range.clone().enumerate() {
                let pulled: f64 = range
                    .clone()
                    .enumerate()
                    .map(|(b, r)| held.stiffness[a][b] * (set.outcome[r] - set.rows[r].compliance * set.lambda[r]))
                    .sum();
                set.acting[row] += pulled - held.constant[a];
            }
        }
    }

    /// Adds `A⁻¹ (Hᵀ h λ − B dw)` and `dw = S⁻¹ (G − H A⁻¹ B)ᵀ h λ` to the motion.
    fn respond(&mut self, acting: &[f64], dt: f64, system: &mut System<'_>) {
        let size = self.size;
        self.kick.fill(0.0);
        for (moved, lambda) in self.moved.chunks_exact(size.max(1)).zip(acting) {
            for (k, x) in self.kick.iter_mut().zip(moved) {
                *k += x * dt * lambda;
            }
        }
        for (v, dv) in system.border.solution.iter_mut().zip(&self.kick) {
            *v += dv;
        }
        for (body, own) in self.bodies.iter_mut().enumerate() {
            let problem = &mut system.problems[body];
            let tied = problem.border.iter().any(|c| c.touched);
            if !problem.active || (own.rows.is_empty() && !tied) {
                continue;
            }
            let symbolic = &problem.symbolic;
            own.response.fill(0.0);
            for (impulse, &row) in own.impulses.iter_mut().zip(&own.global) {
                *impulse = dt * acting[row as usize];
            }
            own.solver.accumulate(symbolic, &own.impulses[..own.global.len()], &mut own.response);
            for (object, columns) in problem.border.iter().enumerate().filter(|(_, c)| c.touched) {
                let kick = &self.kick[6 * object..6 * object + 6];
                for rows in columns.path.rows(symbolic) {
                    for (x, row) in own.response[rows.clone()].iter_mut().zip(&columns.rows[rows]) {
                        *x -= row.iter().zip(kick).map(|(b, k)| b * k).sum::<f64>();
                    }
                }
            }
            system.factors[body].cholesky_mut().backward(symbolic, &mut own.response);
            for (dv, &block) in own.response.as_chunks::<3>().0.iter().zip(symbolic.order()) {
                problem.solution[block as usize] += Vec3::from_array(*dv);
            }
        }
    }

    /// `W` of the rows of two blocks, m/N: what the first moves by for a unit of force on the second.
    #[must_use]
    pub fn between(&self, row: usize, column: usize) -> f64 {
        self.total[row * self.stride + column]
    }
}

/// Solves `A X = B` in place by elimination with row exchanges; `A` is `m × m`, `B` has `wide` columns.
pub fn eliminate(a: &mut [f64], m: usize, b: &mut [f64], wide: usize) {
    for k in 0..m {
        let pivot = (k..m).max_by(|&i, &j| a[i * m + k].abs().total_cmp(&a[j * m + k].abs())).unwrap_or(k);
        if pivot != k {
            for j in 0..m {
                a.swap(k * m + j, pivot * m + j);
            }
            for j in 0..wide {
                b.swap(k * wide + j, pivot * wide + j);
            }
        }
        let inverse = 1.0 / a[k * m + k];
        for i in k + 1..m {
            let factor = a[i * m + k] * inverse;
            if factor == 0.0 {
                continue;
            }
            let (top, bottom) = a.split_at_mut(i * m);
            for (x, y) in bottom[k..m].iter_mut().zip(&top[k * m + k..k * m + m]) {
                *x -= factor * y;
            }
            let (top, bottom) = b.split_at_mut(i * wide);
            for (x, y) in bottom[..wide].iter_mut().zip(&top[k * wide..k * wide + wide]) {
                *x -= factor * y;
            }
        }
    }
    for k in (0..m).rev() {
        let inverse = 1.0 / a[k * m + k];
        b[k * wide..(k + 1) * wide].iter_mut().for_each(|x| *x *= inverse);
        for i in 0..k {
            let factor = a[i * m + k];
            if factor == 0.0 {
                continue;
            }
            let (top, bottom) = b.split_at_mut(k * wide);
            for (x, y) in top[i * wide..(i + 1) * wide].iter_mut().zip(&bottom[..wide]) {
                *x -= factor * y;
            }
        }
    }
}
