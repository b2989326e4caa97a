//! The skeleton of a right hand from its anatomy.

use super::rest_pose::DigitChain;
use super::{
    Anatomy, Articulation, ArticulationKind, Bone, BoneId, Capsule, Digit, JointSample, JointSet, Skeleton, XrJoint,
};
use crate::math::{Mat3, Pose, Quat, Vec3};
use std::f64::consts::PI;

/// Density of cortical bone, kg/m³ (1.9–2.0 g/cm³ in ICRP's reference man).
const BONE_DENSITY: f64 = 1900.0;
/// Radius of each bone relative to that of the digit at its PIP (thumb: IP) joint. Bone is 18 % of the volume of a
/// fingertip [Murai 1997], that is 0.42 of its radius, which is 0.83 of the joint's; shafts further up are thicker.
const BONE_TO_DIGIT: [f64; 3] = [0.46, 0.43, 0.35];
/// Radius of a finger metacarpal's shaft relative to the half width of its finger.
const METACARPAL_TO_DIGIT: f64 = 0.48;
/// The row of carpal bones as one capsule: half length and radius relative to breadth and thickness of the wrist.
const CARPUS: [f64; 2] = [0.2, 0.24];

/// Bones, joints and OpenXR joints of a right hand.
///
/// `distance` is the distance to the skin, metres, negative inside.
pub(super) fn build_skeleton(anatomy: &Anatomy, chains: &[DigitChain; 5], distance: &dyn Fn(Vec3) -> f64) -> Skeleton {
    let mut bones = vec![palm_bone(anatomy, chains)];
    let mut articulations = Vec::new();
    for digit in Digit::ALL {
        for segment in 0..3 {
            let id = BoneId::of(digit, segment);
            bones.push(digit_bone(id, anatomy, &chains[digit.index()]));
            articulations.push(articulation(id, anatomy, &chains[digit.index()]));
        }
    }
    Skeleton { bones, articulations, xr_rest: rest_joints(chains, distance) }
}

/// Frame of a digit's bone and the frame at its far end.
fn bone_ends(digit: Digit, segment: usize, chain: &DigitChain) -> [Pose; 2] {
    let first = if digit == Digit::Thumb { 0 } else { 1 };
    [chain.frames[first + segment], chain.frames[first + segment + 1]]
}

fn digit_bone(id: BoneId, anatomy: &Anatomy, chain: &DigitChain) -> Bone {
    let digit = id.digit().unwrap_or(Digit::Thumb);
    let [rest, end] = bone_ends(digit, id.segment(), chain);
    let length = rest.position.distance(end.position);
    let measures = anatomy.digit(digit);
    let digit_radius = 0.25 * (measures.breadth + measures.thickness);
    let radius = (BONE_TO_DIGIT[id.segment()] * digit_radius).min(0.3 * length);
    let (a, b) = (Vec3::new(0.0, 0.0, -radius), Vec3::new(0.0, 0.0, radius - length));
    with_mass(id, rest, length, vec![Capsule { a, b, radius }])
}

/// Carpals and finger metacarpals as one rigid bone whose frame is the hand's.
fn palm_bone(anatomy: &Anatomy, chains: &[DigitChain; 5]) -> Bone {
    let mut capsules: Vec<Capsule> = (Digit::FINGERS.iter())
        .map(|&finger| {
            let chain = &chains[finger.index()];
            let radius = METACARPAL_TO_DIGIT * 0.5 * anatomy.digit(finger).breadth;
            let [base, head] = [chain.frames[0].position, chain.frames[1].position];
            let inset = (head - base).normalize() * radius;
            Capsule { a: base + inset, b: head - inset, radius }
        })
        .collect();
    let [half_length, radius] = [CARPUS[0] * anatomy.palm.wrist_breadth, CARPUS[1] * anatomy.palm.wrist_thickness];
    let bases = Digit::FINGERS.map(|f| chains[f.index()].frames[0].position);
    let middle = 0.5 * bases.into_iter().sum::<Vec3>() / 4.0;
    let across = Vec3::new(half_length, 0.0, 0.0);
    capsules.push(Capsule { a: middle - across, b: middle + across, radius });
    let length = chains[Digit::Middle.index()].frames[1].position.length();
    with_mass(BoneId::PALM, Pose::IDENTITY, length, capsules)
}

fn with_mass(id: BoneId, rest: Pose, length: f64, capsules: Vec<Capsule>) -> Bone {
    let mass: f64 = capsules.iter().map(capsule_mass).sum();
    let com = capsules.iter().map(|c| capsule_mass(c) * 0.5 * (c.a + c.b)).sum::<Vec3>() / mass;
    let inertia = capsules.iter().fold(Mat3::ZERO, |sum, c| sum + capsule_inertia(c, com));
    Bone { id, rest, length, capsules, mass, com, inertia }
}

fn capsule_mass(c: &Capsule) -> f64 {
    let area = PI * c.radius * c.radius;
    BONE_DENSITY * area * (c.a.distance(c.b) + 4.0 / 3.0 * c.radius)
}

/// Inertia of a solid capsule about a point: cylinder and two half balls, then the parallel-axis theorem.
fn capsule_inertia(c: &Capsule, about: Vec3) -> Mat3 {
    let (h, r) = (c.a.distance(c.b), c.radius);
    let cylinder = BONE_DENSITY * PI * r * r * h;
    let balls = BONE_DENSITY * 4.0 / 3.0 * PI * r * r * r;
    let along = r * r * (0.5 * cylinder + 0.4 * balls);
    let across = cylinder * (h * h / 12.0 + r * r / 4.0) + balls * (0.4 * r * r + h * h / 4.0 + 0.375 * h * r);
    let axis = (c.b - c.a).normalize_or(Vec3::Z);
    let own = across * Mat3::IDENTITY + (along - across) * outer(axis);
    let offset = 0.5 * (c.a + c.b) - about;
    own + (cylinder + balls) * (offset.length_squared() * Mat3::IDENTITY - outer(offset))
}

fn outer(v: Vec3) -> Mat3 {
    Mat3::from_cols(v * v.x, v * v.y, v * v.z)
}

/// The joint that moves a bone. Ranges are from rest: the anatomical range less the flexion at rest.
fn articulation(child: BoneId, anatomy: &Anatomy, chain: &DigitChain) -> Articulation {
    let digit = child.digit().unwrap_or(Digit::Thumb);
    let measures = anatomy.digit(digit);
    let segment = child.segment();
    let [frame, _] = bone_ends(digit, segment, chain);
    let rest = measures.rest_flexion[segment];
    let flex_range = measures.flexion[segment].map(|end| end - rest);
    // -X of the bone turns -Z (its tip) towards -Y (the palm side).
    let flex = frame.rotation * -Vec3::X;
    let kind = match (segment, digit) {
        (0, Digit::Thumb) => ArticulationKind::Spherical {
            flex,
            abduct: frame.rotation * Vec3::Y,
            flex_range,
            abduct_range: measures.abduction,
            twist: measures.twist,
        },
        (0, _) => ArticulationKind::Universal {
            flex,
            abduct: frame.rotation * Vec3::Y,
            flex_range,
            abduct_range: measures.abduction,
        },
        _ => ArticulationKind::Hinge { flex, flex_range },
    };
    Articulation { parent: child.parent().unwrap_or(BoneId::PALM), child, centre: frame.position, kind }
}

/// The OpenXR joints at rest: each phalanx at its proximal joint, tips at the end of the bone (inset from the skin, as
/// trackers report them), the palm in the middle of the middle metacarpal.
fn rest_joints(chains: &[DigitChain; 5], distance: &dyn Fn(Vec3) -> f64) -> JointSet {
    let mut joints = JointSet::default();
    let mut set = |joint: XrJoint, pose: Pose| {
        let radius = distance_to_skin(pose, distance);
        joints[joint] = Some(JointSample { pose, radius });
    };
    set(XrJoint::Wrist, Pose::IDENTITY);
    let middle = &chains[Digit::Middle.index()].frames;
    set(XrJoint::Palm, Pose::new(0.5 * (middle[0].position + middle[1].position), middle[0].rotation));
    for digit in Digit::ALL {
        let chain = &chains[digit.index()];
        let tip = XrJoint::tip(digit);
        let first = tip.index() - chain.joints().len();
        for (i, &frame) in chain.joints().iter().enumerate() {
            set(XrJoint::ALL[first + i], frame);
        }
        set(tip, chain.bone_end());
    }
    joints
}

/// Least distance from a joint to the skin across and along its bone, metres.
fn distance_to_skin(joint: Pose, distance: &dyn Fn(Vec3) -> f64) -> f64 {
    const RAYS: usize = 16;
    const STEP: f64 = 0.001;
    const FARTHEST: f64 = 0.06;
    let inside = |depth: f64, ray: Vec3| distance(joint.position + depth * ray) < 0.0;
    let depth = |ray: Vec3| {
        let far = (1..).map(|i| STEP * f64::from(i)).find(|&d| d > FARTHEST || !inside(d, ray)).unwrap_or(FARTHEST);
        let (mut low, mut high) = (far - STEP, far);
        for _ in 0..12 {
            let middle = 0.5 * (low + high);
            if inside(middle, ray) { low = middle } else { high = middle }
        }
        low
    };
    let around = (0..RAYS).map(|i| {
        let (sin, cos) = libm::sincos(2.0 * PI * i as f64 / RAYS as f64);
        joint.rotation * Vec3::new(cos, sin, 0.0)
    });
    let least = around.chain([joint.rotation * -Vec3::Z]).map(depth).fold(f64::INFINITY, f64::min);
    least.max(0.0005)
}

impl Skeleton {
    /// The mirror image across x = 0: a right hand becomes a left one and back.
    #[must_use]
    pub fn mirrored(&self) -> Skeleton {
        let bones = self.bones.iter().map(mirrored_bone).collect();
        let articulations = (self.articulations.iter())
            .map(|a| Articulation { centre: mirrored_point(a.centre), kind: mirrored_kind(a.kind), ..a.clone() })
            .collect();
        let xr_rest = JointSet(
            self.xr_rest.0.map(|joint| joint.map(|j| JointSample { pose: mirrored_pose(j.pose), radius: j.radius })),
        );
        Skeleton { bones, articulations, xr_rest }
    }
}

fn mirrored_point(p: Vec3) -> Vec3 {
    Vec3::new(-p.x, p.y, p.z)
}

/// Axes of rotation are pseudovectors: they keep the component across the mirror and lose the others.
fn mirrored_axis(a: Vec3) -> Vec3 {
    Vec3::new(a.x, -a.y, -a.z)
}

/// The mirror image of a frame, with its own x axis turned round so that it stays right-handed.
pub(super) fn mirrored_pose(pose: Pose) -> Pose {
    let q = pose.rotation;
    Pose::new(mirrored_point(pose.position), Quat::from_xyzw(q.x, -q.y, -q.z, q.w))
}

fn mirrored_bone(bone: &Bone) -> Bone {
    let flip = Mat3::from_diagonal(Vec3::new(-1.0, 1.0, 1.0));
    let capsules = bone.capsules.iter().map(|c| Capsule { a: mirrored_point(c.a), b: mirrored_point(c.b), ..*c });
    Bone {
        rest: mirrored_pose(bone.rest),
        capsules: capsules.collect(),
        com: mirrored_point(bone.com),
        inertia: flip * bone.inertia * flip,
        ..bone.clone()
    }
}

fn mirrored_kind(kind: ArticulationKind) -> ArticulationKind {
    use ArticulationKind::{Hinge, Spherical, Universal};
    let mut kind = kind;
    match &mut kind {
        Hinge { flex, .. } => *flex = mirrored_axis(*flex),
        Universal { flex, abduct, .. } | Spherical { flex, abduct, .. } => {
            (*flex, *abduct) = (mirrored_axis(*flex), mirrored_axis(*abduct));
        }
    }
    kind
}
