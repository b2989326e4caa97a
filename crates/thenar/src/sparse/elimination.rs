//! The elimination tree of an ordered pattern, and the fronts it is cut into.

use super::BlockPattern;

/// No parent.
pub(super) const ROOT: u32 = u32::MAX;

/// Parent of each position and the positions below each pivot that its elimination touches.
pub(super) struct EliminationTree {
    pub parent: Vec<u32>,
    /// Sorted positions greater than the pivot's own.
    pub structure: Vec<Vec<u32>>,
}

impl EliminationTree {
    /// The tree of eliminating `order[0]`, `order[1]`, …
    pub fn new(neighbours: &[Vec<u32>], order: &[u32]) -> Self {
        let n = order.len();
        let mut position = vec![0u32; n];
        for (k, &b) in order.iter().enumerate() {
            position[b as usize] = k as u32;
        }
        let mut parent = vec![ROOT; n];
        let mut structure: Vec<Vec<u32>> = vec![Vec::new(); n];
        let mut children: Vec<Vec<u32>> = vec![Vec::new(); n];
        let mut mark = vec![ROOT; n];
        for k in 0..n {
            mark[k] = k as u32;
            let mut rows = Vec::new();
            let own = neighbours[order[k] as usize].iter().map(|&b| position[b as usize]);
            let inherited = children[k].iter().flat_map(|&c| structure[c as usize].iter().copied());
            for row in own.chain(inherited) {
                if row as usize > k && mark[row as usize] != k as u32 {
                    mark[row as usize] = k as u32;
                    rows.push(row);
                }
            }
            rows.sort_unstable();
            if let Some(&first) = rows.first() {
                parent[k] = first;
                children[first as usize].push(k as u32);
            }
            structure[k] = rows;
        }
        EliminationTree { parent, structure }
    }

    /// Multiplications of the numerical factorisation, in 3x3 block products.
    pub fn work(&self) -> f64 {
        self.structure.iter().map(|s| (s.len() as f64 + 1.0) * (s.len() as f64 + 2.0) / 2.0).sum()
    }
}

/// Pivots eliminated together, and the rows below them.
#[derive(Clone, Debug)]
pub(super) struct Supernode {
    /// Pivot positions, ascending.
    pub pivots: Vec<u32>,
    /// Positions of the other rows, ascending.
    pub rows: Vec<u32>,
    /// Index of the supernode that takes the update, or `ROOT`.
    pub parent: u32,
}

/// Cuts the tree into supernodes and merges those whose merging saves time; children come before parents.
pub(super) fn supernodes(tree: &EliminationTree) -> Vec<Supernode> {
    merge_cheap(fundamental(tree))
}

/// Maximal chains of pivots with nested structure.
fn fundamental(tree: &EliminationTree) -> Vec<Supernode> {
    let n = tree.parent.len();
    let mut child_count = vec![0u32; n];
    for &p in tree.parent.iter().filter(|&&p| p != ROOT) {
        child_count[p as usize] += 1;
    }
    // A pivot continues its only child's chain if it adds no row.
    let mut owner = vec![ROOT; n];
    let mut nodes: Vec<Supernode> = Vec::new();
    for k in 0..n {
        if owner[k] == ROOT {
            owner[k] = nodes.len() as u32;
            nodes.push(Supernode { pivots: Vec::new(), rows: Vec::new(), parent: ROOT });
        }
        let node = &mut nodes[owner[k] as usize];
        node.pivots.push(k as u32);
        node.rows.clone_from(&tree.structure[k]);
        let p = tree.parent[k];
        if p != ROOT && child_count[p as usize] == 1 && tree.structure[p as usize].len() + 1 == tree.structure[k].len()
        {
            owner[p as usize] = owner[k];
        }
    }
    for node in &mut nodes {
        node.parent = node.rows.first().map_or(ROOT, |&r| owner[r as usize]);
    }
    nodes
}

/// Estimated cycles to assemble and eliminate a front of `pivots` and `rows` blocks, fitted to the kernels of
/// [`super::front`]: tiles of 8 x 6 numbers, each with a fixed part and six cycles per pivot column.
pub(super) fn front_cycles(pivots: usize, rows: usize) -> f64 {
    let (columns, below) = (3 * pivots, 3 * rows);
    let height = columns + below;
    let tiles = |from: usize| height.saturating_sub(from).div_ceil(8) as f64;
    let mut cycles = 200.0;
    for j in (0..columns).step_by(6) {
        cycles += 260.0 + tiles(j) * (40.0 + 6.0 * j as f64);
    }
    for j in (0..below).step_by(6) {
        cycles += tiles(columns + j) * (20.0 + 6.0 * columns as f64);
    }
    // Clearing both parts, and adding the update into the parent.
    let (panel, update) = ((columns * height) as f64, (below * below) as f64 / 2.0);
    cycles + 0.3 * panel + update + 20.0 * below as f64
}

/// Merges children into parents, best saving first, while the estimated time falls.
fn merge_cheap(mut nodes: Vec<Supernode>) -> Vec<Supernode> {
    let count = nodes.len();
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); count];
    for s in 0..count {
        if nodes[s].parent != ROOT {
            children[nodes[s].parent as usize].push(s as u32);
        }
    }
    let mut alive = vec![true; count];
    // Children before parents: `fundamental` numbers a chain by its first pivot, so sort by the last.
    let mut by_last: Vec<u32> = (0..count as u32).collect();
    by_last.sort_by_key(|&s| nodes[s as usize].pivots.last().copied());
    for &p in &by_last {
        let p = p as usize;
        loop {
            let (pivots, rows) = (nodes[p].pivots.len(), nodes[p].rows.len());
            let apart = front_cycles(pivots, rows);
            let saving = |c: u32| {
                let child = &nodes[c as usize];
                apart + front_cycles(child.pivots.len(), child.rows.len())
                    - front_cycles(pivots + child.pivots.len(), rows)
            };
            let best = children[p].iter().map(|&c| (saving(c), c)).max_by(|a, b| a.0.total_cmp(&b.0));
            let Some((_, c)) = best.filter(|b| b.0 > 0.0) else { break };
            alive[c as usize] = false;
            children[p].retain(|&k| k != c);
            let grandchildren = std::mem::take(&mut children[c as usize]);
            for &g in &grandchildren {
                nodes[g as usize].parent = p as u32;
            }
            children[p].extend(grandchildren);
            let merged = std::mem::take(&mut nodes[c as usize].pivots);
            nodes[p].pivots.extend(merged);
            nodes[p].pivots.sort_unstable();
        }
    }
    postorder(&nodes, &children, &alive)
}

/// The living nodes in postorder, so that each subtree is contiguous.
fn postorder(nodes: &[Supernode], children: &[Vec<u32>], alive: &[bool]) -> Vec<Supernode> {
    let mut renumbered = vec![ROOT; nodes.len()];
    let mut out: Vec<Supernode> = Vec::new();
    let roots = (0..nodes.len()).filter(|&s| alive[s] && nodes[s].parent == ROOT);
    for root in roots {
        let mut stack = vec![(root, 0)];
        while let Some((s, next)) = stack.pop() {
            if let Some(&c) = children[s].get(next) {
                stack.push((s, next + 1));
                stack.push((c as usize, 0));
            } else {
                renumbered[s] = out.len() as u32;
                out.push(nodes[s].clone());
            }
        }
    }
    for node in &mut out {
        if node.parent != ROOT {
            node.parent = renumbered[node.parent as usize];
        }
    }
    out
}

/// The best of several minimum-degree orders of the pattern, by the work of the factorisation.
pub(super) fn best_order(pattern: &BlockPattern, last: &[u32]) -> (Vec<u32>, EliminationTree) {
    let neighbours = pattern.neighbours();
    let evaluate = |seed| {
        let order = super::ordering::minimum_degree(pattern, last, seed);
        let tree = EliminationTree::new(&neighbours, &order);
        (order, tree)
    };
    // Ties are broken at random; a few tries find an order some percent better. Large patterns take longer to order.
    let tries = (20_000 / (pattern.block_count() + 1)).clamp(2, 24) as u64;
    let mut best = evaluate(0);
    for seed in 1..tries {
        let candidate = evaluate(seed);
        if candidate.1.work() < best.1.work() {
            best = candidate;
        }
    }
    best
}
