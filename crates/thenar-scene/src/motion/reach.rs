//! Where a hand has to be so that places of its skin are where they shall.

use thenar::geometry::distance::Shape;
use thenar::hand::{BONE_COUNT, BoneId, Digit};
use thenar::math::{Pose, Vec3};

use super::least_squares::least_squares;
use super::touching::Digits;

/// How far skin may be from its depth in a thing, metres: what a fingertip feels.
const NORMAL: f64 = 5e-4;
/// How far it may be inside what it shall not touch, metres.
const CLEAR: f64 = 1e-3;
/// How far a joint may be from where an adult's is, radians: fingers of all sizes look alike while they grasp.
const BEND: f64 = 0.35;
/// Farthest that a palm moves, metres: the length of a finger.
const FARTHEST: f64 = 0.1;
/// Things further from the skin than this are not in its way, metres.
const NEARBY: f64 = 0.04;

/// Where a place of the skin shall be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aim {
    /// The bone below it.
    pub bone: usize,
    /// In the frame of the bone.
    pub local: Vec3,
    /// In the world.
    pub position: Vec3,
    /// How far it may be from there, metres.
    pub within: f64,
    /// What must be met better.
    pub firm: Firm,
}

/// What must be met better than a place.
#[derive(Clone, Copy, Debug)]
pub(super) enum Firm {
    /// Nothing.
    Nothing,
    /// How deep it is in the first of the solids, metres; negative outside.
    Depth(f64),
    /// The place along this direction.
    Along(Vec3),
}

/// A hand that reaches for something.
pub(super) struct Reach<'a> {
    /// Its palm joint before it is moved.
    pub palm: Pose,
    /// The angles it has rather than others, radians.
    pub wanted: [[f64; 4]; Digit::ALL.len()],
    pub aims: Vec<Aim>,
    /// What is around it: none of its skin goes deeper into the first than it shall, and none into others.
    pub solids: Vec<(&'a Shape, Pose)>,
}

/// Skin that may come to something.
struct Near {
    bone: usize,
    local: Vec3,
    solid: usize,
    /// How deep it may be in it, metres.
    allowed: f64,
}

/// How far the palm has to move, in its own axes, so that the hand reaches all of this, its digits bent for each on its own.
pub(super) fn palm_shift(hand: &Digits<'_>, reaches: &[Reach<'_>]) -> Vec3 {
    let mut away: Vec<Vec3> = Vec::new();
    for reach in reaches {
        // with the joints of the adult, as near as the palm alone can bring it
        let (bones, back) = (hand.bones(reach.palm, &reach.wanted), reach.palm.rotation.inverse());
        away.extend(reach.aims.iter().map(|aim| back * (aim.position - bones[aim.bone].point(aim.local))));
    }
    let start = away.iter().sum::<Vec3>() / away.len().max(1) as f64;
    let digits: Vec<Vec<Digit>> = reaches.iter().map(Reach::digits).collect();
    let near: Vec<Vec<Near>> = reaches.iter().map(|reach| reach.near(hand, start, |_| true)).collect();
    let (mut x, mut ranges) = (start.to_array().to_vec(), vec![[-FARTHEST, FARTHEST]; 3]);
    for (reach, digits) in reaches.iter().zip(&digits) {
        reach.unknowns(hand, digits, &mut x, &mut ranges);
    }
    let residuals = |x: &[f64], r: &mut Vec<f64>, near: &[Vec<Near>]| {
        r.clear();
        let (shift, mut rest) = (Vec3::new(x[0], x[1], x[2]), &x[3..]);
        for (reach, (digits, near)) in reaches.iter().zip(digits.iter().zip(near)) {
            let (own, others) = rest.split_at(4 * digits.len());
            reach.residuals(hand, shift, digits, own, near, r);
            rest = others;
        }
    };
    let free: Vec<Vec<Near>> = reaches.iter().map(|_| Vec::new()).collect();
    let x = best(&x, &ranges, &|x, r| residuals(x, r, &free), &|x, r| residuals(x, r, &near));
    Vec3::new(x[0], x[1], x[2])
}

/// The least squares from a start on, or from where they are least as if nothing were in the way: things keep digits on the side
/// on which they begin, which may be the wrong one.
fn best(
    start: &[f64],
    ranges: &[[f64; 2]],
    free: &dyn Fn(&[f64], &mut Vec<f64>),
    all: &dyn Fn(&[f64], &mut Vec<f64>),
) -> Vec<f64> {
    let direct = least_squares(start, ranges, all);
    let around = least_squares(&least_squares(start, ranges, free).0, ranges, all);
    if around.1 < direct.1 { around.0 } else { direct.0 }
}

impl Reach<'_> {
    /// The joint angles, radians, by which the digits reach it, the palm where it is.
    pub fn angles(&self, hand: &Digits<'_>) -> [[f64; 4]; Digit::ALL.len()] {
        let mut angles = self.wanted;
        for digit in Digit::ALL {
            let near = self.near(hand, Vec3::ZERO, |bone| BoneId(bone as u8).digit() == Some(digit));
            let (mut x, mut ranges) = (Vec::new(), Vec::new());
            self.unknowns(hand, &[digit], &mut x, &mut ranges);
            let residuals = |x: &[f64], r: &mut Vec<f64>, near: &[Near]| {
                r.clear();
                self.residuals(hand, Vec3::ZERO, &[digit], x, near, r);
            };
            let x = best(&x, &ranges, &|x, r| residuals(x, r, &[]), &|x, r| residuals(x, r, &near));
            angles[digit.index()].copy_from_slice(&x);
        }
        angles
    }

    /// Those that have an aim.
    fn digits(&self) -> Vec<Digit> {
        let aims = |digit: &Digit| self.aims.iter().any(|aim| BoneId(aim.bone as u8).digit() == Some(*digit));
        Digit::ALL.into_iter().filter(aims).collect()
    }

    fn unknowns(&self, hand: &Digits<'_>, digits: &[Digit], x: &mut Vec<f64>, ranges: &mut Vec<[f64; 2]>) {
        for digit in digits {
            x.extend(self.wanted[digit.index()]);
            ranges.extend(hand.skeleton.angle_ranges(*digit));
        }
    }

    fn near(&self, hand: &Digits<'_>, shift: Vec3, concerned: impl Fn(usize) -> bool) -> Vec<Near> {
        let bones = hand.bones(self.moved(shift), &self.wanted);
        let mut near = Vec::new();
        for bone in (0..BONE_COUNT).filter(|bone| concerned(*bone)) {
            for (solid, (shape, pose)) in self.solids.iter().enumerate() {
                let deep = self.aims.iter().filter(|aim| aim.bone == bone && solid == 0);
                let allowed = deep.map(|aim| match aim.firm {
                    Firm::Depth(depth) => depth,
                    // what is pushed gives way
                    Firm::Along(_) => f64::INFINITY,
                    Firm::Nothing => 0.0,
                });
                let allowed = allowed.fold(0.0, f64::max);
                let points = hand.sparse[bone].iter();
                let points = points.filter(|p| shape.distance(pose.local(bones[bone].point(**p))) < NEARBY);
                near.extend(points.map(|p| Near { bone, local: *p, solid, allowed }));
            }
        }
        near
    }

    /// Of the aims, of the skin that is in the way, and of the joints, each over what it may be.
    fn residuals(&self, hand: &Digits<'_>, shift: Vec3, digits: &[Digit], x: &[f64], near: &[Near], r: &mut Vec<f64>) {
        let mut angles = self.wanted;
        for (digit, x) in digits.iter().zip(x.chunks(4)) {
            let wanted = &mut angles[digit.index()];
            r.extend((0..4).map(|k| (x[k] - wanted[k]) / BEND));
            wanted.copy_from_slice(x);
        }
        let bones = hand.bones(self.moved(shift), &angles);
        for aim in &self.aims {
            let place = bones[aim.bone].point(aim.local);
            let away = place - aim.position;
            r.extend((away / aim.within).to_array());
            match (aim.firm, self.solids.first()) {
                (Firm::Depth(depth), Some((shape, pose))) => {
                    r.push((shape.distance(pose.local(place)) + depth) / NORMAL);
                }
                (Firm::Along(direction), _) => r.push(away.dot(direction) / NORMAL),
                _ => {}
            }
        }
        r.extend(near.iter().map(|near| {
            let (shape, pose) = &self.solids[near.solid];
            let depth = -shape.distance(pose.local(bones[near.bone].point(near.local)));
            (depth - near.allowed).max(0.0) / CLEAR
        }));
    }

    fn moved(&self, shift: Vec3) -> Pose {
        Pose::new(self.palm.point(shift), self.palm.rotation)
    }
}
