//! Hands as UDP datagrams.

use std::io;
use std::net::UdpSocket;

use crate::receiver::{Bound, Inbox, PATIENCE};

pub(crate) fn bind(address: &str, inbox: Inbox) -> io::Result<Bound> {
    let socket = UdpSocket::bind(address)?;
    socket.set_read_timeout(Some(PATIENCE))?;
    let bound = socket.local_addr()?;
    let receive = move || {
        // One byte more than allowed, so that longer datagrams are seen to be too long.
        let mut buffer = vec![0; inbox.limits.message_bytes + 1];
        while inbox.open() {
            // Timeouts and errors of single datagrams: look again.
            if let Ok((length, _)) = socket.recv_from(&mut buffer) {
                inbox.mailbox.deliver(&buffer[..length]);
            }
        }
    };
    Ok((bound, Box::new(receive)))
}
