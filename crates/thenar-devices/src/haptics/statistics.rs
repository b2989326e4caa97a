//! What a haptic loop says about itself; recorded in the tick without allocating.

use std::fmt;

/// Counts of times in steps of a width, the last bin holding all that is longer.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    /// Of a bin, seconds.
    pub width: f64,
    /// How many fell into each.
    pub bins: Vec<u64>,
    count: u64,
    most: f64,
}

impl Histogram {
    /// That many bins of that width.
    #[must_use]
    pub fn new(width: f64, bins: usize) -> Self {
        Self { width, bins: vec![0; bins.max(1)], count: 0, most: 0.0 }
    }

    /// Counts one.
    pub fn add(&mut self, seconds: f64) {
        let bin = ((seconds / self.width).max(0.0) as usize).min(self.bins.len() - 1);
        self.bins[bin] += 1;
        self.count += 1;
        self.most = self.most.max(seconds);
    }

    /// The longest, seconds.
    #[must_use]
    pub fn most(&self) -> f64 {
        self.most
    }

    /// Under which that share of all fell, seconds, to the width of a bin.
    #[must_use]
    pub fn quantile(&self, share: f64) -> f64 {
        let wanted = (share * self.count as f64).ceil() as u64;
        let mut sum = 0;
        for (bin, count) in self.bins.iter().enumerate() {
            sum += count;
            if sum >= wanted && sum > 0 {
                let last = bin + 1 == self.bins.len();
                return if last { self.most } else { ((bin + 1) as f64 * self.width).min(self.most) };
            }
        }
        0.0
    }
}

/// A tick that starts later than this after its time is late, seconds.
pub const LATE: f64 = 0.3e-3;

/// Of a loop since its start.
#[derive(Clone, Debug)]
pub struct LoopStatistics {
    /// Ticks so far.
    pub ticks: u64,
    /// Seconds from the first tick to the last.
    pub seconds: f64,
    /// Ticks that began more than 0.3 ms after their time.
    pub late: u64,
    /// Ticks that were left out because one took longer than a period.
    pub skipped: u64,
    /// How long after their time ticks began.
    pub lateness: Histogram,
    /// How long they took to compute, reading and writing the device included.
    pub compute: Histogram,
    /// How long the model was read ahead of a tick, while its time had not come: work of the loop that delays nothing, beside `compute`.
    pub ahead: Histogram,
    /// Models taken.
    pub models: u64,
    /// Ticks whose model was later than believed without doubt.
    pub doubted: u64,
    /// True once a device has spoken.
    pub found: bool,
    /// Times that the device stalled or was lost.
    pub lost: u64,
    /// Sum of squares and most of the force on the user, N.
    force_squares: f64,
    /// Largest force on the user, N.
    pub force_most: f64,
    /// Largest torque on the user, N·m.
    pub torque_most: f64,
    /// Largest torque on a joint of a gloved hand, N·m.
    pub joint_torque_most: f64,
    /// Lowest that the passivity observer saw, J.
    pub energy_lowest: f64,
    /// What the passivity controller took, J.
    pub energy_taken: f64,
    /// True if the system gave the thread a real-time priority.
    pub realtime: bool,
}

impl Default for LoopStatistics {
    fn default() -> Self {
        Self {
            ticks: 0,
            seconds: 0.0,
            late: 0,
            skipped: 0,
            lateness: Histogram::new(10e-6, 200),
            compute: Histogram::new(0.25e-6, 400),
            ahead: Histogram::new(0.25e-6, 400),
            models: 0,
            doubted: 0,
            found: false,
            lost: 0,
            force_squares: 0.0,
            force_most: 0.0,
            torque_most: 0.0,
            joint_torque_most: 0.0,
            energy_lowest: 0.0,
            energy_taken: 0.0,
            realtime: false,
        }
    }
}

impl LoopStatistics {
    /// Counts what a handle's user felt in a tick.
    pub(super) fn feel(&mut self, wrench: &[f64]) {
        let size = |part: &[f64]| part.iter().map(|x| x * x).sum::<f64>();
        let (force, torque) = (size(&wrench[..3]), size(&wrench[3..6]));
        self.force_squares += force;
        self.force_most = self.force_most.max(force.sqrt());
        self.torque_most = self.torque_most.max(torque.sqrt());
    }

    /// Ticks per second.
    #[must_use]
    pub fn rate(&self) -> f64 {
        if self.seconds > 0.0 { self.ticks.saturating_sub(1) as f64 / self.seconds } else { 0.0 }
    }

    /// Share of ticks that were late.
    #[must_use]
    pub fn late_fraction(&self) -> f64 {
        self.late as f64 / self.ticks.max(1) as f64
    }

    /// Root of the mean square of the force on the user, N.
    #[must_use]
    pub fn force_rms(&self) -> f64 {
        (self.force_squares / self.ticks.max(1) as f64).sqrt()
    }

    /// Copies into another without allocating: both have the same number of bins.
    pub(super) fn copy_to(&self, other: &mut Self) {
        let late = std::mem::take(&mut other.lateness.bins);
        let compute = std::mem::take(&mut other.compute.bins);
        let ahead = std::mem::take(&mut other.ahead.bins);
        let copied = |mut bins: Vec<u64>, from: &Histogram| {
            bins.copy_from_slice(&from.bins);
            Histogram { bins, ..*from }
        };
        *other = Self {
            lateness: copied(late, &self.lateness),
            compute: copied(compute, &self.compute),
            ahead: copied(ahead, &self.ahead),
            ..*self
        };
    }
}

impl fmt::Display for LoopStatistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.found {
            write!(f, "NO DEVICE WAS EVER FOUND, nobody felt anything; ")?;
        }
        if self.models == 0 {
            write!(f, "NO MODEL EVER CAME, there was no force; ")?;
        }
        write!(
            f,
            "{:.1} ticks/s, {:.0} µs late (median), {:.0} µs (99.9 %), {:.3} % more than 0.3 ms late; {:.1} µs per tick (median), {:.1} µs (99.9 %); force {:.2} N (RMS), {:.2} N (most); energy never below {:.2} mJ, {:.1} mJ taken; {} models, {} ticks without trust; device lost {} times{}",
            self.rate(),
            1e6 * self.lateness.quantile(0.5),
            1e6 * self.lateness.quantile(0.999),
            100.0 * self.late_fraction(),
            1e6 * self.compute.quantile(0.5),
            1e6 * self.compute.quantile(0.999),
            self.force_rms(),
            self.force_most,
            1e3 * self.energy_lowest,
            1e3 * self.energy_taken,
            self.models,
            self.doubted,
            self.lost,
            if self.realtime { "; real-time priority" } else { "" }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_counts() {
        let mut histogram = Histogram::new(1.0, 10);
        (0..99).for_each(|_| histogram.add(2.5));
        histogram.add(40.0);
        assert_eq!((histogram.quantile(0.5), histogram.quantile(0.99), histogram.quantile(1.0)), (3.0, 3.0, 40.0));
        assert_eq!(Histogram::new(1.0, 3).quantile(0.5), 0.0);
    }

    #[test]
    fn a_loop_without_device_or_model_says_so_first() {
        let text = LoopStatistics::default().to_string();
        assert!(text.starts_with("NO DEVICE WAS EVER FOUND") && text.contains("NO MODEL EVER CAME"), "{text}");
        let text = LoopStatistics { found: true, models: 3, ..LoopStatistics::default() }.to_string();
        assert!(!text.contains("NO "), "{text}");
    }

    #[test]
    fn copies_are_equal() {
        let mut statistics = LoopStatistics { ticks: 7, lost: 2, ..LoopStatistics::default() };
        statistics.compute.add(3e-6);
        statistics.ahead.add(2e-6);
        statistics.feel(&[3.0, 4.0, 0.0, 0.0, 0.0, 0.1]);
        let mut copy = LoopStatistics::default();
        statistics.copy_to(&mut copy);
        assert_eq!(format!("{statistics:?}"), format!("{copy:?}"));
    }
}
