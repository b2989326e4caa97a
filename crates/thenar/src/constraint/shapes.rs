//! What several changes of the multipliers move everything by: eight at a time through the factor.

use super::compliance::{Compliance, System};
use super::rows::ConstraintSet;
use crate::math::dense;
use crate::sparse::LANES;

/// Eight changes side by side, for one row.
type Row = [f64; LANES];

/// Scratch, and the motions that came out.
#[derive(Debug, Default)]
pub struct Shapes {
    /// Of the soft bodies: for each eight changes, body after body, three rows a block in elimination order. Lanes without a change are zero.
    pub bodies: Vec<Row>,
    /// Of the objects: change after change.
    pub objects: Vec<f64>,
    lambda: Vec<f64>,
    acting: Vec<f64>,
    lanes: Vec<Row>,
    kick: Vec<Row>,
    impulses: Vec<Row>,
}

impl Shapes {
    /// Makes room for changes of so many rows.
    pub fn reserve(&mut self, rows: usize) {
        let Shapes { lambda, acting, lanes, impulses, .. } = self;
        [lambda, acting].into_iter().for_each(|list| list.reserve(rows.saturating_sub(list.len())));
        [lanes, impulses].into_iter().for_each(|list| list.reserve(rows.saturating_sub(list.len())));
    }
}

impl Compliance {
    /// The motions that `count` changes of the multipliers make, beside the forces that the matrix has for lifted blocks: `change(k, λ)` writes the
    /// `k`-th.
    pub fn shapes(
        &self,
        set: &ConstraintSet,
        count: usize,
        mut change: impl FnMut(usize, &mut Vec<f64>),
        dt: f64,
        system: &mut System<'_>,
        shapes: &mut Shapes,
    ) {
        let whole: usize = system.problems.iter().map(|p| 3 * p.solution.len()).sum();
        shapes.bodies.clear();
        shapes.bodies.resize(count.div_ceil(LANES) * whole, [0.0; LANES]);
        shapes.objects.clear();
        shapes.objects.resize(count * self.size, 0.0);
        for first in (0..count).step_by(LANES) {
            let wide = LANES.min(count - first);
            shapes.lanes.clear();
            shapes.lanes.resize(set.rows.len(), [0.0; LANES]);
            for lane in 0..wide {
                change(first + lane, &mut shapes.lambda);
                self.act_for(set, &shapes.lambda, &mut shapes.acting);
                shapes.lanes.iter_mut().zip(&shapes.acting).for_each(|(row, acting)| row[lane] = dt * acting);
            }
            self.respond_lanes(first, wide, whole, system, shapes);
        }
    }

    /// `A⁻¹ (Hᵀ h λ − B dw)` and `dw = S⁻¹ (G − H A⁻¹ B)ᵀ h λ` of the changes from `first` on.
    fn respond_lanes(&self, first: usize, wide: usize, whole: usize, system: &mut System<'_>, shapes: &mut Shapes) {
        let Shapes { bodies, objects, lanes, kick, impulses, .. } = shapes;
        kick.clear();
        kick.resize(self.size, [0.0; LANES]);
        for (half, impulse) in self.half.chunks_exact(self.size.max(1)).zip(lanes.iter()) {
            for (kick, half) in kick.iter_mut().zip(half) {
                (0..LANES).for_each(|l| kick[l] += half * impulse[l]);
            }
        }
        for lane in 0..wide {
            let own = &mut objects[(first + lane) * self.size..(first + lane + 1) * self.size];
            own.iter_mut().zip(kick.iter()).for_each(|(x, kick)| *x = kick[lane]);
            dense::backward(&system.border.factored.matrix, self.size, own);
            kick.iter_mut().zip(own.iter()).for_each(|(kick, x)| kick[lane] = *x);
        }
        let mut offset = 0;
        for (body, own) in self.bodies.iter().enumerate() {
            let problem = &system.problems[body];
            let start = offset;
            offset += 3 * problem.solution.len();
            let tied = problem.border.iter().any(|c| c.touched);
            if !problem.active || (own.rows.is_empty() && !tied) {
                continue;
            }
            let symbolic = &problem.symbolic;
            let response = &mut bodies[first / LANES * whole + start..][..3 * symbolic.block_count()];
            impulses.clear();
            impulses.extend(own.global.iter().map(|&row| lanes[row as usize]));
            own.solver.accumulate_lanes(self.kernels, symbolic, impulses, response);
            for (object, columns) in problem.border.iter().enumerate().filter(|(_, c)| c.touched) {
                let kick = &kick[6 * object..6 * object + 6];
                for rows in columns.path.rows(symbolic) {
                    for (x, row) in response[rows.clone()].iter_mut().zip(&columns.rows[rows]) {
                        for (b, kick) in row.iter().zip(kick) {
                            (0..LANES).for_each(|l| x[l] -= b * kick[l]);
                        }
                    }
                }
            }
            system.factors[body].cholesky_mut().backward_lanes(symbolic, &own.everything, response);
        }
    }
}
