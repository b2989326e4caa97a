//! A motion as a table: where a handle is meant to be, and when.

use thenar::haptics::HandleState;
use thenar::math::{Pose, Quat, Vec3, rotation_log};

/// No motion goes further, metres, or takes longer, seconds.
const FAR: f64 = 1e6;

/// Poses in order of time; before the first and after the last it rests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Motion {
    times: Vec<f64>,
    poses: Vec<Pose>,
    /// Where the last question was answered: time mostly goes on.
    near: usize,
}

/// A table that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MotionError {
    /// A line that is not eight numbers.
    #[error("line {line}: expected time, x, y, z, qx, qy, qz, qw (seconds, metres, a unit quaternion), found `{text}`")]
    Line {
        /// From 1.
        line: usize,
        /// As written.
        text: String,
    },
    /// A time that is not after the one before.
    #[error("line {line}: time {time} s is not after {before} s")]
    Order {
        /// From 1.
        line: usize,
        /// Of this line.
        time: f64,
        /// Of the line before.
        before: f64,
    },
    /// Nothing there.
    #[error("no line with a pose; expected time, x, y, z, qx, qy, qz, qw")]
    Empty,
}

impl Motion {
    /// Adds a pose; false, and nothing added, if it is not finite or not later than the last.
    pub fn push(&mut self, time: f64, pose: Pose) -> bool {
        let later = self.times.last().is_none_or(|last| time > *last);
        let length = pose.rotation.length();
        let near = time.abs() < FAR && pose.position.abs().max_element() < FAR;
        if !(later && near && pose.is_finite() && (0.5..2.0).contains(&length)) {
            return false;
        }
        self.times.push(time);
        self.poses.push(Pose { rotation: pose.rotation.normalize(), ..pose });
        true
    }

    /// Reads lines of `time, x, y, z, qx, qy, qz, qw`; empty lines, those that begin with `#` and a line of titles are left out.
    ///
    /// # Errors
    /// For a line that is something else, or times that do not grow.
    pub fn read(text: &str) -> Result<Self, MotionError> {
        let mut motion = Motion::default();
        for (index, row) in text.lines().enumerate() {
            let (line, row) = (index + 1, row.trim());
            if row.is_empty() || row.starts_with('#') || (motion.times.is_empty() && row.starts_with("time")) {
                continue;
            }
            let refused = || MotionError::Line { line, text: row.chars().take(80).collect() };
            let mut values = [0.0; 8];
            let mut count = 0;
            for field in row.split(',') {
                let value: f64 = field.trim().parse().map_err(|_| refused())?;
                *values.get_mut(count).ok_or_else(refused)? = value;
                count += 1;
            }
            let [time, x, y, z, qx, qy, qz, qw] = values;
            if let Some(&before) = motion.times.last().filter(|before| time <= **before) {
                return Err(MotionError::Order { line, time, before });
            }
            let pose = Pose::new(Vec3::new(x, y, z), Quat::from_xyzw(qx, qy, qz, qw));
            if count != 8 || !motion.push(time, pose) {
                return Err(refused());
            }
        }
        if motion.times.is_empty() { Err(MotionError::Empty) } else { Ok(motion) }
    }

    /// Whether there is nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// Seconds from 0 to its last pose.
    #[must_use]
    pub fn end(&self) -> f64 {
        self.times.last().copied().unwrap_or(0.0)
    }

    /// Where the handle is meant to be, and how fast; between two poses on the straight way.
    pub fn at(&mut self, time: f64) -> HandleState {
        let Some(last) = self.times.len().checked_sub(1) else { return HandleState::default() };
        while self.near > 0 && time < self.times[self.near] {
            self.near -= 1;
        }
        while self.near < last && time >= self.times[self.near + 1] {
            self.near += 1;
        }
        let from = self.poses[self.near];
        if self.near == last || time < self.times[self.near] {
            return HandleState { pose: from, ..HandleState::default() };
        }
        let to = self.poses[self.near + 1];
        let span = self.times[self.near + 1] - self.times[self.near];
        let share = (time - self.times[self.near]) / span;
        let way = to.position - from.position;
        let turn = rotation_log(to.rotation * from.rotation.conjugate());
        let pose = Pose::new(
            from.position + share * way,
            (thenar::math::rotation_exp(share * turn) * from.rotation).normalize(),
        );
        HandleState { pose, velocity: way / span, spin: turn / span }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn poses_between_lines_lie_on_the_way() {
        let text = "time,x,y,z,qx,qy,qz,qw\n# a turn of 90 degrees\n0, 0,0,0, 0,0,0,1\n\n2, 0.1,0,0, 0,0,0.70710678,0.70710678\n";
        let mut motion = Motion::read(text).unwrap();
        let middle = motion.at(1.0);
        assert!((middle.pose.position - Vec3::new(0.05, 0.0, 0.0)).length() < 1e-12);
        assert!((middle.velocity - Vec3::new(0.05, 0.0, 0.0)).length() < 1e-12);
        assert!((middle.spin.z - std::f64::consts::FRAC_PI_4).abs() < 1e-6);
        assert!((rotation_log(middle.pose.rotation).z - std::f64::consts::FRAC_PI_4).abs() < 1e-6);
        assert_eq!(motion.at(5.0).velocity, Vec3::ZERO);
        assert_eq!(motion.at(-1.0).pose, Pose::IDENTITY);
        assert_eq!(motion.end(), 2.0);
    }

    /// At a line itself it once stood still, and a device at 1 kHz felt a blow every time it came by one.
    #[test]
    fn a_motion_does_not_stop_at_its_lines() {
        let mut motion = Motion::default();
        for k in 0..4 {
            assert!(motion.push(f64::from(k), Pose { position: Vec3::new(f64::from(k), 0.0, 0.0), ..Pose::IDENTITY }));
        }
        for time in [0.0, 0.5, 1.0, 1.5, 2.0] {
            assert_eq!(motion.at(time).velocity, Vec3::X, "{time}");
        }
    }

    #[test]
    fn wrong_lines_are_told_with_their_number() {
        for (text, word) in [
            ("", "no line"),
            ("0,0,0,0,0,0,0\n", "line 1"),
            ("0,0,0,0,0,0,0,0\n", "unit quaternion"),
            ("0,0,0,0,0,0,0,1\n0,0,0,0,0,0,0,1", "line 2: time 0 s is not after"),
            ("0,0,0,0,0,0,0,1,9", "line 1"),
            ("0,0,x,0,0,0,0,1", "`0,0,x,0,0,0,0,1`"),
            ("NaN,0,0,0,0,0,0,1", "line 1"),
        ] {
            assert!(Motion::read(text).unwrap_err().to_string().contains(word), "{text}");
        }
    }
}
