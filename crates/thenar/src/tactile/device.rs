//! What a disc on a fingertip can do: its geometry, ranges and rates.

use crate::math::{Quat, Vec3};

/// Placement of the disc in the pad's frame.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct DiscPose {
    /// From the undeformed pad into the finger, metres; negative while the disc does not touch it.
    pub displacement: f64,
    /// Right-handed about x, radians: positive presses the side of the tip. The angle of the disc's line along the finger.
    pub pitch: f64,
    /// Right-handed about z, radians: positive presses the side of +x. The angle of the disc's line across the finger.
    pub roll: f64,
}

/// Three legs or cables between the frame that is worn and the disc.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Legs {
    /// Their ends on the frame, in the pad's frame, metres.
    pub base: [Vec3; 3],
    /// Their ends on the disc, in the disc's frame, metres.
    pub platform: [Vec3; 3],
    /// Least and greatest length, metres.
    pub length: [f64; 2],
    /// Greatest speed, m/s.
    pub rate: f64,
}

/// A device: data, not code.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceModel {
    /// Its name.
    pub name: String,
    /// Radius of the disc, metres.
    pub radius: f64,
    /// Least (negative: retracted) and greatest displacement, metres.
    pub displacement: [f64; 2],
    /// Least and greatest pitch, radians.
    pub pitch: [f64; 2],
    /// Least and greatest roll, radians.
    pub roll: [f64; 2],
    /// Greatest speed of the disc, m/s.
    pub rate: f64,
    /// Greatest speed of its tilt, rad/s.
    pub tilt_rate: f64,
    /// Its mechanism, if it is driven by legs.
    pub legs: Option<Legs>,
    /// Time constant of its motors, seconds: for the simulated device.
    pub lag: f64,
}

/// Why a device model was refused.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{field} is {value}, expected {expected}")]
pub struct DeviceError {
    /// The field.
    pub field: &'static str,
    /// What it was.
    pub value: f64,
    /// What it should be.
    pub expected: &'static str,
}

/// A surface farther from a sample than this is not seen, metres.
const MOST_BAND: f64 = 3e-3;
/// The band of a device that hardly retracts, metres.
const LEAST_BAND: f64 = 1e-3;

impl DiscPose {
    /// Slopes of the disc's plane across and along the finger, `y = d + a x + b z`.
    #[must_use]
    pub fn slopes(&self) -> [f64; 2] {
        [libm::tan(self.roll), -libm::tan(self.pitch)]
    }

    /// The pose of a plane.
    #[must_use]
    pub fn of_plane(displacement: f64, [a, b]: [f64; 2]) -> DiscPose {
        DiscPose { displacement, pitch: -libm::atan(b), roll: libm::atan(a) }
    }

    /// Unit normal from the disc into the finger, in the pad's frame.
    #[must_use]
    pub fn normal(&self) -> Vec3 {
        let [a, b] = self.slopes();
        Vec3::new(-a, 1.0, -b).normalize()
    }

    /// Turns the disc's frame into the pad's, without a twist.
    #[must_use]
    pub fn rotation(&self) -> Quat {
        let n = self.normal();
        // half-way quaternion from y to n; n.y is positive
        Quat::from_xyzw(n.z, 0.0, -n.x, 1.0 + n.y).normalize()
    }

    /// A point of the disc's frame in the pad's frame.
    #[must_use]
    pub fn point(&self, on_disc: Vec3) -> Vec3 {
        Vec3::new(0.0, self.displacement, 0.0) + self.rotation() * on_disc
    }

    /// Part of the way from this pose to another.
    #[must_use]
    pub fn towards(&self, to: &DiscPose, share: f64) -> DiscPose {
        let part = |from: f64, to: f64| from + (to - from) * share;
        DiscPose {
            displacement: part(self.displacement, to.displacement),
            pitch: part(self.pitch, to.pitch),
            roll: part(self.roll, to.roll),
        }
    }
}

impl Default for DeviceModel {
    /// A disc of 6 mm on three legs, with ranges in the order of published fingertip devices; `devices/disc.toml` of the
    /// scene library is the same as data.
    fn default() -> Self {
        let around = [(0.0, -1.0), (0.866_025_403_784_438_6, 0.5), (-0.866_025_403_784_438_6, 0.5)];
        DeviceModel {
            name: "disc".to_owned(),
            radius: 6e-3,
            displacement: [-3e-3, 4e-3],
            pitch: [-30f64.to_radians(), 30f64.to_radians()],
            roll: [-30f64.to_radians(), 30f64.to_radians()],
            rate: 0.06,
            tilt_rate: 400f64.to_radians(),
            legs: Some(Legs {
                base: around.map(|(x, z)| Vec3::new(0.013 * x, 0.015, 0.013 * z)),
                platform: around.map(|(x, z)| Vec3::new(0.009 * x, 0.0, 0.009 * z)),
                length: [5e-3, 27e-3],
                rate: 0.12,
            }),
            lag: 0.02,
        }
    }
}

impl DeviceModel {
    /// Says whether a device can be like this.
    ///
    /// # Errors
    /// Names the field, its value and what is expected.
    pub fn check(&self) -> Result<(), DeviceError> {
        let within = |field, value: f64, low: f64, high: f64, expected| {
            if (low..=high).contains(&value) { Ok(()) } else { Err(DeviceError { field, value, expected }) }
        };
        within("disc.radius", self.radius, 1e-3, 0.03, "0.001 to 0.03 m")?;
        let [out, into] = self.displacement;
        within("disc.displacement[0]", out, -0.05, -2e-4, "-0.05 to -0.0002 m: the disc has to leave the skin")?;
        within("disc.displacement[1]", into, 2e-4, 0.02, "0.0002 to 0.02 m into the finger")?;
        for (name, [low, high]) in [("disc.pitch", self.pitch), ("disc.roll", self.roll)] {
            within(name, low, -1.4, 0.0, "a range around 0, at most 80 degrees either way")?;
            within(name, high, 0.0, 1.4, "a range around 0, at most 80 degrees either way")?;
        }
        within("rate.displacement", self.rate, 1e-4, 10.0, "0.0001 to 10 m/s")?;
        within("rate.tilt", self.tilt_rate, 1e-2, 1e3, "0.6 to 57000 degrees per second")?;
        within("motor.lag", self.lag, 0.0, 1.0, "0 to 1 s")?;
        if let Some(legs) = &self.legs {
            within("legs.length[0]", legs.length[0], 1e-4, 0.2, "0.0001 to 0.2 m")?;
            within("legs.length[1]", legs.length[1], legs.length[0], 0.2, "at least legs.length[0], at most 0.2 m")?;
            within("legs.rate", legs.rate, 1e-4, 10.0, "0.0001 to 10 m/s")?;
            for ends in [&legs.base, &legs.platform] {
                let farthest =
                    ends.iter().map(|p| p.length()).fold(0.0, |a, b| if b.is_nan() { b } else { f64::max(a, b) });
                within("legs", farthest, 0.0, 0.1, "ends within 0.1 m of the pad")?;
            }
            let area = (legs.platform[1] - legs.platform[0]).cross(legs.platform[2] - legs.platform[0]).length();
            within("legs.platform", area, 1e-8, 1.0, "three ends that are not on one line")?;
            for pose in [self.free(), DiscPose::default()] {
                for length in legs.lengths(&pose) {
                    within(
                        "legs.length",
                        length,
                        legs.length[0],
                        legs.length[1],
                        "a range that holds the level disc, retracted and on the skin",
                    )?;
                }
            }
        }
        Ok(())
    }

    /// A surface nearer to a sample than this is seen, metres: as far as the disc retracts, within bounds.
    #[must_use]
    pub fn band(&self) -> f64 {
        (-self.displacement[0]).clamp(LEAST_BAND, MOST_BAND)
    }

    /// The disc of a finger that touches nothing.
    #[must_use]
    pub fn free(&self) -> DiscPose {
        DiscPose { displacement: (-self.band()).max(self.displacement[0]), pitch: 0.0, roll: 0.0 }
    }

    /// The pose, or as much of it as the legs reach, seen from the free one.
    #[must_use]
    pub fn reachable(&self, wanted: DiscPose) -> DiscPose {
        let Some(legs) = &self.legs else { return wanted };
        let fits = |pose: &DiscPose| {
            legs.lengths(pose).iter().all(|length| (legs.length[0]..=legs.length[1]).contains(length))
        };
        if fits(&wanted) {
            return wanted;
        }
        let (free, mut inside, mut outside) = (self.free(), 0.0, 1.0);
        for _ in 0..30 {
            let middle = 0.5 * (inside + outside);
            if fits(&free.towards(&wanted, middle)) { inside = middle } else { outside = middle }
        }
        free.towards(&wanted, inside)
    }

    /// Lengths of the legs at a pose, metres; zero without legs.
    #[must_use]
    pub fn lengths(&self, pose: &DiscPose) -> [f64; 3] {
        self.legs.as_ref().map_or([0.0; 3], |legs| legs.lengths(pose))
    }
}

impl Legs {
    /// Lengths at a pose, metres: the parallel mechanism's inverse kinematics.
    #[must_use]
    pub fn lengths(&self, pose: &DiscPose) -> [f64; 3] {
        let rotation = pose.rotation();
        let centre = Vec3::new(0.0, pose.displacement, 0.0);
        std::array::from_fn(|k| (centre + rotation * self.platform[k] - self.base[k]).length())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_and_its_pose_are_the_same() {
        let pose = DiscPose::of_plane(1e-3, [0.3, -0.2]);
        let [a, b] = pose.slopes();
        assert!((a - 0.3).abs() < 1e-12 && (b + 0.2).abs() < 1e-12 && pose.pitch > 0.0 && pose.roll > 0.0);
        // every point of the disc lies in the plane
        for (x, z) in [(1e-3, 0.0), (0.0, 2e-3), (-3e-3, 4e-3)] {
            let p = pose.point(Vec3::new(x, 0.0, z));
            assert!((p.y - (1e-3 + 0.3 * p.x - 0.2 * p.z)).abs() < 1e-12);
        }
        assert!((pose.rotation() * Vec3::Y - pose.normal()).length() < 1e-12);
    }

    #[test]
    fn legs_get_shorter_where_the_disc_is_pressed_in() {
        let device = DeviceModel::default();
        device.check().unwrap();
        let rest = device.lengths(&DiscPose::default());
        let pressed = device.lengths(&DiscPose { displacement: 1e-3, ..DiscPose::default() });
        assert!(rest.iter().zip(pressed).all(|(a, b)| b < a - 0.8e-3));
        // the side of the tip is that of the first leg, at −z
        let pitched = device.lengths(&DiscPose { pitch: 0.2, ..DiscPose::default() });
        assert!(pitched[0] < rest[0] - 1e-3 && pitched[1] > rest[1] + 5e-4, "{rest:?} {pitched:?}");
        assert!((pitched[1] - pitched[2]).abs() < 1e-12);
    }

    #[test]
    fn legs_bound_the_pose() {
        let mut device = DeviceModel::default();
        let short = device.lengths(&DiscPose { displacement: 1.5e-3, ..DiscPose::default() })[0];
        device.legs.as_mut().unwrap().length[0] = short;
        let reached = device.reachable(DiscPose { displacement: 4e-3, ..DiscPose::default() });
        assert!((reached.displacement - 1.5e-3).abs() < 1e-8, "{reached:?}");
    }

    #[test]
    fn what_no_device_can_be_is_refused_by_name() {
        type Change = fn(&mut DeviceModel);
        let cases: [(&str, Change); 6] = [
            ("disc.displacement[0]", |d| d.displacement[0] = 1e-3),
            ("disc.pitch", |d| d.pitch = [0.1, 0.5]),
            ("rate.tilt", |d| d.tilt_rate = f64::NAN),
            ("disc.radius", |d| d.radius = 0.2),
            ("legs.platform", |d| d.legs.as_mut().unwrap().platform = [Vec3::X * 1e-3, Vec3::ZERO, Vec3::X * -1e-3]),
            ("legs.length", |d| d.legs.as_mut().unwrap().length = [1e-3, 2e-3]),
        ];
        for (field, change) in cases {
            let mut device = DeviceModel::default();
            change(&mut device);
            assert_eq!(device.check().unwrap_err().field, field);
        }
    }
}
