//! Of `thenar bench pad`: what time does to the force of a pad that is held down, and to that of a tap.

use super::pad::press_by;
use super::table::Table;
use crate::error::Error;
use serde::Serialize;
use std::fmt;
use std::sync::Arc;
use thenar::hand::HandModel;

/// How far the bone goes below where the pad begins to touch, metres: about a newton.
const DEPTH: f64 = 1.3e-3;

/// It takes so long to get there, and as long to come back from a tap, seconds: a tap of a tenth of a second.
const WAY: f64 = 0.05;

/// The way begins then, seconds, and a tap ends so far above the plate, metres.
const BEGIN: f64 = 0.2;
const CLEAR: f64 = 1e-3;

/// Times after the bone has come to rest at which the force is read, seconds: the time constants of people's pads, and twice the longest.
const AFTER: [f64; 4] = [0.004, 0.07, 1.4, 2.8];

/// A pad in time.
#[derive(Serialize)]
pub struct Timed {
    relaxation: &'static str,
    /// N where the bone comes to rest.
    peak: f64,
    /// What is left of it after 4 ms, 70 ms, 1.4 s and 2.8 s.
    left: Vec<f64>,
    /// Share of the work done on the pad that a tap does not give back; people: 0.6 to 0.85.
    lost: f64,
    step_ms: f64,
}

/// Share of the work done on the pad that a tap does not give back; `touching` is the height of the palm at which the pad begins to touch.
fn lost_in_a_tap(hand: &Arc<HandModel>, set: &[(&str, toml::Value)], touching: f64) -> Result<f64, Error> {
    let heights = [(BEGIN, touching), (BEGIN + WAY, touching - DEPTH), (BEGIN + 2.0 * WAY, touching + CLEAR)];
    let (mut done, mut given_back) = (0.0, 0.0);
    for pair in press_by(hand, set, 1e-3, &heights)?.windows(2) {
        let work = 0.5 * (pair[0].force + pair[1].force) * (pair[1].way_mm - pair[0].way_mm);
        if work > 0.0 {
            done += work;
        } else {
            given_back -= work;
        }
    }
    Ok(1.0 - given_back / done)
}

impl Timed {
    /// `touching` is the height of the palm at which the pad begins to touch.
    pub fn new(hand: &Arc<HandModel>, relaxation: &'static str, touching: f64) -> Result<Timed, Error> {
        let set = [("relaxation", relaxation.into())];
        let (low, there) = (touching - DEPTH, BEGIN + WAY);
        let held = press_by(hand, &set, 1e-3, &[(BEGIN, touching), (there, low), (there + 3.0, low)])?;
        let at = |time: f64| held.iter().find(|s| s.time >= time - 1e-6).map_or(f64::NAN, |s| s.force);
        let peak = at(there);
        Ok(Timed {
            relaxation,
            peak,
            left: AFTER.map(|after| at(there + after) / peak).to_vec(),
            lost: lost_in_a_tap(hand, &set, touching)?,
            step_ms: super::perez::median(held.iter().map(|s| s.step_ms).collect()),
        })
    }

    /// A table of several.
    pub fn table(f: &mut fmt::Formatter<'_>, rows: &[Timed]) -> fmt::Result {
        writeln!(
            f,
            "The fine pad pushed {:.1} mm deep within {} ms and held there, or tapped for twice as long.\n",
            1e3 * DEPTH,
            1e3 * WAY
        )?;
        let mut table =
            Table::new(&["relaxation", "N", "left after 4 ms", "70 ms", "1.4 s", "2.8 s", "lost in a tap", "ms"]);
        table.row(["people", "", "", "", "", "", "0.60–0.85", ""].map(str::to_owned).to_vec());
        for timed in rows {
            let mut cells = vec![timed.relaxation.to_owned(), format!("{:.2}", timed.peak)];
            cells.extend(timed.left.iter().map(|left| format!("{left:.2}")));
            cells.extend([format!("{:.2}", timed.lost), format!("{:.2}", timed.step_ms)]);
            table.row(cells);
        }
        writeln!(f, "{table}")
    }
}

#[cfg(test)]
mod tests {
    use super::super::pad::{hand, touching};
    use super::*;
    use thenar::hand::Digit;

    /// People's pads lose 60 to 85 % of the work of a tap (Pawluk & Howe 1999), and their force falls while they are held.
    #[test]
    fn flesh_that_relaxes_loses_of_a_tap_what_people_lose() {
        let hand = hand(Some(Digit::Index)).unwrap();
        let lost = lost_in_a_tap(&hand, &[("relaxation", "on".into())], touching(&hand).unwrap()).unwrap();
        assert!((0.6..=0.85).contains(&lost), "{lost}");
    }
}
