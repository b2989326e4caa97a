//! What the system can do for a thread that must be on time. Nothing of it is required.

use std::time::{Duration, Instant};

/// Asks for a real-time priority and exact timers; true if the priority was given.
#[cfg(target_os = "linux")]
pub(super) fn request() -> bool {
    // SAFETY: prctl with PR_SET_TIMERSLACK takes one number and changes this thread alone.
    unsafe {
        libc::prctl(libc::PR_SET_TIMERSLACK, 1_000 as libc::c_ulong, 0, 0, 0);
    }
    // SAFETY: all zeros is a valid sched_param.
    let mut parameters: libc::sched_param = unsafe { std::mem::zeroed() };
    parameters.sched_priority = 50;
    // SAFETY: 0 means this thread; the pointer is to a live value.
    unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) == 0 }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn request() -> bool {
    false
}

/// The end of a wait is spent awake: waking up takes the system about that long.
const AWAKE: Duration = Duration::from_micros(60);

/// Waits until `due`; `ready` is called once before that, when there is nothing left to sleep for, and not at all if it is late already.
pub(super) fn wait_until(due: Instant, ready: impl FnOnce()) {
    let left = due.saturating_duration_since(Instant::now());
    if left > AWAKE {
        std::thread::sleep(left - AWAKE);
    }
    if Instant::now() < due {
        ready();
    }
    while Instant::now() < due {
        std::hint::spin_loop();
    }
}
