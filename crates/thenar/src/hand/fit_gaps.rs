//! Missing and implausible joints of a tracked frame, and what stands in for them.

use super::fit::{FitError, Unused};
use super::joint_frames::{align_joints, digit_joints};
use super::rest_pose::DigitChain;
use super::{Anatomy, Digit, JointSample, JointSet, Side, XrJoint};
use crate::math::{Pose, Quat, Vec3};

/// Fewest joints that make a hand: the wrist and most of two digits.
const LEAST_JOINTS: usize = 8;
/// Sizes relative to the preset that are still hands.
const SIZES: [f64; 2] = [0.4, 1.8];
/// A length further than this many standard deviations from the mean is taken as an error of the tracker.
const DEVIATIONS: f64 = 3.0;

/// No two joints of a digit are nearer than this, metres.
const LEAST_BONE: f64 = 0.002;

/// Standard deviations of bone lengths relative to their means, by bone from metacarpal to distal [Buryanov & Kotiuk
/// 2010, via REFERENCE], the largest over the digits.
const SPREAD: [f64; 4] = [0.093, 0.123, 0.138, 0.156];
/// What trackers' ideas of a joint's place add to that, metres: the base of a metacarpal may lie anywhere in the carpus and
/// the tip anywhere between bone and skin; measured on a headset's recording, where they differ by up to 13 and 8 mm.
const CONVENTION: [f64; 4] = [0.008, 0.002, 0.002, 0.005];

/// A frame whose gaps are filled.
pub(super) struct Measured {
    pub joints: JointSet,
    pub scale: f64,
    pub unused: Vec<(XrJoint, Unused)>,
}

/// Drops implausible joints of a right hand, measures its size, and puts every joint that is not there where a hand of the
/// preset's proportions would have it.
pub(super) fn fill_gaps(joints: &JointSet, preset: &Anatomy, chains: &[DigitChain; 5]) -> Result<Measured, FitError> {
    let mut joints = joints.clone();
    let mut unused: Vec<(XrJoint, Unused)> = Vec::new();
    let tracked = XrJoint::ALL.into_iter().filter(|j| *j != XrJoint::Palm);
    for joint in tracked.clone() {
        if joints[joint].is_none() {
            unused.push((joint, Unused::Missing));
        }
    }
    if joints[XrJoint::Wrist].is_none() {
        return Err(FitError::Needed(XrJoint::Wrist));
    }
    let scale = size(&joints, chains);
    if !(SIZES[0]..SIZES[1]).contains(&scale) {
        return Err(FitError::Size { scale });
    }
    while let Some((joint, why)) = worst_joint(&joints, chains, scale) {
        joints[joint] = None;
        unused.push((joint, why));
    }
    let found = tracked.filter(|j| joints[*j].is_some()).count();
    if found < LEAST_JOINTS {
        return Err(FitError::TooFewJoints { found, needed: LEAST_JOINTS });
    }
    fill_palm(&mut joints, preset, chains, scale)?;
    for digit in Digit::ALL {
        fill_digit(&mut joints, digit, &chains[digit.index()], scale);
    }
    Ok(Measured { joints, scale, unused })
}

/// Rest length of each bone of a digit, metacarpal first.
fn lengths(chain: &DigitChain) -> Vec<f64> {
    let bones = chain.frames.len() - 2;
    (0..bones).map(|i| chain.frames[i].position.distance(chain.frames[i + 1].position)).collect()
}

/// Which row of the tables a bone has; the thumb lacks the middle phalanx.
fn row(digit: Digit, bone: usize) -> usize {
    if digit == Digit::Thumb && bone == 2 { 3 } else { bone }
}

fn length(joints: &JointSet, a: XrJoint, b: XrJoint) -> Option<f64> {
    Some(joints[a]?.pose.position.distance(joints[b]?.pose.position))
}

/// Size relative to the preset: the median ratio of bone lengths; phalanges only, if there are some.
fn size(joints: &JointSet, chains: &[DigitChain; 5]) -> f64 {
    let mut phalanges = Vec::new();
    let mut others = Vec::new();
    for digit in Digit::ALL {
        let chain = digit_joints(digit);
        for (bone, rest) in lengths(&chains[digit.index()]).into_iter().enumerate() {
            if let Some(measured) = length(joints, chain[bone], chain[bone + 1]) {
                let list = if matches!(row(digit, bone), 1 | 2) { &mut phalanges } else { &mut others };
                list.push(measured / rest);
            }
        }
    }
    let list = if phalanges.len() >= 3 { &mut phalanges } else { &mut others };
    list.sort_by(f64::total_cmp);
    list.get(list.len() / 2).copied().unwrap_or(1.0)
}

/// Two neighbouring tracked joints of a digit whose distance no hand of this size has.
struct Misfit {
    /// Their places in the chain.
    ends: [usize; 2],
    length: f64,
    range: [f64; 2],
}

/// Misfits along one digit. Across a gap only the greatest distance is known: that of all its bones in line.
fn misfits(joints: &JointSet, digit: Digit, chain: &DigitChain, scale: f64) -> Vec<Misfit> {
    let names = digit_joints(digit);
    let ranges: Vec<[f64; 2]> = (lengths(chain).into_iter().enumerate())
        .map(|(bone, rest)| {
            let row = row(digit, bone);
            let reach = scale * DEVIATIONS * SPREAD[row] * rest + CONVENTION[row] * scale.max(1.0);
            [(scale * rest - reach).max(LEAST_BONE), scale * rest + reach]
        })
        .collect();
    let present: Vec<usize> = (0..names.len()).filter(|&i| joints[names[i]].is_some()).collect();
    (present.windows(2))
        .filter_map(|pair| {
            let ends = [pair[0], pair[1]];
            let length = length(joints, names[ends[0]], names[ends[1]])?;
            let spanned = &ranges[ends[0]..ends[1]];
            let low = if let [single] = spanned { single[0] } else { LEAST_BONE };
            let range = [low, spanned.iter().map(|r| r[1]).sum()];
            (length < range[0] || length > range[1]).then_some(Misfit { ends, length, range })
        })
        .collect()
}

/// The joint without which a digit fits best, the outermost of equals; `None` if everything fits.
fn worst_joint(joints: &JointSet, chains: &[DigitChain; 5], scale: f64) -> Option<(XrJoint, Unused)> {
    for digit in Digit::ALL {
        let (names, chain) = (digit_joints(digit), &chains[digit.index()]);
        let found = misfits(joints, digit, chain, scale);
        let suspects = found.iter().flat_map(|m| m.ends.map(|end| (end, m)));
        let without = |end: usize| {
            let mut rest = joints.clone();
            rest[names[end]] = None;
            misfits(&rest, digit, chain, scale).len()
        };
        let worst = suspects.min_by_key(|(end, _)| (without(*end), std::cmp::Reverse(*end)));
        if let Some((end, m)) = worst {
            return Some((names[end], Unused::Implausible { length: m.length, range: m.range }));
        }
    }
    None
}

/// Puts missing knuckles and metacarpal bases where the preset has them relative to the palm.
fn fill_palm(joints: &mut JointSet, preset: &Anatomy, chains: &[DigitChain; 5], scale: f64) -> Result<(), FitError> {
    let rest = super::fit::rest_joint_set(chains);
    debug_assert!(preset.digits.len() == chains.len());
    let knuckles = [XrJoint::IndexProximal, XrJoint::MiddleProximal, XrJoint::RingProximal, XrJoint::LittleProximal];
    let radial = knuckles[..2].iter().any(|&j| joints[j].is_some());
    let ulnar = knuckles[2..].iter().any(|&j| joints[j].is_some());
    if !(radial && ulnar) {
        return Err(FitError::Needed(if radial { XrJoint::LittleProximal } else { XrJoint::IndexProximal }));
    }
    let aligned = align_joints(joints, Side::Right, &rest);
    let Some(wrist) = aligned[XrJoint::Wrist].map(|j| j.pose) else { return Err(FitError::Needed(XrJoint::Wrist)) };
    for digit in Digit::ALL {
        // The thumb's knuckle moves; only its base belongs to the palm.
        let fixed = if digit == Digit::Thumb { 1 } else { 2 };
        for &joint in &digit_joints(digit)[..fixed] {
            if joints[joint].is_none() {
                let place = rest[joint].map_or(Vec3::ZERO, |j| scale * j.pose.position);
                joints[joint] = Some(stand_in(wrist.point(place)));
            }
        }
    }
    // Digits bend towards the palm: an orientation for those whose own is unknown.
    joints[XrJoint::Wrist] = aligned[XrJoint::Wrist];
    Ok(())
}

/// A joint that was not tracked: its orientation counts as absent.
fn stand_in(position: Vec3) -> JointSample {
    JointSample { pose: Pose::new(position, Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)), radius: 0.0 }
}

/// Fills the gaps of one digit from its base outwards: between known joints by an arch of bones of the preset's proportions,
/// beyond the last one straight on.
fn fill_digit(joints: &mut JointSet, digit: Digit, chain: &DigitChain, scale: f64) {
    let names = digit_joints(digit);
    let bones: Vec<f64> = lengths(chain).into_iter().map(|l| scale * l).collect();
    let palm = joints[XrJoint::Wrist].map_or(Quat::IDENTITY, |j| j.pose.rotation);
    let at = |joints: &JointSet, i: usize| joints[names[i]].map(|j| j.pose.position);
    let mut last = 0;
    for next in 1..names.len() {
        let Some(end) = at(joints, next) else { continue };
        if let (true, Some(start)) = (next > last + 1, at(joints, last)) {
            for (k, place) in arch(start, end, &bones[last..next], palm * Vec3::NEG_Y).into_iter().enumerate() {
                joints[names[last + 1 + k]] = Some(stand_in(place));
            }
        }
        last = next;
    }
    // Straight on from the last joint; from the base alone, in the direction of rest.
    let direction = match (last.checked_sub(1).and_then(|i| at(joints, i)), at(joints, last)) {
        (Some(before), Some(here)) => (here - before).normalize_or(palm * Vec3::NEG_Z),
        _ => palm * (chain.frames[1].position - chain.frames[0].position).normalize_or(Vec3::NEG_Z),
    };
    for next in last + 1..names.len() {
        let from = at(joints, next - 1).unwrap_or_default();
        joints[names[next]] = Some(stand_in(from + bones[next - 1] * direction));
    }
}

/// Joints between two known points, joined by bones of these lengths that bend evenly away from `palmar`. Bones too short
/// to span the gap are stretched together.
fn arch(start: Vec3, end: Vec3, bones: &[f64], palmar: Vec3) -> Vec<Vec3> {
    let chord = start.distance(end);
    let total: f64 = bones.iter().sum();
    let stretch = (chord / total).max(1.0);
    // The chain in a plane, bending by the same angle at each joint: its end moves in as the angle grows.
    let shape = |angle: f64| -> Vec<[f64; 2]> {
        let mut at = [0.0, 0.0];
        let mut points = vec![at];
        for (i, bone) in bones.iter().enumerate() {
            let (sine, cosine) = libm::sincos(angle * i as f64);
            at = [at[0] + stretch * bone * cosine, at[1] + stretch * bone * sine];
            points.push(at);
        }
        points
    };
    let reach = |angle: f64| {
        let points = shape(angle);
        let end = points[points.len() - 1];
        libm::hypot(end[0], end[1])
    };
    let (mut low, mut high) = (0.0, std::f64::consts::PI / bones.len() as f64 * 1.9);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if reach(middle) > chord { low = middle } else { high = middle }
    }
    let points = shape(low);
    let tail = points[points.len() - 1];
    let turn = libm::atan2(tail[1], tail[0]);
    let along = (end - start).normalize_or(Vec3::NEG_Z);
    let side = (palmar - palmar.dot(along) * along).normalize_or(along.any_orthonormal_vector());
    points[1..points.len() - 1]
        .iter()
        .map(|p| {
            let (sine, cosine) = libm::sincos(-turn);
            // The chain bends towards +y, the palm; turned so that its end lies on the chord, its joints stand on the back.
            let (x, y) = (p[0] * cosine - p[1] * sine, p[0] * sine + p[1] * cosine);
            start + x * along + y * side
        })
        .collect()
}
