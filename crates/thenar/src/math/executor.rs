//! Independent pieces of work, done one after another or at the same time.
//!
//! The engine starts no threads: it cuts its work into pieces that do not depend on how many threads there are, and
//! hands them to whatever the caller gave it. Results are the same bits for every executor.

use std::marker::PhantomData;
use std::ops::Range;

/// Does pieces of work.
///
/// Each piece writes to its own part of memory that all pieces share, without locks: the number of a piece says which part
/// is its own.
///
/// # Safety
/// Whoever implements this promises of [`run`](Executor::run):
///
/// 1. `piece` is called at most once for a number in one `run`. Two calls with the same number, even one after the other on
///    different threads without synchronisation between them, would write to the same memory.
/// 2. `piece` is called with numbers below `count` only.
/// 3. When `run` returns, also by a panic, every call has returned, and what the calls wrote is visible to the caller, as
///    after joining a thread.
/// 4. `piece` is not kept beyond `run`.
///
/// That every number is called is asked for too, but nobody's memory depends on it: results are wrong if one is left out.
///
/// ```
/// use thenar::math::Executor;
///
/// struct Backwards;
/// // SAFETY: every number below `count` once, on this thread, before `run` returns.
/// unsafe impl Executor for Backwards {
///     fn run(&self, count: usize, piece: &(dyn Fn(usize) + Sync)) {
///         (0..count).rev().for_each(piece);
///     }
/// }
/// ```
///
/// Safe code cannot implement it, because an executor that breaks the promise is a data race:
///
/// ```compile_fail,E0200
/// use thenar::math::Executor;
///
/// struct Twice;
/// impl Executor for Twice {
///     fn run(&self, count: usize, piece: &(dyn Fn(usize) + Sync)) {
///         (0..count).chain(0..count).for_each(piece);
///     }
/// }
/// ```
pub unsafe trait Executor: Send + Sync {
    /// Calls `piece` once for every number below `count`, in any order and on any threads, and returns when all calls
    /// have returned. A call must not start another `run` on the same executor.
    fn run(&self, count: usize, piece: &(dyn Fn(usize) + Sync));
}

/// One piece after another, on the caller's thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Serial;

// SAFETY: every number below `count` once, on this thread, before `run` returns.
unsafe impl Executor for Serial {
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

// SAFETY: items are handed out one by one and each to one piece of work only (`item` asks for it, and an `Executor`
// promises to do each piece once), so sharing the whole is sending its items.
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
