//! Who waits on which object, and who was told to wake.

use schedule::{ObjectId, ThreadId, ThreadSet, one_each};
use std::collections::HashMap;

/// Where threads wait: the object whose monitor they give up, and which of its conditions, 0 for the monitor's own.
pub type Place = (ObjectId, u32);

/// The wait sets of all objects.
#[derive(Debug, Default)]
pub struct WaitSets(HashMap<Place, WaitSet>);

#[derive(Debug, Default)]
struct WaitSet {
    /// The threads that wait and were neither told by `notifyAll` nor interrupted.
    waiting: ThreadSet,
    /// One for each `notify` that has woken nobody yet: the threads that waited then and still do. Which of them it is
    /// for is decided by who wakes first.
    notes: Vec<ThreadSet>,
    /// The threads that `notifyAll` has told, or `notify` on a condition.
    told: ThreadSet,
    /// Those that have waited, in the order in which they came.
    queue: Vec<ThreadId>,
}

impl WaitSets {
    /// A thread begins to wait.
    pub fn enter(&mut self, place: Place, thread: ThreadId) {
        let set = self.0.entry(place).or_default();
        set.waiting.insert(at(thread));
        set.queue.retain(|&other| other != thread);
        set.queue.push(thread);
    }

    /// Whether a thread that waits was told to wake.
    pub fn is_notified(&self, place: Place, thread: ThreadId) -> bool {
        let thread = at(thread);
        let is_told = |set: &WaitSet| set.told.contains(thread) || set.notes.iter().any(|note| note.contains(thread));
        self.0.get(&place).is_some_and(is_told)
    }

    /// A thread wakes, and uses up what it was told. Says whether it was told.
    pub fn wake(&mut self, place: Place, thread: ThreadId) -> bool {
        let thread = at(thread);
        let Some(set) = self.0.get_mut(&place) else { return false };
        let mut was_told = set.told.remove(thread);
        if !was_told && let Some(note) = set.notes.iter().position(|note| note.contains(thread)) {
            set.notes.remove(note);
            was_told = true;
        }
        set.leave(thread);
        was_told
    }

    /// Tells one of the waiting threads, if there is one that was not told; on a condition, the one that has waited longest.
    pub fn notify(&mut self, place: Place) {
        let Some(set) = self.0.get_mut(&place) else { return };
        if place.1 != 0 {
            if let Some(&first) = set.queue.iter().find(|&&thread| set.waiting.contains(at(thread))) {
                set.waiting.remove(at(first));
                set.told.insert(at(first));
            }
        } else if set.notes.len() < set.waiting.len() {
            set.notes.push(set.waiting.clone());
        }
    }

    /// Whether a notification may be for a thread, or for another.
    pub fn may_be_for(&self, place: Place, thread: ThreadId) -> bool {
        self.0.get(&place).is_some_and(|set| set.notes.iter().any(|note| note.contains(at(thread))))
    }

    /// Each notification that could be for several threads is for the one that has waited longest, as HotSpot has
    /// it. Says whether it could not have been otherwise.
    pub fn settle(&mut self, place: Place) -> bool {
        let Some(set) = self.0.get_mut(&place) else { return true };
        let mut candidates = ThreadSet::default();
        set.notes.iter().for_each(|note| candidates.extend(note));
        let is_certain = candidates.len() == set.notes.len();
        while !set.notes.is_empty() {
            let note = set.notes.remove(0);
            if let Some(&longest) = set.queue.iter().find(|&&thread| note.contains(at(thread))) {
                set.told.insert(at(longest));
                set.leave(at(longest));
            }
        }
        is_certain
    }

    /// How many threads wait there and were not told to wake.
    pub fn waiting(&self, place: Place) -> u32 {
        self.0.get(&place).map_or(0, |set| set.waiting.len() as u32)
    }

    /// Tells all waiting threads.
    pub fn notify_all(&mut self, place: Place) {
        if let Some(set) = self.0.get_mut(&place) {
            set.told.extend(&std::mem::take(&mut set.waiting));
            set.notes.clear();
        }
    }

    /// A thread was interrupted, and what it could have been told goes to others. If they cannot take it all, it is the one that was told: on
    /// HotSpot a notification chooses its thread at once, and an interrupt that comes later does not end the wait.
    pub fn interrupt(&mut self, place: Place, thread: ThreadId) {
        let Some(set) = self.0.get_mut(&place) else { return };
        let thread = at(thread);
        let others_take = |but: Option<usize>| {
            let rest = set.notes.iter().enumerate().filter(|&(number, _)| Some(number) != but);
            one_each(&rest.map(|(_, note)| without(note, thread)).collect::<Vec<_>>())
        };
        let its_own = |&number: &usize| set.notes[number].contains(thread) && others_take(Some(number));
        if !others_take(None)
            && let Some(note) = (0..set.notes.len()).find(its_own)
        {
            set.notes.remove(note);
            set.told.insert(thread);
        }
        set.leave(thread);
    }

    /// A thread's wait is over by time. What it could have been told by now it still can, but nothing later.
    pub fn time_out(&mut self, place: Place, thread: ThreadId) {
        if let Some(set) = self.0.get_mut(&place) {
            set.waiting.remove(at(thread));
        }
    }
}

impl WaitSet {
    fn leave(&mut self, thread: usize) {
        self.waiting.remove(thread);
        for note in &mut self.notes {
            note.remove(thread);
        }
        self.notes.retain(|note| !note.is_empty());
    }
}

fn without(set: &ThreadSet, thread: usize) -> ThreadSet {
    let mut set = set.clone();
    set.remove(thread);
    set
}

fn at(thread: ThreadId) -> usize {
    thread.0.into()
}
