//! Which blocks of a symmetric block matrix may be non-zero.

/// The fixed pattern of a symmetric matrix of `n x n` blocks. The diagonal is always present; every pair `a < b` of
/// coupled blocks is an *edge* and is stored once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockPattern {
    /// Edges of row `a` are `start[a]..start[a + 1]`.
    start: Vec<u32>,
    /// The larger end of each edge, ascending within a row.
    column: Vec<u32>,
}

/// Where block `(a, b)` of a symmetric matrix is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// `a == b`: the diagonal block of that index.
    Diagonal(u32),
    /// `a < b`: the off-diagonal block of that index.
    Upper(u32),
    /// `a > b`: the transpose of the off-diagonal block of that index.
    Lower(u32),
}

impl BlockPattern {
    /// The pattern in which all members of each clique are coupled to one another.
    ///
    /// Members not below `n` are ignored, as are repeated ones.
    pub fn from_cliques<'a>(n: usize, cliques: impl IntoIterator<Item = &'a [u32]>) -> Self {
        let mut edges = Vec::new();
        for clique in cliques {
            for (i, &a) in clique.iter().enumerate() {
                for &b in &clique[i + 1..] {
                    if a != b && (a as usize) < n && (b as usize) < n {
                        edges.push((a.min(b), a.max(b)));
                    }
                }
            }
        }
        edges.sort_unstable();
        edges.dedup();
        let mut start = vec![0u32; n + 1];
        for &(a, _) in &edges {
            start[a as usize + 1] += 1;
        }
        for a in 0..n {
            start[a + 1] += start[a];
        }
        BlockPattern { start, column: edges.into_iter().map(|(_, b)| b).collect() }
    }

    /// Number of block rows.
    #[must_use]
    pub fn block_count(&self) -> usize {
        self.start.len() - 1
    }

    /// Number of edges, that is of stored off-diagonal blocks.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.column.len()
    }

    /// Where block `(a, b)` is stored; `None` if it is not in the pattern.
    #[must_use]
    pub fn edge(&self, a: u32, b: u32) -> Option<Slot> {
        let n = self.block_count() as u32;
        if a >= n || b >= n {
            return None;
        }
        if a == b {
            return Some(Slot::Diagonal(a));
        }
        let (low, high) = (a.min(b), a.max(b));
        let k = self.row(low).start + self.upper(low).binary_search(&high).ok()?;
        Some(if a < b { Slot::Upper(k as u32) } else { Slot::Lower(k as u32) })
    }

    /// The edge indices whose smaller end is `a`.
    #[must_use]
    #[inline(always)]
    pub fn row(&self, a: u32) -> std::ops::Range<usize> {
        self.start[a as usize] as usize..self.start[a as usize + 1] as usize
    }

    /// The larger ends of the edges of row `a`, ascending.
    #[must_use]
    #[inline(always)]
    pub fn upper(&self, a: u32) -> &[u32] {
        &self.column[self.row(a)]
    }

    /// All edges `(a, b)` with `a < b`, in storage order.
    pub fn edges(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..self.block_count() as u32).flat_map(|a| self.upper(a).iter().map(move |&b| (a, b)))
    }

    /// For each block, the blocks it is coupled to (without itself), ascending.
    #[must_use]
    pub fn neighbours(&self) -> Vec<Vec<u32>> {
        let mut all = vec![Vec::new(); self.block_count()];
        for (a, b) in self.edges() {
            all[a as usize].push(b);
            all[b as usize].push(a);
        }
        for list in &mut all {
            list.sort_unstable();
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cliques_become_edges_stored_once() {
        let p = BlockPattern::from_cliques(5, [&[2u32, 0, 1][..], &[1, 2], &[3, 3], &[4, 9]]);
        assert_eq!(p.block_count(), 5);
        assert_eq!(p.edges().collect::<Vec<_>>(), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(p.edge(2, 0), Some(Slot::Lower(1)));
        assert_eq!(p.edge(0, 2), Some(Slot::Upper(1)));
        assert_eq!(p.edge(3, 3), Some(Slot::Diagonal(3)));
        assert_eq!(p.edge(0, 3), None);
        assert_eq!(p.edge(0, 77), None);
        assert_eq!(p.neighbours()[1], [0, 2]);
    }
}
