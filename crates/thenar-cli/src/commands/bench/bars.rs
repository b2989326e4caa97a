//! Stacked bars as SVG.

use std::fmt::Write as _;

/// One bar.
pub struct Bar {
    pub name: String,
    /// Bars of one group stand together.
    pub group: String,
    /// Heights, from the bottom up.
    pub parts: Vec<f64>,
}

/// The whole picture.
pub struct Bars {
    pub title: String,
    pub caption: String,
    pub unit: String,
    /// Name and colour of each part.
    pub parts: Vec<(&'static str, &'static str)>,
    pub bars: Vec<Bar>,
}

const SIZE: (f64, f64) = (900.0, 420.0);
/// Left, right, top, bottom of the plotted field.
const FIELD: [f64; 4] = [64.0, 880.0, 64.0, 330.0];

impl Bars {
    /// The picture as the text of an SVG file.
    pub fn svg(&self) -> String {
        let ([left, right, top, bottom], (width, height)) = (FIELD, SIZE);
        let most = self.bars.iter().map(|b| b.parts.iter().sum::<f64>()).fold(f64::MIN_POSITIVE, f64::max);
        let high = |value: f64| value / most * (bottom - top);
        let mut svg = String::new();
        // Writing to a string cannot fail.
        let _ = writeln!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
             font-size=\"12\" fill=\"#222\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>"
        );
        text(&mut svg, left, 24.0, "start", &self.title);
        text(&mut svg, left, height - 14.0, "start", &self.caption);
        text(&mut svg, 8.0, top - 8.0, "start", &self.unit);
        for (k, (name, colour)) in self.parts.iter().enumerate() {
            let at = left + 150.0 * k as f64;
            let _ = writeln!(svg, "<rect x=\"{at}\" y=\"33\" width=\"18\" height=\"8\" fill=\"{colour}\"/>");
            text(&mut svg, at + 24.0, 41.0, "start", name);
        }
        for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
            let y = bottom - share * (bottom - top);
            let _ = writeln!(svg, "<path d=\"M{left} {y}H{right}\" stroke=\"#ddd\"/>");
            text(&mut svg, left - 6.0, y + 4.0, "end", &format!("{:.2}", share * most));
        }
        let wide = (right - left) / self.bars.len().max(1) as f64;
        let mut group = "";
        for (k, bar) in self.bars.iter().enumerate() {
            let (x, mut y) = (left + (k as f64 + 0.15) * wide, bottom);
            for (part, (_, colour)) in bar.parts.iter().zip(&self.parts) {
                y -= high(*part);
                let (w, h) = (0.7 * wide, high(*part));
                let _ = writeln!(
                    svg,
                    "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" fill=\"{colour}\"/>"
                );
            }
            // two lines: the figure, and what it counts
            for (line, word) in bar.name.splitn(2, ' ').enumerate() {
                text(&mut svg, x + 0.35 * wide, bottom + 16.0 + 14.0 * line as f64, "middle", word);
            }
            if bar.group != group {
                group = &bar.group;
                text(&mut svg, x, bottom + 50.0, "start", group);
            }
        }
        svg.push_str("</svg>\n");
        svg
    }
}

fn text(svg: &mut String, x: f64, y: f64, anchor: &str, words: &str) {
    let words = words.replace('&', "&amp;").replace('<', "&lt;");
    let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{words}</text>");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_bar_fills_the_field_and_all_parts_are_drawn() {
        let bar = |name: &str, parts: [f64; 2]| Bar { name: name.into(), group: "a < b".into(), parts: parts.to_vec() };
        let bars = Bars {
            title: "title".into(),
            caption: String::new(),
            unit: "ms".into(),
            parts: vec![("one", "#111111"), ("two", "#222222")],
            bars: vec![bar("1 thing", [1.0, 3.0]), bar("2 things", [1.0, 0.5])],
        };
        let svg = bars.svg();
        assert!(svg.contains("a &lt; b") && svg.contains(">things<"));
        assert_eq!(svg.matches("fill=\"#111111\"").count(), 3, "a key and two parts");
        assert!(svg.contains(&format!("y=\"{:.1}\"", FIELD[2])), "{svg}");
    }
}
