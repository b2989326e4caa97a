//! The shape of a right hand as a field: negative inside the skin, about the distance to it.
//!
//! ```text
//! finger  = sweep of one section [half width, dorsal, palmar] along bones and arcs, + nail, creases, folds
//! palm    = loft from the stub of the forearm over the wrist to the knuckles; its rounded end makes the webs
//! muscles = straight sweeps hung on bones (thenar, hypothenar, first interosseous, first web)
//! hand    = blend(palm, muscles) + relief, blended with the fingers, blended with the thumb
//! ```
//!
//! Inside this module lengths are in units of the shape: millimetres for the adult preset, and larger or smaller with
//! the hand as a whole, so that every radius of a blend and every crease grows with it.

mod blend;
mod digit;
mod palm;
mod proportions;
mod relief;
mod section;
mod sweep;

pub(super) use blend::{bell, smooth_step};
pub(super) use digit::DigitShape;
pub(super) use sweep::Along;

use super::rest_pose::DigitChain;
use super::{Anatomy, Digit};
use crate::math::Vec3;
use blend::smooth_min;
use palm::PalmShape;
use proportions as p;
use relief::Relief;
use sweep::{Sweep, SweepPlan};

/// Beyond this distance a part cannot influence the skin, and its bound stands in for its distance.
const FAR: f64 = 20.0;
/// Relief is only added this near to the skin.
const RELIEF_REACH: f64 = 8.0;

/// The field of a right hand.
#[derive(Clone, Debug)]
pub(super) struct HandShape {
    /// Metres per unit of the shape.
    pub unit: f64,
    digits: [DigitShape; 5],
    palm: PalmShape,
    muscles: Vec<(Sweep, f64)>,
    relief: Relief,
}

impl HandShape {
    /// Builds the field from checked anatomy and its resting chains (right hand, metres).
    pub fn new(anatomy: &Anatomy, chains: &[DigitChain; 5]) -> HandShape {
        let length = anatomy.hand_length() / p::ADULT_LENGTH;
        let breadth = anatomy.palm.breadth / p::ADULT_BREADTH;
        let thickness = anatomy.palm.thickness / p::ADULT_THICKNESS;
        let unit = libm::cbrt(length * breadth * thickness);
        let scale = Vec3::new(breadth, thickness * p::ADULT_THICKNESS / p::DRAWN_THICKNESS, length) / unit;
        let palm = PalmShape::new(&anatomy.palm, chains, unit);
        HandShape {
            unit,
            digits: Digit::ALL.map(|d| DigitShape::new(d, anatomy.digit(d), &chains[d.index()], unit)),
            muscles: p::MUSCLES.iter().map(|m| (muscle(m, chains, unit, scale), m.blend)).collect(),
            relief: Relief::new(chains, &palm, unit, scale),
            palm,
        }
    }

    /// The shape of one digit.
    pub fn digit(&self, digit: Digit) -> &DigitShape {
        &self.digits[digit.index()]
    }

    /// The field at a point, both in units of the shape.
    pub fn value(&self, q: Vec3) -> f64 {
        let body = self.body(q);
        let with_fingers = smooth_min(body, self.fingers(q, body + p::BLEND_RAY), p::BLEND_RAY);
        let (thumb, k) = self.thumb(q, with_fingers + p::BLEND_THUMB[0]);
        smooth_min(with_fingers, thumb, k)
    }

    /// Palm, muscles and relief without the digits.
    pub fn body(&self, q: Vec3) -> f64 {
        let bound = self.palm.bound(q);
        let mut body = if bound > FAR { bound } else { self.palm.distance(q) };
        for (muscle, k) in &self.muscles {
            if muscle.bound(q) < body + k {
                body = smooth_min(body, muscle.locate(q).distance, *k);
            }
        }
        if body.abs() < RELIEF_REACH { body - self.relief.height(q) } else { body }
    }

    /// The four fingers, which flow into one another at the webs only. What is farther than `relevant` is not refined.
    fn fingers(&self, q: Vec3, relevant: f64) -> f64 {
        let far = FAR.min(relevant);
        let fade = smooth_step(p::BLEND_FADE[0], p::BLEND_FADE[1], self.palm.past_webs(q));
        let k = p::BLEND_FINGERS[0] + fade * (p::BLEND_FINGERS[1] - p::BLEND_FINGERS[0]);
        Digit::FINGERS.iter().fold(f64::INFINITY, |near, &finger| {
            let shape = self.digit(finger);
            let bound = shape.bound(q);
            let distance = if bound > far { bound } else { shape.locate(q).distance };
            if near == f64::INFINITY { distance } else { smooth_min(near, distance, k) }
        })
    }

    /// The thumb and the radius with which it flows into the rest there.
    fn thumb(&self, q: Vec3, relevant: f64) -> (f64, f64) {
        let shape = self.digit(Digit::Thumb);
        let [at_root, past_knuckle] = p::BLEND_THUMB;
        let bound = shape.bound(q);
        if bound > FAR.min(relevant) {
            return (bound, past_knuckle);
        }
        let along = shape.locate(q);
        let knuckle = shape.joints()[1];
        let past = smooth_step(0.7 * knuckle, knuckle + 18.0, along.s);
        (along.distance, at_root + past * (past_knuckle - at_root))
    }

    /// Gradient of the field by differences over a tetrahedron of corners at distance `reach·√3`.
    pub fn gradient(&self, q: Vec3, reach: f64) -> Vec3 {
        self.value_and_gradient(q, reach).1
    }

    /// Mean value and gradient over a small tetrahedron of corners around a point.
    pub fn value_and_gradient(&self, q: Vec3, reach: f64) -> (f64, Vec3) {
        const CORNERS: [Vec3; 4] = [
            Vec3::new(1.0, 1.0, 1.0),
            Vec3::new(1.0, -1.0, -1.0),
            Vec3::new(-1.0, 1.0, -1.0),
            Vec3::new(-1.0, -1.0, 1.0),
        ];
        let values = CORNERS.map(|c| self.value(q + reach * c));
        let gradient = CORNERS.iter().zip(values).map(|(&c, v)| c * v).sum::<Vec3>() / (4.0 * reach);
        (values.iter().sum::<f64>() / 4.0, gradient)
    }

    /// The point of the skin near `q` and the unit normal there.
    pub fn project(&self, q: Vec3) -> (Vec3, Vec3) {
        let (value, gradient) = self.value_and_gradient(q, 0.1);
        let squared = gradient.length_squared();
        if squared < 1e-6 {
            return (q, gradient.normalize_or_zero());
        }
        let step = (gradient * (value / squared)).clamp_length_max(2.0);
        (q - step, gradient / squared.sqrt())
    }

    /// Coordinates across and along the palm in plan.
    pub fn palm_coordinates(&self, q: Vec3) -> [f64; 2] {
        self.palm.plan_coordinates(q)
    }

    /// How far beyond the line of the webs a point lies, towards the fingertips.
    pub fn past_webs(&self, q: Vec3) -> f64 {
        self.palm.past_webs(q)
    }

    /// Distance from the thenar and from the hypothenar muscle.
    pub fn pads(&self, q: Vec3) -> [f64; 2] {
        [p::THENAR, p::HYPOTHENAR].map(|m| self.muscles[m].0.locate(q).distance)
    }

    /// A box that holds the hand, in units of the shape.
    pub fn bounds(&self, chains: &[DigitChain; 5]) -> [Vec3; 2] {
        let joints = chains.iter().flat_map(|c| c.frames.iter().map(|f| f.position / self.unit));
        let start = [Vec3::new(-30.0, -20.0, 0.0), Vec3::new(30.0, 20.0, p::STUB - 20.0)];
        let [low, high] = joints.fold(start, |[low, high], p| [low.min(p), high.max(p)]);
        [low - Vec3::splat(26.0), high + Vec3::splat(26.0)]
    }
}

fn muscle(plan: &p::MusclePlan, chains: &[DigitChain; 5], unit: f64, scale: Vec3) -> Sweep {
    let [a, b] = plan.axis.each_ref().map(|end| relief::anchor(end, chains, unit, scale));
    let lateral = Vec3::from(plan.up).cross((a - b).normalize()).normalize();
    Sweep::new(&SweepPlan {
        corners: &[a, b],
        lateral: &[lateral],
        fillet: 0.0,
        stations: &[(0, 0.0), (0, 0.45), (1, 0.0)],
        sections: &plan.sections.map(|[w, d, p]| [w * scale.x, d * scale.y, p * scale.y]),
        caps: [plan.cap; 2],
        squareness: 0.0,
        lift: 0.0,
    })
}
