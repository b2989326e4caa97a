//! Where a device is, as people write it: `simulated`, `serial:/dev/ttyUSB0`, `osc:192.168.0.7:9000`.

use super::serial::USUAL_BAUD;
use super::{OscDriver, SerialDriver, TactileDriver};
use std::fmt;
use std::str::FromStr;

/// A place where a device is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TactileTarget {
    /// Nowhere: a model of the device says what it would do.
    Simulated,
    /// On a serial line, at that many bits per second.
    Serial {
        /// Such as `/dev/ttyUSB0` or `COM3`.
        path: String,
        /// Bits per second.
        baud: u32,
    },
    /// Listening for OSC at `HOST:PORT`.
    Osc(String),
}

/// A place that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// As written.
    #[error(
        "`{0}` is no place for a tactile device; expected simulated, serial:PATH, serial:PATH@BAUD or osc:HOST:PORT, such as serial:/dev/ttyUSB0@115200"
    )]
    Text(String),
    /// A simulated device has no line.
    #[error("a simulated device needs no driver")]
    NoDriver,
}

impl FromStr for TactileTarget {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<TactileTarget, TargetError> {
        let refused = || TargetError::Text(text.chars().take(80).collect());
        match text.split_once(':') {
            None if text == "simulated" => Ok(TactileTarget::Simulated),
            Some(("serial", place)) => {
                let (path, baud) = match place.rsplit_once('@') {
                    Some((path, baud)) => (path, baud.parse().map_err(|_| refused())?),
                    None => (place, USUAL_BAUD),
                };
                if path.is_empty() || !(300..=12_000_000).contains(&baud) {
                    return Err(refused());
                }
                Ok(TactileTarget::Serial { path: path.to_owned(), baud })
            }
            Some(("osc", place)) => {
                let (host, port) = place.rsplit_once(':').unwrap_or(("127.0.0.1", place));
                let port: u16 = port.parse().map_err(|_| refused())?;
                if host.is_empty() || host.contains('/') || port == 0 {
                    return Err(refused());
                }
                Ok(TactileTarget::Osc(format!("{host}:{port}")))
            }
            _ => Err(refused()),
        }
    }
}

impl fmt::Display for TactileTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TactileTarget::Simulated => write!(f, "simulated"),
            TactileTarget::Serial { path, baud } => write!(f, "serial:{path}@{baud}"),
            TactileTarget::Osc(address) => write!(f, "osc:{address}"),
        }
    }
}

impl TactileTarget {
    /// The driver for it.
    ///
    /// # Errors
    /// For a simulated device, which has none.
    pub fn driver(&self) -> Result<Box<dyn TactileDriver>, TargetError> {
        match self {
            TactileTarget::Simulated => Err(TargetError::NoDriver),
            TactileTarget::Serial { path, baud } => Ok(Box::new(SerialDriver::new(path, *baud))),
            TactileTarget::Osc(address) => Ok(Box::new(OscDriver::new(address))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_as_they_are_written() {
        for (text, expected) in [
            ("simulated", "simulated"),
            ("serial:/dev/ttyUSB0", "serial:/dev/ttyUSB0@115200"),
            ("serial:COM3@9600", "serial:COM3@9600"),
            ("osc:9000", "osc:127.0.0.1:9000"),
            ("osc:glove.local:9000", "osc:glove.local:9000"),
        ] {
            let target: TactileTarget = text.parse().unwrap();
            assert_eq!(target.to_string(), expected);
            assert_eq!(target.to_string().parse(), Ok(target));
        }
        for text in ["", "serial", "serial:", "serial:x@0", "osc:", "osc:host", "osc:h:0", "udp:9000", "simulated:1"] {
            assert!(text.parse::<TactileTarget>().unwrap_err().to_string().contains("ttyUSB0"), "{text}");
        }
    }
}
