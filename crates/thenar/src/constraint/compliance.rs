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
//! (Woodbury; `K` acts on the lifted rows alone), and its law takes the place of the force. Blocks are lifted one after the other, each out of
//! what the ones before it have left: an update by three columns each.

use super::rows::ConstraintSet;
use super::sweeps::{SweepInfo, SweepParams, Sweeps};
use crate::energy::problem::{BorderProblem, SoftProblem};
use crate::math::{Kernels, Vec3, dense, dispatch, dot};
use crate::solve::direct::SoftFactor;
use crate::sparse::{EliminationPath, RowSolver, SparseRows, Symbolic};

/// Sweeps stop when none moves a row by more than this, metres; hard points end as near to where they must.
pub const TOLERANCE: f64 = 5e-8;

/// The same where steps are compared with each other, metres.
const EXACT: f64 = 1e-13;

/// Sweeps at most.
const MAX_SWEEPS: u32 = 100;

/// Nodes of a row that there is room for: a point has four on each side or twelve, a patch a few dozen.
const ENTRIES_PER_ROW: usize = 24;

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
    /// `L⁻¹ (G − H A⁻¹ B)ᵀ` with `S = L Lᵀ`, likewise.
    pub(super) half: Vec<f64>,
    /// Where each of them begins to be other than zero.
    begins: Vec<u32>,
    kick: Vec<f64>,
    /// Three columns of `W`.
    columns: Vec<f64>,
    sweeps: Sweeps,
    /// Unknowns of the border.
    pub(super) size: usize,
    /// Rows there is room for; the distance between two rows of `W`.
    stride: usize,
    /// Sweeps go on to round-off: for those who compare steps.
    pub exact: bool,
    /// Which machine kernels to use.
    pub kernels: Kernels,
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
        self.half.resize(self.stride * size, 0.0);
        self.begins.resize(self.stride, 0);
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
        self.columns.reserve((3 * rows).saturating_sub(self.columns.len()));
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
        self.sweeps.kernels = self.kernels;
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
                let yields = &self.total[row * self.stride..row * self.stride + n];
                dot(yields, lambda) - set.rows[row].compliance * lambda[row]
            };
            let range = held.range(block);
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
        self.half[..n * size].copy_from_slice(&self.objects[..n * size]);
        let half = &mut self.half[..n * size];
        let input = (border.factored.matrix.as_slice(), size, dt * dt);
        add_yielding(self.kernels, input, half, &mut self.begins[..n], &mut self.total, stride);
    }

    /// Takes the forces that the matrix holds for some blocks off `W` and off the free displacements, block after block: each is lifted
    /// out of what the ones before it have left.
    fn lift(&mut self, set: &mut ConstraintSet) {
        let (n, stride) = (set.rows.len(), self.stride);
        for block in &set.blocks {
            let Some(held) = &block.in_matrix else { continue };
            let range = held.range(block);
            self.columns.clear();
            self.columns.resize(3 * n, 0.0);
            for (column, row) in self.columns.chunks_exact_mut(n).zip(range.clone()) {
                column.copy_from_slice(&self.total[row * stride..row * stride + n]);
            }
            let columns = &self.columns;
            let column = |k: usize| &columns[k * n..(k + 1) * n];
            // u − W c
            for k in 0..range.len() {
                let constant = held.constant[k];
                set.free.iter_mut().zip(column(k)).for_each(|(u, w)| *u -= w * constant);
            }
            let more = lifting(
                &held.stiffness,
                |i, j| if j < range.len() { column(j)[range.start + i] } else { 0.0 },
                range.len(),
            );
            let own: [f64; 3] = std::array::from_fn(|k| if k < range.len() { set.free[range.start + k] } else { 0.0 });
            for k in 0..range.len() {
                let rest: f64 = (0..3).map(|j| more[k][j] * own[j]).sum();
                set.free.iter_mut().zip(column(k)).for_each(|(u, w)| *u += w * rest);
            }
            add_outer(self.kernels, &mut self.total, stride, columns, &more);
        }
    }

    /// The multipliers that act beyond what the matrix holds: `λ − (c − K u)`.
    fn act(set: &mut ConstraintSet) {
        set.acting.clear();
        set.acting.extend_from_slice(&set.lambda);
        for block in &set.blocks {
            let Some(held) = &block.in_matrix else { continue };
            let range = held.range(block);
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
        for (half, lambda) in self.half.chunks_exact(size.max(1)).zip(acting) {
            for (k, x) in self.kick.iter_mut().zip(half) {
                *k += x * dt * lambda;
            }
        }
        dense::backward(&system.border.factored.matrix, size, &mut self.kick);
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

/// `K (I − W K)⁻¹` of one block of `rows` rows.
fn lifting(stiffness: &[[f64; 3]; 3], own: impl Fn(usize, usize) -> f64, rows: usize) -> [[f64; 3]; 3] {
    // transposed, (I − K W)⁻¹ K: K and W are symmetric, and so is the result
    let mut matrix = [0.0; 9];
    let mut result = *stiffness;
    for i in 0..3 {
        matrix[3 * i + i] = 1.0;
        for j in 0..rows {
            matrix[3 * i + j] -= (0..rows).map(|k| stiffness[i][k] * own(k, j)).sum::<f64>();
        }
    }
    dense::eliminate(Kernels::portable(), &mut matrix, 3, result.as_flattened_mut(), 3);
    result
}

/// `W += C M Cᵀ` for three columns `C`.
fn add_outer(kernels: Kernels, total: &mut [f64], stride: usize, columns: &[f64], by: &[[f64; 3]; 3]) {
    dispatch!(kernels, fn avx2<>(total: &mut [f64], stride: usize, columns: &[f64], by: &[[f64; 3]; 3]) {
        _FUSED => add_outer_rows(total, stride, columns, by)
    });
}

#[inline(always)]
fn add_outer_rows(total: &mut [f64], stride: usize, columns: &[f64], by: &[[f64; 3]; 3]) {
    let n = columns.len() / 3;
    let (first, rest) = columns.split_at(n);
    let (second, third) = rest.split_at(n);
    for i in 0..n {
        let w = [first[i], second[i], third[i]];
        let [a, b, c] = std::array::from_fn(|k| w[0] * by[0][k] + w[1] * by[1][k] + w[2] * by[2][k]);
        let row = &mut total[i * stride..i * stride + n];
        for (((t, x), y), z) in row.iter_mut().zip(first).zip(second).zip(third) {
            *t += (a * x + b * y) + c * z;
        }
    }
}

/// What the objects yield by, with the factor of `S`, its size and `h²`: `half := L⁻¹ half` row by row, and `W += h² half halfᵀ`.
fn add_yielding(
    kernels: Kernels,
    input: (&[f64], usize, f64),
    half: &mut [f64],
    begins: &mut [u32],
    total: &mut [f64],
    stride: usize,
) {
    dispatch!(kernels, fn avx2<>(
        input: (&[f64], usize, f64), half: &mut [f64], begins: &mut [u32], total: &mut [f64], stride: usize
    ) {
        _FUSED => add_yielding_rows(input, half, begins, total, stride)
    });
}

#[inline(always)]
fn add_yielding_rows(
    (factor, size, square): (&[f64], usize, f64),
    half: &mut [f64],
    begins: &mut [u32],
    total: &mut [f64],
    stride: usize,
) {
    for (own, begin) in half.chunks_exact_mut(size).zip(begins.iter_mut()) {
        let from = own.iter().position(|x| *x != 0.0).unwrap_or(size);
        *begin = from as u32;
        dense::forward(factor, size, own, from);
    }
    for i in 0..begins.len() {
        let own = &half[i * size..(i + 1) * size];
        for j in 0..=i {
            let from = begins[i].max(begins[j]) as usize;
            let w = square * dot(&own[from..], &half[j * size + from..(j + 1) * size]);
            total[i * stride + j] += w;
            if j < i {
                total[j * stride + i] += w;
            }
        }
    }
}
