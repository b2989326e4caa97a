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
    /// How deep in the first of the solids, metres, if it presses on it.
    pub depth: Option<f64>,
}

/// A hand that reaches.
pub(super) struct Reach<'a> {
    pub hand: &'a Digits<'a>,
    /// Its palm joint before it is moved.
    pub palm: Pose,
    /// The angles it has rather than others, radians.
    pub wanted: [[f64; 4]; Digit::ALL.len()],
    pub aims: Vec<Aim>,
    /// What is around it: none of its skin goes deeper into the first than it shall, and none into others.
    pub solids: Vec<(&'a Shape, Pose)>,
}

/// What it comes to.
#[derive(Clone, Debug)]
pub(super) struct Reached {
    /// How far the palm moved, in its own axes, metres.
    pub shift: Vec3,
    /// Radians.
    pub angles: [[f64; 4]; Digit::ALL.len()],
}

impl Reach<'_> {
    /// With palm and digits.
    pub fn with_palm(&self) -> Reached {
        // with the joints of the adult, as near as the palm alone can bring it
        let bones = self.hand.bones(self.palm, &self.wanted);
        let away: Vec3 = self.aims.iter().map(|aim| aim.position - bones[aim.bone].point(aim.local)).sum();
        let start = self.palm.rotation.inverse() * (away / self.aims.len().max(1) as f64);
        let digits = self.aims.iter().filter_map(|aim| BoneId(aim.bone as u8).digit());
        let digits: Vec<Digit> = Digit::ALL.into_iter().filter(|d| digits.clone().any(|other| other == *d)).collect();
        self.solved(start, &digits, true)
    }

    /// With the digits alone, each on its own.
    pub fn with_digits(&self) -> Reached {
        let mut reached = Reached { shift: Vec3::ZERO, angles: self.wanted };
        for digit in Digit::ALL {
            reached.angles[digit.index()] = self.solved(Vec3::ZERO, &[digit], false).angles[digit.index()];
        }
        reached
    }

    fn solved(&self, start: Vec3, digits: &[Digit], palm: bool) -> Reached {
        let lead = if palm { 3 } else { 0 };
        let reached = |x: &[f64]| {
            let mut angles = self.wanted;
            for (digit, x) in digits.iter().zip(x[lead..].chunks(4)) {
                angles[digit.index()].copy_from_slice(x);
            }
            Reached { shift: if palm { Vec3::new(x[0], x[1], x[2]) } else { Vec3::ZERO }, angles }
        };
        let mut x = if palm { start.to_array().to_vec() } else { Vec::new() };
        let mut ranges = vec![[-FARTHEST, FARTHEST]; lead];
        for digit in digits {
            x.extend(self.wanted[digit.index()]);
            ranges.extend(self.hand.skeleton.angle_ranges(*digit));
        }
        let concerned = |bone: usize| match BoneId(bone as u8).digit() {
            Some(digit) => palm || digits.contains(&digit),
            None => palm,
        };
        let first = reached(&x);
        let bones = self.bones(&first);
        // skin that may come to something
        let mut near: Vec<(usize, Vec3, usize, f64)> = Vec::new();
        for bone in (0..BONE_COUNT).filter(|bone| concerned(*bone)) {
            for (solid, (shape, pose)) in self.solids.iter().enumerate() {
                let deep = self.aims.iter().filter(|aim| aim.bone == bone && solid == 0).filter_map(|aim| aim.depth);
                let allowed = deep.fold(0.0, f64::max);
                let points = self.hand.sparse[bone].iter();
                let points = points.filter(|p| shape.distance(pose.local(bones[bone].point(**p))) < NEARBY);
                near.extend(points.map(|p| (bone, *p, solid, allowed)));
            }
        }
        let residuals = |x: &[f64], r: &mut Vec<f64>| {
            r.clear();
            let reached = reached(x);
            let bones = self.bones(&reached);
            for aim in self.aims.iter().filter(|aim| concerned(aim.bone)) {
                let place = bones[aim.bone].point(aim.local);
                r.extend(((place - aim.position) / aim.within).to_array());
                if let (Some(depth), Some((shape, pose))) = (aim.depth, self.solids.first()) {
                    r.push((shape.distance(pose.local(place)) + depth) / NORMAL);
                }
            }
            for (bone, local, solid, allowed) in &near {
                let (shape, pose) = &self.solids[*solid];
                let depth = -shape.distance(pose.local(bones[*bone].point(*local))) - allowed;
                r.push(depth.max(0.0) / CLEAR);
            }
            for digit in digits.iter().map(|digit| digit.index()) {
                r.extend((0..4).map(|k| (reached.angles[digit][k] - self.wanted[digit][k]) / BEND));
            }
        };
        reached(&least_squares(&x, &ranges, &residuals).0)
    }

    fn bones(&self, reached: &Reached) -> [Pose; BONE_COUNT] {
        let palm = Pose::new(self.palm.point(reached.shift), self.palm.rotation);
        self.hand.bones(palm, &reached.angles)
    }
}
