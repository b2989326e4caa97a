//! Key poses joined into a motion.

use thenar::hand::{HandPose, Side, Skeleton, XrJoint};
use thenar::math::{Mat3, Pose, Quat, Vec3};
use thenar::tracking::TrackerFrame;

use super::{Closing, Grasp, Posture, minimum_jerk};
use crate::scene::{Direction, HandSpec, Key};

/// Where the palm is and how the fingers are bent at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stance {
    /// Placement of the OpenXR palm joint: -z to the fingers, -y where the palm looks.
    pub palm: Pose,
    /// The fingers.
    pub posture: Posture,
}

impl Stance {
    /// What a perfect tracker sees of a hand with this skeleton.
    #[must_use]
    pub fn frame(&self, side: Side, skeleton: &Skeleton) -> TrackerFrame {
        let palm = skeleton.xr_rest[XrJoint::Palm].map_or(Pose::IDENTITY, |joint| joint.pose);
        let angles = HandPose { digits: self.posture.radians() }.clamped(skeleton);
        TrackerFrame { side, joints: skeleton.joint_set(&skeleton.pose(&angles, self.palm * palm.inverse())) }
    }
}

/// The motion of one hand. Place, direction and fingers each move between the keys that mention them, from rest to rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    places: Vec<(f64, Vec3)>,
    turns: Vec<(f64, Quat)>,
    postures: Vec<(f64, Posture)>,
}

impl Script {
    /// The motion that the keys of a hand describe; fingers that should close around an object go all the way.
    #[must_use]
    pub fn new(hand: &HandSpec) -> Script {
        Script::closing(hand, &|closing| closing.to)
    }

    /// The same where `close` finds the posture of fingers that close around an object.
    #[must_use]
    pub fn closing(hand: &HandSpec, close: &dyn Fn(&Closing<'_>) -> Posture) -> Script {
        let mut script = Script { places: Vec::new(), turns: Vec::new(), postures: Vec::new() };
        let (mut fingers, mut facing) = (Vec3::NEG_Z, Vec3::NEG_Y);
        for key in &hand.keys {
            if let Some(palm) = &key.palm {
                if let Some(position) = palm.position {
                    script.places.push((key.at, Vec3::from_array(position)));
                }
                if palm.fingers.is_some() || palm.facing.is_some() {
                    fingers = palm.fingers.map_or(fingers, Direction::vector);
                    facing = palm.facing.map_or(facing, Direction::vector);
                    script.turns.push((key.at, orientation(fingers, facing)));
                }
            }
        }
        let mut posture = Grasp::Open.posture();
        for key in &hand.keys {
            let Some(mut changed) = posture_of(key, &posture) else { continue };
            if let Some(object) = &key.around {
                let (palm, squeeze) = (script.at(key.at).palm, key.squeeze.unwrap_or(0.0));
                changed = close(&Closing { object, palm, from: posture, to: changed, squeeze });
            }
            posture = changed;
            script.postures.push((key.at, posture));
        }
        script
    }

    /// The hand at a time; before the first key it waits there, after the last it stays.
    #[must_use]
    pub fn at(&self, time: f64) -> Stance {
        let position = between(&self.places, time, |a, b, s| a.lerp(*b, s)).unwrap_or(Vec3::ZERO);
        let rotation = between(&self.turns, time, |a, b, s| a.slerp(*b, s)).unwrap_or(Quat::IDENTITY);
        let posture = between(&self.postures, time, Posture::mixed).unwrap_or(Grasp::Open.posture());
        Stance { palm: Pose::new(position, rotation), posture }
    }
}

/// The posture a key asks for, if it says anything about fingers. Digits it does not name stay with `before`.
fn posture_of(key: &Key, before: &Posture) -> Option<Posture> {
    let grasp = key.grasp.map(|grasp| grasp.taken(key.amount.unwrap_or(1.0)));
    let Some(fingers) = &key.fingers else { return grasp };
    let mut posture = grasp.unwrap_or(*before);
    for (angles, spec) in posture.0.iter_mut().zip(fingers.digits()) {
        if let Some(spec) = spec {
            *angles = [spec.flex[0], spec.spread, spec.flex[1], spec.flex[2]];
        }
    }
    Some(posture)
}

/// The hand's orientation from where its fingers point and its palm looks; the fingers count where they disagree.
fn orientation(fingers: Vec3, facing: Vec3) -> Quat {
    let back = -fingers.normalize_or(Vec3::NEG_Z);
    let up = -facing;
    let across = up.cross(back);
    let right =
        if across.length() > 1e-6 * facing.length() { across.normalize() } else { back.any_orthonormal_vector() };
    Quat::from_mat3(&Mat3::from_cols(right, back.cross(right), back)).normalize()
}

/// The value at a time on a track of values in order of time.
fn between<T: Copy>(track: &[(f64, T)], time: f64, mix: impl Fn(&T, &T, f64) -> T) -> Option<T> {
    let next = track.partition_point(|(at, _)| *at <= time);
    match (next.checked_sub(1).map(|i| &track[i]), track.get(next)) {
        (Some((start, from)), Some((end, to))) => Some(mix(from, to, minimum_jerk((time - start) / (end - start)))),
        (Some((_, only)), None) | (None, Some((_, only))) => Some(*only),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;

    const SCENE: &str = r#"
        name = "wave"
        seconds = 3.0
        [[hand]]
        side = "right"
        [[hand.key]]
        at = 0.0
        palm = { position = [0, 0.1, 0] }
        grasp = "open"
        [[hand.key]]
        at = 1.0
        palm = { position = [0.2, 0.1, 0], facing = "left" }
        [[hand.key]]
        at = 2.0
        grasp = "cylinder"
        amount = 0.5
        fingers = { index = { flex = [10, 20, 30], spread = 4 } }
        palm = { facing = [0.0, -1.0, 0.0], fingers = "up" }
    "#;

    fn script() -> Script {
        Script::new(&Scene::read(SCENE).unwrap().hands[0])
    }

    #[test]
    fn tracks_move_independently_between_the_keys_that_mention_them() {
        let script = script();
        assert_eq!(script.at(0.0).palm.position, Vec3::new(0.0, 0.1, 0.0));
        assert!((script.at(0.5).palm.position - Vec3::new(0.1, 0.1, 0.0)).length() < 1e-12);
        assert_eq!(script.at(5.0).palm.position, Vec3::new(0.2, 0.1, 0.0));
        // The grasp is not mentioned at 1 s: half of the way from 0 to 2 s.
        let (middle, end) = (script.at(1.0).posture.0, script.at(2.0).posture.0);
        let open = Grasp::Open.posture().0;
        assert!((middle[2][0] - 0.5 * (open[2][0] + end[2][0])).abs() < 1e-12);
        assert_eq!(end[1], [10.0, 4.0, 20.0, 30.0]);
        assert_eq!(end[3], Grasp::Cylinder.taken(0.5).0[3]);
    }

    #[test]
    fn directions_are_what_they_say() {
        let script = script();
        // Before the first turn is mentioned the hand already has it.
        for time in [0.0, 1.0] {
            let turn = script.at(time).palm.rotation;
            assert!((turn * Vec3::NEG_Z - Vec3::NEG_Z).length() < 1e-12, "fingers forward");
            assert!((turn * Vec3::NEG_Y - Vec3::NEG_X).length() < 1e-12, "palm to the left");
        }
        // Fingers up and palm down contradict each other: the fingers win, and nothing is NaN.
        let turn = script.at(2.0).palm.rotation;
        assert!((turn * Vec3::NEG_Z - Vec3::Y).length() < 1e-12 && turn.is_normalized());
        assert_eq!(orientation(Vec3::NEG_Z, Vec3::NEG_Y), Quat::IDENTITY);
    }

    #[test]
    fn motion_is_smooth() {
        let script = script();
        let h = 1e-4;
        let velocity = |t: f64| (script.at(t + h).palm.position - script.at(t - h).palm.position) / (2.0 * h);
        let mut before = velocity(0.001);
        for k in 2..2900 {
            let now = velocity(f64::from(k) * 1e-3);
            // Peak acceleration of minimum jerk is 5.77 d/T²; here d = 0.2 m, T = 1 s.
            assert!((now - before).length() < 1.3e-3, "at {k} ms");
            before = now;
        }
    }
}
