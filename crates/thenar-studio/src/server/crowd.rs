//! How many are connected at the same time. Newcomers get in as long as anybody is connected without asking for something:
//! whoever has done so for longest makes room.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::task::AbortHandle;

/// Those who are connected, by number.
pub struct Crowd {
    most: usize,
    inside: Mutex<Inside>,
}

#[derive(Default)]
struct Inside {
    /// Counts visitors and the moments from which they wait.
    clock: u64,
    visitors: BTreeMap<u64, Visitor>,
}

#[derive(Default)]
struct Visitor {
    task: Option<AbortHandle>,
    /// Since when it asks for nothing; `None` while it is served.
    waiting: Option<u64>,
}

/// A place in the crowd, until it is dropped.
pub struct Place {
    crowd: Arc<Crowd>,
    number: u64,
}

impl Crowd {
    /// Room for so many.
    pub fn new(most: usize) -> Arc<Crowd> {
        Arc::new(Crowd { most, inside: Mutex::default() })
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a newcomer, at the cost of another where all are taken; `None` if everybody is being served.
    pub fn admit(self: &Arc<Self>) -> Option<Place> {
        let mut inside = self.inside();
        if inside.visitors.len() >= self.most {
            let waiting = inside.visitors.iter().filter_map(|(number, visitor)| Some((visitor.waiting?, *number)));
            let (_, longest) = waiting.min()?;
            if let Some(task) = inside.visitors.remove(&longest).and_then(|visitor| visitor.task) {
                task.abort();
            }
        }
        inside.clock += 1;
        let number = inside.clock;
        inside.visitors.insert(number, Visitor { task: None, waiting: Some(number) });
        Some(Place { crowd: Arc::clone(self), number })
    }

    /// What ends a visit, should its place be needed.
    pub fn remember(&self, number: u64, task: AbortHandle) {
        if let Some(visitor) = self.inside().visitors.get_mut(&number) {
            visitor.task = Some(task);
        }
    }
}

impl Place {
    /// Whom to refer to after the place has been given away.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// It asked for something: it keeps its place.
    pub fn is_served(&self) {
        self.set(|_| None);
    }

    /// It has its answer.
    pub fn waits(&self) {
        self.set(Some);
    }

    fn set(&self, waiting: impl FnOnce(u64) -> Option<u64>) {
        let mut inside = self.crowd.inside();
        inside.clock += 1;
        let now = inside.clock;
        if let Some(visitor) = inside.visitors.get_mut(&self.number) {
            visitor.waiting = waiting(now);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.crowd.inside().visitors.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(crowd: &Crowd) -> Vec<u64> {
        crowd.inside().visitors.keys().copied().collect()
    }

    #[test]
    fn who_waited_longest_makes_room_and_who_is_served_stays() {
        let crowd = Crowd::new(3);
        let [first, second, third] = [(); 3].map(|()| crowd.admit().expect("room"));
        first.is_served();
        second.is_served();
        second.waits();
        // The third has waited since it came; the second only since its answer.
        let fourth = crowd.admit().expect("the third makes room");
        assert_eq!(numbers(&crowd), [first.number(), second.number(), fourth.number()]);
        drop(third);
        assert_eq!(numbers(&crowd).len(), 3, "a place is given back once");
        second.is_served();
        fourth.is_served();
        assert!(crowd.admit().is_none(), "everybody is served");
        drop(fourth);
        assert!(crowd.admit().is_some());
    }
}
