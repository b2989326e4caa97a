//! Scripts for hands of other sizes: keys are written for an adult's hand.

use thenar::geometry::distance::Shape;
use thenar::hand::{
    Anatomy, BONE_COUNT, BoneId, Digit, HandModel, HandPose, HandSurface, JointSet, Preset, Side, Skeleton, SkinDetail,
    XrJoint,
};
use thenar::math::{Pose, Vec3};

use super::closing::{Closing, FARTHEST, first_touches, points_of, skin_points};
use super::{Grasp, Posture, Script};
use crate::scene::{FingerSpec, FingersSpec, HandSpec, Key};

/// Farthest that a thing is from the palm while the hand works at it, metres: fingers are not longer.
const REACH: f64 = 0.16;
/// Farthest that the palm is from something fixed while it leans on it, metres.
const LEANING: f64 = 0.06;
/// Farthest that a thing is from the palm when fingers can close around it where it starts, metres.
const TOUCHING: f64 = 0.08;
/// Distance between palm and thing along the palm's normal that belongs to the hand, metres: its thickness and what it leaves
/// for bent fingers. What is more is the way there.
const CLEARANCE: f64 = 0.02;
/// Half the extent beyond which a thing has no end that a hand could feel, metres: it is met anywhere along it.
const ENDLESS: f64 = 0.06;
/// Places of the palm on its way to a thing at which fingers are looked at.
const WAY: usize = 8;
/// Steps in which a digit is opened, degrees, and how many: as far as any joint goes.
const STRIDE: f64 = 5.0;
const STRIDES: i32 = 12;
/// Sizes that differ by less are the same.
const SAME: f64 = 1e-6;

/// Something that a hand may work at.
#[derive(Clone, Debug)]
pub struct Solid {
    /// Its shape.
    pub shape: Shape,
    /// Where it is at the start.
    pub pose: Pose,
    /// It never moves.
    pub fixed: bool,
}

/// Length of a hand over that of the adult's for whom scripts are written.
#[must_use]
pub fn size(skeleton: &Skeleton) -> f64 {
    let adult = Anatomy::preset(Preset::Adult, Side::Right).rest_joints();
    match (length(&skeleton.xr_rest), length(&adult)) {
        (Some(own), Some(adult)) if (own / adult - 1.0).abs() > SAME => own / adult,
        _ => 1.0,
    }
}

/// From the wrist along the middle finger, metres.
pub(super) fn length(joints: &JointSet) -> Option<f64> {
    let bone = |segment: usize| BoneId::of(Digit::Middle, segment);
    let chain = [0, 1, 2].map(|segment| XrJoint::of_bone(bone(segment)));
    let places = [XrJoint::Wrist].into_iter().chain(chain).chain([XrJoint::tip(Digit::Middle)]);
    let places: Option<Vec<Vec3>> = places.map(|joint| Some(joints[joint]?.pose.position)).collect();
    Some(places?.windows(2).map(|pair| pair[0].distance(pair[1])).sum())
}

/// The hand with its keys moved as its size asks for: where a thing lies in the hand, across the palm and along the fingers,
/// scales with the hand, and so does the thickness between them. On the way to a thing and with it, a hand keeps the shift it
/// has there.
#[must_use]
pub fn fitted(hand: &HandSpec, model: &HandModel, solids: &[Solid]) -> HandSpec {
    let size = size(&model.skeleton);
    if size == 1.0 {
        return hand.clone();
    }
    let Ok(adult) = HandSurface::build(&Anatomy::preset(Preset::Adult, model.side), SkinDetail::Coarse) else {
        return hand.clone();
    };
    let (adult, own) = (Digits::of_surface(&adult), Digits::of_model(model));
    let mut moved = moved(hand, size, solids, &adult);
    close_alike(hand, &mut moved, [&adult, &own], size, solids);
    moved
}

/// What touches things.
pub(super) struct Digits<'a> {
    pub skeleton: &'a Skeleton,
    /// In the frames of the bones.
    pub skin: [Vec<Vec3>; BONE_COUNT],
}

impl<'a> Digits<'a> {
    pub fn of_surface(hand: &'a HandSurface) -> Digits<'a> {
        Digits { skin: points_of(&hand.contact_vertices, &hand.skin, &hand.skeleton), skeleton: &hand.skeleton }
    }

    pub fn of_model(model: &'a HandModel) -> Digits<'a> {
        Digits { skin: skin_points(model), skeleton: &model.skeleton }
    }

    /// Where each digit first touches a thing on its way from the open hand to a posture and beyond; `None` for those that do not.
    pub fn touching(&self, palm: Pose, wanted: &Posture, solid: &Solid) -> [Option<Touch>; Digit::ALL.len()] {
        self.touching_within(palm, wanted, solid, FARTHEST)
    }

    /// The same with how many times the way to the posture they go at most.
    pub fn touching_within(
        &self,
        palm: Pose,
        wanted: &Posture,
        solid: &Solid,
        farthest: f64,
    ) -> [Option<Touch>; Digit::ALL.len()] {
        let open = Grasp::Open.posture();
        let closing = Closing { object: "", palm, from: open, to: *wanted, squeeze: 0.0 };
        let shares = first_touches(self.skeleton, &self.skin, &closing, &solid.shape, solid.pose, farthest);
        Digit::ALL.map(|digit| {
            let share = shares[digit.index()]?;
            Some(Touch { share, angles: open.mixed(wanted, share).0[digit.index()] })
        })
    }

    /// True if a posture asks a digit to go into a thing.
    fn press(&self, palm: Pose, wanted: &Posture, solid: &Solid) -> bool {
        self.touching(palm, wanted, solid).iter().flatten().any(|touch| touch.share < 1.0)
    }
}

/// A digit that touches something.
#[derive(Clone, Copy)]
pub(super) struct Touch {
    /// How much of the way from the open hand to where it is asked to be it has come then; less than 1 if it presses.
    pub share: f64,
    /// Its angles, degrees.
    pub angles: [f64; 4],
}

/// With the palms moved.
fn moved(hand: &HandSpec, size: f64, solids: &[Solid], adult: &Digits<'_>) -> HandSpec {
    let script = Script::new(hand);
    let mut fitted = hand.clone();
    let placed = |key: &Key| Some((key.at, key.palm.as_ref()?.position?));
    let places: Vec<(f64, [f64; 3])> = hand.keys.iter().filter_map(placed).collect();
    // While the palm stays at a place, fingers press on what it works at.
    let presses = |at: f64, place: [f64; 3], solid: &Solid| {
        let end =
            places.iter().find(|(later, other)| *later > at && *other != place).map_or(f64::INFINITY, |(end, _)| *end);
        let bent = hand.keys.iter().filter(|key| key.grasp.is_some() || key.fingers.is_some());
        let palm = script.at(at).palm;
        bent.filter(|key| key.at >= at && key.at < end).any(|key| adult.press(palm, &script.at(key.at).posture, solid))
    };
    let shift = |(at, place): &(f64, [f64; 3])| {
        let palm = script.at(*at).palm;
        let solid = worked_at(&palm, solids)?;
        Some(offset(&palm, &solid.shape, solid.pose, presses(*at, *place, solid))? * (size - 1.0))
    };
    let mut shifts: Vec<Option<Vec3>> = places.iter().map(shift).collect();
    // Far from everything: as at the thing before, or at the first one.
    let mut last = shifts.iter().flatten().next().copied();
    for shift in &mut shifts {
        last = shift.or(last);
        *shift = last;
    }
    let positions = fitted.keys.iter_mut().filter_map(|key| key.palm.as_mut()?.position.as_mut());
    for (position, shift) in positions.zip(shifts) {
        *position = (Vec3::from_array(*position) + shift.unwrap_or(Vec3::ZERO)).to_array();
    }
    fitted
}

/// Fingers that press on a thing press on it as an adult's do, by their strength, and those that do not touch it yet stop where
/// they would. What was touched last counts while the hand carries it. Strength is taken in proportion to the size.
fn close_alike(hand: &HandSpec, fitted: &mut HandSpec, digits: [&Digits<'_>; 2], strength: f64, solids: &[Solid]) {
    let scripts = [Script::new(hand), Script::new(fitted)];
    let open = Grasp::Open.posture().0;
    // Where the fingers of both touch what was worked at last, if they do.
    let mut last: Option<[[Option<Touch>; Digit::ALL.len()]; 2]> = None;
    // When the hand last stood somewhere.
    let mut before = f64::NEG_INFINITY;
    for key in &mut fitted.keys {
        let start = before.max(key.at - 1.0);
        before = key.at;
        if key.around.is_some() || (key.grasp.is_none() && key.fingers.is_none()) {
            continue;
        }
        let wanted = scripts[0].at(key.at).posture;
        let palms = [0, 1].map(|k| scripts[k].at(key.at).palm);
        let solid = worked_at(&palms[0], solids).filter(|solid| near(solid, &palms[0]) < TOUCHING);
        if let Some(solid) = solid {
            last = Some([0, 1].map(|k| digits[k].touching(palms[k], &wanted, solid)));
        }
        let Some([theirs, ours]) = &last else { continue };
        let mut posture = wanted;
        for digit in Digit::ALL.map(Digit::index) {
            let angles = &mut posture.0[digit];
            match (&theirs[digit], &ours[digit]) {
                (Some(theirs), Some(ours)) if theirs.share < 1.0 => {
                    *angles = std::array::from_fn(|k| ours.angles[k] + (angles[k] - theirs.angles[k]) * strength);
                }
                // what does not touch has come as much of the way to where it would
                (theirs, Some(ours)) => {
                    let share = 1.0 / theirs.map_or(FARTHEST, |touch| touch.share);
                    if ours.share * share < 1.0 {
                        *angles = std::array::from_fn(|k| open[digit][k] + (ours.angles[k] - open[digit][k]) * share);
                    }
                }
                _ => {}
            }
        }
        // Relative to a small hand a thing is large: digits that reach past it, before any touches it, reach further out.
        let approaches = !theirs.iter().flatten().any(|touch| touch.share < 1.0);
        if let Some(solid) = solid.filter(|solid| approaches && !solid.fixed) {
            let at = |k: usize| start + (key.at - start) * k as f64 / WAY as f64;
            let way: Vec<Pose> = (0..=WAY).map(|k| scripts[1].at(at(k)).palm).collect();
            for digit in Digit::ALL {
                out_of_the_way(&mut posture, digit, digits[1], &way, solid);
            }
        }
        let finger = |[first, spread, second, third]: [f64; 4]| FingerSpec { flex: [first, second, third], spread };
        let [thumb, index, middle, ring, little] = posture.0.map(|digit| Some(finger(digit)));
        key.fingers = Some(FingersSpec { thumb, index, middle, ring, little });
    }
}

/// Opens a digit that would push a thing away while the palm comes to it, by as little as is enough, in steps of [`STRIDE`]
/// degrees within its joints' limits. Where nothing is enough it stays as it is.
fn out_of_the_way(posture: &mut Posture, digit: Digit, own: &Digits<'_>, way: &[Pose], solid: &Solid) {
    let palm = own.skeleton.xr_rest[XrJoint::Palm].map_or(Pose::IDENTITY, |joint| joint.pose);
    let clear = |posture: &Posture| {
        let angles = HandPose { digits: posture.radians() }.clamped(own.skeleton);
        way.iter().all(|at| {
            let bones = own.skeleton.pose(&angles, *at * palm.inverse());
            let touches = |place: Vec3| solid.shape.distance(solid.pose.local(place)) < 0.0;
            // the first segment lies in the palm's flesh, or begins in it
            let mut segments = (1..3).map(|segment| BoneId::of(digit, segment).index());
            !segments.any(|bone| own.skin[bone].iter().any(|p| touches(bones[bone].point(*p))))
        })
    };
    let [first, spread, second, third] = posture.0[digit.index()];
    let straighter = |angle: f64, by: f64| (angle - by).max(angle.min(0.0));
    let sideways = |extend: i32| (-STRIDES..=STRIDES).map(move |aside| (extend, aside));
    let mut ways: Vec<(i32, i32)> = (0..=STRIDES).flat_map(sideways).collect();
    ways.sort_by_key(|(extend, aside)| extend + aside.abs());
    let opened = ways.into_iter().map(|(extend, aside)| {
        let [extend, aside] = [extend, aside].map(|steps| f64::from(steps) * STRIDE);
        let mut opened = *posture;
        opened.0[digit.index()] =
            [first - extend, spread + aside, straighter(second, extend), straighter(third, extend)];
        opened
    });
    if let Some(opened) = opened.into_iter().find(clear) {
        *posture = opened;
    }
}

/// Distance from a palm to a solid, metres.
fn near(solid: &Solid, palm: &Pose) -> f64 {
    solid.shape.distance(solid.pose.local(palm.position))
}

/// What a hand works at: the nearest thing within its reach, or what it leans on.
fn worked_at<'a>(palm: &Pose, solids: &'a [Solid]) -> Option<&'a Solid> {
    let within = |fixed: bool, reach: f64| {
        let near = solids.iter().filter(move |solid| solid.fixed == fixed).map(|solid| (near(solid, palm), solid));
        near.filter(|(distance, _)| *distance < reach).min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, solid)| solid)
    };
    within(false, REACH).or_else(|| within(true, LEANING))
}

/// How much further a palm is from a thing that its fingers press on, in world axes, metres, where a hand of another size, as many times
/// that of this one, does the same.
pub(crate) fn palm_shift(palm: &Pose, shape: &Shape, pose: Pose, ratio: f64) -> Vec3 {
    offset(palm, shape, pose, true).map_or(Vec3::ZERO, |offset| offset * (ratio - 1.0))
}

/// From the place of a thing that the hand works at to the palm, as far as it depends on the hand's size, in world axes. Where
/// fingers press on it, all of the way between does: they are as long as it.
fn offset(palm: &Pose, shape: &Shape, pose: Pose, pressed: bool) -> Option<Vec3> {
    let axes = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| palm.rotation * axis);
    let [_, out, _] = axes;
    let bounds = shape.bounds();
    let middle = pose.point(0.5 * (bounds.min + bounds.max));
    let mut offset = Vec3::ZERO;
    let mut below = palm.position;
    for axis in [axes[0], axes[2]] {
        let local = pose.rotation.inverse() * axis;
        let half = (0.5 * bounds.size() * local.abs()).element_sum();
        let along = (palm.position - middle).dot(axis);
        if half < ENDLESS {
            offset += axis * along;
            below -= axis * along;
        }
    }
    // How far the palm is from the thing along its normal where the thing is highest.
    let gap = height_above(shape, pose, below, out)?;
    Some(offset + out * if pressed { gap } else { gap.min(CLEARANCE) })
}

/// Distance from a place to a solid against `out`, metres; negative inside of it. `None` if the solid is not there.
fn height_above(shape: &Shape, pose: Pose, place: Vec3, out: Vec3) -> Option<f64> {
    let distance = |height: f64| shape.distance(pose.local(place + out * height));
    let top = 2.0 * REACH;
    let mut height = top;
    while height > -top {
        let away = distance(height);
        if away < 1e-4 {
            return Some(-height);
        }
        height -= away;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library;
    use thenar::hand::{HandOptions, TissueOptions};

    fn model(preset: Preset) -> HandModel {
        let tissue = TissueOptions { tets: 400, ..TissueOptions::default() };
        let anatomy = Anatomy::preset(preset, Side::Right);
        HandModel::build(&HandOptions { anatomy, detail: SkinDetail::Coarse, tissue }).unwrap()
    }

    fn solids() -> Vec<Solid> {
        let ball = Pose::new(Vec3::new(0.0, 0.0365, 0.0), thenar::math::Quat::IDENTITY);
        vec![Solid { shape: Shape::Sphere { radius: 0.0365 }, pose: ball, fixed: false }]
    }

    #[test]
    fn an_adult_does_what_is_written() {
        let hand = &library::scene("ball").unwrap().hands[0];
        assert_eq!(size(&model(Preset::Adult).skeleton), 1.0);
        assert_eq!(fitted(hand, &model(Preset::Adult), &solids()), *hand);
    }

    #[test]
    fn what_lies_in_a_smaller_hand_lies_at_the_same_place_of_it() {
        let hand = &library::scene("ball").unwrap().hands[0];
        let child = model(Preset::Child);
        let size = size(&child.skeleton);
        assert!(size > 0.5 && size < 0.9, "{size}");
        let fitted = fitted(hand, &child, &solids());
        let position = |hand: &HandSpec, key: usize| hand.keys[key].palm.as_ref().unwrap().position.unwrap();
        // over the ball: 10 mm above its top and 36 mm behind it
        let [x, y, z] = position(&fitted, 1);
        assert!(
            (x, (y - 0.073 - 0.01 * size).abs() < 1e-3, (z - 0.036 * size).abs() < 1e-9) == (0.0, true, true),
            "{y} {z}"
        );
        // lifted as far as an adult lifts it, less what belongs to the hand
        let lift = position(&fitted, 3)[1] - y;
        assert!((lift - 0.102).abs() < 0.01, "{lift}");
    }
}
