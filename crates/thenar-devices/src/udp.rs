//! Hands as UDP datagrams.

use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use thenar::hand::Side;

use crate::error::DeviceError;
use crate::gate::{Counts, Limits};
use crate::mailbox::{LiveHand, Mailbox};

/// How often the thread looks whether it should end.
const PATIENCE: Duration = Duration::from_millis(50);

/// Receives datagrams until it is dropped.
#[derive(Debug)]
pub struct UdpTracker {
    mailbox: Mailbox,
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl UdpTracker {
    /// Listens on an address such as `127.0.0.1:9870`; port 0 lets the system choose.
    ///
    /// # Errors
    /// If the address cannot be used.
    pub fn bind(address: &str, limits: Limits) -> Result<UdpTracker, DeviceError> {
        let fault = |error| DeviceError::Bind { address: address.to_owned(), error };
        let socket = UdpSocket::bind(address).map_err(fault)?;
        socket.set_read_timeout(Some(PATIENCE)).map_err(fault)?;
        let bound = socket.local_addr().map_err(fault)?;
        let (mailbox, stop) = (Mailbox::new(limits), Arc::new(AtomicBool::new(false)));
        let (inbox, ended) = (mailbox.clone(), Arc::clone(&stop));
        let listen = move || {
            // One byte more than allowed, so that longer datagrams are seen to be too long.
            let mut buffer = vec![0; limits.message_bytes + 1];
            while !ended.load(Ordering::Relaxed) {
                // Timeouts and errors of single datagrams: look again.
                if let Ok((length, _)) = socket.recv_from(&mut buffer) {
                    inbox.deliver(&buffer[..length]);
                }
            }
        };
        let thread = thread::Builder::new().name("thenar-udp".to_owned()).spawn(listen);
        let thread = thread.map_err(|error| DeviceError::Thread { address: address.to_owned(), error })?;
        Ok(UdpTracker { mailbox, address: bound, stop, thread: Some(thread) })
    }

    /// The address that is listened on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The frames of one hand, to drive a simulation.
    #[must_use]
    pub fn hand(&self, side: Side) -> LiveHand {
        self.mailbox.hand(side)
    }

    /// What became of the messages so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.mailbox.counts()
    }
}

impl Drop for UdpTracker {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has already said so.
            drop(thread.join());
        }
    }
}
