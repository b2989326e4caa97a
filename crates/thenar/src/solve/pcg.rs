//! The bordered system by Jacobi-preconditioned conjugate gradients with warm start: the paper's own solver [CLAP §5.1].

use crate::energy::problem::{BorderProblem, SoftProblem};
use crate::math::{Kernels, Mat3, Vec3};
use crate::sparse::{Jacobi, LinearOperator, Pcg, PcgInfo, PcgParams};

/// Springs over nodes that the pattern does not couple: conjugate gradients need only their products.
#[derive(Clone, Debug, Default)]
pub struct LooseSprings {
    springs: Vec<(u32, Mat3)>,
    carriers: Vec<(u32, f64)>,
}

impl LooseSprings {
    /// Forgets all springs.
    pub fn clear(&mut self) {
        self.springs.clear();
        self.carriers.clear();
    }

    /// Adds a spring: stiffness times the step squared, and for each block (counted through all active bodies) its
    /// signed weight.
    pub fn push(&mut self, stiffness: Mat3, carriers: impl IntoIterator<Item = (u32, f64)>) {
        self.carriers.extend(carriers);
        self.springs.push((self.carriers.len() as u32, stiffness));
    }

    fn apply(&self, x: &[f64], y: &mut [f64]) {
        let mut start = 0;
        for &(end, stiffness) in &self.springs {
            let own = &self.carriers[start..end as usize];
            start = end as usize;
            let at = |block: u32| 3 * block as usize;
            let stretch: Vec3 = own.iter().map(|&(b, w)| Vec3::from_slice(&x[at(b)..at(b) + 3]) * w).sum();
            let force = stiffness * stretch;
            for &(b, w) in own {
                for k in 0..3 {
                    y[at(b) + k] += force[k] * w;
                }
            }
        }
    }
}

/// The whole matrix, soft bodies first and the border last, known by its products.
pub struct Bordered<'a> {
    /// The soft bodies; inactive ones have no rows.
    pub problems: &'a [SoftProblem],
    /// The objects.
    pub border: &'a BorderProblem,
    /// Springs beside the pattern.
    pub loose: &'a LooseSprings,
    /// How to multiply.
    pub kernels: Kernels,
}

impl Bordered<'_> {
    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.problems.iter().filter(|p| p.active).map(|p| 3 * p.rhs.len()).sum::<usize>() + self.border.size()
    }

    /// True if there is nothing to solve.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl LinearOperator for Bordered<'_> {
    fn apply(&self, x: &[f64], y: &mut [f64]) {
        let size = self.border.size();
        let split = x.len() - size;
        let (soft_x, w) = x.split_at(split);
        let (soft_y, border_y) = y.split_at_mut(split);
        for (row, out) in self.border.factored.matrix.chunks_exact(size.max(1)).zip(border_y.iter_mut()) {
            *out = row.iter().zip(w).map(|(a, b)| a * b).sum();
        }
        let mut start = 0;
        for problem in self.problems.iter().filter(|p| p.active) {
            let range = start..start + 3 * problem.rhs.len();
            start = range.end;
            let (x, y) = (&soft_x[range.clone()], &mut soft_y[range]);
            problem.matrix.mul(self.kernels, &problem.pattern, x, y);
            for (object, columns) in problem.border.iter().enumerate().filter(|(_, c)| c.touched) {
                let (w, out) = (&w[6 * object..6 * object + 6], &mut border_y[6 * object..6 * object + 6]);
                for position in columns.path.positions(&problem.symbolic).flatten() {
                    let (at, block) = (3 * position, problem.symbolic.block_at(position) as usize);
                    for axis in 0..3 {
                        let row = &columns.rows[at + axis];
                        for k in 0..6 {
                            y[3 * block + axis] += row[k] * w[k];
                            out[k] += row[k] * x[3 * block + axis];
                        }
                    }
                }
            }
        }
        self.loose.apply(soft_x, soft_y);
    }
}

/// Scratch of the iterative solver, sized when bodies are added.
#[derive(Debug)]
pub struct IterativeSolver {
    pcg: Pcg,
    jacobi: Jacobi,
    rhs: Vec<f64>,
    x: Vec<f64>,
    product: Vec<f64>,
    /// Springs beside the pattern, for the next solve.
    pub loose: LooseSprings,
}

impl Default for IterativeSolver {
    fn default() -> Self {
        IterativeSolver {
            pcg: Pcg::new(0),
            jacobi: Jacobi::new(0),
            rhs: Vec::new(),
            x: Vec::new(),
            product: Vec::new(),
            loose: LooseSprings::default(),
        }
    }
}

impl IterativeSolver {
    /// Solves the problem, starting from the velocities that the problems' solutions hold.
    pub fn solve(
        &mut self,
        problems: &mut [SoftProblem],
        border: &mut BorderProblem,
        kernels: Kernels,
        params: PcgParams,
    ) -> PcgInfo {
        self.load(problems, border, kernels);
        let operator = Bordered { problems, border, loose: &self.loose, kernels };
        let info = self.pcg.solve(&operator, &mut self.jacobi, &self.rhs, &mut self.x, &params);
        let mut at = 0;
        for v in problems.iter_mut().filter(|p| p.active).flat_map(|p| p.solution.iter_mut()) {
            *v = Vec3::new(self.x[at], self.x[at + 1], self.x[at + 2]);
            at += 3;
        }
        border.solution.copy_from_slice(&self.x[at..]);
        info
    }

    /// Relative residual `‖r − A v‖ / ‖r‖` of the velocities that the problems hold.
    pub fn residual(&mut self, problems: &[SoftProblem], border: &BorderProblem, kernels: Kernels) -> f64 {
        self.load(problems, border, kernels);
        Bordered { problems, border, loose: &self.loose, kernels }.apply(&self.x, &mut self.product);
        let (mut off, mut size) = (0.0, 0.0);
        for (r, y) in self.rhs.iter().zip(&self.product) {
            off += (r - y) * (r - y);
            size += r * r;
        }
        if size > 0.0 { (off / size).sqrt() } else { off.sqrt() }
    }

    fn load(&mut self, problems: &[SoftProblem], border: &BorderProblem, kernels: Kernels) {
        let n = Bordered { problems, border, loose: &self.loose, kernels }.len();
        if self.rhs.len() != n {
            // a hand appeared or an object was added: the only moment at which scratch is allocated
            self.pcg = Pcg::new(n);
            self.rhs = vec![0.0; n];
            self.x = vec![0.0; n];
            self.product = vec![0.0; n];
            self.jacobi.inverse_mut().resize(n, 1.0);
        }
        let inverse = self.jacobi.inverse_mut();
        let mut at = 0;
        for problem in problems.iter().filter(|p| p.active) {
            for (block, (r, v)) in problem.rhs.iter().zip(&problem.solution).enumerate() {
                for axis in 0..3 {
                    let d = problem.matrix.diagonal[block].get(axis, axis);
                    inverse[at] = if d > 0.0 { 1.0 / d } else { 1.0 };
                    self.rhs[at] = r[axis];
                    self.x[at] = v[axis];
                    at += 1;
                }
            }
        }
        for k in 0..border.size() {
            let d = border.factored.matrix[k * border.size() + k];
            inverse[at] = if d > 0.0 { 1.0 / d } else { 1.0 };
            self.rhs[at] = border.factored.rhs[k];
            self.x[at] = border.solution[k];
            at += 1;
        }
    }
}
