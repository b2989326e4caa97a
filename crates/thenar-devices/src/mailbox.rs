//! Where receivers put hands and simulations take them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use thenar::hand::{Side, Skeleton};
use thenar::tracking::TrackerFrame;
use thenar_scene::run::FrameSource;
use thenar_scene::trackers::retargeted;

use crate::gate::{Counts, Gate, Limits};
use crate::message::read_message;

/// The newest frame of each hand.
#[derive(Clone, Debug)]
pub(crate) struct Mailbox(Arc<Mutex<Inner>>);

#[derive(Debug)]
struct Inner {
    gate: Gate,
    limits: Limits,
    counts: Counts,
    /// Number and content of the newest frame, by side.
    newest: [(u64, Option<TrackerFrame>); 2],
}

fn slot(side: Side) -> usize {
    usize::from(side == Side::Right)
}

impl Mailbox {
    pub fn new(limits: Limits) -> Mailbox {
        let gate = Gate::new(limits, Instant::now());
        let inner = Inner { gate, limits, counts: Counts::default(), newest: [(0, None), (0, None)] };
        Mailbox(Arc::new(Mutex::new(inner)))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a message as it came from the network.
    pub fn deliver(&self, bytes: &[u8]) {
        let mut inner = self.lock();
        if !inner.gate.within_rate(Instant::now()) {
            inner.counts.excess += 1;
            return;
        }
        match read_message(bytes, inner.limits.message_bytes) {
            Err(_) => inner.counts.refused += 1,
            Ok(message) if !inner.gate.is_new(&message) => inner.counts.old += 1,
            Ok(message) => {
                inner.counts.accepted += 1;
                let newest = &mut inner.newest[slot(message.frame.side)];
                *newest = (newest.0 + 1, Some(message.frame));
            }
        }
    }

    /// Counts something that was too long to be received at all.
    pub fn refuse(&self) {
        self.lock().counts.refused += 1;
    }

    /// Counts a connection that was one too many.
    pub fn turn_away(&self) {
        self.lock().counts.turned_away += 1;
    }

    pub fn counts(&self) -> Counts {
        self.lock().counts
    }

    pub fn hand(&self, side: Side) -> LiveHand {
        LiveHand { mailbox: self.clone(), side, seen: 0 }
    }
}

/// The frames of one hand as they arrive, for a simulation.
#[derive(Clone, Debug)]
pub struct LiveHand {
    mailbox: Mailbox,
    side: Side,
    seen: u64,
}

impl LiveHand {
    /// The newest frame, if it has not been taken yet.
    pub fn take(&mut self) -> Option<TrackerFrame> {
        let inner = self.mailbox.lock();
        let (number, frame) = &inner.newest[slot(self.side)];
        if *number == self.seen {
            return None;
        }
        self.seen = *number;
        frame.clone()
    }
}

impl FrameSource for LiveHand {
    fn frame(&mut self, _step: u64, _time: f64, skeleton: &Skeleton) -> Option<TrackerFrame> {
        self.take().map(|frame| retargeted(&frame, skeleton))
    }
}
