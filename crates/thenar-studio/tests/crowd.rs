//! What a studio does about those who connect and say nothing, or say it slowly.

mod client;

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use client::{Page, body, port, studio};

/// True if the other end has closed the connection, or does so within the time; nothing else is expected from it.
fn is_closed(mut stream: &TcpStream, patience: Duration) -> bool {
    stream.set_read_timeout(Some(patience)).expect("a time");
    let mut bytes = [0; 512];
    loop {
        match stream.read(&mut bytes) {
            Ok(0) => return true,
            // What is wrong with the request may be said before it is closed.
            Ok(_) => {}
            Err(error) => return !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
        }
    }
}

/// As many as once locked everybody out, or where this process may not have as many files, enough for many to be closed: the server does so
/// from its 128th on.
fn crowd() -> usize {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let files =
        limits.lines().find_map(|line| line.strip_prefix("Max open files")?.split_whitespace().next()?.parse().ok());
    if files.unwrap_or(0) > 1500 { 1100 } else { 300 }
}

#[test]
fn idle_connections_make_room_for_a_page() {
    let studio = studio();
    let port = port(&studio);
    let idle: Vec<TcpStream> =
        (0..crowd()).map(|_| TcpStream::connect(("127.0.0.1", port)).expect("it listens")).collect();
    // The page comes last and gets everything it asks for.
    assert!(!body(port, "/health").is_empty());
    let mut page = Page::open(&studio, "software");
    page.words("scene", |_| true);
    let closed = |stream: &TcpStream| is_closed(stream, Duration::from_secs(2));
    assert!(idle[..idle.len() - 150].iter().all(closed), "the first ones have made room");
    page.frame();
}

#[test]
fn a_request_that_comes_byte_by_byte_is_closed_and_a_page_that_watches_is_not() {
    let studio = studio();
    let mut page = Page::open(&studio, "software");
    page.words("scene", |_| true);
    let mut slow = TcpStream::connect(("127.0.0.1", port(&studio))).expect("it listens");
    slow.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ").expect("it listens");
    // Longer than any request takes; each byte would start an idle clock anew.
    let closed = (0..40).any(|_| slow.write_all(b"a").is_err() || is_closed(&slow, Duration::from_millis(300)));
    assert!(closed, "it is still open after twelve seconds");
    page.frame();
}
