//! Hands nearly as large as an adult's: where a thing lies in the hand, across the palm and along the fingers, scales with the hand, and so does
//! the thickness between them. On the way to a thing and with it, a hand keeps the shift it has there.

use thenar::hand::Digit;
use thenar::math::{Pose, Vec3};

use super::closing::FARTHEST;
use super::fitted::Solid;
use super::touching::{Digits, REACH, Touch, offset};
use super::{Grasp, Script};
use crate::scene::{FingerSpec, FingersSpec, HandSpec, Key};

/// Farthest that the palm is from something fixed while it leans on it, metres.
const LEANING: f64 = 0.06;
/// Farthest that a thing is from the palm when fingers can close around it where it starts, metres.
const TOUCHING: f64 = 0.08;

/// The hand with palms moved and fingers that close as an adult's do.
pub(super) fn scaled(hand: &HandSpec, digits: [&Digits<'_>; 2], size: f64, solids: &[Solid]) -> HandSpec {
    let mut scaled = moved(hand, size, solids, digits[0]);
    close_alike(hand, &mut scaled, digits, size, solids);
    scaled
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
    for key in &mut fitted.keys {
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
        let finger = |[first, spread, second, third]: [f64; 4]| FingerSpec { flex: [first, second, third], spread };
        let [thumb, index, middle, ring, little] = posture.0.map(|digit| Some(finger(digit)));
        key.fingers = Some(FingersSpec { thumb, index, middle, ring, little });
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
