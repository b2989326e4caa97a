//! Devices on a serial line: one line of text per finger, easy to read with a microcontroller.
//!
//! ```text
//! T,R,1,-350,1200,-480,15210,14890,15320,740,120,0*5C
//! ```
//!
//! | field | what |
//! |---|---|
//! | `T` | a command for one finger |
//! | `R` | hand: `R` or `L` |
//! | 1 | finger: 0 thumb to 4 little finger |
//! | −350 | displacement of the disc into the finger, µm |
//! | 1200, −480 | pitch and roll, thousandths of a degree |
//! | 15210, … | lengths of the three legs, µm |
//! | 740 | force into the finger, mN |
//! | 120 | slip level, 0 to 1000 |
//! | 0 | 1 if slip began |
//! | `*5C` | exclusive or of all characters before the star, two hexadecimal digits |

use super::{FingerCommand, TactileCommand, TactileDriver};
use serialport::SerialPort;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::Duration;
use thenar::hand::Side;

/// Bits per second unless said otherwise.
pub const USUAL_BAUD: u32 = 115_200;

/// A line that takes no bytes for this long is given up.
const PATIENCE: Duration = Duration::from_millis(200);

/// The line for one finger, with its checksum and a line feed.
#[must_use]
pub fn line(side: Side, finger: usize, command: &FingerCommand) -> String {
    // what no device can be told is told as zero
    let whole = |value: f64, unit: f64| {
        let scaled = (value * unit).round();
        if scaled.is_finite() { scaled as i64 } else { 0 }
    };
    let hand = if side == Side::Right { 'R' } else { 'L' };
    let degrees = |angle: f64| whole(angle.to_degrees(), 1e3);
    let [a, b, c] = command.legs.map(|length| whole(length, 1e6));
    let mut text = format!(
        "T,{hand},{finger},{},{},{},{a},{b},{c},{},{},{}",
        whole(command.disc.displacement, 1e6),
        degrees(command.disc.pitch),
        degrees(command.disc.roll),
        whole(command.force, 1e3),
        whole(command.slip, 1e3),
        u8::from(command.slip_event),
    );
    let sum = text.bytes().fold(0, |sum, byte| sum ^ byte);
    let _ = writeln!(text, "*{sum:02X}");
    text
}

/// Sends to a serial line.
pub struct SerialDriver {
    path: String,
    baud: u32,
    port: Option<Box<dyn SerialPort>>,
}

impl SerialDriver {
    /// For a line such as `/dev/ttyUSB0` or `COM3`.
    #[must_use]
    pub fn new(path: &str, baud: u32) -> SerialDriver {
        SerialDriver { path: path.to_owned(), baud, port: None }
    }
}

impl TactileDriver for SerialDriver {
    fn name(&self) -> String {
        format!("serial:{}", self.path)
    }

    fn connect(&mut self) -> io::Result<()> {
        self.port = None;
        self.port = Some(serialport::new(&self.path, self.baud).timeout(PATIENCE).open()?);
        Ok(())
    }

    fn send(&mut self, command: &TactileCommand) -> io::Result<()> {
        let Some(port) = &mut self.port else { return Err(io::ErrorKind::NotConnected.into()) };
        let fingers = command.fingers.iter().enumerate();
        let text: String = fingers.map(|(k, finger)| line(command.side, k, finger)).collect();
        let sent = port.write_all(text.as_bytes());
        if sent.is_err() {
            self.port = None;
        }
        sent
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thenar::tactile::DiscPose;

    #[test]
    fn a_line_is_what_the_documentation_says() {
        let command = FingerCommand {
            disc: DiscPose { displacement: -0.35e-3, pitch: 1.2f64.to_radians(), roll: -0.48f64.to_radians() },
            legs: [15.21e-3, 14.89e-3, 15.32e-3],
            force: 0.74,
            slip: 0.12,
            ..FingerCommand::default()
        };
        let text = line(Side::Right, 1, &command);
        let (body, sum) = text.trim_end().split_once('*').unwrap();
        assert_eq!(body, "T,R,1,-350,1200,-480,15210,14890,15320,740,120,0");
        assert_eq!(u8::from_str_radix(sum, 16).unwrap(), body.bytes().fold(0, |a, b| a ^ b));
        let broken = FingerCommand { force: f64::NAN, ..command };
        assert!(line(Side::Left, 4, &broken).starts_with("T,L,4,-350,1200,-480,15210,14890,15320,0,"));
    }
}
