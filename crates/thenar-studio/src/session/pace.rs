//! Simulated time beside real time.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Real time that a slow simulation may catch up, seconds; what is older is given up, and time goes slower.
const MOST_OWED: f64 = 0.05;
/// Real time over which rates are measured.
const WINDOW: Duration = Duration::from_secs(1);

/// Says when to step.
pub struct Pace {
    /// Simulated over real time.
    pub speed: f64,
    owed: f64,
    last: Instant,
    steps: VecDeque<Instant>,
}

impl Pace {
    pub fn new() -> Pace {
        Pace { speed: 1.0, owed: 0.0, last: Instant::now(), steps: VecDeque::new() }
    }

    /// Forgets what is owed: after a pause, or while nothing could be simulated.
    pub fn restart(&mut self) {
        self.owed = 0.0;
        self.last = Instant::now();
        self.steps.clear();
    }

    /// True if a step of `dt` simulated seconds is due. New input may be a step ahead of real time, so that it need not wait.
    pub fn is_due(&mut self, dt: f64, fresh_input: bool) -> bool {
        self.count(Instant::now());
        self.owed >= if fresh_input { 0.0 } else { dt }
    }

    fn count(&mut self, now: Instant) {
        self.owed += now.saturating_duration_since(self.last).as_secs_f64() * self.speed;
        self.owed = self.owed.min(MOST_OWED * self.speed);
        self.last = now;
    }

    /// A step was made.
    pub fn stepped(&mut self, dt: f64) {
        self.owed -= dt;
        self.steps.push_back(Instant::now());
    }

    /// Real time until a step is due.
    pub fn wait(&self, dt: f64) -> Duration {
        Duration::from_secs_f64(((dt - self.owed) / self.speed).clamp(0.0, 1.0))
    }

    /// Steps per second of real time, lately.
    pub fn steps_per_second(&mut self) -> f64 {
        let now = Instant::now();
        while self.steps.front().is_some_and(|first| now.saturating_duration_since(*first) > WINDOW) {
            self.steps.pop_front();
        }
        let Some(first) = self.steps.front() else { return 0.0 };
        let span = now.saturating_duration_since(*first).as_secs_f64();
        // Just after a start the window is short.
        if span < 0.05 { 0.0 } else { self.steps.len() as f64 / span }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_that_cannot_be_caught_up_is_given_up() {
        let mut pace = Pace::new();
        let start = pace.last;
        pace.count(start + Duration::from_millis(10));
        assert!((pace.owed - 0.010).abs() < 1e-9);
        pace.count(start + Duration::from_secs(10));
        assert_eq!(pace.owed, MOST_OWED);
        pace.speed = 0.5;
        pace.count(start + Duration::from_secs(11));
        assert_eq!(pace.owed, 0.5 * MOST_OWED);
    }

    #[test]
    fn new_input_is_at_most_one_step_ahead() {
        let mut pace = Pace::new();
        // The clock of this test stands in the future, so that nothing is added.
        pace.last = Instant::now() + Duration::from_secs(3600);
        let far = pace.last;
        assert!(pace.is_due(0.004, true));
        pace.last = far;
        pace.stepped(0.004);
        assert!(!pace.is_due(0.004, true));
    }
}
