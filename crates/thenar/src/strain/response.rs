//! What impulses on nodes move, through the factor and the border behind it.

use crate::constraint::System;
use crate::math::Vec3;
use crate::math::dense;

/// Impulses on the blocks of all bodies, and the motion that comes of them.
#[derive(Debug, Default)]
pub(super) struct Push {
    /// `r`, N s, by body and block.
    pub impulses: Vec<Vec<Vec3>>,
    /// `A⁻¹ r`, m/s, by body and block.
    pub velocities: Vec<Vec<Vec3>>,
    /// The same of the objects.
    pub objects: Vec<f64>,
}

/// A push, and scratch to find its motion.
#[derive(Debug, Default)]
pub(super) struct Response {
    /// What is asked for.
    pub push: Push,
    forward: Vec<Vec<f64>>,
}

impl Push {
    pub fn add_body(&mut self, blocks: usize) {
        self.impulses.push(vec![Vec3::ZERO; blocks]);
        self.velocities.push(vec![Vec3::ZERO; blocks]);
    }

    pub fn resize_border(&mut self, size: usize) {
        self.objects.resize(size, 0.0);
    }

    /// Becomes `own` times itself and `share` of another.
    pub fn mix(&mut self, own: f64, share: f64, other: &Push) {
        let of = |to: &mut [Vec<Vec3>], from: &[Vec<Vec3>]| {
            for (to, from) in to.iter_mut().flatten().zip(from.iter().flatten()) {
                *to = *to * own + *from * share;
            }
        };
        of(&mut self.impulses, &other.impulses);
        of(&mut self.velocities, &other.velocities);
        for (to, from) in self.objects.iter_mut().zip(&other.objects) {
            *to = *to * own + from * share;
        }
    }

    /// `rᵀ A⁻¹ q` for the impulses `r` of this push and `q` of another, J.
    pub fn work(&self, other: &Push) -> f64 {
        let pairs = self.impulses.iter().flatten().zip(other.velocities.iter().flatten());
        pairs.map(|(r, v)| r.dot(*v)).sum()
    }

    /// Adds so much of the motion to what the system holds, and of the impulses to its right-hand sides, so that a solve with these
    /// finds the same.
    pub fn apply(&self, share: f64, system: &mut System<'_>) {
        for (body, problem) in system.problems.iter_mut().enumerate().filter(|(_, p)| p.active) {
            for (v, dv) in problem.solution.iter_mut().zip(&self.velocities[body]) {
                *v += *dv * share;
            }
            for (r, dr) in problem.rhs.iter_mut().zip(&self.impulses[body]) {
                *r += *dr * share;
            }
        }
        for (w, dw) in system.border.solution.iter_mut().zip(&self.objects) {
            *w += dw * share;
        }
    }
}

impl Response {
    pub fn add_body(&mut self, blocks: usize) {
        self.push.add_body(blocks);
        self.forward.push(vec![0.0; 3 * blocks]);
    }

    pub fn resize_border(&mut self, size: usize) {
        self.push.resize_border(size);
    }

    /// Forgets all impulses.
    pub fn clear(&mut self) {
        self.push.impulses.iter_mut().for_each(|i| i.fill(Vec3::ZERO));
    }

    /// Finds the motion. Bodies without limits take part through the border: what touches an object that a limited body touches.
    pub fn solve(&mut self, system: &mut System<'_>) {
        let size = system.border.size();
        let Push { impulses, velocities, objects } = &mut self.push;
        objects.fill(0.0);
        for (body, problem) in system.problems.iter().enumerate().filter(|(_, p)| p.active) {
            let y = &mut self.forward[body];
            let symbolic = &problem.symbolic;
            for (block, impulse) in impulses[body].iter().enumerate() {
                let at = 3 * symbolic.position(block as u32);
                y[at..at + 3].copy_from_slice(&impulse.to_array());
            }
            system.factors[body].cholesky_mut().forward(symbolic, y);
            for (object, columns) in problem.border.iter().enumerate().filter(|(_, c)| c.touched) {
                for rows in columns.path.rows(symbolic) {
                    for (x, row) in y[rows.clone()].iter().zip(&columns.rows[rows]) {
                        for k in 0..6 {
                            objects[6 * object + k] -= row[k] * x;
                        }
                    }
                }
            }
        }
        if size > 0 {
            dense::solve(&system.border.factored.matrix, size, objects);
        }
        for (body, problem) in system.problems.iter().enumerate().filter(|(_, p)| p.active) {
            let y = &mut self.forward[body];
            let symbolic = &problem.symbolic;
            for (object, columns) in problem.border.iter().enumerate().filter(|(_, c)| c.touched) {
                let w = &objects[6 * object..6 * object + 6];
                for rows in columns.path.rows(symbolic) {
                    for (x, row) in y[rows.clone()].iter_mut().zip(&columns.rows[rows]) {
                        *x -= row.iter().zip(w).map(|(a, b)| a * b).sum::<f64>();
                    }
                }
            }
            system.factors[body].cholesky_mut().backward(symbolic, y);
            for (block, v) in velocities[body].iter_mut().enumerate() {
                let at = 3 * symbolic.position(block as u32);
                *v = Vec3::new(y[at], y[at + 1], y[at + 2]);
            }
        }
    }
}
