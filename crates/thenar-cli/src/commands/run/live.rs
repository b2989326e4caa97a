//! Hands of a scene that move as a tracker sees them now.

use crate::error::Error;
use std::time::{Duration, Instant};
use thenar_devices::{Counts, Endpoint, Limits, Receiver};
use thenar_scene::run::Simulation;
use thenar_scene::scene::Scene;

/// A tracker that sends over the network instead of the scene's motion.
#[derive(clap::Args)]
pub struct LiveOptions {
    /// Move the hands as a tracker sends them, in real time: a port of this machine, or ADDRESS:PORT to let others send
    #[arg(long, value_name = "udp:PORT|ws:PORT", conflicts_with_all = ["recording", "film"])]
    pub listen: Option<Endpoint>,
}

/// A receiver, and when the scene started.
pub struct Live {
    receiver: Receiver,
    place: String,
    start: Instant,
}

impl LiveOptions {
    /// Takes the port, if asked to: one that is taken is told before anything is built.
    pub fn open(&self) -> Result<Option<Live>, Error> {
        let Some(endpoint) = &self.listen else { return Ok(None) };
        let receiver = Receiver::listen(endpoint, Limits::default()).map_err(Error::input)?;
        let place = format!("{}:{}", endpoint.transport.name(), receiver.address());
        Ok(Some(Live { receiver, place, start: Instant::now() }))
    }
}

impl Live {
    /// Lets the tracker drive every hand of the scene from now on, and says where it is listened to.
    pub fn drive(&mut self, simulation: &mut Simulation, scene: &Scene) {
        eprintln!("listening for hands at {}", self.place);
        for (index, hand) in scene.hands.iter().enumerate() {
            simulation.drive(index, Box::new(self.receiver.hand(hand.side.into())));
        }
        self.start = Instant::now();
    }

    /// Waits until the simulated time has come.
    pub fn pace(&self, simulation: &Simulation) {
        let due = self.start + Duration::from_secs_f64(simulation.time());
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
    }

    /// What became of the messages.
    pub fn counts(&self) -> Counts {
        self.receiver.counts()
    }
}
