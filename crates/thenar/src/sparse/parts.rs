//! Subtrees of the elimination tree that can be factored at the same time.

use super::elimination::{ROOT, front_cycles};
use super::symbolic::Front;
use std::ops::Range;

/// Below this estimate in cycles (some 2000 elements) a factorisation is not worth sharing: a thread that sleeps takes
/// tens of microseconds to wake.
const WORTH_SHARING: f64 = 0.8e6;
/// Subtrees are cut until none has more than this share of the whole work. Smaller ones spread better over threads, and
/// a thread that comes late delays the others less; but they leave more above them that must wait. By the estimate two
/// threads take 0.64 of the time and four 0.46, for hands of 3000 to 10000 elements; with a twelfth 0.72 and 0.58.
const LARGEST_SHARE: f64 = 1.0 / 6.0;

/// Which fronts may be eliminated independently. Depends on the pattern alone, never on the number of threads.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    /// Disjoint subtrees, each a range of fronts in postorder; those with most work come first.
    pub independent: Vec<Range<usize>>,
    /// The fronts above all of them, children before parents.
    pub above: Vec<u32>,
}

impl Parts {
    pub fn new(fronts: &[Front]) -> Self {
        // Work and first front of the subtree below each front: a subtree is contiguous in postorder.
        let mut work: Vec<f64> = fronts.iter().map(|f| front_cycles(f.pivots, f.rows.len())).collect();
        let mut first: Vec<usize> = (0..fronts.len()).collect();
        for (s, front) in fronts.iter().enumerate() {
            if front.parent != ROOT {
                let parent = front.parent as usize;
                work[parent] += work[s];
                first[parent] = first[parent].min(first[s]);
            }
        }
        let roots = || (0..fronts.len()).filter(|&s| fronts[s].parent == ROOT);
        let total: f64 = roots().map(|s| work[s]).sum();
        if total < WORTH_SHARING {
            return Parts { independent: std::iter::once(0..fronts.len()).collect(), above: Vec::new() };
        }
        // From the roots down: a front either heads a part or lies above all parts.
        let mut is_above = vec![false; fronts.len()];
        let mut heads = Vec::new();
        for s in (0..fronts.len()).rev() {
            let parent_is_above = fronts[s].parent == ROOT || is_above[fronts[s].parent as usize];
            if parent_is_above && work[s] > LARGEST_SHARE * total {
                is_above[s] = true;
            } else if parent_is_above {
                heads.push(s);
            }
        }
        heads.sort_by(|&a, &b| work[b].total_cmp(&work[a]).then(a.cmp(&b)));
        Parts {
            independent: heads.iter().map(|&s| first[s]..s + 1).collect(),
            above: (0..fronts.len() as u32).filter(|&s| is_above[s as usize]).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::sparse::{BlockPattern, Symbolic};

    /// A block of `n`³ nodes, each coupled to its neighbours along the axes.
    fn cube(n: u32) -> BlockPattern {
        let at = |x: u32, y: u32, z: u32| (x * n + y) * n + z;
        let mut pairs = Vec::new();
        for (x, y, z) in (0..n).flat_map(|x| (0..n).flat_map(move |y| (0..n).map(move |z| (x, y, z)))) {
            pairs.extend((x + 1 < n).then(|| [at(x, y, z), at(x + 1, y, z)]));
            pairs.extend((y + 1 < n).then(|| [at(x, y, z), at(x, y + 1, z)]));
            pairs.extend((z + 1 < n).then(|| [at(x, y, z), at(x, y, z + 1)]));
        }
        BlockPattern::from_cliques((n * n * n) as usize, pairs.iter().map(<[u32; 2]>::as_slice))
    }

    #[test]
    fn parts_cover_every_front_once_and_share_no_update_memory() {
        for (n, shared) in [(4, false), (10, true)] {
            let symbolic = Symbolic::new(&cube(n), &[]);
            assert_eq!(symbolic.part_count() > 1, shared, "{n}");
            let parts = &symbolic.parts;
            let mut seen: Vec<usize> = parts.independent.iter().cloned().flatten().collect();
            seen.extend(parts.above.iter().map(|&f| f as usize));
            seen.sort_unstable();
            assert_eq!(seen, (0..symbolic.front_count()).collect::<Vec<_>>());
            let places = |part: std::ops::Range<usize>| {
                let fronts = symbolic.fronts[part].iter().filter(|f| f.below() > 0);
                let ends = fronts.clone().map(|f| f.update + f.update_stride * f.below());
                (fronts.map(|f| f.update).min(), ends.max())
            };
            let mut spans: Vec<_> = parts.independent.iter().cloned().map(places).collect();
            spans.sort_unstable();
            assert!(spans.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{spans:?}");
        }
    }
}
