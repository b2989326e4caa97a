//! Lines and dots over a shaded picture, tested against its depth.

use crate::camera::{NEAR, View};
use crate::canvas::{Rgb, mix};
use crate::raster::Visibility;
use crate::scene3::{Line, Point};
use thenar::math::Vec3;

/// Marks lie on surfaces; they win against what is this much nearer (a fraction of the depth).
const LIFT: f64 = 0.0025;

fn is_hidden(view: &View, seen: &Visibility, index: usize, depth: f64) -> bool {
    let front = f64::from(seen.nearness[index]);
    front.is_finite() && view.depth(front) < depth * (1.0 - LIFT)
}

/// Draws a line as a band of `thickness` pixels; `samples` are the samples per pixel.
pub(crate) fn draw_line(line: &Line, view: &View, seen: &Visibility, fine: &mut [Rgb], samples: f64) {
    let (mut a, mut b) = (view.camera_axes(line.a), view.camera_axes(line.b));
    if !(a.is_finite() && b.is_finite()) || (a.z < NEAR && b.z < NEAR) {
        return;
    }
    let at_near = |from: Vec3, to: Vec3| from.lerp(to, (NEAR - from.z) / (to.z - from.z));
    if a.z < NEAR {
        a = at_near(a, b);
    } else if b.z < NEAR {
        b = at_near(b, a);
    }
    let (pa, pb) = (view.project(a), view.project(b));
    let half = 0.5 * f64::from(line.thickness) * samples;
    let (dx, dy) = (pb[0] - pa[0], pb[1] - pa[1]);
    let length2 = dx * dx + dy * dy;
    let length = length2.sqrt().max(1e-9);
    let clamp = |v: f64, limit: usize| v.clamp(0.0, limit as f64) as usize;
    let (y0, y1) =
        (clamp(pa[1].min(pb[1]) - half, seen.height), clamp((pa[1].max(pb[1]) + half).ceil() + 1.0, seen.height));
    for y in y0..y1 {
        let py = y as f64 + 0.5 - pa[1];
        // The part of the row inside the band: |dx·py − dy·px| ≤ half·length, cut to the segment's box.
        let (mut left, mut right) = (pa[0].min(pb[0]) - half, pa[0].max(pb[0]) + half);
        if dy.abs() > 1e-9 {
            let middle = dx * py / dy;
            let reach = (half * length / dy).abs();
            left = left.max(pa[0] + middle - reach);
            right = right.min(pa[0] + middle + reach);
        }
        if left > right {
            continue;
        }
        for x in clamp(left, seen.width)..clamp(right.ceil() + 1.0, seen.width) {
            let px = x as f64 + 0.5 - pa[0];
            let t = ((px * dx + py * dy) / length2.max(1e-18)).clamp(0.0, 1.0);
            let (ex, ey) = (px - t * dx, py - t * dy);
            if ex * ex + ey * ey > half * half {
                continue;
            }
            let index = y * seen.width + x;
            let depth = view.depth(pa[2] + t * (pb[2] - pa[2]));
            let opacity = if is_hidden(view, seen, index, depth) { line.hidden } else { line.opacity };
            fine[index] = mix(fine[index], line.colour, opacity);
        }
    }
}

/// Draws a dot of `radius` pixels.
pub(crate) fn draw_point(point: &Point, view: &View, seen: &Visibility, fine: &mut [Rgb], samples: f64) {
    let c = view.camera_axes(point.at);
    if !c.is_finite() || c.z < NEAR {
        return;
    }
    let [px, py, _] = view.project(c);
    let radius = f64::from(point.radius) * samples;
    // A dot on a surface is a small ball: its front decides what hides it.
    let front = c.z - radius / view.samples_per_metre(c.z);
    let clamp = |v: f64, limit: usize| v.clamp(0.0, limit as f64) as usize;
    for y in clamp(py - radius, seen.height)..clamp(py + radius + 1.0, seen.height) {
        for x in clamp(px - radius, seen.width)..clamp(px + radius + 1.0, seen.width) {
            let (ex, ey) = (x as f64 + 0.5 - px, y as f64 + 0.5 - py);
            if ex * ex + ey * ey <= radius * radius {
                let index = y * seen.width + x;
                let opacity = if is_hidden(view, seen, index, front) { point.hidden } else { 1.0 };
                fine[index] = mix(fine[index], point.colour, opacity);
            }
        }
    }
}
