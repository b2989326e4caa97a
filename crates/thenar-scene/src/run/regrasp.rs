//! A hand that appears anew around what another one held: its fingers close again while the things stay in its palm.

use thenar::energy::tether::Tether;
use thenar::geometry::distance::Shape;
use thenar::hand::{BONE_COUNT, BoneId, Digit, HandModel, HandPose, Side, Skeleton};
use thenar::math::{Mat3, Pose, Quat, Vec3};
use thenar::tracking::TrackerFrame;
use thenar::world::{BodyError, ObjectId, SoftId, World};

use super::rest::Rest;
use super::simulation::{DrivenHand, Simulation};
use crate::motion::{Grasp, minimum_jerk, skin_points};

/// Time in which the fingers close, seconds: about what a person takes.
const CLOSING: f64 = 0.4;
/// Time in which things are let go after that, seconds: slowly, so that they come to rest where this hand holds them.
const LETTING_GO: f64 = 0.6;
/// Stiffness with which things are held at first, N/m and N m/rad, and its damping: a hand moves them by less than a millimetre.
const HELD: [f64; 4] = [2e5, 500.0, 500.0, 1.0];
/// Share of that stiffness at the end: a newton moves things by 5 cm.
const LET_GO: f64 = 1e-4;
/// Air between skin and things before the fingers close, metres: more than the palms of different hands differ in thickness,
/// so that a hand that is moved out of what it appears in still encloses it.
const AIR: f64 = 0.004;
/// Smallest movement of a digit that opens, as a share of the way from the grasp to the open hand.
const STRIDE: f64 = 0.02;

/// What stays in a palm.
#[derive(Clone, Copy, Debug)]
pub(super) enum Thing {
    /// A rigid object.
    Rigid(ObjectId),
    /// A deformable one; it is carried undeformed.
    Soft(SoftId),
}

/// A thing that a hand held.
#[derive(Clone, Copy, Debug)]
pub(super) struct Carried {
    /// What.
    pub thing: Thing,
    /// Number of the hand.
    pub hand: usize,
    /// Where its centre of mass was; for a deformable thing its motion from where it was added.
    pub pose: Pose,
}

/// Hands that close again.
pub(super) struct Regrasp {
    start: f64,
    carried: Vec<Carried>,
    hands: Vec<ClosingHand>,
}

/// A hand as it is or should be.
#[derive(Clone)]
struct Hold {
    side: Side,
    /// Frame of the palm's bone.
    palm: Pose,
    angles: HandPose,
}

/// One of the hands.
#[derive(Default)]
struct ClosingHand {
    /// The last tracked frame.
    wanted: Option<Hold>,
    /// Where it starts.
    from: Option<Hold>,
    /// Where the palm was wanted then.
    first: Option<Pose>,
}

impl Regrasp {
    /// Begins at a time, with what each hand held.
    pub fn new(start: f64, hands: usize, carried: Vec<Carried>) -> Regrasp {
        Regrasp { start, carried, hands: (0..hands).map(|_| ClosingHand::default()).collect() }
    }

    /// The same for hands that are there and go on from where they are: fingers and palms that were held back by what they
    /// touch come to where they are wanted over the time in which others close.
    pub fn easing(start: f64, before: &Simulation, carried: Vec<Carried>) -> Regrasp {
        let hand = |hand: &DrivenHand| {
            let (outputs, skeleton) = (before.world().hand(hand.id), &hand.model.skeleton);
            let [is, wanted] = [&outputs.bones, &outputs.tracked].map(|bones| Hold {
                side: hand.model.side,
                palm: bones[BoneId::PALM.index()],
                angles: skeleton.angles(bones).clamped(skeleton),
            });
            let known = outputs.present.then_some((wanted, is));
            ClosingHand { wanted: known.clone().map(|(wanted, _)| wanted), from: known.map(|(_, is)| is), first: None }
        };
        Regrasp { start, carried, hands: before.hands().iter().map(hand).collect() }
    }

    /// True when the hands hold by themselves.
    pub fn is_over(&self, time: f64) -> bool {
        time > self.start + CLOSING + LETTING_GO
    }

    /// Gives a hand the frame of this moment in place of the tracked one: fingers on their way from clear of everything to where
    /// they are wanted. Where the tracker has nothing new, its last frame counts.
    pub fn feed(&mut self, index: usize, time: f64, hand: &mut DrivenHand, solids: &[(&Shape, Pose)]) {
        let Some(closing) = self.hands.get_mut(index) else { return };
        let skeleton = &hand.model.skeleton;
        if let Some(frame) = &hand.fed {
            closing.wanted = posed(frame, skeleton);
        }
        let Some(wanted) = &closing.wanted else { return };
        let opened = || Hold { angles: clear_of(&hand.model, &wanted.angles, wanted.palm, solids), ..wanted.clone() };
        let from = closing.from.get_or_insert_with(opened);
        let first = *closing.first.get_or_insert(wanted.palm);
        let share = minimum_jerk(((time - self.start) / CLOSING).clamp(0.0, 1.0));
        let angles = HandPose { digits: between(&from.angles, &wanted.angles, share) };
        // a palm that moves in the meantime is followed at once
        let away = first.inverse() * from.palm;
        let away = Pose::new(away.position * (1.0 - share), Quat::IDENTITY.slerp(away.rotation, 1.0 - share));
        let bones = skeleton.pose(&angles, wanted.palm * away);
        hand.fed = Some(TrackerFrame { side: wanted.side, joints: skeleton.joint_set(&bones) });
    }

    /// Keeps things where they lie in their palms, for the step that follows.
    pub fn carry(&self, time: f64, world: &mut World, mut rest: Option<&mut Rest>) {
        // A tenth of the stiffness after equal times: what a thing weighs moves it evenly at last.
        let gone = ((time - self.start - CLOSING) / LETTING_GO).clamp(0.0, 1.0);
        let firmness = libm::pow(LET_GO, gone);
        for carried in &self.carried {
            let hand = self.hands.get(carried.hand);
            let palms = hand.and_then(|hand| Some((hand.first?, hand.wanted.as_ref()?.palm)));
            let pose = palms.map_or(carried.pose, |(first, now)| now * (first.inverse() * carried.pose));
            match (carried.thing, &mut rest) {
                (Thing::Rigid(object), None) => kept(world.tether(object, held_at(pose, firmness))),
                // the host lets go at once, and so do deformable things
                (Thing::Rigid(_), Some(_)) | (Thing::Soft(_), _) if gone > 0.0 => {}
                (Thing::Rigid(object), Some(rest)) => rest.place(world, object, pose, Vec3::ZERO, Vec3::ZERO),
                (Thing::Soft(soft), _) => kept(world.place_soft(soft, pose)),
            }
        }
    }

    /// Lets go of everything.
    pub fn let_go(&self, world: &mut World, hosted: bool) {
        for carried in &self.carried {
            if let (Thing::Rigid(object), false) = (carried.thing, hosted) {
                kept(world.untether(object));
            }
        }
    }
}

/// A thing that was removed in the meantime is not held.
fn kept(_done: Result<(), BodyError>) {}

/// Ties an object to a place, with a share of the usual firmness and the damping that goes with it.
pub(super) fn held_at(target: Pose, firmness: f64) -> Tether {
    let diagonal = |value: f64| Mat3::from_diagonal(Vec3::splat(value));
    let [linear, linear_damping, angular, angular_damping] = HELD;
    Tether {
        target,
        velocity: Vec3::ZERO,
        spin: Vec3::ZERO,
        linear: diagonal(linear * firmness),
        linear_damping: diagonal(linear_damping * firmness.sqrt()),
        angular: diagonal(angular * firmness),
        angular_damping: diagonal(angular_damping * firmness.sqrt()),
        force: Vec3::ZERO,
        torque: Vec3::ZERO,
    }
}

/// Place of the palm's bone and joint angles of a tracked hand; joints that are not tracked are at rest. `None` without palm.
fn posed(frame: &TrackerFrame, skeleton: &Skeleton) -> Option<Hold> {
    let tracked = skeleton.bone_targets(&frame.joints);
    let palm = tracked[BoneId::PALM.index()].filter(Pose::is_finite)?;
    let mut bones = [palm; BONE_COUNT];
    for joint in &skeleton.articulations {
        let (parent, child) = (skeleton.bone(joint.parent), skeleton.bone(joint.child));
        let at_rest = bones[joint.parent.index()] * (parent.rest.inverse() * child.rest);
        bones[joint.child.index()] = tracked[joint.child.index()].filter(Pose::is_finite).unwrap_or(at_rest);
    }
    Some(Hold { side: frame.side, palm, angles: skeleton.angles(&bones).clamped(skeleton) })
}

/// The posture with every digit opened until its skin has air around it.
fn clear_of(model: &HandModel, angles: &HandPose, palm: Pose, solids: &[(&Shape, Pose)]) -> HandPose {
    let open = HandPose { digits: Grasp::Open.posture().radians() }.clamped(&model.skeleton);
    let skin = skin_points(model);
    let mut opened = angles.clone();
    for digit in Digit::ALL {
        let mut share = 0.0;
        while share < 1.0 {
            opened.digits[digit.index()] = between(angles, &open, share)[digit.index()];
            let bones = model.skeleton.pose(&opened, palm);
            let touches = |point: Vec3| solids.iter().any(|(shape, pose)| shape.distance(pose.local(point)) < AIR);
            let inside = (0..3).map(|segment| BoneId::of(digit, segment).index());
            if !inside.into_iter().any(|bone| skin[bone].iter().any(|p| touches(bones[bone].point(*p)))) {
                break;
            }
            share += STRIDE;
        }
    }
    opened
}

fn between(from: &HandPose, to: &HandPose, share: f64) -> [[f64; 4]; Digit::ALL.len()] {
    std::array::from_fn(|digit| {
        std::array::from_fn(|k| from.digits[digit][k] + (to.digits[digit][k] - from.digits[digit][k]) * share)
    })
}

/// The motion that carries the rest of a deformable body onto where it is: of its middle, and of its shape on the whole.
pub(super) fn whole_motion(rest: &[Vec3], now: &[Vec3]) -> Pose {
    let pairs: Vec<(Vec3, Vec3)> = rest.iter().copied().zip(now.iter().copied()).collect();
    crate::trackers::rigid_fit(&pairs).map_or(Pose::new(Vec3::ZERO, Quat::IDENTITY), |(pose, _)| pose)
}
