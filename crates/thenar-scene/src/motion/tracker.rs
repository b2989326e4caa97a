//! A tracker that watches a scripted hand, well or badly.

use thenar::hand::{JointSet, Side, Skeleton, XrJoint};
use thenar::math::{Pose, Quat, Vec3};
use thenar::tracking::TrackerFrame;

use super::{Closing, Posture, Script, Stance, gaussian, joint_by_name};
use crate::scene::{Fault, FaultKind, HandSpec, TrackerSpec};

/// Turns a script into tracked frames. Every frame depends on its number only.
#[derive(Clone, Debug)]
pub struct Tracker {
    script: Script,
    spec: TrackerSpec,
    side: Side,
    faults: Vec<(Fault, Vec<XrJoint>)>,
    /// The wrist seen from the palm joint.
    wrist: Pose,
}

impl Tracker {
    /// A tracker for a hand of a scene, whose bones are those of `skeleton`. `close` finds the posture of fingers that
    /// close around an object.
    #[must_use]
    pub fn new(hand: &HandSpec, skeleton: &Skeleton, close: &dyn Fn(&Closing<'_>) -> Posture) -> Tracker {
        let palm = skeleton.xr_rest[XrJoint::Palm].map_or(Pose::IDENTITY, |joint| joint.pose);
        let faults = hand.faults.iter().map(|fault| {
            // Names were checked when the scene was read.
            let named: Vec<XrJoint> = fault.joints.iter().filter_map(|name| joint_by_name(name).ok()).collect();
            (fault.clone(), if named.is_empty() { XrJoint::ALL.to_vec() } else { named })
        });
        Tracker {
            script: Script::closing(hand, close),
            spec: hand.tracker,
            side: hand.side.into(),
            faults: faults.collect(),
            wrist: palm.inverse(),
        }
    }

    /// Number of the latest frame at a time.
    #[must_use]
    pub fn number(&self, time: f64) -> u64 {
        // A frame that falls on a step belongs to it, whatever the round-off.
        (time * self.spec.rate + 1e-6).floor() as u64
    }

    /// What the hand should do at a time, without tracker and faults.
    #[must_use]
    pub fn stance(&self, time: f64) -> Stance {
        self.script.at(time)
    }

    /// Where the wrist should be at a time, without tracker and faults.
    #[must_use]
    pub fn wrist(&self, time: f64) -> Pose {
        self.stance(time).palm * self.wrist
    }

    /// The tracked frame of that number; `None` where the tracker has lost the hand.
    #[must_use]
    pub fn frame(&self, skeleton: &Skeleton, number: u64) -> Option<TrackerFrame> {
        let time = number as f64 / self.spec.rate;
        let mut frame = TrackerFrame { side: self.side, joints: self.joints(skeleton, time) };
        add_noise(&mut frame.joints, &XrJoint::ALL, self.spec.noise, self.spec.seed, number);
        for (index, (fault, joints)) in self.faults.iter().enumerate() {
            if time >= fault.from && time < fault.to {
                let seed = self.spec.seed.wrapping_add(index as u64 + 1);
                self.spoil(&mut frame, skeleton, fault, joints, seed, number);
            }
        }
        frame.joints.0.iter().any(Option::is_some).then_some(frame)
    }

    fn joints(&self, skeleton: &Skeleton, time: f64) -> JointSet {
        self.script.at(time).frame(self.side, skeleton).joints
    }

    fn spoil(
        &self,
        frame: &mut TrackerFrame,
        skeleton: &Skeleton,
        fault: &Fault,
        joints: &[XrJoint],
        seed: u64,
        number: u64,
    ) {
        let poses = |frame: &mut TrackerFrame, change: &dyn Fn(&mut Pose)| {
            for joint in joints {
                if let Some(sample) = &mut frame.joints[*joint] {
                    change(&mut sample.pose);
                }
            }
        };
        match fault.what {
            FaultKind::Nan => poses(frame, &|pose| *pose = Pose::new(Vec3::NAN, Quat::NAN)),
            FaultKind::Jump(by) => poses(frame, &|pose| pose.position += Vec3::from_array(by)),
            FaultKind::Jitter(size) => add_noise(&mut frame.joints, joints, size, seed, number),
            FaultKind::Dropout => joints.iter().for_each(|joint| frame.joints[*joint] = None),
            FaultKind::Swap => {
                frame.side = match frame.side {
                    Side::Left => Side::Right,
                    Side::Right => Side::Left,
                }
            }
            FaultKind::Freeze => {
                let first = (fault.from * self.spec.rate - 1e-6).ceil().max(0.0) / self.spec.rate;
                let frozen = self.joints(skeleton, first);
                joints.iter().for_each(|joint| frame.joints[*joint] = frozen[*joint]);
            }
        }
    }
}

fn add_noise(joints: &mut JointSet, chosen: &[XrJoint], size: f64, seed: u64, number: u64) {
    if size <= 0.0 {
        return;
    }
    for joint in chosen {
        if let Some(sample) = &mut joints[*joint] {
            sample.pose.position += gaussian(seed, number, joint.index() as u64) * size;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;
    use thenar::hand::{Anatomy, HandSurface, Preset, SkinDetail};

    fn skeleton() -> Skeleton {
        HandSurface::build(&Anatomy::preset(Preset::Adult, Side::Right), SkinDetail::Coarse).unwrap().skeleton
    }

    fn tracker(extra: &str, skeleton: &Skeleton) -> Tracker {
        let text = format!(
            "name = 'x'\nseconds = 9\n[[hand]]\nside = 'right'\ntracker = {{ rate = 50 }}\n\
             [[hand.key]]\nat = 0\npalm = {{ position = [0.1, 0.2, 0.3], facing = 'left' }}\n\
             [[hand.key]]\nat = 4\npalm = {{ position = [0.3, 0.2, 0.3] }}\ngrasp = 'fist'\n{extra}"
        );
        Tracker::new(&Scene::read(&text).unwrap().hands[0], skeleton, &|closing| closing.to)
    }

    fn palm(frame: &TrackerFrame) -> Pose {
        frame.joints[XrJoint::Palm].unwrap().pose
    }

    #[test]
    fn the_palm_joint_is_where_the_script_says() {
        let skeleton = skeleton();
        let tracker = tracker("", &skeleton);
        let frame = tracker.frame(&skeleton, 0).unwrap();
        assert!((palm(&frame).position - Vec3::new(0.1, 0.2, 0.3)).length() < 1e-12);
        assert!((palm(&frame).rotation * Vec3::NEG_Y - Vec3::NEG_X).length() < 1e-6, "{frame:?}");
        assert!(frame.joints.0.iter().all(Option::is_some));
        assert_eq!((tracker.number(0.0399), tracker.number(0.04), tracker.number(0.0599)), (1, 2, 2));
    }

    #[test]
    fn faults_happen_in_their_time_and_to_their_joints() {
        let skeleton = skeleton();
        let faults = "[[hand.fault]]\nfrom = 1\nto = 2\nwhat = { jump = [1, 0, 0] }\njoints = ['wrist']\n\
                      [[hand.fault]]\nfrom = 2\nto = 3\nwhat = 'dropout'\n\
                      [[hand.fault]]\nfrom = 3\nto = 4\nwhat = 'nan'\n\
                      [[hand.fault]]\nfrom = 4\nto = 5\nwhat = 'swap'\n\
                      [[hand.fault]]\nfrom = 5\nto = 6\nwhat = { jitter = 0.01 }\n\
                      [[hand.fault]]\nfrom = 0.5\nto = 0.9\nwhat = 'freeze'\n";
        let (clean, faulty) = (tracker("", &skeleton), tracker(faults, &skeleton));
        let at = |tracker: &Tracker, time: f64| tracker.frame(&skeleton, tracker.number(time));
        assert_eq!(at(&faulty, 0.4), at(&clean, 0.4));
        assert_eq!(at(&faulty, 0.8), at(&clean, 0.5));
        let jumped = at(&faulty, 1.5).unwrap();
        let wrist = |frame: &TrackerFrame| frame.joints[XrJoint::Wrist].unwrap().pose.position;
        assert!((wrist(&jumped) - wrist(&at(&clean, 1.5).unwrap()) - Vec3::X).length() < 1e-12);
        assert_eq!(palm(&jumped), palm(&at(&clean, 1.5).unwrap()));
        assert_eq!(at(&faulty, 2.5), None);
        assert!(at(&faulty, 3.5).unwrap().joints.0.iter().flatten().all(|joint| !joint.pose.is_finite()));
        assert_eq!(at(&faulty, 4.5).unwrap().side, Side::Left);
        let jitter = palm(&at(&faulty, 5.5).unwrap()).position.distance(palm(&at(&clean, 5.5).unwrap()).position);
        assert!(jitter > 1e-4 && jitter < 0.06, "{jitter}");
        assert_eq!(at(&faulty, 5.5), at(&faulty, 5.5));
        assert_eq!(at(&faulty, 6.0), at(&clean, 6.0));
    }
}
