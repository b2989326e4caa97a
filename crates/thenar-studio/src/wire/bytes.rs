//! Little-endian bytes being written.

use thenar::math::{Pose, Vec3};

/// A binary message under construction.
pub(super) struct Bytes(Vec<u8>);

impl Bytes {
    /// A message of that kind with its header.
    pub fn message(kind: u8, flags: u16, seq: u32) -> Bytes {
        let mut bytes = Bytes(Vec::with_capacity(96 << 10));
        bytes.0.extend([kind, super::BINARY_VERSION]);
        bytes.u16(flags);
        bytes.u32(seq);
        bytes
    }

    pub fn u8(&mut self, value: u8) {
        self.0.push(value);
    }

    pub fn u16(&mut self, value: u16) {
        self.0.extend(value.to_le_bytes());
    }

    pub fn i16(&mut self, value: i16) {
        self.0.extend(value.to_le_bytes());
    }

    pub fn u32(&mut self, value: u32) {
        self.0.extend(value.to_le_bytes());
    }

    /// A number that the wire has 32 bits for.
    pub fn f32(&mut self, value: f64) {
        self.0.extend((value as f32).to_le_bytes());
    }

    pub fn f64(&mut self, value: f64) {
        self.0.extend(value.to_le_bytes());
    }

    pub fn vector(&mut self, value: Vec3) {
        value.to_array().iter().for_each(|&x| self.f32(x));
    }

    /// Position, then quaternion x y z w.
    pub fn pose(&mut self, pose: &Pose) {
        self.vector(pose.position);
        pose.rotation.to_array().iter().for_each(|&x| self.f32(x));
    }

    /// Points as 16-bit steps about the centre of their box: `origin`, `scale`, then `i16` x y z of each.
    pub fn points(&mut self, points: impl Iterator<Item = [f32; 3]> + Clone) {
        let (mut low, mut high) = ([f32::MAX; 3], [f32::MIN; 3]);
        for point in points.clone() {
            for axis in 0..3 {
                low[axis] = low[axis].min(point[axis]);
                high[axis] = high[axis].max(point[axis]);
            }
        }
        let origin: [f32; 3] = std::array::from_fn(|axis| 0.5 * (low[axis] + high[axis]));
        let reach = (0..3).map(|axis| 0.5 * (high[axis] - low[axis])).fold(1e-6, f32::max);
        let scale = reach / f32::from(i16::MAX);
        origin.iter().for_each(|&x| self.f32(f64::from(x)));
        self.f32(f64::from(scale));
        let per_step = scale.recip();
        for point in points {
            for axis in 0..3 {
                // Saturates, also for what is no number.
                self.i16(((point[axis] - origin[axis]) * per_step).round() as i16);
            }
        }
    }

    /// A section: number, index, length, and what `content` writes, padded to 4 bytes.
    pub fn section(&mut self, section: u16, index: usize, content: impl FnOnce(&mut Bytes)) {
        self.u16(section);
        self.u16(index as u16);
        let length_at = self.0.len();
        self.u32(0);
        content(self);
        self.pad();
        let length = (self.0.len() - length_at - 4) as u32;
        self.0[length_at..length_at + 4].copy_from_slice(&length.to_le_bytes());
    }

    /// Zeros up to a multiple of 4.
    pub fn pad(&mut self) {
        while !self.0.len().is_multiple_of(4) {
            self.0.push(0);
        }
    }

    pub fn finish(self) -> Vec<u8> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_come_back_within_half_a_step() {
        let points = [[0.1_f32, 0.2, -0.3], [0.25, 0.21, -0.1], [0.2, 0.22, -0.2]];
        let mut bytes = Bytes(Vec::new());
        bytes.points(points.iter().copied());
        let data = bytes.finish();
        let f32_at = |at: usize| f32::from_le_bytes(data[at..at + 4].try_into().unwrap());
        let (origin, scale) = ([f32_at(0), f32_at(4), f32_at(8)], f32_at(12));
        // A hand is 0.2 m long: a step is 3 µm.
        assert!(scale < 3.5e-6);
        for (k, point) in points.iter().enumerate() {
            for axis in 0..3 {
                let at = 16 + 6 * k + 2 * axis;
                let step = i16::from_le_bytes(data[at..at + 2].try_into().unwrap());
                assert!((origin[axis] + scale * f32::from(step) - point[axis]).abs() <= 0.51 * scale);
            }
        }
    }

    #[test]
    fn broken_points_do_not_break_the_message() {
        let mut bytes = Bytes(Vec::new());
        bytes.points([[f32::NAN; 3], [0.0; 3], [f32::INFINITY; 3]].iter().copied());
        assert_eq!(bytes.finish().len(), 16 + 18);
        let mut none = Bytes(Vec::new());
        none.points(std::iter::empty());
        assert_eq!(none.finish().len(), 16);
    }

    #[test]
    fn sections_are_padded_and_say_their_length() {
        let mut bytes = Bytes::message(1, 0, 7);
        bytes.section(9, 2, |bytes| bytes.u8(5));
        let data = bytes.finish();
        assert_eq!(data, [1, 1, 0, 0, 7, 0, 0, 0, 9, 0, 2, 0, 4, 0, 0, 0, 5, 0, 0, 0]);
    }
}
