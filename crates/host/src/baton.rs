//! Hands control from one operating-system thread to another.

use crate::sync::{AtomicU32, Ordering, futex, yield_now};
use schedule::{MAX_THREADS, ThreadId};
use std::array::from_fn;
use std::sync::OnceLock;

/// One thread waits for it, others pass it on. Passing it before it is waited for is not lost.
#[derive(Debug)]
pub struct Baton(AtomicU32);

const NOT_PASSED: u32 = 0;
const PASSED: u32 = 1;
/// Not passed, and whoever waits for it sleeps until it is.
const AWAITED: u32 = 2;

/// How often a thread that waits lets others run before it sleeps. Threads that share a core and hand over to
/// each other all the time save a call to wake the other: a switch took 0.9 us instead of 1.4 us. One that is
/// not wanted for long should be out of the way.
pub const PATIENCE: u32 = 8;

impl Default for Baton {
    /// Not passed yet.
    fn default() -> Self {
        Baton(AtomicU32::new(NOT_PASSED))
    }
}

impl Baton {
    /// Lets the thread that waits, or will wait, go on.
    pub fn pass(&self) {
        if self.0.swap(PASSED, Ordering::AcqRel) == AWAITED {
            futex::wake(&self.0);
        }
    }

    /// Waits until it is passed. Lets others run so many times before it sleeps.
    pub fn wait(&self, patience: u32) {
        for _ in 0..patience {
            if self.take() {
                return;
            }
            yield_now();
        }
        while !self.take() {
            // Passed meanwhile, or about to be slept on: the call looks again which.
            let _ = self.0.compare_exchange(NOT_PASSED, AWAITED, Ordering::Relaxed, Ordering::Relaxed);
            futex::wait(&self.0, AWAITED);
        }
    }

    fn take(&self) -> bool {
        self.0.compare_exchange(PASSED, NOT_PASSED, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }
}

/// Number of batons that are made at once.
const CHUNK: usize = 64;

/// A baton for each thread. Those of the first threads are there from the start; all others are made when they are first needed.
#[derive(Debug)]
pub struct Batons {
    first: [Baton; CHUNK],
    others: [OnceLock<Box<[Baton; CHUNK]>>; MAX_THREADS / CHUNK - 1],
}

impl Default for Batons {
    fn default() -> Self {
        Batons { first: from_fn(|_| Baton::default()), others: [const { OnceLock::new() }; MAX_THREADS / CHUNK - 1] }
    }
}

impl Batons {
    /// The baton of a thread.
    #[inline]
    pub fn of(&self, thread: ThreadId) -> &Baton {
        let (chunk, place) = (thread.0 as usize / CHUNK, thread.0 as usize % CHUNK);
        match chunk.checked_sub(1) {
            None => &self.first[place],
            Some(other) => &self.others[other].get_or_init(|| Box::new(from_fn(|_| Baton::default())))[place],
        }
    }
}
