//! Smooth minima, steps and bells: how parts of the shape flow into one another.

/// Smooth minimum: exactly `min(a, b)` where `|a - b| >= k`, twice differentiable elsewhere; bulges by at most `k/6`.
pub fn smooth_min(a: f64, b: f64, k: f64) -> f64 {
    let h = (k - (a - b).abs()).max(0.0) / k;
    a.min(b) - h * h * h * k / 6.0
}

/// 0 at and below `from`, 1 at and above `to`, a cubic between.
pub fn smooth_step(from: f64, to: f64, x: f64) -> f64 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// A bell of height 1: close to `exp(-u²)`, but exactly 0 beyond `u = 2`, so that far details cost nothing.
pub fn bell(u_squared: f64) -> f64 {
    let t = (1.0 - 0.25 * u_squared).max(0.0);
    let t2 = t * t;
    t2 * t2
}

/// A straight-line bound around a primitive: cheap lower bounds of its distance.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    a: crate::math::Vec3,
    b: crate::math::Vec3,
    radius: f64,
}

impl Bound {
    /// The capsule with axis `a`-`b` that holds every ball of the list (centre, radius).
    pub fn around(
        a: crate::math::Vec3,
        b: crate::math::Vec3,
        balls: impl IntoIterator<Item = (crate::math::Vec3, f64)>,
    ) -> Bound {
        let mut bound = Bound { a, b, radius: 0.0 };
        bound.radius = balls.into_iter().map(|(c, r)| bound.distance(c) + r).fold(0.0, f64::max);
        bound
    }

    /// A number no greater than the distance from `q` to the primitive.
    pub fn distance(&self, q: crate::math::Vec3) -> f64 {
        let (axis, r) = (self.b - self.a, q - self.a);
        let t = (r.dot(axis) / axis.length_squared()).clamp(0.0, 1.0);
        (r - t * axis).length() - self.radius
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smooth_min_is_exact_away_from_the_seam() {
        assert_eq!(smooth_min(1.0, 4.0, 3.0), 1.0);
        assert!((smooth_min(2.0, 2.0, 3.0) - 1.5).abs() < 1e-15);
    }

    #[test]
    fn the_bell_resembles_a_gaussian_and_ends() {
        for u in [0.0, 0.3, 0.7, 1.0, 1.5] {
            assert!((bell(u * u) - libm::exp(-u * u)).abs() < 0.08);
        }
        assert_eq!(bell(4.0), 0.0);
    }
}
