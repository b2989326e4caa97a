//! The force of a tool on its handles, linear in their motion [Garre §5.3].
//!
//! With the handles `h` last, a step solves
//! ```text
//! | A_t   A_th        | v_t |   | b_t |
//! | A_ht  A_h + A_own | v_h | = | b_h |      A_own = M_h + h D_v + h² K_v
//! ```
//! where `A_own` is the handles' own inertia and their coupling to the device, and everything else, contact included, is the tool. Unit rows
//! on the handles, carried through the factor, give the compliance `C = (A⁻¹)_hh`: what the handles move by for a unit impulse on them. So
//! ```text
//! S = C⁻¹ − A_own = A_h − A_ht A_t⁻¹ A_th
//! ```
//! is the Schur complement of the tool [Garre eq. 18], and `h F = c − S v_h` its force on the handles.
//!
//! Rows of contact come on top. Their laws keep their verdicts: `P du + Q dλ = 0` block by block ([`Tangent`]), `du = W dλ + g f` for forces
//! `f` on the handles, so `dλ = −(P W + Q)⁻¹ P g f` and `C` gains `gᵀ dλ`.
//!
//! # Two models
//!
//! [`Lead::Free`] is the paper's [eqs. 5–6, 25]: how the force at the end of a step depends on the state of the handles at its *start*, while
//! they go where inertia, tool and device take them. A handle that starts `dx` away is pulled back by its tool within the step, so that this
//! stiffness cannot be more than `M_h / h²`, however stiff the wall: 250 N/m for a handle of 0.1 kg at 50 Hz.
//!
//! [`Lead::Held`] (default) is how the force depends on where the handles *are led to*. With the shapes `U = −A_t⁻¹ A_th` in which the tool
//! follows them, `S = [1 U]ᵀ A [1 U]` falls into inertia, damping and stiffness, each by its own matrix:
//! ```text
//! S = M_s + h D_s + h² K_s,     ∂F/∂x = −K,     ∂F/∂v = −D_s
//! ```
//! The shapes are those of a tool that lags behind in a step of `h`, and so a little stiffer than at rest: `K_s` holds what inertia and damping bend.
//! As these grow from nothing to what they are, `S` grows along a concave curve; `M_s + h D_s` is its slope, `−2 pᵀ A_t⁻¹ p` with `p = (M + h D) U`
//! its curvature, and the parabola through both ends, for a tool without inertia, at
//! ```text
//! h² K = S − M_s − h D_s − pᵀ A_t⁻¹ p
//! ```
//! Where contacts slide, `A` is not symmetric: friction follows pressure, and pressure does not follow friction. The shapes on the left of `S` are then
//! others than those on its right, `L = −A_ht A_t⁻¹`: those of the transposed matrix, whose contacts answer by the transpose of
//! `−(P W + Q)⁻¹ P`. `M_s`, `D_s` and `pᵀ A_t⁻¹ p` take one of each. With the right ones on both sides, `K_s` would be wrong by what inertia and damping bend
//! to first order instead of second: at 4 ms by all of it.
//!
//! A wall is as stiff as it is, and a tool that touches nothing leaves its handle free. What it weighs is in `F₀`, and changes with the next step.

use super::HandleModel;
use crate::constraint::{Compliance, ConstraintSet, Loads, Tangent};
use crate::math::dense::{eliminate, eliminate_again, eliminate_keeping};
use crate::math::{Mat3, Vec3};

/// By what the force is derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Lead {
    /// By where the handles are led to in the step: stiffness and damping of the tool as it is.
    #[default]
    Held,
    /// By the state in which the handles start the step, free to move in it [Garre eqs. 5–6].
    Free,
}

/// How contacts feel each other in the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ContactMatrix {
    /// As they do in the step.
    #[default]
    Full,
    /// Not at all: only the diagonal of the matrix [Garre §5.3].
    Diagonal,
}

/// How the force is linearised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Linearisation {
    /// By what.
    pub lead: Lead,
    /// How contacts feel each other.
    pub contacts: ContactMatrix,
}

/// What a handle is made of, and how it follows the device, in the step that is linearised.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Own {
    /// kg.
    pub mass: f64,
    /// kg·m², in world axes.
    pub inertia: Mat3,
    /// Stiffness of its coupling, N/m and N·m/rad.
    pub stiffness: [f64; 2],
    /// Damping of its coupling, N·s/m and N·m·s/rad.
    pub damping: [f64; 2],
    /// Damping of the springs that hold its tissue, in proportion to their stiffness, seconds.
    pub springs: f64,
    /// How the torque of its tool changes because levers turn with it while forces stay, N·m/rad: no part of the step's matrix, but of what a step
    /// begins with.
    pub levers: Mat3,
    /// How the turn to its target changes as it turns: one, and more than that where the turn is wide.
    pub turn: Mat3,
}

impl Own {
    /// `G`, the column of an unknown: of a rotation's alone.
    fn levers_column(&self, unknown: usize) -> Vec3 {
        if unknown % 6 < 3 { Vec3::ZERO } else { self.levers.col(unknown % 3) }
    }

    /// `K_v` as it acts on a change of the start, the column of an unknown.
    fn device_column(&self, unknown: usize) -> Vec3 {
        match unknown % 6 {
            k if k < 3 => Vec3::AXES[k] * self.stiffness[0],
            k => self.turn.col(k - 3) * self.stiffness[1],
        }
    }
}

/// A compliance that differs from its transpose by less than this, of what its diagonal allows, is symmetric: rounding stays far below, and sliding far above.
const SYMMETRIC: f64 = 1e-6;

/// Forces for which the answer of contacts is asked at once, for each handle: on the bones at its joints.
const MOST_FORCES: usize = 15;

/// How handles and contacts answer forces on the handles. Scratch.
#[derive(Debug, Default)]
pub struct Response {
    /// `6 k`.
    size: usize,
    /// What the handles move by for a unit of force, m/N: row by row.
    compliance: Vec<f64>,
    /// Its inverse, N/m.
    stiffness: Vec<f64>,
    /// Change of each row's multiplier for a unit of force on each handle: one row of `size` for each row of the set.
    forces: Vec<f64>,
    /// The same under the transposed matrix, where that is another.
    left_forces: Vec<f64>,
    lopsided: bool,
    active: Vec<u32>,
    tangents: Vec<Tangent>,
    /// Of the active rows: once they were solved for, its factors, and which rows were exchanged.
    matrix: Vec<f64>,
    /// It as it was before, transposed.
    transposed: Vec<f64>,
    exchanged: Vec<u32>,
    columns: Vec<f64>,
    scratch: Vec<f64>,
    back: Vec<f64>,
    led: Vec<f64>,
}

impl Response {
    /// Makes room for so many rows, none of which need be open, beside those of `handles` handles.
    pub fn reserve(&mut self, rows: usize, handles: usize) {
        let m = 6 * handles;
        let Response { forces, left_forces, active, exchanged, tangents, matrix, transposed, columns, .. } = self;
        let lists = [
            (forces, rows * m),
            (left_forces, rows * m),
            (matrix, rows * rows),
            (transposed, rows * rows),
            (columns, rows * MOST_FORCES * handles),
        ];
        lists.into_iter().for_each(|(list, length)| list.reserve(length.saturating_sub(list.len())));
        [active, exchanged].into_iter().for_each(|list| list.reserve(rows.saturating_sub(list.len())));
        // a block has a row at least
        tangents.reserve(rows.saturating_sub(tangents.len()));
    }

    /// Takes the active set of a solved step. Rows from `first` on are the handles', six for each; `compliance` has carried all of them. False if
    /// the handles do not yield at all.
    pub fn solve(
        &mut self,
        compliance: &Compliance,
        set: &ConstraintSet,
        first: usize,
        handles: usize,
        contacts: ContactMatrix,
    ) -> bool {
        let m = 6 * handles;
        self.size = m;
        self.find_active(set, first);
        let w = |i: usize, j: usize| compliance.between(i, j);
        self.build_matrix(compliance, set, contacts);
        self.build_columns(set, m, |row, column| w(row, first + column));
        let n = self.active.len();
        self.transposed.clear();
        self.transposed.extend((0..n * n).map(|k| self.matrix[n * (k % n) + k / n]));
        self.exchanged.clear();
        self.exchanged.resize(n, 0);
        let Response { matrix, columns, exchanged, .. } = self;
        eliminate_keeping(compliance.kernels, matrix, n, columns, m, exchanged);
        self.forces.clear();
        self.forces.resize(first * m, 0.0);
        for (x, &row) in self.columns.chunks_exact(m.max(1)).zip(&self.active) {
            self.forces[row as usize * m..(row as usize + 1) * m].copy_from_slice(x);
        }
        self.compliance.clear();
        self.compliance.extend((0..m * m).map(|k| w(first + k / m, first + k % m)));
        add_product(&mut self.compliance, m, &self.columns, |i, r| w(first + i, self.active[r] as usize));
        self.scratch.clear();
        self.scratch.extend_from_slice(&self.compliance);
        self.stiffness.clear();
        self.stiffness.resize(m * m, 0.0);
        (0..m).for_each(|i| self.stiffness[i * m + i] = 1.0);
        eliminate(compliance.kernels, &mut self.scratch, m, &mut self.stiffness, m);
        self.stiffness.iter().all(|x| x.is_finite())
    }

    /// How the rows answer under the transposed matrix, whose shapes are those on the left of `S`: where contacts slide these are others. Rows from
    /// `first` on are the handles'. After [`Response::solve`].
    pub fn solve_transposed(&mut self, compliance: &Compliance, set: &ConstraintSet, first: usize) {
        let (m, n) = (self.size, self.active.len());
        let c = |i: usize, j: usize| self.compliance[i * m + j];
        let apart = |i: usize, j: usize| (c(i, j) - c(j, i)).abs() > SYMMETRIC * (c(i, i) * c(j, j)).abs().sqrt();
        self.lopsided = (0..m).any(|i| (0..i).any(|j| apart(i, j)));
        if !self.lopsided {
            return;
        }
        self.columns.clear();
        for &row in &self.active {
            self.columns.extend((0..m).map(|force| compliance.between(row as usize, first + force)));
        }
        eliminate(compliance.kernels, &mut self.transposed, n, &mut self.columns, m);
        self.left_forces.clear();
        self.left_forces.resize(first * m, 0.0);
        let mut at = 0;
        for (block, tangent) in set.blocks.iter().zip(&self.tangents).filter(|(_, t)| !t.is_open()) {
            let range = block.range();
            for a in 0..range.len() {
                let column = &self.columns[(at + a) * m..(at + a + 1) * m];
                for (moves, r) in tangent.by_motion[a].iter().zip(range.clone()).filter(|(moves, _)| **moves != 0.0) {
                    let forces = &mut self.left_forces[r * m..(r + 1) * m];
                    forces.iter_mut().zip(column).for_each(|(force, x)| *force -= moves * x);
                }
            }
            at += range.len();
        }
    }

    /// How many shapes there are: those on the right of `S`, and behind them those on its left where they are others.
    #[must_use]
    pub fn shape_count(&self) -> usize {
        if self.lopsided { 2 * self.size } else { self.size }
    }

    /// Of a product of all shapes with all, what is of those on the left with those on the right: `6k × 6k`, in place.
    pub fn across(&self, products: &mut Vec<f64>) {
        let (m, count) = (self.size, self.shape_count());
        if count > m {
            // rows go up, and none is written before it was read
            (0..m * m).for_each(|k| products[k] = products[(m + k / m) * count + k % m]);
        }
        products.truncate(m * m);
    }

    /// The equations of the active rows: by their own forces, and by what those move.
    fn build_matrix(&mut self, compliance: &Compliance, set: &ConstraintSet, contacts: ContactMatrix) {
        let n = self.active.len();
        let w = |i: usize, j: usize| compliance.between(i, j);
        self.matrix.clear();
        self.matrix.resize(n * n, 0.0);
        let mut at = 0;
        for (block, tangent) in set.blocks.iter().zip(&self.tangents).filter(|(_, t)| !t.is_open()) {
            let range = block.range();
            for a in 0..range.len() {
                let row = &mut self.matrix[(at + a) * n..(at + a + 1) * n];
                for (b, r) in range.clone().enumerate() {
                    row[at + b] += tangent.by_force[a][b];
                    let moves = tangent.by_motion[a][b];
                    if moves == 0.0 {
                        continue;
                    }
                    if contacts == ContactMatrix::Full {
                        for (x, &other) in row.iter_mut().zip(&self.active) {
                            *x += moves * w(r, other as usize);
                        }
                    } else {
                        row[at + b] += moves * w(r, r);
                    }
                }
            }
            at += range.len();
        }
    }

    /// The right-hand sides of the active rows for a unit of each of `m` forces, into `columns`; `by(row, force)` is what a row moves by for one of
    /// them. Solved, they are what the rows answer.
    fn build_columns(&mut self, set: &ConstraintSet, m: usize, by: impl Fn(usize, usize) -> f64) {
        self.columns.clear();
        self.columns.resize(self.active.len() * m, 0.0);
        let mut at = 0;
        for (block, tangent) in set.blocks.iter().zip(&self.tangents).filter(|(_, t)| !t.is_open()) {
            let range = block.range();
            for a in 0..range.len() {
                let column = &mut self.columns[(at + a) * m..(at + a + 1) * m];
                for (moves, r) in tangent.by_motion[a].iter().zip(range.clone()).filter(|(moves, _)| **moves != 0.0) {
                    column.iter_mut().enumerate().for_each(|(c, x)| *x -= moves * by(r, c));
                }
            }
            at += range.len();
        }
    }

    /// What each unknown of the handles, whose rows begin at `first`, moves by for a unit of force on each of other `rows` that are open, m/N, while
    /// contacts answer as [`Response::solve`] found. Row by row.
    pub fn yields(
        &mut self,
        compliance: &Compliance,
        set: &ConstraintSet,
        first: usize,
        rows: std::ops::Range<usize>,
        yields: &mut Vec<f64>,
    ) {
        let (m, wide) = (self.size, rows.len());
        let w = |i: usize, j: usize| compliance.between(i, j);
        self.build_columns(set, wide, |row, force| w(row, rows.start + force));
        let Response { matrix, columns, exchanged, active, .. } = self;
        eliminate_again(compliance.kernels, matrix, exchanged.len(), columns, wide, exchanged);
        yields.clear();
        yields.extend((0..m).flat_map(|i| rows.clone().map(move |row| w(first + i, row))));
        add_product(yields, wide, columns, |i, r| w(first + i, active[r] as usize));
    }

    /// How many rows are not open.
    #[must_use]
    pub fn active_rows(&self) -> usize {
        self.active.len()
    }

    /// `pᵀ A_t⁻¹ p` for loads on the tool, one for each shape, those of the left with those of the right, with the handles held: their rows begin at
    /// `first`. Into `sag`, row by row. Contacts answer as [`Response::solve`] found.
    pub fn sag(
        &mut self,
        compliance: &Compliance,
        set: &ConstraintSet,
        loads: &Loads,
        first: usize,
        sag: &mut Vec<f64>,
    ) {
        let (m, count) = (self.size, self.shape_count());
        let left = count - m;
        let by = |row: usize, load: usize| loads.rows[row * count + load];
        self.build_columns(set, m, by);
        let Response { matrix, columns, exchanged, .. } = self;
        eliminate_again(compliance.kernels, matrix, exchanged.len(), columns, m, exchanged);
        let row_of = |k: usize| self.active[k] as usize;
        // what the loads move the handles by, and the forces that hold them back
        self.scratch.clear();
        self.scratch.extend((0..m * m).map(|k| by(first + k / m, k % m)));
        let to_handles = |i: usize, k: usize| compliance.between(first + i, row_of(k));
        add_product(&mut self.scratch, m, &self.columns, to_handles);
        self.back.clear();
        self.back.resize(m * m, 0.0);
        add_product(&mut self.back, m, &self.scratch, |i, c| -self.stiffness[i * m + c]);
        // what forces on the handles move the loads by, and what the loads do to each other
        self.led.clear();
        self.led.extend((0..m * m).map(|k| by(first + k % m, left + k / m)));
        sag.clear();
        sag.extend_from_slice(&loads.own);
        self.across(sag);
        for (k, x) in self.columns.chunks_exact(m).enumerate() {
            let moved = &loads.rows[row_of(k) * count + left..][..m];
            let forces = &self.forces[row_of(k) * m..][..m];
            for (i, moved) in moved.iter().enumerate() {
                self.led[i * m..][..m].iter_mut().zip(forces).for_each(|(y, force)| *y += moved * force);
                sag[i * m..][..m].iter_mut().zip(x).for_each(|(y, x)| *y += moved * x);
            }
        }
        add_product(sag, m, &self.back, |i, c| self.led[i * m + c]);
    }

    /// Tangents of all blocks, and the rows of those that are not open.
    fn find_active(&mut self, set: &ConstraintSet, first: usize) {
        self.active.clear();
        self.tangents.clear();
        for block in &set.blocks {
            let range = block.range();
            let tangent = if range.start >= first {
                Tangent::open()
            } else {
                // rows that were added after the solve have no displacement; their laws do not ask for it
                let reached = set.outcome.get(range.clone()).unwrap_or(&[]);
                block.law.law().tangent(&set.lambda[range.clone()], reached, &set.patch_points)
            };
            if !tangent.is_open() {
                self.active.extend(range.map(|r| r as u32));
            }
            self.tangents.push(tangent);
        }
    }

    /// Multipliers of all rows, handles included, that move the handles by the velocity of one unknown alone, 1 m/s or 1 rad/s: `h C⁻¹`, and what
    /// contacts answer. Behind those of all unknowns, the same under the transposed matrix.
    pub fn unit_motion(&self, shape: usize, dt: f64, lambda: &mut Vec<f64>) {
        let m = self.size;
        lambda.clear();
        let left = shape >= m;
        let load = |j: usize| dt * self.stiffness[if left { (shape - m) * m + j } else { j * m + shape }];
        let rows = if left { &self.left_forces } else { &self.forces }.chunks_exact(m);
        lambda.extend(rows.map(|row| row.iter().enumerate().map(|(j, x)| x * load(j)).sum::<f64>()));
        lambda.extend((0..m).map(load));
    }

    /// The paper's derivatives, by the state in which the handles start [Garre eq. 6]: with `A_own` as in the module's text, `C` by impulses,
    /// and `γ = β / (h + β)` of springs with the damping `β`,
    /// ```text
    /// ∂v/∂x₀ = (1 − γ) (C A_own − 1) / h + h C (G − K_v)      ∂v/∂v₀ = C M
    /// ∂F/∂x₀ = (A_own ∂v/∂x₀ + h K_v) / h                     ∂F/∂v₀ = (A_own ∂v/∂v₀ − M) / h
    /// ```
    /// where `G` is what levers that turn make of the forces there are; `turned` is what they make of those on other bones, as motion of the
    /// handles (m or rad a rad, `6k × 6k`).
    pub fn derive_free(&self, own: &[Own], turned: &[f64], dt: f64, model: &mut HandleModel) {
        let (m, h) = (self.size, dt);
        let c = |i: usize, j: usize| self.compliance[i * m + j] / (h * h);
        for j in 0..m {
            let of = &own[j / 6];
            let slack = of.springs / (h + of.springs);
            for i in 0..m {
                let same = f64::from(u8::from(i == j));
                let by_own = own_column(of, j, h, |k, value| c(i, k) * value);
                let by_mass = mass_column(of, j, |k, value| c(i, k) * value);
                let along = |pull: Vec3| (0..3).map(|k| c(i, j / 3 * 3 + k) * pull[k]).sum::<f64>();
                let explicit = along(of.levers_column(j) - of.device_column(j)) + turned[i * m + j] / (h * h);
                model.stiffness[i * m + j] = (1.0 - slack) * (by_own - same) / h + h * explicit;
                model.damping[i * m + j] = by_mass;
            }
        }
        // from ∂v to ∂F, three unknowns at a time
        for j in 0..m {
            for block in (0..m).step_by(3) {
                let of = &own[block / 6];
                let angular = block % 6 / 3;
                for (matrix, position) in [(&mut model.stiffness, true), (&mut model.damping, false)] {
                    let change =
                        Vec3::new(matrix[block * m + j], matrix[(block + 1) * m + j], matrix[(block + 2) * m + j]);
                    let mass = if angular == 1 { of.inertia } else { Mat3::from_diagonal(Vec3::splat(of.mass)) };
                    let (k, d) = (of.stiffness[angular], of.damping[angular]);
                    let mut force = (mass * change + change * (h * d + h * h * k)) / h;
                    if (block..block + 3).contains(&j) {
                        let mut unit = Vec3::ZERO;
                        unit[j - block] = 1.0;
                        force += if position { of.device_column(j) } else { mass * unit / -h };
                    }
                    (0..3).for_each(|i| matrix[(block + i) * m + j] = force[i]);
                }
            }
        }
    }

    /// The derivatives by where the handles are led to: `−K_s` and `−D_s`, from inertia and damping of the shapes in which the tool follows
    /// (both `6k × 6k`), and how much of `K_s` is inertia that bends the tool.
    pub fn derive_held(
        &self,
        own: &[Own],
        inertia: &[f64],
        damping: &[f64],
        sag: &[f64],
        dt: f64,
        model: &mut HandleModel,
    ) {
        let (m, h) = (self.size, dt);
        for i in 0..m {
            for j in 0..m {
                let whole = h * h * self.stiffness[i * m + j] - own_entry(&own[i / 6], i, j, h);
                let bent = sag.get(i * m + j).map_or(0.0, |sag| sag / (h * h));
                model.stiffness[i * m + j] = -(whole - inertia[i * m + j] - h * damping[i * m + j] - bent) / (h * h);
                model.damping[i * m + j] = -damping[i * m + j];
            }
        }
    }

    /// `C⁻¹`: what force a displacement of one unknown in the step costs, all others held, N/m.
    #[cfg(test)]
    pub fn resists(&self, i: usize, j: usize) -> f64 {
        self.stiffness[i * self.size + j]
    }

    /// `S / h`: what force a change of the handles' velocities in the step costs, all together, N·s/m.
    #[must_use]
    pub fn whole(&self, own: &[Own], dt: f64, i: usize, j: usize) -> f64 {
        (dt * dt * self.stiffness[i * self.size + j] - own_entry(&own[i / 6], i, j, dt)) / dt
    }
}

/// `Y += A X` row by row: `X` is as wide as `Y`, `width` numbers, and `a(i, k)` is at row `i` and column `k` of `A`.
fn add_product(y: &mut [f64], width: usize, x: &[f64], a: impl Fn(usize, usize) -> f64) {
    let width = width.max(1);
    for (i, y) in y.chunks_exact_mut(width).enumerate() {
        for (k, x) in x.chunks_exact(width).enumerate() {
            let a = a(i, k);
            y.iter_mut().zip(x).for_each(|(y, x)| *y += a * x);
        }
    }
}

/// `M_h + h D_v + h² K_v` at one place.
fn own_entry(own: &Own, i: usize, j: usize, h: f64) -> f64 {
    if i / 3 != j / 3 {
        return 0.0;
    }
    let angular = i % 6 / 3;
    let coupling = if i == j { h * own.damping[angular] + h * h * own.stiffness[angular] } else { 0.0 };
    coupling + mass_entry(own, i, j)
}

fn mass_entry(own: &Own, i: usize, j: usize) -> f64 {
    match i % 6 / 3 {
        0 => f64::from(u8::from(i == j)) * own.mass,
        _ => own.inertia.col(j % 3)[i % 3],
    }
}

/// `Σ_k value(k, (A_own)_kj)`.
fn own_column(own: &Own, j: usize, h: f64, value: impl Fn(usize, f64) -> f64) -> f64 {
    let first = j / 3 * 3;
    (first..first + 3).map(|k| value(k, own_entry(own, k, j, h))).sum()
}

/// `Σ_k value(k, M_kj)`.
fn mass_column(own: &Own, j: usize, value: impl Fn(usize, f64) -> f64) -> f64 {
    let first = j / 3 * 3;
    (first..first + 3).map(|k| value(k, mass_entry(own, k, j))).sum()
}
