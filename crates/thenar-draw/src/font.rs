//! A tiny stroke font: every glyph is a handful of pen strokes on a grid, drawn with round ends at any size.
//!
//! Grid: x to the right, y down; capitals span y 0 to 6, small letters start at 2, descenders end at 8. A stroke is a list
//! of two-digit points; `~` in front rounds its corners; a single point is a dot.

/// Strokes of one glyph as polylines in grid units.
pub(crate) struct Glyph {
    pub strokes: Vec<Vec<[f32; 2]>>,
    /// Width of the ink, grid units.
    pub width: f32,
}

/// Space between the inks of neighbouring glyphs, grid units.
const GAP: f32 = 1.7;
const SPACE: f32 = 2.4;

fn strokes_of(character: char) -> &'static str {
    match character {
        'A' => "062046 1434",
        'B' => "0006 ~00303303 ~03434606",
        'C' => "~414000064645",
        'D' => "0006 ~00404606",
        'E' => "40000646 0333",
        'F' => "400006 0333",
        'G' => "~414000064643 4323",
        'H' => "0006 4046 0343",
        'I' | 'l' | '|' => "0006",
        'J' => "~30360604",
        'K' => "0006 4003 0346",
        'L' => "000646",
        'M' => "0600234046",
        'N' => "06004640",
        'O' | '0' => "~200006464020",
        'P' => "0600 ~00404303",
        'Q' => "~200006464020 2446",
        'R' => "0600 ~00404303 2346",
        'S' => "~4140000343460605",
        'T' => "0040 2026",
        'U' => "~00064640",
        'V' => "002640",
        'W' => "0016223640",
        'X' => "0046 4006",
        'Y' => "002340 2326",
        'Z' => "00400646",
        'a' => "~343202063634 3236",
        'b' => "0006 ~040232360604",
        'c' => "~333202063635",
        'd' => "3036 ~343202063634",
        'e' => "0434 ~34320204 ~04063635",
        'f' => "~301016 0222",
        'g' => "~343202063634 ~32380807",
        'h' => "0006 ~04023236",
        'i' => "0206 00",
        'j' => "~121808 10",
        'k' => "0006 320436",
        'm' => "0206 ~04022226 ~24224246",
        'n' => "0206 ~04023236",
        'o' => "~040232360604",
        'p' => "0208 ~040232360604",
        'q' => "3238 ~343202063634",
        'r' => "0206 ~040222",
        's' => "~3332020434360605",
        't' => "~101636 0232",
        'u' => "~02063634 3236",
        'v' => "022642",
        'w' => "0216233642",
        'x' | '×' => "0236 3206",
        'y' => "0226 4218",
        'z' => "02320636",
        'µ' => "0208 ~02063634 3236",
        '1' => "012026",
        '2' => "~01004042 420646",
        '3' => "~0100404323 ~2343460605",
        '4' => "36300444",
        '5' => "400002 ~0242460605",
        '6' => "~300006464303 0304",
        '7' => "004016",
        '8' => "~200003434020 ~230306464323",
        '9' => "~430300404616",
        '.' => "06",
        ',' => "0607",
        ':' => "03 06",
        ';' => "03 0607",
        '-' | '–' => "0434",
        '_' => "0747",
        '+' => "0444 2226",
        '/' => "0640",
        '%' => "0640 00 46",
        '(' => "~10000616",
        ')' => "~00101606",
        '[' => "10000616",
        ']' => "00101606",
        '=' => "0333 0535",
        '<' => "320436",
        '>' => "023406",
        '\'' => "0001",
        '"' => "0001 2021",
        '°' => "~100002222010",
        '²' => "0020210323",
        '³' => "00202303 0222",
        '#' => "1016 3036 0242 0444",
        '*' => "2024 0143 4103",
        '!' => "0004 06",
        '?' => "~0100404323 2324 26",
        '~' => "~0503244544",
        _ => "0006464000",
    }
}

pub(crate) fn glyph(character: char) -> Glyph {
    if character == ' ' {
        return Glyph { strokes: Vec::new(), width: SPACE };
    }
    let mut strokes = Vec::new();
    let mut width: f32 = 0.0;
    for word in strokes_of(character).split(' ') {
        let smooth = word.starts_with('~');
        let digits: Vec<f32> = word.bytes().filter(u8::is_ascii_digit).map(|b| f32::from(b - b'0')).collect();
        let mut points: Vec<[f32; 2]> = digits.chunks_exact(2).map(|p| [p[0], p[1]]).collect();
        width = points.iter().fold(width, |w, p| w.max(p[0]));
        if smooth {
            for _ in 0..3 {
                points = round_corners(&points);
            }
        }
        strokes.push(points);
    }
    Glyph { strokes, width }
}

/// Corner cutting that keeps the end points (Chaikin 1974).
fn round_corners(points: &[[f32; 2]]) -> Vec<[f32; 2]> {
    let mix = |a: [f32; 2], b: [f32; 2], t: f32| [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])];
    let last = points.len() - 1;
    let mut out = vec![points[0]];
    for (i, pair) in points.windows(2).enumerate() {
        if i > 0 {
            out.push(mix(pair[0], pair[1], 0.25));
        }
        if i + 1 < last {
            out.push(mix(pair[0], pair[1], 0.75));
        }
    }
    out.push(points[last]);
    out
}

/// Distance from the start of a glyph to the start of the next, grid units.
pub(crate) fn advance(character: char) -> f32 {
    glyph(character).width + GAP
}

/// Width of a line of text whose capitals are `size` pixels high.
#[must_use]
pub fn text_width(text: &str, size: f32) -> f32 {
    let units: f32 = text.chars().map(advance).sum();
    (units - GAP).max(0.0) * size / 6.0
}
