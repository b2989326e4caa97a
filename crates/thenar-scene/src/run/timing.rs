//! How long steps took.

use thenar::world::{Stage, StepReport};

/// Collects the stage times of steps, if a clock was set.
#[derive(Clone, Debug, Default)]
pub struct Timing {
    totals: Vec<u64>,
    stages: [Vec<u64>; Stage::ALL.len()],
    contacts: Vec<u32>,
    iterations: Vec<u32>,
}

/// Figures over all steps collected.
#[derive(Clone, Debug, PartialEq)]
pub struct TimingSummary {
    /// Number of steps.
    pub steps: usize,
    /// Median time of a step, ms.
    pub median_ms: f64,
    /// Time that 99 of 100 steps stay under, ms.
    pub p99_ms: f64,
    /// The slowest step, ms.
    pub worst_ms: f64,
    /// Median time of each stage, ms, with its name.
    pub stages: Vec<(&'static str, f64)>,
    /// Median number of skin points in contact.
    pub contacts_median: f64,
    /// Median number of iterations of the linear solver.
    pub iterations_median: f64,
}

impl Timing {
    /// Adds a step.
    pub fn add(&mut self, report: &StepReport) {
        self.totals.push(report.stage_ns.iter().sum());
        for (times, ns) in self.stages.iter_mut().zip(report.stage_ns) {
            times.push(ns);
        }
        self.contacts.push(report.skin_contacts);
        self.iterations.push(report.iterations);
    }

    /// The figures; `None` before the first step.
    #[must_use]
    pub fn summary(&self) -> Option<TimingSummary> {
        if self.totals.is_empty() {
            return None;
        }
        let ms = |ns: u64| ns as f64 * 1e-6;
        Some(TimingSummary {
            steps: self.totals.len(),
            median_ms: ms(quantile(&self.totals, 0.5)),
            p99_ms: ms(quantile(&self.totals, 0.99)),
            worst_ms: ms(quantile(&self.totals, 1.0)),
            stages: Stage::ALL
                .iter()
                .zip(&self.stages)
                .map(|((_, name), times)| (*name, ms(quantile(times, 0.5))))
                .collect(),
            contacts_median: f64::from(quantile(&self.contacts, 0.5)),
            iterations_median: f64::from(quantile(&self.iterations, 0.5)),
        })
    }
}

/// The smallest value that at least this share of all values does not exceed.
fn quantile<T: Copy + Ord + Default>(values: &[T], share: f64) -> T {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_count_from_below() {
        let values: Vec<u64> = (1..=200).rev().collect();
        assert_eq!((quantile(&values, 0.5), quantile(&values, 0.99), quantile(&values, 1.0)), (100, 198, 200));
        assert_eq!((quantile(&[7_u64], 0.5), quantile::<u64>(&[], 0.5)), (7, 0));
    }

    #[test]
    fn stages_add_up_to_steps() {
        let mut timing = Timing::default();
        assert_eq!(timing.summary(), None);
        let mut report = StepReport::default();
        report.stage_ns = [1_000_000, 2_000_000, 0, 0, 0, 0];
        report.skin_contacts = 12;
        timing.add(&report);
        let summary = timing.summary().unwrap();
        assert_eq!(
            (summary.steps, summary.median_ms, summary.stages[1], summary.contacts_median),
            (1, 3.0, ("collide", 2.0), 12.0)
        );
    }
}
