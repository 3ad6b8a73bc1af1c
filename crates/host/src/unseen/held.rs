//! Monitors that opaque code takes.
//!
//! Opaque code tells of no locks. That is no matter while nothing happens inside: the thread goes in and out in one
//! step. If it stops at an event inside, other threads can see that the monitor is taken. So they can if rewritten
//! code of another thread takes it, too. Such a monitor is opened: from then on it is taken and given up by events.

use crate::objects::Objects;
use schedule::{EventKind, FastMap, ObjectId, ThreadId, Trace};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// The monitors that opaque code took in one execution without events.
#[derive(Default)]
pub struct Held {
    /// By the identity hash of the object.
    monitors: FastMap<i32, Monitor>,
    /// Who is inside, and how many events there were before.
    inside: Vec<(ThreadId, i32, usize)>,
}

#[derive(Default)]
struct Monitor {
    /// What is to be opened.
    places: BTreeSet<u32>,
    threads: BTreeSet<ThreadId>,
    /// Whether other threads could see that it was taken.
    is_seen: bool,
}

impl Held {
    /// A thread takes the monitor of an object, after so many events.
    pub fn enter(&mut self, thread: ThreadId, hash: i32, place: u32, at: usize) {
        let monitor = self.monitors.entry(hash).or_default();
        monitor.places.insert(place);
        monitor.threads.insert(thread);
        self.inside.push((thread, hash, at));
    }

    /// A thread gives up the monitor of an object, after so many events.
    pub fn leave(&mut self, thread: ThreadId, hash: i32, at: usize) {
        let last = self.inside.iter().rposition(|&(who, what, _)| (who, what) == (thread, hash));
        let Some((.., entered)) = last.map(|last| self.inside.remove(last)) else { return };
        if entered != at {
            self.monitors.entry(hash).or_default().is_seen = true;
        }
    }

    /// A thread finds the monitor of an object taken.
    pub fn contend(&mut self, hash: i32) {
        if let Some(monitor) = self.monitors.get_mut(&hash) {
            monitor.is_seen = true;
        }
    }

    /// The places that must be opened: the monitors that one thread could be seen inside, and another one takes.
    pub fn finish(mut self, objects: &Objects, trace: &Trace) -> BTreeSet<u32> {
        for (thread, hash, _) in self.inside.clone() {
            self.leave(thread, hash, trace.steps.len());
        }
        let mut locks: FastMap<ObjectId, BTreeSet<ThreadId>> = FastMap::default();
        for step in &trace.steps {
            if matches!(step.event.kind, EventKind::Lock | EventKind::LockInVain) {
                locks.entry(step.event.object).or_default().insert(step.thread);
            }
        }
        let nobody = BTreeSet::new();
        let must_open = |(hash, monitor): &(i32, Monitor)| {
            let locks = objects.find(*hash).and_then(|object| locks.get(&object)).unwrap_or(&nobody);
            // Whoever takes it by events is seen inside.
            let is_seen = monitor.is_seen || !locks.is_empty();
            is_seen && locks.union(&monitor.threads).nth(1).is_some()
        };
        self.monitors.into_iter().filter(must_open).flat_map(|(_, monitor)| monitor.places).collect()
    }
}

thread_local! {
    /// The monitors that the thread has taken in opaque code: identity hashes, and whether that was an event.
    static TAKEN: RefCell<Vec<(i32, bool)>> = const { RefCell::new(Vec::new()) };
}

/// The current thread has taken none.
pub fn forget_taken() {
    TAKEN.with_borrow_mut(Vec::clear);
}

/// The current thread takes a monitor in opaque code.
pub fn take(hash: i32, by_event: bool) {
    TAKEN.with_borrow_mut(|taken| taken.push((hash, by_event)));
}

/// The current thread gives up a monitor in opaque code. Says whether it was taken by an event, if it was seen to
/// be taken.
pub fn give_up(hash: i32) -> Option<bool> {
    TAKEN.with_borrow_mut(|taken| {
        let last = taken.iter().rposition(|&(what, _)| what == hash)?;
        Some(taken.remove(last).1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedule::{Event, SiteId, Step};

    const HASH: i32 = 5;

    fn opened(held: Held, locks: &[u16]) -> Vec<u32> {
        let mut objects = Objects::default();
        let object = objects.number(HASH);
        let event = Event { kind: EventKind::Lock, object, slot: 0, site: SiteId(0) };
        let other = Event { kind: EventKind::Read, object: ObjectId(9), ..event };
        let steps = locks.iter().map(|&thread| Step { thread: ThreadId(thread), event });
        let steps = steps.chain([Step { thread: ThreadId(1), event: other }]).collect();
        held.finish(&objects, &Trace { steps }).into_iter().collect()
    }

    fn held(visits: &[(u16, usize, Option<usize>)]) -> Held {
        let mut held = Held::default();
        for &(thread, from, to) in visits {
            held.enter(ThreadId(thread), HASH, 7, from);
            to.into_iter().for_each(|to| held.leave(ThreadId(thread), HASH, to));
        }
        held
    }

    #[test]
    fn a_monitor_is_opened_if_a_thread_stops_inside_and_another_takes_it() {
        assert_eq!(opened(held(&[(1, 0, Some(0)), (2, 3, Some(3))]), &[]), [], "nobody stops inside");
        assert_eq!(opened(held(&[(1, 0, Some(2))]), &[1]), [], "nobody else takes it");
        assert_eq!(opened(held(&[(1, 0, Some(2)), (2, 3, Some(3))]), &[]), [7]);
        assert_eq!(opened(held(&[(1, 0, Some(2))]), &[2]), [7], "rewritten code takes it");
        assert_eq!(opened(held(&[(1, 0, None), (2, 3, Some(3))]), &[]), [7], "a thread is still inside");
    }

    #[test]
    fn a_monitor_that_is_found_taken_is_opened() {
        let visits = [(1, 0, Some(0)), (2, 3, Some(3))];
        assert_eq!(opened(held(&visits), &[]), []);
        let mut held = held(&visits);
        held.contend(HASH);
        assert_eq!(opened(held, &[]), [7]);
    }
}
