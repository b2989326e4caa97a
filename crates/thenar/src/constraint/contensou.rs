//! Friction of a whole patch: the Coulomb–Contensou set [Talvas §3.4.2, its printed set corrected].
//!
//! With the slip `u = (t, s, ω)` of a patch within a step, every contact `i` slides by `s_i = (t, s) + ω n × r_i`, and
//! friction dissipates `Φ(u) = Σ μ N_i ‖s_i‖`. The admissible forces and torques are the set of derivatives of `Φ`:
//! `λ = −∇Φ(u)` where the patch slips, and any point of the convex body `−∂Φ(0)` where it sticks. Together with
//! `u = û + W λ` this is the minimum of `½ (u − û)ᵀ W⁻¹ (u − û) + Φ(u)`.

use super::Tangent;
use super::coulomb::press;
use super::law::{Law, Local, MOST_ROWS};
use crate::math::{Mat3, Vec3};

/// Four rows, the gap of a patch, its two tangential slips and its spin about the normal: Signorini's law and the
/// Coulomb–Contensou set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contensou {
    /// Coefficient of friction.
    pub friction: f64,
    /// How its pressure is distributed.
    pub patch: PatchFriction,
}

impl Law for Contensou {
    fn rows(&self) -> usize {
        4
    }

    /// `warm` keeps whether a slip was found in an earlier sweep, and the slip: what other patches have done since says
    /// nothing about where this one's search ends.
    fn solve(&self, local: &Local<'_>, lambda: &mut [f64; MOST_ROWS], warm: &mut [f64; MOST_ROWS]) {
        let w = &local.own;
        let own = Mat3::from_cols(
            Vec3::new(w[1][1], w[2][1], w[3][1]),
            Vec3::new(w[1][2], w[2][2], w[3][2]),
            Vec3::new(w[1][3], w[2][3], w[3][3]),
        );
        let mut slip = if warm[0] > 0.0 {
            Vec3::new(warm[1], warm[2], warm[3])
        } else {
            Vec3::new(local.displacement(1, lambda), local.displacement(2, lambda), local.displacement(3, lambda))
        };
        let (normal, friction) = press(local, lambda[0], |normal, target| {
            let force = self.patch.force(local.points, self.friction * normal, target, &own, slip);
            slip = target + own * force;
            force
        });
        *warm = [1.0, slip.x, slip.y, slip.z];
        *lambda = [normal, friction.x, friction.y, friction.z];
    }

    /// Slipping, `λ = −μ N ∇φ(u)`: friction grows with the normal force, and turns and shifts by the potential's Hessian as the slip does.
    fn tangent(&self, lambda: &[f64], reached: &[f64], points: &[PatchPoint]) -> Tangent {
        if lambda[0] <= 0.0 {
            return Tangent::open();
        }
        let slip = Vec3::new(reached[1], reached[2], reached[3]);
        if self.patch.sticks(slip) {
            return Tangent::stick();
        }
        let mut tangent = Tangent::slide(&lambda[..4]);
        let hessian = self.patch.curvature(points, self.friction * lambda[0], slip);
        for i in 0..3 {
            for j in 0..3 {
                tangent.by_motion[i + 1][j + 1] = hessian.col(j)[i];
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

/// A slipping patch's norms are rounded off over this share of its slip.
const FINENESS: f64 = 0.03;

/// A patch that moved less than this in a step sticks, metres; less where it is so stiff that the friction it would then
/// lack is more than a thousandth of the most it carries.
pub const STICKING: f64 = 2e-7;

/// See [`STICKING`].
const SHARE: f64 = 1e-3;

/// Norms are rounded off over at least this part of it, so that every derivative exists: a patch that sticks 0.1 % below
/// its limit moves as far as [`STICKING`] then.
const ROUNDING: f64 = 0.05;

/// How often norms are made sharper at most where no good guess is at hand.
const SHARPER: u32 = 10;

/// Force that may be missing where a patch slips, as a share of the most that friction carries.
const CLOSE: f64 = 3e-6;

/// With less than this missing a slip is good enough to go on from in the next sweep.
const NEAR: f64 = 1e-3;

/// Newton steps at most with each of them.
const NEWTON_STEPS: u32 = 8;

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
        let (_, direction) = self.grip(own, held, limit);
        let stiffest = stiffness.x_axis.x + stiffness.y_axis.y + stiffness.z_axis.z;
        let sticking = STICKING.min(SHARE * limit / stiffest);
        let beyond = Beyond { patch: self, points: own, limit, target, stiffness, rounding: sticking * ROUNDING };
        let slip = beyond.slip(start * scale, -direction * scale);
        // a sticking patch has moved only because norms are rounded off
        let moved = slip * (1.0 - sticking / slip.length()).max(0.0);
        // where friction balances a load of many newtons a slip of micrometres decides about its direction: written by
        // the slip, what is left of the error is a force, not a displacement
        stiffness * (moved - target) * scale
    }

    /// By which factor a force may grow until friction gives way: the support function `Φ` of the set in the direction
    /// in which an ellipsoid of the same axes would give way, which is exact to second order. Returns that, too.
    fn grip(&self, points: &[PatchPoint], force: Vec3, limit: f64) -> (f64, Vec3) {
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
        (if along > 0.0 { limit * support / along } else { f64::INFINITY }, Vec3::new(vx, vy, spin))
    }

    /// By how many metres a typical contact moves when the patch turns by a radian.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// True if a patch that moved so far in a step is said to stick.
    fn sticks(&self, slip: Vec3) -> bool {
        (slip.x * slip.x + slip.y * slip.y).sqrt() + self.radius * slip.z.abs() <= STICKING
    }

    /// `∂²Φ/∂u²` of a slip and a spin, for friction that may carry `limit` newtons; N/m, N, N·m.
    fn curvature(&self, points: &[PatchPoint], limit: f64, slip: Vec3) -> Mat3 {
        let own = &points[self.start as usize..self.end as usize];
        let scale = Vec3::new(1.0, 1.0, self.radius);
        let lengths = slip * scale;
        let rounding = (FINENESS * lengths.length()).max(STICKING * ROUNDING);
        let hessian = self.potential(own, limit, lengths, rounding).hessian;
        let diagonal = Mat3::from_diagonal(scale);
        diagonal * hessian * diagonal
    }

    /// True if a simple distribution of friction over the contacts carries the force: `f_i ∝ N_i (a + b × r_i)` about
    /// the centre of pressure. Enough for sticking, not necessary.
    fn surely_holds(&self, force: Vec3, limit: f64) -> bool {
        let torque = force.z - (self.centre[0] * force.y - self.centre[1] * force.x);
        let spin = if self.spread > 0.0 { torque.abs() * self.reach / self.spread } else { f64::INFINITY };
        (force.x * force.x + force.y * force.y).sqrt() + spin <= limit * (1.0 - 1e-6)
    }

    /// `Φ` of a slip in lengths, its derivatives, and the curvature of the quadratic that bounds it from above.
    fn potential(&self, points: &[PatchPoint], limit: f64, slip: Vec3, rounding: f64) -> Potential {
        let (whole, rest) = points.as_chunks::<LANES>();
        let mut sums = Sums::default();
        let wide = 1.0 / self.radius;
        for group in whole {
            sums.add(group, slip, wide, rounding);
        }
        if !rest.is_empty() {
            let mut group = [PatchPoint { x: 0.0, y: 0.0, share: 0.0 }; LANES];
            group[..rest.len()].copy_from_slice(rest);
            sums.add(&group, slip, wide, rounding);
        }
        sums.potential(limit)
    }
}

/// Contacts that are summed side by side.
const LANES: usize = 4;

/// What [`Potential`] sums over the contacts, for friction that carries one newton.
#[derive(Default)]
struct Sums {
    value: [f64; LANES],
    gradient: [[f64; LANES]; 3],
    /// `Σ k`, `Σ k a`, `Σ k a²` of the secant stiffness `k` with the contacts' levers `a`: the majorant.
    bounds: [[f64; LANES]; 4],
    /// `Σ k d dᵀ` of their directions, upper half.
    curvature: [[f64; LANES]; 6],
}

impl Sums {
    fn add(&mut self, points: &[PatchPoint; LANES], slip: Vec3, wide: f64, rounding: f64) {
        for l in 0..LANES {
            let PatchPoint { x, y, share } = points[l];
            let (a, b) = (-y * wide, x * wide);
            let (s, t) = (slip.x + slip.z * a, slip.y + slip.z * b);
            let square = s * s + t * t + rounding * rounding;
            let shorter = 1.0 / square.sqrt().max(f64::MIN_POSITIVE);
            let secant = share * shorter;
            let (d, e) = (s * shorter, t * shorter);
            let f = d * a + e * b;
            self.value[l] += secant * square;
            self.gradient[0][l] += d * share;
            self.gradient[1][l] += e * share;
            self.gradient[2][l] += f * share;
            self.bounds[0][l] += secant;
            self.bounds[1][l] += secant * a;
            self.bounds[2][l] += secant * b;
            self.bounds[3][l] += secant * (a * a + b * b);
            self.curvature[0][l] += secant * d * d;
            self.curvature[1][l] += secant * d * e;
            self.curvature[2][l] += secant * d * f;
            self.curvature[3][l] += secant * e * e;
            self.curvature[4][l] += secant * e * f;
            self.curvature[5][l] += secant * f * f;
        }
    }

    fn potential(&self, limit: f64) -> Potential {
        let total = |lanes: &[f64; LANES]| limit * ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]));
        let [one, a, b, ab] = self.bounds.each_ref().map(total);
        let [xx, xy, xz, yy, yz, zz] = self.curvature.each_ref().map(total);
        let majorant = Mat3::from_cols(Vec3::new(one, 0.0, a), Vec3::new(0.0, one, b), Vec3::new(a, b, ab));
        let away = Mat3::from_cols(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz));
        Potential {
            value: total(&self.value),
            gradient: Vec3::from_array(self.gradient.each_ref().map(total)),
            hessian: majorant - away,
            majorant,
        }
    }
}

/// A patch that friction cannot hold; slips are lengths.
struct Beyond<'a> {
    patch: &'a PatchFriction,
    points: &'a [PatchPoint],
    limit: f64,
    target: Vec3,
    stiffness: Mat3,
    /// Norms are rounded off over at least this, metres.
    rounding: f64,
}

impl Beyond<'_> {
    /// The slip: from where the patch slipped in the last sweep if that is near, otherwise along a direction in which
    /// friction gives way, with norms that are rounded off less and less.
    fn slip(&self, last: Vec3, direction: Vec3) -> Vec3 {
        let fine = |slip: Vec3| (FINENESS * slip.length()).max(self.rounding);
        if last.length() < self.target.length() {
            let (slip, error) = self.descend(last, fine(last));
            if error < NEAR && fine(last) < 2.0 * fine(slip) {
                return slip;
            }
        }
        let mut slip = self.best_along(direction);
        let mut rounding = slip.length().max(self.rounding);
        for _ in 0..SHARPER {
            let error;
            (slip, error) = self.descend(slip, rounding);
            if rounding <= fine(slip) && error < NEAR {
                break;
            }
            slip = self.best_along(slip);
            rounding = (0.2 * rounding).max(fine(slip));
        }
        slip
    }

    /// The lowest point of `½ (u − û)ᵀ W⁻¹ (u − û) + Φ(u)` on a ray: `Φ` grows in proportion to the slip.
    fn best_along(&self, slip: Vec3) -> Vec3 {
        let pull = self.stiffness * slip;
        let friction = self.patch.potential(self.points, self.limit, slip, 0.0).value;
        let best = (pull.dot(self.target) - friction) / pull.dot(slip);
        if best > 0.0 { slip * best } else { slip * (self.rounding / slip.length().max(f64::MIN_POSITIVE)) }
    }

    /// A few steps down, with norms rounded off over `rounding`. Returns the slip and the force that is missing there, as
    /// a share of the limit.
    ///
    /// Newton steps where they go down, otherwise the step of the quadratic that bounds `Φ` from above, which always
    /// does.
    fn descend(&self, start: Vec3, rounding: f64) -> (Vec3, f64) {
        let pull = |u: Vec3| self.stiffness * (u - self.target);
        let potential = |u: Vec3| self.patch.potential(self.points, self.limit, u, rounding);
        let cost = |u: Vec3, potential: &Potential| 0.5 * (u - self.target).dot(pull(u)) + potential.value;
        let mut u = start;
        let mut here = potential(u);
        let mut slope = pull(u) + here.gradient;
        for _ in 0..NEWTON_STEPS {
            let newton = u - (self.stiffness + here.hessian).inverse() * slope;
            let mut next = potential(newton);
            let mut to = newton;
            if cost(newton, &next) > cost(u, &here) {
                to = u - (self.stiffness + here.majorant).inverse() * slope;
                next = potential(to);
            }
            (u, here) = (to, next);
            slope = pull(u) + here.gradient;
            if slope.length() < CLOSE * self.limit {
                break;
            }
        }
        (u, slope.length() / self.limit)
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
    fn a_loaded_patch_finds_its_slip_from_any_guess() {
        let mut seed = 7u32;
        let mut random = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            2.0 * f64::from(seed >> 8) / f64::from(1u32 << 24) - 1.0
        };
        let (mut worst, mut typical) = (0.0f64, 0.0);
        for round in 0..2000 {
            let mut points: Vec<PatchPoint> = (0..12)
                .map(|_| PatchPoint { x: 4e-3 * random(), y: 4e-3 * random(), share: random().abs().powi(3) })
                .collect();
            let total: f64 = points.iter().map(|p| p.share).sum();
            points.iter_mut().for_each(|p| p.share /= total);
            let friction = PatchFriction::new(&points, 0);
            // skin yields by half a millimetre to a newton, and a fingertip turns by half a radian to a newton metre
            let columns = [0, 1, 2].map(|_| Vec3::new(random(), random(), 30.0 * random()));
            let basis = Mat3::from_cols_array_2d(&columns.map(Vec3::into));
            let compliance = (basis * basis.transpose()) * 3e-4 + Mat3::from_diagonal(Vec3::new(1e-4, 1e-4, 0.1));
            let limit = 20.0;
            let held = Vec3::new(random(), random(), 4e-3 * random());
            let factor = friction.grip(&points, held, limit).0 * (1.0 + libm::pow(10.0, -5.0 + 5.0 * random().abs()));
            let target = -(compliance * held) * factor;
            let guess =
                if round % 2 == 0 { Vec3::ZERO } else { Vec3::new(random(), random(), 200.0 * random()) * 1e-5 };
            let force = friction.force(&points, limit, target, &compliance, guess);
            let slip = target + compliance * force;
            let support = |d: Vec3| {
                limit * points.iter().map(|p| p.share * libm::hypot(d.x - d.z * p.y, d.y + d.z * p.x)).sum::<f64>()
            };
            let missing = (support(slip) + force.dot(slip)) / (support(slip) + limit * STICKING);
            let mut beyond = -1.0f64;
            for _ in 0..300 {
                let d = Vec3::new(random(), random(), 300.0 * random());
                beyond = beyond.max(-force.dot(d) / support(d) - 1.0);
            }
            worst = worst.max(missing.abs()).max(beyond);
            typical += missing.abs().max(beyond) / 2000.0;
        }
        assert!(worst < 0.06 && typical < 0.005, "{worst} of the limit is missing, {typical} on average");
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
                // a tenth of a per cent tells sticking from slipping
                assert!(force.dot(d) <= bound * (1.0 + SHARE), "{force} along {d}");
            }
        }
    }
}
