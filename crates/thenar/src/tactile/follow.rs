//! The disc goes where it is wanted, as fast as the device and a person's comfort allow.

use super::{DeviceModel, DiscPose};

/// Speed of the finger up to which the disc is slow, m/s.
const STILL: f64 = 0.02;
/// Speed of the finger from which on the disc is as fast as the device, m/s.
const QUICK: f64 = 0.1;
/// Speed of the disc on a still finger, m/s: just below 0.1 mm in 1/90 s.
const SLOW_RATE: f64 = 8.9e-3;
/// Speed of its tilt on a still finger, rad/s: just below 1° in 1/90 s.
const SLOW_TILT: f64 = 1.55;

/// Where the disc is after `dt` seconds on its way from one pose to another, on a finger that moves at `speed` m/s.
#[must_use]
pub fn follow(device: &DeviceModel, from: &DiscPose, to: &DiscPose, speed: f64, dt: f64) -> DiscPose {
    let hurry = ((speed - STILL) / (QUICK - STILL)).clamp(0.0, 1.0);
    let between = |slow: f64, fast: f64| fast.min(slow + (fast - slow).max(0.0) * hurry);
    let way = (to.displacement - from.displacement).abs();
    let tilt = libm::hypot(to.pitch - from.pitch, to.roll - from.roll);
    let share = |most: f64, wanted: f64| if wanted > most { most / wanted } else { 1.0 };
    let along = share(between(SLOW_RATE, device.rate) * dt, way);
    let turned = share(between(SLOW_TILT, device.tilt_rate) * dt, tilt);
    let next = DiscPose { displacement: from.towards(to, along).displacement, ..from.towards(to, turned) };
    let Some(legs) = &device.legs else { return next };
    // legs move nearly in proportion to a small step; twice, for what is not proportional
    let (before, mut next) = (legs.lengths(from), next);
    for _ in 0..2 {
        let moved = legs.lengths(&next).iter().zip(before).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        if moved > legs.rate * dt {
            next = from.towards(&next, legs.rate * dt / moved);
        }
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_still_finger_feels_no_jump_and_a_quick_one_no_more_than_the_device_gives() {
        let device = DeviceModel::default();
        let target = DiscPose { displacement: 2e-3, pitch: 0.4, roll: -0.3 };
        let dt = 1.0 / 90.0;
        let from = device.free();
        let slow = follow(&device, &from, &target, 0.02, dt);
        assert!((slow.displacement - from.displacement) <= 1e-4, "{slow:?}");
        assert!(libm::hypot(slow.pitch, slow.roll) <= 1f64.to_radians());
        let quick = follow(&device, &from, &target, 1.0, dt);
        let moved = |k: usize| (device.lengths(&quick)[k] - device.lengths(&from)[k]).abs();
        assert!((quick.displacement - from.displacement) <= device.rate * dt + 1e-12);
        assert!((0..3).all(|k| moved(k) <= 1.001 * device.legs.unwrap().rate * dt));
        assert!(quick.displacement - from.displacement > 4.0 * (slow.displacement - from.displacement));
    }

    #[test]
    fn it_arrives() {
        let device = DeviceModel::default();
        let target = DiscPose { displacement: 1e-3, pitch: 0.2, roll: -0.1 };
        let mut pose = device.free();
        for _ in 0..400 {
            pose = follow(&device, &pose, &target, 0.0, 4e-3);
        }
        assert!((pose.displacement - target.displacement).abs() < 1e-9 && (pose.pitch - target.pitch).abs() < 1e-9);
    }
}
