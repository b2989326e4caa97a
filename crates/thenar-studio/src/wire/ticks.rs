//! A thousand ticks a second as few points as a plot can show, with every peak among them.
//!
//! Ticks are put into groups of 10 ms. Of each number the least and the greatest of its group are kept, in the order in which they came: a line
//! through them reaches every peak that a line through all ticks does, and rises and falls where that does.

use std::collections::VecDeque;
use thenar_devices::haptics::trace::Sample;

/// Of a group, seconds: a plot of eight seconds has two points for each of its pixels then.
pub const GROUP: f64 = 0.01;
/// Groups that are kept for pages that are slow, ten seconds.
const KEPT: usize = 1000;
/// Force x, y, z and its size (N); device x, y, z; proxy x, y, z (m).
pub const NUMBERS: usize = 10;

/// Ten milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Group {
    /// Counted from the start of the loop.
    pub index: u32,
    /// Least and greatest of each number, the one that came first first.
    pub extremes: [[f32; 2]; NUMBERS],
}

impl Group {
    fn of(index: u32, numbers: [f64; NUMBERS]) -> Group {
        Group { index, extremes: numbers.map(|x| [x as f32; 2]) }
    }

    fn add(&mut self, numbers: [f64; NUMBERS]) {
        for (pair, number) in self.extremes.iter_mut().zip(numbers.map(|x| x as f32)) {
            let [first, second] = *pair;
            // what lies beyond both comes after both: the other end stays, and is the earlier one
            if number > first.max(second) {
                *pair = [first.min(second), number];
            } else if number < first.min(second) {
                *pair = [first.max(second), number];
            }
        }
    }
}

fn numbers(sample: &Sample) -> [f64; NUMBERS] {
    let [f, d, p] = [sample.force, sample.device, sample.proxy];
    [f.x, f.y, f.z, f.length(), d.x, d.y, d.z, p.x, p.y, p.z]
}

/// The last groups, and the one that is being filled.
#[derive(Default)]
pub struct History {
    groups: VecDeque<Group>,
    /// Groups that are gone.
    gone: u64,
    open: Option<Group>,
}

impl History {
    /// Takes a tick. A group is done when a tick of another one comes.
    pub fn add(&mut self, sample: &Sample) {
        // a tick that falls on the border belongs to the later group, whatever the round-off
        let index = (sample.time / GROUP + 1e-6).max(0.0) as u32;
        match &mut self.open {
            Some(open) if open.index == index => open.add(numbers(sample)),
            open => {
                if let Some(done) = open.replace(Group::of(index, numbers(sample))) {
                    self.groups.push_back(done);
                }
            }
        }
        if self.groups.len() > KEPT {
            self.groups.pop_front();
            self.gone += 1;
        }
    }

    /// How many groups there were in all.
    pub fn count(&self) -> u64 {
        self.gone + self.groups.len() as u64
    }

    /// Groups from that number on, those that are still there.
    pub fn since(&self, number: u64) -> impl ExactSizeIterator<Item = &Group> {
        let skipped = number.saturating_sub(self.gone).min(self.groups.len() as u64) as usize;
        self.groups.range(skipped..)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thenar::math::Vec3;

    fn history(force: impl Fn(u32) -> f64, ticks: u32) -> History {
        let mut history = History::default();
        for tick in 0..ticks {
            let force = Vec3::new(force(tick), 0.0, 0.0);
            history.add(&Sample { time: f64::from(tick) * 1e-3, force, ..Sample::default() });
        }
        history
    }

    /// A tap of one tick, wherever it falls within a group, and both ends of a buzz.
    #[test]
    fn every_peak_is_kept() {
        for at in 50..70 {
            let history = history(|tick| if tick == at { -7.0 } else { 0.1 }, 200);
            let found: Vec<&Group> = history.since(0).filter(|group| group.extremes[0].contains(&-7.0)).collect();
            assert_eq!(found.len(), 1, "{at}");
            assert_eq!(found[0].index, at / 10);
            assert!(found[0].extremes[3].contains(&7.0), "the size of it, too");
        }
        let buzz = history(|tick| if tick % 2 == 0 { 1.0 } else { -1.0 }, 200);
        assert!(buzz.since(0).all(|group| group.extremes[0] == [1.0, -1.0]));
    }

    #[test]
    fn a_line_through_the_points_rises_and_falls_as_the_ticks_do() {
        let rising = history(f64::from, 100);
        assert_eq!(rising.since(0).next().unwrap().extremes[0], [0.0, 9.0]);
        let falling = history(|tick| -f64::from(tick), 100);
        assert_eq!(falling.since(0).next().unwrap().extremes[0], [0.0, -9.0]);
        assert_eq!(falling.count(), 9, "the last group is not done");
    }

    #[test]
    fn pages_get_what_they_have_not_seen_and_what_is_left_of_it() {
        let history = history(f64::from, 20_000);
        assert_eq!(history.count(), 1999);
        assert_eq!((history.since(0).len(), history.since(1990).len(), history.since(5000).len()), (KEPT, 9, 0));
        assert_eq!(history.since(1990).next().unwrap().index, 1990);
    }
}
