//! Improves elements by reconnecting the same nodes.

use super::complex::{Complex, area_vector, quality};
use super::domain::Domain;
use crate::geometry::tet_mesh::{TET_EDGES, TET_FACES};

/// Rings with more nodes than this are left alone: their triangulations rarely help.
const LONGEST_RING: usize = 8;

/// Tries to reconnect around every element with a quality below `below`; returns how many changes were made.
///
/// `envelope` is how far a flipped boundary edge may stray from the surface, in units of the wanted edge length;
/// `None` keeps the boundary as it is.
pub(super) fn swap_pass(complex: &mut Complex, domain: &Domain<'_>, below: f64, envelope: Option<f64>) -> usize {
    let mut queue: Vec<(u64, u32)> = (0..complex.slots())
        .filter(|&t| complex.is_live(t))
        .map(|t| (complex.tet_quality(t).max(0.0), t))
        .filter(|(q, _)| *q < below)
        .map(|(q, t)| (q.to_bits(), t))
        .collect();
    queue.sort_unstable();
    let mut changes = 0;
    for (_, t) in queue {
        if complex.is_live(t) && (improve_by_edges(complex, domain, t, envelope) || improve_by_faces(complex, t)) {
            changes += 1;
        }
    }
    changes
}

fn improve_by_edges(complex: &mut Complex, domain: &Domain<'_>, t: u32, envelope: Option<f64>) -> bool {
    let tet = complex.tet(t);
    TET_EDGES.iter().any(|&[i, j]| remove_edge(complex, domain, tet[i], tet[j], envelope))
}

/// Nodes around an edge in order, `true` if they form a closed ring (inner edge); `None` if not a single fan.
fn ring_of(complex: &Complex, a: u32, b: u32, around: &[u32]) -> Option<(Vec<u32>, bool)> {
    // Each element [a, b, x, y] of positive volume is a step from x to y.
    let mut steps: Vec<(u32, u32)> = Vec::with_capacity(around.len());
    for &t in around {
        let tet = complex.tet(t);
        let mut rest = tet.iter().copied().filter(|&n| n != a && n != b);
        let (x, y) = (rest.next()?, rest.next()?);
        let at = |n: u32| complex.positions[n as usize];
        let volume = (at(b) - at(a)).cross(at(x) - at(a)).dot(at(y) - at(a));
        steps.push(if volume > 0.0 { (x, y) } else { (y, x) });
    }
    let start = steps.iter().map(|s| s.0).find(|x| steps.iter().all(|s| s.1 != *x));
    let closed = start.is_none();
    let mut ring = vec![start.unwrap_or(steps[0].0)];
    while let Some(&(_, next)) = steps.iter().find(|s| Some(&s.0) == ring.last()) {
        if next == ring[0] || ring.len() > steps.len() {
            break;
        }
        ring.push(next);
    }
    let expected = if closed { steps.len() } else { steps.len() + 1 };
    (ring.len() == expected).then_some((ring, closed))
}

/// Removes an edge by the best triangulation of the ring around it, if that improves the worst element
/// [Shewchuk 2002, "Two discrete optimization algorithms for the topological improvement of tetrahedral meshes"].
fn remove_edge(complex: &mut Complex, domain: &Domain<'_>, a: u32, b: u32, envelope: Option<f64>) -> bool {
    let around = complex.edge_star(a, b);
    if around.len() < 2 || around.len() > LONGEST_RING {
        return false;
    }
    let before = around.iter().map(|&t| complex.tet_quality(t)).fold(f64::INFINITY, f64::min);
    let Some((ring, closed)) = ring_of(complex, a, b, &around) else { return false };
    let m = ring.len();
    if m < 3 {
        return false;
    }
    if !closed {
        let Some(envelope) = envelope else { return false };
        if !boundary_flip_fits(complex, domain, a, b, ring[0], ring[m - 1], envelope) {
            return false;
        }
    }
    // best[i][j]: least quality of the best triangulation of the polygon ring[i..=j]; choice: its apex.
    let mut best = vec![f64::INFINITY; m * m];
    let mut choice = vec![0usize; m * m];
    for span in 2..m {
        for i in 0..m - span {
            let j = i + span;
            let mut found = f64::NEG_INFINITY;
            for k in i + 1..j {
                let upper = quality(complex.corners([ring[i], ring[k], ring[j], b]));
                let lower = quality(complex.corners([ring[i], ring[j], ring[k], a]));
                let q = upper.min(lower).min(best[i * m + k]).min(best[k * m + j]);
                if q > found {
                    found = q;
                    choice[i * m + j] = k;
                }
            }
            best[i * m + j] = found;
        }
    }
    if best[m - 1] <= before + 1e-6 {
        return false;
    }
    for t in around {
        complex.remove(t);
    }
    let mut spans = vec![(0, m - 1)];
    while let Some((i, j)) = spans.pop() {
        if j < i + 2 {
            continue;
        }
        let k = choice[i * m + j];
        complex.add([ring[i], ring[k], ring[j], b]);
        complex.add([ring[i], ring[j], ring[k], a]);
        spans.push((i, k));
        spans.push((k, j));
    }
    true
}

/// Replacing the boundary edge ab by cd must not fold the boundary, stray from the surface or repeat an edge.
fn boundary_flip_fits(
    complex: &Complex,
    domain: &Domain<'_>,
    a: u32,
    b: u32,
    first: u32,
    last: u32,
    envelope: f64,
) -> bool {
    if complex.star(first).iter().any(|&t| complex.tet(t).contains(&last)) {
        return false;
    }
    let at = |n: u32| complex.positions[n as usize];
    // Seen from outside the old faces are [a, first, b] and [a, b, last] in one orientation or the other.
    let old = area_vector([at(a), at(first), at(b)]) + area_vector([at(a), at(b), at(last)]);
    let new = [[at(a), at(first), at(last)], [at(b), at(last), at(first)]];
    let [n0, n1] = new.map(area_vector);
    let (n0, n1) = if (n0 + n1).dot(old) < 0.0 { (-n0, -n1) } else { (n0, n1) };
    let folded = |n: crate::math::Vec3| n.dot(old) < 0.3 * n.length() * old.length();
    let size = envelope * complex.sizes[a as usize];
    !folded(n0) && !folded(n1) && new.iter().all(|&f| domain.face_is_near(f, size))
}

/// Replaces two elements that share a face by three around a new edge, if that improves the worst of them.
fn improve_by_faces(complex: &mut Complex, t: u32) -> bool {
    let tet = complex.tet(t);
    for (i, f) in TET_FACES.iter().enumerate() {
        let face = f.map(|k| tet[k]);
        let apex = tet[i];
        let other = complex
            .star(face[0])
            .iter()
            .copied()
            .find(|&s| s != t && complex.tet(s).contains(&face[1]) && complex.tet(s).contains(&face[2]));
        let Some(s) = other else { continue };
        let Some(far) = complex.tet(s).into_iter().find(|n| !face.contains(n)) else { continue };
        let before = complex.tet_quality(t).min(complex.tet_quality(s));
        // The face is counter-clockwise seen from outside t, that is from `far`.
        let new = [0, 1, 2].map(|k| [apex, face[k], face[(k + 1) % 3], far]);
        let after = new.iter().map(|&n| quality(complex.corners(n))).fold(f64::INFINITY, f64::min);
        if after > before + 1e-6 && complex.edge_star(apex, far).is_empty() {
            complex.remove(t);
            complex.remove(s);
            for n in new {
                complex.add(n);
            }
            return true;
        }
    }
    false
}
