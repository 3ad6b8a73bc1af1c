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
//! event; its last event and a join, `isAlive` or `getState` that sees it; an interrupt and whoever finds out. A
//! notification and a permit order nothing by themselves. Two plain accesses of one place, one of them a write,
//! that are not ordered are a race; so is a plain access with a volatile one.
//!
//! Never falsely reported for events as they are told. Missed: races of events that are opaque, and those hidden by
//! accesses in opaque or acquire mode, which are told as volatile. Of several races on one place at least one
//! is found; others may be.

use crate::execution::Execution;
use crate::names::Names;
use crate::state::State;
use schedule::FastMap;
use schedule::{Event, EventKind, ObjectId, SiteId, ThreadId};
use std::collections::BTreeSet;
use std::hash::Hash;

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
    RaceDetector::default().races(execution).to_vec()
}

/// Finds the races of one execution after the other. Most of what a small execution costs is memory, so that is kept.
#[derive(Debug, Default)]
pub struct RaceDetector {
    names: Names,
    /// Follows interrupts and ends, to know what a join or wake-up has seen.
    state: State,
    threads: Clocks,
    /// The clock of the first thread when the test's own threads were there first.
    group: Option<Clock>,
    /// What whoever takes the monitor, or reads the volatile, comes after.
    released: Pooled<(bool, ObjectId, u32), Clock>,
    /// What the started, the joined and the interrupted hand on.
    started: Clocks,
    ended: Clocks,
    interrupts: Clocks,
    places: Pooled<(ObjectId, u32), Place>,
    races: Vec<Race>,
    known: BTreeSet<(SiteId, EventKind, SiteId, EventKind)>,
}

/// How many events of each thread come before, or are, the last of one. Empty where there was none.
#[derive(Clone, Default, Debug)]
struct Clock(Vec<u32>);

/// A clock for each thread that has one.
#[derive(Default, Debug)]
struct Clocks(Vec<Clock>);

/// Values by key, whose memory outlives them.
#[derive(Debug)]
struct Pooled<K, V> {
    places: FastMap<K, usize>,
    values: Vec<V>,
}

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

impl<K, V> Default for Pooled<K, V> {
    fn default() -> Self {
        Pooled { places: FastMap::default(), values: Vec::new() }
    }
}

impl<K: Eq + Hash, V: Default> Pooled<K, V> {
    /// Forgets all values, each of which was emptied.
    fn clear(&mut self, empty: impl FnMut(&mut V)) {
        self.values[..self.places.len()].iter_mut().for_each(empty);
        self.places.clear();
    }

    fn get(&self, key: &K) -> Option<&V> {
        self.places.get(key).map(|&place| &self.values[place])
    }

    /// The value of that key, empty if there was none.
    fn at(&mut self, key: K) -> &mut V {
        let next = self.places.len();
        let place = *self.places.entry(key).or_insert(next);
        if place == self.values.len() {
            self.values.push(V::default());
        }
        &mut self.values[place]
    }
}

impl Clocks {
    fn clear(&mut self) {
        self.0.iter_mut().for_each(|clock| clock.0.clear());
    }

    fn get(&self, thread: usize) -> Option<&Clock> {
        self.0.get(thread).filter(|clock| !clock.0.is_empty())
    }

    fn at(&mut self, thread: usize) -> &mut Clock {
        if self.0.len() <= thread {
            self.0.resize(thread + 1, Clock::default());
        }
        &mut self.0[thread]
    }
}

impl Clock {
    fn at(&self, thread: usize) -> u32 {
        self.0.get(thread).copied().unwrap_or(0)
    }

    /// Becomes the same as the other.
    fn set(&mut self, other: &Clock) {
        self.0.clear();
        self.0.extend_from_slice(&other.0);
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

impl RaceDetector {
    /// The races of an execution, one for each pair of sites and kinds, in the order of their second access.
    pub fn races(&mut self, execution: &Execution<'_>) -> &[Race] {
        self.clear();
        execution.trace.steps.iter().enumerate().for_each(|(step, s)| self.step(step, s.thread, s.event));
        &self.races
    }

    fn clear(&mut self) {
        // What threads are called need not be the same in the next execution, which may be of another test.
        self.names = Names::default();
        self.state.clear();
        for clocks in [&mut self.threads, &mut self.started, &mut self.ended, &mut self.interrupts] {
            clocks.clear();
        }
        self.group = None;
        self.released.clear(|clock| clock.0.clear());
        self.places.clear(Place::clear);
        self.races.clear();
        self.known.clear();
    }

    fn step(&mut self, step: usize, raw: ThreadId, event: Event) {
        let thread = self.names.name(raw);
        // What the virtual machine keeps is no part of the memory model.
        let kind = if event.is_of_machine() { EventKind::Yield } else { event.kind };
        let event = self.names.event(thread, Event { kind, ..event });
        // An attempt that succeeds is what it is an attempt at.
        let event = event.attempted().filter(|&attempted| self.state.can_do(thread, attempted)).unwrap_or(event);
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
            EventKind::Join | EventKind::Alive | EventKind::State if self.state.has_ended(event.slot as usize) => {
                if let Some(ended) = self.ended.get(event.slot as usize) {
                    clock.join(ended);
                }
            }
            _ => {}
        }
        let about = match event.kind {
            EventKind::Interrupted | EventKind::ClearInterrupted => Some(event.slot as usize),
            EventKind::Join if !event.is_interruptible() => None,
            EventKind::Wake | EventKind::LockWithin | EventKind::Sleep | EventKind::Join => Some(thread),
            _ => None,
        };
        if let Some(interrupt) =
            about.filter(|&who| self.state.is_interrupted(who)).and_then(|who| self.interrupts.get(who))
        {
            clock.join(interrupt);
        }
        clock.tick(thread);
        if event.kind.is_access() {
            self.access(&clock, Epoch { thread, clock: clock.at(thread), step, event });
        }
        match event.kind {
            EventKind::Unlock | EventKind::Wait | EventKind::VolatileWrite | EventKind::Update => {
                self.released.at(key).join(&clock);
            }
            EventKind::Start => self.started.at(event.slot as usize).set(&clock),
            EventKind::End => self.ended.at(thread).set(&clock),
            EventKind::Interrupt => self.interrupts.at(event.slot as usize).join(&clock),
            _ => {}
        }
        *self.threads.at(thread) = clock;
        self.state.apply(thread, event);
        self.names.happened(thread, event);
    }

    /// Whether an attempt to take a lock succeeds.
    fn takes(&self, thread: usize, event: Event) -> bool {
        let gives_up = event.kind == EventKind::LockWithin && self.state.is_interrupted(thread);
        !gives_up && self.state.holder(event.object).is_none_or(|holder| holder == thread)
    }

    /// Takes the clock of a thread, to be put back.
    fn clock_of(&mut self, thread: usize) -> Clock {
        let mut clock = std::mem::take(self.threads.at(thread));
        if !clock.0.is_empty() {
            return clock;
        }
        match self.started.get(thread) {
            Some(started) => clock.set(started),
            None if thread == 0 => {}
            // The test's own threads come after what the first thread did before any of them was there.
            None => clock.set(self.group.get_or_insert_with(|| self.threads.at(0).clone())),
        }
        clock
    }

    fn access(&mut self, clock: &Clock, now: Epoch) {
        let place = self.places.at((now.event.object, now.event.slot));
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
