//! Threads that spin: a loop that changes nothing waits for what it reads.
//!
//! A thread that goes round and round, reading the same places at the same sites while nobody writes there, waits for
//! one of these places to change. It may take locks to look, if it gives them back in the same round. Letting it go
//! round again gives executions that differ in the number of rounds only, and there is no end to them. So once a
//! thread was seen to do [`EVIDENCE`] such rounds, its loop is known. From then on it is held after [`ROUNDS`] rounds
//! until another thread writes what it reads, or until nothing else can go on. (Two calls of one method read at the
//! same sites too, so fewer rounds are no evidence.)
//!
//! A loop is known together with what it reads: the write that each read saw. A method that reads may be called in a
//! loop that waits, and after it some more times in a row. These calls see the write that has ended the loop, in which
//! nobody was seen to spin.
//!
//! A lock that is taken and given back is no change: a thread that waits for it gets it, and finds it as it was. But a
//! thread that tries to take it, or looks who holds it or waits for it, may see the difference. So each such look of
//! another thread lets a loop go on that takes the lock.
//!
//! This is sound for loops that carry nothing from round to round but what they read. A loop that counts its rounds
//! and goes on for longer than the evidence may leave by itself, and then what it does next is seen only where nothing
//! else could go on. The same holds for code that is no loop, reads the same more than [`ROUNDS`] times in a row at
//! sites at which the thread was seen to spin, and sees the very write there that it spun on. A certificate says so.
//! Events cannot tell these apart.

use crate::dependency::{Access, Footprint, Mode, Resource, Space};
use schedule::FastMap;
use schedule::{Event, EventKind, SiteId};

/// Longer rounds than this are not noticed.
const MAX_ROUND: usize = 24;
/// So many same rounds, and a known loop is held before the next.
const ROUNDS: usize = 2;
/// So many same rounds, and a loop is known.
pub(crate) const EVIDENCE: usize = 16;

/// What each thread has read since it last changed anything.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spins {
    threads: Vec<Reading>,
    /// Who has changed what last.
    changed: FastMap<Resource, Source>,
    /// Threads and sites that are in loops, with what is read there.
    known: FastMap<(usize, SiteId, Source), ()>,
}

/// A write: the thread, and how many changes it had made by then. Zeros for what nobody has written, and for what
/// reads nothing.
type Source = (usize, u32);

/// What an event is in a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    Look,
    /// It takes a lock.
    Take,
    /// It gives a lock back.
    Give,
}

#[derive(Clone, Debug, Default)]
struct Reading {
    /// Events that change nothing, and locks that are taken or given back, since the last that changed something or
    /// since another thread did what lets the loop go on.
    events: Vec<Event>,
    /// What each of them is in a round.
    parts: Vec<Part>,
    /// What each of them touches.
    footprints: Vec<Footprint>,
    /// What each of them has seen.
    sources: Vec<Source>,
    /// How often it has changed anything.
    changes: u32,
    /// It was let go on although it spins.
    released: bool,
}

impl Spins {
    /// Back to the start, with memory and what is known kept.
    pub fn clear(&mut self) {
        self.changed.clear();
        for reading in &mut self.threads {
            reading.clear();
            reading.changes = 0;
        }
    }

    /// A thread has done an event.
    pub fn happened(&mut self, thread: usize, event: Event, footprint: &Footprint) {
        if thread >= self.threads.len() {
            self.threads.resize(thread + 1, Reading::default());
        }
        let part = part(event, footprint);
        let seen = footprint.accesses().find_map(|access| self.changed.get(&access.resource)).copied();
        let reading = &mut self.threads[thread];
        match part {
            Some(part) => {
                // More is never looked at.
                if reading.events.len() >= 2 * EVIDENCE * MAX_ROUND {
                    reading.events.drain(..EVIDENCE * MAX_ROUND);
                    reading.parts.drain(..EVIDENCE * MAX_ROUND);
                    reading.footprints.drain(..EVIDENCE * MAX_ROUND);
                    reading.sources.drain(..EVIDENCE * MAX_ROUND);
                }
                reading.events.push(event);
                reading.parts.push(part);
                reading.footprints.push(*footprint);
                // Who had a lock before makes no difference to whoever takes it.
                reading.sources.push(seen.filter(|_| part == Part::Look).unwrap_or_default());
            }
            None => {
                reading.clear();
                reading.changes += 1;
            }
        }
        let source = (thread, self.threads[thread].changes);
        let changes = footprint.accesses().filter(|access| access.mode != Mode::Read);
        self.changed.extend(changes.map(|access| (access.resource, source)));
        // Most events are looks, and let nobody go on.
        if !observes(event) && footprint.accesses().all(|access| access.mode == Mode::Read) {
            return;
        }
        for (_, reading) in self.threads.iter_mut().enumerate().filter(|&(other, _)| other != thread) {
            if reading.footprints.iter().any(|read| lets_go_on(read, event, footprint)) {
                reading.clear();
            }
        }
    }

    /// How many events a round has, if the thread, about to do that event, goes round a loop that is known.
    pub fn round(&self, thread: usize, next: Event) -> Option<usize> {
        if self.known.is_empty() {
            return None;
        }
        let round = self.round_after(thread, next, ROUNDS)?;
        self.loop_of(thread, round).all(|part| self.known.contains_key(&part)).then_some(round)
    }

    /// Looks for evidence of a loop that is not known, and knows it then. Says whether there was any.
    pub fn learn(&mut self, thread: usize, next: Event) -> bool {
        let Some(round) = self.round_after(thread, next, EVIDENCE) else { return false };
        let (known, parts) = (self.known.len(), self.loop_of(thread, round).collect::<Vec<_>>());
        self.known.extend(parts.into_iter().map(|part| (part, ())));
        self.known.len() > known
    }

    /// The last round of a thread.
    fn loop_of(&self, thread: usize, round: usize) -> impl Iterator<Item = (usize, SiteId, Source)> {
        let Reading { events, sources, .. } = &self.threads[thread];
        let last = events.len() - round..;
        events[last.clone()].iter().zip(&sources[last]).map(move |(event, source)| (thread, event.site, *source))
    }

    /// How many events a round has, if the thread, about to do that event, has done so many same rounds and gave back
    /// in each what it took.
    fn round_after(&self, thread: usize, next: Event, rounds: usize) -> Option<usize> {
        let round = self.goes_round(thread, next, rounds)?;
        let Reading { events, parts, .. } = &self.threads[thread];
        let last = events.len() - round..;
        is_balanced(&events[last.clone()], &parts[last]).then_some(round)
    }

    /// The same wherever in a round the thread is.
    pub fn goes_round(&self, thread: usize, next: Event, rounds: usize) -> Option<usize> {
        // An update that has failed is announced as one that may not.
        let kind = if next.kind == EventKind::Update { EventKind::FailedUpdate } else { next.kind };
        let events = &self.threads.get(thread)?.events;
        if events.len() < rounds {
            return None;
        }
        let next = Event { kind, ..next };
        (1..=MAX_ROUND.min(events.len() / rounds)).find(|&round| {
            let tail = &events[events.len() - rounds * round..];
            tail[0] == next && tail[round..] == tail[..tail.len() - round]
        })
    }

    /// Whether the thread was let go on although it spins.
    pub fn is_released(&self, thread: usize) -> bool {
        self.threads.get(thread).is_some_and(|reading| reading.released)
    }

    /// These threads go on although they spin, until they do something else or see another value.
    pub fn release(&mut self, threads: impl Iterator<Item = usize>) {
        for thread in threads {
            if let Some(reading) = self.threads.get_mut(thread) {
                reading.released = true;
            }
        }
    }
}

impl Reading {
    fn clear(&mut self) {
        self.events.clear();
        self.parts.clear();
        self.footprints.clear();
        self.sources.clear();
        self.released = false;
    }
}

/// What an event is in a round that changes nothing; None if it changes something.
fn part(event: Event, footprint: &Footprint) -> Option<Part> {
    use EventKind::{Alive, Attempt, ClearInterrupted, FailedUpdate, Interrupted, Lock, Read, State, TryLock, Unlock};
    let only_reads = || footprint.accesses().all(|access| access.mode == Mode::Read);
    let takes =
        || footprint.accesses().all(|access| access.resource.space == Space::Monitor && access.mode == Mode::Write);
    match event.kind {
        Read | EventKind::VolatileRead | FailedUpdate | EventKind::Yield | Alive | Interrupted => Some(Part::Look),
        // They may have found something, and changed it.
        ClearInterrupted | State => only_reads().then_some(Part::Look),
        Lock => Some(Part::Take),
        Unlock => Some(Part::Give),
        TryLock => Some(if takes() { Part::Take } else { Part::Look }),
        // One that fails begins to wait, which is over once the thread goes on.
        Attempt if event.attempted().is_some_and(|attempted| attempted.kind == Lock) => {
            Some(if takes() { Part::Take } else { Part::Look })
        }
        _ => None,
    }
}

/// Whether a round gives back what it takes, and nothing else.
fn is_balanced(events: &[Event], parts: &[Part]) -> bool {
    let mut held = Vec::new();
    for (event, part) in events.iter().zip(parts) {
        match part {
            Part::Look => {}
            Part::Take => held.push(event.object),
            Part::Give => match held.iter().rposition(|&object| object == event.object) {
                Some(place) => drop(held.remove(place)),
                None => return false,
            },
        }
    }
    held.is_empty()
}

/// Whether a loop goes on because of an event of another thread, given what one of its own events touches: that
/// changes what it looks at, or looks at a lock that it takes.
pub(crate) fn lets_go_on(own: &Footprint, event: Event, footprint: &Footprint) -> bool {
    let is_by = |own: Access, other: Access| {
        own.resource == other.resource
            && if own.mode == Mode::Read { other.mode != Mode::Read } else { observes(event) }
    };
    own.accesses().any(|own| footprint.accesses().any(|other| is_by(own, other)))
}

/// Whether an event may see that a lock is held, or that a thread waits for it, for a moment.
fn observes(event: Event) -> bool {
    matches!(event.kind, EventKind::TryLock | EventKind::LockWithin | EventKind::Attempt | EventKind::State)
        || event.kind.is_access() && event.slot == Event::SYNCHRONIZER
}
