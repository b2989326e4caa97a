//! Three slots between one writer and one reader: the newest value is always there, and nobody ever waits.
//!
//! The writer fills its slot and exchanges it with the one in the middle; the reader exchanges its own with the one in the middle if
//! that is newer. Both are one atomic exchange.

use std::cell::UnsafeCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// Set beside the index of the slot in the middle while the reader has not seen it.
const NEW: u8 = 4;
const INDEX: u8 = 3;

struct Slots<T> {
    slots: [UnsafeCell<T>; 3],
    middle: AtomicU8,
}

// SAFETY: each slot's index is held by exactly one of writer, middle and reader at any time; indices move by atomic exchanges only,
// with release and acquire, so that whoever holds an index is alone with its slot.
unsafe impl<T: Send> Sync for Slots<T> {}

/// The end that writes.
pub struct Writer<T> {
    shared: Arc<Slots<T>>,
    own: u8,
}

/// The end that reads.
pub struct Reader<T> {
    shared: Arc<Slots<T>>,
    own: u8,
}

/// A buffer whose three slots are made by `make`.
pub fn triple<T: Send>(mut make: impl FnMut() -> T) -> (Writer<T>, Reader<T>) {
    let slots = [UnsafeCell::new(make()), UnsafeCell::new(make()), UnsafeCell::new(make())];
    let shared = Arc::new(Slots { slots, middle: AtomicU8::new(1) });
    (Writer { shared: Arc::clone(&shared), own: 0 }, Reader { shared, own: 2 })
}

impl<T> Writer<T> {
    /// What will be published; it holds whatever it held two publications ago.
    pub fn slot(&mut self) -> &mut T {
        // SAFETY: `own` is held by this writer alone, and `&mut self` makes this the only reference.
        unsafe { &mut *self.shared.slots[usize::from(self.own)].get() }
    }

    /// Makes the slot the newest value.
    pub fn publish(&mut self) {
        let before = self.shared.middle.swap(self.own | NEW, Ordering::AcqRel);
        self.own = before & INDEX;
    }
}

impl<T> Reader<T> {
    /// Whether something newer than [`Reader::get`] was published.
    #[must_use]
    pub fn fresh(&self) -> bool {
        self.shared.middle.load(Ordering::Acquire) & NEW != 0
    }

    /// Takes the newest value; false if there is none that is newer.
    pub fn update(&mut self) -> bool {
        if !self.fresh() {
            return false;
        }
        let before = self.shared.middle.swap(self.own, Ordering::AcqRel);
        self.own = before & INDEX;
        true
    }

    /// The value taken last.
    #[must_use]
    pub fn get(&self) -> &T {
        // SAFETY: `own` is held by this reader alone; shared references live no longer than the borrow of `self`, and
        // `update`, which gives the slot away, needs it exclusively.
        unsafe { &*self.shared.slots[usize::from(self.own)].get() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_value_is_read_and_none_twice() {
        let (mut writer, mut reader) = triple(|| 0);
        assert!(!reader.update() && *reader.get() == 0);
        for value in 1..4 {
            *writer.slot() = value;
            writer.publish();
        }
        assert!(reader.fresh() && reader.update() && *reader.get() == 3);
        assert!(!reader.update() && *reader.get() == 3);
    }

    /// Both halves of a value are of one publication, and values never go back.
    #[test]
    fn values_are_whole_and_in_order_across_threads() {
        let (mut writer, mut reader) = triple(|| [0u64; 64]);
        let last = 200_000u64;
        let thread = std::thread::spawn(move || {
            for value in 1..=last {
                writer.slot().fill(value);
                writer.publish();
            }
        });
        let mut seen = 0;
        while seen < last {
            if reader.update() {
                let value = reader.get()[0];
                assert!(reader.get().iter().all(|v| *v == value) && value > seen);
                seen = value;
            }
        }
        thread.join().unwrap();
    }
}
