//! A hand that appears anew around what another one held: its fingers close again while the things stay in its palm.

use thenar::geometry::distance::Shape;
use thenar::hand::{BoneId, Digit, HandModel, HandPose};
use thenar::math::{Mat3, Pose, Quat, Vec3};
use thenar::tracking::TrackerFrame;
use thenar::world::{BodyError, HeldNodes, ObjectId, SoftId, Tether, World};

use super::rest::Rest;
use super::simulation::{DrivenHand, Simulation};
use crate::motion::{Grasp, Hold, minimum_jerk, skin_points};

/// Time in which the fingers close, seconds: about what a person takes.
const CLOSING: f64 = 0.4;
/// Time in which things are let go after that, seconds: the hold softens by e in 0.16 s, longer than a thing swings in a hand (100 g on
/// the 500 N/m of a phalanx: 0.09 s), so that its weight goes over to the fingers without a jump.
const LETTING_GO: f64 = 1.5;
/// Stiffness with which things are held at first, N/m and N m/rad, each with its damping. The most that a palm is led with, 80 N and 6 N m,
/// moves them by 0.4 mm and 0.7°; what weighs less than 300 g does not swing.
const HELD: [f64; 4] = [2e5, 500.0, 500.0, 1.0];
/// Share of that stiffness at the end, 20 N/m: 4 % of what one phalanx is led with, so that the last of it is hardly felt.
const LET_GO: f64 = 1e-4;
/// Air between skin and things before the fingers close, metres: more than the palms of different hands differ in thickness,
/// so that a hand that is moved out of what it appears in still encloses it.
const AIR: f64 = 0.004;
/// Smallest movement of a digit that opens, as a share of the way from the grasp to the open hand.
const STRIDE: f64 = 0.02;

/// How fast they close further while what they hold slips, radians per second: a quarter of the speed with which they closed, so that they
/// end near the force that is enough. And how far: beyond a third of a joint's range they curl above a thing and push it out.
const TIGHTENING: f64 = 0.7;
const TIGHTEST: f64 = 0.6;
/// A thing slips that has come further down than this, metres, which is what flesh gives way under a load, and still falls
/// against the palm, m/s: what creeps slower comes 3 mm down at most until it is let go.
const GIVING_WAY: f64 = 0.004;
const FALLING: f64 = 0.002;
/// A digit that is moved by so much, radians, is no longer asked to hold: a quarter of the way from open to a fist, more than the noise of
/// trackers.
const LETS_GO: f64 = 0.4;

/// What stays in a palm.
#[derive(Clone, Debug)]
pub(super) enum Thing {
    /// A rigid object.
    Rigid(ObjectId),
    /// A deformable one with its nodes, bent as the hand bent it.
    Soft(SoftId, Vec<Vec3>),
}

/// A thing that a hand held.
#[derive(Clone, Debug)]
pub(super) struct Carried {
    /// What.
    pub thing: Thing,
    /// Number of the hand.
    pub hand: usize,
    /// Where its centre of mass was; for a deformable thing what carries its nodes, nothing at first.
    pub pose: Pose,
    /// Digits that touched it.
    pub digits: [bool; Digit::ALL.len()],
    /// The palm joint of the hand that held it, where it was wanted.
    pub palm: Vec3,
    /// How much further from the thing the palm of the new hand should be, metres, because that is of another size.
    pub further: Vec3,
    /// How the digits of a hand of another size should be bent around it, radians.
    pub bent: [Option<[f64; 4]>; Digit::ALL.len()],
}

/// Fingers that are asked to close further than they are tracked, because what they hold would not be held otherwise: hands of
/// other sizes and stiffness meet a thing elsewhere. It ends, digit by digit, when the tracked fingers move.
#[derive(Clone)]
pub(super) struct Grip {
    tracked: HandPose,
    /// What its size asks for.
    sized: HandPose,
    /// What slipping asks for besides.
    extra: HandPose,
}

impl Grip {
    fn new(tracked: &HandPose) -> Grip {
        Grip { tracked: tracked.clone(), sized: HandPose::default(), extra: HandPose::default() }
    }

    /// Closes digits further; false if they are as tight as they get.
    fn tighten(&mut self, digits: &[bool], by: f64) -> bool {
        let mut tightened = false;
        for (angles, _) in self.extra.digits.iter_mut().zip(digits).filter(|(_, holds)| **holds) {
            for joint in [0, 2, 3] {
                tightened |= angles[joint] < TIGHTEST;
                angles[joint] = (angles[joint] + by).min(angles[joint].max(TIGHTEST));
            }
        }
        tightened
    }

    /// The tracked hand with what it is asked for besides; `None` when that is nothing any more.
    fn tightened(&self, angles: &HandPose) -> Option<HandPose> {
        let mut tightened = angles.clone();
        let mut any = false;
        for digit in Digit::ALL {
            let (now, then) = (&angles.digits[digit.index()], &self.tracked.digits[digit.index()]);
            let moved = now.iter().zip(then).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let share = (1.0 - moved / LETS_GO).max(0.0);
            any |= share > 0.0;
            for (joint, angle) in tightened.digits[digit.index()].iter_mut().enumerate() {
                *angle += share * (self.sized.digits[digit.index()][joint] + self.extra.digits[digit.index()][joint]);
            }
        }
        any.then_some(tightened)
    }

    /// Gives a hand the tightened frame in place of the tracked one; false when it is over.
    pub fn feed(&self, hand: &mut DrivenHand) -> bool {
        let skeleton = &hand.model.skeleton;
        let Some(frame) = &hand.fed else { return true };
        let Some(wanted) = Hold::of(frame, skeleton) else { return true };
        let Some(angles) = self.tightened(&wanted.angles) else { return false };
        let bones = skeleton.pose(&angles.clamped(skeleton), wanted.palm);
        hand.fed = Some(TrackerFrame { side: wanted.side, joints: skeleton.joint_set(&bones) });
        true
    }
}

/// Hands that close again.
pub(super) struct Regrasp {
    start: f64,
    /// For how long things have been let go, seconds.
    let_go: f64,
    carried: Vec<Carried>,
    hands: Vec<ClosingHand>,
}

/// One of the hands.
#[derive(Default)]
struct ClosingHand {
    /// The last tracked frame.
    wanted: Option<Hold>,
    /// Where it starts.
    from: Option<Hold>,
    /// What was wanted then.
    first: Option<Hold>,
    /// Of the palm where it is wanted, m/s.
    velocity: Vec3,
    /// The palm joint where it was first wanted, metres.
    palm_joint: Vec3,
    /// How much of the way its fingers have closed.
    closed: f64,
}

impl ClosingHand {
    /// True when whoever moves the hand opens it.
    fn opens(&self) -> bool {
        let flexed = |hold: &Hold| hold.angles.digits.map(|digit| digit[0] + digit[2] + digit[3]);
        let (Some(first), Some(wanted)) = (&self.first, &self.wanted) else { return false };
        flexed(first).iter().zip(flexed(wanted)).any(|(then, now)| then - now > LETS_GO)
    }
}

impl Regrasp {
    /// Begins at a time, with what each hand held.
    pub fn new(start: f64, hands: usize, carried: Vec<Carried>) -> Regrasp {
        Regrasp { start, let_go: 0.0, carried, hands: (0..hands).map(|_| ClosingHand::default()).collect() }
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
            let (wanted, from) = known.map_or((None, None), |(wanted, is)| (Some(wanted), Some(is)));
            ClosingHand { wanted, from, ..ClosingHand::default() }
        };
        Regrasp { start, let_go: 0.0, carried, hands: before.hands().iter().map(hand).collect() }
    }

    /// True when the hands hold by themselves.
    pub fn is_over(&self) -> bool {
        self.let_go >= LETTING_GO
    }

    /// After closing, things are let go; while one slips, the fingers that hold it close further instead, as a person's do.
    pub fn settle(&mut self, time: f64, dt: f64, world: &World, grips: &mut [Option<Grip>]) {
        if self.hands.iter().any(ClosingHand::opens) {
            self.let_go = LETTING_GO;
        }
        if time < self.start + CLOSING {
            return;
        }
        let mut slips = false;
        let down = world.config().gravity.normalize_or_zero();
        for carried in &self.carried {
            let hand = self.hands.get(carried.hand);
            let wanted = hand.and_then(|hand| Some((hand.wanted.as_ref()?, hand.velocity)));
            let (Some((wanted, velocity)), Some(grip)) = (wanted, grips.get_mut(carried.hand)) else { continue };
            let Some((fallen, falls)) = self.gone(carried, world) else { continue };
            if fallen.dot(down) > GIVING_WAY && (falls - velocity).dot(down) > FALLING {
                let none = || Grip::new(&wanted.angles);
                slips |= grip.get_or_insert_with(none).tighten(&carried.digits, TIGHTENING * dt);
            }
        }
        if !slips {
            self.let_go += dt;
        }
    }

    /// Gives a hand the frame of this moment in place of the tracked one: fingers on their way from clear of everything to where
    /// they are wanted. Where the tracker has nothing new, its last frame counts.
    pub fn feed(
        &mut self,
        index: usize,
        [time, dt]: [f64; 2],
        hand: &mut DrivenHand,
        solids: &[(&Shape, Pose)],
        grip: &mut Option<Grip>,
    ) {
        let Some(closing) = self.hands.get_mut(index) else { return };
        let skeleton = &hand.model.skeleton;
        closing.velocity = Vec3::ZERO;
        if let Some(frame) = &hand.fed {
            let next = Hold::of(frame, skeleton);
            if let (Some(next), Some(before)) = (&next, &closing.wanted) {
                closing.velocity = (next.palm.position - before.palm.position) / dt;
            }
            closing.wanted = next;
        }
        let Some(wanted) = &closing.wanted else { return };
        if closing.first.is_none() {
            let opened = Hold { angles: clear_of(&hand.model, &wanted.angles, wanted.palm, solids), ..wanted.clone() };
            closing.from.get_or_insert(opened);
        }
        let Some(from) = &closing.from else { return };
        if closing.first.is_none() {
            closing.palm_joint = wanted.palm_joint(skeleton).position;
            for carried in self.carried.iter().filter(|carried| carried.hand == index) {
                for (digit, bent) in carried.bent.iter().enumerate().filter_map(|(k, bent)| Some((k, (*bent)?))) {
                    let grip = grip.get_or_insert_with(|| Grip::new(&wanted.angles));
                    let asked = &mut grip.sized.digits[digit];
                    *asked = std::array::from_fn(|joint| bent[joint] - wanted.angles.digits[digit][joint]);
                }
            }
        }
        let first = closing.first.get_or_insert_with(|| wanted.clone()).palm;
        let tight = grip.as_ref().and_then(|grip| grip.tightened(&wanted.angles)).unwrap_or(wanted.angles.clone());
        let share = minimum_jerk(((time - self.start) / CLOSING).clamp(0.0, 1.0));
        closing.closed = share;
        let angles = HandPose { digits: between(&from.angles, &tight.clamped(skeleton), share) };
        // a palm that moves in the meantime is followed at once
        let away = first.inverse() * from.palm;
        let away = Pose::new(away.position * (1.0 - share), Quat::IDENTITY.slerp(away.rotation, 1.0 - share));
        let bones = skeleton.pose(&angles, wanted.palm * away);
        hand.fed = Some(TrackerFrame { side: wanted.side, joints: skeleton.joint_set(&bones) });
    }

    /// Keeps things where they lie in their palms, for the step that follows.
    pub fn carry(&self, world: &mut World, mut rest: Option<&mut Rest>) {
        // A tenth of the stiffness after equal times: what a thing weighs moves it evenly at last.
        let gone = (self.let_go / LETTING_GO).min(1.0);
        let firmness = libm::pow(LET_GO, gone);
        for carried in &self.carried {
            let pose = self.place(carried);
            match &carried.thing {
                Thing::Rigid(object) => {
                    // what has no room among the things that another engine shares with this one cannot be held in it
                    if let Some(rest) = rest.as_mut().filter(|rest| !rest.is_awake(*object)) {
                        rest.place(world, *object, pose, Vec3::ZERO, Vec3::ZERO);
                    }
                    kept(world.hold(*object, held_at(pose, firmness)));
                }
                Thing::Soft(soft, nodes) => {
                    let places = nodes.iter().map(|node| pose.point(*node)).collect();
                    let [stiffness, damping, ..] = held_with(firmness);
                    kept(world.hold_soft(*soft, HeldNodes { places, stiffness, damping }));
                }
            }
        }
    }

    /// How far a thing is from its place, on the whole, metres, and its velocity, m/s.
    fn gone(&self, carried: &Carried, world: &World) -> Option<(Vec3, Vec3)> {
        let place = self.place(carried);
        match &carried.thing {
            Thing::Rigid(object) => {
                let state = world.state().objects.get(object.0 as usize)?;
                Some((state.pose.position - place.position, state.velocity))
            }
            Thing::Soft(soft, nodes) => {
                let state = world.state().softs.get(soft.0 as usize)?;
                let mean = |vectors: &[Vec3]| vectors.iter().sum::<Vec3>() / vectors.len() as f64;
                Some((mean(&state.nodes) - place.point(mean(nodes)), mean(&state.velocities)))
            }
        }
    }

    /// Where a thing should be now: where it was in the palm, and, while the fingers of a hand of another size close, on its way to the
    /// same place of that hand.
    fn place(&self, carried: &Carried) -> Pose {
        let placed = || {
            let hand = self.hands.get(carried.hand)?;
            let (first, now) = (hand.first.as_ref()?.palm, hand.wanted.as_ref()?.palm);
            let way = hand.palm_joint - carried.palm - carried.further;
            let moved = Pose::new(carried.pose.position + way * hand.closed, carried.pose.rotation);
            Some(now * (first.inverse() * moved))
        };
        placed().unwrap_or(carried.pose)
    }

    /// Lets go of everything.
    pub fn untie(&self, world: &mut World) {
        for carried in &self.carried {
            match &carried.thing {
                Thing::Rigid(object) => kept(world.release(*object)),
                Thing::Soft(soft, _) => kept(world.release_soft(*soft)),
            }
        }
    }
}

/// A thing that was removed in the meantime is not held.
fn kept(_done: Result<(), BodyError>) {}

/// A share of the usual firmness, and the damping that goes with it.
fn held_with(firmness: f64) -> [f64; 4] {
    let [linear, linear_damping, angular, angular_damping] = HELD;
    let swing = firmness.sqrt();
    [linear * firmness, linear_damping * swing, angular * firmness, angular_damping * swing]
}

/// Holds an object at a place, with a share of the usual firmness.
pub(super) fn held_at(target: Pose, firmness: f64) -> Tether {
    let [linear, linear_damping, angular, angular_damping] =
        held_with(firmness).map(|value| Mat3::from_diagonal(Vec3::splat(value)));
    let [velocity, spin, force, torque] = [Vec3::ZERO; 4];
    Tether { target, velocity, spin, linear, linear_damping, angular, angular_damping, force, torque }
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
