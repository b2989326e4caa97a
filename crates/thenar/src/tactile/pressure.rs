//! How deep a disc goes into a real pad at a force.

/// Force that scales the exponential law, N.
const PAD_FORCE: f64 = 0.2;
/// Displacement that scales it, metres.
const PAD_LENGTH: f64 = 1.116e-3;

/// Displacement of a flat disc at which a person's pad presses back with `force` N: `F = F₀ (exp(δ/δ₀) − 1)`, turned round.
#[must_use]
pub fn pressure_displacement(force: f64) -> f64 {
    PAD_LENGTH * libm::log1p(force.max(0.0) / PAD_FORCE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pad_is_inside_the_bands_of_the_literature() {
        // δ at 1 N: 1 to 3 mm; k(1.5 N) / k(0.2 N) at least 2
        assert!((pressure_displacement(1.0) - 2e-3).abs() < 1e-5);
        let stiffness = |f: f64| 1e-3 / (pressure_displacement(f + 5e-4) - pressure_displacement(f - 5e-4));
        assert!(stiffness(1.5) / stiffness(0.2) > 2.0);
        assert_eq!(pressure_displacement(-1.0), 0.0);
    }
}
