//! Everything about a factorisation that depends on the pattern alone.

use super::elimination::{ROOT, Supernode, best_order, supernodes};
use super::parts::Parts;
use super::{BlockPattern, Slot};
use std::ops::Range;

/// The plan of a multifrontal Cholesky factorisation: order, fronts, memory, and where every number goes.
#[derive(Clone, Debug)]
pub struct Symbolic {
    /// `order[k]` is the block eliminated `k`-th.
    order: Vec<u32>,
    /// Inverse of `order`.
    position: Vec<u32>,
    pub(super) fronts: Vec<Front>,
    /// Front that eliminates each position.
    front_of: Vec<u32>,
    pub(super) rows: Vec<u32>,
    pub(super) children: Vec<u32>,
    pub(super) runs: Vec<Run>,
    pub(super) scatter: Vec<Scatter>,
    pub(super) panel_len: usize,
    pub(super) update_len: usize,
    pub(super) max_height: usize,
    pub(super) parts: Parts,
    work: f64,
}

/// Pivots eliminated together. The *panel* holds their columns of the factor (pivot rows, then the other rows); the
/// *update* is what they leave for the parent. Both are column-major lower trapezoids with padded columns.
#[derive(Clone, Debug)]
pub(super) struct Front {
    /// Position of the first pivot.
    pub first: usize,
    /// Number of pivot blocks.
    pub pivots: usize,
    /// The other rows, as a range of `Symbolic::rows`.
    pub rows: Range<usize>,
    pub parent: u32,
    pub children: Range<usize>,
    /// How this front's rows fall into the parent, as a range of `Symbolic::runs`.
    pub runs: Range<usize>,
    pub scatter: Range<usize>,
    pub panel: usize,
    pub panel_stride: usize,
    pub update: usize,
    pub update_stride: usize,
}

impl Front {
    /// Pivot columns, in scalars.
    #[inline(always)]
    pub fn columns(&self) -> usize {
        3 * self.pivots
    }
    /// Rows below the pivots, in scalars.
    #[inline(always)]
    pub fn below(&self) -> usize {
        3 * self.rows.len()
    }
}

/// `len` consecutive block rows of a child that are also consecutive in its parent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub child: u32,
    /// Counted from the parent's first pivot.
    pub parent: u32,
    pub len: u32,
}

/// An off-diagonal block of the matrix and its place in a panel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scatter {
    pub edge: u32,
    pub transposed: bool,
    /// Relative to the panel.
    pub target: u32,
}

/// Rows beyond the last that a kernel may touch: the height of the tallest tile.
pub(super) const PADDING: usize = 16;

fn padded(rows: usize) -> usize {
    (rows + PADDING).next_multiple_of(8)
}

impl Symbolic {
    /// Plans the factorisation of matrices with this pattern; the blocks in `last` are eliminated after all others.
    #[must_use]
    pub fn new(pattern: &BlockPattern, last: &[u32]) -> Self {
        let (first_order, tree) = best_order(pattern, last);
        let nodes = supernodes(&tree);
        let work = tree.work();
        let renumbered = renumber(&nodes, first_order.len());
        let mut order = vec![0; first_order.len()];
        for (old, &new) in renumbered.iter().enumerate() {
            order[new as usize] = first_order[old];
        }
        let mut position = vec![0; order.len()];
        for (k, &b) in order.iter().enumerate() {
            position[b as usize] = k as u32;
        }
        let mut symbolic = Symbolic {
            front_of: vec![0; order.len()],
            order,
            position,
            fronts: Vec::new(),
            rows: Vec::new(),
            children: Vec::new(),
            runs: Vec::new(),
            scatter: Vec::new(),
            panel_len: 0,
            update_len: 0,
            max_height: 0,
            parts: Parts::default(),
            work,
        };
        symbolic.lay_out(&nodes, &renumbered);
        symbolic.link_children();
        symbolic.parts = Parts::new(&symbolic.fronts);
        symbolic.place_updates();
        symbolic.place_blocks(pattern);
        symbolic
    }

    /// Number of block rows.
    #[must_use]
    pub fn block_count(&self) -> usize {
        self.order.len()
    }

    /// When a block is eliminated, counted from 0.
    #[must_use]
    #[inline(always)]
    pub fn position(&self, block: u32) -> usize {
        self.position[block as usize] as usize
    }

    /// Where each block is eliminated: the inverse of [`order`](Self::order).
    #[must_use]
    pub fn positions(&self) -> &[u32] {
        &self.position
    }

    /// The block eliminated at a position.
    #[must_use]
    #[inline(always)]
    pub fn block_at(&self, position: usize) -> u32 {
        self.order[position]
    }

    /// The order of elimination: entry `k` is the block eliminated `k`-th.
    #[must_use]
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Number of fronts.
    #[must_use]
    pub fn front_count(&self) -> usize {
        self.fronts.len()
    }

    /// The front that eliminates a position.
    pub(super) fn front_at(&self, position: usize) -> usize {
        self.front_of[position] as usize
    }

    /// Number of subtrees that can be factored at the same time.
    #[must_use]
    pub fn part_count(&self) -> usize {
        self.parts.independent.len()
    }

    /// Stored numbers of the factor, padding included.
    #[must_use]
    pub fn factor_len(&self) -> usize {
        self.panel_len
    }

    /// Multiplications of a factorisation in 3x3 block products, before fronts were merged.
    #[must_use]
    pub fn work(&self) -> f64 {
        self.work
    }

    fn lay_out(&mut self, nodes: &[Supernode], renumbered: &[u32]) {
        let mut first = 0;
        for (s, node) in nodes.iter().enumerate() {
            let start = self.rows.len();
            self.rows.extend(node.rows.iter().map(|&r| renumbered[r as usize]));
            self.rows[start..].sort_unstable();
            let pivots = node.pivots.len();
            let height = 3 * (pivots + node.rows.len());
            let panel_stride = padded(height);
            self.fronts.push(Front {
                first,
                pivots,
                rows: start..self.rows.len(),
                parent: node.parent,
                children: 0..0,
                runs: 0..0,
                scatter: 0..0,
                panel: self.panel_len,
                panel_stride,
                update: 0,
                update_stride: padded(3 * node.rows.len()),
            });
            self.front_of[first..first + pivots].fill(s as u32);
            self.panel_len += panel_stride * 3 * pivots;
            self.max_height = self.max_height.max(height);
            first += pivots;
        }
        // Kernels read whole tiles past the last column.
        self.panel_len += PADDING;
    }

    /// Index of a position among a front's pivots and rows.
    fn local_row(&self, front: &Front, position: u32) -> Option<usize> {
        let p = position as usize;
        if (front.first..front.first + front.pivots).contains(&p) {
            return Some(p - front.first);
        }
        self.rows[front.rows.clone()].binary_search(&position).ok().map(|k| front.pivots + k)
    }

    fn link_children(&mut self) {
        let mut lists: Vec<Vec<u32>> = vec![Vec::new(); self.fronts.len()];
        for s in 0..self.fronts.len() {
            let front = &self.fronts[s];
            let start = self.runs.len();
            if front.parent != ROOT {
                lists[front.parent as usize].push(s as u32);
                let parent = &self.fronts[front.parent as usize];
                let mut runs: Vec<Run> = Vec::new();
                for (child, &row) in self.rows[front.rows.clone()].iter().enumerate() {
                    // A child's rows are all in its parent by construction of the tree.
                    let Some(target) = self.local_row(parent, row) else { continue };
                    match runs.last_mut() {
                        Some(run) if (run.parent + run.len) as usize == target => run.len += 1,
                        _ => runs.push(Run { child: child as u32, parent: target as u32, len: 1 }),
                    }
                }
                self.runs.extend(runs);
            }
            self.fronts[s].runs = start..self.runs.len();
        }
        for (front, list) in self.fronts.iter_mut().zip(lists) {
            let start = self.children.len();
            self.children.extend(list);
            front.children = start..self.children.len();
        }
    }

    /// Gives each update matrix a place. Parts share no memory, since they may be factored at the same time.
    fn place_updates(&mut self) {
        let Parts { independent, above } = self.parts.clone();
        for part in independent {
            self.update_len = self.place_updates_of(part, self.update_len);
        }
        self.update_len = self.place_updates_of(above.iter().map(|&s| s as usize), self.update_len);
        self.update_len += PADDING;
    }

    /// Gives each of these fronts a place from `base` on that is free from its making until its parent has taken it
    /// (first fit); returns the end of all places.
    fn place_updates_of(&mut self, fronts: impl Iterator<Item = usize>, base: usize) -> usize {
        let mut live: Vec<(usize, usize, u32)> = Vec::new();
        let mut end = base;
        for s in fronts {
            let front = &mut self.fronts[s];
            let len = front.update_stride * front.below();
            if len > 0 {
                live.sort_unstable();
                let mut start = base;
                for &(other, other_len, _) in &live {
                    if start + len <= other {
                        break;
                    }
                    start = start.max(other + other_len);
                }
                front.update = start;
                live.push((start, len, s as u32));
                end = end.max(start + len);
            }
            let taken = &self.children[front.children.clone()];
            live.retain(|(.., owner)| !taken.contains(owner));
        }
        end
    }

    fn place_blocks(&mut self, pattern: &BlockPattern) {
        let neighbours = pattern.neighbours();
        for s in 0..self.fronts.len() {
            let front = self.fronts[s].clone();
            let start = self.scatter.len();
            for column in front.first..front.first + front.pivots {
                let b = self.order[column];
                for &a in &neighbours[b as usize] {
                    let row = self.position[a as usize];
                    if (row as usize) < column {
                        continue;
                    }
                    let (Some(local), Some(slot)) = (self.local_row(&front, row), pattern.edge(a, b)) else { continue };
                    let (edge, transposed) = match slot {
                        Slot::Upper(k) => (k, false),
                        Slot::Lower(k) => (k, true),
                        Slot::Diagonal(_) => continue,
                    };
                    let target = (3 * (column - front.first) * front.panel_stride + 3 * local) as u32;
                    self.scatter.push(Scatter { edge, transposed, target });
                }
            }
            // Column by column from top to bottom, as the assembly of fronts relies on.
            self.scatter[start..].sort_unstable_by_key(|place| place.target);
            self.fronts[s].scatter = start..self.scatter.len();
        }
    }
}

/// New position of each old one when the supernodes are eliminated in sequence.
fn renumber(nodes: &[Supernode], n: usize) -> Vec<u32> {
    let mut new = vec![0; n];
    for (k, &old) in nodes.iter().flat_map(|s| &s.pivots).enumerate() {
        new[old as usize] = k as u32;
    }
    new
}
