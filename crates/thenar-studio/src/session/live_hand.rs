//! A hand that a person moves, by mouse and keys or by a headset.

use std::cell::RefCell;
use std::rc::Rc;

use thenar::hand::{Side, Skeleton};
use thenar::math::{Pose, Quat};
use thenar::tracking::TrackerFrame;
use thenar_scene::motion::{Grasp, Posture, Stance};
use thenar_scene::run::FrameSource;
use thenar_scene::trackers::retargeted;

/// Fastest the palm follows the mouse, m/s and rad/s: about what a person does.
pub const PALM_SPEED: f64 = 2.5;
const PALM_TURN: f64 = 12.0;
/// Time in which fingers come most of the way to where they should be, seconds.
const FINGER_TIME: f64 = 0.07;
/// Sideways reach of a finger from a full slider, degrees.
const SPREAD: f64 = 14.0;

/// One digit as its sliders have it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bent {
    curl: f64,
    spread: f64,
}

/// What a person wants of a hand, and how far it has come.
#[derive(Clone, Debug)]
pub struct LiveHand {
    side: Side,
    stance: Stance,
    palm: Pose,
    posture: Posture,
    bent: [Option<Bent>; 5],
    tracked: Option<TrackerFrame>,
    time: Option<f64>,
    fed: Option<Stance>,
}

impl LiveHand {
    /// A hand that stays as it is until it is moved.
    pub fn new(side: Side, stance: Stance) -> LiveHand {
        LiveHand {
            side,
            stance,
            palm: stance.palm,
            posture: stance.posture,
            bent: [None; 5],
            tracked: None,
            time: None,
            fed: None,
        }
    }

    pub fn side(&self) -> Side {
        self.side
    }

    /// Where it has come to.
    pub fn stance(&self) -> Stance {
        self.stance
    }

    pub fn move_palm(&mut self, palm: Pose) {
        self.palm = palm;
    }

    /// The palm is there, and wants to be nowhere else: a device has put it there.
    pub fn put_palm(&mut self, palm: Pose) {
        self.palm = palm;
        self.stance.palm = palm;
    }

    /// A whole posture; it replaces those of single digits.
    pub fn grasp(&mut self, grasp: Grasp, amount: f64) {
        self.posture = grasp.taken(amount);
        self.bent = [None; 5];
    }

    /// One digit between open and fist, and its share of the way to the thumb's side.
    pub fn bend(&mut self, digit: usize, curl: f64, spread: f64) {
        if let Some(bent) = self.bent.get_mut(digit) {
            *bent = Some(Bent { curl, spread });
        }
    }

    /// A frame of a headset, to be fed before the next step.
    pub fn track(&mut self, frame: TrackerFrame) {
        self.tracked = Some(frame);
    }

    fn wanted_posture(&self) -> Posture {
        let mut posture = self.posture;
        let (open, fist) = (Grasp::Open.posture(), Grasp::Fist.posture());
        for (digit, bent) in self.bent.iter().enumerate() {
            if let Some(bent) = bent {
                posture.0[digit] = open.mixed(&fist, bent.curl).0[digit];
                posture.0[digit][1] += SPREAD * bent.spread;
            }
        }
        posture
    }

    /// Moves towards what is wanted for a while, seconds.
    fn follow(&mut self, dt: f64) {
        let way = self.palm.position - self.stance.palm.position;
        let step = way.clamp_length_max(PALM_SPEED * dt);
        let turn = self.stance.palm.rotation.angle_between(self.palm.rotation);
        let share = if turn > PALM_TURN * dt { PALM_TURN * dt / turn } else { 1.0 };
        let rotation: Quat = self.stance.palm.rotation.slerp(self.palm.rotation, share).normalize();
        self.stance.palm = Pose::new(self.stance.palm.position + step, rotation);
        let wanted = self.wanted_posture();
        let nearness = 1.0 - (-dt / FINGER_TIME).exp();
        let next = self.stance.posture.mixed(&wanted, nearness);
        let settled = next.0.iter().flatten().zip(wanted.0.iter().flatten()).all(|(a, b)| (a - b).abs() < 0.01);
        self.stance.posture = if settled { wanted } else { next };
    }
}

/// A live hand as the source of its tracked frames.
pub struct LiveSource(pub Rc<RefCell<LiveHand>>);

impl FrameSource for LiveSource {
    fn frame(&mut self, _step: u64, time: f64, skeleton: &Skeleton) -> Option<TrackerFrame> {
        let mut hand = self.0.borrow_mut();
        let dt = hand.time.map_or(0.0, |last| (time - last).clamp(0.0, 0.05));
        hand.time = Some(time);
        hand.follow(dt);
        if hand.fed == Some(hand.stance) {
            return None;
        }
        hand.fed = Some(hand.stance);
        Some(hand.stance.frame(hand.side, skeleton))
    }

    fn stance(&self) -> Option<Stance> {
        Some(self.0.borrow().stance)
    }

    fn show_again(&mut self) {
        self.0.borrow_mut().fed = None;
    }
}

/// A headset's hand as the source of its tracked frames; the hand appears when it is first seen.
pub struct HeadsetSource(pub Rc<RefCell<LiveHand>>);

impl FrameSource for HeadsetSource {
    fn frame(&mut self, _step: u64, _time: f64, skeleton: &Skeleton) -> Option<TrackerFrame> {
        let frame = self.0.borrow_mut().tracked.take()?;
        Some(retargeted(&frame, skeleton))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thenar::math::Vec3;

    fn stance() -> Stance {
        Stance { palm: Pose::IDENTITY, posture: Grasp::Open.posture() }
    }

    #[test]
    fn the_palm_follows_no_faster_than_a_person() {
        let mut hand = LiveHand::new(Side::Right, stance());
        hand.move_palm(Pose::new(Vec3::X, Quat::from_rotation_y(3.0)));
        hand.follow(0.01);
        assert!((hand.stance.palm.position.x - 0.01 * PALM_SPEED).abs() < 1e-12);
        assert!((hand.stance.palm.rotation.angle_between(Quat::IDENTITY) - 0.01 * PALM_TURN).abs() < 1e-6);
        (0..100).for_each(|_| hand.follow(0.01));
        assert_eq!(hand.stance.palm.position, Vec3::X);
    }

    #[test]
    fn fingers_reach_what_is_wanted_and_then_rest() {
        let mut hand = LiveHand::new(Side::Right, stance());
        hand.bend(1, 1.0, 0.0);
        (0..200).for_each(|_| hand.follow(0.01));
        assert_eq!(hand.stance.posture.0[1], Grasp::Fist.posture().0[1]);
        assert_eq!(hand.stance.posture.0[2], Grasp::Open.posture().0[2]);
        let rested = hand.stance;
        hand.follow(0.01);
        assert_eq!(hand.stance, rested);
        hand.grasp(Grasp::Cylinder, 0.5);
        (0..200).for_each(|_| hand.follow(0.01));
        assert_eq!(hand.stance.posture, Grasp::Cylinder.taken(0.5));
    }
}
