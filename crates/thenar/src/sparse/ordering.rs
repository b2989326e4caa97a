//! The order in which blocks are eliminated.

use super::BlockPattern;
use std::collections::BTreeSet;

/// An elimination order by approximate minimum degree: `order[k]` is the block eliminated `k`-th.
///
/// Works on the quotient graph with element absorption, approximate external degrees and merging of indistinguishable
/// blocks [Amestoy, Davis, Duff 1996, "An approximate minimum degree ordering algorithm"]. The blocks in `last` come
/// after all others. Ties go to the block with the lowest hash of `seed`; seed 0 keeps the original numbering.
#[must_use]
pub fn minimum_degree(pattern: &BlockPattern, last: &[u32], seed: u64) -> Vec<u32> {
    let mut graph = QuotientGraph::new(pattern, last, seed);
    let mut order = Vec::with_capacity(pattern.block_count());
    while let Some(pivot) = graph.next_pivot() {
        graph.emit(pivot, &mut order);
        graph.eliminate(pivot);
    }
    order
}

/// Eliminated blocks become *elements*; an element stands for the clique of its remaining members.
struct QuotientGraph {
    /// Uneliminated neighbours of a block that share no element with it.
    blocks: Vec<Vec<u32>>,
    /// Elements a block belongs to.
    elements: Vec<Vec<u32>>,
    /// Members of an element; empty if absorbed.
    members: Vec<Vec<u32>>,
    /// How many indistinguishable blocks a block stands for; 0 once eliminated or merged into another.
    weight: Vec<u32>,
    /// Blocks merged into this one.
    merged: Vec<Vec<u32>>,
    /// Weighted upper bound of the number of neighbours.
    degree: Vec<u32>,
    /// Blocks to eliminate after all others.
    is_last: Vec<bool>,
    queue: BTreeSet<(bool, u32, u64, u32)>,
    tie: Vec<u64>,
    mark: Vec<u32>,
    stamp: u32,
    /// Weight of an element outside the current pivot's clique; valid where `outside_stamp` equals `stamp`.
    outside: Vec<u32>,
    outside_stamp: Vec<u32>,
    remaining: u32,
}

impl QuotientGraph {
    fn new(pattern: &BlockPattern, last: &[u32], seed: u64) -> Self {
        let n = pattern.block_count();
        let blocks = pattern.neighbours();
        let degree: Vec<u32> = blocks.iter().map(|b| b.len() as u32).collect();
        let mut is_last = vec![false; n];
        for &b in last {
            if let Some(flag) = is_last.get_mut(b as usize) {
                *flag = true;
            }
        }
        let tie: Vec<u64> = (0..n as u64).map(|i| if seed == 0 { i } else { hash(i, seed) }).collect();
        let queue = (0..n).map(|i| (is_last[i], degree[i], tie[i], i as u32)).collect();
        QuotientGraph {
            blocks,
            elements: vec![Vec::new(); n],
            members: vec![Vec::new(); n],
            weight: vec![1; n],
            merged: vec![Vec::new(); n],
            degree,
            is_last,
            queue,
            tie,
            mark: vec![0; n],
            stamp: 0,
            outside: vec![0; n],
            outside_stamp: vec![0; n],
            remaining: n as u32,
        }
    }

    fn next_pivot(&mut self) -> Option<u32> {
        self.queue.pop_first().map(|(.., block)| block)
    }

    /// Appends a block and everything merged into it.
    fn emit(&self, block: u32, order: &mut Vec<u32>) {
        order.push(block);
        for &m in &self.merged[block as usize] {
            self.emit(m, order);
        }
    }

    fn key(&self, block: u32) -> (bool, u32, u64, u32) {
        let i = block as usize;
        (self.is_last[i], self.degree[i], self.tie[i], block)
    }

    fn eliminate(&mut self, pivot: u32) {
        let p = pivot as usize;
        self.remaining -= self.weight[p];
        let clique = self.clique_of(p);
        self.weight[p] = 0;
        self.stamp += 1;
        let clique_weight: u32 = clique.iter().map(|&i| self.weight[i as usize]).sum();
        for &i in &clique {
            self.mark[i as usize] = self.stamp;
        }
        for &i in &clique {
            self.measure_elements(i as usize);
        }
        for &i in &clique {
            self.queue.remove(&self.key(i));
            self.update_block(i as usize, pivot, clique_weight);
        }
        self.members[p] = clique;
        self.merge_indistinguishable(p);
        let stamp_members = std::mem::take(&mut self.members[p]);
        for &i in &stamp_members {
            self.queue.insert(self.key(i));
        }
        self.members[p] = stamp_members;
    }

    /// The uneliminated blocks that pivot `p` couples; absorbs the pivot's elements.
    fn clique_of(&mut self, p: usize) -> Vec<u32> {
        self.stamp += 1;
        self.mark[p] = self.stamp;
        let mut clique = Vec::new();
        let own = std::mem::take(&mut self.blocks[p]);
        let elements = std::mem::take(&mut self.elements[p]);
        let absorbed: Vec<Vec<u32>> = elements.iter().map(|&e| std::mem::take(&mut self.members[e as usize])).collect();
        for &i in std::iter::once(&own).chain(&absorbed).flatten() {
            if self.weight[i as usize] > 0 && self.mark[i as usize] != self.stamp {
                self.mark[i as usize] = self.stamp;
                clique.push(i);
            }
        }
        clique
    }

    /// Subtracts block `i` of the clique from the outside weight of each of its elements.
    fn measure_elements(&mut self, i: usize) {
        for &e in &self.elements[i] {
            let e = e as usize;
            if self.members[e].is_empty() {
                continue;
            }
            if self.outside_stamp[e] != self.stamp {
                self.outside_stamp[e] = self.stamp;
                self.outside[e] = self.members[e].iter().map(|&m| self.weight[m as usize]).sum();
            }
            self.outside[e] -= self.weight[i];
        }
    }

    /// Replaces what the new element covers, and bounds the degree of block `i` anew.
    fn update_block(&mut self, i: usize, pivot: u32, clique_weight: u32) {
        let (members, outside) = (&self.members, &self.outside);
        // An element wholly inside the clique is covered by the new element.
        self.elements[i].retain(|&e| !members[e as usize].is_empty() && outside[e as usize] > 0);
        let (weight, mark, stamp) = (&self.weight, &self.mark, self.stamp);
        self.blocks[i].retain(|&b| weight[b as usize] > 0 && mark[b as usize] != stamp);
        let in_clique = clique_weight - self.weight[i];
        let by_elements: u32 = self.elements[i].iter().map(|&e| self.outside[e as usize]).sum();
        let by_blocks: u32 = self.blocks[i].iter().map(|&b| self.weight[b as usize]).sum();
        self.degree[i] =
            (self.remaining - self.weight[i]).min(self.degree[i] + in_clique).min(by_blocks + in_clique + by_elements);
        self.elements[i].push(pivot);
    }

    /// Blocks of the new element with the same neighbours are eliminated together.
    fn merge_indistinguishable(&mut self, p: usize) {
        let clique = std::mem::take(&mut self.members[p]);
        let mut keyed: Vec<(u64, u32)> = clique
            .iter()
            .map(|&i| {
                let i_ = i as usize;
                self.blocks[i_].sort_unstable();
                self.elements[i_].sort_unstable();
                let sum = |list: &[u32]| list.iter().fold(0u64, |s, &v| s.wrapping_add(hash(u64::from(v), 1)));
                (sum(&self.blocks[i_]).wrapping_mul(3).wrapping_add(sum(&self.elements[i_])), i)
            })
            .collect();
        keyed.sort_unstable();
        for k in 0..keyed.len() {
            let (key, i) = keyed[k];
            if self.weight[i as usize] == 0 {
                continue;
            }
            for &(_, j) in keyed[k + 1..].iter().take_while(|(other, _)| *other == key) {
                self.merge_if_same(i as usize, j);
            }
        }
        self.members[p] = clique.into_iter().filter(|&i| self.weight[i as usize] > 0).collect();
    }

    fn merge_if_same(&mut self, i: usize, other: u32) {
        let j = other as usize;
        let same = self.weight[j] > 0
            && self.is_last[i] == self.is_last[j]
            && self.blocks[i] == self.blocks[j]
            && self.elements[i] == self.elements[j];
        if same {
            self.degree[i] -= self.weight[j].min(self.degree[i]);
            self.weight[i] += self.weight[j];
            self.weight[j] = 0;
            self.merged[i].push(other);
            self.blocks[j].clear();
            self.elements[j].clear();
        }
    }
}

/// A fixed mixing of the bits of `value` [SplitMix64 finaliser, Steele et al. 2014].
fn hash(value: u64, seed: u64) -> u64 {
    let mut z = value.wrapping_add(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_a_permutation_with_the_last_blocks_last() {
        let cliques: Vec<[u32; 3]> = (0..30).map(|i| [i, (i * 7 + 1) % 30, (i * 3 + 2) % 30]).collect();
        let pattern = BlockPattern::from_cliques(30, cliques.iter().map(|c| &c[..]));
        for seed in 0..4 {
            let order = minimum_degree(&pattern, &[3, 17, 4], seed);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..30).collect::<Vec<u32>>());
            let mut tail = order[27..].to_vec();
            tail.sort_unstable();
            assert_eq!(tail, [3, 4, 17]);
        }
    }

    #[test]
    fn a_tree_is_ordered_without_fill() {
        // Any minimum-degree order of a tree takes leaves first; every pivot then has at most one later neighbour.
        let edges: Vec<[u32; 2]> = (1..40).map(|i| [(i - 1) / 3, i]).collect();
        let pattern = BlockPattern::from_cliques(40, edges.iter().map(|e| &e[..]));
        let order = minimum_degree(&pattern, &[], 0);
        let mut position = [0; 40];
        for (k, &b) in order.iter().enumerate() {
            position[b as usize] = k;
        }
        let neighbours = pattern.neighbours();
        for &b in &order {
            let later = neighbours[b as usize].iter().filter(|&&o| position[o as usize] > position[b as usize]).count();
            assert!(later <= 1, "block {b} has {later} later neighbours");
        }
    }
}
