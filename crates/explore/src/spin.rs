//! Threads that spin: a loop that only reads waits for what it reads.
//!
//! A thread that has read the same places at the same sites twice over, in rounds, and is about to begin a third
//! round while nobody has written there since, waits for one of these places to change. Letting it go round again
//! gives executions that differ in the number of rounds only, and there is no end to them. So it is held until
//! another thread writes what it reads, or until nothing else can go on.
//!
//! This is sound for loops that carry nothing from round to round but what they read. A loop that counts its
//! rounds (a bounded spin) may leave by itself, and then what it does next is seen only where nothing else could
//! go on: a certificate says so. Events cannot tell the two apart.

use crate::dependency::{Footprint, Mode, Space};
use schedule::{Event, EventKind};

/// Longer rounds than this are not noticed.
const MAX_ROUND: usize = 12;
/// So many same rounds, and the thread is held before the next.
const ROUNDS: usize = 2;

/// What each thread has read since it last did anything else.
#[derive(Clone, Debug, Default)]
pub struct Spins {
    threads: Vec<Reading>,
}

#[derive(Clone, Debug, Default)]
struct Reading {
    /// Events that change nothing, since the last that did or since another thread wrote what they read.
    events: Vec<Event>,
    /// It was let go on although it spins.
    released: bool,
}

impl Spins {
    /// Back to the start, with memory kept.
    pub fn clear(&mut self) {
        self.threads.iter_mut().for_each(Reading::clear);
    }

    /// A thread has done an event.
    pub fn happened(&mut self, thread: usize, event: Event, footprint: &Footprint) {
        if thread >= self.threads.len() {
            self.threads.resize(thread + 1, Reading::default());
        }
        if changes_nothing(event.kind) {
            let reading = &mut self.threads[thread];
            // More is never looked at.
            if reading.events.len() >= 4 * ROUNDS * MAX_ROUND {
                reading.events.drain(..2 * ROUNDS * MAX_ROUND);
            }
            reading.events.push(event);
            return;
        }
        self.threads[thread].clear();
        for access in footprint.accesses().filter(|access| access.mode != Mode::Read) {
            let resource = access.resource;
            for (_, reading) in self.threads.iter_mut().enumerate().filter(|&(other, _)| other != thread) {
                let reads = |event: &Event| match resource.space {
                    Space::Memory => event.kind.is_access() && event.object == resource.object && event.slot == resource.slot,
                    Space::Life => event.kind == EventKind::Alive && event.slot == resource.slot,
                    _ => false,
                };
                if reading.events.iter().any(reads) {
                    reading.clear();
                }
            }
        }
    }

    /// How many events a round has, if the thread, about to do that event, goes round and round.
    pub fn round(&self, thread: usize, next: Event) -> Option<usize> {
        let reading = self.threads.get(thread)?;
        let events = &reading.events;
        // An update that has failed is announced as one that may not.
        let kind = if next.kind == EventKind::Update { EventKind::FailedUpdate } else { next.kind };
        if events.len() < ROUNDS || !changes_nothing(kind) {
            return None;
        }
        let next = Event { kind, ..next };
        (1..=MAX_ROUND.min(events.len() / ROUNDS)).find(|&round| {
            let tail = &events[events.len() - ROUNDS * round..];
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
        self.released = false;
    }
}

fn changes_nothing(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::Read | EventKind::VolatileRead | EventKind::FailedUpdate | EventKind::Yield | EventKind::Alive
    )
}
