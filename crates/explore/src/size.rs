//! How many traces a test has at least, as far as one execution shows.
//!
//! Where two threads write one place three times each, there are at least as many traces as ways to merge the two. Places that one lock protects do not count: their order is that of the lock. A lock counts for each time
//! that it is taken, unless another is always held then. Of all places and locks the one with the most ways counts.
//!
//! That is a guess. Threads that wait for each other have fewer ways, and nothing is guessed for an execution in which one
//! does. Whether a place is protected by steps of a synchronizer is not known.

use crate::execution::Execution;
use schedule::{Event, EventKind, FastMap, ObjectId, ThreadId};

/// What one thread does at one place.
#[derive(Clone, Copy, Default)]
struct Uses {
    reads: u32,
    writes: u32,
}

/// A place, or a lock.
struct Shared {
    uses: Vec<(ThreadId, Uses)>,
    /// Locks that were held at each use.
    held: Vec<ObjectId>,
}

/// The logarithm of the number of traces.
pub(crate) fn traces(execution: &Execution<'_>) -> f64 {
    let steps = &execution.trace.steps;
    let lives = Lives::of(execution);
    let mut held: FastMap<ThreadId, Vec<ObjectId>> = FastMap::default();
    let mut places: FastMap<(ObjectId, u32), Shared> = FastMap::default();
    for (at, step) in steps.iter().enumerate() {
        let Event { kind, object, slot, .. } = step.event;
        let own = held.entry(step.thread).or_default();
        let place = match kind {
            EventKind::Wait | EventKind::Park | EventKind::Sleep => return 0.0,
            EventKind::Lock | EventKind::TryLock | EventKind::LockWithin => {
                own.push(object);
                // Other threads cannot notice that a thread takes a lock again which it holds.
                if own.iter().filter(|&&other| other == object).count() > 1 {
                    continue;
                }
                (object, Event::MONITOR)
            }
            EventKind::Unlock => {
                if let Some(place) = own.iter().rposition(|&other| other == object) {
                    own.remove(place);
                }
                continue;
            }
            kind if kind.is_access() => (object, slot),
            _ => continue,
        };
        if !lives.has_company(at, step.thread) {
            continue;
        }
        let is_held = |lock: &ObjectId| (*lock, Event::MONITOR) != place && own.contains(lock);
        let shared = places.entry(place).or_insert_with(|| Shared { uses: Vec::new(), held: own.clone() });
        shared.held.retain(is_held);
        let number = shared.uses.iter().position(|(thread, _)| *thread == step.thread).unwrap_or_else(|| {
            shared.uses.push((step.thread, Uses::default()));
            shared.uses.len() - 1
        });
        let uses = &mut shared.uses[number].1;
        match kind.is_access() && !kind.is_write() {
            true => uses.reads += 1,
            false => uses.writes += 1,
        }
    }
    places.values().filter(|shared| shared.held.is_empty()).map(Shared::ways).fold(0.0, f64::max)
}

impl Shared {
    /// The logarithm of the number of ways to merge what the threads do here: their writes in any order, and the reads of
    /// those that only read among them, for reads commute. Reads of those that write as well are left out.
    fn ways(&self) -> f64 {
        let factorial = |count: u32| (2..=count.min(1_000)).map(|factor| f64::from(factor).ln()).sum::<f64>();
        let written: u32 = self.uses.iter().map(|(_, uses)| uses.writes).sum();
        let ways = |(_, uses): &(ThreadId, Uses)| match uses.writes {
            0 => factorial(written + uses.reads) - factorial(written) - factorial(uses.reads),
            writes => -factorial(writes),
        };
        factorial(written) + self.uses.iter().map(ways).sum::<f64>()
    }
}

/// From when to when threads are there, in steps.
struct Lives {
    of: Vec<(ThreadId, usize, usize)>,
    /// Whether the first thread does something beside others. That of a test only waits for them.
    first_takes_part: bool,
}

impl Lives {
    fn of(execution: &Execution<'_>) -> Lives {
        let mut lives = Lives { of: Vec::new(), first_takes_part: false };
        // Threads of the test are there together, from the first step of one of them on.
        let mut group = None;
        for (at, step) in execution.trace.steps.iter().enumerate() {
            let other = ThreadId(step.event.slot as u16);
            match step.event.kind {
                EventKind::Start => lives.of.push((other, at, usize::MAX)),
                EventKind::Join => {
                    lives.of.iter_mut().filter(|(thread, ..)| *thread == other).for_each(|life| life.2 = at);
                }
                kind if step.thread == ThreadId(0) && (kind.is_access() || kind == EventKind::Lock) => {
                    lives.first_takes_part |= lives.has_company(at, step.thread);
                }
                _ => {}
            }
            if step.thread != ThreadId(0) && lives.of.iter().all(|(thread, ..)| *thread != step.thread) {
                lives.of.push((step.thread, *group.get_or_insert(at), usize::MAX));
            }
        }
        lives
    }

    /// Whether another thread is there while a thread does a step.
    fn has_company(&self, at: usize, thread: ThreadId) -> bool {
        let is_there = |&(other, from, to): &(ThreadId, usize, usize)| other != thread && (from..to).contains(&at);
        self.of.iter().any(is_there) || self.first_takes_part && thread != ThreadId(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::End;
    use schedule::{SiteId, Step, Trace};

    const X: u32 = 7;
    const LOCK: u32 = 8;

    fn guess(steps: &[(u16, EventKind, u32)]) -> f64 {
        let step = |&(thread, kind, object): &(u16, EventKind, u32)| {
            // Threads are in the slot.
            let slot = if matches!(kind, EventKind::Start | EventKind::Join) { object } else { 0 };
            let event = Event { kind, object: ObjectId(object), slot, site: SiteId::NONE };
            Step { thread: ThreadId(thread), event }
        };
        let trace = Trace { steps: steps.iter().map(step).collect() };
        traces(&Execution { trace: &trace, pending: &[], timed_out: &[], end: End::Done }).exp().round()
    }

    #[test]
    fn places_that_no_lock_protects_are_merged_in_all_ways() {
        use EventKind::{Read, Write};
        let [a, b] = [1, 2].map(|thread| [(thread, Read, X), (thread, Write, X)]);
        assert_eq!(guess(&[a, b].concat()), 2.0);
        assert_eq!(guess(&[(1, Write, X), (2, Read, X), (3, Read, X)]), 4.0, "reads commute");
        assert_eq!(guess(&[(1, Read, X), (1, Read, X), (2, Read, X)]), 1.0, "nobody writes");
        assert_eq!(guess(&[(1, Write, X), (1, Read, X), (2, Read, X)]), 2.0, "the writer's read is its own");
        assert_eq!(guess(&[(0, Write, X), (0, Write, X), (1, Write, X)]), 1.0, "the first was alone");
    }

    #[test]
    fn what_a_lock_protects_counts_once_each_time() {
        use EventKind::{Lock, Unlock, Write};
        let section = |thread| [(thread, Lock, LOCK), (thread, Write, X), (thread, Write, X), (thread, Unlock, LOCK)];
        assert_eq!(guess(&[section(1), section(2)].concat()), 2.0);
        assert_eq!(guess(&[section(1), section(1), section(2)].concat()), 3.0);
    }

    #[test]
    fn threads_that_are_never_there_together_have_one_order() {
        use EventKind::{Join, Start, Wait, Write};
        let one_by_one = [(0, Start, 1), (1, Write, X), (0, Join, 1), (0, Start, 2), (2, Write, X), (0, Join, 2)];
        assert_eq!(guess(&one_by_one), 1.0);
        let together = [(0, Start, 1), (1, Write, X), (0, Start, 2), (2, Write, X), (0, Join, 1), (0, Join, 2)];
        assert_eq!(guess(&together), 1.0, "the first write came before the other thread");
        let beside = [(0, Start, 1), (0, Write, X), (1, Write, X)];
        assert_eq!(guess(&beside), 2.0);
        assert_eq!(guess(&[(1, Write, X), (2, Write, X), (2, Wait, LOCK)]), 1.0, "somebody waits");
    }
}
