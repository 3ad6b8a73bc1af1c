//! Threads that spin: a loop that only reads waits for what it reads.
//!
//! A thread that goes round and round, reading the same places at the same sites while nobody writes there, waits for
//! one of these places to change. Letting it go round again gives executions that differ in the number of rounds
//! only, and there is no end to them. So once a thread was seen to do [`EVIDENCE`] such rounds, its loop is known, and
//! from then on it is held after [`ROUNDS`] rounds until another thread writes what it reads, or until nothing else
//! can go on. (Two calls of one method read at the same sites too, so fewer rounds are no evidence.)
//!
//! A loop is known together with what it reads: the write that each read saw. A method that reads may be called in a loop that waits, and
//! after it some more times in a row; these calls see the write that has ended the loop, in which nobody was seen to spin.
//!
//! This is sound for loops that carry nothing from round to round but what they read. A loop that counts its rounds
//! and goes on for longer than the evidence may leave by itself, and then what it does next is seen only where nothing
//! else could go on. So it is with code that is no loop, reads the same more than [`ROUNDS`] times in a row at sites at which the thread
//! was seen to spin, and sees the very write there that it spun on. A certificate says so. Events cannot tell these apart.

use crate::dependency::{Footprint, Mode, Resource};
use schedule::FastMap;
use schedule::{Event, EventKind, SiteId};

/// Longer rounds than this are not noticed.
const MAX_ROUND: usize = 12;
/// So many same rounds, and a known loop is held before the next.
const ROUNDS: usize = 2;
/// So many same rounds, and a loop is known.
pub(crate) const EVIDENCE: usize = 16;

/// What each thread has read since it last did anything else.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spins {
    threads: Vec<Reading>,
    /// Who has changed what last.
    changed: FastMap<Resource, Source>,
    /// Threads and sites that are in loops, with what is read there.
    known: FastMap<(usize, SiteId, Source), ()>,
}

/// A write: the thread, and how many changes it had made by then. Zeros for what nobody has written, and for what reads nothing.
type Source = (usize, u32);

#[derive(Clone, Debug, Default)]
struct Reading {
    /// Events that change nothing, since the last that did or since another thread wrote what they read.
    events: Vec<Event>,
    /// What each of them looks at.
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
        let only_reads = || footprint.accesses().all(|access| access.mode == Mode::Read);
        let may_change = matches!(event.kind, EventKind::ClearInterrupted | EventKind::TryLock | EventKind::State);
        if changes_nothing(event.kind) && (!may_change || only_reads()) {
            let seen = footprint.accesses().find_map(|access| self.changed.get(&access.resource));
            let source = seen.copied().unwrap_or_default();
            let reading = &mut self.threads[thread];
            // More is never looked at.
            if reading.events.len() >= 2 * EVIDENCE * MAX_ROUND {
                reading.events.drain(..EVIDENCE * MAX_ROUND);
                reading.footprints.drain(..EVIDENCE * MAX_ROUND);
                reading.sources.drain(..EVIDENCE * MAX_ROUND);
            }
            reading.events.push(event);
            reading.footprints.push(*footprint);
            reading.sources.push(source);
            return;
        }
        self.threads[thread].clear();
        self.threads[thread].changes += 1;
        let source = (thread, self.threads[thread].changes);
        self.changed.extend(
            footprint.accesses().filter(|access| access.mode != Mode::Read).map(|access| (access.resource, source)),
        );
        for access in footprint.accesses().filter(|access| access.mode != Mode::Read) {
            let resource = access.resource;
            for (_, reading) in self.threads.iter_mut().enumerate().filter(|&(other, _)| other != thread) {
                let reads = |footprint: &Footprint| footprint.accesses().any(|access| access.resource == resource);
                if reading.footprints.iter().any(reads) {
                    reading.clear();
                }
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

    /// How many events a round has, if the thread, about to do that event, has done so many same rounds.
    pub fn round_after(&self, thread: usize, next: Event, rounds: usize) -> Option<usize> {
        // An update that has failed is announced as one that may not.
        let kind = if next.kind == EventKind::Update { EventKind::FailedUpdate } else { next.kind };
        let events = &self.threads.get(thread)?.events;
        if events.len() < rounds || !changes_nothing(kind) {
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
        self.footprints.clear();
        self.sources.clear();
        self.released = false;
    }
}

/// Whether events of this kind change nothing, or may change nothing: a look that clears what it finds, an attempt to lock.
fn changes_nothing(kind: EventKind) -> bool {
    use EventKind::{Alive, ClearInterrupted, FailedUpdate, Interrupted, Read, State, TryLock, VolatileRead, Yield};
    matches!(
        kind,
        Read | VolatileRead | FailedUpdate | Yield | Alive | Interrupted | ClearInterrupted | TryLock | State
    )
}
