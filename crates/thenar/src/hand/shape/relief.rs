//! Relief of palm and back: broad bumps hung on bones, creases and tendons drawn in plan.

use super::blend::{bell, smooth_step};
use super::palm::PalmShape;
use super::proportions as p;
use super::section::Profile;
use crate::hand::rest_pose::DigitChain;
use crate::math::Vec3;

#[derive(Clone, Debug)]
struct Bump {
    centre: Vec3,
    size: Vec3,
    height: f64,
}

#[derive(Clone, Debug)]
struct Line {
    /// Polyline in (x, z).
    points: Vec<[f64; 2]>,
    low: [f64; 2],
    high: [f64; 2],
    sign: f64,
    width: f64,
    height: f64,
    taper: f64,
}

/// Everything that is added to the smooth body of the palm.
#[derive(Clone, Debug)]
pub struct Relief {
    bumps: Vec<Bump>,
    lines: Vec<Line>,
}

/// Steps in which the curve of a line is drawn.
const STEPS: usize = 12;

impl Relief {
    /// Chains in metres; `scale` turns drawn offsets and sizes into this hand's, per axis of the hand.
    pub fn new(chains: &[DigitChain; 5], palm: &PalmShape, unit: f64, scale: Vec3) -> Relief {
        let mut bumps: Vec<Bump> = (p::BUMPS.iter())
            .map(|b| Bump {
                centre: anchor(&b.at, chains, unit, scale),
                size: Vec3::from(b.size) * scale,
                height: b.height,
            })
            .collect();
        let (centre, size, height) = p::ULNA_HEAD;
        bumps.push(Bump { centre: Vec3::from(centre) * scale, size: Vec3::from(size) * scale, height });
        Relief { bumps, lines: p::LINES.iter().map(|l| Line::new(l, palm)).collect() }
    }

    /// How far the skin stands out at a point near it.
    pub fn height(&self, q: Vec3) -> f64 {
        let bumps: f64 = self.bumps.iter().map(|b| b.height * bell(((q - b.centre) / b.size).length_squared())).sum();
        bumps + self.lines.iter().map(|l| l.height_at(q)).sum::<f64>()
    }
}

/// An anchor's place in units of the shape.
pub fn anchor(anchor: &p::Anchor, chains: &[DigitChain; 5], unit: f64, scale: Vec3) -> Vec3 {
    let offset = Vec3::from(anchor.offset) * scale * unit;
    chains[anchor.digit.index()].anchor(anchor.bone, anchor.fraction, offset) / unit
}

impl Line {
    fn new(plan: &p::LinePlan, palm: &PalmShape) -> Line {
        let last = (plan.path.len() - 1) as f64;
        let curve = Profile::new((0..plan.path.len()).map(|i| i as f64 / last).collect(), plan.path.to_vec());
        let points: Vec<[f64; 2]> = (0..=STEPS).map(|i| palm.plan_point(curve.at(i as f64 / STEPS as f64))).collect();
        let margin = 2.0 * plan.width;
        let low = [0, 1].map(|a| points.iter().map(|q| q[a]).fold(f64::INFINITY, f64::min) - margin);
        let high = [0, 1].map(|a| points.iter().map(|q| q[a]).fold(f64::NEG_INFINITY, f64::max) + margin);
        let sign = if plan.dorsal { 1.0 } else { -1.0 };
        Line { points, low, high, sign, width: plan.width, height: plan.height, taper: plan.taper }
    }

    fn height_at(&self, q: Vec3) -> f64 {
        let at = [q.x, q.z];
        let outside = (0..2).any(|a| at[a] < self.low[a] || at[a] > self.high[a]);
        let side = smooth_step(-3.0, 3.0, q.y * self.sign - 4.0);
        if outside || side == 0.0 {
            return 0.0;
        }
        let (mut nearest, mut parameter) = (f64::INFINITY, 0.0);
        for (i, pair) in self.points.windows(2).enumerate() {
            let [a, b] = [pair[0], pair[1]];
            let (e, r) = ([b[0] - a[0], b[1] - a[1]], [at[0] - a[0], at[1] - a[1]]);
            let t = ((r[0] * e[0] + r[1] * e[1]) / (e[0] * e[0] + e[1] * e[1])).clamp(0.0, 1.0);
            let d = (r[0] - t * e[0]).powi(2) + (r[1] - t * e[1]).powi(2);
            if d < nearest {
                nearest = d;
                parameter = (i as f64 + t) / STEPS as f64;
            }
        }
        let ends = smooth_step(0.0, self.taper, parameter) * smooth_step(0.0, self.taper, 1.0 - parameter);
        self.height * side * ends * bell(nearest / (self.width * self.width))
    }
}
