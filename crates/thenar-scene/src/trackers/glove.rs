//! Data gloves with one value per finger.
//!
//! A table of comma-separated numbers with a heading:
//! ```text
//! time,thumb,index,middle,ring,little
//! 0.00,0.1,0.2,0.2,0.2,0.1
//! ```
//! 0 is a straight finger, 1 a bent one; raw values of other ranges are scaled finger by finger to the least and greatest of
//! the session, as these gloves are calibrated. Columns `x,y,z` (metres) and `qx,qy,qz,qw` place the wrist where another
//! tracker saw it; `side` says `left` or `right`. As JSON: `{"format": "glove-5", "side": "right", "frames":
//! [[seconds, [thumb, index, middle, ring, little]]]}`.

use serde_json::Value;
use thenar::hand::{Anatomy, Digit, JointSet, Preset, Side, XrJoint};
use thenar::math::{Pose, Quat, Vec3};
use thenar::tracking::TrackerFrame;

use super::TrackFrame;
use super::error::TrackProblem;
use super::json::{bad, list, seconds, side};

/// How far each joint of a digit bends beyond rest when its value is 1, degrees: a fist, its
/// thumb before the fingers as when something is in it.
const BENT: [[f64; 3]; 5] =
    [[36.0, 25.0, 30.0], [65.0, 85.0, 45.0], [65.0, 85.0, 45.0], [65.0, 85.0, 45.0], [60.0, 80.0, 45.0]];
/// A wrist nobody tracked is held here, metres: before the chest of a sitting person.
const HELD: Vec3 = Vec3::new(0.0, 1.0, -0.3);

struct Sample {
    time: f64,
    side: Side,
    values: [f64; 5],
    wrist: Pose,
}

pub(super) fn read_json(root: &Value) -> Result<Vec<TrackFrame>, TrackProblem> {
    let which = root.get("side").map_or(Ok(Side::Right), |value| side(value, "side"))?;
    let mut samples = Vec::new();
    for (index, item) in list(&root["frames"], "frames")?.iter().enumerate() {
        let field = format!("frames[{index}]");
        let time = seconds(&item[0], &format!("{field}[0]"), 1.0)?;
        let numbers: Option<Vec<f64>> = item[1].as_array().and_then(|list| list.iter().map(Value::as_f64).collect());
        let values = numbers.and_then(|numbers| <[f64; 5]>::try_from(numbers).ok());
        let values =
            values.ok_or_else(|| bad(&format!("{field}[1]"), &item[1], "five numbers, thumb to little finger"))?;
        samples.push(Sample { time, side: which, values, wrist: Pose::new(HELD, Quat::IDENTITY) });
    }
    Ok(frames(samples))
}

/// True if the first line is no JSON and names fingers.
pub(super) fn is_table(text: &str) -> bool {
    let heading = text.lines().next().unwrap_or_default().to_ascii_lowercase();
    !heading.trim_start().starts_with(['{', '['])
        && ["thumb", "index", "middle", "ring"].iter().all(|name| heading.contains(name))
}

pub(super) fn read_table(text: &str) -> Result<Vec<TrackFrame>, TrackProblem> {
    let mut lines = text.lines().enumerate();
    let heading = lines.next().map_or("", |(_, line)| line).to_ascii_lowercase();
    let separator = if heading.contains('\t') { '\t' } else { ',' };
    let names: Vec<&str> = heading.split(separator).map(str::trim).collect();
    let column = |wanted: &str| names.iter().position(|name| *name == wanted);
    let needed = |wanted: &str| {
        column(wanted).ok_or_else(|| TrackProblem::Line { line: 1, what: format!("there is no column `{wanted}`") })
    };
    let time = needed("time")?;
    let little = column("little").or(column("pinky"));
    let little = little.ok_or(TrackProblem::Line { line: 1, what: "there is no column `little`".to_owned() })?;
    let fingers = [needed("thumb")?, needed("index")?, needed("middle")?, needed("ring")?, little];
    let place = ["x", "y", "z", "qx", "qy", "qz", "qw"].map(column);
    let mut samples = Vec::new();
    for (index, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let fault = |what: String| TrackProblem::Line { line: index + 1, what };
        let cells: Vec<&str> = line.split(separator).map(str::trim).collect();
        let number = |column: usize| -> Result<f64, TrackProblem> {
            let cell = cells.get(column).copied().unwrap_or_default();
            let value = cell.parse::<f64>().ok().filter(|value| value.abs() < 1e9);
            value.ok_or_else(|| fault(format!("`{}` is {cell:?}, expected a number", names[column])))
        };
        let mut values = [0.0; 5];
        for (value, column) in values.iter_mut().zip(fingers) {
            *value = number(column)?;
        }
        let mut wrist = [HELD.x, HELD.y, HELD.z, 0.0, 0.0, 0.0, 1.0];
        for (value, column) in wrist.iter_mut().zip(place) {
            if let Some(column) = column {
                *value = number(column)?;
            }
        }
        let rotation = Quat::from_slice(&wrist[3..]);
        if !(0.9..1.1).contains(&rotation.length()) {
            return Err(fault("`qx,qy,qz,qw` is no unit quaternion".to_owned()));
        }
        let which = match column("side").and_then(|column| cells.get(column)) {
            Some(&"left") => Side::Left,
            Some(&"right") | None => Side::Right,
            Some(other) => return Err(fault(format!("`side` is {other:?}, expected left or right"))),
        };
        let wrist = Pose::new(Vec3::from_slice(&wrist), rotation.normalize());
        samples.push(Sample { time: number(time)?, side: which, values, wrist });
    }
    Ok(frames(samples))
}

fn frames(samples: Vec<Sample>) -> Vec<TrackFrame> {
    let unit = samples.iter().all(|sample| sample.values.iter().all(|value| (0.0..=1.0).contains(value)));
    let ranges: [[f64; 2]; 5] = std::array::from_fn(|digit| {
        let values = samples.iter().map(|sample| sample.values[digit]);
        let least = values.clone().fold(f64::INFINITY, f64::min);
        let greatest = values.fold(f64::NEG_INFINITY, f64::max);
        if unit { [0.0, 1.0] } else { [least, greatest] }
    });
    let rest = [Side::Left, Side::Right].map(|side| Anatomy::preset(Preset::Adult, side).rest_joints());
    let mut frames = Vec::with_capacity(samples.len());
    for sample in samples {
        let bends = std::array::from_fn(|digit| {
            let [least, greatest] = ranges[digit];
            // A finger that never moved stays straight.
            if greatest > least { (sample.values[digit] - least) / (greatest - least) } else { 0.0 }
        });
        let rest = &rest[usize::from(sample.side == Side::Right)];
        let hand = TrackerFrame { side: sample.side, joints: bent(rest, sample.wrist, bends) };
        let mut frame = TrackFrame { time: sample.time, ..TrackFrame::default() };
        *frame.hand_mut(sample.side) = Some(hand);
        frames.push(frame);
    }
    frames
}

/// The joints of a hand whose digits are bent from rest by these shares of a fist.
fn bent(rest: &JointSet, wrist: Pose, bends: [f64; 5]) -> JointSet {
    let mut joints = JointSet(rest.0.map(|joint| {
        joint.map(|mut joint| {
            joint.pose = wrist * joint.pose;
            joint
        })
    }));
    for digit in Digit::ALL {
        let tip = XrJoint::tip(digit).index();
        let first = if digit == Digit::Thumb { tip - 3 } else { tip - 4 };
        // Fingers bend at the three joints after the metacarpal, the thumb at its first three.
        let bending = if digit == Digit::Thumb { first } else { first + 1 };
        for at in first..=tip {
            if at > first {
                let (Some(before), Some(here), Some(parent)) = (rest.0[at - 1], rest.0[at], joints.0[at - 1]) else {
                    continue;
                };
                if let Some(joint) = &mut joints.0[at] {
                    joint.pose = parent.pose * (before.pose.inverse() * here.pose);
                }
            }
            turn(&mut joints, at, bending, digit, bends);
        }
    }
    joints
}

/// Flexion is a negative turn about the joint's own X: -Z goes towards -Y, the palm.
fn turn(joints: &mut JointSet, at: usize, bending: usize, digit: Digit, bends: [f64; 5]) {
    let Some(angle) = at.checked_sub(bending).and_then(|k| BENT[digit.index()].get(k)) else { return };
    if let Some(joint) = &mut joints.0[at] {
        let by = Quat::from_rotation_x(-(angle * bends[digit.index()]).to_radians());
        joint.pose.rotation = (joint.pose.rotation * by).normalize();
    }
}
