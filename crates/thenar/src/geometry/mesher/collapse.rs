//! Makes a mesh coarser by merging the ends of edges that are short for their place.

use super::complex::{Complex, area_vector, quality};
use super::domain::Domain;
use crate::geometry::tet_mesh::TET_FACES;
use crate::math::Vec3;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What a collapse must not spoil.
#[derive(Clone, Copy, Debug)]
pub(super) struct CollapseGuard {
    /// Least quality of an element that a collapse may leave (or the least it found, if that was lower).
    pub quality: f64,
    /// How far a new boundary face may stray from the surface, in units of the wanted edge length.
    pub envelope: f64,
    /// Longest edge a collapse may make, in units of the wanted edge length.
    pub longest: f64,
    /// Only edges shorter than this are tried, in units of the wanted edge length.
    pub shorter_than: f64,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    /// Bits of the (positive) relative length: they sort like the number.
    length: u64,
    a: u32,
    b: u32,
    stamps: [u32; 2],
}

/// Merges edges, relatively shortest first, until `target` elements are left or nothing more can go.
pub(super) fn collapse_to(complex: &mut Complex, domain: &Domain<'_>, target: usize, guard: CollapseGuard) -> usize {
    let mut stamps = vec![0u32; complex.positions.len()];
    let mut heap = BinaryHeap::new();
    let candidate = |complex: &Complex, stamps: &[u32], a: u32, b: u32| {
        let length = complex.relative_length(a, b);
        let stamps = [stamps[a as usize], stamps[b as usize]];
        (length < guard.shorter_than).then(|| Reverse(Candidate { length: length.to_bits(), a, b, stamps }))
    };
    for (a, b) in complex.edges() {
        heap.extend(candidate(complex, &stamps, a, b));
    }
    let mut merged = 0;
    while complex.len() > target {
        let Some(Reverse(edge)) = heap.pop() else { break };
        let (a, b) = (edge.a, edge.b);
        if edge.stamps != [stamps[a as usize], stamps[b as usize]] {
            continue;
        }
        let Some((kept, gone, position)) = best_merge(complex, domain, a, b, guard) else { continue };
        merge(complex, domain, kept, gone, position);
        merged += 1;
        stamps[kept as usize] += 1;
        stamps[gone as usize] += 1;
        for n in complex.neighbours(kept) {
            heap.extend(candidate(complex, &stamps, kept.min(n), kept.max(n)));
        }
    }
    merged
}

/// The admissible way to merge an edge that leaves the best elements: (kept node, vanishing node, new place).
fn best_merge(
    complex: &Complex,
    domain: &Domain<'_>,
    a: u32,
    b: u32,
    guard: CollapseGuard,
) -> Option<(u32, u32, Vec3)> {
    if complex.star(a).is_empty() || complex.star(b).is_empty() || !keeps_topology(complex, a, b) {
        return None;
    }
    let (pa, pb) = (complex.positions[a as usize], complex.positions[b as usize]);
    let options: Vec<(u32, u32, Vec3)> = match (complex.on_boundary[a as usize], complex.on_boundary[b as usize]) {
        (true, false) => vec![(a, b, pa)],
        (false, true) => vec![(b, a, pb)],
        (false, false) => vec![(a, b, 0.5 * (pa + pb)), (a, b, pa), (b, a, pb)],
        (true, true) => vec![(a, b, domain.project(0.5 * (pa + pb))), (a, b, pa), (b, a, pb)],
    };
    let before = complex.star_quality(a).min(complex.star_quality(b));
    let floor = guard.quality.min(before);
    let mut best = None;
    let mut best_quality = floor;
    for (kept, gone, place) in options {
        let q = merged_quality(complex, kept, gone, place, best_quality);
        if q > best_quality || (best.is_none() && q >= floor) {
            let fits = lengths_fit(complex, kept, gone, place, guard.longest)
                && (!(complex.on_boundary[a as usize] && complex.on_boundary[b as usize])
                    || boundary_fits(complex, domain, kept, gone, place, guard.envelope));
            if fits {
                best_quality = q;
                best = Some((kept, gone, place));
            }
        }
    }
    best
}

fn merged_quality(complex: &Complex, kept: u32, gone: u32, place: Vec3, floor: f64) -> f64 {
    let mut worst = f64::INFINITY;
    for (centre, other) in [(kept, gone), (gone, kept)] {
        for &t in complex.star(centre) {
            let tet = complex.tet(t);
            if tet.contains(&other) {
                continue;
            }
            worst = worst.min(quality(tet.map(|n| if n == centre { place } else { complex.positions[n as usize] })));
            if worst < floor {
                return worst;
            }
        }
    }
    worst
}

fn lengths_fit(complex: &Complex, kept: u32, gone: u32, place: Vec3, longest: f64) -> bool {
    [kept, gone].iter().all(|&centre| {
        complex.neighbours(centre).iter().all(|&n| {
            let size = 0.5 * (complex.sizes[kept as usize] + complex.sizes[n as usize]);
            let old = complex.positions[centre as usize].distance(complex.positions[n as usize]);
            n == kept || n == gone || place.distance(complex.positions[n as usize]) <= (longest * size).max(old)
        })
    })
}

/// New boundary faces stay near the surface and do not fold over.
fn boundary_fits(complex: &Complex, domain: &Domain<'_>, kept: u32, gone: u32, place: Vec3, envelope: f64) -> bool {
    for (centre, other) in [(kept, gone), (gone, kept)] {
        for (face, _) in complex.boundary_faces_at(centre) {
            if face.contains(&other) {
                continue;
            }
            let old = face.map(|n| complex.positions[n as usize]);
            let new = face.map(|n| if n == centre { place } else { complex.positions[n as usize] });
            let (n0, n1) = (area_vector(old), area_vector(new));
            if n0.dot(n1) < 0.3 * n0.length() * n1.length() {
                return false;
            }
            let size = envelope * complex.sizes[centre as usize];
            if !domain.face_is_near(new, size) {
                return false;
            }
        }
    }
    true
}

/// Merging an edge keeps the topology of mesh and boundary if the links of its ends meet in the link of the edge only
/// [Dey et al. 1999, "Topology preserving edge contraction"]. The boundary counts as joined to one node at infinity.
fn keeps_topology(complex: &Complex, a: u32, b: u32) -> bool {
    let around = complex.edge_star(a, b);
    if around.is_empty() {
        return false;
    }
    // Nodes: each common neighbour must form a triangle with the edge.
    let mut ring: Vec<u32> = around.iter().flat_map(|&t| complex.tet(t)).filter(|&n| n != a && n != b).collect();
    ring.sort_unstable();
    ring.dedup();
    let near_b = complex.neighbours(b);
    let common = complex.neighbours(a).into_iter().filter(|n| near_b.binary_search(n).is_ok()).count();
    if common != ring.len() {
        return false;
    }
    // Edges and triangles of both links, made of ring nodes only.
    let link = |centre: u32, other: u32| {
        let mut edges = Vec::new();
        let mut triangles = Vec::new();
        for &t in complex.star(centre) {
            let tet = complex.tet(t);
            if tet.contains(&other) {
                continue;
            }
            let inside: Vec<u32> =
                tet.iter().copied().filter(|&n| n != centre && ring.binary_search(&n).is_ok()).collect();
            for i in 0..inside.len() {
                for j in i + 1..inside.len() {
                    edges.push((inside[i].min(inside[j]), inside[i].max(inside[j])));
                }
            }
            if inside.len() == 3 {
                let mut triangle = [inside[0], inside[1], inside[2]];
                triangle.sort_unstable();
                triangles.push(triangle);
            }
        }
        edges.sort_unstable();
        edges.dedup();
        triangles.sort_unstable();
        (edges, triangles)
    };
    let mut edge_link: Vec<(u32, u32)> = around
        .iter()
        .map(|&t| {
            let mut rest = complex.tet(t).into_iter().filter(|&n| n != a && n != b);
            let (x, y) = (rest.next().unwrap_or(0), rest.next().unwrap_or(0));
            (x.min(y), x.max(y))
        })
        .collect();
    edge_link.sort_unstable();
    let (edges_a, triangles_a) = link(a, b);
    let (edges_b, triangles_b) = link(b, a);
    if edges_a.iter().any(|e| edges_b.binary_search(e).is_ok() && edge_link.binary_search(e).is_err()) {
        return false;
    }
    if triangles_a.iter().any(|t| triangles_b.binary_search(t).is_ok()) {
        return false;
    }
    if !(complex.on_boundary[a as usize] && complex.on_boundary[b as usize]) {
        return true;
    }
    // The same with the node at infinity, which is joined to every boundary face.
    let faces_a = complex.boundary_faces_at(a);
    let faces_b = complex.boundary_faces_at(b);
    let mut rim: Vec<u32> =
        faces_a.iter().filter(|(f, _)| f.contains(&b)).flat_map(|(f, _)| *f).filter(|&n| n != a && n != b).collect();
    rim.sort_unstable();
    if rim.len() != 2 {
        return false;
    }
    let others = |faces: &[([u32; 3], u32)], centre: u32| {
        let mut nodes: Vec<u32> = faces.iter().flat_map(|(f, _)| *f).filter(|&n| n != centre).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    };
    let (near_a, near_b) = (others(&faces_a, a), others(&faces_b, b));
    if near_a.iter().any(|n| *n != b && near_b.binary_search(n).is_ok() && rim.binary_search(n).is_err()) {
        return false;
    }
    let opposite = |faces: &[([u32; 3], u32)], centre: u32, other: u32| {
        faces
            .iter()
            .filter(|(f, _)| !f.contains(&other))
            .map(|(f, _)| {
                let mut rest = f.iter().copied().filter(|&n| n != centre);
                let (x, y) = (rest.next().unwrap_or(0), rest.next().unwrap_or(0));
                (x.min(y), x.max(y))
            })
            .collect::<Vec<_>>()
    };
    let edges_b = opposite(&faces_b, b, a);
    !opposite(&faces_a, a, b).iter().any(|e| edges_b.contains(e))
}

fn merge(complex: &mut Complex, domain: &Domain<'_>, kept: u32, gone: u32, place: Vec3) {
    let old: Vec<u32> = complex.star(gone).to_vec();
    for t in old {
        let tet = complex.tet(t);
        complex.remove(t);
        if !tet.contains(&kept) {
            complex.add(tet.map(|n| if n == gone { kept } else { n }));
        }
    }
    complex.positions[kept as usize] = place;
    complex.sizes[kept as usize] = domain.size(place);
    complex.on_boundary[kept as usize] |= complex.on_boundary[gone as usize];
    debug_assert!(complex.star(kept).iter().all(|&t| TET_FACES.len() == 4 && complex.is_live(t)));
}
