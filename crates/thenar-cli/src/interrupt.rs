//! Ctrl+C and SIGTERM: while there is nothing to finish they end the process; from then on the first asks for an end, so that files are
//! finished, and the second kills.

use crate::error::Error;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Exit code of a run that was stopped, as shells know it: 128 and the number of SIGINT.
pub const EXIT_CODE: u8 = 130;

/// Knows whether somebody asked for an end.
#[derive(Clone)]
pub struct Interrupt {
    asked: Arc<AtomicBool>,
    at_once: Arc<AtomicBool>,
}

impl Interrupt {
    /// Takes the signals over from the system; each ends the process, until [`Interrupt::finish_first`].
    pub fn listen() -> Result<Interrupt, Error> {
        let [asked, at_once] = [false, true].map(|flag| Arc::new(AtomicBool::new(flag)));
        let ends = |signal, flag: &Arc<AtomicBool>| {
            signal_hook::flag::register_conditional_shutdown(signal, i32::from(EXIT_CODE), Arc::clone(flag))
        };
        for signal in [SIGINT, SIGTERM] {
            // In this order: the first signal finds the flag down, the second finds it up and ends the process.
            ends(signal, &at_once)
                .and_then(|_| ends(signal, &asked))
                .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&asked)))
                .map_err(Error::Signals)?;
        }
        Ok(Interrupt { asked, at_once })
    }

    /// There are files, or pages, to finish from now on: the first signal only asks for it.
    pub fn finish_first(&self) {
        self.at_once.store(false, Ordering::Relaxed);
    }

    /// True from the first signal on.
    pub fn asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }
}
