//! The disc that best reproduces the surface under a pad: a weighted least-squares plane within the device's range.

use super::{DeviceModel, DiscPose};
use crate::math::{Mat3, Vec3};

/// Length that weighs slopes against places, metres.
const SLOPE_LENGTH: f64 = 3e-3;
/// Weight of the free displacement, in samples.
const FREE_SHARE: f64 = 0.05;
/// Weight of a level disc, in samples.
const LEVEL_SHARE: f64 = 0.5;
/// Cosine to the actuator's axis below which a surface does not count.
const STEEPEST: f64 = 0.2;
/// Cosine from which on it counts fully.
const STEEP: f64 = 0.5;

/// Sums over what the samples of one pad see. Unknowns are `(d, ρ a, ρ b)`, all of them metres.
#[derive(Clone, Copy, Debug, Default)]
pub struct Matching {
    /// Of the places alone: moments, right-hand side, squares, weights.
    moments: Mat3Sum,
    right: Vec3,
    squares: f64,
    weight: f64,
    /// Of the slopes.
    slopes: [f64; 2],
}

/// A symmetric 3 × 3 sum.
#[derive(Clone, Copy, Debug, Default)]
struct Mat3Sum {
    xx: f64,
    xy: f64,
    xz: f64,
    yy: f64,
    yz: f64,
    zz: f64,
}

impl Mat3Sum {
    fn add(&mut self, v: Vec3, w: f64) {
        let u = v * w;
        self.xx += u.x * v.x;
        self.xy += u.x * v.y;
        self.xz += u.x * v.z;
        self.yy += u.y * v.y;
        self.yz += u.y * v.z;
        self.zz += u.z * v.z;
    }

    fn matrix(&self) -> Mat3 {
        Mat3::from_cols(
            Vec3::new(self.xx, self.xy, self.xz),
            Vec3::new(self.xy, self.yy, self.yz),
            Vec3::new(self.xz, self.yz, self.zz),
        )
    }
}

/// Weight of a surface `gap` metres away with the given normal: falls to zero, smoothly, at the band's edge and where the
/// surface looks away from the actuator's axis.
#[must_use]
pub fn weight(gap: f64, normal: Vec3, band: f64) -> f64 {
    let near = (1.0 - gap.max(0.0) / band).max(0.0);
    let facing = ((normal.y - STEEPEST) / (STEEP - STEEPEST)).clamp(0.0, 1.0);
    near * near * near * near * facing * facing * (3.0 - 2.0 * facing)
}

impl Matching {
    /// Takes in what a sample at `at` sees: the gap, and the normal from there to the skin; both in the pad's frame.
    pub fn add(&mut self, at: Vec3, gap: f64, normal: Vec3, band: f64) {
        let w = weight(gap, normal, band);
        if w == 0.0 {
            return;
        }
        let s = at - normal * gap;
        let row = Vec3::new(1.0, s.x / SLOPE_LENGTH, s.z / SLOPE_LENGTH);
        self.moments.add(row, w);
        self.right += row * (w * s.y);
        self.squares += w * s.y * s.y;
        self.weight += w;
        let per = w * SLOPE_LENGTH / normal.y;
        self.slopes[0] -= per * normal.x;
        self.slopes[1] -= per * normal.z;
    }

    /// Sum of the weights, in samples.
    #[must_use]
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// The pose within the device's range that is nearest to what was seen; the free one if nothing was.
    #[must_use]
    pub fn solve(&self, device: &DeviceModel) -> DiscPose {
        let tilt = self.weight + LEVEL_SHARE;
        let matrix = self.moments.matrix() + Mat3::from_diagonal(Vec3::new(FREE_SHARE, tilt, tilt));
        let right = self.right + Vec3::new(FREE_SHARE * device.free().displacement, self.slopes[0], self.slopes[1]);
        let tan = |angle: f64| SLOPE_LENGTH * libm::tan(angle);
        let low = Vec3::new(device.displacement[0], tan(device.roll[0]), -tan(device.pitch[1]));
        let high = Vec3::new(device.displacement[1], tan(device.roll[1]), -tan(device.pitch[0]));
        let q = least_in_box(&matrix, right, low, high);
        device.reachable(DiscPose::of_plane(q.x, [q.y / SLOPE_LENGTH, q.z / SLOPE_LENGTH]))
    }

    /// Root of the weighted mean square distance between the surface and a pose, metres; zero if nothing was seen.
    #[must_use]
    pub fn residual(&self, pose: &DiscPose) -> f64 {
        if self.weight <= 0.0 {
            return 0.0;
        }
        let [a, b] = pose.slopes();
        let q = Vec3::new(pose.displacement, a * SLOPE_LENGTH, b * SLOPE_LENGTH);
        let sum = self.squares - 2.0 * q.dot(self.right) + q.dot(self.moments.matrix() * q);
        (sum.max(0.0) / self.weight).sqrt()
    }
}

/// Least of `½ qᵀ A q − bᵀ q` for a positive definite `A` with `low ≤ q ≤ high`: the best of the stationary points of all faces
/// that lie in the box.
fn least_in_box(a: &Mat3, b: Vec3, low: Vec3, high: Vec3) -> Vec3 {
    let free = a.inverse() * b;
    let inside = |q: Vec3| q.cmpge(low).all() && q.cmple(high).all();
    if inside(free) {
        return free;
    }
    let value = |q: Vec3| 0.5 * q.dot(*a * q) - b.dot(q);
    let (mut best, mut least) = (free.clamp(low, high), f64::INFINITY);
    // each unknown is free (0), at its lower (1) or at its upper bound (2)
    for face in 1..27 {
        let on = [face % 3, face / 3 % 3, face / 9];
        let (mut matrix, mut right) = (*a, b);
        for k in (0..3).filter(|&k| on[k] > 0) {
            // the row of a bound unknown says what it is
            (0..3).for_each(|j| matrix.col_mut(j)[k] = f64::from(u8::from(j == k)));
            right[k] = if on[k] == 1 { low[k] } else { high[k] };
        }
        let q = matrix.inverse() * right;
        let rounding = (high - low) * 1e-12;
        if q.cmpge(low - rounding).all() && q.cmple(high + rounding).all() && value(q) < least {
            (best, least) = (q.clamp(low, high), value(q));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples of a round pad, 8 mm in radius, and what they see of a plane `y = d + a x + b z`.
    fn seen(d: f64, a: f64, b: f64, band: f64) -> Matching {
        let mut matching = Matching::default();
        let normal = Vec3::new(-a, 1.0, -b).normalize();
        for i in 0..100 {
            let (r, t) = (5e-3 * ((i as f64 + 0.5) / 100.0).sqrt(), 2.4 * i as f64);
            let (x, z) = (r * libm::cos(t), r * libm::sin(t));
            let y = 8e-3 - (64e-6 - r * r).sqrt();
            // the pad yields: no sample lies behind the plane
            let at = Vec3::new(x, y.max(d + a * x + b * z), z);
            let gap = (at.y - d - a * x - b * z) * normal.y;
            matching.add(at, gap, normal, band);
        }
        matching
    }

    #[test]
    fn a_flat_surface_is_reproduced() {
        let device = DeviceModel::default();
        for (d, a, b) in [(0.5e-3, 0.0, 0.0), (1e-3, 0.2, -0.1), (2e-3, -0.3, 0.25)] {
            let matching = seen(d, a, b, device.band());
            let pose = matching.solve(&device);
            let [sa, sb] = pose.slopes();
            assert!((pose.displacement - d).abs() < 2e-5, "{d} {pose:?}");
            // half a sample keeps the disc level
            assert!(
                (sa - a).abs() < 0.03 * (0.1 + a.abs()) && (sb - b).abs() < 0.03 * (0.1 + b.abs()),
                "{a} {b} {sa} {sb}"
            );
            assert!(matching.residual(&pose) < 5e-5);
            assert!(matching.residual(&device.free()) > 1e-3, "no matching is worse");
        }
    }

    #[test]
    fn a_free_pad_has_a_retracted_disc_and_coming_nearer_never_jumps() {
        let device = DeviceModel::default();
        assert_eq!(Matching::default().solve(&device), device.free());
        // towards a tilted surface, from out of the band to 2 mm deep, by 10 µm
        let mut last = device.free();
        for k in 0..600 {
            let d = -4e-3 + 1e-5 * f64::from(k);
            let pose = seen(d, 0.25, 0.1, device.band()).solve(&device);
            assert!((pose.displacement - last.displacement).abs() < 4e-5, "at {d}: {last:?} {pose:?}");
            assert!((pose.roll - last.roll).abs() < 1f64.to_radians(), "at {d}: {last:?} {pose:?}");
            last = pose;
        }
        assert!((last.displacement - 2e-3).abs() < 3e-5);
    }

    #[test]
    fn the_best_pose_within_the_range_is_found() {
        let device = DeviceModel { pitch: [-0.1, 0.1], roll: [-0.1, 0.1], legs: None, ..DeviceModel::default() };
        let matching = seen(1e-3, 0.3, -0.4, device.band());
        let best = matching.solve(&device);
        assert!((best.roll - 0.1).abs() < 1e-9 && (best.pitch - 0.1).abs() < 1e-9, "{best:?}");
        // nothing else in the range is better
        let energy = |pose: &DiscPose| {
            let [a, b] = pose.slopes();
            let q = Vec3::new(pose.displacement, a * SLOPE_LENGTH, b * SLOPE_LENGTH);
            let tilt = matching.weight + LEVEL_SHARE;
            let m = matching.moments.matrix() + Mat3::from_diagonal(Vec3::new(FREE_SHARE, tilt, tilt));
            let r = matching.right
                + Vec3::new(FREE_SHARE * device.free().displacement, matching.slopes[0], matching.slopes[1]);
            0.5 * q.dot(m * q) - r.dot(q)
        };
        for i in 0..21 {
            for j in 0..21 {
                for k in 0..21 {
                    let at = |n: i32| f64::from(n - 10) / 100.0;
                    let pose = DiscPose { displacement: 4e-3 * at(k) * 10.0, pitch: at(i), roll: at(j) };
                    assert!(energy(&pose) >= energy(&best) - 1e-15, "{pose:?} {best:?}");
                }
            }
        }
    }

    #[test]
    fn what_looks_away_does_not_count() {
        let mut matching = Matching::default();
        matching.add(Vec3::ZERO, 0.0, Vec3::X, 3e-3);
        matching.add(Vec3::ZERO, -1e-3, -Vec3::Y, 3e-3);
        matching.add(Vec3::ZERO, 3e-3, Vec3::Y, 3e-3);
        assert_eq!(matching.weight(), 0.0);
    }
}
