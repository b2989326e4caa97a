//! Hands as text messages of WebSockets, as browsers send them.

use std::io::{self, ErrorKind};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Error, Message, accept_with_config};

use crate::receiver::{Bound, Inbox, PATIENCE};

/// A client that does not finish its handshake in this time is let go.
const HANDSHAKE: Duration = Duration::from_secs(2);

pub(crate) fn bind(address: &str, inbox: Inbox) -> io::Result<Bound> {
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    let bound = listener.local_addr()?;
    Ok((bound, Box::new(move || accept_all(&listener, &inbox))))
}

/// Serves clients, each on a thread of its own, until told to stop; returns when all have ended.
fn accept_all(listener: &TcpListener, inbox: &Inbox) {
    let open = AtomicUsize::new(0);
    thread::scope(|scope| {
        while inbox.open() {
            match listener.accept() {
                Ok((stream, _)) if open.load(Ordering::Relaxed) < inbox.limits.connections => {
                    open.fetch_add(1, Ordering::Relaxed);
                    let open = &open;
                    scope.spawn(move || {
                        serve(stream, inbox);
                        open.fetch_sub(1, Ordering::Relaxed);
                    });
                }
                // One too many: the stream closes as it is dropped.
                Ok(_) => inbox.mailbox.turn_away(),
                Err(_) => thread::sleep(PATIENCE),
            }
        }
    });
}

fn serve(stream: TcpStream, inbox: &Inbox) {
    let limits = inbox.limits;
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
    let mut heard = Instant::now();
    // A client that says nothing gives its place to another.
    while inbox.open() && heard.elapsed() < limits.silence {
        match socket.read() {
            Ok(message) => {
                heard = Instant::now();
                match message {
                    Message::Text(text) => inbox.mailbox.deliver(text.as_bytes()),
                    Message::Binary(bytes) => inbox.mailbox.deliver(&bytes),
                    _ => {}
                }
            }
            Err(Error::Io(error)) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            // What follows a message that is too long cannot be told apart from it.
            Err(Error::Capacity(_)) => return inbox.mailbox.refuse(),
            Err(_) => return,
        }
    }
}
