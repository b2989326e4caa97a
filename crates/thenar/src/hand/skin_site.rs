//! What a place on the skin belongs to: its region, the bones it follows, its colour.

use super::shape::{Along, HandShape, bell, smooth_step};
use super::{BoneId, Digit, Patch};
use crate::math::Vec3;

/// A point of the skin in the coordinates of everything near it, in units of the shape.
pub(super) struct SkinSite<'a> {
    shape: &'a HandShape,
    point: Vec3,
    normal: Vec3,
    /// The nearest digit and where the point lies on it.
    digit: Digit,
    along: Along,
    /// How much nearer the nearest digit is than the next one.
    lead: f64,
}

impl<'a> SkinSite<'a> {
    /// Locates a point of the skin with its outward normal.
    pub fn new(shape: &'a HandShape, point: Vec3, normal: Vec3) -> Self {
        let mut best = (Digit::Thumb, Along { distance: f64::INFINITY, ..Along::default() });
        let mut second = f64::INFINITY;
        for digit in Digit::ALL {
            if shape.digit(digit).bound(point) > best.1.distance + 30.0 {
                continue;
            }
            let along = shape.digit(digit).locate(point);
            if along.distance < best.1.distance {
                second = best.1.distance;
                best = (digit, along);
            } else {
                second = second.min(along.distance);
            }
        }
        SkinSite { shape, point, normal, digit: best.0, along: best.1, lead: second - best.1.distance }
    }

    fn joints(&self) -> &[f64] {
        self.shape.digit(self.digit).joints()
    }

    /// Which segment of its digit the point lies beside: 0 to 2 for its bones, by arc length; `None` before the first.
    fn segment(&self) -> Option<usize> {
        let joints = self.joints();
        let s = self.along.s;
        if self.digit == Digit::Thumb {
            [0, 1, 2].into_iter().rev().find(|&i| s >= joints[i])
        } else {
            [0, 1, 2].into_iter().rev().find(|&i| s >= joints[i + 1])
        }
    }

    /// The region of the skin.
    pub fn patch(&self) -> Patch {
        let joints = self.joints();
        let palmar = self.normal.y < 0.15;
        if self.digit != Digit::Thumb {
            // On the palm side a finger begins at its root crease, on the back at its knuckle.
            let root = joints[1] + if palmar { 0.36 } else { 0.12 } * (joints[2] - joints[1]);
            if let (true, Some(segment)) = (self.along.s > root, self.segment()) {
                return Patch::of_bone(BoneId::of(self.digit, segment));
            }
        } else if self.along.distance < 4.0 && self.along.s > joints[1] {
            return Patch::of_bone(BoneId::of(Digit::Thumb, self.segment().unwrap_or(1)));
        }
        let [_, t] = self.shape.palm_coordinates(self.point);
        let [thenar, hypothenar] = self.shape.pads(self.point);
        if t < 0.04 {
            Patch::WRIST
        } else if palmar && thenar < 8.0 && thenar < hypothenar {
            Patch::THENAR
        } else if self.digit == Digit::Thumb && self.along.distance < 4.0 && self.along.s > 0.25 * joints[1] {
            Patch::of_bone(BoneId::of(Digit::Thumb, 0))
        } else if !palmar {
            Patch::DORSUM
        } else if t > 0.8 {
            Patch::METACARPAL_HEADS
        } else if hypothenar < 7.0 {
            Patch::HYPOTHENAR
        } else {
            Patch::PALM_CENTRE
        }
    }

    /// Bones the point follows when the skin is displayed by skinning: its own digit's and the palm only, so that
    /// fingers never pull at their neighbours.
    pub fn weights(&self) -> [(BoneId, f32); 4] {
        let joints = self.joints();
        let s = self.along.s;
        // How far the digit as a whole, past its first joint, carries the point.
        let (first, carried) = if self.digit == Digit::Thumb {
            let near = 1.0 - smooth_step(2.0, 16.0, self.along.distance);
            let own = smooth_step(0.0, 14.0, self.lead);
            (0, own * near * smooth_step(-2.0, 0.55 * joints[1], s))
        } else {
            let reach = 0.32 * (joints[2] - joints[1]);
            let near = 1.0 - smooth_step(1.0, 12.0, self.along.distance);
            // Half way between two fingers the palm alone carries the web; beyond it each finger is on its own.
            let own = smooth_step(0.0, 16.0, self.lead);
            let past_web = smooth_step(1.0, 14.0, self.shape.past_webs(self.point));
            (1, near * (own + past_web - own * past_web) * smooth_step(-reach, reach, s - joints[1]))
        };
        let past = |joint: usize| {
            let after = if joint + 2 == joints.len() { self.shape.digit(self.digit).tip() } else { joints[joint + 1] };
            let (here, before) = (joints[joint], joints[joint - 1]);
            let reach = 0.35 * (here - before).min(after - here).min(16.0);
            smooth_step(-reach, reach, s - here)
        };
        let (second, third) = (past(first + 1), past(first + 2));
        let shares = [
            (BoneId::PALM, 1.0 - carried),
            (BoneId::of(self.digit, 0), carried * (1.0 - second)),
            (BoneId::of(self.digit, 1), carried * second * (1.0 - third)),
            (BoneId::of(self.digit, 2), carried * second * third),
        ];
        shares.map(|(bone, share)| (bone, share as f32))
    }

    /// True on a nail plate and on the folds around it, under which the plate continues.
    pub fn is_nail(&self) -> bool {
        self.nail().is_some_and(|e| e < 1.15)
    }

    /// Across and along the nail of the nearest digit, from −1 to 1 on its plate, and at most 2 beside it.
    pub fn nail_place(&self) -> [f32; 2] {
        let [x, z] = self.shape.digit(self.digit).nail_place(&self.along);
        // Around the finger the palm side is furthest from the nail, however little it lies to the side.
        let x = if self.along.y > 0.0 { x } else { 2.0f64.copysign(x) };
        [x, z].map(|place| place.clamp(-2.0, 2.0) as f32)
    }

    /// How much of the colour here is the nail's.
    fn nail_share(&self) -> f64 {
        self.nail().map_or(0.0, |e| (1.0 - smooth_step(0.86, 1.12, e)) * smooth_step(0.0, 2.0, self.along.y))
    }

    /// Less than 1 on the visible plate; `None` away from the back of a fingertip.
    fn nail(&self) -> Option<f64> {
        let joints = self.joints();
        let on_back = self.along.y > 0.0 && self.along.s > joints[joints.len() - 2] && self.along.distance.abs() < 2.0;
        on_back.then(|| self.shape.digit(self.digit).nail(&self.along))
    }

    /// True on the palm side of the last phalanx.
    pub fn is_pad(&self) -> bool {
        let joints = self.joints();
        self.along.distance.abs() < 2.0 && self.along.s > joints[joints.len() - 2] && self.along.y < 0.0
    }

    /// Albedo in linear RGB: skin, redder at fingertips and knuckles, paler on the palm, and nails.
    pub fn colour(&self) -> [f32; 3] {
        const SKIN: Vec3 = Vec3::new(0.86, 0.66, 0.56);
        const REDDER: Vec3 = Vec3::new(0.02, -0.07, -0.05);
        const PALER: Vec3 = Vec3::new(0.025, 0.02, 0.02);
        const NAIL: Vec3 = Vec3::new(0.93, 0.745, 0.685);
        let digit = self.shape.digit(self.digit);
        let (joints, tip, s) = (self.joints(), digit.tip(), self.along.s);
        let on_digit = 1.0 - smooth_step(1.5, 4.0, self.along.distance.abs());
        let fingertip = 0.55 * smooth_step(tip - 24.0, tip - 4.0, s);
        let knuckles: f64 =
            (joints[1..joints.len() - 1].iter()).map(|&joint| bell(((s - joint) / 6.0) * ((s - joint) / 6.0))).sum();
        let knuckle = 0.35 * smooth_step(0.0, 4.0, self.along.y) * knuckles;
        let palm = smooth_step(0.2, -0.5, self.normal.y);
        let skin = SKIN + palm * PALER + on_digit * fingertip.max(knuckle) * REDDER;
        let display = skin.lerp(NAIL, self.nail_share());
        display.to_array().map(|c| linear(c) as f32)
    }
}

/// Linear light from a display (sRGB) value.
fn linear(display: f64) -> f64 {
    if display <= 0.04045 { display / 12.92 } else { libm::pow((display + 0.055) / 1.055, 2.4) }
}
