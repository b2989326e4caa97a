//! Postures of the fingers by name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thenar::hand::Digit;

/// Joint angles of the five digits in degrees from the hand at rest: flexion and abduction of the first joint, then
/// flexion of the second and third. Positive flexion closes; positive abduction goes to the thumb's side.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Posture(pub [[f64; 4]; Digit::ALL.len()]);

impl Posture {
    /// `self` at 0, `other` at 1, straight in every angle between and beyond.
    #[must_use]
    pub fn mixed(&self, other: &Posture, share: f64) -> Posture {
        Posture(std::array::from_fn(|digit| {
            std::array::from_fn(|k| self.0[digit][k] + (other.0[digit][k] - self.0[digit][k]) * share)
        }))
    }

    /// How far the fingers are closed: 0 for [`Grasp::Open`], 1 for [`Grasp::Ball`], the mean of their joints.
    #[must_use]
    pub fn closing(&self) -> f64 {
        let flexed = |posture: &Posture| -> f64 {
            Digit::FINGERS.iter().map(|digit| posture.0[digit.index()]).map(|d| d[0] + d[2] + d[3]).sum()
        };
        let (open, closed) = (flexed(&Grasp::Open.posture()), flexed(&Grasp::Ball.posture()));
        (flexed(self) - open) / (closed - open)
    }

    /// The same angles in radians.
    #[must_use]
    pub fn radians(&self) -> [[f64; 4]; Digit::ALL.len()] {
        self.0.map(|digit| digit.map(f64::to_radians))
    }
}

/// Named postures, each an `amount` of the way from [`Grasp::Open`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Grasp {
    /// Fingers straight and a little apart, thumb away from the palm.
    Open,
    /// As the hand hangs.
    Relaxed,
    /// All fingers straight and together.
    Flat,
    /// Fingers closed, thumb across them.
    Fist,
    /// Tip of the thumb against the tip of the index finger, the others out of the way.
    Pinch,
    /// Thumb against index and middle finger.
    Tripod,
    /// All fingers around a bar, thumb opposite.
    Cylinder,
    /// Fingers spread around a ball, thumb opposite.
    Ball,
    /// Index finger straight, the others closed.
    Point,
}

impl Grasp {
    /// All of them.
    pub const ALL: [Grasp; 9] = [
        Grasp::Open,
        Grasp::Relaxed,
        Grasp::Flat,
        Grasp::Fist,
        Grasp::Pinch,
        Grasp::Tripod,
        Grasp::Cylinder,
        Grasp::Ball,
        Grasp::Point,
    ];

    /// The posture in full.
    #[must_use]
    pub fn posture(self) -> Posture {
        Posture(match self {
            Grasp::Open => [
                [-10.0, 10.0, -5.0, -5.0],
                [-8.0, 6.0, -8.0, -5.0],
                [-8.0, 0.0, -8.0, -5.0],
                [-8.0, -4.0, -8.0, -5.0],
                [-8.0, -10.0, -8.0, -5.0],
            ],
            Grasp::Relaxed => [[0.0; 4]; 5],
            Grasp::Flat => [
                [0.0, 0.0, 0.0, 0.0],
                [-8.0, 0.0, -12.0, -8.0],
                [-8.0, 0.0, -12.0, -8.0],
                [-8.0, 0.0, -12.0, -8.0],
                [-8.0, 0.0, -12.0, -8.0],
            ],
            Grasp::Fist => [
                [22.0, -5.0, 20.0, 35.0],
                [75.0, 0.0, 86.0, 55.0],
                [78.0, 0.0, 84.0, 55.0],
                [79.0, 0.0, 82.0, 55.0],
                [78.0, 0.0, 82.0, 55.0],
            ],
            Grasp::Pinch => [
                [29.0, -7.0, 0.0, -8.0],
                [41.0, -7.0, 43.0, 27.0],
                [15.0, 0.0, 15.0, 8.0],
                [10.0, -2.0, 12.0, 6.0],
                [8.0, -5.0, 10.0, 5.0],
            ],
            Grasp::Tripod => [
                [34.0, -5.0, 0.0, -8.0],
                [45.0, -6.0, 41.0, 25.0],
                [47.0, 3.0, 42.0, 25.0],
                [20.0, -2.0, 25.0, 12.0],
                [15.0, -5.0, 20.0, 10.0],
            ],
            Grasp::Cylinder => [
                [16.0, -1.0, 8.0, 11.0],
                [47.0, 0.0, 50.0, 28.0],
                [50.0, 0.0, 53.0, 28.0],
                [50.0, 0.0, 52.0, 28.0],
                [52.0, 0.0, 50.0, 28.0],
            ],
            Grasp::Ball => [
                [32.0, 4.0, 21.0, 11.0],
                [44.0, 2.0, 40.0, 20.0],
                [40.0, -4.0, 40.0, 21.0],
                [40.0, -10.0, 42.0, 22.0],
                [44.0, -14.0, 42.0, 22.0],
            ],
            Grasp::Point => [
                [22.0, -5.0, 20.0, 35.0],
                [-5.0, 0.0, -8.0, -5.0],
                [62.0, 0.0, 72.0, 42.0],
                [64.0, 0.0, 72.0, 42.0],
                [64.0, 0.0, 72.0, 42.0],
            ],
        })
    }

    /// So far of the way from open.
    #[must_use]
    pub fn taken(self, amount: f64) -> Posture {
        Grasp::Open.posture().mixed(&self.posture(), amount)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thenar::hand::{BoneId, HandModel, HandOptions, HandPose};
    use thenar::math::{Pose, Vec3};

    #[test]
    fn amounts_go_from_open_to_the_grasp() {
        for grasp in Grasp::ALL {
            assert_eq!(grasp.taken(0.0), Grasp::Open.posture());
            let full = grasp.taken(1.0).0;
            for (found, wanted) in full.iter().flatten().zip(grasp.posture().0.iter().flatten()) {
                assert!((found - wanted).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn closing_tells_how_far_a_grasp_was_taken() {
        for amount in [0.0, 0.3, 1.0] {
            assert!((Grasp::Ball.taken(amount).closing() - amount).abs() < 1e-12);
        }
        assert!(Grasp::Fist.posture().closing() > 1.2);
    }

    #[test]
    fn closing_grasps_flex_every_joint_they_use() {
        for grasp in [Grasp::Fist, Grasp::Cylinder, Grasp::Ball] {
            let (open, closed) = (Grasp::Open.posture().0, grasp.posture().0);
            for digit in Digit::FINGERS {
                for k in [0, 2, 3] {
                    assert!(closed[digit.index()][k] > open[digit.index()][k] + 20.0, "{grasp:?} {digit:?}");
                }
            }
        }
    }

    /// Skin at rest of each fingertip pad, carried by the bones of a posture, and the direction it looks.
    fn pads(model: &HandModel, posture: &Posture) -> [(Vec<Vec3>, Vec3); 5] {
        let angles = HandPose { digits: posture.radians() };
        let clamped = angles.clamped(&model.skeleton);
        let bones = model.skeleton.pose(&clamped, Pose::IDENTITY);
        Digit::ALL.map(|digit| {
            let (bone, samples) = (bones[BoneId::of(digit, 2).index()], &model.pads[digit.index()]);
            let points = samples.iter().map(|sample| bone.point(sample.local)).collect();
            let normal: Vec3 = samples.iter().map(|sample| bone.rotation * sample.normal).sum();
            (points, normal.normalize())
        })
    }

    fn between(a: &[Vec3], b: &[Vec3]) -> f64 {
        a.iter().flat_map(|p| b.iter().map(|q| p.distance(*q))).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn pinching_pads_meet_and_face_each_other() {
        let model = HandModel::build(&HandOptions::default()).unwrap();
        for (grasp, meeting) in [(Grasp::Pinch, 1..2), (Grasp::Tripod, 1..3)] {
            let (pads, open) = (pads(&model, &grasp.posture()), pads(&model, &Grasp::Open.posture()));
            let [thumb, ..] = &pads;
            for digit in 1..5 {
                let gap = between(&thumb.0, &pads[digit].0);
                if !meeting.contains(&digit) {
                    // Far enough for a small thing between the tips to touch only those that hold it.
                    assert!(gap > 0.02, "{grasp:?}: digit {digit} is {gap} m away");
                    continue;
                }
                assert!(gap < 0.005, "{grasp:?}: digit {digit} is {gap} m away");
                assert!(thumb.1.dot(pads[digit].1) < -0.1, "{grasp:?}: the pad of digit {digit} looks away");
                assert!(between(&open[0].0, &open[digit].0) > 0.04, "{grasp:?} starts open");
            }
            // Angles that joints cannot reach would be clamped in silence.
            let angles = HandPose { digits: grasp.posture().radians() };
            let possible = angles.clone().clamped(&model.skeleton);
            let mut pairs = angles.digits.iter().flatten().zip(possible.digits.iter().flatten());
            assert!(pairs.all(|(asked, possible)| (asked - possible).abs() < 1e-9), "{grasp:?}");
        }
    }

    #[test]
    fn a_cylinder_is_wrapped_evenly() {
        let [_, fingers @ ..] = Grasp::Cylinder.posture().0;
        let sums = fingers.map(|[first, _, second, third]| first + second + third);
        let mean = sums.iter().sum::<f64>() / 4.0;
        assert!(sums.iter().all(|sum| (sum - mean).abs() < 6.0), "{sums:?} degrees of flexion");
    }
}
