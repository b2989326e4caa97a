//! Projected Jacobi steps with line searches, with and without a linearisation between them [Perez §III].

use super::limits::{StrainEffort, StrainInput};
use super::response::Response;
use super::rows::{LimitRow, linearise};
use crate::constraint::System;
use crate::math::Vec3;
use crate::sparse::{RowSolver, SparseRows, Symbolic};

/// Steps of one linear problem at most.
const JACOBI_STEPS: u32 = 200;

/// Share of the tolerance to which linear problems are solved.
const CLOSE: f64 = 0.1;

/// Scratch of the Jacobi solvers.
#[derive(Debug, Default)]
pub(super) struct Jacobi {
    rows: Vec<LimitRow>,
    last: Vec<LimitRow>,
    /// Rows of each body that has limits, for the diagonal.
    bodies: Vec<Option<BodyRows>>,
    diagonal: Vec<f64>,
    steps: Vec<f64>,
    pub response: Response,
    free: Held,
}

#[derive(Debug)]
struct BodyRows {
    rows: SparseRows,
    global: Vec<u32>,
    solver: RowSolver,
    values: Vec<f64>,
}

/// A motion to come back to.
#[derive(Debug, Default)]
pub(super) struct Held {
    solutions: Vec<Vec<Vec3>>,
    right_hand_sides: Vec<Vec<Vec3>>,
    objects: Vec<f64>,
}

impl Held {
    pub fn save(&mut self, system: &System<'_>) {
        let bodies = system.problems.len();
        self.solutions.resize_with(bodies, Vec::new);
        self.right_hand_sides.resize_with(bodies, Vec::new);
        for (b, problem) in system.problems.iter().enumerate() {
            self.solutions[b].clone_from(&problem.solution);
            self.right_hand_sides[b].clone_from(&problem.rhs);
        }
        self.objects.clone_from(&system.border.solution);
    }

    pub fn restore(&self, system: &mut System<'_>) {
        for (b, problem) in system.problems.iter_mut().enumerate() {
            problem.solution.copy_from_slice(&self.solutions[b]);
            problem.rhs.copy_from_slice(&self.right_hand_sides[b]);
        }
        system.border.solution.copy_from_slice(&self.objects);
    }
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
    pub fn njls(&mut self, input: &StrainInput<'_>, system: &mut System<'_>, effort: &mut StrainEffort) {
        let mut active = 0;
        while effort.iterations < input.params.iterations {
            effort.violation = linearise(input, system.problems, &[], &mut self.rows);
            if effort.violation <= input.params.tolerance {
                break;
            }
            effort.iterations += 1;
            active = active.max(self.rows.len() as u32);
            self.find_diagonal(input.dt, system);
            self.steps.clear();
            self.steps.extend(self.rows.iter().zip(&self.diagonal).map(|(row, d)| (-row.value / d).max(0.0)));
            let values = |row: &LimitRow| row.value;
            let share = self.search(input.dt, system, values);
            self.response.apply(share, system);
        }
        effort.active = effort.active.max(active);
    }

    /// Linear problems by projected Jacobi steps, each solved before the next linearisation; multipliers of a linearisation go on in the
    /// next and may shrink.
    pub fn sqp(&mut self, input: &StrainInput<'_>, system: &mut System<'_>, effort: &mut StrainEffort) {
        let tolerance = input.params.tolerance;
        self.free.save(system);
        self.last.clear();
        while effort.iterations < input.params.iterations {
            effort.violation = linearise(input, system.problems, &self.last, &mut self.rows);
            if effort.violation <= tolerance {
                break;
            }
            effort.iterations += 1;
            self.find_diagonal(input.dt, system);
            self.free.restore(system);
            self.steps.clear();
            self.steps.extend(self.rows.iter().map(|row| row.lambda));
            self.impulse(input.dt);
            self.response.solve(system);
            self.response.apply(1.0, system);
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
                let share = self.search(input.dt, system, |row| row.value);
                self.response.apply(share, system);
                for (row, step) in self.rows.iter_mut().zip(&self.steps) {
                    row.lambda = (row.lambda + share * step).max(0.0);
                }
            }
            std::mem::swap(&mut self.rows, &mut self.last);
        }
        effort.active = self.last.iter().filter(|row| row.lambda > 0.0).count() as u32;
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
    fn search(&mut self, dt: f64, system: &mut System<'_>, value: impl Fn(&LimitRow) -> f64) -> f64 {
        self.impulse(dt);
        self.response.solve(system);
        let (mut gain, mut cost) = (0.0, 0.0);
        for (row, step) in self.rows.iter().zip(&self.steps) {
            gain -= step * value(row);
            cost += step * dt * row.rate(&self.response.velocities[row.body as usize]);
        }
        if cost > 0.0 { (gain / cost).clamp(0.0, 1.0) } else { 0.0 }
    }
}
