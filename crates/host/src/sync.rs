//! What controlled threads synchronize by. `tests/model` puts loom's in place of all that is here, and tries every way in
//! which threads can meet; so [`baton`](crate::baton) and [`control`](crate::control) take nothing from elsewhere.

pub use std::sync::atomic::{AtomicU32, Ordering};
pub use std::sync::{LazyLock, Mutex, MutexGuard};
pub use std::thread::yield_now;
pub use std::thread_local;

/// Sleeping until a number changes.
pub mod futex {
    use rustix::thread::futex;
    use std::sync::atomic::AtomicU32;

    /// Sleeps while the number is the expected one, until it is woken. It may wake for no reason.
    pub fn wait(number: &AtomicU32, expected: u32) {
        let _ = futex::wait(number, futex::Flags::PRIVATE, expected, None);
    }

    /// Wakes one thread that sleeps.
    pub fn wake(number: &AtomicU32) {
        // A failure would mean that the address is not ours.
        futex::wake(number, futex::Flags::PRIVATE, 1).expect("internal bug: waking a futex cannot fail");
    }
}

/// The model has no futex of the operating system, so here is a test that has.
#[cfg(test)]
mod tests {
    use crate::baton::{Baton, PATIENCE};
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn no_pass_is_lost_and_none_counts_twice() {
        for patience in [0, PATIENCE] {
            let (to, back) = (Baton::default(), Baton::default());
            let shared = AtomicU32::new(0);
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    for round in 0..10_000 {
                        to.wait(patience);
                        assert_eq!(shared.swap(2 * round + 2, Ordering::Relaxed), 2 * round + 1);
                        back.pass();
                    }
                });
                for round in 0..10_000 {
                    assert_eq!(shared.swap(2 * round + 1, Ordering::Relaxed), 2 * round);
                    to.pass();
                    back.wait(patience);
                }
            });
        }
    }
}
