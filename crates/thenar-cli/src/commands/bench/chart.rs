//! A line chart as SVG.

use std::fmt::Write as _;

/// How one direction is labelled and scaled.
pub struct Axis {
    pub label: String,
    pub logarithmic: bool,
}

/// One line.
pub struct Series {
    pub name: String,
    pub colour: &'static str,
    pub points: Vec<(f64, f64)>,
    /// Draw a dot at every point.
    pub marks: bool,
}

/// A shaded span of the horizontal axis with its name.
pub struct Band {
    pub from: f64,
    pub to: f64,
    pub name: String,
}

/// The whole picture.
pub struct Chart {
    pub title: String,
    pub caption: String,
    pub x: Axis,
    pub y: Axis,
    pub series: Vec<Series>,
    pub bands: Vec<Band>,
}

const SIZE: (f64, f64) = (900.0, 420.0);
/// Left, right, top, bottom of the plotted field.
const FIELD: [f64; 4] = [64.0, 880.0, 64.0, 340.0];

/// From values to places along one axis.
struct Scale {
    logarithmic: bool,
    from: f64,
    to: f64,
    places: (f64, f64),
}

impl Scale {
    fn new(axis: &Axis, values: impl Iterator<Item = f64> + Clone, places: (f64, f64)) -> Self {
        let most = values.clone().fold(f64::MIN_POSITIVE, f64::max);
        let least = values.fold(f64::INFINITY, f64::min);
        // Logarithmic axes end a little outside the values, linear ones hold zero.
        let (from, to) = if axis.logarithmic { (least / 1.3, most * 1.3) } else { (least.min(0.0), most.max(1e-9)) };
        Scale { logarithmic: axis.logarithmic, from, to, places }
    }

    fn place(&self, value: f64) -> f64 {
        let share = if self.logarithmic {
            (value / self.from).ln() / (self.to / self.from).ln()
        } else {
            (value - self.from) / (self.to - self.from)
        };
        self.places.0 + share * (self.places.1 - self.places.0)
    }

    /// Round values inside the axis.
    fn ticks(&self) -> Vec<f64> {
        if self.logarithmic {
            let decades = self.from.log10().floor() as i32..=self.to.log10().ceil() as i32;
            let values = decades.flat_map(|d| [1.0, 2.0, 5.0].map(|m| m * 10f64.powi(d)));
            return values.filter(|v| (self.from..=self.to).contains(v)).collect();
        }
        let raw = (self.to - self.from) / 6.0;
        let power = 10f64.powf(raw.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|s| *s >= raw).unwrap_or(raw);
        let first = (self.from / step - 1e-9).ceil() as i64;
        let last = (self.to / step + 1e-9).floor() as i64;
        (first..=last).map(|k| k as f64 * step).collect()
    }
}

impl Chart {
    /// The picture as the text of an SVG file.
    pub fn svg(&self) -> String {
        let [left, right, top, bottom] = FIELD;
        let all = || self.series.iter().flat_map(|s| s.points.iter().copied());
        let x = Scale::new(&self.x, all().map(|p| p.0), (left, right));
        let y = Scale::new(&self.y, all().map(|p| p.1), (bottom, top));
        let mut svg = String::new();
        let (width, height) = SIZE;
        // Writing to a string cannot fail.
        let _ = writeln!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
             font-size=\"12\" fill=\"#222\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>"
        );
        text(&mut svg, left, 24.0, "start", "16", &self.title);
        text(&mut svg, left, height - 14.0, "start", "12", &self.caption);
        self.draw_bands(&mut svg, &x);
        self.draw_axes(&mut svg, &x, &y);
        for series in &self.series {
            series.draw(&mut svg, &x, &y);
        }
        for (k, series) in self.series.iter().enumerate() {
            let at = left + 150.0 * k as f64;
            let colour = series.colour;
            let _ = writeln!(svg, "<rect x=\"{at}\" y=\"33\" width=\"18\" height=\"4\" fill=\"{colour}\"/>");
            text(&mut svg, at + 24.0, 40.0, "start", "12", &series.name);
        }
        svg.push_str("</svg>\n");
        svg
    }

    fn draw_bands(&self, svg: &mut String, x: &Scale) {
        let [_, right, top, bottom] = FIELD;
        for (k, band) in self.bands.iter().enumerate() {
            let (from, to) = (x.place(band.from), x.place(band.to).min(right));
            let shade = if k % 2 == 0 { "#f1efe9" } else { "#faf9f6" };
            let (width, height) = (to - from, bottom - top);
            let _ = writeln!(
                svg,
                "<rect x=\"{from:.1}\" y=\"{top}\" width=\"{width:.1}\" height=\"{height}\" fill=\"{shade}\"/>"
            );
            text(svg, f64::midpoint(from, to), top + 14.0, "middle", "11", &band.name);
        }
    }

    fn draw_axes(&self, svg: &mut String, x: &Scale, y: &Scale) {
        let [left, right, top, bottom] = FIELD;
        for tick in x.ticks() {
            let at = x.place(tick);
            let _ = writeln!(svg, "<path d=\"M{at:.1} {bottom}v5\" stroke=\"#222\"/>");
            text(svg, at, bottom + 20.0, "middle", "12", &short(tick));
        }
        for tick in y.ticks() {
            let at = y.place(tick);
            let _ = writeln!(svg, "<path d=\"M{left} {at:.1}H{right}\" stroke=\"#ddd\" stroke-width=\"0.7\"/>");
            text(svg, left - 8.0, at + 4.0, "end", "12", &short(tick));
        }
        let _ = writeln!(svg, "<path d=\"M{left} {top}V{bottom}H{right}\" fill=\"none\" stroke=\"#222\"/>");
        text(svg, f64::midpoint(left, right), bottom + 40.0, "middle", "12", &self.x.label);
        let middle = f64::midpoint(top, bottom);
        let _ = writeln!(
            svg,
            "<text x=\"16\" y=\"{middle}\" text-anchor=\"middle\" transform=\"rotate(-90 16 {middle})\">{}</text>",
            escaped(&self.y.label)
        );
    }
}

impl Series {
    fn draw(&self, svg: &mut String, x: &Scale, y: &Scale) {
        let mut path = String::new();
        for (k, &(px, py)) in self.points.iter().enumerate() {
            let _ = write!(path, "{}{:.1} {:.1}", if k == 0 { 'M' } else { 'L' }, x.place(px), y.place(py));
        }
        let colour = self.colour;
        let _ = writeln!(svg, "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.2\"/>");
        for &(px, py) in self.points.iter().filter(|_| self.marks) {
            let (cx, cy) = (x.place(px), y.place(py));
            let _ = writeln!(svg, "<circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"3.5\" fill=\"{colour}\"/>");
        }
    }
}

fn text(svg: &mut String, x: f64, y: f64, anchor: &str, size: &str, words: &str) {
    let words = escaped(words);
    let _ =
        writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" font-size=\"{size}\">{words}</text>");
}

fn escaped(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;")
}

/// A tick's value without trailing zeros.
fn short(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(logarithmic: bool) -> Chart {
        Chart {
            title: "a < b".to_owned(),
            caption: String::new(),
            x: Axis { label: "x".to_owned(), logarithmic },
            y: Axis { label: "y".to_owned(), logarithmic },
            series: vec![Series {
                name: "line".to_owned(),
                colour: "#000",
                points: vec![(1.0, 2.0), (10.0, 8.0)],
                marks: true,
            }],
            bands: vec![Band { from: 1.0, to: 2.0, name: "band".to_owned() }],
        }
    }

    #[test]
    fn pictures_hold_their_words_and_stay_inside_their_frame() {
        for logarithmic in [false, true] {
            let svg = chart(logarithmic).svg();
            assert!(svg.contains("a &lt; b") && svg.contains(">band<") && svg.contains(">line<"));
            for circle in svg.lines().filter(|l| l.starts_with("<circle")) {
                let number = |name: &str| -> f64 {
                    let rest = circle.split(&format!("{name}=\"")).nth(1).unwrap();
                    rest.split('"').next().unwrap().parse().unwrap()
                };
                assert!((FIELD[0]..=FIELD[1]).contains(&number("cx")) && (FIELD[2]..=FIELD[3]).contains(&number("cy")));
            }
        }
    }

    #[test]
    fn ticks_are_round_numbers() {
        let axis = |logarithmic| Axis { label: String::new(), logarithmic };
        let linear = Scale::new(&axis(false), [0.3, 1.1].into_iter(), (0.0, 1.0));
        assert_eq!(
            linear.ticks().iter().map(|t| short(*t)).collect::<Vec<_>>(),
            ["0", "0.2", "0.4", "0.6", "0.8", "1"]
        );
        let logarithmic = Scale::new(&axis(true), [850.0, 10000.0].into_iter(), (0.0, 1.0));
        assert_eq!(logarithmic.ticks(), [1000.0, 2000.0, 5000.0, 10000.0]);
    }
}
