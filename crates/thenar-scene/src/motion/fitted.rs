//! Scripts for hands of other sizes: keys are written for an adult's hand.

use thenar::geometry::distance::Shape;
use thenar::hand::{
    Anatomy, BONE_COUNT, BoneId, Digit, HandModel, HandPose, HandSurface, JointSet, Preset, Side, Skeleton, SkinDetail,
    XrJoint,
};
use thenar::math::{Pose, Vec3};

use super::Script;
use super::reach::{Aim, Firm, Reach, palm_shift};
use super::scaled::scaled;
use super::story::{Moment, Place, stay, story};
use super::touching::Digits;
use crate::scene::{FingerSpec, FingersSpec, HandSpec};

/// How far the skin of a digit may be from the place where an adult touches a thing, metres: half the breadth of a fingertip.
const ALONG: f64 = 5e-3;
/// The same of skin that is near a thing, or pushes it from one side: it is as well at one place as at another of a fingertip's pad.
const BESIDE: f64 = 2e-3;
/// Skin further from a thing than this is on the way and need not be anywhere, metres: the breadth of two fingers.
const READY: f64 = 0.04;
/// Sizes that differ by less hold things as an adult does, with all in proportion: three standard deviations of adults. A fit of the skin, which
/// trades one digit's place for another's, gives them nothing (`cargo test --release -p thenar-scene --test sizes`).
const ALIKE: f64 = 0.15;
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

/// The hand with its keys as its size asks for: for one that is nearly as large as an adult's all in proportion, for others the places of the skin that touch a thing in an adult's hand touch it at the same
/// places, or as near to them as this hand can. Palm and digits are found by least squares where a thing is taken; on the way
/// to it and with it the palm keeps the shift it has there.
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
    if (size - 1.0).abs() < ALIKE {
        return scaled(hand, [&adult, &own], size, solids);
    }
    let times: Vec<f64> = hand.keys.iter().map(|key| key.at).collect();
    let fit = Fit { adult: &adult, own: &own, stretch: stretch(&adult, &own), size, solids };
    let moments = story(&Script::new(hand), &times, &adult, solids);
    let shifts = fit.shifts(&moments);
    let mut fitted = hand.clone();
    for (key, (moment, shift)) in fitted.keys.iter_mut().zip(moments.iter().zip(shifts)) {
        let palm = moment.stance.palm;
        if let Some(position) = key.palm.as_mut().and_then(|palm| palm.position.as_mut()) {
            *position = palm.point(shift).to_array();
        }
        if key.around.is_some() || (key.grasp.is_none() && key.fingers.is_none()) {
            continue;
        }
        let work = moment.work.map(|work| &moments[work]);
        let Some(work) = work else { continue };
        let posture = fit.digits(moment, work, shift);
        let finger = |[first, spread, second, third]: [f64; 4]| FingerSpec { flex: [first, second, third], spread };
        let [thumb, index, middle, ring, little] = posture.map(|digit| Some(finger(digit.map(f64::to_degrees))));
        key.fingers = Some(FingersSpec { thumb, index, middle, ring, little });
    }
    fitted
}

/// How many times as large as an adult's the skin of each bone is along the bone's axes.
fn stretch(adult: &Digits<'_>, own: &Digits<'_>) -> [Vec3; BONE_COUNT] {
    let extent = |points: &[Vec3]| {
        let low = points.iter().fold(Vec3::INFINITY, |a, b| a.min(*b));
        let high = points.iter().fold(Vec3::NEG_INFINITY, |a, b| a.max(*b));
        high - low
    };
    std::array::from_fn(|bone| extent(&own.skin[bone]) / extent(&adult.skin[bone]))
}

struct Fit<'a> {
    adult: &'a Digits<'a>,
    own: &'a Digits<'a>,
    stretch: [Vec3; BONE_COUNT],
    size: f64,
    solids: &'a [Solid],
}

impl Fit<'_> {
    /// How far the palm moves at each moment, in its own axes.
    fn shifts(&self, moments: &[Moment]) -> Vec<Vec3> {
        let mut known: Vec<Option<Vec3>> = vec![None; moments.len()];
        let mut shifts = Vec::new();
        for moment in moments {
            let Some(work) = moment.work else {
                shifts.push(Vec3::ZERO);
                continue;
            };
            let shift = *known[work].get_or_insert_with(|| {
                let taken = &moments[work];
                // open beside the thing just before, the palm there already
                let squeezed = |m: &Moment| m.touched.as_ref().is_some_and(|touched| touched.squeezed);
                let ready = moments[..work].iter().rev().take_while(|m| stay(m, taken)).find(|m| !squeezed(m));
                let ready = ready.filter(|_| squeezed(taken));
                let reaches = [Some(taken), ready].into_iter().flatten();
                let moments: Vec<&Moment> = reaches.collect();
                let of = |hand: &Digits<'_>, stretch: &[Vec3; BONE_COUNT]| {
                    let reach = |moment: &&Moment| self.reach(moment, taken, Vec3::ZERO, stretch);
                    palm_shift(hand, &moments.iter().map(reach).collect::<Vec<Reach<'_>>>())
                };
                // what an adult's hand itself would be moved by is not due to size
                of(self.own, &self.stretch) - of(self.adult, &[Vec3::ONE; BONE_COUNT])
            });
            shifts.push(shift);
        }
        shifts
    }

    /// The digits' angles at a moment, radians, the palm moved.
    fn digits(&self, moment: &Moment, work: &Moment, shift: Vec3) -> [[f64; 4]; Digit::ALL.len()] {
        let ours = self.reach(moment, work, shift, &self.stretch).angles(self.own);
        // As far beyond the fit as an adult. Springs that turn phalanges press, so that shorter fingers press as hard with less.
        let theirs = self.reach(moment, work, Vec3::ZERO, &[Vec3::ONE; BONE_COUNT]);
        let wanted = HandPose { digits: theirs.wanted }.clamped(self.adult.skeleton).digits;
        let theirs = theirs.angles(self.adult);
        Digit::ALL.map(|digit| {
            let k = digit.index();
            let pressed = moment.touched.as_ref().is_some_and(|touched| touched.squeezed && touched.presses(digit));
            let beyond = if pressed { self.size } else { 1.0 };
            std::array::from_fn(|joint| ours[k][joint] + (wanted[k][joint] - theirs[k][joint]) * beyond)
        })
    }

    fn reach(&self, moment: &Moment, work: &Moment, shift: Vec3, stretch: &[Vec3; BONE_COUNT]) -> Reach<'_> {
        let palm = Pose::new(moment.stance.palm.point(shift), moment.stance.palm.rotation);
        let wanted = moment.stance.posture.radians();
        let thing = work.touched.as_ref().map(|touched| touched.thing);
        let mut order: Vec<usize> = (0..self.solids.len()).collect();
        order.sort_by_key(|k| Some(*k) != thing);
        let solids = order.iter().map(|k| (&self.solids[*k].shape, moment.things[*k])).collect();
        Reach { palm, wanted, aims: self.aims(moment, work, stretch), solids }
    }

    fn aims(&self, moment: &Moment, work: &Moment, stretch: &[Vec3; BONE_COUNT]) -> Vec<Aim> {
        let Some(goal) = &work.touched else { return Vec::new() };
        let here = moment.touched.as_ref().filter(|touched| touched.thing == goal.thing);
        let bones = self.adult.bones(moment.stance.palm, &moment.stance.posture.radians());
        let (solid, pose) = (&self.solids[goal.thing], moment.things[goal.thing]);
        let aim = |place: &Place, within: f64, firm: Firm| {
            let position = bones[place.bone].point(place.local);
            Aim { bone: place.bone, local: place.local * stretch[place.bone], position, within, firm }
        };
        let mut aims = Vec::new();
        for bone in 0..BONE_COUNT {
            let place = |places: &[Place]| places.iter().find(|place| place.bone == bone).copied();
            match (here.and_then(|touched| Some((touched, place(&touched.places)?))), place(&goal.places)) {
                (Some((touched, place)), _) if touched.squeezed => {
                    if place.depth > 0.0 && bone != BoneId::PALM.index() {
                        // where it comes to the surface
                        let mut one = aim(&place, ALONG, Firm::Depth(0.0));
                        one.position -= place.normal * solid.shape.distance(pose.local(one.position));
                        aims.push(one);
                    } else if place.depth > 0.0 {
                        aims.push(aim(&place, ALONG, Firm::Depth(place.depth * self.size)));
                    } else {
                        let firm = if touched.is_nearest(&place) { Firm::Depth(place.depth) } else { Firm::Nothing };
                        aims.push(aim(&place, 2.0 * ALONG, firm));
                    }
                }
                (Some((_, place)), _) => aims.push(aim(&place, BESIDE, Firm::Along(place.normal))),
                (None, Some(place)) => {
                    let one = aim(&place, 2.0 * ALONG, Firm::Nothing);
                    if solid.shape.distance(pose.local(one.position)) < READY {
                        aims.push(one);
                    }
                }
                (None, None) => {}
            }
        }
        aims
    }
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
    fn a_smaller_hand_is_nearer_to_what_it_takes_and_lifts_it_as_far() {
        let hand = &library::scene("ball").unwrap().hands[0];
        let child = model(Preset::Child);
        assert!(size(&child.skeleton) > 0.5 && size(&child.skeleton) < 0.9);
        let fitted = fitted(hand, &child, &solids());
        let position =
            |hand: &HandSpec, key: usize| Vec3::from_array(hand.keys[key].palm.as_ref().unwrap().position.unwrap());
        assert!(position(&fitted, 2).z < 0.036, "{}", position(&fitted, 2));
        let lifted = |hand: &HandSpec| position(hand, 3) - position(hand, 2);
        assert!((lifted(&fitted) - lifted(hand)).length() < 1e-9);
    }
}
