//! Improves elements by moving nodes.

use super::complex::{Complex, area_vector};
use super::domain::Domain;
use crate::math::Vec3;

/// Where boundary nodes may go while a mesh is smoothed.
pub(super) trait BoundaryRule {
    /// The admissible place for boundary node `n` nearest to `wish`.
    fn place(&self, complex: &Complex, n: u32, wish: Vec3) -> Vec3;
    /// A last check of a place that would improve the elements.
    fn allows(&self, complex: &Complex, n: u32, p: Vec3) -> bool;
    /// Called after a boundary or inner node has moved.
    fn moved(&mut self, complex: &Complex, n: u32);
}

/// Boundary nodes slide on the surface.
pub(super) struct OnSurface<'a> {
    pub domain: &'a Domain<'a>,
    pub envelope: f64,
}

impl BoundaryRule for OnSurface<'_> {
    fn place(&self, _: &Complex, _: u32, wish: Vec3) -> Vec3 {
        self.domain.project(wish)
    }

    fn allows(&self, complex: &Complex, n: u32, p: Vec3) -> bool {
        let reach = self.envelope * complex.sizes[n as usize];
        complex.boundary_faces_at(n).iter().all(|(face, _)| {
            let old = face.map(|m| complex.positions[m as usize]);
            let new = face.map(|m| if m == n { p } else { complex.positions[m as usize] });
            let (n0, n1) = (area_vector(old), area_vector(new));
            n0.dot(n1) > 0.5 * n0.length() * n1.length() && self.domain.face_is_near(new, reach)
        })
    }

    fn moved(&mut self, _: &Complex, _: u32) {}
}

const DIRECTIONS: [Vec3; 7] = [
    Vec3::X,
    Vec3::NEG_X,
    Vec3::Y,
    Vec3::NEG_Y,
    Vec3::Z,
    Vec3::NEG_Z,
    // The seventh is replaced by the way to the middle of the star.
    Vec3::ZERO,
];

/// Moves every node whose worst element is below `below` to where that element is better; returns the moves made.
///
/// A compass search: six axis directions and the middle of the star, step halved when none helps.
pub(super) fn smooth_pass(complex: &mut Complex, rule: &mut dyn BoundaryRule, below: f64) -> usize {
    let mut moves = 0;
    for n in 0..complex.nodes() {
        if complex.star(n).is_empty() {
            continue;
        }
        let mut best = complex.star_quality(n);
        if best >= below {
            continue;
        }
        let boundary = complex.on_boundary[n as usize];
        let neighbours = complex.neighbours(n);
        let count = neighbours.len() as f64;
        let here = complex.positions[n as usize];
        let reach = neighbours.iter().map(|&m| complex.positions[m as usize].distance(here)).sum::<f64>() / count;
        let mut step = 0.2 * reach;
        let mut moved = false;
        while step > 0.004 * reach {
            let at = complex.positions[n as usize];
            let middle = neighbours.iter().map(|&m| complex.positions[m as usize]).sum::<Vec3>() / count;
            let improved = DIRECTIONS.iter().find_map(|&d| {
                let wish = if d == Vec3::ZERO { at.lerp(middle, (step / reach).min(1.0)) } else { at + d * step };
                let p = if boundary { rule.place(complex, n, wish) } else { wish };
                let q = complex.star_quality_at(n, p, best);
                (q > best + 1e-6 && (!boundary || rule.allows(complex, n, p))).then_some((p, q))
            });
            if let Some((p, q)) = improved {
                complex.positions[n as usize] = p;
                best = q;
                moved = true;
                if best >= below {
                    break;
                }
            } else {
                step *= 0.5;
            }
        }
        if moved {
            moves += 1;
            rule.moved(complex, n);
        }
    }
    moves
}
