//! Screen-space ambient occlusion: creases and contacts receive less light from the sky.

use crate::camera::View;
use crate::shadow::disc_taps;
use thenar::math::Vec3;

/// What is seen at the middle of one pixel.
#[derive(Clone, Copy)]
pub(crate) struct Seen {
    pub point: Vec3,
    pub normal: Vec3,
    pub depth: f64,
}

/// Part of the sky each pixel still sees, 0 to 1, from how high its neighbours within `reach` metres rise above its
/// tangent plane (the estimator of McGuire et al. 2011, "The Alchemy screen-space ambient obscurance algorithm", eq. 10).
///
/// `unit` is the size of one pixel in samples of `view`.
pub(crate) fn openness(
    seen: &[Option<Seen>],
    width: usize,
    height: usize,
    view: &View,
    unit: f64,
    reach: f64,
) -> Vec<f32> {
    let taps = disc_taps::<14>();
    let turns = Turns::new();
    let mut open = vec![1.0_f32; seen.len()];
    for y in 0..height {
        for x in 0..width {
            let Some(here) = seen[y * width + x] else { continue };
            let radius = (reach * view.samples_per_metre(here.depth) / unit).min(60.0);
            let turn = turns.at(x, y);
            let mut blocked = 0.0;
            for t in &taps {
                let px = x as f64 + 0.5 + radius * (t[0] * turn[0] - t[1] * turn[1]);
                let py = y as f64 + 0.5 + radius * (t[0] * turn[1] + t[1] * turn[0]);
                if px < 0.0 || py < 0.0 || px >= width as f64 || py >= height as f64 {
                    continue;
                }
                let Some(there) = seen[py as usize * width + px as usize] else { continue };
                let v = there.point - here.point;
                let d2 = v.length_squared();
                let rise = v.dot(here.normal) - 0.02 * reach;
                let near = (1.0 - d2 / (4.0 * reach * reach)).max(0.0);
                blocked += rise.max(0.0) / (d2 + 0.01 * reach * reach) * near * reach;
            }
            open[y * width + x] = (1.0 - 1.1 * blocked / taps.len() as f64).clamp(0.0, 1.0) as f32;
        }
    }
    blur(&open, seen, width, height, 0.5 * reach)
}

/// A rotation of the taps for each pixel, repeating every 4 by 4 pixels, so that a 4 by 4 blur removes its pattern.
pub(crate) struct Turns([[f64; 2]; 16]);

impl Turns {
    pub fn new() -> Self {
        Turns(std::array::from_fn(|i| {
            let angle = ((7 * i) % 16) as f64 * std::f64::consts::TAU / 16.0;
            [libm::cos(angle), libm::sin(angle)]
        }))
    }

    pub fn at(&self, x: usize, y: usize) -> [f64; 2] {
        self.0[4 * (y % 4) + x % 4]
    }
}

/// 4 by 4 mean over pixels whose depth differs by less than `tolerance` metres; removes the pattern of [`Turns`].
pub(crate) fn blur(values: &[f32], seen: &[Option<Seen>], width: usize, height: usize, tolerance: f64) -> Vec<f32> {
    let mut out = values.to_vec();
    for y in 0..height {
        for x in 0..width {
            let Some(here) = seen[y * width + x] else { continue };
            let (mut sum, mut count) = (0.0, 0.0);
            for ny in y.saturating_sub(2)..(y + 2).min(height) {
                for nx in x.saturating_sub(2)..(x + 2).min(width) {
                    let i = ny * width + nx;
                    if seen[i].is_some_and(|s| (s.depth - here.depth).abs() < tolerance) {
                        sum += values[i];
                        count += 1.0;
                    }
                }
            }
            if count > 0.0 {
                out[y * width + x] = sum / count;
            }
        }
    }
    out
}
