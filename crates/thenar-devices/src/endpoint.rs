//! Where hands are sent to, as people write it: `udp:9870`, `ws:192.168.0.7:9871`.

use std::fmt;
use std::str::FromStr;

/// How messages travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// One message per datagram.
    Udp,
    /// One message per text message of a WebSocket, as browsers send them.
    WebSocket,
}

impl Transport {
    /// The word before the colon.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Transport::Udp => "udp",
            Transport::WebSocket => "ws",
        }
    }
}

/// A way to send and a place to send to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// How.
    pub transport: Transport,
    /// `HOST:PORT`. Port 0 lets the system choose where one listens.
    pub address: String,
}

/// An endpoint that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no place for hands; expected udp:PORT, ws:PORT, or udp:HOST:PORT, such as udp:9870")]
pub struct EndpointError(String);

impl FromStr for Endpoint {
    type Err = EndpointError;

    /// A port alone is one of this machine, so that nobody else can send to it by mistake.
    fn from_str(text: &str) -> Result<Endpoint, EndpointError> {
        let refused = || EndpointError(text.chars().take(80).collect());
        let (kind, place) = text.split_once(':').ok_or_else(refused)?;
        let transport = match kind {
            "udp" => Transport::Udp,
            "ws" => Transport::WebSocket,
            _ => return Err(refused()),
        };
        let (host, port) = place.rsplit_once(':').unwrap_or(("127.0.0.1", place));
        let port: u16 = port.parse().map_err(|_| refused())?;
        if host.is_empty() || host.contains('/') {
            return Err(refused());
        }
        Ok(Endpoint { transport, address: format!("{host}:{port}") })
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.transport.name(), self.address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_one_of_this_machine_and_an_address_is_kept() {
        for (text, expected) in [
            ("udp:9870", "udp:127.0.0.1:9870"),
            ("ws:0", "ws:127.0.0.1:0"),
            ("udp:0.0.0.0:9870", "udp:0.0.0.0:9870"),
            ("ws:[::1]:80", "ws:[::1]:80"),
            ("ws:headset.local:80", "ws:headset.local:80"),
        ] {
            let endpoint: Endpoint = text.parse().unwrap();
            assert_eq!(endpoint.to_string(), expected);
            assert_eq!(endpoint.to_string().parse(), Ok(endpoint));
        }
        for text in ["", "9870", "udp", "udp:", "udp:99999", "tcp:9870", "ws://127.0.0.1:9", "ws::9", "udp:host"] {
            let message = text.parse::<Endpoint>().unwrap_err().to_string();
            assert!(message.contains("udp:9870"), "{text}: {message}");
        }
    }
}
