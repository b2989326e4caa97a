//! Ctrl+C and SIGTERM: the first asks for an end, so that files are finished; the second kills.

use crate::error::Error;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Exit code of a run that was stopped, as shells know it: 128 and the number of SIGINT.
pub const EXIT_CODE: u8 = 130;

/// Knows whether somebody asked for an end.
#[derive(Clone)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Takes the signals over from the system.
    pub fn listen() -> Result<Interrupt, Error> {
        let asked = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // In this order: the first signal finds the flag down, the second finds it up and ends the process.
            signal_hook::flag::register_conditional_shutdown(signal, i32::from(EXIT_CODE), Arc::clone(&asked))
                .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&asked)))
                .map_err(Error::Signals)?;
        }
        Ok(Interrupt(asked))
    }

    /// True from the first signal on.
    pub fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
