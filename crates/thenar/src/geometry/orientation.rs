//! On which side of a triangle does a point lie? Answered exactly, so that flat parts of a surface, where all answers
//! are as small as rounding, are not mistaken for crossings.
//!
//! Rounded arithmetic decides where its error bound allows; otherwise the determinant is summed without rounding, as an
//! expansion: floats that do not overlap, least first [Shewchuk 1997, "Adaptive precision floating-point arithmetic and
//! fast robust geometric predicates"]. Exact as long as products of three coordinates neither overflow nor underflow.

use crate::math::Vec3;

/// Bound on the relative error of the rounded determinant: `(7 + 56ε) ε` with `ε = 2⁻⁵³` [Shewchuk 1997, §4.3].
const ROUNDING: f64 = 7.771_561_172_376_103e-16;

/// Sign of the volume of a tetrahedron, `(b − a) × (c − a) · (d − a)`: 1, 0 or −1.
pub(super) fn orientation(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> i8 {
    let (u, v, w) = (b - a, c - a, d - a);
    let det = u.cross(v).dot(w);
    let size = |s: Vec3, t: Vec3| {
        let (s, t) = (s.abs(), t.abs());
        Vec3::new(s.y * t.z + s.z * t.y, s.z * t.x + s.x * t.z, s.x * t.y + s.y * t.x)
    };
    if det.abs() > ROUNDING * size(u, v).dot(w.abs()) { sign(det) } else { exact_orientation(a, b, c, d) }
}

/// True if the open segment crosses the inside of the triangle; touching does not count.
pub(super) fn segment_pierces_triangle(p: Vec3, q: Vec3, [a, b, c]: [Vec3; 3]) -> bool {
    if orientation(a, b, c, p) * orientation(a, b, c, q) >= 0 {
        return false;
    }
    let turn = orientation(p, q, a, b);
    turn != 0 && turn == orientation(p, q, b, c) && turn == orientation(p, q, c, a)
}

fn sign(x: f64) -> i8 {
    i8::from(x > 0.0) - i8::from(x < 0.0)
}

fn exact_orientation(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> i8 {
    let [u, v, w] = [b, c, d].map(|p| [0, 1, 2].map(|axis| exact_sum(p[axis], -a[axis])));
    let mut det = Vec::new();
    for (x, y, z) in [(0, 1, 2), (1, 2, 0), (2, 0, 1)] {
        for (y, z, turn) in [(y, z, 1.0), (z, y, -1.0)] {
            let minor = product(&product(&u[y], &v[z]), &w[x]);
            minor.into_iter().for_each(|part| grow(&mut det, turn * part));
        }
    }
    // the last part outweighs all others together
    sign(det.last().copied().unwrap_or(0.0))
}

/// What rounding takes from a sum, and the rounded sum.
fn exact_sum(a: f64, b: f64) -> [f64; 2] {
    let sum = a + b;
    let b_kept = sum - a;
    [(a - (sum - b_kept)) + (b - b_kept), sum]
}

/// What rounding takes from a product, and the rounded product [Dekker 1971].
fn exact_product(a: f64, b: f64) -> [f64; 2] {
    let halves = |x: f64| {
        let scaled = 134_217_729.0 * x; // 2²⁷ + 1
        let high = scaled - (scaled - x);
        (high, x - high)
    };
    let rounded = a * b;
    let ((ah, al), (bh, bl)) = (halves(a), halves(b));
    [al * bl - (((rounded - ah * bh) - al * bh) - ah * bl), rounded]
}

/// Adds a number to an expansion.
fn grow(expansion: &mut Vec<f64>, number: f64) {
    let mut carried = number;
    let mut kept = 0;
    for i in 0..expansion.len() {
        let [rest, sum] = exact_sum(carried, expansion[i]);
        carried = sum;
        if rest != 0.0 {
            expansion[kept] = rest;
            kept += 1;
        }
    }
    expansion.truncate(kept);
    if carried != 0.0 {
        expansion.push(carried);
    }
}

fn product(a: &[f64], b: &[f64]) -> Vec<f64> {
    let mut sum = Vec::new();
    for (x, y) in a.iter().flat_map(|x| b.iter().map(move |y| (x, y))) {
        exact_product(*x, *y).into_iter().for_each(|part| grow(&mut sum, part));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whole numbers, for which `i128` knows the answer.
    fn by_integers(points: [[i64; 3]; 4]) -> i8 {
        let [a, b, c, d] = points.map(|p| p.map(i128::from));
        let [u, v, w] = [b, c, d].map(|p| [p[0] - a[0], p[1] - a[1], p[2] - a[2]]);
        let det = (u[1] * v[2] - u[2] * v[1]) * w[0]
            + (u[2] * v[0] - u[0] * v[2]) * w[1]
            + (u[0] * v[1] - u[1] * v[0]) * w[2];
        det.signum() as i8
    }

    #[test]
    fn nearly_flat_tetrahedra_have_the_sign_that_whole_numbers_give() {
        let mut state = 1_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 20) % below) as i64
        };
        let mut flat = 0;
        for _ in 0..20_000 {
            // four points of a plane through large numbers, off it by a unit or not at all
            let (origin, s, t) =
                ([0; 3].map(|_| random(1 << 39)), [0; 3].map(|_| random(1 << 18)), [0; 3].map(|_| random(1 << 18)));
            let points = [0; 4].map(|_| {
                let (x, y) = (random(1 << 12), random(1 << 12));
                [0, 1, 2].map(|axis| origin[axis] + x * s[axis] + y * t[axis] + i64::from(random(5) == 0))
            });
            let expected = by_integers(points);
            flat += usize::from(expected == 0);
            // 2⁻⁴⁵: metres, as a mesh has them
            let [a, b, c, d] = points.map(|p| Vec3::from(p.map(|x| x as f64)) / (1_u64 << 45) as f64);
            assert_eq!(orientation(a, b, c, d), expected, "{points:?}");
            assert_eq!(orientation(b, a, c, d), -expected, "{points:?}");
        }
        assert!((1_000..19_000).contains(&flat), "{flat} of them are flat");
    }

    #[test]
    fn a_segment_pierces_the_inside_of_a_triangle_only() {
        let triangle = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let at = |x: f64, y: f64| segment_pierces_triangle(Vec3::new(x, y, -0.3), Vec3::new(x, y, 0.7), triangle);
        assert!(at(0.2, 0.3));
        assert!(!at(0.6, 0.6) && !at(-0.1, 0.5));
        assert!(!at(0.5, 0.5) && !at(0.0, 0.0), "touching");
        assert!(!segment_pierces_triangle(Vec3::new(0.2, 0.2, 0.0), Vec3::new(0.2, 0.2, 1.0), triangle));
    }
}
