//! Fingers that close around an object until they touch it.

use thenar::geometry::distance::Shape;
use thenar::hand::{BONE_COUNT, BoneId, Digit, HandModel, HandPose, Skeleton, Skin, XrJoint};
use thenar::math::{Pose, Vec3};

use super::Posture;

/// A posture to be found: where the palm is, and between which postures the fingers move.
#[derive(Clone, Copy, Debug)]
pub struct Closing<'a> {
    /// Name of the object.
    pub object: &'a str,
    /// The palm joint while the fingers close.
    pub palm: Pose,
    /// Where the fingers start.
    pub from: Posture,
    /// Where they go, and beyond if nothing stops them.
    pub to: Posture,
    /// How much further than touching, degrees.
    pub squeeze: f64,
}

/// Smallest movement, as a share of the way between the postures, and how far beyond the second one fingers go.
const STRIDE: f64 = 0.01;
pub(super) const FARTHEST: f64 = 1.6;

/// The posture in which every joint has moved from one posture towards another until its phalanx, or one further out,
/// touches the solid; digits that touch are squeezed further by some degrees at each joint. Skin is taken as rigid.
#[must_use]
pub fn closed_around(model: &HandModel, closing: &Closing<'_>, shape: &Shape, pose: Pose) -> Posture {
    let palm = model.skeleton.xr_rest[XrJoint::Palm].map_or(Pose::IDENTITY, |joint| joint.pose);
    let wrist = closing.palm * palm.inverse();
    let skin = skin_points(model);
    let mut posture = closing.from;
    for digit in Digit::ALL {
        let mut amounts = [0.0; 3];
        let mut free = [true; 3];
        let (mut total, mut touched) = (0.0, false);
        while free.contains(&true) && total < FARTHEST {
            total += STRIDE;
            for (amount, _) in amounts.iter_mut().zip(free).filter(|(_, free)| *free) {
                *amount = total;
            }
            moved(&mut posture, closing, digit, amounts);
            let angles = HandPose { digits: posture.radians() }.clamped(&model.skeleton);
            let bones = model.skeleton.pose(&angles, wrist);
            for segment in 0..3 {
                let bone = BoneId::of(digit, segment).index();
                let touches = |p: &Vec3| shape.distance(pose.local(bones[bone].point(*p))) < 0.0;
                if skin[bone].iter().any(touches) {
                    free[..=segment].fill(false);
                    touched = true;
                }
            }
        }
        if touched {
            [0, 2, 3].iter().for_each(|joint| posture.0[digit.index()][*joint] += closing.squeeze);
        }
    }
    posture
}

fn moved(posture: &mut Posture, closing: &Closing<'_>, digit: Digit, amounts: [f64; 3]) {
    let (from, to) = (closing.from.0[digit.index()], closing.to.0[digit.index()]);
    for (angle, joint) in [(0, 0), (1, 0), (2, 1), (3, 2)] {
        posture.0[digit.index()][angle] = from[angle] + (to[angle] - from[angle]) * amounts[joint];
    }
}

/// The contact points of the skin in the frames of the bones below them.
#[must_use]
pub fn skin_points(model: &HandModel) -> [Vec<Vec3>; BONE_COUNT] {
    points_of(&model.contact_vertices, &model.skin, &model.skeleton)
}

/// The same of a hand without tissue.
pub(super) fn points_of(vertices: &[u32], skin: &Skin, skeleton: &Skeleton) -> [Vec<Vec3>; BONE_COUNT] {
    let mut points: [Vec<Vec3>; BONE_COUNT] = std::array::from_fn(|_| Vec::new());
    for vertex in vertices {
        let vertex = *vertex as usize;
        let bone = skin.patches[vertex].bone();
        points[bone.index()].push(skeleton.bone(bone).rest.local(skin.mesh.positions[vertex]));
    }
    points
}

/// How far, as a share of the way from one posture to another and beyond, each digit comes as a whole until it touches the
/// solid; `None` for those that do not.
pub(super) fn first_touches(
    skeleton: &Skeleton,
    skin: &[Vec<Vec3>; BONE_COUNT],
    closing: &Closing<'_>,
    shape: &Shape,
    pose: Pose,
    farthest: f64,
) -> [Option<f64>; Digit::ALL.len()] {
    let palm = skeleton.xr_rest[XrJoint::Palm].map_or(Pose::IDENTITY, |joint| joint.pose);
    let wrist = closing.palm * palm.inverse();
    Digit::ALL.map(|digit| {
        let mut posture = closing.from;
        let mut share = 0.0;
        while share < farthest {
            share += STRIDE;
            moved(&mut posture, closing, digit, [share; 3]);
            let angles = HandPose { digits: posture.radians() }.clamped(skeleton);
            let bones = skeleton.pose(&angles, wrist);
            let touches = |p: Vec3| shape.distance(pose.local(p)) < 0.0;
            let mut segments = (0..3).map(|segment| BoneId::of(digit, segment).index());
            if segments.any(|bone| skin[bone].iter().any(|p| touches(bones[bone].point(*p)))) {
                return Some(share);
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::Grasp;
    use thenar::hand::{HandOptions, SkinDetail};

    #[test]
    fn fingers_stop_where_they_touch() {
        let options = HandOptions { detail: SkinDetail::Coarse, ..HandOptions::default() };
        let model = HandModel::build(&options).unwrap();
        let (from, to) = (Grasp::Open.posture(), Grasp::Fist.posture());
        // palm down, a ball below its centre
        let palm = Pose::IDENTITY;
        let closing = Closing { object: "ball", palm, from, to, squeeze: 0.0 };
        let closed = |closing: &Closing<'_>, radius: f64| {
            let ball = Pose::new(Vec3::new(0.0, -0.015 - radius, -0.03), thenar::math::Quat::IDENTITY);
            closed_around(&model, closing, &Shape::Sphere { radius }, ball).0
        };
        let (small, large) = (closed(&closing, 0.02), closed(&closing, 0.035));
        let flexed = |angles: &[f64; 4]| angles[0] + angles[2] + angles[3];
        let middle = Digit::Middle.index();
        assert!(flexed(&small[middle]) > flexed(&large[middle]) + 5.0, "{small:?} {large:?}");
        assert!(flexed(&large[middle]) > flexed(&from.0[middle]) + 30.0, "{large:?}");
        let squeezed = closed(&Closing { squeeze: 6.0, ..closing }, 0.035);
        assert!((flexed(&squeezed[middle]) - flexed(&large[middle]) - 18.0).abs() < 1e-9);
        // what touches nothing goes on to the end and is not squeezed
        let far = Closing { palm: Pose::new(Vec3::X, palm.rotation), squeeze: 6.0, ..closing };
        let free = closed(&far, 0.035)[middle];
        assert!((free[0] - (from.0[middle][0] + (to.0[middle][0] - from.0[middle][0]) * FARTHEST)).abs() < 1.0);
    }
}
