//! How far threads are with their calls, for schedulers that let whole calls take turns.

use crate::control;
use schedule::{MAX_THREADS, ThreadId};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// How many calls each thread has made. Only the thread that has control changes its own, and control is handed over
/// under a lock.
static MADE: [AtomicU32; MAX_THREADS] = [const { AtomicU32::new(0) }; MAX_THREADS];
/// All threads that have made a call in the execution under way have numbers below this.
static MADE_BELOW: AtomicUsize = AtomicUsize::new(0);

/// How many calls of its suffix a thread has made in the execution that is under way. Once one has thrown it makes no more:
/// then it is [`u32::MAX`]. A scheduler may ask.
pub fn calls_made(thread: ThreadId) -> u32 {
    MADE[thread.0 as usize].load(Ordering::Relaxed)
}

/// A new execution begins.
pub fn forget() {
    let made = MADE_BELOW.swap(0, Ordering::Relaxed);
    MADE[..made].iter().for_each(|made| made.store(0, Ordering::Relaxed));
}

/// The current thread has made a call. Says how many events there were until then.
pub fn made_one(returned: bool) -> usize {
    if let Some(thread) = control::controlled() {
        let made = &MADE[thread.0 as usize];
        MADE_BELOW.fetch_max(thread.0 as usize + 1, Ordering::Relaxed);
        made.store(if returned { made.load(Ordering::Relaxed).saturating_add(1) } else { u32::MAX }, Ordering::Relaxed);
    }
    control::with_machine(|machine| machine.steps()).unwrap_or(0)
}
