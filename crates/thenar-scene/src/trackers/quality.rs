//! How well a simulated hand follows a recording, and what it makes of the recording's noise.

use std::collections::VecDeque;

use thenar::hand::{Digit, JointSet, Side, XrJoint};
use thenar::math::Vec3;

use super::TrackRecording;
use crate::run::Simulation;

/// Frames further apart than this are not compared, seconds: the hand was lost between them.
const GAP: f64 = 0.05;
/// Forces are averaged over this time, seconds.
const MEAN_TIME: f64 = 0.01;
/// Forces count as those of seating for so long, seconds.
const SEATING: f64 = 0.1;

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
    /// Mean distance of the simulated joints from those recorded, metres; what the table holds back is part of it.
    pub error_after: f64,
    /// The same in frames in which the hand touched nothing; `None` if it always touched.
    pub error_free: Option<f64>,
    /// Jitter of the recorded wrist and fingertips, metres: root mean square of a place less the mean of its neighbours in
    /// time.
    pub jitter_before: f64,
    /// The same of the simulated hand at the times of the frames.
    pub jitter_after: f64,
    /// Greatest sum of normal forces on the hand, N.
    pub peak_force: f64,
    /// Greatest mean of that sum over 10 ms, N: what a blow comes to, whatever the step.
    pub peak_mean_force: f64,
    /// The same within a tenth of a second after the hand appeared or was put elsewhere, perhaps into the table; not part of
    /// the other.
    pub seating_force: f64,
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
    /// Of the joints fed, of all simulated ones, and of those free of contact.
    errors: [Mean; 3],
    jitters: [Jitter; 2],
    pending: Option<usize>,
    /// Time and joints of the step before.
    before: Option<(f64, JointSet)>,
    seated: f64,
    /// Forces of the last steps, N.
    forces: VecDeque<f64>,
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
            before: None,
            seated: 0.0,
            forces: VecDeque::new(),
        }
    }

    /// Reads one step.
    pub fn watch(&mut self, simulation: &Simulation) {
        let Some(hand) = simulation.hands().get(self.hand) else { return };
        let outputs = simulation.world().hand(hand.id);
        self.quality.recoveries += usize::from(simulation.world().report().flags.rolled_back);
        let now = simulation.time();
        if simulation.world().report().flags.reseated {
            self.seated = now;
        }
        let quality = &mut self.quality;
        let peak = if now - self.seated < SEATING { &mut quality.seating_force } else { &mut quality.peak_force };
        let force = outputs.grip.iter().sum::<f64>() + outputs.palm_force;
        *peak = peak.max(force);
        if now - self.seated < SEATING {
            self.forces.clear();
        } else {
            let steps = (MEAN_TIME / simulation.step()).ceil() as usize;
            self.forces.push_back(force);
            if self.forces.len() > steps {
                self.forces.pop_front();
            }
            if self.forces.len() == steps {
                let mean = self.forces.iter().sum::<f64>() / steps as f64;
                quality.peak_mean_force = quality.peak_mean_force.max(mean);
            }
        }
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
        let joints = hand.model.skeleton.joint_set(&outputs.bones);
        let before = self.before.replace((now, joints.clone()));
        // A frame is judged when the next one comes, at its very time: the ends of steps would add a tremor of their own.
        let next = frames.get(self.next).map_or(now, |next| next.time);
        let Some(index) = self.pending.filter(|_| next <= now + 1e-9) else { return };
        self.pending = None;
        let Some(recorded) = frames[index].hand(self.side) else { return };
        let simulated = match before {
            Some((then, before)) if now > then => between(&before, &joints, (next - then) / (now - then)),
            _ => joints,
        };
        self.quality.tracked += 1;
        self.quality.touching += usize::from(!outputs.contacts.is_empty());
        compare(&recorded.joints, &simulated, &mut self.errors[1]);
        if outputs.contacts.is_empty() {
            compare(&recorded.joints, &simulated, &mut self.errors[2]);
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
            error_free: Some(self.errors[2]).filter(|free| free.count > 0.0).map(Mean::value),
            jitter_before: before,
            jitter_after: after,
            ..self.quality
        }
    }
}

/// Joints whose places lie between those of two instants.
fn between(a: &JointSet, b: &JointSet, share: f64) -> JointSet {
    let mut joints = b.clone();
    for (joint, before) in joints.0.iter_mut().zip(&a.0) {
        if let (Some(joint), Some(before)) = (joint, before) {
            joint.pose.position = before.pose.position.lerp(joint.pose.position, share.clamp(0.0, 1.0));
        }
    }
    joints
}

/// Adds the distances of all joints that both have. Wrist, palm and bases of metacarpals are left out: trackers place them
/// anywhere, or not at all.
fn compare(recorded: &JointSet, other: &JointSet, mean: &mut Mean) {
    for joint in XrJoint::ALL {
        let vague =
            joint.index() <= XrJoint::Wrist.index() || (joint.index() >= 6 && (joint.index() - 6).is_multiple_of(5));
        if let (Some(a), Some(b), false) = (recorded[joint], other[joint], vague) {
            mean.add(a.pose.position.distance(b.pose.position));
        }
    }
}
