//! Devices as people write them: `sim3`, `recorded:motion.csv`, `udp:9880`, `haply`.

use super::haply::USUAL_URL;
use super::udp::USUAL_PORT;
use super::{
    HandImpedance, HaplyDevice, HapticDevice, HapticError, Motion, RecordedDevice, SimulatedDevice, UdpDevice,
};
use std::fmt;
use std::str::FromStr;

/// Which device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HapticTarget {
    /// A simulated person with a device of three motors.
    Sim3,
    /// The same with six.
    Sim6,
    /// A file of poses.
    Recorded(String),
    /// A program that speaks the local protocol to this address.
    Udp(String),
    /// The service of Haply at this address.
    Haply(String),
}

impl FromStr for HapticTarget {
    type Err = HapticError;

    fn from_str(text: &str) -> Result<Self, HapticError> {
        let refused = || HapticError::Text(text.chars().take(80).collect());
        match text.split_once(':') {
            None => match text {
                "sim3" => Ok(Self::Sim3),
                "sim6" => Ok(Self::Sim6),
                "udp" => Ok(Self::Udp(format!("127.0.0.1:{USUAL_PORT}"))),
                "haply" => Ok(Self::Haply(USUAL_URL.to_owned())),
                _ => Err(refused()),
            },
            Some(("recorded", file)) if !file.is_empty() => Ok(Self::Recorded(file.to_owned())),
            Some(("udp", place)) => {
                let (host, port) = place.rsplit_once(':').unwrap_or(("127.0.0.1", place));
                let port: u16 = port.parse().map_err(|_| refused())?;
                if host.is_empty() { Err(refused()) } else { Ok(Self::Udp(format!("{host}:{port}"))) }
            }
            Some(("haply", url)) if url.starts_with("ws://") && url[5..].contains(':') => {
                Ok(Self::Haply(url.to_owned()))
            }
            Some(_) => Err(refused()),
        }
    }
}

impl fmt::Display for HapticTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sim3 => write!(f, "sim3"),
            Self::Sim6 => write!(f, "sim6"),
            Self::Recorded(file) => write!(f, "recorded:{file}"),
            Self::Udp(address) => write!(f, "udp:{address}"),
            Self::Haply(url) => write!(f, "haply:{url}"),
        }
    }
}

impl HapticTarget {
    /// What a run waits for until the device is found, for people; `None` for devices that are part of the run.
    #[must_use]
    pub fn awaited(&self) -> Option<String> {
        match self {
            Self::Sim3 | Self::Sim6 | Self::Recorded(_) => None,
            Self::Udp(address) => Some(format!("a program that sends poses to {address} by UDP")),
            Self::Haply(url) => Some(format!("a device at the Inverse service of Haply, {url}")),
        }
    }

    /// The device with that many handles; `intention` is where a simulated person wants the handle to be.
    ///
    /// # Errors
    /// For a file that cannot be used, a port that is taken, a simulated person who wants nothing.
    pub fn open(&self, handles: usize, intention: Motion) -> Result<Box<dyn HapticDevice>, HapticError> {
        let wanted = |name| if intention.is_empty() { Err(HapticError::NoMotion(name)) } else { Ok(()) };
        Ok(match self {
            Self::Sim3 => {
                wanted("sim3")?;
                Box::new(SimulatedDevice::three(HandImpedance::default(), intention))
            }
            Self::Sim6 => {
                wanted("sim6")?;
                Box::new(SimulatedDevice::six(HandImpedance::default(), intention))
            }
            Self::Recorded(file) => {
                let text = std::fs::read_to_string(file);
                let text = text.map_err(|source| HapticError::File { file: file.clone(), source })?;
                let motion = Motion::read(&text);
                Box::new(RecordedDevice::new(
                    motion.map_err(|source| HapticError::Motion { file: file.clone(), source })?,
                ))
            }
            Self::Udp(address) => Box::new(UdpDevice::bind(address, handles)?),
            Self::Haply(url) => Box::new(HaplyDevice::connect(url)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_read_as_they_are_written() {
        for (text, expected) in [
            ("sim3", "sim3"),
            ("sim6", "sim6"),
            ("recorded:a:b.csv", "recorded:a:b.csv"),
            ("udp", "udp:127.0.0.1:9880"),
            ("udp:7", "udp:127.0.0.1:7"),
            ("udp:0.0.0.0:9000", "udp:0.0.0.0:9000"),
            ("haply", "haply:ws://127.0.0.1:10001"),
            ("haply:ws://lab:10001", "haply:ws://lab:10001"),
        ] {
            let target: HapticTarget = text.parse().unwrap();
            assert_eq!(target.to_string(), expected);
            assert_eq!(target.to_string().parse::<HapticTarget>().unwrap(), target);
        }
        for text in
            ["", "sim", "sim3:1", "recorded", "recorded:", "udp:", "udp:x", "udp::1", "haply:1", "haply:http://x:1"]
        {
            assert!(text.parse::<HapticTarget>().unwrap_err().to_string().contains("udp:PORT"), "{text}");
        }
    }

    #[test]
    fn a_simulated_person_who_wants_nothing_is_refused() {
        assert!(matches!(HapticTarget::Sim3.open(1, Motion::default()), Err(HapticError::NoMotion("sim3"))));
    }
}
