//! Who waits on which object, and who was told to wake.

use schedule::{ObjectId, ThreadId};
use std::collections::HashMap;

/// The wait sets of all objects. Threads are bits.
#[derive(Debug, Default)]
pub struct WaitSets(HashMap<ObjectId, WaitSet>);

#[derive(Debug, Default)]
struct WaitSet {
    /// The threads that wait and were neither told by `notifyAll` nor interrupted.
    waiting: u64,
    /// One for each `notify` that has woken nobody yet: the threads that waited then and still do. Which of them it is
    /// for is decided by who wakes first.
    notes: Vec<u64>,
    /// The threads that `notifyAll` has told.
    told: u64,
}

impl WaitSets {
    /// A thread begins to wait.
    pub fn enter(&mut self, object: ObjectId, thread: ThreadId) {
        self.0.entry(object).or_default().waiting |= bit(thread);
    }

    /// Whether a thread that waits was told to wake.
    pub fn is_notified(&self, object: ObjectId, thread: ThreadId) -> bool {
        let bit = bit(thread);
        self.0.get(&object).is_some_and(|set| set.told & bit != 0 || set.notes.iter().any(|note| note & bit != 0))
    }

    /// A thread wakes, and uses up what it was told. Says whether it was told.
    pub fn wake(&mut self, object: ObjectId, thread: ThreadId) -> bool {
        let bit = bit(thread);
        let Some(set) = self.0.get_mut(&object) else { return false };
        let mut was_told = set.told & bit != 0;
        if was_told {
            set.told &= !bit;
        } else if let Some(note) = set.notes.iter().position(|note| note & bit != 0) {
            set.notes.remove(note);
            was_told = true;
        }
        set.leave(bit);
        was_told
    }

    /// Tells one of the waiting threads, if there is one that was not told.
    pub fn notify(&mut self, object: ObjectId) {
        if let Some(set) = self.0.get_mut(&object)
            && set.notes.len() < set.waiting.count_ones() as usize
        {
            set.notes.push(set.waiting);
        }
    }

    /// Tells all waiting threads.
    pub fn notify_all(&mut self, object: ObjectId) {
        if let Some(set) = self.0.get_mut(&object) {
            set.told |= std::mem::take(&mut set.waiting);
            set.notes.clear();
        }
    }

    /// A thread was interrupted, and what it could have been told goes to others.
    pub fn interrupt(&mut self, object: ObjectId, thread: ThreadId) {
        if let Some(set) = self.0.get_mut(&object) {
            set.leave(bit(thread));
        }
    }

    /// A thread's wait is over by time. What it could have been told by now it still can, but nothing later.
    pub fn time_out(&mut self, object: ObjectId, thread: ThreadId) {
        if let Some(set) = self.0.get_mut(&object) {
            set.waiting &= !bit(thread);
        }
    }
}

impl WaitSet {
    fn leave(&mut self, bit: u64) {
        self.waiting &= !bit;
        self.notes.iter_mut().for_each(|note| *note &= !bit);
        self.notes.retain(|&note| note != 0);
    }
}

fn bit(thread: ThreadId) -> u64 {
    1 << thread.0
}
