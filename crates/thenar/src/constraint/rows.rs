//! The constraints of a step, as every method writes them: rows over nodes and objects, grouped into blocks that obey a
//! law together.

use super::PatchPoint;
use super::law::{AnyLaw, MOST_ROWS};
use crate::energy::problem::{BorderProblem, SoftProblem};
use crate::math::Vec3;
use std::ops::Range;

/// A node of a soft body in a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowEntry {
    /// The soft body.
    pub body: u32,
    /// Its block: a node, or half of a bone.
    pub block: u32,
    /// Coefficients of the block's motion.
    pub value: Vec3,
}

/// A rigid object in a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowObject {
    /// Place of the object in the border.
    pub index: u32,
    /// Coefficients of its velocity.
    pub linear: Vec3,
    /// Coefficients of its spin.
    pub angular: Vec3,
}

/// One row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    start: u32,
    end: u32,
    /// The moving objects it touches, if any.
    pub objects: [Option<RowObject>; 2],
    /// Compliance of its own, m/N: zero for a hard constraint, `1/k` for a spring of stiffness `k`.
    pub compliance: f64,
    /// Metres that a unit of its displacement counts for: 1 for a length, a radius for a spin.
    pub scale: f64,
}

/// A linear force that the step's matrix already holds for up to three rows of a block, `f = constant − stiffness u`: the law
/// takes its place.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct InMatrix {
    /// The first of those rows, counted from the block's first.
    pub first: u32,
    /// N/m, by row and column.
    pub stiffness: [[f64; 3]; 3],
    /// N.
    pub constant: [f64; 3],
}

/// Rows with one law.
#[derive(Clone, Debug)]
pub struct Block {
    /// First of its rows.
    pub first: u32,
    rows: u32,
    /// Its law.
    pub law: AnyLaw,
    /// What of it the matrix holds already.
    pub in_matrix: Option<InMatrix>,
    /// Whatever the law keeps from sweep to sweep.
    pub warm: [f64; MOST_ROWS],
}

impl InMatrix {
    /// The rows of its block that it stands for.
    #[must_use]
    pub fn range(&self, block: &Block) -> Range<usize> {
        let Range { start, end } = block.range();
        let first = start + self.first as usize;
        first..end.min(first + self.stiffness.len())
    }
}

impl Block {
    /// Its rows.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.first as usize..(self.first + self.rows) as usize
    }
}

/// All constraints of a step.
#[derive(Clone, Debug, Default)]
pub struct ConstraintSet {
    /// The blocks, in the order they were added.
    pub blocks: Vec<Block>,
    /// The rows, block after block.
    pub rows: Vec<Row>,
    entries: Vec<RowEntry>,
    /// Contacts of the patches, patch after patch: place and share of the pressure.
    pub patch_points: Vec<PatchPoint>,
    /// Displacement of each row if nothing moved in the step.
    pub base: Vec<f64>,
    /// Displacement of each row without the forces of the set: written before the sweeps.
    pub free: Vec<f64>,
    /// Multipliers: a warm start before the solve, the result after it.
    pub lambda: Vec<f64>,
    /// Displacement of each row at the end of the step, its compliance included; known after the solve.
    pub outcome: Vec<f64>,
    /// Multipliers that act beyond what the matrix holds for their blocks; known after the solve.
    pub acting: Vec<f64>,
}

impl ConstraintSet {
    /// An empty set.
    #[must_use]
    pub fn new() -> Self {
        ConstraintSet::default()
    }

    /// Makes room for `rows` rows over `entries` nodes altogether.
    pub fn reserve(&mut self, rows: usize, entries: usize) {
        fn room<T>(list: &mut Vec<T>, size: usize) {
            list.reserve(size.saturating_sub(list.len()));
        }
        room(&mut self.blocks, rows);
        room(&mut self.rows, rows);
        room(&mut self.entries, entries);
        room(&mut self.patch_points, 8 * rows);
        for list in [&mut self.base, &mut self.free, &mut self.lambda, &mut self.outcome, &mut self.acting] {
            room(list, rows);
        }
    }

    /// Forgets the last step.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.rows.clear();
        self.entries.clear();
        self.patch_points.clear();
        for list in [&mut self.base, &mut self.free, &mut self.lambda, &mut self.outcome, &mut self.acting] {
            list.clear();
        }
    }

    /// Begins a block; its rows follow by [`row`](Self::row). Returns its number.
    pub fn begin(&mut self, law: AnyLaw) -> u32 {
        let rows = law.law().rows() as u32;
        self.blocks.push(Block { first: self.rows.len() as u32, rows, law, in_matrix: None, warm: [0.0; MOST_ROWS] });
        self.blocks.len() as u32 - 1
    }

    /// Adds a row to the block begun last: its nodes (repeated ones add up), its objects, its own compliance, the
    /// displacement it would measure if nothing moved in the step, and the multiplier to start from.
    pub fn row(
        &mut self,
        entries: impl IntoIterator<Item = RowEntry>,
        objects: [Option<RowObject>; 2],
        compliance: f64,
        base: f64,
        start: f64,
    ) {
        let first = self.entries.len() as u32;
        self.entries.extend(entries);
        self.rows.push(Row { start: first, end: self.entries.len() as u32, objects, compliance, scale: 1.0 });
        self.base.push(base);
        self.lambda.push(start);
    }

    /// Forgets the blocks from `count` on, and their rows.
    pub fn truncate(&mut self, count: usize) {
        let Some(first) = self.blocks.get(count).map(|block| block.first as usize) else { return };
        self.blocks.truncate(count);
        self.entries.truncate(self.rows[first].start as usize);
        self.rows.truncate(first);
        for list in [&mut self.base, &mut self.free, &mut self.lambda, &mut self.outcome, &mut self.acting] {
            list.truncate(first);
        }
    }

    /// Takes a block out of the step: its rows stay where they are, without a force.
    pub fn release(&mut self, block: u32) {
        let Block { law, in_matrix, .. } = &mut self.blocks[block as usize];
        *law = AnyLaw::Released(law.law().rows());
        *in_matrix = None;
        let range = self.blocks[block as usize].range();
        self.lambda[range].fill(0.0);
    }

    /// The nodes of a row.
    #[must_use]
    pub fn entries(&self, row: &Row) -> &[RowEntry] {
        &self.entries[row.start as usize..row.end as usize]
    }

    /// Multipliers of a block.
    #[must_use]
    pub fn force(&self, block: u32) -> &[f64] {
        &self.lambda[self.blocks[block as usize].range()]
    }

    /// What of a block's multipliers acts beyond what the matrix holds for it.
    #[must_use]
    pub fn acting(&self, block: u32) -> &[f64] {
        &self.acting[self.blocks[block as usize].range()]
    }

    /// Displacements of a block at the end of the step.
    #[must_use]
    pub fn reached(&self, block: u32) -> &[f64] {
        &self.outcome[self.blocks[block as usize].range()]
    }

    /// What every row measures by the velocities that problems and border hold: `u = u₀ + h H v`.
    pub fn measure(&mut self, dt: f64, problems: &[SoftProblem], border: &BorderProblem) {
        self.free.clear();
        for (row, base) in self.rows.iter().zip(&self.base) {
            let nodes: f64 = self.entries[row.start as usize..row.end as usize]
                .iter()
                .map(|e| e.value.dot(problems[e.body as usize].solution[e.block as usize]))
                .sum();
            let objects: f64 = (row.objects.iter().flatten())
                .map(|o| {
                    let (velocity, spin) = border.motion(o.index as usize);
                    o.linear.dot(velocity) + o.angular.dot(spin)
                })
                .sum();
            self.free.push(base + dt * (nodes + objects));
        }
    }
}
