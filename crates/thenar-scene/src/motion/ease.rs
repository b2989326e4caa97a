//! How a person moves from one place to another.

/// Fraction of the way after a fraction of the time, in the movement between two points at rest that changes its
/// acceleration least [Flash & Hogan 1985]: `10 s³ - 15 s⁴ + 6 s⁵`. Clamped to 0 before and 1 after.
#[must_use]
pub fn minimum_jerk(time: f64) -> f64 {
    let s = time.clamp(0.0, 1.0);
    s * s * s * (10.0 + s * (6.0 * s - 15.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_and_ends_at_rest_and_never_turns_back() {
        assert_eq!((minimum_jerk(0.0), minimum_jerk(1.0), minimum_jerk(0.5)), (0.0, 1.0, 0.5));
        assert_eq!((minimum_jerk(-3.0), minimum_jerk(7.0)), (0.0, 1.0));
        let h = 1e-4;
        // Velocity and acceleration vanish at both ends: the path leaves as s³.
        assert!(minimum_jerk(h) < 11.0 * h * h * h && 1.0 - minimum_jerk(1.0 - h) < 11.0 * h * h * h);
        let steps: Vec<f64> = (0..=1000).map(|k| minimum_jerk(f64::from(k) / 1000.0)).collect();
        assert!(steps.windows(2).all(|pair| pair[1] >= pair[0]));
        // Peak speed is 15/8 of the mean speed.
        let peak = steps.windows(2).map(|pair| (pair[1] - pair[0]) * 1000.0).fold(0.0, f64::max);
        assert!((peak - 1.875).abs() < 1e-3);
    }
}
