//! What a script does to things: where its hand touches them, and where it carries them.

use thenar::hand::{BONE_COUNT, BoneId, Digit};
use thenar::math::{Pose, Vec3};

use super::touching::Digits;
use super::{Script, Solid, Stance};

/// Length of the sum of all depths along their normals over the sum of depths: 1 where all point one way, as of a finger
/// that pushes.
const ONE_SIDED: f64 = 0.9;
/// Palms that are nearer to each other than this are at the same place, metres: far less than a thing is carried.
const STAYS: f64 = 0.01;

/// Skin that is not further than this from a thing is beside it, metres: fingers that hold something come as near as that to what
/// they do not press on.
const BESIDE: f64 = 0.01;

/// A place of the skin inside a thing, or beside it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The bone below it.
    pub bone: usize,
    /// In the frame of the bone: the middle of what is inside, by the square of its depth.
    pub local: Vec3,
    /// Of the thing there, in world axes.
    pub normal: Vec3,
    /// Metres; negative outside.
    pub depth: f64,
}

/// What a hand touches.
#[derive(Clone, Debug)]
pub(super) struct Touched {
    /// Which thing.
    pub thing: usize,
    /// From more than one side.
    pub squeezed: bool,
    /// Where.
    pub places: Vec<Place>,
}

impl Touched {
    fn depth(&self) -> f64 {
        self.places.iter().map(|place| place.depth.max(0.0)).sum()
    }

    /// True if a digit is inside.
    pub fn presses(&self, digit: Digit) -> bool {
        self.places.iter().any(|place| BoneId(place.bone as u8).digit() == Some(digit) && place.depth > 0.0)
    }

    /// True if none of the digit that has this place is deeper.
    pub fn is_nearest(&self, place: &Place) -> bool {
        let digit = |place: &Place| BoneId(place.bone as u8).digit();
        self.places.iter().all(|other| digit(other) != digit(place) || other.depth <= place.depth)
    }
}

/// One key of a script.
#[derive(Clone, Debug)]
pub(super) struct Moment {
    /// The hand.
    pub stance: Stance,
    /// Where things are.
    pub things: Vec<Pose>,
    /// What the hand touches.
    pub touched: Option<Touched>,
    /// The moment whose touch this one belongs to, if anything is touched at all.
    pub work: Option<usize>,
}

/// True if two moments have the palm at the same place.
pub(super) fn stay(a: &Moment, b: &Moment) -> bool {
    a.stance.palm.position.distance(b.stance.palm.position) < STAYS
}

/// The moments of a script for a hand among things, which stay where they are until they are taken.
pub(super) fn story(script: &Script, times: &[f64], hand: &Digits<'_>, solids: &[Solid]) -> Vec<Moment> {
    let mut things: Vec<Pose> = solids.iter().map(|solid| solid.pose).collect();
    let mut held: Option<(usize, Pose)> = None;
    let mut moments = Vec::new();
    for at in times {
        let stance = script.at(*at);
        let touch = |thing: usize, pose: Pose| {
            let places = places(hand, &stance, &solids[thing], pose);
            let (sum, all) = places.iter().fold((Vec3::ZERO, 0.0), |(sum, all), place| {
                (sum + place.normal * place.depth.max(0.0), all + place.depth.max(0.0))
            });
            (all > 0.0).then(|| Touched { thing, squeezed: sum.length() < ONE_SIDED * all, places })
        };
        let mut touched = None;
        if let Some((thing, inside)) = held {
            let pose = stance.palm * inside;
            touched = touch(thing, pose).filter(|touched| touched.squeezed);
            match &touched {
                Some(_) => things[thing] = pose,
                None => held = None,
            }
        }
        if touched.is_none() {
            let all = (0..solids.len()).filter_map(|thing| touch(thing, things[thing]));
            // a thing that can be taken first, and what is touched most
            let rank = |touched: &Touched| (touched.squeezed && !solids[touched.thing].fixed, touched.depth());
            touched = all.max_by(|a, b| rank(a).partial_cmp(&rank(b)).unwrap_or(std::cmp::Ordering::Equal));
            if let Some(touched) = touched.as_ref().filter(|touched| rank(touched).0) {
                held = Some((touched.thing, stance.palm.inverse() * things[touched.thing]));
            }
        }
        moments.push(Moment { stance, things: things.clone(), touched, work: None });
    }
    assign(&mut moments);
    moments
}

/// Skin of each bone that is inside a thing or beside it.
fn places(hand: &Digits<'_>, stance: &Stance, solid: &Solid, pose: Pose) -> Vec<Place> {
    let bones = hand.bones(stance.palm, &stance.posture.radians());
    let of_bone = |bone: usize| {
        let (mut sum, mut weights) = (Vec3::ZERO, 0.0);
        let mut deepest = (-BESIDE, None);
        for local in &hand.skin[bone] {
            let depth = -solid.shape.distance(pose.local(bones[bone].point(*local)));
            if depth > deepest.0 {
                deepest = (depth, Some(*local));
            }
            if depth > 0.0 {
                sum += *local * (depth * depth);
                weights += depth * depth;
            }
        }
        let (depth, nearest) = (deepest.0, deepest.1?);
        let local = if weights > 0.0 { sum / weights } else { nearest };
        let normal = pose.rotation * solid.shape.sample(pose.local(bones[bone].point(local))).normal;
        Some(Place { bone, local, normal, depth })
    };
    (0..BONE_COUNT).filter_map(of_bone).collect()
}

/// Finds for each moment the one that says where the hand has to be: the deepest touch while the palm stays where it takes
/// something or pushes; on the way, that of the nearer of both ends.
fn assign(moments: &mut [Moment]) {
    let place = |moment: &Moment| moment.stance.palm.position;
    let mut works: Vec<(usize, usize, usize)> = Vec::new();
    let mut k = 0;
    while k < moments.len() {
        let Some(first) = moments[k].touched.clone() else {
            k += 1;
            continue;
        };
        let same =
            |m: &Moment| m.touched.as_ref().is_some_and(|t| t.thing == first.thing && t.squeezed == first.squeezed);
        let end = (k..moments.len()).find(|j| !same(&moments[*j])).unwrap_or(moments.len());
        let stays = (k..end).take_while(|j| place(&moments[*j]).distance(place(&moments[k])) < STAYS);
        let depth = |j: &usize| moments[*j].touched.as_ref().map_or(0.0, Touched::depth);
        let deepest = stays.max_by(|a, b| depth(a).total_cmp(&depth(b))).unwrap_or(k);
        works.push((k, end, deepest));
        k = end;
    }
    // a palm that touches a thing before its fingers close around it does not push it
    let squeezed: Vec<(usize, usize, usize)> =
        works.iter().copied().filter(|w| moments[w.2].touched.as_ref().is_some_and(|t| t.squeezed)).collect();
    works.retain(|(first, end, deepest)| {
        let near = |w: &&(usize, usize, usize)| {
            let ends = [w.0, w.1 - 1].map(|j| place(&moments[j]));
            let ours = [*first, *end - 1].map(|j| place(&moments[j]));
            ends.iter().any(|p| ours.iter().any(|q| p.distance(*q) < STAYS))
        };
        squeezed.iter().any(|w| w.2 == *deepest) || !squeezed.iter().any(|w| near(&w))
    });
    for k in 0..moments.len() {
        let within = works.iter().find(|(first, end, _)| (*first..*end).contains(&k));
        let before = works.iter().rev().find(|(_, end, _)| *end <= k).map(|w| (w.1 - 1, w.2));
        let after = works.iter().find(|(first, ..)| *first > k).map(|w| (w.0, w.2));
        let away = |(j, _): &(usize, usize)| place(&moments[*j]).distance(place(&moments[k]));
        let nearer = match (before, after) {
            (Some(b), Some(a)) => Some(if away(&b) <= away(&a) { b.1 } else { a.1 }),
            (one, other) => one.or(other).map(|w| w.1),
        };
        moments[k].work = within.map(|w| w.2).or(nearer);
    }
}
