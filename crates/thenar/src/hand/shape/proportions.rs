//! Numbers of the adult shape: sections of the digits, rows of the palm, muscles, relief.
//!
//! Lengths are in units of the shape, which are millimetres for the adult preset. They are our own, drawn to look like
//! a hand; measures that come from the literature are in the anatomy instead.

use crate::hand::Digit;

/// Sections of a digit: [half width, dorsal, palmar] at stations (piece of the centreline, fraction), piece 0 being the
/// metacarpal. Scaled so that breadth and thickness at the PIP joint (thumb: IP) are the anatomy's.
pub struct DigitSections {
    pub stations: &'static [(usize, f64)],
    pub sections: &'static [[f64; 3]],
    /// Which station is the PIP (thumb: IP) joint.
    pub measured_at: usize,
    /// Length of the rounded tip.
    pub cap: f64,
    /// How far the tip rises towards the nail.
    pub lift: f64,
}

const FINGER_STATIONS: &[(usize, f64)] =
    &[(0, 0.0), (0, 0.5), (1, 0.0), (1, 0.45), (2, 0.0), (2, 0.5), (3, 0.0), (3, 0.5), (4, 0.0)];
const THUMB_STATIONS: &[(usize, f64)] = &[(0, 0.0), (0, 0.5), (1, 0.0), (1, 0.5), (2, 0.0), (2, 0.5), (3, 0.0)];

/// By [`Digit::index`].
#[rustfmt::skip]
pub const DIGITS: [DigitSections; 5] = [
    DigitSections {
        stations: THUMB_STATIONS, measured_at: 4, cap: 13.2, lift: 2.6,
        sections: &[[9.0, 9.0, 12.0], [9.5, 8.8, 13.0], [10.2, 9.6, 11.2], [9.4, 8.6, 9.8], [10.6, 8.6, 9.0],
                    [10.5, 7.0, 9.6], [9.9, 6.3, 9.2]],
    },
    DigitSections {
        stations: FINGER_STATIONS, measured_at: 4, cap: 10.2, lift: 2.0,
        sections: &[[4.0, 4.0, 4.0], [5.0, 5.0, 6.0], [9.4, 10.8, 9.5], [8.7, 8.2, 9.6], [9.2, 8.4, 8.3],
                    [8.1, 6.9, 8.4], [8.4, 6.8, 7.2], [8.0, 5.8, 7.8], [7.6, 5.3, 7.4]],
    },
    DigitSections {
        stations: FINGER_STATIONS, measured_at: 4, cap: 10.6, lift: 2.0,
        sections: &[[4.0, 4.0, 4.0], [5.0, 5.0, 6.0], [8.8, 11.0, 9.5], [8.8, 8.4, 9.8], [9.4, 8.6, 8.5],
                    [8.3, 7.1, 8.6], [8.6, 7.0, 7.4], [8.2, 6.0, 8.0], [7.8, 5.5, 7.6]],
    },
    DigitSections {
        stations: FINGER_STATIONS, measured_at: 4, cap: 10.1, lift: 1.9,
        sections: &[[4.0, 4.0, 4.0], [4.8, 4.8, 6.0], [8.2, 10.3, 9.2], [8.0, 7.8, 9.2], [8.7, 8.0, 8.0],
                    [7.6, 6.6, 8.0], [7.9, 6.5, 6.9], [7.6, 5.6, 7.5], [7.2, 5.1, 7.1]],
    },
    DigitSections {
        stations: FINGER_STATIONS, measured_at: 4, cap: 9.0, lift: 1.7,
        sections: &[[4.0, 4.0, 4.0], [4.6, 4.6, 6.0], [8.4, 9.4, 8.8], [7.2, 6.9, 8.2], [7.6, 7.0, 7.0],
                    [6.7, 5.8, 7.0], [7.0, 5.8, 6.1], [6.7, 5.0, 6.6], [6.4, 4.5, 6.2]],
    },
];

/// Squareness of the digits' sections.
pub const DIGIT_SQUARENESS: f64 = 0.23;
/// How far before and after a joint the centreline bends.
pub const FILLET: f64 = 6.0;

/// One station of the palm's loft: `t` along (0 wrist, 1 knuckles), edges in x, dorsal and palmar heights, how much the
/// sides drop (per x²), squareness.
pub struct PalmRow {
    pub t: f64,
    pub radial: f64,
    pub ulnar: f64,
    pub dorsal: f64,
    pub palmar: f64,
    pub arch: f64,
    pub squareness: f64,
}

const fn row(t: f64, [radial, ulnar]: [f64; 2], [dorsal, palmar]: [f64; 2], arch: f64, squareness: f64) -> PalmRow {
    PalmRow { t, radial, ulnar, dorsal, palmar, arch, squareness }
}

/// From the stub of the forearm to past the knuckles.
pub const PALM: [PalmRow; 9] = [
    row(-0.35, [-29.0, 29.5], [20.0, 20.0], 0.0, 0.13),
    row(-0.15, [-28.5, 29.0], [19.5, 19.5], 0.0, 0.13),
    row(0.0, [-28.0, 28.5], [18.0, 18.5], 0.001, 0.13),
    row(0.15, [-29.5, 31.0], [16.0, 18.0], 0.0022, 0.23),
    row(0.32, [-32.0, 36.0], [13.5, 16.5], 0.0032, 0.39),
    row(0.55, [-34.5, 40.5], [12.0, 15.0], 0.0037, 0.45),
    row(0.8, [-36.5, 43.0], [10.9, 14.0], 0.0037, 0.45),
    row(1.0, [-36.4, 42.9], [9.0, 13.0], 0.0036, 0.39),
    row(1.2, [-33.5, 40.3], [6.2, 12.2], 0.0035, 0.23),
];
/// Stations of [`PALM`] where the anatomy's wrist and palm are measured, and where the knuckles are.
pub const WRIST_ROW: usize = 2;
pub const METACARPAL_ROW: usize = 5;
pub const KNUCKLE_ROW: usize = 7;
/// Adult measures that go with the rows: knuckles of index and little finger in x, breadth of the whole hand there,
/// thickness of the palm, length of the hand.
pub const ADULT_KNUCKLES_X: [f64; 2] = [-25.5, 35.9];
pub const ADULT_BREADTH: f64 = 84.0;
pub const ADULT_THICKNESS: f64 = 29.0;
pub const ADULT_LENGTH: f64 = 185.4;
/// Thickness of the metacarpal row as drawn; the adult's is [`ADULT_THICKNESS`].
pub const DRAWN_THICKNESS: f64 = 26.5;

/// Where the forearm is cut, and how round the cut's edge is.
pub const STUB: f64 = 28.0;
pub const STUB_ROUNDING: f64 = 7.0;
/// The rounded end of the palm that makes the webs: its length, how far it drops towards the palm, and how far it
/// reaches beyond the line of webs in the middle and, in addition, at the edges.
pub const WEB_END: f64 = 17.0;
pub const WEB_DROP: f64 = 3.5;
pub const WEB_REACH: [f64; 2] = [-0.3, 5.0];

/// A place on a bone: digit, piece of its chain, fraction along it, offset in its frame.
pub struct Anchor {
    pub digit: Digit,
    pub bone: usize,
    pub fraction: f64,
    pub offset: [f64; 3],
}

const fn on(digit: Digit, bone: usize, fraction: f64, offset: [f64; 3]) -> Anchor {
    Anchor { digit, bone, fraction, offset }
}

/// A muscle: a straight sweep between two anchors with three sections, blended into the palm.
pub struct MusclePlan {
    pub axis: [Anchor; 2],
    pub sections: [[f64; 3]; 3],
    pub cap: f64,
    pub up: [f64; 3],
    pub blend: f64,
}

/// Thenar, hypothenar, first dorsal interosseous, first web.
pub const MUSCLES: [MusclePlan; 4] = [
    MusclePlan {
        axis: [on(Digit::Thumb, 0, -0.14, [6.0, -7.0, 0.0]), on(Digit::Thumb, 0, 0.92, [-1.0, -4.0, 0.0])],
        sections: [[8.5, 7.0, 7.0], [16.5, 11.0, 15.0], [7.0, 7.0, 8.0]],
        cap: 8.0,
        up: [0.35, 1.0, 0.0],
        blend: 16.0,
    },
    MusclePlan {
        axis: [on(Digit::Little, 0, -0.25, [5.0, -8.0, 0.0]), on(Digit::Little, 0, 0.8, [4.0, -5.0, 0.0])],
        sections: [[8.0, 8.0, 9.0], [12.0, 10.0, 14.2], [7.0, 7.0, 7.5]],
        cap: 10.0,
        up: [-0.3, 1.0, 0.0],
        blend: 14.0,
    },
    MusclePlan {
        axis: [on(Digit::Index, 0, 0.1, [-8.0, -4.0, 0.0]), on(Digit::Index, 0, 0.85, [-4.0, -3.0, 0.0])],
        sections: [[5.0, 5.0, 6.0], [9.0, 7.0, 8.0], [6.0, 6.0, 7.0]],
        cap: 7.0,
        up: [-0.3, 1.0, 0.0],
        blend: 10.0,
    },
    MusclePlan {
        axis: [on(Digit::Index, 0, 0.7, [3.0, -8.0, 0.0]), on(Digit::Thumb, 0, 0.86, [2.0, -2.0, 0.0])],
        sections: [[12.0, 5.5, 9.0], [8.5, 5.0, 7.0], [9.0, 6.0, 7.0]],
        cap: 5.0,
        up: [-0.5, 1.0, 0.2],
        blend: 15.0,
    },
];
/// Index in [`MUSCLES`] of the thenar and the hypothenar.
pub const THENAR: usize = 0;
pub const HYPOTHENAR: usize = 1;

/// A broad bump (negative: hollow) hung on a bone, with radii along the axes of the hand.
pub struct BumpPlan {
    pub at: Anchor,
    pub size: [f64; 3],
    pub height: f64,
}

const fn bump(at: Anchor, size: [f64; 3], height: f64) -> BumpPlan {
    BumpPlan { at, size, height }
}

/// Hollow of the palm, pads under the webs, adductor.
pub const BUMPS: [BumpPlan; 5] = [
    bump(on(Digit::Middle, 0, 0.4, [3.0, -16.0, 0.0]), [15.0, 12.0, 20.0], -3.0),
    bump(on(Digit::Middle, 1, 0.15, [-12.0, -15.0, 0.0]), [6.5, 7.0, 8.0], 1.3),
    bump(on(Digit::Ring, 1, 0.17, [-10.0, -14.0, 0.0]), [6.5, 7.0, 8.0], 1.3),
    bump(on(Digit::Little, 1, 0.17, [-9.0, -12.0, 0.0]), [6.5, 7.0, 8.0], 1.3),
    bump(on(Digit::Index, 0, 0.5, [-6.0, -15.0, 0.0]), [11.0, 9.0, 10.0], 3.5),
];
/// The head of the ulna: place in the hand frame, size, height.
pub const ULNA_HEAD: ([f64; 3], [f64; 3], f64) = ([21.0, 15.0, 12.0], [8.0, 9.0, 9.0], 2.4);

/// A groove (negative) or ridge on the palm or the back, through points (u across: -1 radial to 1 ulnar, t along).
pub struct LinePlan {
    pub dorsal: bool,
    pub path: &'static [[f64; 2]],
    pub width: f64,
    pub height: f64,
    /// Fraction of its length over which either end fades.
    pub taper: f64,
}

const fn crease(path: &'static [[f64; 2]], height: f64, taper: f64) -> LinePlan {
    LinePlan { dorsal: false, path, width: 2.9, height, taper }
}

const fn tendon(path: &'static [[f64; 2]], width: f64, height: f64) -> LinePlan {
    LinePlan { dorsal: true, path, width, height, taper: 0.3 }
}

/// Thenar, proximal, distal and wrist crease; extensor tendons of index, middle, ring and little finger.
#[rustfmt::skip]
pub const LINES: [LinePlan; 8] = [
    crease(&[[-0.986, 0.813], [-0.589, 0.744], [-0.213, 0.585], [-0.04, 0.393], [-0.089, 0.13]], -0.65, 0.35),
    crease(&[[-0.985, 0.825], [-0.438, 0.726], [0.074, 0.641], [0.616, 0.54]], -0.59, 0.25),
    crease(&[[0.965, 0.925], [0.619, 0.86], [0.119, 0.857], [-0.255, 0.919], [-0.406, 1.05]], -0.59, 0.25),
    crease(&[[-0.858, -0.011], [-0.011, 0.044], [0.841, -0.012]], -0.34, 0.3),
    tendon(&[[-0.222, 0.087], [-0.462, 0.433], [-0.629, 0.923]], 2.8, 0.34),
    tendon(&[[-0.084, 0.087], [-0.128, 0.435], [-0.131, 0.934]], 2.8, 0.42),
    tendon(&[[0.087, 0.088], [0.176, 0.447], [0.293, 0.894]], 2.8, 0.3),
    tendon(&[[0.258, 0.089], [0.419, 0.466], [0.692, 0.896]], 2.6, 0.2),
];

/// How parts flow together: fingers with the palm; the thumb with the palm at its root and past its knuckle; fingers
/// with one another at the webs and past them, and over which distance beyond the webs that changes.
pub const BLEND_RAY: f64 = 12.0;
pub const BLEND_THUMB: [f64; 2] = [16.0, 3.0];
pub const BLEND_FINGERS: [f64; 2] = [8.0, 0.6];
pub const BLEND_FADE: [f64; 2] = [-4.0, 8.0];

/// The nail plate: length and width relative to the half width of the finger, distance of its edge from the tip, power
/// of its outline, how far it stands out and how deep the groove around it is.
pub const NAIL_LENGTH: f64 = 1.6;
pub const NAIL_WIDTH: f64 = 0.74;
pub const NAIL_EDGE: f64 = 1.3;
pub const NAIL_RAISE: f64 = 0.35;
pub const NAIL_GROOVE: f64 = 0.35;

/// Flexion creases on the palm side of the joints: depth, width, how far they bow, and where on the proximal phalanx
/// the root crease is.
pub const CREASE_DEPTH: f64 = 0.5;
pub const CREASE_WIDTH: f64 = 2.4;
pub const CREASE_BOW: f64 = 1.2;
pub const CREASE_ROOT: f64 = 0.45;

/// A fold of skin on the back of a joint: distance from the joint, depth, slant and curvature of the line.
pub type Fold = [f64; 4];
/// Folds of the PIP joints, uneven as on a real hand; each finger takes them shifted by its own number.
pub const FOLDS: [Fold; 5] = [
    [-5.3, 0.10, 0.06, 1.2],
    [-2.6, 0.20, -0.04, 0.6],
    [0.3, 0.24, 0.05, -0.2],
    [2.7, 0.17, -0.08, -0.9],
    [5.6, 0.09, 0.03, -1.6],
];
pub const FOLD_WIDTH: f64 = 1.5;
