//! Projected Jacobi steps with line searches, with and without a linearisation between them [Perez §III].

use super::limits::{StrainEffort, StrainInput};
use super::response::Response;
use super::rows::{LimitRow, begin_linearisation};
use crate::constraint::System;
use crate::sparse::{RowSolver, SparseRows, Symbolic};

/// Steps of one linear problem at most.
const JACOBI_STEPS: u32 = 200;

/// Share of the tolerance to which linear problems are solved.
const CLOSE: f64 = 0.1;

/// Scratch of the Jacobi solvers.
#[derive(Debug, Default)]
pub(super) struct Jacobi {
    rows: Vec<LimitRow>,
    /// Rows of each body that has limits, for the diagonal.
    bodies: Vec<Option<BodyRows>>,
    diagonal: Vec<f64>,
    steps: Vec<f64>,
    pub response: Response,
}

#[derive(Debug)]
struct BodyRows {
    rows: SparseRows,
    global: Vec<u32>,
    solver: RowSolver,
    values: Vec<f64>,
}

impl Jacobi {
    pub fn add_body(&mut self, symbolic: &Symbolic) {
        self.bodies.push(Some(BodyRows {
            rows: SparseRows::default(),
            global: Vec::new(),
            solver: RowSolver::new(symbolic, 0),
            values: Vec::new(),
        }));
        self.response.add_body(symbolic.block_count());
    }

    pub fn add_bare_body(&mut self, symbolic: &Symbolic) {
        self.bodies.push(None);
        self.response.add_body(symbolic.block_count());
    }

    pub fn resize_border(&mut self, size: usize) {
        self.response.resize_border(size);
    }

    /// Algorithm 1 of the paper: linearise, one step for every limit that is broken, as far as the line search says, and again. What a
    /// limit was given it keeps.
    pub fn njls(
        &mut self,
        input: &StrainInput<'_>,
        system: &mut System<'_>,
        effort: &mut StrainEffort,
        trace: &mut Vec<(u32, f64)>,
    ) {
        while begin_linearisation(input, system.problems, &mut self.rows, effort, trace) {
            self.find_diagonal(input.dt, system);
            self.steps.clear();
            self.steps.extend(self.rows.iter().zip(&self.diagonal).map(|(row, d)| (-row.value / d).max(0.0)));
            effort.steps += 1;
            let share = self.search(input.dt, system);
            self.response.apply(share, system);
        }
    }

    /// Linear problems by projected Jacobi steps, each solved before the next linearisation: the least change of the motion by which the
    /// limits that are broken hold again [Perez eqs. 5–6].
    pub fn sqp(
        &mut self,
        input: &StrainInput<'_>,
        system: &mut System<'_>,
        effort: &mut StrainEffort,
        trace: &mut Vec<(u32, f64)>,
    ) {
        let tolerance = input.params.tolerance;
        while begin_linearisation(input, system.problems, &mut self.rows, effort, trace) {
            self.find_diagonal(input.dt, system);
            for _ in 0..JACOBI_STEPS {
                for row in &mut self.rows {
                    row.value = row.base + input.dt * row.rate(&system.problems[row.body as usize].solution);
                }
                self.steps.clear();
                let of = |(row, d): (&LimitRow, &f64)| (-row.value / d).max(-row.lambda);
                self.steps.extend(self.rows.iter().zip(&self.diagonal).map(of));
                let left = self.steps.iter().zip(&self.diagonal).fold(0.0f64, |m, (s, d)| m.max((s * d).abs()));
                if left < CLOSE * tolerance {
                    break;
                }
                effort.steps += 1;
                let share = self.search(input.dt, system);
                self.response.apply(share, system);
                for (row, step) in self.rows.iter_mut().zip(&self.steps) {
                    row.lambda = (row.lambda + share * step).max(0.0);
                }
            }
        }
    }

    /// `h² diag(J A⁻¹ Jᵀ)` by batched solves along the elimination tree [Perez eq. 13]. What objects yield is left out: it only scales
    /// steps, and the line search sees it.
    fn find_diagonal(&mut self, dt: f64, system: &mut System<'_>) {
        self.diagonal.clear();
        self.diagonal.resize(self.rows.len(), 1.0);
        for (body, own) in self.bodies.iter_mut().enumerate() {
            let Some(own) = own else { continue };
            own.rows.clear();
            own.global.clear();
            for (k, row) in self.rows.iter().enumerate().filter(|(_, row)| row.body as usize == body) {
                own.rows.push(row.nodes.into_iter().zip(row.gradients));
                own.global.push(k as u32);
            }
            if own.rows.is_empty() {
                continue;
            }
            let symbolic = &system.problems[body].symbolic;
            own.solver.solve(symbolic, system.factors[body].cholesky_mut(), &own.rows);
            own.values.resize(own.rows.len(), 0.0);
            own.solver.diagonal(symbolic, &mut own.values);
            for (&k, value) in own.global.iter().zip(&own.values) {
                self.diagonal[k as usize] = dt * dt * value;
            }
        }
    }

    /// `h Jᵀ s`.
    fn impulse(&mut self, dt: f64) {
        self.response.clear();
        for (row, step) in self.rows.iter().zip(&self.steps) {
            let impulses = &mut self.response.impulses[row.body as usize];
            for (&node, gradient) in row.nodes.iter().zip(&row.gradients) {
                impulses[node as usize] += *gradient * (dt * step);
            }
        }
    }

    /// The response to all steps, and how much of it is best [Perez eq. 12].
    fn search(&mut self, dt: f64, system: &mut System<'_>) -> f64 {
        self.impulse(dt);
        self.response.solve(system);
        let (mut gain, mut cost) = (0.0, 0.0);
        for (row, step) in self.rows.iter().zip(&self.steps) {
            gain -= step * row.value;
            cost += step * dt * row.rate(&self.response.velocities[row.body as usize]);
        }
        if cost > 0.0 { (gain / cost).clamp(0.0, 1.0) } else { 0.0 }
    }
}
