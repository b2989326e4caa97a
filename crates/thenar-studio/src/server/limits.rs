//! How much a page may say.

use std::time::{Duration, Instant};

/// Text messages, bytes.
pub const LONGEST_TEXT: usize = 256 << 10;
/// Binary messages, bytes: a piece of a recording with its header.
pub const LONGEST_BINARY: usize = (1 << 20) + crate::wire::HEADER;
/// An uploaded recording, bytes.
pub const LONGEST_UPLOAD: usize = 64 << 20;
/// Pages at the same time.
pub const MOST_VIEWERS: usize = 16;
/// Connections at the same time, live ones aside: a page asks for its files over six.
pub const MOST_CONNECTIONS: usize = 128;
/// Live connections at the same time, those included that have not said hello.
pub const MOST_LIVE: usize = 2 * MOST_VIEWERS;
/// Longest that the head of a request may take, and that a connection may wait for its next request.
pub const HEAD: Duration = Duration::from_secs(5);
/// Messages that cannot be understood, until a connection is closed.
pub const MOST_MALFORMED: u32 = 200;

/// Messages per second that a page may send for long, and at once.
const RATE: f64 = 1000.0;
const BURST: f64 = 2000.0;

/// A bucket of tokens: each message takes one, time brings them back.
pub struct Allowance {
    tokens: f64,
    last: Instant,
}

impl Allowance {
    pub fn new() -> Allowance {
        Allowance { tokens: BURST, last: Instant::now() }
    }

    /// True if one more message is allowed now.
    pub fn take(&mut self) -> bool {
        self.take_at(Instant::now())
    }

    fn take_at(&mut self, now: Instant) -> bool {
        let passed = now.saturating_duration_since(self.last).as_secs_f64();
        self.last = now;
        self.tokens = (self.tokens + passed * RATE).min(BURST);
        let enough = self.tokens >= 1.0;
        if enough {
            self.tokens -= 1.0;
        }
        enough
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_allowed_and_then_the_rate() {
        let mut allowance = Allowance::new();
        let start = allowance.last;
        let taken = (0..5000).filter(|_| allowance.take_at(start)).count();
        assert_eq!(taken, BURST as usize);
        let later = (0..5000).filter(|_| allowance.take_at(start + Duration::from_millis(100))).count();
        assert_eq!(later, 100);
    }
}
