//! Hands sent over the loopback interface arrive, whatever they travel by, and what should not pass does not.

use std::io::{Read, Write};
use std::net::{TcpStream, UdpSocket};
use std::time::{Duration, Instant};

use thenar::hand::{Anatomy, Preset, Side, XrJoint};
use thenar::math::Vec3;
use thenar::tracking::TrackerFrame;
use thenar_devices::{Counts, HandMessage, Limits, Receiver, Sender, write_message};
use tungstenite::Message;

const TRANSPORTS: [&str; 2] = ["udp", "ws"];

fn listen(transport: &str, limits: Limits) -> Receiver {
    Receiver::listen(&format!("{transport}:0").parse().unwrap(), limits).unwrap()
}

/// A whole hand that has moved `x` metres.
fn message(seq: u64, x: f64) -> HandMessage {
    let mut joints = Anatomy::preset(Preset::Adult, Side::Right).rest_joints();
    joints.0.iter_mut().flatten().for_each(|joint| joint.pose.position += Vec3::new(x, 1.0, 0.0));
    HandMessage { session: 0, seq, frame: TrackerFrame { side: Side::Right, joints } }
}

/// Waits until this many messages have been counted; they take a moment to arrive.
fn counted(receiver: &Receiver, expected: u64) -> Counts {
    let start = Instant::now();
    while receiver.counts().messages() < expected && start.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(5));
    }
    receiver.counts()
}

/// Something that sends bytes as they are, right or wrong.
enum Raw {
    Udp(UdpSocket),
    WebSocket(Box<tungstenite::WebSocket<TcpStream>>),
}

impl Raw {
    fn to(receiver: &Receiver, transport: &str) -> Raw {
        let address = receiver.address();
        if transport == "udp" {
            let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
            socket.connect(address).unwrap();
            return Raw::Udp(socket);
        }
        let stream = TcpStream::connect(address).unwrap();
        Raw::WebSocket(Box::new(tungstenite::client(format!("ws://{address}"), stream).unwrap().0))
    }

    fn send(&mut self, text: &str) {
        match self {
            Raw::Udp(socket) => assert_eq!(socket.send(text.as_bytes()).unwrap(), text.len()),
            Raw::WebSocket(socket) => socket.send(Message::text(text)).unwrap(),
        }
    }
}

#[test]
fn a_moving_hand_arrives_frame_by_frame() {
    for transport in TRANSPORTS {
        let receiver = listen(transport, Limits::default());
        let endpoint = format!("{transport}:{}", receiver.address()).parse().unwrap();
        let mut sender = Sender::connect(&endpoint).unwrap();
        let (mut right, mut left) = (receiver.hand(Side::Right), receiver.hand(Side::Left));
        for seq in 0..20 {
            let sent = message(seq, 0.01 * seq as f64);
            sender.send(&sent).unwrap();
            counted(&receiver, seq + 1);
            let frame = right.take().expect(transport);
            for joint in XrJoint::ALL {
                let Some(sent) = sent.frame.joints[joint] else { continue };
                let got = frame.joints[joint].unwrap();
                assert_eq!(sent.pose.position, got.pose.position, "{transport} {seq} {joint:?}");
            }
            assert!(right.take().is_none() && left.take().is_none(), "{transport}: a frame is taken once");
        }
        assert_eq!(receiver.counts(), Counts { accepted: 20, ..Counts::default() }, "{transport}");
        sender.close();
    }
}

#[test]
fn late_doubled_malformed_and_oversized_messages_are_refused_and_counted() {
    for transport in TRANSPORTS {
        let receiver = listen(transport, Limits::default());
        let mut raw = Raw::to(&receiver, transport);
        let whole = write_message(&message(9, 0.9));
        let oversized = " ".repeat(Limits::default().message_bytes + 100);
        let mut sent = 0;
        for text in [
            write_message(&message(3, 0.3)),
            write_message(&message(2, 0.2)),
            write_message(&message(3, 0.9)),
            "nonsense".to_owned(),
            whole[..whole.len() / 2].to_owned(),
            whole.replacen("\"right\"", "\"third\"", 1),
            write_message(&message(4, 0.4)),
            oversized,
        ] {
            raw.send(&text);
            sent += 1;
            // One after the other: the order on loopback is that of sending.
            counted(&receiver, sent);
        }
        let counts = receiver.counts();
        assert_eq!(counts, Counts { accepted: 2, refused: 4, old: 2, ..Counts::default() }, "{transport}");
        let frame = receiver.hand(Side::Right).take().unwrap();
        let wrist = message(4, 0.4).frame.joints[XrJoint::Wrist].unwrap().pose.position;
        assert_eq!(frame.joints[XrJoint::Wrist].unwrap().pose.position, wrist, "{transport}");
    }
}

#[test]
fn a_flood_is_cut_off() {
    for transport in TRANSPORTS {
        let receiver = listen(transport, Limits { messages_per_second: 5.0, ..Limits::default() });
        let mut raw = Raw::to(&receiver, transport);
        for seq in 0..50 {
            raw.send(&write_message(&message(seq, 0.0)));
            counted(&receiver, seq + 1);
        }
        let counts = receiver.counts();
        assert!(counts.accepted >= 5 && counts.excess > 0, "{transport}: {counts:?}");
    }
}

/// True once the other side has closed the stream.
fn is_closed(stream: &mut TcpStream) -> bool {
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut bytes = [0; 256];
    loop {
        match stream.read(&mut bytes) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) => return error.kind() == std::io::ErrorKind::ConnectionReset,
        }
    }
}

#[test]
fn websockets_beyond_the_limit_and_silent_ones_are_closed() {
    let receiver = listen("ws", Limits { connections: 1, silence: Duration::from_millis(300), ..Limits::default() });
    let Raw::WebSocket(mut first) = Raw::to(&receiver, "ws") else { unreachable!() };
    assert!(is_closed(&mut TcpStream::connect(receiver.address()).unwrap()), "one too many");
    assert_eq!(receiver.counts().turned_away, 1);
    assert!(is_closed(first.get_mut()), "silent for too long");
    // Its place is free again.
    let start = Instant::now();
    let endpoint = format!("ws:{}", receiver.address()).parse().unwrap();
    while start.elapsed() < Duration::from_secs(20) && Sender::connect(&endpoint).is_err() {}
    let mut sender = Sender::connect(&endpoint).or_else(|_| Sender::connect(&endpoint)).unwrap();
    sender.send(&message(1, 0.0)).unwrap();
    assert_eq!(counted(&receiver, 1).accepted, 1);
}

#[test]
fn what_is_no_websocket_is_let_go() {
    let receiver = listen("ws", Limits::default());
    for bytes in [&b"\xff\xff\xff\xff\r\n\r\n"[..], b"GET / HTTP/1.1\r\n\r\n", b""] {
        let mut stream = TcpStream::connect(receiver.address()).unwrap();
        // It may be closed already.
        drop(stream.write_all(bytes));
    }
    drop(receiver);
}

#[test]
fn taken_and_silent_addresses_are_named() {
    for transport in TRANSPORTS {
        let first = listen(transport, Limits::default());
        let endpoint = format!("{transport}:{}", first.address());
        let message = Receiver::listen(&endpoint.parse().unwrap(), Limits::default()).unwrap_err().to_string();
        assert!(message.contains(&endpoint) && message.contains("another port"), "{message}");
    }
    let gone = listen("ws", Limits::default()).address();
    let message = Sender::connect(&format!("ws:{gone}").parse().unwrap()).unwrap_err().to_string();
    assert!(message.contains(&gone.to_string()) && message.contains("listening"), "{message}");
}
