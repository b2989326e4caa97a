//! Hands of a scene that move as a tracker sees them now.

use crate::error::Error;
use std::time::{Duration, Instant};
use thenar::hand::Side;
use thenar_devices::{Counts, Limits, LiveHand, UdpTracker, WebSocketTracker};
use thenar_scene::run::Simulation;
use thenar_scene::scene::Scene;

/// A tracker that sends over the network instead of the scene's motion.
#[derive(clap::Args)]
pub struct LiveOptions {
    /// Move the hands as a tracker sends them, in real time: a port of this machine, or ADDRESS:PORT to let others send
    #[arg(long, value_name = "udp:PORT|ws:PORT", conflicts_with_all = ["recording", "film"])]
    pub listen: Option<String>,
}

/// Who listens.
enum Receiver {
    Udp(UdpTracker),
    WebSocket(WebSocketTracker),
}

/// A receiver, and when the scene started.
pub struct Live {
    receiver: Receiver,
    start: Instant,
}

impl LiveOptions {
    /// Starts to listen, if asked to.
    pub fn open(&self) -> Result<Option<Live>, Error> {
        let Some(text) = &self.listen else { return Ok(None) };
        let Some((kind, place)) = text.split_once(':') else { return Err(expected(text)) };
        let address = match place.parse::<u16>() {
            Ok(port) => format!("127.0.0.1:{port}"),
            Err(_) => place.to_owned(),
        };
        let (receiver, bound) = match kind {
            "udp" => {
                let tracker = UdpTracker::bind(&address, Limits::default()).map_err(Error::input)?;
                let bound = tracker.address();
                (Receiver::Udp(tracker), bound)
            }
            "ws" => {
                let tracker = WebSocketTracker::bind(&address, Limits::default()).map_err(Error::input)?;
                let bound = tracker.address();
                (Receiver::WebSocket(tracker), bound)
            }
            _ => return Err(expected(text)),
        };
        eprintln!("listening for hands at {kind}:{bound}");
        Ok(Some(Live { receiver, start: Instant::now() }))
    }
}

fn expected(text: &str) -> Error {
    Error::input(format!("--listen {text}: expected udp:PORT or ws:PORT, such as udp:9870"))
}

impl Live {
    /// Lets the tracker drive every hand of the scene from now on.
    pub fn drive(&mut self, simulation: &mut Simulation, scene: &Scene) {
        for (index, hand) in scene.hands.iter().enumerate() {
            simulation.drive(index, Box::new(self.hand(hand.side.into())));
        }
        self.start = Instant::now();
    }

    fn hand(&self, side: Side) -> LiveHand {
        match &self.receiver {
            Receiver::Udp(tracker) => tracker.hand(side),
            Receiver::WebSocket(tracker) => tracker.hand(side),
        }
    }

    /// Waits until the simulated time has come.
    pub fn pace(&self, simulation: &Simulation) {
        let due = self.start + Duration::from_secs_f64(simulation.time());
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
    }

    /// What became of the messages.
    pub fn counts(&self) -> Counts {
        match &self.receiver {
            Receiver::Udp(tracker) => tracker.counts(),
            Receiver::WebSocket(tracker) => tracker.counts(),
        }
    }
}
