//! Recordings for hands of another size than the person's.

use thenar::hand::{BoneId, Digit, HandModel, HandPose, HandSurface, Side, Skeleton, SkinDetail};
use thenar::math::{Pose, Vec3};
use thenar::tracking::TrackerFrame;

use super::fitted::{Solid, length};
use super::touching::{Digits, Touch, palm_shift};
use super::{Grasp, Hold, Posture};
use crate::trackers::{TrackRecording, fitted_anatomy, retargeted};

/// Hands whose lengths differ by a smaller share are alike: trackers know them no better.
const ALIKE: f64 = 0.05;
/// Seconds between the frames that are looked at for a grasp: fingers close in a few tenths.
const LOOKING: f64 = 0.05;

/// How many times as far as a smaller hand a larger one closes around the same thing at most: joints end before.
const ALL_THE_WAY: f64 = 4.0;

/// What becomes of a person's motion in a hand of another size: when the person's digits touch what they take, so do this
/// hand's, which is nearer to it by what it is smaller.
#[derive(Clone, Debug)]
pub struct Refit {
    shift: Vec3,
    digits: [Option<[Bend; 4]>; Digit::ALL.len()],
}

/// One joint, radians.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bend {
    /// In the open hand.
    open: f64,
    /// When the person's digit touches.
    theirs: f64,
    /// When this hand's does.
    ours: f64,
    /// Of what is beyond, what this hand takes.
    strength: f64,
}

impl Bend {
    /// From the open hand to the touch in proportion, and beyond it by strength.
    fn of(&self, angle: f64) -> f64 {
        let (way, from_open) = (self.theirs - self.open, angle - self.open);
        let share = if way.abs() > 1e-6 { from_open / way } else { 1.0 };
        if share < 1.0 {
            angle + (self.ours - self.theirs) * share.max(0.0)
        } else {
            self.ours + (angle - self.theirs) * self.strength
        }
    }
}

impl Refit {
    /// For a hand of a recording and a model, among things as they are at the start. `None` where the person's hand is as large
    /// as the model's, or takes nothing.
    #[must_use]
    pub fn new(recording: &TrackRecording, side: Side, model: &HandModel, solids: &[Solid]) -> Option<Refit> {
        let anatomy = fitted_anatomy(recording, side)?;
        let ratio = length(&model.skeleton.xr_rest)? / length(&anatomy.rest_joints())?;
        if (ratio - 1.0).abs() < ALIKE {
            return None;
        }
        let person = HandSurface::build(&anatomy, SkinDetail::Coarse).ok()?;
        let (theirs, ours) = (Digits::of_surface(&person), Digits::of_model(model));
        let (hold, solid) = grasp(recording, side, &theirs, solids)?;
        let palm = hold.palm_joint(theirs.skeleton);
        let shift = palm_shift(&palm, &solid.shape, solid.pose, ratio);
        let posture = Posture(hold.angles.digits.map(|digit| digit.map(f64::to_degrees)));
        let touches = [(&theirs, palm), (&ours, Pose::new(palm.position + shift, palm.rotation))]
            .map(|(digits, palm)| digits.touching(palm, &posture, solid));
        let open = Grasp::Open.posture().radians();
        let digits = Digit::ALL.map(Digit::index).map(|digit| {
            let [theirs, ours] = [touches[0][digit]?, touches[1][digit]?].map(|touch: Touch| touch.angles);
            Some(std::array::from_fn(|joint| Bend {
                open: open[digit][joint],
                theirs: theirs[joint].to_radians(),
                ours: ours[joint].to_radians(),
                strength: ratio,
            }))
        });
        Some(Refit { shift, digits })
    }

    /// A frame of the person as the hand with that skeleton gives it.
    #[must_use]
    pub fn apply(&self, frame: &TrackerFrame, skeleton: &Skeleton) -> TrackerFrame {
        let frame = retargeted(frame, skeleton);
        let Some(mut hold) = Hold::of(&frame, skeleton) else { return frame };
        hold.palm.position += self.shift;
        for (angles, bends) in hold.angles.digits.iter_mut().zip(&self.digits) {
            if let Some(bends) = bends {
                angles.iter_mut().zip(bends).for_each(|(angle, bend)| *angle = bend.of(*angle));
            }
        }
        hold.frame(skeleton)
    }
}

/// Joint angles, radians, with which the digits of a hand press on a thing as those of another hand do, by their share of strength. `None`
/// for digits that do not reach it, and for those that are clear of it in both hands. Hands and their palm joints: theirs and ours; `hold` is
/// how theirs is wanted, `pressing` says which of their digits press. In a larger hand all digits that reach the thing press as those do on the
/// whole: a small hand may hold with thumb and ring finger what then lies elsewhere between the fingers.
pub(crate) fn pressing_alike(
    [(theirs, their_palm), (ours, our_palm)]: [(&HandModel, Pose); 2],
    hold: &HandPose,
    pressing: &[bool; Digit::ALL.len()],
    solid: &Solid,
    strength: f64,
) -> [Option<[f64; 4]>; Digit::ALL.len()] {
    let posture = Posture(hold.digits.map(|digit| digit.map(f64::to_degrees)));
    let theirs = Digits::of_model(theirs).touching(their_palm, &posture, solid);
    let hand = Digits::of_model(ours);
    let ours = hand.touching_within(our_palm, &posture, solid, ALL_THE_WAY);
    // the way to a small hand's posture may lead a longer digit past the thing; the way around a ball leads it to what is in the palm
    let around = hand.touching_within(our_palm, &Grasp::Ball.posture(), solid, ALL_THE_WAY);
    // how much further than to the touch each of theirs is bent
    let beyond = Digit::ALL.map(Digit::index).map(|digit| {
        let touch = theirs[digit].filter(|touch| touch.share < 1.0)?;
        Some(std::array::from_fn::<f64, 4, _>(|k| posture.0[digit][k] - touch.angles[k]))
    });
    let pressed = beyond.iter().zip(pressing).filter_map(|(beyond, presses)| beyond.filter(|_| *presses));
    let (sum, count) = pressed
        .fold(([0.0; 4], 0.0), |(sum, count), beyond| (std::array::from_fn(|k| sum[k] + beyond[k]), count + 1.0));
    let all_press = strength > 1.0 && count > 0.0;
    Digit::ALL.map(Digit::index).map(|digit| {
        let around = || around[digit].filter(|_| all_press);
        let ours = ours[digit].or_else(around).filter(|touch| pressing[digit] || touch.share < 1.0 || all_press)?;
        let mean = || if all_press && !pressing[digit] { sum.map(|angle| angle / count) } else { [0.0; 4] };
        // flesh that presses may be where bones alone would not touch
        let beyond = beyond[digit].unwrap_or_else(mean);
        Some(std::array::from_fn(|k| (ours.angles[k] + beyond[k] * strength).to_radians()))
    })
}

/// The first frame in which most digits are at a thing that can be taken, and the thing.
fn grasp<'a>(
    recording: &TrackRecording,
    side: Side,
    theirs: &Digits<'_>,
    solids: &'a [Solid],
) -> Option<(Hold, &'a Solid)> {
    let mut best: Option<(usize, Hold, &Solid)> = None;
    let mut next = 0.0;
    for frame in &recording.frames {
        let Some(hand) = frame.hand(side).filter(|_| frame.time >= next) else { continue };
        next = frame.time + LOOKING;
        let Some(hold) = Hold::of(&retargeted(hand, theirs.skeleton), theirs.skeleton) else { continue };
        for solid in solids.iter().filter(|solid| !solid.fixed) {
            let count = inside(theirs, &hold.angles, hold.palm, solid);
            if count > best.as_ref().map_or(0, |(most, ..)| *most) {
                best = Some((count, hold.clone(), solid));
            }
        }
    }
    best.map(|(_, hold, solid)| (hold, solid))
}

/// Digits whose skin is inside a thing.
fn inside(digits: &Digits<'_>, angles: &HandPose, palm: Pose, solid: &Solid) -> usize {
    let bones = digits.skeleton.pose(angles, palm);
    let within = |bone: usize| {
        digits.skin[bone].iter().any(|p| solid.shape.distance(solid.pose.local(bones[bone].point(*p))) < 0.0)
    };
    let touches = |digit: &Digit| (0..3).any(|segment| within(BoneId::of(*digit, segment).index()));
    Digit::ALL.iter().filter(|digit| touches(digit)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joints_meet_at_the_touch_and_go_beyond_by_strength() {
        let bend = Bend { open: -0.1, theirs: 0.9, ours: 0.5, strength: 0.7 };
        assert_eq!(bend.of(-0.1), -0.1);
        assert!((bend.of(0.9) - 0.5).abs() < 1e-12 && (bend.of(1.0) - 0.57).abs() < 1e-12);
        assert!((bend.of(0.4) - 0.2).abs() < 1e-12, "half of the way is half of the way");
        assert_eq!(bend.of(-0.3), -0.3, "further open than open is as it is");
    }
}
