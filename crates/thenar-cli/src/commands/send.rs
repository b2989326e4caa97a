//! `thenar send`: replays a recording as the live stream of a tracker.

use super::run::offset;
use crate::error::Error;
use crate::output;
use serde::Serialize;
use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};
use thenar::hand::Side;
use thenar_devices::{Endpoint, HandMessage, Sender};
use thenar_scene::trackers::{TrackRecording, read_recording};

/// Send a tracker's recording over the network, as if it were tracked now
///
/// Every hand of every frame is one JSON message, at the time of the frame. Whoever listens (`thenar run --listen`) sees a
/// live tracker.
#[derive(clap::Args)]
#[command(
    allow_negative_numbers = true,
    after_help = "\
Examples:
  thenar run press --listen udp:9870 --seconds 60     in one terminal
  thenar send session.json --to udp:9870              in another
  thenar send session.json --to ws:9871 --times 10 --speed 0.5"
)]
pub struct Arguments {
    /// handrec-1, WebXR, Leap Motion, MediaPipe, glove table or MCAP
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Who listens: a port of this machine, or ADDRESS:PORT
    #[arg(long, value_name = "udp:PORT|ws:PORT")]
    to: Endpoint,

    /// How often to send the whole recording
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    times: u32,

    /// How much faster than it was recorded
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    speed: f64,

    /// Move the recording by this many metres, so that it meets the scene
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    offset: Option<String>,

    /// Print the figures as one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct SendResult {
    to: String,
    messages: u64,
    seconds: f64,
}

/// Sends everything.
pub fn run(arguments: &Arguments) -> Result<(), Error> {
    if !(0.01..=100.0).contains(&arguments.speed) {
        return Err(Error::input(format!("--speed {}: expected a factor between 0.01 and 100", arguments.speed)));
    }
    let moved = arguments.offset.as_ref().map(|text| offset("--offset", text)).transpose()?;
    let path = &arguments.file;
    let bytes = fs::read(path).map_err(Error::read(path))?;
    let mut recording = read_recording(&bytes, &path.to_string_lossy()).map_err(Error::input)?;
    drop(bytes);
    if let Some(moved) = moved {
        recording = recording.moved(moved);
    }
    let mut stream = Stream::open(&arguments.to)?;
    let start = Instant::now();
    for _ in 0..arguments.times {
        stream.play(&recording, arguments.speed)?;
    }
    let (to, messages) = (arguments.to.to_string(), stream.seq);
    let result = SendResult { to, messages, seconds: start.elapsed().as_secs_f64() };
    stream.sender.close();
    if arguments.json { output::print_json(&result) } else { output::print_text(&result.to_string()) }
}

/// A sender and what it has sent.
struct Stream {
    sender: Sender,
    session: u64,
    seq: u64,
}

impl Stream {
    fn open(to: &Endpoint) -> Result<Stream, Error> {
        let sender = Sender::connect(to).map_err(Error::input)?;
        // Another number for every run, so that receivers do not take its first messages for old ones.
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        Ok(Stream { sender, session: now.map_or(0, |since| since.as_millis() as u64), seq: 0 })
    }

    fn play(&mut self, recording: &TrackRecording, speed: f64) -> Result<(), Error> {
        let start = Instant::now();
        for frame in &recording.frames {
            let due = start + Duration::from_secs_f64(frame.time / speed);
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            for side in [Side::Left, Side::Right] {
                let Some(hand) = frame.hand(side) else { continue };
                self.seq += 1;
                let message = HandMessage { session: self.session, seq: self.seq, frame: hand.clone() };
                self.sender.send(&message).map_err(Error::input)?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for SendResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} messages to {} in {:.1} s", self.messages, self.to, self.seconds)
    }
}
