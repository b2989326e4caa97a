//! Projected Jacobi steps with line searches, with and without a linearisation between them [Perez §III].

use super::limits::{StrainEffort, StrainInput};
use super::response::{Push, Response};
use super::rows::{LimitRow, begin_linearisation};
use crate::constraint::System;
use crate::sparse::{RowSolver, SparseRows, Symbolic};

/// Steps of one linear problem at most.
const JACOBI_STEPS: u32 = 200;

/// Share of the tolerance to which linear problems are solved.
const CLOSE: f64 = 0.1;

/// Steps that push alike to this share have one direction.
const PARALLEL: f64 = 1e-9;

/// Scratch of the Jacobi solvers.
#[derive(Debug, Default)]
pub(super) struct Jacobi {
    rows: Vec<LimitRow>,
    /// Rows of each body that has limits, for the diagonal.
    bodies: Vec<Option<BodyRows>>,
    diagonal: Vec<f64>,
    steps: Vec<f64>,
    pub response: Response,
    last: Last,
}

/// The last step, along which the next one may go on.
#[derive(Debug, Default)]
struct Last {
    push: Push,
    /// What the linear model says that a little more of it is worth, J: none of it after a whole step.
    gain: f64,
    taken: bool,
}

#[derive(Debug)]
struct BodyRows {
    rows: SparseRows,
    global: Vec<u32>,
    solver: RowSolver,
    values: Vec<f64>,
    /// Diagonal by element and limit, where it was found in this step; 0 where not.
    known: Vec<[f64; 4]>,
}

impl Jacobi {
    pub fn add_body(&mut self, symbolic: &Symbolic, elements: usize) {
        self.bodies.push(Some(BodyRows {
            rows: SparseRows::default(),
            global: Vec::new(),
            solver: RowSolver::new(symbolic, 0),
            values: Vec::new(),
            known: vec![[0.0; 4]; elements],
        }));
        self.response.add_body(symbolic.block_count());
        self.last.push.add_body(symbolic.block_count());
    }

    pub fn add_bare_body(&mut self, symbolic: &Symbolic) {
        self.bodies.push(None);
        self.response.add_body(symbolic.block_count());
        self.last.push.add_body(symbolic.block_count());
    }

    pub fn resize_border(&mut self, size: usize) {
        self.response.resize_border(size);
        self.last.push.resize_border(size);
    }

    /// Algorithm 1 of the paper: linearise, one step for every limit that is broken, as far as the line search says, and again. What a
    /// limit was given it keeps.
    ///
    /// Accelerated, a step goes on along the last one as far as is best of both, and the diagonal of a limit is found once. With `s` the step, `p` the last
    /// one and `B = h² J A⁻¹ Jᵀ`, the line search of eq. 12 becomes one over a plane,
    /// ```text
    /// min ½ (α s + β p)ᵀ B (α s + β p) + (α s + β p)ᵀ C,     0 ≤ α ≤ 1,  β ≥ 0
    /// ```
    /// which is the conjugate gradient while no limit comes or goes. It costs two products of vectors: the response to `p` is known.
    pub fn njls(
        &mut self,
        input: &StrainInput<'_>,
        system: &mut System<'_>,
        effort: &mut StrainEffort,
        trace: &mut Vec<(u32, f64)>,
    ) {
        let accelerated = input.params.accelerated;
        self.forget();
        self.last.taken = false;
        while begin_linearisation(input, system.problems, &mut self.rows, effort, trace) {
            if !accelerated {
                self.forget();
            }
            self.find_diagonal(input.dt, system);
            self.steps.clear();
            self.steps.extend(self.rows.iter().zip(&self.diagonal).map(|(row, d)| (-row.value / d).max(0.0)));
            effort.steps += 1;
            if accelerated {
                self.go_on(input.dt, system);
            } else {
                let share = self.search(input.dt, system);
                self.response.push.apply(share, system);
            }
        }
    }

    /// A step, and more of the last one.
    fn go_on(&mut self, dt: f64, system: &mut System<'_>) {
        self.impulse(dt);
        self.response.solve(system);
        let (push, last) = (&mut self.response.push, &mut self.last);
        let gain = -self.rows.iter().zip(&self.steps).map(|(row, step)| row.value * step).sum::<f64>();
        let cost = push.work(push);
        if cost.is_nan() || cost <= 0.0 {
            return;
        }
        let [mut share, mut more] = [(gain / cost).clamp(0.0, 1.0), 0.0];
        let [mut both, mut own] = [0.0; 2];
        if last.taken {
            (both, own) = (last.push.work(push), last.push.work(&last.push));
            let det = cost * own - both * both;
            if det > PARALLEL * cost * own {
                let best = [(gain * own - last.gain * both) / det, (last.gain * cost - gain * both) / det];
                if best[1] > 0.0 {
                    share = best[0].clamp(0.0, 1.0);
                    more = ((last.gain - share * both) / own).max(0.0);
                }
            }
        }
        push.mix(share, more, &last.push);
        push.apply(1.0, system);
        let left = [gain - share * cost - more * both, last.gain - share * both - more * own];
        last.gain = share * left[0] + more * left[1];
        std::mem::swap(push, &mut last.push);
        last.taken = true;
    }

    /// Diagonals are those of another factor.
    fn forget(&mut self) {
        self.bodies.iter_mut().flatten().for_each(|own| own.known.fill([0.0; 4]));
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
            self.forget();
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
                self.response.push.apply(share, system);
                for (row, step) in self.rows.iter_mut().zip(&self.steps) {
                    row.lambda = (row.lambda + share * step).max(0.0);
                }
            }
        }
    }

    /// `h² diag(J A⁻¹ Jᵀ)` by batched solves along the elimination tree [Perez eq. 13], for limits that it is not known of. What objects yield is
    /// left out: it only scales steps, and the line search sees it.
    fn find_diagonal(&mut self, dt: f64, system: &mut System<'_>) {
        self.diagonal.clear();
        self.diagonal.resize(self.rows.len(), 1.0);
        for (body, own) in self.bodies.iter_mut().enumerate() {
            let Some(own) = own else { continue };
            own.rows.clear();
            own.global.clear();
            for (k, row) in self.rows.iter().enumerate().filter(|(_, row)| row.body as usize == body) {
                let known = own.known[row.tet as usize][row.which as usize];
                if known > 0.0 {
                    self.diagonal[k] = known;
                    continue;
                }
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
                let row = &self.rows[k as usize];
                own.known[row.tet as usize][row.which as usize] = dt * dt * value;
            }
        }
    }

    /// `h Jᵀ s`.
    fn impulse(&mut self, dt: f64) {
        self.response.clear();
        for (row, step) in self.rows.iter().zip(&self.steps) {
            let impulses = &mut self.response.push.impulses[row.body as usize];
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
            cost += step * dt * row.rate(&self.response.push.velocities[row.body as usize]);
        }
        if cost > 0.0 { (gain / cost).clamp(0.0, 1.0) } else { 0.0 }
    }
}
