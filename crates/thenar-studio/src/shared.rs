//! What the simulation's thread and the server's share.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::shelf::Shelf;
use crate::viewers::Viewers;
use crate::wire::{Loading, Mode, Options, State};

/// Counted for `/health`.
#[derive(Debug, Default)]
pub struct Counts {
    /// Messages that could not be understood.
    pub malformed: AtomicU64,
    /// Messages beyond the rate that is allowed.
    pub hasty: AtomicU64,
    /// Requests without the right to make them.
    pub refused: AtomicU64,
}

impl Counts {
    pub fn add(counter: &AtomicU64) {
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

/// Seen by both threads.
pub struct Shared {
    viewers: Mutex<Viewers>,
    options: Mutex<Options>,
    state: Mutex<State>,
    recordings: Mutex<Shelf>,
    pub counts: Counts,
}

/// A panic elsewhere leaves what is here as it was, which is good enough.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Default for Shared {
    fn default() -> Self {
        let state = State {
            scene: 0,
            playing: true,
            speed: 1.0,
            time: 0.0,
            mode: Mode::Script,
            recording: false,
            replayable: false,
            troubles: Vec::new(),
            controller: false,
            viewers: 0,
            realtime: 0.0,
            steps_per_s: 0.0,
            checks: None,
            loading: Some(Loading { what: "starting".to_owned(), share: None }),
        };
        Shared {
            viewers: Mutex::default(),
            options: Mutex::new(Options { switches: Vec::new(), sliders: Vec::new() }),
            state: Mutex::new(state),
            recordings: Mutex::default(),
            counts: Counts::default(),
        }
    }
}

impl Shared {
    pub fn viewers(&self) -> MutexGuard<'_, Viewers> {
        lock(&self.viewers)
    }

    pub fn options(&self) -> MutexGuard<'_, Options> {
        lock(&self.options)
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    pub fn recordings(&self) -> MutexGuard<'_, Shelf> {
        lock(&self.recordings)
    }

    /// Sends every viewer how it goes.
    pub fn tell_state(&self) {
        let state = self.state().clone();
        self.viewers().tell_state(&state);
    }
}
