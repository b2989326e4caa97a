//! Loads on all nodes of soft bodies beside the rows: how they move the rows and each other, eight at a time through the factor.
//!
//! For a load `p` the column is `W_p = h² (H A⁻¹ p + …)`, as for a row. Blocks whose force the matrix holds are lifted out of it by what `W` has of
//! them already: with `W'` for the rows, from which they are lifted,
//! ```text
//! W'_p = W_p + W' K W_p,     p W' p = p W p + W_pᵀ K W'_p
//! ```
//! so that nothing is done again for the rows themselves.

use super::compliance::{Compliance, System};
use super::rows::ConstraintSet;
use crate::math::dense;
use crate::sparse::{LANES, add_gram};

/// Eight loads side by side, for one row.
type Row = [f64; LANES];

/// Loads, how they move everything, and scratch.
#[derive(Debug, Default)]
pub struct Loads {
    /// The loads, laid out as [`Shapes::bodies`](super::Shapes::bodies); once they are carried, `L⁻¹ p`.
    pub bodies: Vec<Row>,
    /// What each row moves by for each load: row by row.
    pub rows: Vec<f64>,
    /// What the loads do to each other: load by load.
    pub own: Vec<f64>,
    /// `L⁻¹ (−B A⁻¹ p)` of the border's factor.
    half: Vec<f64>,
    pulled: Vec<f64>,
}

impl Loads {
    /// Makes room for `count` loads beside so many rows, in a border of so many unknowns.
    pub fn reserve(&mut self, rows: usize, count: usize, size: usize) {
        let Loads { rows: by_row, pulled, half, .. } = self;
        half.reserve((count * size).saturating_sub(half.len()));
        [by_row, pulled].into_iter().for_each(|list| list.reserve((rows * count).saturating_sub(list.len())));
    }
}

impl Compliance {
    /// Carries `count` loads through the factors. All rows of the set were carried before, and stay.
    pub fn carry_loads(&self, set: &ConstraintSet, count: usize, dt: f64, system: &mut System<'_>, loads: &mut Loads) {
        let (rows, size, portions) = (set.rows.len(), self.size, count.div_ceil(LANES));
        let Loads { bodies, rows: by_row, own, half, .. } = &mut *loads;
        let whole = bodies.len() / portions.max(1);
        for (list, length) in [(&mut *by_row, rows * count), (&mut *own, count * count), (&mut *half, count * size)] {
            list.clear();
            list.resize(length, 0.0);
        }
        let mut first = 0;
        for (body, of) in self.bodies.iter().enumerate() {
            let problem = &system.problems[body];
            let range = first..first + 3 * problem.solution.len();
            first = range.end;
            if !problem.active {
                continue;
            }
            let (symbolic, cholesky) = (&problem.symbolic, system.factors[body].cholesky_mut());
            for portion in 0..portions {
                let place = portion * whole;
                let lanes = &mut bodies[place + range.start..place + range.end];
                cholesky.forward_lanes(symbolic, &of.everything, lanes);
                let lanes = &bodies[place + range.start..place + range.end];
                let at = LANES * portion;
                let wide = LANES.min(count - at);
                of.solver.products(0, symbolic, cholesky, lanes, |row, products| {
                    let row = &mut by_row[of.global[row] as usize * count + at..][..wide];
                    row.iter_mut().zip(products).for_each(|(x, product)| *x += dt * dt * product);
                });
                for (object, columns) in problem.border.iter().enumerate().filter(|(_, c)| c.touched) {
                    let mut gram = [[0.0; LANES]; LANES];
                    cholesky.gram_lanes(symbolic, &columns.path, lanes, &columns.rows, &mut gram);
                    for (load, products) in gram[..wide].iter().enumerate() {
                        let own = &mut half[(at + load) * size + 6 * object..][..6];
                        own.iter_mut().zip(products).for_each(|(x, product)| *x -= product);
                    }
                }
                for other in 0..=portion {
                    let place = other * whole;
                    let mut gram = [[0.0; LANES]; LANES];
                    let others = &bodies[place + range.start..place + range.end];
                    add_gram(self.kernels, lanes, others, &mut gram);
                    let before = LANES * other;
                    for (i, products) in gram[..wide].iter().enumerate() {
                        for (j, product) in products[..LANES.min(count - before)].iter().enumerate() {
                            own[(at + i) * count + before + j] += dt * dt * product;
                            if other < portion {
                                own[(before + j) * count + at + i] += dt * dt * product;
                            }
                        }
                    }
                }
            }
        }
        self.push_objects(rows, count, dt, system, loads);
        self.lift_loads(set, count, loads);
    }

    /// What the objects yield by, as for rows.
    fn push_objects(&self, rows: usize, count: usize, dt: f64, system: &System<'_>, loads: &mut Loads) {
        let size = self.size;
        if size == 0 {
            return;
        }
        let Loads { rows: by_row, own, half, .. } = loads;
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() * dt * dt;
        half.chunks_exact_mut(size).for_each(|x| dense::forward(&system.border.factored.matrix, size, x, 0));
        for (load, x) in half.chunks_exact(size).enumerate().filter(|(_, x)| x.iter().any(|x| *x != 0.0)) {
            for (row, y) in self.half[..rows * size].chunks_exact(size).enumerate() {
                by_row[row * count + load] += product(x, y);
            }
            for (other, y) in half.chunks_exact(size).enumerate() {
                own[load * count + other] += product(x, y);
            }
        }
    }

    /// Takes the forces that the matrix holds for some blocks off the columns.
    fn lift_loads(&self, set: &ConstraintSet, count: usize, loads: &mut Loads) {
        let Loads { rows, own, pulled, .. } = loads;
        pulled.clear();
        pulled.resize(rows.len(), 0.0);
        let lifted =
            || set.blocks.iter().filter_map(|block| block.in_matrix.as_ref().map(|held| (held.range(block), held)));
        for (range, held) in lifted() {
            for (a, row) in range.clone().enumerate() {
                for (b, other) in range.clone().enumerate() {
                    let from = &rows[other * count..(other + 1) * count];
                    let to = &mut pulled[row * count..(row + 1) * count];
                    to.iter_mut().zip(from).for_each(|(x, y)| *x += held.stiffness[a][b] * y);
                }
            }
        }
        for row in lifted().flat_map(|(range, _)| range) {
            let pull = &pulled[row * count..(row + 1) * count];
            for (i, to) in rows.chunks_exact_mut(count).enumerate() {
                // the rows' own compliance is no part of what is lifted
                let bare = if i == row { set.rows[row].compliance } else { 0.0 };
                let yields = self.between(i, row) - bare;
                to.iter_mut().zip(pull).for_each(|(x, y)| *x += yields * y);
            }
        }
        for row in lifted().flat_map(|(range, _)| range) {
            let (pull, moved) = (&pulled[row * count..(row + 1) * count], &rows[row * count..(row + 1) * count]);
            for (to, pull) in own.chunks_exact_mut(count).zip(pull) {
                to.iter_mut().zip(moved).for_each(|(x, y)| *x += pull * y);
            }
        }
    }
}
