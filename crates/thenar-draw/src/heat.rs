//! Colours for numbers.

use crate::canvas::{Rgb, mix, srgb};

/// A perceptual scale from cool dark blue over green and yellow to warm red, for `t` from 0 to 1; grey for NaN.
#[must_use]
pub fn heat(t: f64) -> Rgb {
    const STOPS: [u32; 6] = [0x0024_2a5e, 0x0023_6b9e, 0x0033_a68f, 0x00b5_cf52, 0x00f6_b73c, 0x00d6_3a2f];
    if t.is_nan() {
        return [0.4; 3];
    }
    let position = t.clamp(0.0, 1.0) * (STOPS.len() - 1) as f64;
    let below = (position as usize).min(STOPS.len() - 2);
    mix(srgb(STOPS[below]), srgb(STOPS[below + 1]), (position - below as f64) as f32)
}

/// One colour per value on a scale from `low` to `high`, laid over `base` where the value is at or below `low`.
#[must_use]
pub fn heat_over(base: &[Rgb], values: &[f64], low: f64, high: f64) -> Vec<Rgb> {
    base.iter()
        .zip(values)
        .map(|(&colour, &value)| {
            let t = (value - low) / (high - low).max(f64::MIN_POSITIVE);
            if t > 0.0 { mix(colour, heat(t), (4.0 * t).min(1.0) as f32) } else { colour }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heat_is_defined_everywhere_and_ends_where_it_should() {
        assert_eq!(heat(-1.0), heat(0.0));
        assert_eq!(heat(2.0), heat(1.0));
        assert!(heat(0.0)[2] > heat(0.0)[0] && heat(1.0)[0] > heat(1.0)[2]);
        assert_eq!(heat(f64::NAN), [0.4; 3]);
        assert_eq!(heat_over(&[[0.1; 3]], &[0.0], 0.0, 0.0), vec![[0.1; 3]]);
    }
}
