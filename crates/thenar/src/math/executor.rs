//! Independent pieces of work, done one after another or at the same time.
//!
//! The engine starts no threads: it cuts its work into pieces that do not depend on how many threads there are, and
//! hands them to whatever the caller gave it. Results are the same bits for every executor.

use std::marker::PhantomData;
use std::ops::Range;

/// Does pieces of work.
pub trait Executor: Send + Sync {
    /// Calls `piece` once for every number below `count`, in any order and on any threads, and returns when all calls
    /// have returned. A call must not start another `run` on the same executor.
    fn run(&self, count: usize, piece: &(dyn Fn(usize) + Sync));
}

/// One piece after another, on the caller's thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Serial;

impl Executor for Serial {
    fn run(&self, count: usize, piece: &(dyn Fn(usize) + Sync)) {
        (0..count).for_each(piece);
    }
}

/// A slice of which every piece of work takes other items.
pub(crate) struct Shared<'a, T> {
    first: *mut T,
    len: usize,
    slice: PhantomData<&'a mut [T]>,
}

// SAFETY: items are handed out one by one and each to one piece of work only (`item` asks for it), so sharing the
// whole is sending its items.
unsafe impl<T: Send> Sync for Shared<'_, T> {}

impl<'a, T> Shared<'a, T> {
    pub fn new(slice: &'a mut [T]) -> Self {
        Shared { first: slice.as_mut_ptr(), len: slice.len(), slice: PhantomData }
    }

    /// # Safety
    /// No two references to the same item may live at the same time.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)] // That is what it is for.
    pub unsafe fn item(&self, index: usize) -> &mut T {
        assert!(index < self.len);
        // SAFETY: inside the slice; the caller promises that nobody else has this item.
        unsafe { &mut *self.first.add(index) }
    }

    /// # Safety
    /// No two references to the same item may live at the same time.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)] // That is what it is for.
    pub unsafe fn items(&self, range: Range<usize>) -> &mut [T] {
        assert!(range.start <= range.end && range.end <= self.len);
        // SAFETY: inside the slice; the caller promises that nobody else has these items.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(range.start), range.len()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_is_done_once() {
        let mut items = [0; 5];
        let shared = Shared::new(&mut items);
        Serial.run(5, &|i| {
            // SAFETY: every piece takes the item of its own number.
            *unsafe { shared.item(i) } += i;
        });
        assert_eq!(items, [0, 1, 2, 3, 4]);
    }
}
