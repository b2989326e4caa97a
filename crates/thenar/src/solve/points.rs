//! Forces at points through the step's own factor.
//!
//! With `Y = L⁻¹ Hᵀ` for the rows of each soft body and the objects' dense factor, the compliance `h² H A⁻¹ Hᵀ` couples
//! every pair of points that share a body or an object. [`gauss_seidel`] finds the forces; their response is added to
//! the free motion.

use super::dense;
use super::direct::SoftFactor;
use super::gauss_seidel::{self, SweepInfo, SweepParams};
use crate::contact::point::{CAPACITY, PressingPoint};
use crate::energy::problem::{BorderProblem, SoftProblem};
use crate::math::Vec3;
use crate::sparse::{RowSolver, SparseRows, Symbolic};

/// When the sweeps stop: a tenth of a micrometre.
const SWEEPS: SweepParams = SweepParams { tolerance: 1e-7, max_sweeps: 200 };

/// Rows of one soft body.
#[derive(Debug)]
struct BodyRows {
    rows: SparseRows,
    solver: RowSolver,
    compliance: Vec<f64>,
    impulses: Vec<f64>,
    response: Vec<f64>,
}

/// Scratch of the solver.
#[derive(Debug, Default)]
pub struct PointSolver {
    bodies: Vec<BodyRows>,
    compliance: Vec<f64>,
    free: Vec<f64>,
    friction: Vec<f64>,
    lambda: Vec<f64>,
    inverse: Vec<f64>,
    column: Vec<f64>,
}

impl PointSolver {
    /// Makes room for one more soft body.
    pub fn add_body(&mut self, symbolic: &Symbolic) {
        let rows = 3 * CAPACITY;
        self.bodies.push(BodyRows {
            rows: SparseRows::with_capacity(rows, 4),
            solver: RowSolver::new(symbolic, rows),
            compliance: vec![0.0; rows * rows],
            impulses: vec![0.0; rows],
            response: vec![0.0; 3 * symbolic.block_count()],
        });
        self.compliance.resize(rows * rows, 0.0);
        for scratch in [&mut self.free, &mut self.friction, &mut self.lambda] {
            scratch.reserve(rows);
        }
    }

    /// Makes room for the objects of a border.
    pub fn resize_border(&mut self, size: usize) {
        self.inverse.resize(size * size, 0.0);
        self.column.resize(size, 0.0);
    }

    /// Finds the forces of all points and adds their response to the velocities that problems and border hold. The
    /// border's matrix must be factored, as the direct solver leaves it.
    pub fn solve(
        &mut self,
        points: &mut [PressingPoint],
        dt: f64,
        problems: &mut [SoftProblem],
        factors: &mut [SoftFactor],
        border: &mut BorderProblem,
    ) -> SweepInfo {
        self.build_compliance(points, dt, problems, factors, border);
        self.free.clear();
        self.lambda.clear();
        self.friction.clear();
        for p in points.iter() {
            self.free.extend(p.free);
            self.lambda.extend(p.force);
            self.friction.push(p.friction);
        }
        let n = 3 * points.len();
        let info = gauss_seidel::solve(&self.compliance[..n * n], &self.free, &self.friction, &mut self.lambda, SWEEPS);
        for (p, force) in points.iter_mut().zip(self.lambda.chunks_exact(3)) {
            p.force.copy_from_slice(force);
        }
        self.respond(points, dt, problems, factors, border);
        info
    }

    /// Displacement of a point at the end of the step, along its axes.
    #[must_use]
    pub fn outcome(&self, point: usize) -> [f64; 3] {
        let n = self.free.len();
        std::array::from_fn(|k| {
            let row = 3 * point + k;
            let moved: f64 = self.compliance[row * n..(row + 1) * n].iter().zip(&self.lambda).map(|(w, l)| w * l).sum();
            self.free[row] + moved
        })
    }

    fn build_compliance(
        &mut self,
        points: &[PressingPoint],
        dt: f64,
        problems: &[SoftProblem],
        factors: &mut [SoftFactor],
        border: &BorderProblem,
    ) {
        let n = 3 * points.len();
        self.compliance[..n * n].fill(0.0);
        let h2 = dt * dt;
        for (body, rows) in self.bodies.iter_mut().enumerate() {
            rows.rows.clear();
            let mut first = None;
            for (i, p) in points.iter().enumerate().filter(|(_, p)| p.body as usize == body) {
                first.get_or_insert(3 * i);
                for axis in [p.axes.x_axis, p.axes.y_axis, p.axes.z_axis] {
                    rows.rows.push((0..4).map(|k| (p.carrier.nodes[k], axis * p.carrier.weights[k])));
                }
            }
            let Some(first) = first else { continue };
            let symbolic = &problems[body].symbolic;
            rows.solver.solve(symbolic, factors[body].cholesky_mut(), &rows.rows);
            let m = rows.rows.len();
            rows.solver.compliance(symbolic, factors[body].cholesky_mut(), &mut rows.compliance);
            for i in 0..m {
                for j in 0..m {
                    self.compliance[(first + i) * n + first + j] += h2 * rows.compliance[i * m + j];
                }
            }
        }
        self.invert_border(border);
        for (i, a) in points.iter().enumerate() {
            let Some(object) = a.object else { continue };
            for (j, b) in points.iter().enumerate() {
                let Some(other) = b.object else { continue };
                for k in 0..3 {
                    let row = self.border_row(a, k, object, other, border.size);
                    for l in 0..3 {
                        let (linear, angular) = object_row(b, l);
                        let w = row.0.dot(linear) + row.1.dot(angular);
                        self.compliance[(3 * i + k) * n + 3 * j + l] += h2 * w;
                    }
                }
            }
        }
    }

    /// `C⁻¹` of the objects, column by column.
    fn invert_border(&mut self, border: &BorderProblem) {
        let n = border.size;
        for c in 0..n {
            self.column.fill(0.0);
            self.column[c] = 1.0;
            dense::solve(&border.matrix, n, &mut self.column);
            for r in 0..n {
                self.inverse[r * n + c] = self.column[r];
            }
        }
    }

    /// `C⁻¹` applied to one row of a point, as felt by another object.
    fn border_row(&self, p: &PressingPoint, axis: usize, own: u32, other: u32, size: usize) -> (Vec3, Vec3) {
        let (linear, angular) = object_row(p, axis);
        let x = [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z];
        let mut y = [0.0; 6];
        for (r, y) in y.iter_mut().enumerate() {
            let row = &self.inverse[(6 * other as usize + r) * size + 6 * own as usize..][..6];
            *y = row.iter().zip(&x).map(|(a, b)| a * b).sum();
        }
        (Vec3::new(y[0], y[1], y[2]), Vec3::new(y[3], y[4], y[5]))
    }

    /// `v += A⁻¹ Hᵀ (h λ)` for soft bodies and objects.
    fn respond(
        &mut self,
        points: &[PressingPoint],
        dt: f64,
        problems: &mut [SoftProblem],
        factors: &mut [SoftFactor],
        border: &mut BorderProblem,
    ) {
        for (body, rows) in self.bodies.iter_mut().enumerate().filter(|(_, r)| !r.rows.is_empty()) {
            let mut at = 0;
            for p in points.iter().filter(|p| p.body as usize == body) {
                for force in p.force {
                    rows.impulses[at] = dt * force;
                    at += 1;
                }
            }
            let problem = &mut problems[body];
            rows.response.fill(0.0);
            let cholesky = factors[body].cholesky_mut();
            rows.solver.add_response(&problem.symbolic, cholesky, &rows.impulses[..at], &mut rows.response);
            for (v, dv) in problem.solution.iter_mut().zip(rows.response.chunks_exact(3)) {
                *v += Vec3::new(dv[0], dv[1], dv[2]);
            }
        }
        if border.size == 0 {
            return;
        }
        self.column.fill(0.0);
        for p in points {
            let Some(object) = p.object else { continue };
            for (axis, force) in p.force.iter().enumerate() {
                let (linear, angular) = object_row(p, axis);
                for k in 0..3 {
                    self.column[6 * object as usize + k] += dt * force * linear[k];
                    self.column[6 * object as usize + 3 + k] += dt * force * angular[k];
                }
            }
        }
        dense::solve(&border.matrix, border.size, &mut self.column);
        for (v, dv) in border.solution.iter_mut().zip(&self.column) {
            *v += dv;
        }
    }
}

/// The object's part of a row: minus the axis, and minus the lever's moment about the centre of mass.
fn object_row(p: &PressingPoint, axis: usize) -> (Vec3, Vec3) {
    let direction = p.axes.col(axis);
    (-direction, -p.lever.cross(direction))
}
