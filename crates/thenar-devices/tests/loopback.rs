//! Hands sent over the loopback interface arrive, and what should not pass does not.

use std::net::UdpSocket;
use std::time::{Duration, Instant};

use thenar::hand::{Side, XrJoint};
use thenar_devices::{Counts, Limits, UdpTracker, WebSocketTracker};
use tungstenite::Message;

fn message(seq: u64, x: f64) -> String {
    format!(r#"{{"seq": {seq}, "side": "right", "joints": {{"wrist": {{"position": [{x}, 1, 0]}}}}}}"#)
}

/// Waits until the messages have been counted; they take a moment to arrive.
fn counted(counts: impl Fn() -> Counts, expected: u64) -> Counts {
    let start = Instant::now();
    loop {
        let found = counts();
        let sum = found.accepted + found.refused + found.old + found.excess;
        if sum >= expected || start.elapsed() > Duration::from_secs(20) {
            return found;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn datagrams_drive_a_hand() {
    let tracker = UdpTracker::bind("127.0.0.1:0", Limits::default()).unwrap();
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let mut sent = 0;
    let mut send = |bytes: &[u8]| {
        socket.send_to(bytes, tracker.address()).unwrap();
        sent += 1;
        // One after the other: the order on loopback is that of sending.
        counted(|| tracker.counts(), sent)
    };
    send(message(3, 0.3).as_bytes());
    send(message(2, 0.2).as_bytes());
    send(message(3, 0.9).as_bytes());
    send(b"{");
    send(&vec![b' '; Limits::default().message_bytes + 100]);
    let counts = send(message(4, 0.4).as_bytes());
    assert_eq!(counts, Counts { accepted: 2, refused: 2, old: 2, excess: 0 });
    let (mut right, mut left) = (tracker.hand(Side::Right), tracker.hand(Side::Left));
    let frame = right.take().unwrap();
    assert_eq!(frame.joints[XrJoint::Wrist].unwrap().pose.position.x, 0.4);
    assert!(right.take().is_none() && left.take().is_none());
}

#[test]
fn a_flood_is_cut_off() {
    let limits = Limits { messages_per_second: 5.0, ..Limits::default() };
    let tracker = UdpTracker::bind("127.0.0.1:0", limits).unwrap();
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    for seq in 0..50 {
        socket.send_to(message(seq, 0.0).as_bytes(), tracker.address()).unwrap();
        counted(|| tracker.counts(), seq + 1);
    }
    let counts = tracker.counts();
    assert!(counts.accepted >= 5 && counts.excess > 0, "{counts:?}");
}

#[test]
fn websockets_drive_a_hand() {
    let tracker = WebSocketTracker::bind("127.0.0.1:0", Limits::default()).unwrap();
    let url = format!("ws://{}", tracker.address());
    let stream = std::net::TcpStream::connect(tracker.address()).unwrap();
    let (mut socket, _) = tungstenite::client(url.as_str(), stream).unwrap();
    for text in [message(1, 0.1), message(1, 0.5), "nonsense".to_owned(), message(2, 0.2)] {
        socket.send(Message::text(text)).unwrap();
    }
    let counts = counted(|| tracker.counts(), 4);
    assert_eq!(counts, Counts { accepted: 2, refused: 1, old: 1, excess: 0 });
    let frame = tracker.hand(Side::Right).take().unwrap();
    assert_eq!(frame.joints[XrJoint::Wrist].unwrap().pose.position.x, 0.2);
    // A message beyond the limit ends the connection and is counted.
    socket.send(Message::text("x".repeat(Limits::default().message_bytes + 1))).unwrap();
    assert_eq!(counted(|| tracker.counts(), 5).refused, 2);
}

#[test]
fn what_is_no_websocket_is_let_go() {
    use std::io::Write;
    let tracker = WebSocketTracker::bind("127.0.0.1:0", Limits::default()).unwrap();
    for bytes in [&b"\xff\xff\xff\xff\r\n\r\n"[..], b"GET / HTTP/1.1\r\n\r\n", b""] {
        let mut stream = std::net::TcpStream::connect(tracker.address()).unwrap();
        // It may be closed already.
        drop(stream.write_all(bytes));
    }
    drop(tracker);
}

#[test]
fn a_taken_address_is_named() {
    let first = UdpTracker::bind("127.0.0.1:0", Limits::default()).unwrap();
    let address = first.address().to_string();
    let message = UdpTracker::bind(&address, Limits::default()).unwrap_err().to_string();
    assert!(message.contains(&address), "{message}");
    assert!(UdpTracker::bind("nonsense", Limits::default()).is_err());
}
