//! What a studio does not do: obey strangers, break on garbage, give away files.

mod client;

use std::net::TcpStream;

use client::{Page, body, connect, get, port, studio};
use serde_json::{Value, json};
use thenar_studio::{Studio, StudioOptions};
use tungstenite::Message;

fn health(port: u16) -> Value {
    serde_json::from_slice(&body(port, "/health")).expect("JSON")
}

/// A generator of bytes that are the same on every run (xorshift64).
struct Garbage(u64);

impl Garbage {
    fn bytes(&mut self, most: usize) -> Vec<u8> {
        let length = self.next() as usize % most;
        (0..length).map(|_| self.next() as u8).collect()
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

#[test]
fn garbage_is_counted_and_dropped_and_too_much_of_it_ends_the_connection() {
    let studio = studio();
    let port = port(&studio);
    let mut page = Page::open(&studio, "software");
    page.words("scene", |_| true);
    let valid = [
        r#"{"type":"palm","position":[0,0.1,0],"rotation":[0,0,0,1],"seq":1,"t":2}"#,
        r#"{"type":"set","key":"friction","value":0.4}"#,
        r#"{"type":"load_recording","name":"x","bytes":400}"#,
    ];
    let mut garbage = Garbage(0x7468_656e_6172);
    for k in 0..90 {
        let mut text = valid[k % valid.len()].as_bytes().to_vec();
        let at = garbage.next() as usize % text.len();
        text[at] = b' ' + (garbage.next() % 90) as u8;
        page.say_raw(Message::text(String::from_utf8(text).unwrap()));
        page.say_raw(Message::binary(garbage.bytes(300)));
    }
    // It still works, and has counted.
    page.say(&json!({"type": "ping", "t": 42}));
    assert_eq!(page.words("pong", |_| true)["t"], 42.0);
    page.frame();
    let counted = health(port)["malformed"].as_u64().unwrap();
    assert!((90..=180).contains(&counted), "{counted}");
    // Far too long a message, or far too many bad ones, end the connection.
    let mut rude = connect(port, None).unwrap();
    rude.send(Message::text(r#"{"type":"hello","protocol":1,"renderer":"software"}"#)).unwrap();
    let long = "x".repeat(3 << 20);
    let closed =
        rude.send(Message::text(long)).is_err() || std::iter::repeat_with(|| rude.read()).any(|read| read.is_err());
    assert!(closed);
    let mut other = connect(port, None).unwrap();
    other.send(Message::text(r#"{"type":"hello","protocol":2,"renderer":"software"}"#)).unwrap();
    let refusal = other.read().unwrap().into_text().unwrap().to_string();
    assert!(refusal.contains("protocol 1"), "{refusal}");
    page.frame();
}

#[test]
fn pages_of_others_and_other_names_are_refused() {
    let studio = studio();
    let port = port(&studio);
    let own = format!("http://localhost:{port}");
    assert!(connect(port, Some(&own)).is_ok());
    for origin in ["http://evil.example", "null", "http://localhost:1"] {
        match connect(port, Some(origin)) {
            Err(error) => assert!(error.to_string().contains("403"), "{origin}: {error}"),
            Ok(_) => panic!("{origin} was let in"),
        }
    }
    let answer = get(port, "/", "Host: evil.example\r\n");
    assert!(answer.starts_with(b"HTTP/1.1 403"));
    assert!(health(port)["refused"].as_u64().is_some_and(|refused| refused >= 4));
}

#[test]
fn no_file_of_the_machine_can_be_read() {
    let studio = studio();
    let port = port(&studio);
    for path in [
        "/../Cargo.toml",
        "/..%2f..%2fCargo.toml",
        "/assets/../../Cargo.toml",
        "//etc/passwd",
        "/scenes/../../../etc/passwd",
        "/scenes/..%2fball.png",
        "/etc/passwd",
        "/recording.mcap",
    ] {
        let answer = get(port, path, &format!("Host: localhost:{port}\r\n"));
        assert!(answer.starts_with(b"HTTP/1.1 404"), "{path}: {}", String::from_utf8_lossy(&answer[..40]));
    }
    let page = get(port, "/", &format!("Host: localhost:{port}\r\n"));
    let page = String::from_utf8_lossy(&page).to_lowercase();
    assert!(page.contains("content-security-policy: default-src 'self'") && page.contains("<!doctype html>"));
}

#[test]
fn the_network_needs_the_token_or_the_code() {
    let options = StudioOptions { port: 0, tets: Some(600), lan: true, ..StudioOptions::default() };
    let studio = Studio::start(&options).expect("a free port");
    let port = port(&studio);
    let pairing = studio.pairing().expect("a code").clone();
    // This machine under its address in the network counts as a stranger, unlike localhost.
    let host = format!("Host: 192.0.2.7:{port}\r\n");
    let status = |path: &str, headers: &str| {
        let answer = String::from_utf8_lossy(&get(port, path, headers)).into_owned();
        (answer[9..12].to_owned(), answer)
    };
    assert_eq!(status("/health", &host).0, "401");
    assert_eq!(status("/live", &host).0, "401");
    let (code, page) = status("/", &host);
    assert!(code == "401" && page.contains("name=\"code\""));
    assert_eq!(status("/pair?code=000000x", &host).0, "401");
    let (code, answer) = status(&format!("/pair?code={}", pairing.code), &host);
    assert_eq!(code, "303");
    let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a cookie");
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"));
    let cookie = cookie.split(';').next().unwrap();
    assert_eq!(status("/health", &format!("{host}Cookie: {cookie}\r\n")).0, "200");
    let token = pairing.url.rsplit("token=").next().unwrap();
    assert_eq!(status(&format!("/health?token={token}"), &host).0, "200");
    assert_eq!(status(&format!("/?token={token}"), &host).0, "303");
    assert_eq!(status("/health", &format!("Host: localhost:{port}\r\n")).0, "200");
}

#[test]
fn encrypted_connections_have_a_port_of_their_own() {
    let options = StudioOptions { port: 0, tets: Some(600), lan: true, https: true, ..StudioOptions::default() };
    let studio = Studio::start(&options).expect("free ports");
    let secure = &studio.pairing().expect("a code").short_url;
    let secure_port: u16 = secure.trim_end_matches('/').rsplit(':').next().and_then(|p| p.parse().ok()).expect(secure);
    assert!(secure.starts_with("https://"));
    assert_ne!(secure_port, port(&studio));
    // The beginning of a TLS handshake is answered by one; plain HTTP is not answered in plain.
    assert!(TcpStream::connect(("127.0.0.1", secure_port)).is_ok());
    assert!(!get(secure_port, "/health", "Host: localhost\r\n").starts_with(b"HTTP"));
}
