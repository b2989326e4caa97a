//! The constraints of a step, as every method writes them: rows over nodes and objects, grouped into blocks that obey a
//! law together.
//!
//! A row `H` measures a displacement at the end of the step, `u = u_free + h² H A⁻¹ Hᵀ λ`, in metres (radians for a
//! spin); its multiplier `λ` is the force (torque) that acts along it. Written in displacements the laws need no later
//! stabilisation.

use super::contensou::{PatchFriction, PatchPoint};
use crate::math::Vec3;

/// Rows that a world has room for in one step; more are left out, and flagged.
pub const ROW_CAPACITY: usize = 960;

/// Contacts of all patches together.
pub const POINT_CAPACITY: usize = 4096;

/// A node of a soft body in a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowEntry {
    /// The soft body.
    pub body: u32,
    /// Its block: a node.
    pub block: u32,
    /// Coefficients of the node's motion.
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
    /// The moving object it touches, if any.
    pub object: Option<RowObject>,
    /// Compliance of its own, m/N: zero for a hard constraint, `1/k` for a spring of stiffness `k`.
    pub compliance: f64,
}

/// What the rows of a block obey.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// Three rows, gap and two tangents: Signorini's law and Coulomb's cone.
    Coulomb {
        /// Coefficient of friction.
        friction: f64,
    },
    /// Four rows, mean gap, two mean tangential slips and the spin about the normal: Signorini's law and the
    /// Coulomb–Contensou set [Talvas §3.4].
    Contensou {
        /// Coefficient of friction.
        friction: f64,
        /// Index of the patch's pressure distribution.
        patch: u32,
    },
}

impl Law {
    /// Rows of a block.
    #[must_use]
    pub fn rows(&self) -> usize {
        match self {
            Law::Coulomb { .. } => 3,
            Law::Contensou { .. } => 4,
        }
    }
}

/// Rows with one law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// First of its rows.
    pub first: u32,
    /// Its law.
    pub law: Law,
}

/// All constraints of a step.
#[derive(Clone, Debug, Default)]
pub struct ConstraintSet {
    /// The blocks, in the order they were added.
    pub blocks: Vec<Block>,
    /// The rows, block after block.
    pub rows: Vec<Row>,
    entries: Vec<RowEntry>,
    /// Pressure distributions of patches.
    pub patches: Vec<PatchFriction>,
    /// Their contacts, patch after patch.
    pub patch_points: Vec<PatchPoint>,
    /// Displacement of each row without forces.
    pub free: Vec<f64>,
    /// Multipliers: a warm start before the solve, the result after it.
    pub lambda: Vec<f64>,
    /// Displacement of each row at the end of the step; known after the solve.
    pub outcome: Vec<f64>,
    /// More constraints than there was room for.
    pub overflow: bool,
}

impl ConstraintSet {
    /// Room for the constraints of a step.
    #[must_use]
    pub fn new() -> Self {
        ConstraintSet {
            blocks: Vec::with_capacity(ROW_CAPACITY / 3),
            rows: Vec::with_capacity(ROW_CAPACITY),
            entries: Vec::with_capacity(16 * POINT_CAPACITY),
            patches: Vec::with_capacity(ROW_CAPACITY / 4),
            patch_points: Vec::with_capacity(POINT_CAPACITY),
            free: Vec::with_capacity(ROW_CAPACITY),
            lambda: Vec::with_capacity(ROW_CAPACITY),
            outcome: Vec::with_capacity(ROW_CAPACITY),
            overflow: false,
        }
    }

    /// Forgets the last step.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.rows.clear();
        self.entries.clear();
        self.patches.clear();
        self.patch_points.clear();
        self.free.clear();
        self.lambda.clear();
        self.outcome.clear();
        self.overflow = false;
    }

    /// Begins a block; its rows follow by [`row`](Self::row). `None` if there is no room, which is flagged.
    pub fn begin(&mut self, law: Law) -> Option<u32> {
        if self.rows.len() + law.rows() > ROW_CAPACITY {
            self.overflow = true;
            return None;
        }
        self.blocks.push(Block { first: self.rows.len() as u32, law });
        Some(self.blocks.len() as u32 - 1)
    }

    /// Adds a row to the block begun last: its nodes (repeated ones add up), its object, the displacement it measures
    /// after the free motion, and the multiplier to start from.
    pub fn row(
        &mut self,
        entries: impl IntoIterator<Item = RowEntry>,
        object: Option<RowObject>,
        compliance: f64,
        free: f64,
        start: f64,
    ) {
        let first = self.entries.len() as u32;
        self.entries.extend(entries);
        self.rows.push(Row { start: first, end: self.entries.len() as u32, object, compliance });
        self.free.push(free);
        self.lambda.push(start);
    }

    /// The nodes of a row.
    #[must_use]
    pub fn entries(&self, row: &Row) -> &[RowEntry] {
        &self.entries[row.start as usize..row.end as usize]
    }

    /// Multipliers of a block.
    #[must_use]
    pub fn force(&self, block: u32) -> &[f64] {
        &self.lambda[self.range(block)]
    }

    /// Displacements of a block at the end of the step.
    #[must_use]
    pub fn reached(&self, block: u32) -> &[f64] {
        &self.outcome[self.range(block)]
    }

    fn range(&self, block: u32) -> std::ops::Range<usize> {
        let block = &self.blocks[block as usize];
        block.first as usize..block.first as usize + block.law.rows()
    }
}
