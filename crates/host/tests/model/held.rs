//! What only one thread at a time may touch.

use loom::cell::UnsafeCell;

/// A number that whoever has control counts up. Loom ends the model if two threads are here at once, or if the one does not
/// see for sure what the other has done.
pub struct Held(UnsafeCell<u32>);

// SAFETY: loom says when two threads touch it at once, and ends.
unsafe impl Sync for Held {}

impl Held {
    pub fn new() -> Held {
        Held(UnsafeCell::new(0))
    }

    /// Counts up, and says how often that was done before.
    pub fn touch(&self) -> u32 {
        self.0.with_mut(|number| {
            // SAFETY: loom has just seen that nobody else is here.
            let number = unsafe { &mut *number };
            *number += 1;
            *number - 1
        })
    }
}
