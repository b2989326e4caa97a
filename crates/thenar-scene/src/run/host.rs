//! What a run gets from the machine that it runs on.

use std::sync::Arc;

use thenar::world::{Clock, World};

use crate::executor::ThreadPool;

/// A clock and threads; neither changes what comes of a run.
#[derive(Clone, Copy, Debug)]
pub struct Host {
    /// For the times of the steps.
    pub clock: Option<Clock>,
    /// Threads that the engine may use.
    pub threads: usize,
}

impl Default for Host {
    /// No clock, one thread.
    fn default() -> Self {
        Host { clock: None, threads: 1 }
    }
}

impl Host {
    /// Lends clock and threads to a world.
    pub fn lend(&self, world: &mut World) {
        if let Some(clock) = self.clock {
            world.set_clock(clock);
        }
        if self.threads > 1 {
            world.set_executor(Arc::new(ThreadPool::new(self.threads)));
        }
    }
}
