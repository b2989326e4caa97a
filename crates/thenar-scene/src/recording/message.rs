//! Messages of a recording: tracked frames and steps, to JSON and back without losing a bit.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thenar::hand::{JointSample, JointSet, Side, XrJoint};
use thenar::math::{Pose, Quat, Vec3};
use thenar::tracking::TrackerFrame;

use crate::formats::{parse_joint, webxr_name};

/// A tracked frame and the step before which it was fed.
#[derive(Clone, Debug, PartialEq)]
pub struct FedFrame {
    /// Number of the step, from 0.
    pub step: u64,
    /// The frame.
    pub frame: TrackerFrame,
}

/// What came of one step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepRecord {
    /// Number of the step, from 1.
    pub step: u64,
    /// Simulated seconds at its end.
    pub time: f64,
    /// Hash of the state.
    pub hash: u64,
    /// Skin points that touched.
    pub contacts: u32,
    /// The step was rolled back.
    pub recovered: bool,
    /// Places of the palms, metres.
    pub palms: Vec<Vec3>,
    /// Places of the objects, metres.
    pub objects: Vec<Vec3>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct JointMessage {
    position: [f64; 3],
    orientation: [f64; 4],
    radius: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FrameMessage {
    step: u64,
    time: f64,
    side: String,
    joints: BTreeMap<String, JointMessage>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StepMessage {
    step: u64,
    time: f64,
    hash: String,
    contacts: u32,
    recovered: bool,
    palms: Vec<[f64; 3]>,
    objects: Vec<[f64; 3]>,
}

/// A frame as JSON. Joints that are not finite are left out: the engine treats them like missing ones, and JSON has no
/// word for them.
pub(super) fn frame_to_json(step: u64, time: f64, frame: &TrackerFrame) -> Result<Vec<u8>, serde_json::Error> {
    let mut joints = BTreeMap::new();
    for joint in XrJoint::ALL {
        if let Some(sample) = frame.joints[joint].filter(|s| s.pose.is_finite() && s.radius.is_finite()) {
            let message = JointMessage {
                position: sample.pose.position.to_array(),
                orientation: sample.pose.rotation.to_array(),
                radius: sample.radius,
            };
            joints.insert(webxr_name(joint).to_owned(), message);
        }
    }
    serde_json::to_vec(&FrameMessage { step, time, side: frame.side.name().to_owned(), joints })
}

/// The frame that was written, or what is wrong with the message.
pub(super) fn frame_from_json(data: &[u8]) -> Result<FedFrame, String> {
    let message: FrameMessage = serde_json::from_slice(data).map_err(|error| error.to_string())?;
    let side = Side::of_name(&message.side)
        .ok_or_else(|| format!("side is {:?}, expected \"left\" or \"right\"", message.side))?;
    let mut joints = JointSet::default();
    for (name, joint) in message.joints {
        let Some(which) = parse_joint(&name).filter(|which| webxr_name(*which) == name) else {
            return Err(format!("joints names {name:?}, which is no WebXR hand joint"));
        };
        let pose = Pose::new(Vec3::from_array(joint.position), Quat::from_array(joint.orientation));
        joints[which] = Some(JointSample { pose, radius: joint.radius });
    }
    Ok(FedFrame { step: message.step, frame: TrackerFrame { side, joints } })
}

pub(super) fn step_to_json(step: &StepRecord) -> Result<Vec<u8>, serde_json::Error> {
    serde_json::to_vec(&StepMessage {
        step: step.step,
        time: step.time,
        hash: format!("{:016x}", step.hash),
        contacts: step.contacts,
        recovered: step.recovered,
        palms: step.palms.iter().map(Vec3::to_array).collect(),
        objects: step.objects.iter().map(Vec3::to_array).collect(),
    })
}

pub(super) fn step_from_json(data: &[u8]) -> Result<StepRecord, String> {
    let message: StepMessage = serde_json::from_slice(data).map_err(|error| error.to_string())?;
    let hash = u64::from_str_radix(&message.hash, 16).ok().filter(|_| message.hash.len() == 16);
    let hash = hash.ok_or_else(|| format!("hash is {:?}, expected 16 hexadecimal digits", message.hash))?;
    let vectors = |list: Vec<[f64; 3]>| list.into_iter().map(Vec3::from_array).collect();
    Ok(StepRecord {
        step: message.step,
        time: message.time,
        hash,
        contacts: message.contacts,
        recovered: message.recovered,
        palms: vectors(message.palms),
        objects: vectors(message.objects),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::gaussian;
    use crate::mutation::mutations;

    /// Numbers of all sizes with all their digits.
    fn awkward(seed: u64) -> FedFrame {
        let mut joints = JointSet::default();
        for joint in XrJoint::ALL {
            let noise = |k: u64| gaussian(seed, k, joint.index() as u64);
            let position = noise(1) * 10_f64.powi(joint.index() as i32 - 13);
            let rotation = Quat::from_array([noise(2).x, -0.0, noise(2).z, noise(3).y]);
            joints[joint] = Some(JointSample { pose: Pose::new(position, rotation), radius: noise(4).x.abs() });
        }
        joints[XrJoint::RingTip] = None;
        FedFrame { step: 1 << 40, frame: TrackerFrame { side: Side::Left, joints } }
    }

    #[test]
    fn frames_come_back_bit_for_bit() {
        for seed in 0..50 {
            let fed = awkward(seed);
            let read = frame_from_json(&frame_to_json(fed.step, 0.1, &fed.frame).unwrap()).unwrap();
            assert_eq!((read.step, read.frame.side), (fed.step, fed.frame.side));
            for (a, b) in read.frame.joints.0.iter().zip(&fed.frame.joints.0) {
                let bits = |joint: &JointSample| {
                    let (p, q) = (joint.pose.position, joint.pose.rotation);
                    [p.x, p.y, p.z, q.x, q.y, q.z, q.w, joint.radius].map(f64::to_bits)
                };
                assert_eq!(a.as_ref().map(bits), b.as_ref().map(bits));
            }
        }
    }

    #[test]
    fn joints_that_are_no_numbers_count_as_lost() {
        let mut fed = awkward(3);
        fed.frame.joints[XrJoint::Palm].as_mut().unwrap().pose.position.x = f64::NAN;
        fed.frame.joints[XrJoint::Wrist].as_mut().unwrap().radius = f64::INFINITY;
        let read = frame_from_json(&frame_to_json(0, 0.0, &fed.frame).unwrap()).unwrap();
        assert_eq!(read.frame.joints[XrJoint::Palm], None);
        assert_eq!(read.frame.joints[XrJoint::Wrist], None);
        assert_eq!(read.frame.joints[XrJoint::ThumbTip], fed.frame.joints[XrJoint::ThumbTip]);
    }

    #[test]
    fn steps_come_back_and_damaged_messages_are_refused_with_a_reason() {
        let step = StepRecord {
            step: 7,
            time: 0.014,
            hash: 0x0012_3456_789a_bcde,
            contacts: 12,
            recovered: true,
            palms: vec![Vec3::new(0.1, 1.0 / 3.0, -0.0)],
            objects: Vec::new(),
        };
        let json = step_to_json(&step).unwrap();
        assert_eq!(step_from_json(&json).unwrap(), step);
        for damaged in mutations(&json, 300) {
            drop(step_from_json(&damaged));
        }
        let frame = awkward(1);
        for damaged in mutations(&frame_to_json(0, 0.0, &frame.frame).unwrap(), 300) {
            if let Err(what) = frame_from_json(&damaged) {
                assert!(!what.is_empty());
            }
        }
        assert!(frame_from_json(br#"{"step":0,"time":0,"side":"both","joints":{}}"#).unwrap_err().contains("both"));
        let elbow =
            br#"{"step":0,"time":0,"side":"left","joints":{"elbow":{"position":[0,0,0],"orientation":[0,0,0,1],"radius":0}}}"#;
        assert!(frame_from_json(elbow).unwrap_err().contains("elbow"));
    }
}
