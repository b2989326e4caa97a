//! Noise that depends only on what it is asked for, so that any frame can be made at any time.

use core::f64::consts::TAU;

use thenar::math::Vec3;

/// Three independent values of the standard normal distribution for a seed, a frame and a joint.
#[must_use]
pub fn gaussian(seed: u64, frame: u64, joint: u64) -> Vec3 {
    let mut state = mixed(seed ^ mixed(frame ^ mixed(joint)));
    let mut uniform = || {
        state = mixed(state);
        // In (0, 1]: the logarithm below needs it above zero.
        ((state >> 11) as f64 + 1.0) / (1_u64 << 53) as f64
    };
    let mut normal = || {
        let (radius, angle) = ((-2.0 * libm::log(uniform())).sqrt(), TAU * uniform());
        radius * libm::cos(angle)
    };
    Vec3::new(normal(), normal(), normal())
}

/// SplitMix64: a bijection whose output passes for random.
fn mixed(x: u64) -> u64 {
    let x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_variance_and_independence() {
        let count = 20_000;
        let samples: Vec<Vec3> = (0..count).map(|frame| gaussian(7, frame, 3)).collect();
        let n = count as f64;
        let mean = samples.iter().sum::<Vec3>() / n;
        let variance = samples.iter().map(|s| *s * *s).sum::<Vec3>() / n;
        // Standard errors are 0.007 and 0.01.
        assert!(mean.abs().max_element() < 0.03, "{mean}");
        assert!((variance - Vec3::ONE).abs().max_element() < 0.05, "{variance}");
        let correlation = samples.windows(2).map(|pair| pair[0] * pair[1]).sum::<Vec3>() / n;
        assert!(correlation.abs().max_element() < 0.03, "{correlation}");
        assert_eq!(gaussian(7, 5, 3), gaussian(7, 5, 3));
        assert_ne!(gaussian(7, 5, 3), gaussian(7, 5, 4));
    }
}
