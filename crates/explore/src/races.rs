//! Data races of an execution, under Java's happens-before.
//!
//! FastTrack: C. Flanagan, S. N. Freund, *FastTrack: Efficient and Precise Dynamic Race Detection*, PLDI 2009. An
//! access is remembered as an epoch (a thread and its clock), and several of one place only as long as none stands
//! for the others. Deviations: with each epoch goes the step, so that both sides of a race are told; concurrent
//! writes are kept like concurrent reads, for volatile writes do not race with one another but each may race with a
//! plain access that comes later.
//!
//! What orders events in Java, and here: program order; the release of a monitor (by unlock or wait) and its next
//! taking; a volatile write and reads that follow, where updates are both; the start of a thread and its first
//! event; its last event and a join or `isAlive` that sees it; an interrupt and whoever finds out. A notification
//! and a permit order nothing by themselves. Two plain accesses of one place, one of them a write, that are not
//! ordered are a race; so is a plain access with a volatile one.
//!
//! Never falsely reported for events as they are told. Missed: races of events that are opaque, and those hidden by
//! accesses in opaque or acquire mode, which are told as volatile. Of several races on one place at least one
//! is found; others may be.

use crate::execution::Execution;
use crate::hash::FastMap;
use crate::names::Names;
use crate::state::State;
use schedule::{Event, EventKind, ObjectId, SiteId, ThreadId};
use std::collections::BTreeSet;

/// Two accesses of one place that nothing orders.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Race {
    /// The step of the earlier access.
    pub first: usize,
    /// The step of the later one.
    pub second: usize,
    /// Where the earlier one is in the code.
    pub first_site: SiteId,
    /// Where the later one is.
    pub second_site: SiteId,
}

/// The races of an execution, one for each pair of sites and kinds, in the order of their second access.
pub fn races(execution: &Execution<'_>) -> Vec<Race> {
    let mut detector = Detector::default();
    execution.trace.steps.iter().enumerate().for_each(|(step, s)| detector.step(step, s.thread, s.event));
    detector.races
}

#[derive(Default)]
struct Detector {
    names: Names,
    /// Follows interrupts and ends, to know what a join or wake-up has seen.
    state: State,
    threads: Vec<Option<Clock>>,
    /// The clock of the first thread when the test's own threads were there first.
    group: Option<Clock>,
    /// What whoever takes the monitor, or reads the volatile, comes after.
    released: FastMap<(bool, ObjectId, u32), Clock>,
    /// What the started, the joined and the interrupted hand on.
    started: FastMap<usize, Clock>,
    ended: FastMap<usize, Clock>,
    interrupts: FastMap<usize, Clock>,
    places: FastMap<(ObjectId, u32), Place>,
    races: Vec<Race>,
    known: BTreeSet<(SiteId, EventKind, SiteId, EventKind)>,
}

#[derive(Clone, Default, Debug)]
struct Clock(Vec<u32>);

#[derive(Clone, Copy, Debug)]
struct Epoch {
    thread: usize,
    clock: u32,
    step: usize,
    event: Event,
}

/// Accesses of one place that may still race with a later one: for each that is left out, one that happens after it
/// and races with whatever it races with is here.
type Place = Vec<Epoch>;

impl Clock {
    fn at(&self, thread: usize) -> u32 {
        self.0.get(thread).copied().unwrap_or(0)
    }

    fn join(&mut self, other: &Clock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
    }

    fn tick(&mut self, thread: usize) {
        if self.0.len() <= thread {
            self.0.resize(thread + 1, 0);
        }
        self.0[thread] += 1;
    }

    fn is_after(&self, epoch: &Epoch) -> bool {
        self.at(epoch.thread) >= epoch.clock
    }
}

impl Detector {
    fn step(&mut self, step: usize, raw: ThreadId, event: Event) {
        let thread = self.names.name(raw);
        // What the virtual machine keeps is no part of the memory model.
        let kind = if event.is_of_machine() { EventKind::Yield } else { event.kind };
        let event = self.names.event(thread, Event { kind, ..event });
        let mut clock = self.clock_of(thread);
        // A step of a synchronizer is like a look at, or a change of, the lock that it may be.
        let in_memory = event.kind.is_access() && event.slot != Event::SYNCHRONIZER;
        let key = (in_memory, event.object, event.slot * in_memory as u32);
        match event.kind {
            EventKind::TryLock | EventKind::LockWithin if !self.takes(thread, event) => {}
            EventKind::Lock
            | EventKind::TryLock
            | EventKind::LockWithin
            | EventKind::Wake
            | EventKind::VolatileRead
            | EventKind::FailedUpdate
            | EventKind::Update => {
                if let Some(released) = self.released.get(&key) {
                    clock.join(released);
                }
            }
            EventKind::Join | EventKind::Alive if self.state.has_ended(event.slot as usize) => {
                if let Some(ended) = self.ended.get(&(event.slot as usize)) {
                    clock.join(ended);
                }
            }
            _ => {}
        }
        let about = match event.kind {
            EventKind::Interrupted | EventKind::ClearInterrupted => Some(event.slot as usize),
            EventKind::Wake | EventKind::LockWithin | EventKind::Sleep | EventKind::Join => Some(thread),
            _ => None,
        };
        if let Some(interrupt) =
            about.filter(|&who| self.state.is_interrupted(who)).and_then(|who| self.interrupts.get(&who))
        {
            clock.join(interrupt);
        }
        clock.tick(thread);
        if event.kind.is_access() {
            self.access(&clock, Epoch { thread, clock: clock.at(thread), step, event });
        }
        match event.kind {
            EventKind::Unlock | EventKind::Wait | EventKind::VolatileWrite | EventKind::Update => {
                self.released.entry(key).or_default().join(&clock);
            }
            EventKind::Start => drop(self.started.insert(event.slot as usize, clock.clone())),
            EventKind::End => drop(self.ended.insert(thread, clock.clone())),
            EventKind::Interrupt => self.interrupts.entry(event.slot as usize).or_default().join(&clock),
            _ => {}
        }
        self.threads[thread] = Some(clock);
        self.state.apply(thread, event);
        self.names.happened(thread, event);
    }

    /// Whether an attempt to take a lock succeeds.
    fn takes(&self, thread: usize, event: Event) -> bool {
        let gives_up = event.kind == EventKind::LockWithin && self.state.is_interrupted(thread);
        !gives_up && self.state.holder(event.object).is_none_or(|holder| holder == thread)
    }

    fn clock_of(&mut self, thread: usize) -> Clock {
        if self.threads.len() <= thread {
            self.threads.resize(thread + 1, None);
        }
        if let Some(clock) = self.threads[thread].take() {
            return clock;
        }
        match self.started.get(&thread) {
            Some(started) => started.clone(),
            None if thread == 0 => Clock::default(),
            // The test's own threads come after what the first thread did before any of them was there.
            None => self.group.get_or_insert_with(|| self.threads[0].clone().unwrap_or_default()).clone(),
        }
    }

    fn access(&mut self, clock: &Clock, now: Epoch) {
        let place = self.places.entry((now.event.object, now.event.slot)).or_default();
        for before in place.iter() {
            let conflict = before.event.kind.is_write() || now.event.kind.is_write();
            let (first, second) = (before.event, now.event);
            if conflict
                && (is_plain(first) || is_plain(second))
                && !clock.is_after(before)
                && self.known.insert((first.site, first.kind, second.site, second.kind))
            {
                let (first_site, second_site) = (first.site, second.site);
                self.races.push(Race { first: before.step, second: now.step, first_site, second_site });
            }
        }
        let stands_for = |before: &Epoch| {
            (now.event.kind.is_write() || !before.event.kind.is_write())
                && (is_plain(now.event) || !is_plain(before.event))
        };
        place.retain(|before| !(clock.is_after(before) && stands_for(before)));
        place.push(now);
    }
}

fn is_plain(event: Event) -> bool {
    matches!(event.kind, EventKind::Read | EventKind::Write)
}
