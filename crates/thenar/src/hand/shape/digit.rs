//! One digit: a sweep with a nail, flexion creases and the folds over its knuckles.

use super::blend::{bell, smooth_step};
use super::proportions as p;
use super::sweep::{Along, Sweep, SweepPlan};
use crate::hand::rest_pose::DigitChain;
use crate::hand::{Digit, DigitAnatomy};
use crate::math::Vec3;

/// Relief is only worth computing this near to the skin.
const RELIEF_REACH: f64 = 5.0;

/// The shape of one digit, in units of the shape.
#[derive(Clone, Debug)]
pub struct DigitShape {
    digit: Digit,
    sweep: Sweep,
}

impl DigitShape {
    /// `chain` and `anatomy` in metres; `unit` is the length of a unit of the shape.
    pub fn new(digit: Digit, anatomy: &DigitAnatomy, chain: &DigitChain, unit: f64) -> DigitShape {
        let plan = &p::DIGITS[digit.index()];
        let [width, dorsal, palmar] = plan.sections[plan.measured_at];
        let breadth = anatomy.breadth / unit / (2.0 * width);
        let thickness = anatomy.thickness / unit / (dorsal + palmar);
        let sections: Vec<[f64; 3]> =
            plan.sections.iter().map(|&[w, d, p]| [w * breadth, d * thickness, p * thickness]).collect();

        // The swept line ends where the rounded tip begins.
        let distal = chain.joints()[chain.joints().len() - 1].position / unit;
        let tip = chain.tip().position / unit;
        let cap = (plan.cap * breadth).min(0.7 * tip.distance(distal));
        let mut corners: Vec<Vec3> = chain.joints().iter().map(|j| j.position / unit).collect();
        corners.push(tip - (tip - distal).normalize() * cap);
        let lateral: Vec<Vec3> = chain.joints().iter().map(|j| j.rotation * Vec3::X).collect();
        let shortest = corners.windows(2).map(|w| w[0].distance(w[1])).fold(f64::INFINITY, f64::min);
        let sweep = Sweep::new(&SweepPlan {
            corners: &corners,
            lateral: &lateral,
            fillet: p::FILLET.min(0.45 * shortest),
            stations: plan.stations,
            sections: &sections,
            caps: [6.0, cap],
            squareness: p::DIGIT_SQUARENESS,
            lift: plan.lift * thickness,
        });
        DigitShape { digit, sweep }
    }

    /// Arc lengths of metacarpal base, each joint and the end of the straight part.
    pub fn joints(&self) -> &[f64] {
        &self.sweep.corners
    }

    /// Arc length at the end of the fingertip.
    pub fn tip(&self) -> f64 {
        self.sweep.tip()
    }

    /// Half width, dorsal and palmar height at an arc length.
    pub fn section(&self, s: f64) -> [f64; 3] {
        self.sweep.section(s)
    }

    /// A number no greater than the distance to the digit.
    pub fn bound(&self, q: Vec3) -> f64 {
        self.sweep.bound(q) - 1.0
    }

    /// Coordinates of a point along the digit and its distance from the digit's skin, with nail, creases and folds.
    pub fn locate(&self, q: Vec3) -> Along {
        let mut along = self.sweep.locate(q);
        if along.distance.abs() < RELIEF_REACH {
            along.distance += self.creases(&along) + self.folds(&along) - self.nail_relief(&along);
        }
        along
    }

    /// Across and along the nail, from −1 to 1 on its plate and 1 along at its free edge.
    pub fn nail_place(&self, along: &Along) -> [f64; 2] {
        let half_length = 0.5 * p::NAIL_LENGTH * along.width;
        let centre = self.sweep.tip() - p::NAIL_EDGE - half_length;
        [along.x / (p::NAIL_WIDTH * along.width), (along.s - centre) / half_length]
    }

    /// Less than 1 on the nail plate: a rounded rectangle in width and length, drawn as a superellipse of power 4 in
    /// which the root end is rounder.
    pub fn nail(&self, along: &Along) -> f64 {
        let [x, z] = self.nail_place(along);
        let (x2, z2) = (x * x, z * z);
        let sum = x2 + z2;
        (0.5 * (sum + (sum * sum - 4.0 * 0.55 * x2 * z2).max(0.0).sqrt())).sqrt()
    }

    fn nail_relief(&self, along: &Along) -> f64 {
        let joints = self.joints();
        if along.y <= 0.0 || along.s < joints[joints.len() - 2] {
            return 0.0;
        }
        let e = self.nail(along);
        let groove = (e - 1.16) / 0.16;
        let plate = p::NAIL_RAISE * (1.0 - smooth_step(0.86, 1.04, e));
        smooth_step(0.0, 2.0, along.y) * (plate - p::NAIL_GROOVE * bell(groove * groove))
    }

    /// Flexion creases on the palm side: one at the root, one at each joint.
    fn creases(&self, along: &Along) -> f64 {
        if along.y >= 0.0 {
            return 0.0;
        }
        let joints = self.joints();
        let across = along.x / along.width;
        // Creases bow towards the fingertip in the middle.
        let at = |s: f64| {
            let u = (along.s - s - p::CREASE_BOW * (0.5 - across * across)) / p::CREASE_WIDTH;
            bell(u * u)
        };
        let root_fraction = if self.digit == Digit::Thumb { 0.0 } else { p::CREASE_ROOT };
        let root = joints[1] + root_fraction * (joints[2] - joints[1]);
        let inner: f64 = joints[2..joints.len() - 1].iter().map(|&s| at(s)).sum();
        p::CREASE_DEPTH * smooth_step(0.5, 4.0, -along.y) * (0.7 * at(root) + inner)
    }

    /// Folds of loose skin on the back of the joints.
    fn folds(&self, along: &Along) -> f64 {
        if along.y <= 1.0 {
            return 0.0;
        }
        let joints = self.joints();
        let across = along.x / along.width;
        let mut depth = 0.0;
        for (j, &joint) in joints[2..joints.len() - 1].iter().enumerate() {
            if (along.s - joint).abs() > 11.0 {
                continue;
            }
            for (i, _) in p::FOLDS.iter().enumerate() {
                let [offset, _, slant, curve] = p::FOLDS[i];
                let shuffled = p::FOLDS[(i + self.digit.index() + 2 * j) % p::FOLDS.len()];
                let scale = if j == 0 { 1.0 } else { 0.6 };
                let line = joint + scale * offset + shuffled[2] * 4.0 + slant * along.x + curve * across * across;
                let u = (along.s - line) / p::FOLD_WIDTH;
                depth += scale * 0.5 * (p::FOLDS[i][1] + shuffled[1]) * bell(u * u);
            }
        }
        depth * smooth_step(1.0, 5.0, along.y)
    }
}
