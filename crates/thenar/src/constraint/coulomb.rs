//! Signorini's law and Coulomb's cone at a point: `0 ≤ u_n ⟂ λ_n ≥ 0`, friction inside the cone without slip, or on it
//! against the slip.

use super::law::{Law, Local, MOST_ROWS};
use super::{PatchPoint, Tangent};
use crate::math::Vec3;

/// Trials of a normal force in one visit of a block.
const ROOT_STEPS: u32 = 6;

/// Share of the block's own compliance below which a secant is not trusted.
const STEEPEST: f64 = 0.1;

/// Steps towards the slip of a point in one trial; they converge quadratically.
const CONE_STEPS: u32 = 8;

/// Friction this close to its limit slides: round-off of the local solve.
pub const ON_THE_CONE: f64 = 1.0 - 1e-9;

/// Three rows: a gap and two tangents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coulomb {
    /// Coefficient of friction.
    pub friction: f64,
}

impl Law for Coulomb {
    fn rows(&self) -> usize {
        3
    }

    fn solve(&self, local: &Local<'_>, lambda: &mut [f64; MOST_ROWS], _: &mut [f64; MOST_ROWS]) {
        let respond = |normal: f64, target: Vec3| cone(target, &local.own, self.friction * normal);
        let (normal, friction) = press(local, lambda[0], respond);
        *lambda = [normal, friction.x, friction.y, friction.z];
    }

    /// On the cone it slides on in the same direction.
    fn tangent(&self, lambda: &[f64], _: &[f64], _: &[PatchPoint]) -> Tangent {
        if lambda[0] <= 0.0 {
            return Tangent::open();
        }
        let pull = (lambda[1] * lambda[1] + lambda[2] * lambda[2]).sqrt();
        if pull < ON_THE_CONE * self.friction * lambda[0] { Tangent::stick() } else { Tangent::slide(&lambda[..3]) }
    }

    /// The same, and the direction turns with the slip: `λ_t = −μ λ_n u_t / |u_t|`.
    fn derivative(&self, lambda: &[f64], reached: &[f64], points: &[PatchPoint]) -> Tangent {
        let mut tangent = self.tangent(lambda, reached, points);
        let slip = (reached[1] * reached[1] + reached[2] * reached[2]).sqrt();
        if tangent.by_force[1][1] != 0.0 && lambda[0] > 0.0 && slip > 0.0 {
            let (along, stiffness) = ([reached[1] / slip, reached[2] / slip], self.friction * lambda[0] / slip);
            for i in 0..2 {
                for j in 0..2 {
                    let unit = f64::from(u8::from(i == j));
                    tangent.by_motion[i + 1][j + 1] = stiffness * (unit - along[i] * along[j]);
                }
            }
        }
        tangent
    }

    fn admit(&self, lambda: &mut [f64]) {
        if lambda[0] <= 0.0 {
            lambda.fill(0.0);
        }
    }
}

/// Normal force and friction that meet both laws together. Where tissue couples the two, meeting them in turn may go
/// round in circles, so the normal force is sought as the root of the gap that it and its friction leave.
///
/// `respond(normal, target)` is the friction under a normal force, where `target` is the slip without friction.
pub(super) fn press(local: &Local<'_>, start: f64, mut respond: impl FnMut(f64, Vec3) -> Vec3) -> (f64, Vec3) {
    let w = &local.own;
    let (mut below, mut above) = (0.0, f64::INFINITY);
    let (mut normal, mut last) = (start.max(0.0), None::<(f64, f64)>);
    let mut friction = Vec3::ZERO;
    for _ in 0..ROOT_STEPS {
        let along = |k: usize| local.free[k] + w[k][0] * normal;
        friction = respond(normal, Vec3::new(along(1), along(2), along(3)));
        let gap = along(0) + w[0][1] * friction.x + w[0][2] * friction.y + w[0][3] * friction.z;
        if gap.abs() < local.tolerance || (normal == 0.0 && gap > 0.0) {
            break;
        }
        if gap > 0.0 {
            above = normal;
        } else {
            below = normal;
        }
        let slope = match last {
            Some((other, its_gap)) if other != normal => (gap - its_gap) / (normal - other),
            _ => w[0][0],
        };
        last = Some((normal, gap));
        let secant = normal - gap / slope.max(STEEPEST * w[0][0]);
        let inside = (below..=above).contains(&secant) || (below == 0.0 && secant <= 0.0);
        normal = if inside { secant.max(0.0) } else { 0.5 * (below + above) };
    }
    (normal, friction)
}

/// The tangential force of one point on the disc of radius `limit` that leaves it where it was, or slips as far as it
/// must.
///
/// Slipping, `u = û + W λ` with `λ = −limit u / |u|`. Along the axes of `W`, where it yields by `w₁` and `w₂`, that is
/// `u_i = û_i r / (r + limit w_i)` with the length `r = |u|`, the root of `Σ (û_i / (r + limit w_i))² = 1`.
fn cone(target: Vec3, own: &[[f64; 4]; 4], limit: f64) -> Vec3 {
    if limit <= 0.0 {
        return Vec3::ZERO;
    }
    let (a, b, c) = (own[1][1], own[1][2], own[2][2]);
    let determinant = a * c - b * b;
    let held = [-(c * target.x - b * target.y) / determinant, -(a * target.y - b * target.x) / determinant];
    if held[0] * held[0] + held[1] * held[1] <= limit * limit {
        return Vec3::new(held[0], held[1], 0.0);
    }
    let (mean, half) = (0.5 * (a + c), 0.5 * (a - c));
    let radius = (half * half + b * b).sqrt();
    // the first axis of W, well defined from the longer of its two forms
    let axis = if half > 0.0 { [half + radius, b] } else { [b, radius - half] };
    let length = (axis[0] * axis[0] + axis[1] * axis[1]).sqrt();
    let [x, y] = if length > 0.0 { [axis[0] / length, axis[1] / length] } else { [1.0, 0.0] };
    let free = [x * target.x + y * target.y, x * target.y - y * target.x];
    let yields = [limit * (mean + radius), limit * (mean - radius)];
    // 1 / |û / (r + limit w)| grows almost in proportion to r: few steps of Newton's method, from below
    let mut r = 0.0;
    for _ in 0..CONE_STEPS {
        let ratio = [free[0] / (r + yields[0]), free[1] / (r + yields[1])];
        let square = ratio[0] * ratio[0] + ratio[1] * ratio[1];
        let falls = ratio[0] * ratio[0] / (r + yields[0]) + ratio[1] * ratio[1] / (r + yields[1]);
        let step = (square.sqrt() - 1.0) * square / falls;
        r += step;
        if step.abs() < 1e-9 * r {
            break;
        }
    }
    let [u, v] = [-free[0] * limit / (r + yields[0]), -free[1] * limit / (r + yields[1])];
    Vec3::new(x * u - y * v, y * u + x * v, 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_slips_against_its_friction_however_it_yields() {
        let mut own = [[0.0; 4]; 4];
        for k in 0..50 {
            let turn = f64::from(k) * 0.37;
            let (w1, w2) = (1e-4 * (1.0 + f64::from(k % 7)), 1e-4);
            let (c, s) = (libm::cos(turn), libm::sin(turn));
            (own[1][1], own[2][2]) = (w1 * c * c + w2 * s * s, w1 * s * s + w2 * c * c);
            own[1][2] = (w1 - w2) * c * s;
            own[2][1] = own[1][2];
            let target = Vec3::new(libm::cos(1.9 * turn), libm::sin(1.9 * turn), 0.0) * 3e-3 * f64::from(k + 1);
            let force = cone(target, &own, 2.0);
            let u = [
                target.x + own[1][1] * force.x + own[1][2] * force.y,
                target.y + own[2][1] * force.x + own[2][2] * force.y,
            ];
            let length = libm::hypot(u[0], u[1]);
            let error = libm::hypot(force.x + 2.0 * u[0] / length, force.y + 2.0 * u[1] / length);
            assert!(error < 1e-6, "{force} while slipping by {u:?}");
        }
    }
}
