//! Which messages are let through.

use std::time::{Duration, Instant};

use thenar::hand::Side;

use crate::message::HandMessage;

/// Bounds on what is received.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Longest message, bytes. A whole hand with long numbers has about 6000.
    pub message_bytes: usize,
    /// Messages per second of all senders together; as many may come at once after a second of silence.
    pub messages_per_second: f64,
    /// WebSocket connections at the same time.
    pub connections: usize,
    /// A WebSocket that says nothing for this long is closed.
    pub silence: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { message_bytes: 16 << 10, messages_per_second: 500.0, connections: 4, silence: Duration::from_secs(30) }
    }
}

/// What became of the messages so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Used.
    pub accepted: u64,
    /// Not understood, or too long.
    pub refused: u64,
    /// Late or doubled.
    pub old: u64,
    /// Beyond the rate.
    pub excess: u64,
    /// Not messages: WebSocket connections beyond those allowed at the same time.
    pub turned_away: u64,
}

impl Counts {
    /// Messages that arrived, whatever became of them.
    #[must_use]
    pub fn messages(&self) -> u64 {
        self.accepted + self.refused + self.old + self.excess
    }
}

/// Decides message by message, in the order of arrival.
#[derive(Debug)]
pub(crate) struct Gate {
    limits: Limits,
    tokens: f64,
    refilled: Instant,
    last: [Option<(u64, u64)>; 2],
}

impl Gate {
    pub fn new(limits: Limits, now: Instant) -> Gate {
        Gate { limits, tokens: limits.messages_per_second, refilled: now, last: [None; 2] }
    }

    /// True if the rate allows another message. Asked before a message is looked at, so that floods stay cheap.
    pub fn within_rate(&mut self, now: Instant) -> bool {
        let rate = self.limits.messages_per_second;
        self.tokens = (self.tokens + rate * now.saturating_duration_since(self.refilled).as_secs_f64()).min(rate);
        self.refilled = now;
        let allowed = self.tokens >= 1.0;
        if allowed {
            self.tokens -= 1.0;
        }
        allowed
    }

    /// True if the message is newer than all before it of its hand and session. A session other than the last begins anew.
    pub fn is_new(&mut self, message: &HandMessage) -> bool {
        let last = &mut self.last[usize::from(message.frame.side == Side::Right)];
        let old = last.is_some_and(|(session, seq)| session == message.session && message.seq <= seq);
        if !old {
            *last = Some((message.session, message.seq));
        }
        !old
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thenar::hand::JointSet;
    use thenar::tracking::TrackerFrame;

    fn message(side: Side, session: u64, seq: u64) -> HandMessage {
        HandMessage { session, seq, frame: TrackerFrame { side, joints: JointSet::default() } }
    }

    #[test]
    fn old_numbers_are_dropped_by_hand_and_session() {
        let mut gate = Gate::new(Limits::default(), Instant::now());
        let mut new = |side, session, seq| gate.is_new(&message(side, session, seq));
        assert!(new(Side::Left, 1, 5) && !new(Side::Left, 1, 5) && !new(Side::Left, 1, 4) && new(Side::Left, 1, 9));
        assert!(new(Side::Right, 1, 2), "hands count apart");
        assert!(new(Side::Left, 2, 0) && !new(Side::Left, 2, 0), "a new session begins anew");
    }

    #[test]
    fn the_rate_refills_with_time() {
        let start = Instant::now();
        let mut gate = Gate::new(Limits { messages_per_second: 10.0, ..Limits::default() }, start);
        let mut passed = |at: u64| (0..100).filter(|_| gate.within_rate(start + Duration::from_millis(at))).count();
        assert_eq!((passed(0), passed(0), passed(510), passed(100_000)), (10, 0, 5, 10));
    }
}
