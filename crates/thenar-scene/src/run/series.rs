//! Measured values over time, and what checks make of them.

use thenar::math::{Quat, Vec3};

use crate::scene::{Check, Over};

/// Least share of the steps of a check's time that have to have the value it is about, where not every step has it.
pub const COUNTED: f64 = 0.5;

/// Values of one measure after every step.
#[derive(Clone, Debug, PartialEq)]
pub enum Series {
    /// Plain numbers.
    Numbers(Vec<f64>),
    /// Numbers that only some steps have. Those count alone, and a check whose time has fewer than [`COUNTED`] of them has no value.
    Sometimes(Vec<Option<f64>>),
    /// Places whose distance from the first place of the check's time counts.
    Places(Vec<Vec3>),
    /// Orientations whose angle to the first one of the check's time counts, degrees.
    Turns(Vec<Quat>),
}

/// The verdict on one check.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckOutcome {
    /// Name of the check.
    pub name: String,
    /// The value found, in `unit`.
    pub value: f64,
    /// Least value allowed.
    pub min: Option<f64>,
    /// Greatest value allowed.
    pub max: Option<f64>,
    /// Unit of all three.
    pub unit: &'static str,
    /// True if the value is within its bounds.
    pub ok: bool,
}

/// Judges one check; `step` is the time between values, the first of which belongs to the end of the first step.
#[must_use]
pub fn judge(check: &Check, series: &Series, step: f64) -> CheckOutcome {
    let count = match series {
        Series::Numbers(values) => values.len(),
        Series::Sometimes(values) => values.len(),
        Series::Places(places) => places.len(),
        Series::Turns(turns) => turns.len(),
    };
    // Step k ends at k · step and is stored at k - 1.
    let index = |time: f64| ((time / step).round() as usize).saturating_sub(1).min(count.saturating_sub(1));
    let (first, last) = match check.at {
        Some(time) => (index(time), index(time)),
        None => (check.from.map_or(0, index), check.to.map_or(count.saturating_sub(1), index)),
    };
    let window: Vec<f64> = if count == 0 {
        Vec::new()
    } else {
        match series {
            Series::Numbers(values) => values[first..=last].to_vec(),
            Series::Sometimes(values) => {
                let counted: Vec<f64> = values[first..=last].iter().copied().flatten().collect();
                let enough = counted.len() as f64 >= COUNTED * (last + 1 - first) as f64;
                if enough { counted } else { Vec::new() }
            }
            Series::Places(places) => places[first..=last].iter().map(|p| p.distance(places[first])).collect(),
            Series::Turns(turns) => {
                let angle = |turn: &Quat| turn.angle_between(turns[first]).to_degrees();
                turns[first..=last].iter().map(angle).collect()
            }
        }
    };
    let value = match check.over {
        Some(over) => taken(over, &window),
        None => worst(check, &window),
    };
    CheckOutcome {
        name: check.name.clone(),
        value,
        min: check.min,
        max: check.max,
        unit: check.measure.unit(),
        ok: allowed(check, value),
    }
}

/// Written so that NaN is never allowed.
fn allowed(check: &Check, value: f64) -> bool {
    value.is_finite() && check.min.is_none_or(|min| value >= min) && check.max.is_none_or(|max| value <= max)
}

/// The first value that is out of bounds or not a number, else the one nearest to a bound.
fn worst(check: &Check, window: &[f64]) -> f64 {
    let margin = |value: f64| {
        let above = check.min.map_or(f64::INFINITY, |min| value - min);
        let below = check.max.map_or(f64::INFINITY, |max| max - value);
        above.min(below)
    };
    let mut chosen = f64::NAN;
    for value in window {
        if value.is_nan() {
            return f64::NAN;
        }
        if chosen.is_nan() || margin(*value) < margin(chosen) {
            chosen = *value;
        }
    }
    chosen
}

/// NaN for an empty window, and wherever a value is NaN.
fn taken(over: Over, window: &[f64]) -> f64 {
    let (Some(first), Some(last)) = (window.first(), window.last()) else { return f64::NAN };
    if window.iter().any(|value| value.is_nan()) {
        return f64::NAN;
    }
    let count = window.len() as f64;
    let least = window.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = window.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    match over {
        Over::Min => least,
        Over::Max => greatest,
        Over::Mean => window.iter().sum::<f64>() / count,
        Over::Range => greatest - least,
        Over::Rms => (window.iter().map(|value| value * value).sum::<f64>() / count).sqrt(),
        Over::Last => *last,
        Over::Change => last - first,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Measure;

    fn check(change: impl Fn(&mut Check)) -> Check {
        let mut check = Check {
            name: "c".to_owned(),
            measure: Measure::Height,
            object: None,
            hand: None,
            at: None,
            from: None,
            to: None,
            over: None,
            min: None,
            max: None,
        };
        change(&mut check);
        check
    }

    /// Height 0.1, 0.2, … 1.0 m after steps of 0.1 s.
    fn ramp() -> Series {
        Series::Numbers((1..=10).map(|k| f64::from(k) * 0.1).collect())
    }

    #[test]
    fn times_choose_the_step_that_ends_then() {
        let found = |at: f64| judge(&check(|c| c.at = Some(at)), &ramp(), 0.1).value;
        assert_eq!((found(0.0), found(0.1), found(0.5), found(1.0), found(7.0)), (0.1, 0.1, 0.5, 1.0, 1.0));
    }

    #[test]
    fn statistics_are_taken_over_the_window() {
        let value = |over: Over| {
            let check = check(|c| (c.from, c.to, c.over) = (Some(0.2), Some(0.4), Some(over)));
            judge(&check, &ramp(), 0.1).value
        };
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(near(value(Over::Min), 0.2) && near(value(Over::Max), 0.4) && near(value(Over::Mean), 0.3));
        assert!(near(value(Over::Range), 0.2) && near(value(Over::Last), 0.4) && near(value(Over::Change), 0.2));
        assert!(near(value(Over::Rms), (0.29_f64 / 3.0).sqrt()));
    }

    #[test]
    fn without_a_statistic_the_worst_value_decides() {
        let outcome = judge(&check(|c| (c.min, c.max) = (Some(0.0), Some(0.95))), &ramp(), 0.1);
        assert_eq!((outcome.value, outcome.ok), (1.0, false));
        let outcome = judge(&check(|c| c.min = Some(0.05)), &ramp(), 0.1);
        assert_eq!((outcome.value, outcome.ok), (0.1, true));
    }

    #[test]
    fn broken_numbers_never_pass() {
        for over in [None, Some(Over::Max), Some(Over::Mean)] {
            let check = check(|c| (c.over, c.max) = (over, Some(9.0)));
            assert!(!judge(&check, &Series::Numbers(vec![0.0, f64::NAN, 0.0]), 0.1).ok);
            assert!(!judge(&check, &Series::Numbers(Vec::new()), 0.1).ok);
            assert!(!judge(&check, &Series::Numbers(vec![f64::NEG_INFINITY]), 0.1).ok);
        }
    }

    /// A step that has no value used to count as one without an error.
    #[test]
    fn steps_without_a_value_do_not_count() {
        let mean = |values: &[Option<f64>]| {
            let check = check(|c| (c.over, c.max) = (Some(Over::Mean), Some(5.0)));
            judge(&check, &Series::Sometimes(values.to_vec()), 0.1)
        };
        let outcome = mean(&[None, Some(6.0), None, Some(8.0)]);
        assert_eq!((outcome.value, outcome.ok), (7.0, false));
        assert!(mean(&[Some(1.0), None]).ok);
        // too few of them say nothing
        assert!(!mean(&[Some(1.0), None, None]).ok && !mean(&[None]).ok);
        assert!(!mean(&[Some(f64::NAN), Some(1.0)]).ok);
    }

    #[test]
    fn places_count_from_the_start_of_the_window() {
        let places = Series::Places((0..10).map(|k| Vec3::X * f64::from(k)).collect());
        let outcome = judge(&check(|c| (c.from, c.max) = (Some(0.4), Some(5.0))), &places, 0.1);
        assert_eq!((outcome.value, outcome.ok), (6.0, false));
    }
}
