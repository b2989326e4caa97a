//! Friction of a whole patch: the Coulomb–Contensou set [Talvas §3.4.2 as corrected in PHYSICS §3].
//!
//! With the slip `u = (t, s, ω)` of a patch within a step, every contact `i` slides by `s_i = (t, s) + ω n × r_i`, and
//! friction dissipates `Φ(u) = Σ μ N_i ‖s_i‖`. The admissible forces and torques are the set of derivatives of `Φ`:
//! `λ = −∇Φ(u)` where the patch slips, and any point of the convex body `−∂Φ(0)` where it sticks. Together with
//! `u = û + W λ` this is the minimum of `½ (u − û)ᵀ W⁻¹ (u − û) + Φ(u)`.

use crate::math::{Mat3, Vec3};

/// Norms are rounded off over at least this distance, metres: far below any slip that matters, so a sticking patch
/// yields nanometres instead of nothing and every derivative exists.
const ROUNDING: f64 = 1e-8;

/// A slipping patch's norms are rounded off over this share of its slip.
const FINENESS: f64 = 0.03;

/// A patch whose contacts moved less than this in a step against their anchors sticks, metres.
pub const STICKING: f64 = 20.0 * ROUNDING;

/// Newton steps at most; the sweeps around it come back to the same patch anyway.
const NEWTON_STEPS: u32 = 4;

/// Contact of a patch: where it lies in the tangent plane from the patch's centre, metres, and its share of the
/// normal force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatchPoint {
    /// Along the first tangent.
    pub x: f64,
    /// Along the second.
    pub y: f64,
    /// `N_i / Σ N`.
    pub share: f64,
}

/// The pressure distribution of a patch, as friction needs it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatchFriction {
    start: u32,
    end: u32,
    /// Centre of pressure, metres from the patch's centre.
    centre: [f64; 2],
    /// `Σ share r²` about the centre of pressure, m².
    spread: f64,
    /// `Σ share r` about the centre of pressure, metres: the spin torque over the friction force.
    arm: f64,
    /// Distance of the farthest contact from the centre of pressure, metres.
    reach: f64,
    /// Turns a spin into a length, metres: every unknown of the solve is then one.
    radius: f64,
}

impl PatchFriction {
    /// Takes the contacts `points[start..]`, whose shares add up to one.
    #[must_use]
    pub fn new(points: &[PatchPoint], start: usize) -> Self {
        let own = &points[start..];
        let centre = own.iter().fold([0.0; 2], |c, p| [c[0] + p.share * p.x, c[1] + p.share * p.y]);
        let away = |p: &PatchPoint| (p.x - centre[0]).powi(2) + (p.y - centre[1]).powi(2);
        let spread: f64 = own.iter().map(|p| p.share * away(p)).sum();
        let arm = own.iter().map(|p| p.share * away(p).sqrt()).sum();
        let reach = own.iter().map(away).fold(0.0, f64::max).sqrt();
        let about_origin = spread + centre[0].powi(2) + centre[1].powi(2);
        let radius = about_origin.sqrt().max(1e-6);
        PatchFriction { start: start as u32, end: points.len() as u32, centre, spread, arm, reach, radius }
    }

    /// Forces along both tangents and torque about the normal, for friction that may carry `limit = μ Σ N` newtons.
    ///
    /// `target` is the slip `û` of the step without friction of this patch, `compliance` its `W`, and `start` a guess of
    /// the slip.
    #[must_use]
    pub fn force(&self, points: &[PatchPoint], limit: f64, target: Vec3, compliance: &Mat3, start: Vec3) -> Vec3 {
        if limit <= 0.0 {
            return Vec3::ZERO;
        }
        // In lengths: `radius ω` instead of `ω`, `torque / radius` instead of the torque.
        let scale = Vec3::new(1.0, 1.0, self.radius);
        let diagonal = Mat3::from_diagonal(scale);
        let stiffness = (diagonal * *compliance * diagonal).inverse();
        let target = target * scale;
        let held = stiffness * -target * scale;
        if self.surely_holds(held, limit) {
            return held;
        }
        let own = &points[self.start as usize..self.end as usize];
        let grip = self.grip(own, held, limit);
        if grip >= 1.0 {
            return held;
        }
        // a patch that did not slip yet starts from the force on the border of the set along the same direction
        let start = start * scale;
        let start = if start.length() > STICKING { start } else { target * (1.0 - grip) };
        let rounding = (FINENESS * start.length()).max(ROUNDING);
        let slip = self.descend(own, limit, target, &stiffness, start, rounding);
        -self.potential(own, limit, slip, rounding).gradient * scale
    }

    /// By which factor a force may grow until friction gives way: the support function `Φ` of the set in the direction
    /// in which an ellipsoid of the same axes would give way, which is exact to second order.
    fn grip(&self, points: &[PatchPoint], force: Vec3, limit: f64) -> f64 {
        let [cx, cy] = self.centre;
        let torque = force.z - (cx * force.y - cy * force.x);
        let arm = self.arm.max(1e-9);
        let spin = torque / (arm * arm);
        // about the patch's own centre: a slip of the centre of pressure with that spin
        let (vx, vy) = (force.x + spin * cy, force.y - spin * cx);
        let along = force.x * vx + force.y * vy + force.z * spin;
        let support: f64 = points
            .iter()
            .map(|p| {
                let (x, y) = (vx - spin * p.y, vy + spin * p.x);
                p.share * (x * x + y * y).sqrt()
            })
            .sum();
        if along > 0.0 { limit * support / along } else { f64::INFINITY }
    }

    /// A spin as the length by which a typical contact moves, metres.
    #[must_use]
    pub fn length(&self, spin: f64) -> f64 {
        self.radius * spin
    }

    /// True if a simple distribution of friction over the contacts carries the force: `f_i ∝ N_i (a + b × r_i)` about
    /// the centre of pressure. Enough for sticking, not necessary.
    fn surely_holds(&self, force: Vec3, limit: f64) -> bool {
        let torque = force.z - (self.centre[0] * force.y - self.centre[1] * force.x);
        let spin = if self.spread > 0.0 { torque.abs() * self.reach / self.spread } else { f64::INFINITY };
        (force.x * force.x + force.y * force.y).sqrt() + spin <= limit * (1.0 - 1e-6)
    }

    /// A few steps down `½ (u − û)ᵀ W⁻¹ (u − û) + Φ(u)`; the sweeps around come back for more.
    ///
    /// Newton steps where they go down, otherwise the step of the quadratic that bounds `Φ` from above, which always
    /// does.
    fn descend(
        &self,
        points: &[PatchPoint],
        limit: f64,
        target: Vec3,
        stiffness: &Mat3,
        start: Vec3,
        rounding: f64,
    ) -> Vec3 {
        let cost = |u: Vec3, potential: f64| 0.5 * (u - target).dot(*stiffness * (u - target)) + potential;
        let mut u = start;
        let mut here = self.potential(points, limit, u, rounding);
        for _ in 0..NEWTON_STEPS {
            let slope = *stiffness * (u - target) + here.gradient;
            let newton = u - (*stiffness + here.hessian).inverse() * slope;
            let mut next = self.potential(points, limit, newton, rounding);
            let mut to = newton;
            if cost(newton, next.value) > cost(u, here.value) {
                to = u - (*stiffness + here.majorant).inverse() * slope;
                next = self.potential(points, limit, to, rounding);
            }
            let moved = (to - u).length();
            (u, here) = (to, next);
            if moved < 0.01 * rounding {
                break;
            }
        }
        u
    }

    /// `Φ` of a slip in lengths, its derivatives, and the curvature of the quadratic that bounds it from above.
    fn potential(&self, points: &[PatchPoint], limit: f64, slip: Vec3, rounding: f64) -> Potential {
        let mut sum = Potential::default();
        let mut bounds = Symmetric::default();
        let mut curvature = Symmetric::default();
        let spin = slip.z / self.radius;
        for p in points {
            let s = [slip.x - spin * p.y, slip.y + spin * p.x];
            let length = (s[0] * s[0] + s[1] * s[1] + rounding * rounding).sqrt();
            let force = limit * p.share;
            let (secant, direction) = (force / length, [s[0] / length, s[1] / length]);
            let arm = [-p.y / self.radius, p.x / self.radius];
            let along = direction[0] * arm[0] + direction[1] * arm[1];
            sum.value += force * length;
            sum.gradient += Vec3::new(direction[0], direction[1], along) * force;
            bounds.add([1.0, 0.0, arm[0]], secant);
            bounds.add([0.0, 1.0, arm[1]], secant);
            curvature.add([direction[0], direction[1], along], -secant);
        }
        sum.majorant = bounds.matrix();
        sum.hessian = sum.majorant + curvature.matrix();
        sum
    }
}

/// `Φ` and its derivatives at a slip.
#[derive(Clone, Copy, Debug, Default)]
struct Potential {
    value: f64,
    gradient: Vec3,
    hessian: Mat3,
    majorant: Mat3,
}

/// Upper half of a symmetric 3×3 matrix.
#[derive(Clone, Copy, Debug, Default)]
struct Symmetric([f64; 6]);

impl Symmetric {
    /// Adds `k a aᵀ`.
    fn add(&mut self, a: [f64; 3], k: f64) {
        let [xx, xy, xz, yy, yz, zz] = &mut self.0;
        *xx += k * a[0] * a[0];
        *xy += k * a[0] * a[1];
        *xz += k * a[0] * a[2];
        *yy += k * a[1] * a[1];
        *yz += k * a[1] * a[2];
        *zz += k * a[2] * a[2];
    }

    fn matrix(&self) -> Mat3 {
        let [xx, xy, xz, yy, yz, zz] = self.0;
        Mat3::from_cols(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disc of radius `r` with a pressure that depends on the distance from its centre.
    fn disc(radius: f64, pressure: impl Fn(f64) -> f64) -> Vec<PatchPoint> {
        let rings = 60;
        let mut points = Vec::new();
        for ring in 0..rings {
            let r = radius * (f64::from(ring) + 0.5) / f64::from(rings);
            let around = 6 * (ring + 1);
            for k in 0..around {
                let angle = std::f64::consts::TAU * (f64::from(k) + 0.5) / f64::from(around);
                let share = pressure(r / radius) * r / f64::from(around);
                points.push(PatchPoint { x: r * libm::cos(angle), y: r * libm::sin(angle), share });
            }
        }
        let total: f64 = points.iter().map(|p| p.share).sum();
        points.iter_mut().for_each(|p| p.share /= total);
        points
    }

    fn force_at(points: &[PatchPoint], slip: Vec3) -> Vec3 {
        // hardly any compliance: the patch slips as it is told to
        let friction = PatchFriction::new(points, 0);
        friction.force(points, 1.0, slip, &(Mat3::IDENTITY * 1e-9), slip)
    }

    #[test]
    fn a_spinning_disc_has_the_torque_of_the_closed_forms() {
        let r = 0.01;
        let uniform = force_at(&disc(r, |_| 1.0), Vec3::new(0.0, 0.0, 0.1));
        assert!((uniform.z / r + 2.0 / 3.0).abs() < 1e-3, "{uniform}");
        let hertz = force_at(&disc(r, |x| (1.0 - x * x).sqrt()), Vec3::new(0.0, 0.0, 0.1));
        assert!((hertz.z / r + 3.0 * std::f64::consts::PI / 16.0).abs() < 1e-3, "{hertz}");
    }

    #[test]
    fn sliding_and_spinning_share_the_friction() {
        // slip ratio 1: F = 8/(3π), M = 8/(9π) R of a uniform disc [Contensou]
        let r = 0.01;
        let force = force_at(&disc(r, |_| 1.0), Vec3::new(1e-3, 0.0, 1e-3 / r));
        let pi = std::f64::consts::PI;
        assert!((force.x + 8.0 / (3.0 * pi)).abs() < 2e-3, "{force}");
        assert!((force.z / r + 8.0 / (9.0 * pi)).abs() < 2e-3, "{force}");
    }

    #[test]
    fn a_patch_sticks_inside_the_limit_surface_and_slips_outside() {
        let points = disc(0.01, |_| 1.0);
        let friction = PatchFriction::new(&points, 0);
        let compliance = Mat3::from_diagonal(Vec3::new(1e-4, 1e-4, 1.0));
        for (fraction, sticks) in [(0.3, true), (0.95, true), (1.3, false)] {
            // a pure torque that is a fraction of 2/3 μ N R
            let target = Vec3::new(0.0, 0.0, fraction * 2.0 / 3.0 * 0.01);
            let force = friction.force(&points, 1.0, target, &compliance, Vec3::ZERO);
            let slip = target + compliance * force;
            assert_eq!(slip.z.abs() * 0.01 < STICKING, sticks, "slips by {slip} at {fraction}");
        }
    }

    #[test]
    fn no_force_leaves_the_admissible_set() {
        // the support function of the set is Φ itself: λ·d ≤ Φ(d) for every direction
        let points: Vec<_> = disc(0.008, |x| 1.0 - x).into_iter().map(|p| PatchPoint { x: p.x + 0.003, ..p }).collect();
        let friction = PatchFriction::new(&points, 0);
        let compliance = Mat3::from_diagonal(Vec3::new(1e-4, 2e-4, 2.0));
        for k in 0..40 {
            let angle = f64::from(k) * 0.7;
            let target = Vec3::new(libm::cos(angle), libm::sin(angle), 50.0 * libm::sin(1.3 * angle)) * 3e-4;
            let force = friction.force(&points, 1.0, target, &compliance, Vec3::ZERO);
            for j in 0..40 {
                let other = f64::from(j) * 0.9;
                let d = Vec3::new(libm::cos(other), libm::sin(other), 100.0 * libm::cos(2.1 * other));
                let bound: f64 = points.iter().map(|p| p.share * libm::hypot(d.x - d.z * p.y, d.y + d.z * p.x)).sum();
                assert!(force.dot(d) <= bound * (1.0 + 1e-6), "{force} along {d}");
            }
        }
    }
}
