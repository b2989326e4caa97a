//! Forces of constraints through the step's own factor.
//!
//! The free motion is solved already; rows `H` over nodes and `G` over objects see it through
//! ```text
//! W = h² (H A⁻¹ Hᵀ + (G − H A⁻¹ B) S⁻¹ (G − H A⁻¹ B)ᵀ),     S = C − Bᵀ A⁻¹ B
//! ```
//! where `B` holds what already ties nodes to objects, such as contact springs. [`Sweeps`] find the multipliers;
//! their response is added to the free motion.

use super::dense;
use super::direct::SoftFactor;
use super::gauss_seidel::{SweepInfo, SweepParams, Sweeps};
use crate::contact::rows::{ConstraintSet, POINT_CAPACITY};
use crate::energy::problem::{BorderProblem, SoftProblem};
use crate::math::Vec3;
use crate::sparse::{RowSolver, SparseRows, Symbolic};

/// When the sweeps stop: five hundredths of a micrometre.
const SWEEPS: SweepParams = SweepParams { tolerance: 5e-8, max_sweeps: 200 };

/// Rows of one soft body.
#[derive(Debug)]
struct BodyRows {
    rows: SparseRows,
    /// Which row of the set each of them is.
    global: Vec<u32>,
    solver: RowSolver,
    compliance: Vec<f64>,
    impulses: Vec<f64>,
    response: Vec<f64>,
}

/// Scratch of the solver.
#[derive(Debug, Default)]
pub struct ConstraintSolver {
    bodies: Vec<BodyRows>,
    compliance: Vec<f64>,
    /// `G − H A⁻¹ B`, one row of the border's size each.
    objects: Vec<f64>,
    /// `S⁻¹ (G − H A⁻¹ B)ᵀ`, likewise.
    moved: Vec<f64>,
    kick: Vec<f64>,
    sweeps: Sweeps,
    size: usize,
    /// Rows there is room for.
    rows: usize,
}

impl ConstraintSolver {
    /// Makes room for one more soft body, and for `rows` rows of it; more rows allocate once.
    pub fn add_body(&mut self, symbolic: &Symbolic, rows: usize) {
        self.bodies.push(BodyRows {
            // a patch's row touches the nodes of all its contacts
            rows: SparseRows::with_capacity(rows, 16 + 16 * POINT_CAPACITY / rows.max(1)),
            global: Vec::with_capacity(rows),
            solver: RowSolver::new(symbolic, rows),
            compliance: vec![0.0; rows * rows],
            impulses: vec![0.0; rows],
            response: vec![0.0; 3 * symbolic.block_count()],
        });
        self.reserve(rows);
    }

    /// Makes room for the objects of a border.
    pub fn resize_border(&mut self, size: usize) {
        self.size = size;
        self.kick.resize(size, 0.0);
        self.reserve(self.rows);
    }

    fn reserve(&mut self, rows: usize) {
        self.rows = self.rows.max(rows);
        self.sweeps.reserve(rows);
        if self.compliance.len() < rows * rows {
            self.compliance.resize(rows * rows, 0.0);
        }
        if self.objects.len() < rows * self.size {
            self.objects.resize(rows * self.size, 0.0);
            self.moved.resize(rows * self.size, 0.0);
        }
    }

    /// Finds the multipliers of all rows and adds their response to the velocities that problems and border hold. The
    /// border's matrix must be factored, as the direct solver leaves it.
    pub fn solve(
        &mut self,
        set: &mut ConstraintSet,
        dt: f64,
        problems: &mut [SoftProblem],
        factors: &mut [SoftFactor],
        border: &mut BorderProblem,
    ) -> SweepInfo {
        if set.rows.is_empty() {
            return SweepInfo::default();
        }
        self.reserve(set.rows.len());
        self.carry_rows(set, dt, problems, factors);
        self.reduce_objects(set, problems, factors);
        self.add_objects(set, dt, border);
        let n = set.rows.len();
        for (i, row) in set.rows.iter().enumerate() {
            self.compliance[i * n + i] += row.compliance;
        }
        let info = self.sweeps.solve(&self.compliance[..n * n], set, SWEEPS);
        self.respond(set, dt, problems, factors, border);
        info
    }

    /// `h² H A⁻¹ Hᵀ`, body by body.
    fn carry_rows(&mut self, set: &ConstraintSet, dt: f64, problems: &[SoftProblem], factors: &mut [SoftFactor]) {
        let n = set.rows.len();
        self.compliance[..n * n].fill(0.0);
        for (body, own) in self.bodies.iter_mut().enumerate() {
            own.rows.clear();
            own.global.clear();
            for (i, row) in set.rows.iter().enumerate() {
                let mut entries = set.entries(row).iter().filter(|e| e.body as usize == body).peekable();
                if entries.peek().is_some() {
                    own.rows.push(entries.map(|e| (e.block, e.value)));
                    own.global.push(i as u32);
                }
            }
            let m = own.rows.len();
            if m == 0 {
                own.solver.clear();
                continue;
            }
            if own.compliance.len() < m * m {
                own.compliance.resize(m * m, 0.0);
                own.impulses.resize(m, 0.0);
            }
            let (symbolic, cholesky) = (&problems[body].symbolic, factors[body].cholesky_mut());
            own.solver.solve(symbolic, cholesky, &own.rows);
            own.solver.compliance(symbolic, cholesky, &mut own.compliance);
            for (i, &row) in own.global.iter().enumerate() {
                let target = &mut self.compliance[row as usize * n..(row as usize + 1) * n];
                for (&column, w) in own.global.iter().zip(&own.compliance[i * m..(i + 1) * m]) {
                    target[column as usize] += dt * dt * w;
                }
            }
        }
    }

    /// `G − H A⁻¹ B`.
    fn reduce_objects(&mut self, set: &ConstraintSet, problems: &[SoftProblem], factors: &mut [SoftFactor]) {
        let size = self.size;
        self.objects[..set.rows.len() * size].fill(0.0);
        for (row, own) in set.rows.iter().zip(self.objects.chunks_exact_mut(size.max(1))) {
            if let Some(object) = &row.object {
                let at = 6 * object.index as usize;
                own[at..at + 3].copy_from_slice(&object.linear.to_array());
                own[at + 3..at + 6].copy_from_slice(&object.angular.to_array());
            }
        }
        for (body, own) in self.bodies.iter().enumerate().filter(|(_, b)| !b.rows.is_empty()) {
            let problem = &problems[body];
            for (object, columns) in problem.border.iter().enumerate().filter(|(_, c)| c.touched) {
                let cholesky = factors[body].cholesky_mut();
                own.solver.products(&problem.symbolic, cholesky, &columns.rows, |row, product| {
                    let at = own.global[row] as usize * size + 6 * object;
                    for (x, p) in self.objects[at..at + 6].iter_mut().zip(product) {
                        *x -= p;
                    }
                });
            }
        }
    }

    /// The objects' part of `W`.
    fn add_objects(&mut self, set: &ConstraintSet, dt: f64, border: &BorderProblem) {
        let (n, size) = (set.rows.len(), self.size);
        if size == 0 {
            return;
        }
        self.moved[..n * size].copy_from_slice(&self.objects[..n * size]);
        for x in self.moved[..n * size].chunks_exact_mut(size) {
            if x.iter().any(|x| *x != 0.0) {
                dense::solve(&border.matrix, size, x);
            }
        }
        for i in 0..n {
            let own = &self.objects[i * size..(i + 1) * size];
            let Some(from) = own.iter().position(|x| *x != 0.0) else { continue };
            let to = own.iter().rposition(|x| *x != 0.0).map_or(from, |k| k + 1);
            for j in 0..n {
                let other = &self.moved[j * size..(j + 1) * size];
                let w: f64 = own[from..to].iter().zip(&other[from..to]).map(|(a, b)| a * b).sum();
                self.compliance[i * n + j] += dt * dt * w;
            }
        }
    }

    /// Adds `A⁻¹ (Hᵀ h λ − B dw)` and `dw = S⁻¹ (G − H A⁻¹ B)ᵀ h λ` to the free motion.
    fn respond(
        &mut self,
        set: &ConstraintSet,
        dt: f64,
        problems: &mut [SoftProblem],
        factors: &mut [SoftFactor],
        border: &mut BorderProblem,
    ) {
        let size = self.size;
        self.kick.fill(0.0);
        for (moved, lambda) in self.moved.chunks_exact(size.max(1)).zip(&set.lambda) {
            for (k, x) in self.kick.iter_mut().zip(moved) {
                *k += x * dt * lambda;
            }
        }
        for (v, dv) in border.solution.iter_mut().zip(&self.kick) {
            *v += dv;
        }
        for (body, own) in self.bodies.iter_mut().enumerate() {
            let problem = &mut problems[body];
            let tied = problem.border.iter().any(|c| c.touched);
            if !problem.active || (own.rows.is_empty() && !tied) {
                continue;
            }
            let symbolic = &problem.symbolic;
            own.response.fill(0.0);
            for (impulse, &row) in own.impulses.iter_mut().zip(&own.global) {
                *impulse = dt * set.lambda[row as usize];
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
            factors[body].cholesky_mut().backward(symbolic, &mut own.response);
            for (dv, &block) in own.response.as_chunks::<3>().0.iter().zip(symbolic.order()) {
                problem.solution[block as usize] += Vec3::from_array(*dv);
            }
        }
    }
}
