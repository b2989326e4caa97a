//! How well a simulated hand follows a recording, and what it makes of the recording's noise.

use std::collections::VecDeque;

use thenar::hand::{Digit, JointSet, Side, XrJoint};
use thenar::math::Vec3;

use super::TrackRecording;
use crate::run::Simulation;

/// Frames further apart than this are not compared, seconds: the hand was lost between them.
const GAP: f64 = 0.05;

/// Figures of one hand over a whole recording.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Quality {
    /// Frames in which the hand was tracked.
    pub tracked: usize,
    /// Those in which the simulated hand touched something.
    pub touching: usize,
    /// Steps that had to be rolled back.
    pub recoveries: usize,
    /// Mean distance of the joints fed (the person's rotations on the hand's bones) from those recorded, metres.
    pub error_before: f64,
    /// Mean distance of the simulated joints from those recorded while the hand touched nothing, metres.
    pub error_after: f64,
    /// Jitter of the recorded wrist and fingertips, metres: root mean square of a place less the mean of its neighbours in
    /// time.
    pub jitter_before: f64,
    /// The same of the simulated hand at the times of the frames.
    pub jitter_after: f64,
    /// Greatest sum of normal forces on the hand, N.
    pub peak_force: f64,
}

impl Quality {
    /// Share of the tracked frames that touched.
    #[must_use]
    pub fn touching_share(&self) -> f64 {
        self.touching as f64 / (self.tracked as f64).max(1.0)
    }
}

#[derive(Clone, Copy, Default)]
struct Mean {
    sum: f64,
    count: f64,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1.0;
    }

    fn value(self) -> f64 {
        if self.count > 0.0 { self.sum / self.count } else { 0.0 }
    }
}

/// Jitter of six points.
#[derive(Default)]
struct Jitter {
    last: VecDeque<(f64, [Option<Vec3>; 6])>,
    squares: Mean,
}

impl Jitter {
    fn add(&mut self, time: f64, joints: &JointSet) {
        let wrist = joints[XrJoint::Wrist].map(|joint| joint.pose.position);
        let mut points = [wrist; 6];
        for digit in Digit::ALL {
            points[1 + digit.index()] = joints[XrJoint::tip(digit)].map(|joint| joint.pose.position);
        }
        if self.last.back().is_some_and(|(before, _)| time - before > GAP) {
            self.last.clear();
        }
        self.last.push_back((time, points));
        if let [(_, a), (_, b), (_, c)] = self.last.make_contiguous() {
            for i in 0..6 {
                if let (Some(a), Some(b), Some(c)) = (a[i], b[i], c[i]) {
                    self.squares.add(b.distance_squared(0.5 * (a + c)));
                }
            }
            self.last.pop_front();
        }
    }
}

/// Measures one hand of a simulation that a recording drives; to be shown the simulation after every step.
pub struct QualityProbe<'a> {
    recording: &'a TrackRecording,
    hand: usize,
    side: Side,
    next: usize,
    quality: Quality,
    errors: [Mean; 2],
    jitters: [Jitter; 2],
    pending: Option<usize>,
}

impl<'a> QualityProbe<'a> {
    /// A probe for the hand of that number in the simulation, driven by that side of the recording.
    #[must_use]
    pub fn new(recording: &'a TrackRecording, hand: usize, side: Side) -> Self {
        QualityProbe {
            recording,
            hand,
            side,
            next: 0,
            quality: Quality::default(),
            errors: Default::default(),
            jitters: Default::default(),
            pending: None,
        }
    }

    /// Reads one step.
    pub fn watch(&mut self, simulation: &Simulation) {
        let Some(hand) = simulation.hands().get(self.hand) else { return };
        let outputs = simulation.world().hand(hand.id);
        self.quality.recoveries += usize::from(simulation.world().report().flags.rolled_back);
        self.quality.peak_force = self.quality.peak_force.max(outputs.grip.iter().sum::<f64>() + outputs.palm_force);
        let frames = &self.recording.frames;
        while frames.get(self.next).is_some_and(|frame| frame.time <= simulation.time() - simulation.step() + 1e-9) {
            self.pending = Some(self.next);
            self.next += 1;
        }
        if let (Some(fed), Some(index)) = (hand.fed(), self.pending)
            && let Some(recorded) = frames[index].hand(self.side)
        {
            compare(&recorded.joints, &fed.joints, &mut self.errors[0]);
        }
        // A frame is judged in the last step before the next one is fed.
        let follower = frames.get(self.next).is_none_or(|next| next.time <= simulation.time() + 1e-9);
        let Some(index) = self.pending.filter(|_| follower) else { return };
        self.pending = None;
        let Some(recorded) = frames[index].hand(self.side) else { return };
        let simulated = hand.model.skeleton.joint_set(&outputs.bones);
        self.quality.tracked += 1;
        self.quality.touching += usize::from(!outputs.contacts.is_empty());
        if outputs.contacts.is_empty() {
            compare(&recorded.joints, &simulated, &mut self.errors[1]);
        }
        self.jitters[0].add(frames[index].time, &recorded.joints);
        self.jitters[1].add(frames[index].time, &simulated);
    }

    /// The figures so far.
    #[must_use]
    pub fn quality(&self) -> Quality {
        let [before, after] = [&self.jitters[0], &self.jitters[1]].map(|jitter| jitter.squares.value().sqrt());
        Quality {
            error_before: self.errors[0].value(),
            error_after: self.errors[1].value(),
            jitter_before: before,
            jitter_after: after,
            ..self.quality
        }
    }
}

/// Adds the distances of all joints that both have. Bases of metacarpals and the palm are left out: trackers place them
/// anywhere.
fn compare(recorded: &JointSet, other: &JointSet, mean: &mut Mean) {
    for joint in XrJoint::ALL {
        let vague = joint == XrJoint::Palm || (joint.index() >= 6 && (joint.index() - 6).is_multiple_of(5));
        if let (Some(a), Some(b), false) = (recorded[joint], other[joint], vague) {
            mean.add(a.pose.position.distance(b.pose.position));
        }
    }
}
