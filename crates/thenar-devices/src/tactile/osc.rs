//! Devices that speak Open Sound Control over UDP: one bundle per hand and command.
//!
//! For each finger (`SIDE` is `left` or `right`, `DIGIT` thumb, index, middle, ring or little), all numbers 32-bit floats in SI units:
//!
//! | address | arguments |
//! |---|---|
//! | `/thenar/SIDE/DIGIT/disc` | displacement m, pitch rad, roll rad |
//! | `/thenar/SIDE/DIGIT/legs` | three lengths, m |
//! | `/thenar/SIDE/DIGIT/force` | into the finger, across, along, N |
//! | `/thenar/SIDE/DIGIT/stretch` | across, along, m |
//! | `/thenar/SIDE/DIGIT/slip` | level 0 to 1, 1 if slip began |

use super::{TactileCommand, TactileDriver};
use std::io;
use std::net::{SocketAddr, ToSocketAddrs, UdpSocket};
use std::time::Duration;
use thenar::hand::Digit;

/// A refusal arrives in this time, if one does.
const PATIENCE: Duration = Duration::from_millis(50);

/// Sends to an address.
pub struct OscDriver {
    address: String,
    socket: Option<UdpSocket>,
}

impl OscDriver {
    /// For an address `HOST:PORT`.
    #[must_use]
    pub fn new(address: &str) -> OscDriver {
        OscDriver { address: address.to_owned(), socket: None }
    }
}

impl TactileDriver for OscDriver {
    fn name(&self) -> String {
        format!("osc:{}", self.address)
    }

    fn connect(&mut self) -> io::Result<()> {
        let to: SocketAddr = self
            .address
            .to_socket_addrs()?
            .next()
            .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "the name has no address"))?;
        let socket = UdpSocket::bind(if to.is_ipv6() { "[::]:0" } else { "0.0.0.0:0" })?;
        socket.connect(to)?;
        // An empty bundle: where nobody listens, this machine or the other one says so. Who says nothing may be there.
        socket.set_read_timeout(Some(PATIENCE))?;
        socket.send(b"#bundle\0\0\0\0\0\0\0\0\x01")?;
        if let Err(error) = socket.recv(&mut [0; 64])
            && error.kind() == io::ErrorKind::ConnectionRefused
        {
            return Err(error);
        }
        self.socket = Some(socket);
        Ok(())
    }

    fn send(&mut self, command: &TactileCommand) -> io::Result<()> {
        let Some(socket) = &self.socket else { return Err(io::ErrorKind::NotConnected.into()) };
        // fails where nobody listened to the datagram before
        socket.send(&bundle(command)).map(|_| ())
    }
}

/// The bundle of a command, as OSC 1.0 writes it.
#[must_use]
pub fn bundle(command: &TactileCommand) -> Vec<u8> {
    let mut bytes = b"#bundle\0".to_vec();
    // at once
    bytes.extend(1u64.to_be_bytes());
    let side = command.side.name();
    for (digit, finger) in Digit::ALL.into_iter().zip(&command.fingers) {
        let mut put = |what: &str, numbers: &[f64]| {
            let message = message(&format!("/thenar/{side}/{}/{what}", digit.name()), numbers);
            bytes.extend((message.len() as u32).to_be_bytes());
            bytes.extend(message);
        };
        let disc = &finger.disc;
        put("disc", &[disc.displacement, disc.pitch, disc.roll]);
        put("legs", &finger.legs);
        put("force", &[finger.force, finger.shear[0], finger.shear[1]]);
        put("stretch", &finger.stretch);
        put("slip", &[finger.slip, f64::from(u8::from(finger.slip_event))]);
    }
    bytes
}

/// One message of floats.
fn message(address: &str, numbers: &[f64]) -> Vec<u8> {
    let mut bytes = Vec::new();
    text(&mut bytes, address);
    text(&mut bytes, &format!(",{}", "f".repeat(numbers.len())));
    numbers.iter().for_each(|number| bytes.extend((*number as f32).to_be_bytes()));
    bytes
}

/// A string, ended by zeros up to a multiple of four bytes.
fn text(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend(text.as_bytes());
    bytes.resize(bytes.len() + 4 - text.len() % 4, 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_aligned_and_can_be_read_back() {
        let bytes = message("/thenar/right/index/disc", &[1e-3, 0.5, -0.25]);
        assert_eq!(&bytes[..28], b"/thenar/right/index/disc\0\0\0\0");
        assert_eq!(&bytes[28..36], b",fff\0\0\0\0");
        assert_eq!(bytes[40..44], 0.5f32.to_be_bytes());
        assert_eq!(message("/a", &[]).len() % 4, 0);
        let whole = bundle(&TactileCommand::default());
        // walk through the bundle: 25 messages, nothing left over
        let (mut at, mut count) = (16, 0);
        while at < whole.len() {
            let length = u32::from_be_bytes(whole[at..at + 4].try_into().unwrap()) as usize;
            assert!(length.is_multiple_of(4) && whole[at + 4] == b'/');
            at += 4 + length;
            count += 1;
        }
        assert_eq!((at, count), (whole.len(), 25));
        assert!(whole.len() < 2000, "fits into few packets: {}", whole.len());
    }
}
