//! Scripts for hands of other sizes: keys are written for an adult's hand.

use thenar::geometry::distance::Shape;
use thenar::hand::{Anatomy, Digit, JointSet, Preset, Side, Skeleton, XrJoint};
use thenar::math::{Pose, Vec3};

use super::Script;
use crate::scene::HandSpec;

/// Farthest that a thing is from the palm while the hand works at it, metres: fingers are not longer.
const REACH: f64 = 0.16;
/// Farthest that the palm is from something fixed while it leans on it, metres.
const LEANING: f64 = 0.06;
/// Distance between palm and thing along the palm's normal that belongs to the hand, metres: its thickness and what it leaves
/// for bent fingers. What is more is the way there.
const CLEARANCE: f64 = 0.02;
/// Half the extent beyond which a thing has no end that a hand could feel, metres: it is met anywhere along it.
const ENDLESS: f64 = 0.06;
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
fn length(joints: &JointSet) -> Option<f64> {
    let bone = |segment: usize| thenar::hand::BoneId::of(Digit::Middle, segment);
    let chain = [0, 1, 2].map(|segment| XrJoint::of_bone(bone(segment)));
    let places = [XrJoint::Wrist].into_iter().chain(chain).chain([XrJoint::tip(Digit::Middle)]);
    let places: Option<Vec<Vec3>> = places.map(|joint| Some(joints[joint]?.pose.position)).collect();
    Some(places?.windows(2).map(|pair| pair[0].distance(pair[1])).sum())
}

/// The hand with its keys moved as its size asks for: where a thing lies in the hand, across the palm and along the fingers,
/// scales with the hand, and so does the thickness between them. On the way to a thing and with it, a hand keeps the shift it
/// has there.
#[must_use]
pub fn fitted(hand: &HandSpec, skeleton: &Skeleton, solids: &[Solid]) -> HandSpec {
    let size = size(skeleton);
    if size == 1.0 {
        return hand.clone();
    }
    let script = Script::new(hand);
    let mut fitted = hand.clone();
    let placed = |key: &crate::scene::Key| key.palm.as_ref().and_then(|palm| palm.position).is_some();
    let times: Vec<f64> = hand.keys.iter().filter(|key| placed(key)).map(|key| key.at).collect();
    let mut shifts: Vec<Option<Vec3>> =
        times.iter().map(|at| Some(offset(&script.at(*at).palm, solids)? * (size - 1.0))).collect();
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

/// From the place of a thing that the hand works at to the palm, as far as it depends on the hand's size, in world axes.
fn offset(palm: &Pose, solids: &[Solid]) -> Option<Vec3> {
    let distance = |solid: &Solid| solid.shape.distance(solid.pose.local(palm.position));
    let within = |fixed: bool, reach: f64| {
        let near = solids.iter().filter(move |solid| solid.fixed == fixed);
        let near = near.map(|solid| (distance(solid), solid)).filter(|(distance, _)| *distance < reach);
        near.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, solid)| solid)
    };
    let solid = within(false, REACH).or_else(|| within(true, LEANING))?;
    let axes = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| palm.rotation * axis);
    let [_, out, _] = axes;
    let bounds = solid.shape.bounds();
    let middle = solid.pose.point(0.5 * (bounds.min + bounds.max));
    let mut offset = Vec3::ZERO;
    let mut below = palm.position;
    for axis in [axes[0], axes[2]] {
        let local = solid.pose.rotation.inverse() * axis;
        let half = (0.5 * bounds.size() * local.abs()).element_sum();
        let along = (palm.position - middle).dot(axis);
        if half < ENDLESS {
            offset += axis * along;
            below -= axis * along;
        }
    }
    // How far the palm is from the thing along its normal where the thing is highest.
    let gap = height_above(solid, below, out)?;
    Some(offset + out * gap.min(CLEARANCE))
}

/// Distance from a place to a solid against `out`, metres; negative inside of it. `None` if the solid is not there.
fn height_above(solid: &Solid, place: Vec3, out: Vec3) -> Option<f64> {
    let distance = |height: f64| solid.shape.distance(solid.pose.local(place + out * height));
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
    use thenar::hand::{HandSurface, SkinDetail};

    fn skeleton(preset: Preset) -> Skeleton {
        HandSurface::build(&Anatomy::preset(preset, Side::Right), SkinDetail::Coarse).unwrap().skeleton
    }

    fn solids() -> Vec<Solid> {
        let ball = Pose::new(Vec3::new(0.0, 0.0365, 0.0), thenar::math::Quat::IDENTITY);
        vec![Solid { shape: Shape::Sphere { radius: 0.0365 }, pose: ball, fixed: false }]
    }

    #[test]
    fn an_adult_does_what_is_written() {
        let hand = &library::scene("ball").unwrap().hands[0];
        assert_eq!(size(&skeleton(Preset::Adult)), 1.0);
        assert_eq!(fitted(hand, &skeleton(Preset::Adult), &solids()), *hand);
    }

    #[test]
    fn what_lies_in_a_smaller_hand_lies_at_the_same_place_of_it() {
        let hand = &library::scene("ball").unwrap().hands[0];
        let child = skeleton(Preset::Child);
        let size = size(&child);
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
