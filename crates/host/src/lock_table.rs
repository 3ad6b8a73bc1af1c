//! Which thread holds which monitor, and how deep.

use schedule::{ObjectId, ThreadId};

/// The monitors that are held. There are few at a time, so they are simply looked through.
#[derive(Debug, Default)]
pub struct LockTable(Vec<Held>);

#[derive(Debug, Clone, Copy)]
struct Held {
    object: ObjectId,
    owner: ThreadId,
    depth: u32,
}

impl LockTable {
    /// Who holds the monitor of an object.
    pub fn owner(&self, object: ObjectId) -> Option<ThreadId> {
        self.0.iter().rev().find(|held| held.object == object).map(|held| held.owner)
    }

    /// Whether a thread could take a monitor now.
    pub fn is_free_for(&self, object: ObjectId, thread: ThreadId) -> bool {
        self.owner(object).is_none_or(|owner| owner == thread)
    }

    /// How deep a thread holds a monitor.
    pub fn depth(&self, object: ObjectId, thread: ThreadId) -> u32 {
        self.0.iter().rev().find(|held| held.object == object && held.owner == thread).map_or(0, |held| held.depth)
    }

    /// A thread takes a monitor that is free for it, so many times.
    pub fn take(&mut self, object: ObjectId, thread: ThreadId, times: u32) {
        if times == 0 {
            return;
        }
        match self.0.iter_mut().rev().find(|held| held.object == object) {
            Some(held) => held.depth += times,
            None => self.0.push(Held { object, owner: thread, depth: times }),
        }
    }

    /// A thread gives up a monitor once, if it holds it.
    pub fn give_up(&mut self, object: ObjectId, thread: ThreadId) {
        if let Some(at) = self.0.iter().rposition(|held| held.object == object && held.owner == thread) {
            self.0[at].depth -= 1;
            if self.0[at].depth == 0 {
                self.0.swap_remove(at);
            }
        }
    }

    /// A thread gives up a monitor, however deep it holds it. Says how deep that was.
    pub fn give_up_wholly(&mut self, object: ObjectId, thread: ThreadId) -> u32 {
        let depth = self.depth(object, thread);
        self.0.retain(|held| held.object != object || held.owner != thread);
        depth
    }

    /// What a thread holds, in the order of the objects' numbers.
    pub fn held_by(&self, thread: ThreadId) -> Vec<ObjectId> {
        let mut objects: Vec<_> = self.0.iter().filter(|held| held.owner == thread).map(|held| held.object).collect();
        objects.sort();
        objects
    }
}
