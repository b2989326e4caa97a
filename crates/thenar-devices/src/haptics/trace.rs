//! Every tick, for those who draw it: a ring between the loop's thread and one reader.
//!
//! Numbers are kept as bits in atomics, and each end counts what it has done: nobody waits, locks or allocates. A ring that nobody reads is
//! full after two seconds, and ticks are left out until there is room.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use thenar::math::Vec3;

/// The first handle in a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Of the loop, seconds.
    pub time: f64,
    /// Where the device is in the world, metres.
    pub device: Vec3,
    /// Where the proxy is.
    pub proxy: Vec3,
    /// On the user, N.
    pub force: Vec3,
}

const NUMBERS: usize = 10;
/// Two seconds at 1 kHz: longer than anything that keeps a reader away while people play.
const CAPACITY: usize = 2048;

struct Ring {
    slots: Vec<[AtomicU64; NUMBERS]>,
    written: AtomicU64,
    read: AtomicU64,
}

/// The end of the loop.
pub struct TraceWriter(Arc<Ring>);

/// The end of who draws.
pub struct TraceReader(Arc<Ring>);

/// An empty ring.
#[must_use]
pub fn trace() -> (TraceWriter, TraceReader) {
    let slots = (0..CAPACITY).map(|_| Default::default()).collect();
    let ring = Arc::new(Ring { slots, written: AtomicU64::new(0), read: AtomicU64::new(0) });
    (TraceWriter(Arc::clone(&ring)), TraceReader(ring))
}

fn slot(count: u64) -> usize {
    (count % CAPACITY as u64) as usize
}

impl TraceWriter {
    /// Adds a tick; false, and left out, where there is no room.
    pub fn push(&mut self, sample: &Sample) -> bool {
        let ring = &*self.0;
        let written = ring.written.load(Ordering::Relaxed);
        if written - ring.read.load(Ordering::Acquire) >= CAPACITY as u64 {
            return false;
        }
        let Sample { time, device, proxy, force } = sample;
        let vectors = [device, proxy, force].into_iter().flat_map(Vec3::to_array);
        let numbers = std::iter::once(*time).chain(vectors);
        for (place, number) in ring.slots[slot(written)].iter().zip(numbers) {
            place.store(number.to_bits(), Ordering::Relaxed);
        }
        ring.written.store(written + 1, Ordering::Release);
        true
    }
}

impl TraceReader {
    /// The oldest tick that was not read yet.
    pub fn pop(&mut self) -> Option<Sample> {
        let ring = &*self.0;
        let read = ring.read.load(Ordering::Relaxed);
        if read == ring.written.load(Ordering::Acquire) {
            return None;
        }
        let mut numbers = [0.0; NUMBERS];
        for (number, place) in numbers.iter_mut().zip(&ring.slots[slot(read)]) {
            *number = f64::from_bits(place.load(Ordering::Relaxed));
        }
        ring.read.store(read + 1, Ordering::Release);
        let vector = |at: usize| Vec3::new(numbers[at], numbers[at + 1], numbers[at + 2]);
        Some(Sample { time: numbers[0], device: vector(1), proxy: vector(4), force: vector(7) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(k: u64) -> Sample {
        let x = Vec3::splat(k as f64);
        Sample { time: k as f64, device: x, proxy: x * 2.0, force: x * 3.0 }
    }

    #[test]
    fn ticks_come_whole_and_in_order_across_threads() {
        let (mut writer, mut reader) = trace();
        let last = 100_000;
        let thread = std::thread::spawn(move || {
            for k in 1..=last {
                while !writer.push(&sample(k)) {
                    std::thread::yield_now();
                }
            }
        });
        for k in 1..=last {
            let read = loop {
                if let Some(read) = reader.pop() {
                    break read;
                }
                std::thread::yield_now();
            };
            assert_eq!(read, sample(k));
        }
        thread.join().unwrap();
        assert_eq!(reader.pop(), None);
    }

    #[test]
    fn a_ring_that_nobody_reads_keeps_the_oldest() {
        let (mut writer, mut reader) = trace();
        assert_eq!((0..5000).filter(|k| writer.push(&sample(*k))).count(), CAPACITY);
        assert_eq!(reader.pop(), Some(sample(0)));
        assert!(writer.push(&sample(9)) && !writer.push(&sample(10)));
    }
}
