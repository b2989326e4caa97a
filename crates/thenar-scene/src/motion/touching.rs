//! Where digits touch things on their way.

use thenar::geometry::distance::Shape;
use thenar::hand::{BONE_COUNT, Digit, HandModel, HandPose, HandSurface, Skeleton, XrJoint};
use thenar::math::{Pose, Vec3};

use super::closing::{Closing, FARTHEST, first_touches, points_of, skin_points};
use super::fitted::Solid;
use super::{Grasp, Posture};

/// Farthest that a thing is from the palm while the hand works at it, metres: fingers are not longer.
pub(super) const REACH: f64 = 0.16;
/// Distance between palm and thing along the palm's normal that belongs to the hand, metres: its thickness and what it leaves
/// for bent fingers. What is more is the way there.
const CLEARANCE: f64 = 0.02;
/// Half the extent beyond which a thing has no end that a hand could feel, metres: it is met anywhere along it.
const ENDLESS: f64 = 0.06;
/// Points of the skin that stand for it are this far from each other, metres: less than half a finger's breadth.
const SPARSE: f64 = 0.005;

/// What touches things.
pub(super) struct Digits<'a> {
    pub skeleton: &'a Skeleton,
    /// In the frames of the bones.
    pub skin: [Vec<Vec3>; BONE_COUNT],
    /// Points of it that are [`SPARSE`] from each other.
    pub sparse: [Vec<Vec3>; BONE_COUNT],
}

impl<'a> Digits<'a> {
    pub fn of_surface(hand: &'a HandSurface) -> Digits<'a> {
        Digits::new(points_of(&hand.contact_vertices, &hand.skin, &hand.skeleton), &hand.skeleton)
    }

    pub fn of_model(model: &'a HandModel) -> Digits<'a> {
        Digits::new(skin_points(model), &model.skeleton)
    }

    fn new(skin: [Vec<Vec3>; BONE_COUNT], skeleton: &'a Skeleton) -> Digits<'a> {
        let sparse = std::array::from_fn(|bone| {
            let mut points: Vec<Vec3> = Vec::new();
            for p in &skin[bone] {
                if points.iter().all(|q| q.distance(*p) > SPARSE) {
                    points.push(*p);
                }
            }
            points
        });
        Digits { skeleton, skin, sparse }
    }

    /// The bones of the hand with that palm joint and those joint angles, radians.
    pub fn bones(&self, palm: Pose, angles: &[[f64; 4]; Digit::ALL.len()]) -> [Pose; BONE_COUNT] {
        let rest = self.skeleton.xr_rest[XrJoint::Palm].map_or(Pose::IDENTITY, |joint| joint.pose);
        self.skeleton.pose(&HandPose { digits: *angles }.clamped(self.skeleton), palm * rest.inverse())
    }

    /// Where each digit first touches a thing on its way from the open hand to a posture and beyond; `None` for those that do not.
    pub fn touching(&self, palm: Pose, wanted: &Posture, solid: &Solid) -> [Option<Touch>; Digit::ALL.len()] {
        self.touching_within(palm, wanted, solid, FARTHEST)
    }

    /// True if a posture asks a digit to go into a thing.
    pub fn press(&self, palm: Pose, wanted: &Posture, solid: &Solid) -> bool {
        self.touching(palm, wanted, solid).iter().flatten().any(|touch| touch.share < 1.0)
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
}

/// A digit that touches something.
#[derive(Clone, Copy)]
pub(super) struct Touch {
    /// How much of the way from the open hand to where it is asked to be it has come then; less than 1 if it presses.
    pub share: f64,
    /// Its angles, degrees.
    pub angles: [f64; 4],
}

/// How much further a palm is from a thing that its fingers press on, in world axes, metres, where a hand of another size, as many times
/// that of this one, does the same.
pub(crate) fn palm_shift(palm: &Pose, shape: &Shape, pose: Pose, ratio: f64) -> Vec3 {
    offset(palm, shape, pose, true).map_or(Vec3::ZERO, |offset| offset * (ratio - 1.0))
}

/// From the place of a thing that the hand works at to the palm, as far as it depends on the hand's size, in world axes. Where
/// fingers press on it, all of the way between does: they are as long as it.
pub(super) fn offset(palm: &Pose, shape: &Shape, pose: Pose, pressed: bool) -> Option<Vec3> {
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
