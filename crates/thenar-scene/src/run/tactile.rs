//! Measures of touch on the fingertips of a hand.

use thenar::tactile::{DeviceModel, DiscPose, FingerTouch, TactileParams};

/// Mean displacement of the discs of fingers that touch, m; that of a free disc if none does.
pub fn displacement(params: &TactileParams, fingers: &[FingerTouch]) -> f64 {
    let touching = fingers.iter().filter(|finger| finger.touching > 0);
    mean(touching.map(|finger| finger.disc.displacement)).unwrap_or_else(|| params.device.free().displacement)
}

/// Fingers that have to touch a surface within the range of their discs, for a step to say how well discs follow.
const FOLLOWING: usize = 2;

/// Mean angle between disc and surface, degrees, of the fingers where the device could reach the surface's tilt; `None` if these are fewer than
/// two.
pub fn tilt_error(params: &TactileParams, fingers: &[FingerTouch]) -> Option<f64> {
    let within = |finger: &&FingerTouch| surface(finger).is_some_and(|pose| in_range(&params.device, &pose));
    let errors: Vec<f64> = fingers.iter().filter(within).filter_map(FingerTouch::tilt_error).collect();
    let enough = errors.len() >= FOLLOWING;
    mean(errors.into_iter()).filter(|_| enough).map(f64::to_degrees)
}

/// Greatest tilt of a touched surface against its pad, degrees.
pub fn surface_tilt(_: &TactileParams, fingers: &[FingerTouch]) -> f64 {
    let tilt = |pose: DiscPose| pose.normal().y.clamp(-1.0, 1.0).acos().to_degrees();
    fingers.iter().filter_map(surface).map(tilt).fold(0.0, f64::max)
}

/// Greatest slip level.
pub fn slip_level(_: &TactileParams, fingers: &[FingerTouch]) -> f64 {
    fingers.iter().map(|finger| finger.slip.level).fold(0.0, f64::max)
}

/// The tilt of the surface under a finger's touching samples, as a pose.
fn surface(finger: &FingerTouch) -> Option<DiscPose> {
    let n = finger.surface_normal;
    (n.y > 0.0).then(|| DiscPose::of_plane(0.0, [-n.x / n.y, -n.z / n.y]))
}

fn in_range(device: &DeviceModel, pose: &DiscPose) -> bool {
    let within = |[low, high]: [f64; 2], angle: f64| (low..=high).contains(&angle);
    within(device.pitch, pose.pitch) && within(device.roll, pose.roll)
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}
