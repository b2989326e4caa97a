//! Which triangle is seen at each sample.

use crate::camera::{NEAR, View};
use crate::surface::Surface;
use thenar::math::Vec3;

/// No surface here.
pub(crate) const NOTHING: u32 = u32::MAX;

/// Nearest triangle per sample: nearness (see [`View::project`]) and triangle number over all surfaces.
pub(crate) struct Visibility {
    pub width: usize,
    pub height: usize,
    pub nearness: Vec<f32>,
    pub triangle: Vec<u32>,
}

/// Calls `plot(sample index, key)` for every sample inside a triangle of (x, y, key) corners.
#[inline]
pub(crate) fn fill_triangle(
    corners: [[f64; 3]; 3],
    width: usize,
    height: usize,
    mut plot: impl FnMut(usize, usize, f32),
) {
    let [a, b, c] = corners;
    let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if !(area.abs() > 1e-12 && area.is_finite()) {
        return;
    }
    let span = |k: usize, limit: usize| {
        let low = a[k].min(b[k]).min(c[k]);
        let high = a[k].max(b[k]).max(c[k]);
        ((low - 0.5).ceil().max(0.0) as usize, ((high + 0.5).floor().max(0.0) as usize).min(limit))
    };
    let (x0, x1) = span(0, width);
    let (y0, y1) = span(1, height);
    let inverse = 1.0 / area;
    // Barycentric weights of b and c change linearly along a row.
    let step_b = (c[1] - a[1]) * inverse;
    let step_c = (a[1] - b[1]) * inverse;
    let step_key = step_b * (b[2] - a[2]) + step_c * (c[2] - a[2]);
    for y in y0..y1 {
        let (px, py) = (x0 as f64 + 0.5 - a[0], y as f64 + 0.5 - a[1]);
        let mut wb = (px * (c[1] - a[1]) - py * (c[0] - a[0])) * inverse;
        let mut wc = (py * (b[0] - a[0]) - px * (b[1] - a[1])) * inverse;
        let mut key = a[2] + wb * (b[2] - a[2]) + wc * (c[2] - a[2]);
        for x in x0..x1 {
            if wb >= 0.0 && wc >= 0.0 && wb + wc <= 1.0 {
                plot(x, y, key as f32);
            }
            wb += step_b;
            wc += step_c;
            key += step_key;
        }
    }
}

/// The order in which the samples of a pixel are given to see-through surfaces, 0 to `samples²` - 1. The same in every pixel,
/// so that opacity shows no pattern; shifted by layer, so that layers do not share their samples.
fn sample_rank(x: usize, y: usize, samples: usize, layer: usize) -> usize {
    let count = samples * samples;
    // Coprime to the count, so that every rank occurs once.
    let stride = if samples % 2 == 1 { count.max(3) - 2 } else { count - 1 };
    ((x % samples + samples * (y % samples)) * stride + layer * samples) % count
}

impl Visibility {
    pub fn of(view: &View, surfaces: &[Surface], width: usize, height: usize, samples: usize) -> Self {
        let mut seen = Visibility {
            width,
            height,
            nearness: vec![f32::NEG_INFINITY; width * height],
            triangle: vec![NOTHING; width * height],
        };
        let mut number = 0;
        for (layer, surface) in surfaces.iter().enumerate() {
            let camera: Vec<Vec3> = surface.positions.iter().map(|&p| view.camera_axes(p)).collect();
            let keep = (surface.opacity.clamp(0.0, 1.0) * (samples * samples) as f32 + 0.5) as usize;
            for t in &surface.triangles {
                let corners = t.map(|v| camera[v as usize]);
                clip_near(corners, |piece| {
                    fill_triangle(piece.map(|c| view.project(c)), width, height, |x, y, nearness| {
                        let i = y * width + x;
                        if nearness > seen.nearness[i] && sample_rank(x, y, samples, layer) < keep {
                            seen.nearness[i] = nearness;
                            seen.triangle[i] = number;
                        }
                    });
                });
                number += 1;
            }
        }
        seen
    }
}

/// Passes on the parts of a triangle (in camera axes) in front of the near plane.
fn clip_near(corners: [Vec3; 3], mut emit: impl FnMut([Vec3; 3])) {
    if corners.iter().all(|c| c.z >= NEAR) {
        return emit(corners);
    }
    let mut kept: Vec<Vec3> = Vec::with_capacity(4);
    for i in 0..3 {
        let (a, b) = (corners[i], corners[(i + 1) % 3]);
        if a.z >= NEAR {
            kept.push(a);
        }
        if (a.z >= NEAR) != (b.z >= NEAR) {
            kept.push(a.lerp(b, (NEAR - a.z) / (b.z - a.z)));
        }
    }
    for i in 1..kept.len().saturating_sub(1) {
        emit([kept[0], kept[i], kept[i + 1]]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_triangles_cover_a_square_without_gaps() {
        let mut count = [0u8; 100];
        let [a, b, c, d] = [[0.0, 0.0, 1.0], [10.0, 0.0, 1.0], [10.0, 10.0, 1.0], [0.0, 10.0, 1.0]];
        for t in [[a, b, c], [a, c, d]] {
            fill_triangle(t, 10, 10, |x, y, _| count[10 * y + x] += 1);
        }
        assert!(count.iter().all(|&n| n >= 1), "every sample is covered");
    }

    #[test]
    fn every_sample_of_a_pixel_has_its_own_rank() {
        for samples in 1..=8 {
            for layer in 0..3 {
                let mut ranks: Vec<usize> = (0..samples * samples)
                    .map(|i| sample_rank(samples + i % samples, i / samples, samples, layer))
                    .collect();
                ranks.sort_unstable();
                assert!(ranks.into_iter().eq(0..samples * samples), "{samples} samples");
            }
        }
    }
}
