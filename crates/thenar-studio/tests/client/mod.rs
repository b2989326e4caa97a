//! A page made of Rust: connects to a studio, acknowledges frames and reads what they say.
#![allow(dead_code)] // each test file uses a part

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use thenar_studio::{Studio, StudioOptions};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

/// Longest that a test waits for anything; a busy machine builds a hand in this time.
const PATIENCE: Duration = Duration::from_secs(120);

/// A studio on a free port with small hands.
pub fn studio() -> Studio {
    let options = StudioOptions { port: 0, tets: Some(600), ..StudioOptions::default() };
    Studio::start(&options).expect("a free port")
}

/// The port of a studio.
pub fn port(studio: &Studio) -> u16 {
    studio.url().trim_end_matches('/').rsplit(':').next().and_then(|port| port.parse().ok()).expect("an address")
}

/// One frame, as far as tests look at it.
#[derive(Clone, Debug)]
pub struct Frame {
    pub seq: u32,
    pub time: f64,
    pub page_t: f64,
    pub input_seq: u32,
    pub step: u32,
    /// Section, index, content.
    pub sections: Vec<(u16, u16, Vec<u8>)>,
}

fn u16_at(data: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(data[at..at + 2].try_into().unwrap())
}

pub fn u32_at(data: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(data[at..at + 4].try_into().unwrap())
}

pub fn f32_at(data: &[u8], at: usize) -> f64 {
    f64::from(f32::from_le_bytes(data[at..at + 4].try_into().unwrap()))
}

fn f64_at(data: &[u8], at: usize) -> f64 {
    f64::from_le_bytes(data[at..at + 8].try_into().unwrap())
}

impl Frame {
    fn read(data: &[u8]) -> Frame {
        let mut sections = Vec::new();
        let mut at = 8 + 8 + 8 + 4 + 4 + 24 + 4 + 4 + 8 + 4 + 4;
        while at < data.len() {
            let length = u32_at(data, at + 4) as usize;
            assert_eq!(length % 4, 0, "sections are padded");
            sections.push((u16_at(data, at), u16_at(data, at + 2), data[at + 8..at + 8 + length].to_vec()));
            at += 8 + length;
        }
        assert_eq!(at, data.len(), "sections end with the frame");
        Frame {
            seq: u32_at(data, 4),
            time: f64_at(data, 8),
            page_t: f64_at(data, 16),
            input_seq: u32_at(data, 24),
            step: u32_at(data, 28),
            sections,
        }
    }

    /// A section of that number and index.
    pub fn section(&self, section: u16, index: u16) -> Option<&[u8]> {
        self.sections.iter().find(|s| (s.0, s.1) == (section, index)).map(|s| s.2.as_slice())
    }

    /// Height of an object.
    pub fn height(&self, object: usize) -> f64 {
        f32_at(self.section(4, 0).expect("objects"), 28 * object + 4)
    }
}

/// What came.
#[derive(Clone, Debug)]
pub enum Heard {
    Words(Value),
    Frame(Frame),
    /// What, index, the whole message.
    Mesh(u16, u16, Vec<u8>),
}

/// A page.
pub struct Page {
    socket: WebSocket<TcpStream>,
    pub scene: Value,
    /// Words that were passed over.
    kept: VecDeque<Value>,
}

/// Connects without saying hello.
pub fn connect(port: u16, origin: Option<&str>) -> Result<WebSocket<TcpStream>, Box<tungstenite::Error>> {
    let stream = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    // Like a browser: small messages do not wait for the acknowledgement of those before.
    stream.set_nodelay(true).unwrap();
    let mut request = format!("ws://localhost:{port}/live").into_client_request().unwrap();
    if let Some(origin) = origin {
        request.headers_mut().insert("origin", origin.parse().unwrap());
    }
    match tungstenite::client(request, stream) {
        Ok((socket, _)) => Ok(socket),
        Err(tungstenite::HandshakeError::Failure(error)) => Err(Box::new(error)),
        Err(tungstenite::HandshakeError::Interrupted(_)) => panic!("the handshake took too long"),
    }
}

impl Page {
    /// A page that has said hello.
    pub fn open(studio: &Studio, renderer: &str) -> Page {
        let socket = connect(port(studio), None).expect("the studio lets it in");
        let mut page = Page { socket, scene: Value::Null, kept: VecDeque::new() };
        page.say(&json!({"type": "hello", "protocol": 1, "renderer": renderer}));
        page
    }

    pub fn say(&mut self, message: &Value) {
        self.say_raw(Message::text(message.to_string()));
    }

    pub fn say_raw(&mut self, message: Message) {
        self.socket.send(message).expect("the studio listens");
    }

    /// The next message; frames are acknowledged.
    pub fn hear(&mut self) -> Heard {
        loop {
            match self.socket.read().expect("the studio answers") {
                Message::Text(text) => {
                    let words: Value = serde_json::from_str(&text).expect("JSON");
                    if words["type"] == "scene" {
                        self.scene = words.clone();
                    }
                    return Heard::Words(words);
                }
                Message::Binary(data) if data[0] == 1 => {
                    let frame = Frame::read(&data);
                    self.say(&json!({"type": "ack", "seq": frame.seq}));
                    return Heard::Frame(frame);
                }
                Message::Binary(data) => return Heard::Mesh(u16_at(&data, 8), u16_at(&data, 10), data.to_vec()),
                _ => {}
            }
        }
    }

    /// The next frame; words before it are kept for `words`.
    pub fn frame(&mut self) -> Frame {
        loop {
            match self.hear() {
                Heard::Frame(frame) => return frame,
                Heard::Words(words) => self.kept.push_back(words),
                Heard::Mesh(..) => {}
            }
        }
    }

    /// The first words, from those kept on, that satisfy a condition.
    pub fn words(&mut self, kind: &str, mut wanted: impl FnMut(&Value) -> bool) -> Value {
        let mut fits = |words: &Value| words["type"] == kind && wanted(words);
        while let Some(words) = self.kept.pop_front() {
            if fits(&words) {
                return words;
            }
        }
        let start = Instant::now();
        let mut last = Value::Null;
        while start.elapsed() < PATIENCE {
            if let Heard::Words(words) = self.hear() {
                if fits(&words) {
                    return words;
                }
                if words["type"] == kind || words["type"] == "error" {
                    last = words;
                }
            }
        }
        panic!("waited in vain for `{kind}`; the last was {last}");
    }

    /// Frames until one satisfies a condition.
    pub fn frame_with(&mut self, what: &str, mut wanted: impl FnMut(&Frame) -> bool) -> Frame {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            let frame = self.frame();
            if wanted(&frame) {
                return frame;
            }
        }
        panic!("waited in vain for a frame: {what}");
    }

    /// Lets something drive the hands, and waits until it does.
    pub fn mode(&mut self, mode: &str) {
        self.say(&json!({"type": "mode", "value": mode}));
        self.words("state", |state| state["mode"] == mode);
    }

    /// Starts to record, and waits until it does.
    pub fn record(&mut self) {
        self.say(&json!({"type": "record", "on": true}));
        self.words("state", |state| state["recording"] == true);
    }

    /// Ends the recording: what the studio says of it.
    pub fn recorded(&mut self) -> Value {
        self.say(&json!({"type": "record", "on": false}));
        self.words("recorded", |_| true)
    }

    /// Uploads a recording, and waits until it drives the hands.
    pub fn replay(&mut self, name: &str, bytes: &[u8]) {
        self.say(&json!({"type": "load_recording", "name": name, "bytes": bytes.len()}));
        for piece in bytes.chunks(500_000) {
            let mut message = vec![16, 1, 0, 0, 0, 0, 0, 0];
            message.extend_from_slice(piece);
            self.say_raw(Message::binary(message));
        }
        self.words("state", |state| state["mode"] == "recording" && state["loading"].is_null());
    }

    /// Sets a switch or slider.
    pub fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.say(&json!({"type": "set", "key": key, "value": value.into()}));
    }

    /// Number of an object of the scene.
    pub fn object(&self, name: &str) -> usize {
        let objects = self.scene["objects"].as_array().expect("a scene");
        objects.iter().position(|object| object["name"] == name).expect(name)
    }
}

/// What a studio answers to a request with these header lines.
pub fn get(port: u16, path: &str, headers: &str) -> Vec<u8> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
    let request = format!("GET {path} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("it listens");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    answer
}

/// The body of a successful answer.
pub fn body(port: u16, path: &str) -> Vec<u8> {
    let answer = get(port, path, &format!("Host: localhost:{port}\r\n"));
    assert!(
        answer.starts_with(b"HTTP/1.1 200"),
        "{path}: {}",
        String::from_utf8_lossy(&answer[..answer.len().min(300)])
    );
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n").expect("headers end") + 4;
    answer[end..].to_vec()
}
