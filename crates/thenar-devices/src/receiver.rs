//! A thread that receives hands until it is told to stop, whatever they travel by.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use thenar::hand::Side;

use crate::endpoint::{Endpoint, Transport};
use crate::error::DeviceError;
use crate::gate::{Counts, Limits};
use crate::mailbox::{LiveHand, Mailbox};
use crate::{udp, websocket};

/// How long a socket waits before its thread looks whether it should end.
pub(crate) const PATIENCE: Duration = Duration::from_millis(50);

/// What a thread that receives needs: what is allowed, where messages go, and whether to go on.
#[derive(Clone, Debug)]
pub(crate) struct Inbox {
    pub limits: Limits,
    pub mailbox: Mailbox,
    stop: Arc<AtomicBool>,
}

impl Inbox {
    /// False once the receiver is dropped.
    pub fn open(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }
}

/// Receives hands until it is dropped.
#[derive(Debug)]
pub struct Receiver {
    inbox: Inbox,
    address: SocketAddr,
    thread: Option<JoinHandle<()>>,
}

impl Receiver {
    /// Starts to listen.
    ///
    /// # Errors
    /// If the address cannot be used.
    pub fn listen(endpoint: &Endpoint, limits: Limits) -> Result<Receiver, DeviceError> {
        let inbox = Inbox { limits, mailbox: Mailbox::new(limits), stop: Arc::new(AtomicBool::new(false)) };
        let bind = |error| DeviceError::Bind { endpoint: endpoint.to_string(), error };
        let (address, receive) = match endpoint.transport {
            Transport::Udp => udp::bind(&endpoint.address, inbox.clone()).map_err(bind)?,
            Transport::WebSocket => websocket::bind(&endpoint.address, inbox.clone()).map_err(bind)?,
        };
        let thread = thread::Builder::new().name(format!("thenar-{}", endpoint.transport.name())).spawn(receive);
        let thread = thread.map_err(|error| DeviceError::Thread { endpoint: endpoint.to_string(), error })?;
        Ok(Receiver { inbox, address, thread: Some(thread) })
    }

    /// The address that is listened on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The frames of one hand, to drive a simulation.
    #[must_use]
    pub fn hand(&self, side: Side) -> LiveHand {
        self.inbox.mailbox.hand(side)
    }

    /// What became of the messages so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.inbox.mailbox.counts()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.inbox.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has already said so.
            drop(thread.join());
        }
    }
}

/// What a receiver's thread does, and the address it does it at.
pub(crate) type Bound = (SocketAddr, Box<dyn FnOnce() + Send>);
