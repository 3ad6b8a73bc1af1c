//! Hands control from one operating-system thread to another.

use rustix::thread::futex;
use std::sync::atomic::{AtomicU32, Ordering};

/// One thread waits for it, others pass it on. Passing it before it is waited for is not lost.
#[derive(Debug)]
pub struct Baton(AtomicU32);

impl Baton {
    /// Not passed yet.
    pub const fn new() -> Self {
        Baton(AtomicU32::new(0))
    }

    /// Lets the thread that waits, or will wait, go on.
    pub fn pass(&self) {
        self.0.store(1, Ordering::Release);
        // A failure would mean that the address is not ours.
        futex::wake(&self.0, futex::Flags::PRIVATE, 1).expect("internal bug: waking a futex cannot fail");
    }

    /// Waits until it is passed.
    pub fn wait(&self) {
        while self.0.swap(0, Ordering::Acquire) == 0 {
            // Interrupted or changed meanwhile: look again.
            let _ = futex::wait(&self.0, futex::Flags::PRIVATE, 0, None);
        }
    }
}
