//! The other end: sends hands as a tracker does.

use std::io;
use std::net::{TcpStream, ToSocketAddrs, UdpSocket};
use std::time::Duration;

use tungstenite::{Message, WebSocket};

use crate::endpoint::{Endpoint, Transport};
use crate::error::DeviceError;
use crate::message::{HandMessage, write_message};

/// A receiver that does not answer in this time is not there.
const PATIENCE: Duration = Duration::from_secs(5);

/// A connection to a [`crate::Receiver`].
#[derive(Debug)]
pub struct Sender {
    endpoint: Endpoint,
    line: Line,
}

#[derive(Debug)]
enum Line {
    Udp(UdpSocket),
    WebSocket(Box<WebSocket<TcpStream>>),
}

impl Sender {
    /// Finds the receiver. Datagrams are sent whether somebody listens or not.
    ///
    /// # Errors
    /// If the address is unknown, or no WebSocket answers there.
    pub fn connect(endpoint: &Endpoint) -> Result<Sender, DeviceError> {
        let line = match endpoint.transport {
            Transport::Udp => datagrams(&endpoint.address).map(Line::Udp),
            Transport::WebSocket => websocket(&endpoint.address).map(|socket| Line::WebSocket(Box::new(socket))),
        };
        match line {
            Ok(line) => Ok(Sender { endpoint: endpoint.clone(), line }),
            Err(error) => Err(DeviceError::Connect { endpoint: endpoint.to_string(), error }),
        }
    }

    /// Sends a hand.
    ///
    /// # Errors
    /// If the receiver is gone. Nobody misses datagrams: with them, only the machine's own faults are told.
    pub fn send(&mut self, message: &HandMessage) -> Result<(), DeviceError> {
        let text = write_message(message);
        let sent = match &mut self.line {
            Line::Udp(socket) => match socket.send(text.as_bytes()) {
                // Nobody listened when the datagram before arrived; perhaps somebody does now.
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => Ok(()),
                sent => sent.map(|_| ()),
            },
            Line::WebSocket(socket) => socket.send(Message::text(text)).map_err(io::Error::other),
        };
        sent.map_err(|error| DeviceError::Send { endpoint: self.endpoint.to_string(), error })
    }

    /// Says farewell, so that the receiver does not wait for more.
    pub fn close(mut self) {
        if let Line::WebSocket(socket) = &mut self.line {
            // Whoever is gone already needs no farewell; the answer ends the conversation.
            drop(socket.close(None).and_then(|()| socket.read()));
        }
    }
}

fn datagrams(address: &str) -> io::Result<UdpSocket> {
    let to = resolved(address)?;
    let socket = UdpSocket::bind(if to.is_ipv6() { "[::]:0" } else { "0.0.0.0:0" })?;
    socket.connect(to)?;
    Ok(socket)
}

fn websocket(address: &str) -> io::Result<WebSocket<TcpStream>> {
    let stream = TcpStream::connect_timeout(&resolved(address)?, PATIENCE)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let (socket, _) = tungstenite::client(format!("ws://{address}/"), stream)
        .map_err(|error| io::Error::other(format!("no WebSocket answers: {error}")))?;
    Ok(socket)
}

fn resolved(address: &str) -> io::Result<std::net::SocketAddr> {
    let known = address.to_socket_addrs()?.next();
    known.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "the name has no address"))
}
