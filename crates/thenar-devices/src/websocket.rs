//! Hands as text messages of WebSockets, as browsers send them.

use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use thenar::hand::Side;
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Error, Message, accept_with_config};

use crate::error::DeviceError;
use crate::gate::{Counts, Limits};
use crate::mailbox::{LiveHand, Mailbox};

/// How often threads look whether they should end.
const PATIENCE: Duration = Duration::from_millis(50);
/// A client that does not finish its handshake in this time is let go.
const HANDSHAKE: Duration = Duration::from_secs(2);

/// Receives messages from any number of senders (see [`Limits::connections`]) until it is dropped.
#[derive(Debug)]
pub struct WebSocketTracker {
    mailbox: Mailbox,
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl WebSocketTracker {
    /// Listens on an address such as `127.0.0.1:9871`; port 0 lets the system choose.
    ///
    /// # Errors
    /// If the address cannot be used.
    pub fn bind(address: &str, limits: Limits) -> Result<WebSocketTracker, DeviceError> {
        let fault = |error| DeviceError::Bind { address: address.to_owned(), error };
        let listener = TcpListener::bind(address).map_err(fault)?;
        listener.set_nonblocking(true).map_err(fault)?;
        let bound = listener.local_addr().map_err(fault)?;
        let (mailbox, stop) = (Mailbox::new(limits), Arc::new(AtomicBool::new(false)));
        let (inbox, ended) = (mailbox.clone(), Arc::clone(&stop));
        let listen = move || accept_all(&listener, limits, &inbox, &ended);
        let thread = thread::Builder::new().name("thenar-websocket".to_owned()).spawn(listen);
        let thread = thread.map_err(|error| DeviceError::Thread { address: address.to_owned(), error })?;
        Ok(WebSocketTracker { mailbox, address: bound, stop, thread: Some(thread) })
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

impl Drop for WebSocketTracker {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has already said so.
            drop(thread.join());
        }
    }
}

/// Serves clients, each on a thread of its own, until told to stop; returns when all have ended.
fn accept_all(listener: &TcpListener, limits: Limits, mailbox: &Mailbox, stop: &AtomicBool) {
    let open = AtomicUsize::new(0);
    thread::scope(|scope| {
        while !stop.load(Ordering::Relaxed) {
            match listener.accept() {
                Ok((stream, _)) if open.load(Ordering::Relaxed) < limits.connections => {
                    open.fetch_add(1, Ordering::Relaxed);
                    let open = &open;
                    scope.spawn(move || {
                        serve(stream, limits, mailbox, stop);
                        open.fetch_sub(1, Ordering::Relaxed);
                    });
                }
                // One too many: the stream closes as it is dropped.
                Ok(_) => {}
                Err(_) => thread::sleep(PATIENCE),
            }
        }
    });
}

fn serve(stream: TcpStream, limits: Limits, mailbox: &Mailbox, stop: &AtomicBool) {
    let config = WebSocketConfig::default()
        .max_message_size(Some(limits.message_bytes))
        .max_frame_size(Some(limits.message_bytes));
    let ready = stream.set_nonblocking(false).and_then(|()| stream.set_read_timeout(Some(HANDSHAKE)));
    if ready.is_err() {
        return;
    }
    let Ok(mut socket) = accept_with_config(stream, Some(config)) else { return };
    if socket.get_ref().set_read_timeout(Some(PATIENCE)).is_err() {
        return;
    }
    while !stop.load(Ordering::Relaxed) {
        match socket.read() {
            Ok(Message::Text(text)) => mailbox.deliver(text.as_bytes()),
            Ok(Message::Binary(bytes)) => mailbox.deliver(&bytes),
            Ok(_) => {}
            Err(Error::Io(error)) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(Error::Capacity(_)) => {
                mailbox.refuse();
                return;
            }
            Err(_) => return,
        }
    }
}
