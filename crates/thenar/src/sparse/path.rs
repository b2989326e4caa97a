//! The part of the elimination tree that a sparse right-hand side reaches.

use super::Symbolic;
use super::elimination::ROOT;

/// The fronts on the way from some blocks to the root. `L⁻¹ b` is zero elsewhere if `b` is zero outside these blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EliminationPath {
    active: Vec<bool>,
}

impl EliminationPath {
    /// The empty path.
    #[must_use]
    pub fn new(symbolic: &Symbolic) -> Self {
        EliminationPath { active: vec![false; symbolic.front_count()] }
    }

    /// The whole tree.
    #[must_use]
    pub fn all(symbolic: &Symbolic) -> Self {
        EliminationPath { active: vec![true; symbolic.front_count()] }
    }

    /// Forgets all blocks.
    pub fn clear(&mut self) {
        self.active.fill(false);
    }

    /// Adds the way from a block (in original numbering) to the root.
    pub fn touch(&mut self, symbolic: &Symbolic, block: u32) {
        let mut front = symbolic.front_at(symbolic.position(block)) as u32;
        while front != ROOT && !self.active[front as usize] {
            self.active[front as usize] = true;
            front = symbolic.fronts[front as usize].parent;
        }
    }

    /// Number of fronts on the path.
    #[must_use]
    pub fn front_count(&self) -> usize {
        self.active.iter().filter(|&&a| a).count()
    }

    /// The ranges of positions that the path's fronts eliminate, ascending.
    pub fn positions<'a>(&'a self, symbolic: &'a Symbolic) -> impl Iterator<Item = std::ops::Range<usize>> + 'a {
        let fronts = symbolic.fronts.iter().zip(&self.active).filter(|(_, active)| **active);
        fronts.map(|(front, _)| front.first..front.first + front.pivots)
    }

    /// The ranges of scalar rows that the path's fronts eliminate, ascending: three rows per position.
    pub fn rows<'a>(&'a self, symbolic: &'a Symbolic) -> impl Iterator<Item = std::ops::Range<usize>> + 'a {
        self.positions(symbolic).map(|p| 3 * p.start..3 * p.end)
    }

    #[inline(always)]
    pub(super) fn contains(&self, front: usize) -> bool {
        self.active[front]
    }
}
