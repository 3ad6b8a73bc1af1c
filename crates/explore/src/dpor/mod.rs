//! Complete exploration up to equivalence: every Mazurkiewicz trace once.
//!
//! Dynamic partial-order reduction with source sets and sleep sets: P. A. Abdulla, S. Aronsson, B. Jonsson,
//! K. Sagonas, *Source Sets: A Foundation for Optimal Dynamic Partial Order Reduction*, JACM 64(4), 2017, its first
//! algorithm. Deviations:
//!
//! - Where a race is reversed, not only the first step is chosen but all steps up to the event that is brought forward,
//!   as in the wakeup sequences of the second algorithm, so that the very next execution has the two events in the other order. They
//!   are a way and not a duty: one that comes to what sleeps is left. Executions that lead to nothing new are stopped as
//!   soon as all threads that can go on sleep, and counted.
//! - Events block. Which reversals are possible is decided by [`State`](crate::state::State), which follows
//!   monitors, waits, permits and interrupts; an event that could not come before the latest event that it depends
//!   on is tried before earlier ones (a lock, before the lock that kept it out). Events that never happened are
//!   brought forward too.
//! - Waits are over by time only when nothing else can go on. Then everything before happens before everything
//!   after.
//! - Threads that spin are held: see [`spin`](crate::spin).
//!
//! Why not the second, optimal algorithm: its sequences go on past the event that is brought forward, with all of the execution
//! that does not depend on what it is brought before, so that every race has to be looked at again in every
//! execution. With sequences that end at that event it must not leave out one because a thread sleeps that is no part of
//! it, as it otherwise may: what comes later may wake that thread, and is then lost. Nor can it be known of a
//! thread in another execution what it does, where objects are numbered by first touch.
//!
//! Nothing is reported twice: that is the work of the sleep sets. What is missed: see
//! `docs/design/exploration.md`.

mod path;
mod reversal;
mod run;
mod sequence;

use crate::execution::{End, Execution, Learnt};
use crate::explorer::Explorer;
use crate::rng::Rng;
use path::{Path, Sleeper, Unexpected};
use reversal::{Late, Reversals};
use run::{Guided, Outcome, Run};
use schedule::{Event, Scheduler};
use sequence::Guide;
use std::sync::{Arc, Mutex, PoisonError};

/// An execution that was cut off after so many steps is held to have no end.
const ENDLESS: usize = 20_000;
/// Then so many of them are looked at for reversals, and those that it shares with the one before.
const MOST_OF_ENDLESS: usize = 2_000;

/// Upper bound on the memory for what is left to do along the current way, unless [`Dpor::within`] says otherwise.
const MAX_BYTES: usize = 256 << 20;
/// All of it is counted once in so many executions, and what grows fastest all the time.
const COUNTED: u64 = 64;

/// How to explore.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DporSettings {
    /// A thread that has done so many events does no more. An execution ends when only such threads can go on. Every
    /// trace within this bound is explored; a bound on all events of an execution together could not promise that.
    pub max_events_a_thread: Option<u32>,
}

/// What was explored so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DporCounts {
    /// Executions that ran to their end, no two of them equivalent.
    pub traces: u64,
    /// Executions that were stopped because they lead to nothing new.
    pub redundant: u64,
    /// Executions that did not go as they had to.
    pub unexpected: u64,
    /// How often all was begun anew because a loop became known in which a thread spins. The other counts are since
    /// then.
    pub restarts: u64,
    /// Of these, executions in which a thread has done as many events as one may.
    pub bounded: u64,
    /// Of these, executions that were cut off by whoever ran them. What they might have led to is not known.
    pub cut: u64,
    /// Of these, executions in which a thread was held because it spins.
    pub held: u64,
    /// Of these, executions in which a wait was over by time.
    pub timed_out: u64,
    /// Of these, executions in which a thread went on without cause, for early or spurious wake-ups are allowed.
    pub unprompted: u64,
}

/// Explores every trace once.
#[derive(Debug)]
pub struct Dpor {
    run: Arc<Mutex<Run>>,
    reversals: Reversals,
    pending: Vec<(usize, Event)>,
    counts: DporCounts,
    /// So many choices of the next execution are those of the one before; None once all is explored.
    next: Option<usize>,
    under_way: bool,
    max_bytes: usize,
    /// Number of executions since all memory was counted.
    uncounted: u64,
    exhausted: bool,
}

/// After so many choices the first execution is no random walk any more: threads that only look at something take turns in
/// one for ever, and none is seen to spin.
const WALK: usize = 1_000;

impl Dpor {
    /// An exploration from the start.
    pub fn new(settings: DporSettings) -> Dpor {
        Dpor {
            run: Arc::new(Mutex::new(Run::new(settings.max_events_a_thread))),
            reversals: Reversals::default(),
            pending: Vec::new(),
            counts: DporCounts::default(),
            next: Some(0),
            under_way: false,
            max_bytes: MAX_BYTES,
            uncounted: 0,
            exhausted: false,
        }
    }

    /// The same, whose first execution is a random walk: of a test that fails under many schedules it may well be one. All
    /// others differ from it, as from any other.
    pub fn from_random_walk(settings: DporSettings, seed: u64) -> Dpor {
        let dpor = Dpor::new(settings);
        dpor.run.lock().unwrap_or_else(PoisonError::into_inner).walk = Some((Rng::new(seed), WALK));
        dpor
    }

    /// The same with another upper bound, in bytes, on what is kept of reversals to come. Past it the exploration is given up.
    pub fn within(self, max_bytes: usize) -> Dpor {
        Dpor { max_bytes, ..self }
    }

    /// What was explored so far.
    pub fn counts(&self) -> DporCounts {
        self.counts
    }

    /// About which part of the traces was run, from 0 to 1; None if that cannot be said. Where the choices of a state are not
    /// known to lead to more traces the one than the other, each counts the same, as D. E. Knuth's *Estimating the Efficiency
    /// of Backtrack Programs* (1975) has it. States get further choices while others are explored, so it may go back.
    pub fn explored_part(&self) -> Option<f64> {
        if self.next.is_none() {
            return self.is_complete().then_some(1.0);
        }
        let run = self.run.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut part, mut weight) = (0.0, 1.0);
        for node in &run.path.nodes {
            let choices = node.explored as usize + 1 + node.branches.len();
            weight /= choices as f64;
            part += node.explored as f64 * weight;
        }
        Some(part)
    }

    /// How many reversals wait to be explored. Each leads to another trace, unless it turns out that one of its threads
    /// sleeps.
    pub fn waiting(&self) -> usize {
        let run = self.run.lock().unwrap_or_else(PoisonError::into_inner);
        run.path.nodes.iter().map(|node| node.branches.len()).sum()
    }

    /// Whether every trace was run. False if something unexpected happened or an execution was cut off, for then that
    /// is not known.
    pub fn is_complete(&self) -> bool {
        let is_over = self.next.is_none() && !self.under_way && !self.exhausted;
        is_over && self.counts.unexpected == 0 && self.counts.cut == 0
    }

    /// Whether the exploration was given up because what it has to keep takes too much memory.
    pub fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    /// Gives up, if what is kept takes too much memory. Says whether it does.
    fn gives_up(&mut self, run: &mut Run) -> bool {
        self.uncounted += 1;
        let is_due = self.uncounted >= COUNTED;
        if is_due {
            self.uncounted = 0;
        }
        self.exhausted = run.path.kept > self.max_bytes || is_due && run.path.bytes() > self.max_bytes;
        if self.exhausted {
            run.path = Path::default();
        }
        self.exhausted
    }
}

impl Explorer for Dpor {
    fn next(&mut self) -> Option<Box<dyn Scheduler + Send>> {
        self.next?;
        self.under_way = true;
        Some(Box::new(Guided(self.run.clone())))
    }

    fn finish(&mut self, execution: &Execution<'_>) -> Learnt {
        self.under_way = false;
        let run = self.run.clone();
        let mut run = run.lock().unwrap_or_else(PoisonError::into_inner);
        if run.outcome != Outcome::Unexpected && learn(&mut run, execution, &mut self.pending).is_err() {
            run.outcome = Outcome::Unexpected;
        }
        if !matches!(run.outcome, Outcome::Unexpected | Outcome::Looped) {
            let is_cut = execution.end == End::Cut;
            reverse(&mut run, &self.pending, &mut self.reversals, is_cut, self.max_bytes);
        }
        let learnt = count(&mut self.counts, &run, execution.end);
        self.next = if self.gives_up(&mut run) {
            None
        } else if run.outcome == Outcome::Looped {
            run.restart(0, Guide::default());
            Some(0)
        } else {
            advance(&mut run)
        };
        learnt
    }
}

/// Takes note of all that happened, and of what would have happened next.
fn learn(run: &mut Run, execution: &Execution<'_>, pending: &mut Vec<(usize, Event)>) -> Result<(), Unexpected> {
    run.follow(execution.trace)?;
    let steps = execution.trace.steps.len();
    // The last choice may not have been followed, if the execution had to end.
    run.path.nodes.truncate(steps.max(run.replay));
    let stopped = execution.end == End::Stopped;
    if steps < run.replay || stopped != (run.outcome != Outcome::Counts) {
        return Err(Unexpected);
    }
    run.path.named(execution.pending, pending)?;
    pending.retain(|&(thread, _)| run.may_go_on(thread));
    Ok(())
}

/// Leaves all reversals to be explored that are possible by what is new in this execution. Those of one that has
/// no end are not complete anyway, and one that differs only long after its beginning has none either.
/// Stops where that takes more memory than there may be.
fn reverse(run: &mut Run, pending: &[(usize, Event)], reversals: &mut Reversals, is_cut: bool, max_bytes: usize) {
    let path = &mut run.path;
    let steps = path.order.len();
    let last = if is_cut && steps > ENDLESS { steps.min(MOST_OF_ENDLESS.max(run.replay)) } else { steps };
    for step in run.replay.saturating_sub(1)..last {
        if path.kept > max_bytes {
            return;
        }
        let (thread, event, footprint) = (path.order.thread(step), path.nodes[step].event, *path.order.footprint(step));
        let late = Late { thread, event, footprint, step };
        reversals.bring_forward(path, late);
    }
    let pending = pending.iter().filter(|&&(thread, _)| path.order.last_of(thread).is_none_or(|step| step < last));
    let pending: Vec<_> =
        pending.map(|&(thread, event)| (thread, event, path.state.footprint(thread, event))).collect();
    path.nodes.truncate(last);
    path.order.truncate(last);
    for (thread, event, footprint) in pending {
        let late = Late { thread, event, footprint, step: last };
        reversals.bring_forward(path, late);
    }
}

fn count(counts: &mut DporCounts, run: &Run, end: End) -> Learnt {
    match run.outcome {
        Outcome::Counts | Outcome::Bounded => {
            counts.traces += 1;
            counts.bounded += (run.outcome == Outcome::Bounded) as u64;
            counts.cut += (end == End::Cut) as u64;
            counts.held += run.held as u64;
            counts.timed_out += run.path.nodes.iter().any(|node| !node.timed_out.is_empty()) as u64;
            counts.unprompted += run.path.nodes.iter().any(|node| !node.allowed.is_empty()) as u64;
            if run.outcome == Outcome::Bounded { Learnt::Bounded } else { Learnt::Counts }
        }
        Outcome::Redundant => {
            counts.redundant += 1;
            Learnt::Redundant
        }
        Outcome::Looped => {
            *counts = DporCounts { restarts: counts.restarts + 1, ..DporCounts::default() };
            Learnt::Redundant
        }
        Outcome::Unexpected => {
            counts.unexpected += 1;
            Learnt::Unexpected
        }
    }
}

/// Goes back to the last state from which something is left to do, and prepares the execution that does it. Says
/// how many choices that shares with the last one, or None if nothing is left.
fn advance(run: &mut Run) -> Option<usize> {
    while let Some(depth) = run.path.nodes.len().checked_sub(1) {
        let (explored, node) = (depth < run.path.order.len(), &mut run.path.nodes[depth]);
        if explored {
            node.sleep.push(Sleeper { thread: node.thread, footprint: *run.path.order.footprint(depth) });
        }
        while !node.branches.is_empty() {
            let mut guide = node.branches.remove(0);
            run.path.kept -= guide.bytes();
            if let Some(thread) = guide.step().filter(|&thread| !node.is_asleep(thread)) {
                node.thread = thread;
                node.explored += 1;
                run.restart(depth + 1, guide);
                return Some(depth + 1);
            }
        }
        run.path.nodes.pop();
        run.path.order.truncate(depth);
    }
    None
}
