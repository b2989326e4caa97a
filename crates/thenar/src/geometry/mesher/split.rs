//! Makes a mesh finer by splitting edges that are long for their place.

use super::complex::{Complex, quality};
use super::domain::Domain;
use crate::math::Vec3;

/// A split on the surface must leave elements at least this good; otherwise the new node stays on the old edge.
const LEAST_QUALITY: f64 = 0.15;

/// Splits every edge longer than `limit` wanted lengths, relatively longest first, up to `target` elements in all.
/// Returns the number of splits.
pub(super) fn split_pass(complex: &mut Complex, domain: &Domain<'_>, limit: f64, target: usize) -> usize {
    let mut long: Vec<(u64, u32, u32)> = complex
        .edges()
        .into_iter()
        .map(|(a, b)| (complex.relative_length(a, b), a, b))
        .filter(|(length, _, _)| *length > limit)
        .map(|(length, a, b)| (length.to_bits(), a, b))
        .collect();
    long.sort_unstable_by(|x, y| y.0.cmp(&x.0).then((x.1, x.2).cmp(&(y.1, y.2))));
    let mut splits = 0;
    for (_, a, b) in long {
        if complex.len() >= target {
            break;
        }
        let around = complex.edge_star(a, b);
        if !around.is_empty() {
            split_edge(complex, domain, a, b, &around);
            splits += 1;
        }
    }
    splits
}

fn split_edge(complex: &mut Complex, domain: &Domain<'_>, a: u32, b: u32, around: &[u32]) {
    let on_boundary = complex.on_boundary[a as usize]
        && complex.on_boundary[b as usize]
        && complex.boundary_faces_at(a).iter().any(|(f, _)| f.contains(&b));
    let middle = 0.5 * (complex.positions[a as usize] + complex.positions[b as usize]);
    let mut place = middle;
    if on_boundary {
        let projected = domain.project(middle);
        let good = around.iter().all(|&t| {
            let halves = [a, b]
                .map(|end| complex.tet(t).map(|n| if n == end { projected } else { complex.positions[n as usize] }));
            halves.into_iter().all(|h: [Vec3; 4]| quality(h) >= LEAST_QUALITY)
        });
        if good {
            place = projected;
        }
    }
    let new = complex.add_node(place, domain.size(place), on_boundary);
    for &t in around {
        let tet = complex.tet(t);
        complex.remove(t);
        for end in [a, b] {
            complex.add(tet.map(|n| if n == end { new } else { n }));
        }
    }
}
