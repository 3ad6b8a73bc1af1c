//! Who waits on which object, and who was told to wake.

use schedule::{ObjectId, ThreadId, one_each};
use std::collections::HashMap;

/// Where threads wait: the object whose monitor they give up, and which of its conditions, 0 for the monitor's own.
pub type Place = (ObjectId, u32);

/// The wait sets of all objects. Threads are bits.
#[derive(Debug, Default)]
pub struct WaitSets(HashMap<Place, WaitSet>);

#[derive(Debug, Default)]
struct WaitSet {
    /// The threads that wait and were neither told by `notifyAll` nor interrupted.
    waiting: u64,
    /// One for each `notify` that has woken nobody yet: the threads that waited then and still do. Which of them it is
    /// for is decided by who wakes first.
    notes: Vec<u64>,
    /// The threads that `notifyAll` has told, or `notify` on a condition.
    told: u64,
    /// Those that have waited, in the order in which they came.
    queue: Vec<ThreadId>,
}

impl WaitSets {
    /// A thread begins to wait.
    pub fn enter(&mut self, place: Place, thread: ThreadId) {
        let set = self.0.entry(place).or_default();
        set.waiting |= bit(thread);
        set.queue.retain(|&other| other != thread);
        set.queue.push(thread);
    }

    /// Whether a thread that waits was told to wake.
    pub fn is_notified(&self, place: Place, thread: ThreadId) -> bool {
        let bit = bit(thread);
        self.0.get(&place).is_some_and(|set| set.told & bit != 0 || set.notes.iter().any(|note| note & bit != 0))
    }

    /// A thread wakes, and uses up what it was told. Says whether it was told.
    pub fn wake(&mut self, place: Place, thread: ThreadId) -> bool {
        let bit = bit(thread);
        let Some(set) = self.0.get_mut(&place) else { return false };
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

    /// Tells one of the waiting threads, if there is one that was not told; on a condition, the one that has waited longest.
    pub fn notify(&mut self, place: Place) {
        let Some(set) = self.0.get_mut(&place) else { return };
        if place.1 != 0 {
            let waits = |thread: &&ThreadId| set.waiting & bit(**thread) != 0;
            let first = set.queue.iter().find(waits).map_or(0, |&thread| bit(thread));
            set.waiting &= !first;
            set.told |= first;
        } else if set.notes.len() < set.waiting.count_ones() as usize {
            set.notes.push(set.waiting);
        }
    }

    /// Whether a notification may be for a thread, or for another.
    pub fn may_be_for(&self, place: Place, thread: ThreadId) -> bool {
        self.0.get(&place).is_some_and(|set| set.notes.iter().any(|note| note & bit(thread) != 0))
    }

    /// Each notification that could be for several threads is for the one that has waited longest, as HotSpot has it. Says whether it could
    /// not have been otherwise.
    pub fn settle(&mut self, place: Place) -> bool {
        let Some(set) = self.0.get_mut(&place) else { return true };
        let candidates = set.notes.iter().fold(0, |all, note| all | note).count_ones();
        let is_certain = candidates as usize == set.notes.len();
        while let Some(&note) = set.notes.first() {
            set.notes.remove(0);
            let longest = set.queue.iter().map(|&thread| bit(thread)).find(|bit| note & bit != 0).unwrap_or(0);
            set.told |= longest;
            set.leave(longest);
        }
        is_certain
    }

    /// How many threads wait there and were not told to wake.
    pub fn waiting(&self, place: Place) -> u32 {
        self.0.get(&place).map_or(0, |set| set.waiting.count_ones())
    }

    /// Tells all waiting threads.
    pub fn notify_all(&mut self, place: Place) {
        if let Some(set) = self.0.get_mut(&place) {
            set.told |= std::mem::take(&mut set.waiting);
            set.notes.clear();
        }
    }

    /// A thread was interrupted, and what it could have been told goes to others. If they cannot take it all, it is the one that was told: on
    /// HotSpot a notification chooses its thread at once, and an interrupt that comes later does not end the wait.
    pub fn interrupt(&mut self, place: Place, thread: ThreadId) {
        let Some(set) = self.0.get_mut(&place) else { return };
        let bit = bit(thread);
        let others_take = |but: Option<usize>| {
            let rest = set.notes.iter().enumerate().filter(|&(number, _)| Some(number) != but);
            one_each(&rest.map(|(_, note)| note & !bit).collect::<Vec<_>>())
        };
        let its_own = |&number: &usize| set.notes[number] & bit != 0 && others_take(Some(number));
        if !others_take(None)
            && let Some(note) = (0..set.notes.len()).find(its_own)
        {
            set.notes.remove(note);
            set.told |= bit;
        }
        set.leave(bit);
    }

    /// A thread's wait is over by time. What it could have been told by now it still can, but nothing later.
    pub fn time_out(&mut self, place: Place, thread: ThreadId) {
        if let Some(set) = self.0.get_mut(&place) {
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
