//! A driver on a thread of its own: the simulation leaves commands and goes on.

use super::{TactileCommand, TactileDriver};
use crate::error::DeviceError;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use thenar::hand::Side;

/// A device that is gone is looked for this often.
const RETRY: Duration = Duration::from_millis(500);

/// What became of the commands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkStatus {
    /// The device is there.
    pub connected: bool,
    /// How often it was found.
    pub found: u64,
    /// How often it was lost.
    pub lost: u64,
    /// Commands that were sent.
    pub sent: u64,
    /// Commands that were replaced by newer ones, or given while no device was there.
    pub dropped: u64,
    /// What the system said last about a device that is not there.
    pub trouble: Option<String>,
}

#[derive(Default)]
struct Inner {
    /// The newest command of each hand that was not sent yet.
    waiting: [Option<TactileCommand>; 2],
    status: LinkStatus,
    /// What a person should be told, in order.
    news: Vec<String>,
    closing: bool,
}

struct Shared {
    inner: Mutex<Inner>,
    awake: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A device and the thread that speaks with it. Dropping it ends the thread.
pub struct TactileLink {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    name: String,
}

impl TactileLink {
    /// Starts to look for the device and to send at most `rate` commands per second and hand.
    ///
    /// # Errors
    /// If no thread can be started. A device that is not there yet is no error: it is looked for.
    pub fn start(driver: Box<dyn TactileDriver>, rate: f64) -> Result<TactileLink, DeviceError> {
        let shared = Arc::new(Shared { inner: Mutex::default(), awake: Condvar::new() });
        let name = driver.name();
        let pause = Duration::from_secs_f64(1.0 / rate.clamp(1.0, 10_000.0));
        let own = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("tactile".to_owned()).spawn(move || work(driver, &own, pause));
        match thread {
            Ok(thread) => Ok(TactileLink { shared, thread: Some(thread), name }),
            Err(error) => Err(DeviceError::Thread { endpoint: name, error }),
        }
    }

    /// Leaves a command for the device. Never waits for it: a command that was not sent yet is replaced, but its events stay.
    pub fn send(&self, command: TactileCommand) {
        let mut inner = self.shared.lock();
        let slot = usize::from(command.side == Side::Right);
        let command = match inner.waiting[slot].take() {
            Some(missed) => {
                inner.status.dropped += 1;
                command.after(&missed)
            }
            None => command,
        };
        inner.waiting[slot] = Some(command);
        drop(inner);
        self.shared.awake.notify_one();
    }

    /// What became of the commands so far.
    #[must_use]
    pub fn status(&self) -> LinkStatus {
        self.shared.lock().status.clone()
    }

    /// What happened since the last call, as sentences.
    #[must_use]
    pub fn news(&self) -> Vec<String> {
        std::mem::take(&mut self.shared.lock().news)
    }

    /// What people call the place.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for TactileLink {
    fn drop(&mut self) {
        self.shared.lock().closing = true;
        self.shared.awake.notify_one();
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

fn work(mut driver: Box<dyn TactileDriver>, shared: &Shared, pause: Duration) {
    let name = driver.name();
    let mut next_look = Instant::now();
    loop {
        let connected = shared.lock().status.connected;
        if !connected && Instant::now() >= next_look {
            next_look = Instant::now() + RETRY;
            let found = driver.connect();
            let mut inner = shared.lock();
            match found {
                Ok(()) => {
                    inner.status.connected = true;
                    inner.status.found += 1;
                    inner.status.trouble = None;
                    inner.news.push(format!("{name}: connected"));
                }
                Err(error) => {
                    // told once, not twice a second
                    if inner.status.trouble.is_none() {
                        inner.news.push(format!("{name}: {error}; looking for it again every half second"));
                    }
                    inner.status.trouble = Some(error.to_string());
                }
            }
        }
        let mut inner = shared.lock();
        if inner.closing && (!inner.status.connected || inner.waiting.iter().all(Option::is_none)) {
            return;
        }
        if !inner.status.connected || inner.waiting.iter().all(Option::is_none) {
            let waited = shared.awake.wait_timeout(inner, RETRY.min(pause.max(Duration::from_millis(20))));
            drop(waited.unwrap_or_else(PoisonError::into_inner));
            continue;
        }
        let commands = std::mem::take(&mut inner.waiting);
        drop(inner);
        let began = Instant::now();
        for command in commands.into_iter().flatten() {
            let sent = driver.send(&command);
            let mut inner = shared.lock();
            match sent {
                Ok(()) => inner.status.sent += 1,
                Err(error) => {
                    inner.status.dropped += 1;
                    if inner.status.connected {
                        inner.status.connected = false;
                        inner.status.lost += 1;
                        inner.status.trouble = Some(error.to_string());
                        inner.news.push(format!("{name}: lost ({error}); looking for it again every half second"));
                    }
                }
            }
        }
        std::thread::sleep(pause.saturating_sub(began.elapsed()));
    }
}
