//! The way from the start to the state that is explored now, and what is left to do along it.

use super::sequence::Guide;
use crate::dependency::Footprint;
use crate::names::Names;
use crate::order::{After, Order};
use crate::spin::lets_go_on;
use crate::state::State;
use schedule::{Event, EventKind, MAX_THREADS, ThreadId, ThreadSet, Trace};

/// The nodes of the current execution, with the order of its events.
#[derive(Debug, Default)]
pub(super) struct Path {
    pub nodes: Vec<Node>,
    pub order: Order,
    /// After the events that were followed.
    pub state: State,
    pub names: Names,
    /// How many events of the execution under way were followed.
    pub followed: usize,
    /// The step from which the test's own threads are there: no event starts them.
    pub group: Option<usize>,
    /// Bytes of all branches.
    pub kept: usize,
    /// For each thread: the step that has started it.
    starts: Vec<Option<usize>>,
    /// For each thread that was spinning: the step that changed what it reads, until it goes on.
    changes: Vec<Option<usize>>,
}

/// A state on the way, and the event that was chosen in it.
#[derive(Debug)]
pub(super) struct Node {
    pub thread: usize,
    pub event: Event,
    /// Threads that need not go on here: all that they lead to was explored.
    pub sleep: Vec<Sleeper>,
    /// What is still to be explored from here, after the choice under way.
    pub branches: Vec<Guide>,
    /// How many choices were explored here before the one under way.
    pub explored: u32,
    /// Threads whose waits are over here because time has passed.
    pub timed_out: ThreadSet,
    /// Threads that can do their next event without cause.
    pub allowed: ThreadSet,
    /// Nothing could go on here, but for what time or patience has let go.
    pub barrier: bool,
    /// Threads that go on here although they spin.
    pub released: ThreadSet,
    /// Threads that spin, with the number of events in a round.
    pub spinning: Vec<(usize, usize)>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Sleeper {
    pub thread: usize,
    pub footprint: Footprint,
}

/// The execution is not the one that the explorer has expected.
#[derive(Debug)]
pub(super) struct Unexpected;

impl Path {
    /// A new execution begins, which shares the first `shared` choices with the one before. The event of the last
    /// of them is another.
    pub fn restart(&mut self, shared: usize) {
        self.nodes.truncate(shared);
        if shared == 0 {
            self.kept = 0;
        }
        self.order.truncate(shared.saturating_sub(1));
        if self.group.is_some_and(|group| group >= shared) {
            self.group = None;
        }
        self.state.clear();
        self.names.clear();
        self.starts.clear();
        self.changes.clear();
        self.followed = 0;
    }

    /// Bytes that it takes, more or less.
    pub fn bytes(&self) -> usize {
        let sleepers: usize = self.nodes.iter().map(|node| node.sleep.capacity()).sum();
        self.kept + self.nodes.capacity() * size_of::<Node>() + sleepers * size_of::<Sleeper>() + self.order.bytes()
    }

    /// Takes note of the events that happened since the last time.
    pub fn follow(&mut self, trace: &Trace) -> Result<(), Unexpected> {
        while self.followed < trace.steps.len() {
            let (step, index) = (trace.steps[self.followed], self.followed);
            let thread = self.names.name(step.thread);
            let event = self.names.event(thread, step.event);
            let node = self.nodes.get_mut(index).ok_or(Unexpected)?;
            let replayed = index < self.order.len();
            // Whether an update fails is told once it has run.
            let announced = match event.kind {
                EventKind::FailedUpdate if !replayed => Event { kind: node.event.kind, ..event },
                _ => event,
            };
            if node.thread != thread || node.event != announced {
                return Err(Unexpected);
            }
            node.event = event;
            for thread in node.timed_out.iter() {
                self.state.time_out(thread);
            }
            for thread in node.allowed.iter() {
                self.state.allow(thread);
            }
            let change = self.changes.get_mut(thread).and_then(Option::take);
            if !replayed {
                let footprint = self.state.footprint(thread, event);
                let after = After { start: self.start_of(thread), change, barrier: self.nodes[index].barrier };
                self.order.push(thread, footprint, after);
            }
            self.note_changes(index);
            self.state.apply(thread, event);
            self.names.happened(thread, event);
            if event.kind == EventKind::Start {
                let started = event.slot as usize;
                if self.starts.len() <= started {
                    self.starts.resize(started + 1, None);
                }
                self.starts[started] = Some(index);
            }
            self.followed += 1;
        }
        Ok(())
    }

    /// Threads that were spinning go on because of this step, if it changes what they read.
    fn note_changes(&mut self, step: usize) {
        for &(thread, round) in &self.nodes[step].spinning {
            let (event, footprint) = (self.nodes[step].event, self.order.footprint(step));
            let goes_on = |own: usize| lets_go_on(self.order.footprint(own), event, footprint);
            if thread != self.nodes[step].thread && self.round(thread, step, round).any(goes_on) {
                self.changes.resize(self.changes.len().max(thread + 1), None);
                self.changes[thread] = Some(step);
            }
        }
    }

    /// The last steps of a thread before this one, so many, the latest first.
    pub fn round(&self, thread: usize, before: usize, count: usize) -> impl Iterator<Item = usize> + '_ {
        (0..before).rev().filter(move |&step| self.order.thread(step) == thread).take(count)
    }

    /// The step after which a thread exists: its start, or for the test's own threads what the first thread did
    /// before them.
    pub fn start_of(&self, thread: usize) -> Option<usize> {
        if let Some(start) = self.starts.get(thread).copied().flatten() {
            return Some(start);
        }
        let group = self.group.filter(|_| thread != 0)?;
        (0..group.min(self.order.len())).rev().find(|&step| self.order.thread(step) == 0)
    }

    /// Threads and events of a choice, with names. Err if there are more threads than can be followed.
    pub fn named(&mut self, announced: &[(ThreadId, Event)], into: &mut Vec<(usize, Event)>) -> Result<(), Unexpected> {
        into.clear();
        for &(thread, event) in announced {
            let name = self.names.name(thread);
            into.push((name, self.names.event(name, event)));
        }
        let fits = |&(thread, event): &(usize, Event)| {
            thread < MAX_THREADS && (event.kind != EventKind::Start || (event.slot as usize) < MAX_THREADS)
        };
        if into.iter().all(fits) { Ok(()) } else { Err(Unexpected) }
    }
}
