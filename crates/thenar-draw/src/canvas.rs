//! A picture in memory: linear RGB, with anti-aliased marks and text.

use crate::font::{advance, glyph};

/// A colour in linear RGB, 0 to 1.
pub type Rgb = [f32; 3];

/// An image of linear RGB pixels, rows from the top.
#[derive(Clone, Debug, PartialEq)]
pub struct Canvas {
    /// Pixels per row.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
    /// Pixels row by row from the top left.
    pub pixels: Vec<Rgb>,
}

/// Decodes an sRGB byte triple (as in `#rrggbb`) to linear RGB.
#[must_use]
pub fn srgb(hex: u32) -> Rgb {
    let decode = |byte: u32| {
        let s = (byte & 255) as f32 / 255.0;
        if s <= 0.040_45 { s / 12.92 } else { libm::powf((s + 0.055) / 1.055, 2.4) }
    };
    [decode(hex >> 16), decode(hex >> 8), decode(hex)]
}

/// Linear interpolation between two colours.
#[must_use]
pub fn mix(a: Rgb, b: Rgb, t: f32) -> Rgb {
    std::array::from_fn(|c| a[c] + t * (b[c] - a[c]))
}

impl Canvas {
    /// A picture of one colour.
    #[must_use]
    pub fn new(width: usize, height: usize, colour: Rgb) -> Self {
        Canvas { width, height, pixels: vec![colour; width * height] }
    }

    /// Copies `other` with its top left corner at (x, y); what falls outside is cut.
    pub fn place(&mut self, other: &Canvas, x: usize, y: usize) {
        let columns = other.width.min(self.width.saturating_sub(x));
        for row in 0..other.height.min(self.height.saturating_sub(y)) {
            let to = (y + row) * self.width + x;
            let from = row * other.width;
            self.pixels[to..to + columns].copy_from_slice(&other.pixels[from..from + columns]);
        }
    }

    /// Fills a rectangle.
    pub fn fill(&mut self, x: usize, y: usize, width: usize, height: usize, colour: Rgb) {
        let right = (x + width).min(self.width);
        for row in y..(y + height).min(self.height) {
            if x < right {
                self.pixels[row * self.width + x..row * self.width + right].fill(colour);
            }
        }
    }

    /// Draws a segment with round ends and soft edges; `thickness` in pixels.
    pub fn segment(&mut self, a: [f32; 2], b: [f32; 2], thickness: f32, colour: Rgb) {
        self.polyline(&[a, b], thickness, colour);
    }

    /// Draws connected segments as one stroke, so that overlaps at the corners do not darken.
    pub fn polyline(&mut self, points: &[[f32; 2]], thickness: f32, colour: Rgb) {
        let Some(&first) = points.first() else { return };
        let reach = 0.5 * thickness + 1.0;
        let (mut low, mut high) = (first, first);
        for p in points {
            for k in 0..2 {
                low[k] = low[k].min(p[k]);
                high[k] = high[k].max(p[k]);
            }
        }
        if !(low.iter().chain(&high).all(|v| v.is_finite())) {
            return;
        }
        let x0 = (low[0] - reach).max(0.0) as usize;
        let y0 = (low[1] - reach).max(0.0) as usize;
        let x1 = ((high[0] + reach).max(0.0) as usize + 1).min(self.width);
        let y1 = ((high[1] + reach).max(0.0) as usize + 1).min(self.height);
        for y in y0..y1 {
            for x in x0..x1 {
                let p = [x as f32 + 0.5, y as f32 + 0.5];
                let mut distance = f32::INFINITY;
                if points.len() == 1 {
                    distance = segment_distance(p, first, first);
                }
                for pair in points.windows(2) {
                    distance = distance.min(segment_distance(p, pair[0], pair[1]));
                }
                let cover = (0.5 * thickness + 0.5 - distance).clamp(0.0, 1.0);
                if cover > 0.0 {
                    let pixel = &mut self.pixels[y * self.width + x];
                    *pixel = mix(*pixel, colour, cover);
                }
            }
        }
    }

    /// Writes a line of text with capitals `size` pixels high, top left of the capitals at (x, y).
    pub fn text(&mut self, x: f32, y: f32, size: f32, colour: Rgb, text: &str) {
        let unit = size / 6.0;
        let thickness = (0.13 * size).max(1.0);
        let mut pen = x;
        for character in text.chars() {
            for stroke in glyph(character).strokes {
                let points: Vec<[f32; 2]> = stroke.iter().map(|p| [pen + unit * p[0], y + unit * p[1]]).collect();
                self.polyline(&points, thickness, colour);
            }
            pen += advance(character) * unit;
        }
    }

    /// The picture as sRGB bytes, three per pixel.
    #[must_use]
    pub fn to_srgb8(&self) -> Vec<u8> {
        const STEPS: usize = 4095;
        let table: Vec<u8> = (0..=STEPS)
            .map(|i| {
                let v = i as f32 / STEPS as f32;
                let s = if v <= 0.003_130_8 { 12.92 * v } else { 1.055 * libm::powf(v, 1.0 / 2.4) - 0.055 };
                (s * 255.0 + 0.5) as u8
            })
            .collect();
        let encode = |v: f32| table[(v.clamp(0.0, 1.0) * STEPS as f32 + 0.5) as usize];
        self.pixels.iter().flat_map(|p| p.map(encode)).collect()
    }
}

fn segment_distance(p: [f32; 2], a: [f32; 2], b: [f32; 2]) -> f32 {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let length2 = dx * dx + dy * dy;
    let t = if length2 > 0.0 { (((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / length2).clamp(0.0, 1.0) } else { 0.0 };
    let (ex, ey) = (p[0] - a[0] - t * dx, p[1] - a[1] - t * dy);
    (ex * ex + ey * ey).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn srgb_bytes_survive_the_way_through_linear_light() {
        let mut canvas = Canvas::new(256, 1, [0.0; 3]);
        for i in 0..256u32 {
            canvas.pixels[i as usize] = srgb(i << 16 | i << 8 | i);
        }
        let bytes = canvas.to_srgb8();
        for i in 0..256 {
            assert!((i32::from(bytes[3 * i]) - i as i32).abs() <= 1, "grey {i} came back as {}", bytes[3 * i]);
        }
    }

    #[test]
    fn marks_outside_the_picture_are_cut_not_fatal() {
        let mut canvas = Canvas::new(8, 8, [1.0; 3]);
        canvas.segment([-50.0, 4.0], [50.0, 4.0], 2.0, [0.0; 3]);
        canvas.segment([f32::NAN, 4.0], [50.0, 4.0], 2.0, [0.0; 3]);
        canvas.text(-20.0, -3.0, 6.0, [0.0; 3], "Thumb 12 %");
        canvas.fill(6, 6, 100, 100, [0.5; 3]);
        let whole = Canvas::new(20, 20, [0.2; 3]);
        canvas.place(&whole, 5, 5);
        assert_eq!(canvas.pixels[8 * 4 + 3], [0.0; 3]);
        assert_eq!(canvas.pixels[8 * 7 + 7], [0.2; 3]);
    }
}
