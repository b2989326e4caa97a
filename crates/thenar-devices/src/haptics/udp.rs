//! A local protocol for devices that Thenar does not know: poses in, wrenches out, one datagram each, a thousand times a second.
//!
//! A program of yours reads the device by its maker's library, sends its pose to `127.0.0.1:9880` and exerts the wrench that comes
//! back. `examples/haptic_udp.c` does it in C without a library. Numbers are little-endian; lengths in bytes.
//!
//! | pose | length | what |
//! |---|---|---|
//! | magic | 4 | `THp1` |
//! | sequence | 4 | whole number, grows with every pose |
//! | handles | 4 | whole number: 1 for a pen |
//! | flags | 4 | 1: velocities are measured; 2: there are torque motors; 4: torques on joints are wanted |
//! | force, torque | 4 + 4 | largest that the device may exert, `float`, N and N·m |
//! | per handle | 104 | 13 `double`: position (m, right-handed, Y up), quaternion x y z w, velocity (m/s), angular velocity (rad/s) |
//!
//! | wrench | length | what |
//! |---|---|---|
//! | magic | 4 | `THw1` |
//! | sequence | 4 | of the pose that it answers |
//! | handles | 4 | as in the pose |
//! | flags | 4 | 1: forces are on; 2: torques on joints follow |
//! | per handle | 48 | 6 `double`: force (N) and torque (N·m) on the user, same axes, about the position |
//! | joints | 160 | with flag 2, for a glove that asked for it: 5 × 4 `double`, N·m: thumb to little finger; flexion and abduction of the first joint, flexion of the other two |
//!
//! Your side has one duty: when no wrench has come for 20 ms, the motors rest. Poses are taken from the first program that sends; another one is
//! heard when that one has been silent for a second.

use super::{HapticDevice, HapticError, JointTorques, Motors, Reading};
use std::net::{SocketAddr, UdpSocket};
use thenar::haptics::HandleState;
use thenar::math::{Pose, Quat, Vec3};

/// Where poses are expected if nothing else is said.
pub const USUAL_PORT: u16 = 9880;
/// Handles of one device at most.
const MOST: usize = 32;
const HEADER: usize = 24;
const HANDLE: usize = 104;
const ANSWER: usize = 16;
/// Torques on joints behind the wrenches.
const JOINTS: usize = 160;
/// Seconds after which another sender is heard.
const SILENCE: f64 = 1.0;

/// A device at the other end of a socket.
pub struct UdpDevice {
    socket: UdpSocket,
    handles: usize,
    motors: Motors,
    sender: Option<SocketAddr>,
    heard: f64,
    sequence: Option<u32>,
    /// Datagrams that were no poses, or of another number of handles.
    pub refused: u64,
    /// It asked for torques on joints.
    pulls: bool,
    joints: Option<JointTorques>,
    answer: [u8; ANSWER + 48 * MOST + JOINTS],
}

/// A pose as a datagram.
#[derive(Clone, Debug, PartialEq)]
pub struct PoseMessage {
    /// Grows with every message.
    pub sequence: u32,
    /// What the device can exert.
    pub motors: Motors,
    /// Whether torques on joints are wanted.
    pub joints: bool,
    /// In the device's axes.
    pub states: Vec<HandleState>,
}

/// Why a datagram was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PoseError {
    /// Another magic.
    #[error("a pose begins with THp1")]
    Magic,
    /// Not 24 + 104 per handle.
    #[error("{length} bytes for {handles} handles; expected 24 + 104 per handle, 1 to 32 handles")]
    Length {
        /// Of the datagram.
        length: usize,
        /// As it says.
        handles: u32,
    },
    /// A number that is not finite, or a quaternion that is no rotation.
    #[error("a number is not finite, a limit is negative or a quaternion has no length")]
    Number,
}

/// Reads a datagram into `states`, whose length is that of the device; returns sequence, motors and whether torques on joints are wanted.
///
/// # Errors
/// If it is no pose of that many handles.
pub fn read_pose(bytes: &[u8], states: &mut [HandleState]) -> Result<(u32, Motors, bool), PoseError> {
    let word = |at: usize| bytes.get(at..at + 4).and_then(|four| four.try_into().ok()).map(u32::from_le_bytes);
    if bytes.get(..4) != Some(b"THp1") {
        return Err(PoseError::Magic);
    }
    let handles = word(8).unwrap_or(0);
    let wrong = PoseError::Length { length: bytes.len(), handles };
    let (Some(sequence), Some(flags), Some(force), Some(torque)) = (word(4), word(12), word(16), word(20)) else {
        return Err(wrong);
    };
    let count = handles as usize;
    if count != states.len() || !(1..=MOST).contains(&count) || bytes.len() != HEADER + HANDLE * count {
        return Err(wrong);
    }
    let (force, torque) = (f64::from(f32::from_bits(force)), f64::from(f32::from_bits(torque)));
    if !(force.is_finite() && torque.is_finite() && force >= 0.0 && torque >= 0.0) {
        return Err(PoseError::Number);
    }
    let turns = flags & 2 != 0;
    let motors = Motors { axes: [true, true, true, turns, turns, turns], force, torque, velocity: flags & 1 != 0 };
    // all are read before any is believed
    for pass in 0..2 {
        for (state, bytes) in states.iter_mut().zip(bytes[HEADER..].chunks_exact(HANDLE)) {
            let mut numbers = [0.0; 13];
            for (number, eight) in numbers.iter_mut().zip(bytes.chunks_exact(8)) {
                *number = f64::from_le_bytes(eight.try_into().map_err(|_| wrong)?);
            }
            let rotation = Quat::from_slice(&numbers[3..7]);
            let length = rotation.length();
            if !numbers.iter().all(|number| number.is_finite() && number.abs() < 1e6) || !(0.5..2.0).contains(&length) {
                return Err(PoseError::Number);
            }
            if pass == 1 {
                *state = HandleState {
                    pose: Pose::new(Vec3::from_slice(&numbers[..3]), rotation / length),
                    velocity: Vec3::from_slice(&numbers[7..10]),
                    spin: Vec3::from_slice(&numbers[10..]),
                };
            }
        }
    }
    Ok((sequence, motors, flags & 4 != 0))
}

/// Writes a pose as a device's program would: for tests and for programs in Rust.
#[must_use]
pub fn write_pose(message: &PoseMessage) -> Vec<u8> {
    let flag = |bit: u32, set: bool| if set { bit } else { 0 };
    let flags = flag(1, message.motors.velocity) | flag(2, message.motors.axes[3]) | flag(4, message.joints);
    let mut bytes = b"THp1".to_vec();
    for word in [message.sequence, message.states.len() as u32, flags] {
        bytes.extend(word.to_le_bytes());
    }
    for limit in [message.motors.force, message.motors.torque] {
        bytes.extend((limit as f32).to_le_bytes());
    }
    for state in &message.states {
        let (p, q, v, w) = (state.pose.position, state.pose.rotation, state.velocity, state.spin);
        for number in [p.x, p.y, p.z, q.x, q.y, q.z, q.w, v.x, v.y, v.z, w.x, w.y, w.z] {
            bytes.extend(number.to_le_bytes());
        }
    }
    bytes
}

impl UdpDevice {
    /// Listens at `address`, such as `127.0.0.1:9880`, for a device with that many handles.
    ///
    /// # Errors
    /// If the port is taken.
    pub fn bind(address: &str, handles: usize) -> Result<Self, HapticError> {
        let open = || {
            let socket = UdpSocket::bind(address)?;
            socket.set_nonblocking(true)?;
            Ok(socket)
        };
        let socket = open().map_err(|source| HapticError::Open { what: format!("udp:{address}"), source })?;
        let (motors, answer) = (Motors::three(0.0), [0; ANSWER + 48 * MOST + JOINTS]);
        let (sender, heard, sequence) = (None, 0.0, None);
        Ok(Self { socket, handles, motors, sender, heard, sequence, refused: 0, pulls: false, joints: None, answer })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// The system's.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.socket.local_addr()
    }
}

impl HapticDevice for UdpDevice {
    fn name(&self) -> &str {
        "udp"
    }

    fn handles(&self) -> usize {
        self.handles
    }

    fn motors(&self) -> Motors {
        self.motors
    }

    /// All that has arrived is read, and the newest counts.
    fn read(&mut self, now: f64, states: &mut [HandleState]) -> Reading {
        let mut reading = Reading::Same;
        let mut bytes = [0u8; HEADER + HANDLE * MOST + 1];
        // a flood is not read to its end in one tick
        for _ in 0..16 {
            let Ok((length, from)) = self.socket.recv_from(&mut bytes) else { break };
            if self.sender.is_some_and(|sender| sender != from) && now - self.heard < SILENCE {
                self.refused += 1;
                continue;
            }
            let Ok((sequence, motors, pulls)) = read_pose(&bytes[..length], states) else {
                self.refused += 1;
                continue;
            };
            let same = self.sender == Some(from);
            // numbers may wrap around; what is behind by less than half of them is old
            let old = self.sequence.is_some_and(|last| sequence.wrapping_sub(last).wrapping_sub(1) > u32::MAX / 2);
            if same && old && now - self.heard < SILENCE {
                continue;
            }
            (self.sender, self.sequence, self.heard) = (Some(from), Some(sequence), now);
            (self.motors, self.pulls) = (motors, pulls);
            reading = Reading::Fresh;
        }
        reading
    }

    fn write(&mut self, wrenches: &[f64]) {
        let (Some(sender), Some(sequence)) = (self.sender, self.sequence) else { return };
        let on = wrenches.iter().any(|value| *value != 0.0);
        let joints = self.joints.as_ref().filter(|_| self.pulls);
        let flags = u32::from(on) | if joints.is_some() { 2 } else { 0 };
        self.answer[..4].copy_from_slice(b"THw1");
        for (place, word) in [(4, sequence), (8, self.handles as u32), (12, flags)] {
            self.answer[place..place + 4].copy_from_slice(&word.to_le_bytes());
        }
        for (place, value) in self.answer[ANSWER..].chunks_exact_mut(8).zip(wrenches) {
            place.copy_from_slice(&value.to_le_bytes());
        }
        let mut end = ANSWER + 48 * self.handles;
        if let Some(joints) = joints {
            for (place, value) in self.answer[end..].chunks_exact_mut(8).zip(joints.as_flattened()) {
                place.copy_from_slice(&value.to_le_bytes());
            }
            end += JOINTS;
        }
        // a program that has ended is found out by its silence
        let _ = self.socket.send_to(&self.answer[..end], sender);
    }

    fn write_joints(&mut self, torques: &JointTorques) {
        self.joints = Some(*torques);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pose_is_read_as_it_was_written() {
        let pose = Pose::new(Vec3::new(0.1, 0.2, -0.3), Quat::from_xyzw(0.0, 0.6, 0.0, 0.8));
        let state = HandleState { pose, velocity: Vec3::X, spin: Vec3::new(0.0, 2.0, 0.0) };
        let motors = Motors { velocity: true, ..Motors::six(3.5, 0.25) };
        let bytes = write_pose(&PoseMessage { sequence: 77, motors, joints: true, states: vec![state; 2] });
        assert_eq!(bytes.len(), 24 + 2 * 104);
        let mut states = [HandleState::default(); 2];
        assert_eq!(read_pose(&bytes, &mut states), Ok((77, motors, true)));
        assert_eq!(states, [state; 2]);
    }

    #[test]
    fn what_is_no_pose_changes_nothing() {
        let good = write_pose(&PoseMessage {
            sequence: 1,
            motors: Motors::three(1.0),
            joints: false,
            states: vec![HandleState::default(); 2],
        });
        let mut spoilt: Vec<Vec<u8>> =
            vec![Vec::new(), b"THw1".to_vec(), good[..20].to_vec(), good[..good.len() - 1].to_vec()];
        let mut not_finite = good.clone();
        // the last number of the second handle
        let end = not_finite.len();
        not_finite[end - 8..].copy_from_slice(&f64::NAN.to_le_bytes());
        spoilt.push(not_finite);
        let mut no_turn = good.clone();
        no_turn[24 + 24..24 + 56].fill(0);
        spoilt.push(no_turn);
        let mut limit = good;
        limit[16..20].copy_from_slice(&(-1.0f32).to_le_bytes());
        spoilt.push(limit);
        for bytes in spoilt {
            let marked = HandleState { velocity: Vec3::X, ..HandleState::default() };
            let mut states = [marked; 2];
            assert!(read_pose(&bytes, &mut states).is_err());
            assert_eq!(states, [marked; 2]);
        }
    }
}
