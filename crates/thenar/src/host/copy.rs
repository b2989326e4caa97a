//! What the engine knows of a body in the host, and what it expects of it until the next host step.

use super::BodyMotion;
use crate::math::{Pose, Vec3, rotation_exp};

/// The host's copy of a body in metres, with accelerations by finite differences.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct HostCopy {
    /// As of the last host step.
    pub motion: BodyMotion,
    /// Acceleration that the prediction uses, m/s².
    pub acceleration: Vec3,
    /// The same of the spin, rad/s².
    pub angular_acceleration: Vec3,
    last_change: (Vec3, Vec3),
}

impl HostCopy {
    /// A copy seen for the first time.
    #[must_use]
    pub fn first_seen(motion: BodyMotion) -> Self {
        HostCopy { motion, ..HostCopy::default() }
    }

    /// Takes the motion after `elapsed` seconds of host time. A host need not expose accelerations: they are the change
    /// of the velocities, as far as the change before confirms it. An impact lasts one step and must not be expected
    /// to go on.
    pub fn observe(&mut self, motion: BodyMotion, elapsed: f64) {
        let change = ((motion.velocity - self.motion.velocity) / elapsed, (motion.spin - self.motion.spin) / elapsed);
        self.acceleration = confirmed(change.0, self.last_change.0);
        self.angular_acceleration = confirmed(change.1, self.last_change.1);
        self.last_change = change;
        self.motion = motion;
    }

    /// Where the copy will be `t` seconds after the last host step, assuming constant acceleration [CLAP §3.7].
    #[must_use]
    pub fn predict(&self, t: f64) -> BodyMotion {
        let (m, half) = (&self.motion, 0.5 * t * t);
        let turn = rotation_exp(m.spin * t + self.angular_acceleration * half);
        BodyMotion {
            pose: Pose::new(
                m.pose.position + m.velocity * t + self.acceleration * half,
                (turn * m.pose.rotation).normalize(),
            ),
            velocity: m.velocity + self.acceleration * t,
            spin: m.spin + self.angular_acceleration * t,
        }
    }
}

/// The part of `new`, between none and all of it, that `old` has along it.
fn confirmed(new: Vec3, old: Vec3) -> Vec3 {
    let square = new.length_squared();
    if square > 0.0 { new * (new.dot(old) / square).clamp(0.0, 1.0) } else { Vec3::ZERO }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Quat;

    fn falling(t: f64) -> BodyMotion {
        BodyMotion {
            pose: Pose::new(Vec3::new(0.0, -5.0 * t * t, 0.0), Quat::IDENTITY),
            velocity: Vec3::new(0.0, -10.0 * t, 0.0),
            spin: Vec3::ZERO,
        }
    }

    #[test]
    fn a_constant_acceleration_is_predicted_exactly() {
        let dt = 1.0 / 60.0;
        let mut copy = HostCopy::first_seen(falling(0.0));
        (1..=3).for_each(|i| copy.observe(falling(f64::from(i) * dt), dt));
        let expected = falling(4.0 * dt);
        let predicted = copy.predict(dt);
        assert!((predicted.pose.position - expected.pose.position).length() < 1e-12);
        assert!((predicted.velocity - expected.velocity).length() < 1e-12);
    }

    #[test]
    fn an_impact_is_not_expected_to_go_on() {
        let dt = 1.0 / 60.0;
        let mut copy = HostCopy::first_seen(falling(0.2));
        copy.observe(falling(0.2 + dt), dt);
        let stopped = BodyMotion { velocity: Vec3::ZERO, ..falling(0.2 + 2.0 * dt) };
        copy.observe(stopped, dt);
        assert_eq!(copy.predict(dt), stopped);
    }
}
