//! Threads for the engine, which has none of its own.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread::{self, JoinHandle};

use thenar::math::Executor;

/// How long a thread without work looks for more before it sleeps: some 0.4 ms, the stages of a step between two that
/// are shared. Waking a sleeper takes 50 µs.
const SPINS: u32 = 10_000;

/// A piece of work whose lifetime is hidden; `run` lets nobody in once it returns.
#[derive(Clone, Copy)]
struct Piece(*const (dyn Fn(usize) + Sync));

// SAFETY: what it points to is `Sync`, and lives for as long as a job is open (see `run`).
unsafe impl Send for Piece {}
// SAFETY: as above.
unsafe impl Sync for Piece {}

/// The one job that all threads share.
struct Job {
    /// Pieces are being handed out.
    open: AtomicBool,
    /// Threads that may be looking at the piece.
    inside: AtomicUsize,
    next: AtomicUsize,
    count: AtomicUsize,
    piece: RwLock<Option<Piece>>,
    panicked: AtomicBool,
    stop: AtomicBool,
}

impl Job {
    /// Does pieces until none is left.
    fn work(&self) {
        // Counting oneself in before looking whether the job is open, in one order for all threads, makes sure that
        // `run` either sees this thread inside or this thread sees the job closed.
        self.inside.fetch_add(1, Ordering::SeqCst);
        if self.open.load(Ordering::SeqCst) {
            let piece = *self.piece.read().unwrap_or_else(PoisonError::into_inner);
            let count = self.count.load(Ordering::SeqCst);
            if let Some(Piece(piece)) = piece {
                let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    loop {
                        let index = self.next.fetch_add(1, Ordering::Relaxed);
                        if index >= count {
                            break;
                        }
                        // SAFETY: the job is open and this thread is counted as inside, so `run` has not returned.
                        unsafe { (*piece)(index) };
                    }
                }));
                if done.is_err() {
                    self.panicked.store(true, Ordering::SeqCst);
                }
            }
        }
        self.inside.fetch_sub(1, Ordering::SeqCst);
    }

    fn has_work(&self) -> bool {
        self.open.load(Ordering::SeqCst) && self.next.load(Ordering::Relaxed) < self.count.load(Ordering::Relaxed)
    }
}

/// A fixed number of threads that wait for work, the caller's among them.
pub struct ThreadPool {
    job: Arc<Job>,
    workers: Vec<JoinHandle<()>>,
    turn: Mutex<()>,
}

impl ThreadPool {
    /// A pool that works with so many threads, the calling one included.
    #[must_use]
    pub fn new(threads: usize) -> Self {
        let job = Arc::new(Job {
            open: AtomicBool::new(false),
            inside: AtomicUsize::new(0),
            next: AtomicUsize::new(0),
            count: AtomicUsize::new(0),
            piece: RwLock::new(None),
            panicked: AtomicBool::new(false),
            stop: AtomicBool::new(false),
        });
        let workers = (1..threads)
            .map(|_| {
                let job = Arc::clone(&job);
                thread::spawn(move || wait_for_work(&job))
            })
            .collect();
        ThreadPool { job, workers, turn: Mutex::new(()) }
    }
}

fn wait_for_work(job: &Job) {
    let mut idle = 0;
    while !job.stop.load(Ordering::SeqCst) {
        if job.has_work() {
            job.work();
            idle = 0;
        } else if idle < SPINS {
            idle += 1;
            std::hint::spin_loop();
        } else {
            // `run` unparks after opening the job; a token left from then makes this return at once.
            thread::park();
            idle = 0;
        }
    }
}

// SAFETY: an atomic counter hands every number below `count` out once, and `run` closes the job and waits until nobody is
// inside before it returns or panics.
unsafe impl Executor for ThreadPool {
    fn run(&self, count: usize, piece: &(dyn Fn(usize) + Sync)) {
        if count < 2 || self.workers.is_empty() {
            (0..count).for_each(piece);
            return;
        }
        let turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let job = &*self.job;
        let raw: *const (dyn Fn(usize) + Sync + '_) = piece;
        // SAFETY: only the lifetime changes. The pointer is used inside an open job only, and this function closes the
        // job and waits until nobody is inside before it returns.
        let hidden: *const (dyn Fn(usize) + Sync + 'static) = unsafe { std::mem::transmute(raw) };
        *job.piece.write().unwrap_or_else(PoisonError::into_inner) = Some(Piece(hidden));
        job.count.store(count, Ordering::SeqCst);
        job.next.store(0, Ordering::SeqCst);
        job.open.store(true, Ordering::SeqCst);
        for worker in self.workers.iter().take(count - 1) {
            worker.thread().unpark();
        }
        job.work();
        job.open.store(false, Ordering::SeqCst);
        while job.inside.load(Ordering::SeqCst) > 0 {
            std::hint::spin_loop();
        }
        let panicked = job.panicked.swap(false, Ordering::SeqCst);
        drop(turn);
        assert!(!panicked, "a piece of work panicked");
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        self.job.stop.store(true, Ordering::SeqCst);
        for worker in self.workers.drain(..) {
            worker.thread().unpark();
            // A worker that panicked has said so already.
            let _ = worker.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_is_done_once_and_before_run_returns() {
        let pool = ThreadPool::new(3);
        for round in 0..2000 {
            let count = round % 17;
            let done: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
            pool.run(count, &|i| {
                done[i].fetch_add(1, Ordering::Relaxed);
            });
            assert!(done.iter().all(|d| d.load(Ordering::Relaxed) == 1), "round {round}");
        }
    }

    #[test]
    fn a_panic_in_a_piece_reaches_the_caller_and_leaves_the_pool_usable() {
        let pool = ThreadPool::new(2);
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            pool.run(8, &|i| assert_ne!(i, 5, "on purpose"));
        }));
        assert!(result.is_err());
        let done = AtomicUsize::new(0);
        pool.run(8, &|_| {
            done.fetch_add(1, Ordering::Relaxed);
        });
        assert_eq!(done.load(Ordering::Relaxed), 8);
    }
}
