//! Which events of an execution could have happened in the other order, and the sequences that make them.

use super::path::Path;
use super::sequence::{Guide, Sequence};
use crate::dependency::{Footprint, Mode};
use crate::spin::lets_go_on;
use crate::state::State;
use schedule::{Event, EventKind};

/// An event that is to come earlier than it did, or than it would have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Late {
    pub thread: usize,
    /// As it was announced.
    pub event: Event,
    /// What it touched, or would have.
    pub footprint: Footprint,
    /// Its step, or the number of steps if it never happened.
    pub step: usize,
}

/// Finds reversals and puts them among what is left to do. Memory is kept from execution to execution.
#[derive(Debug, Default)]
pub(super) struct Reversals {
    sequence: Sequence,
    candidates: Vec<usize>,
    /// The clock of what needs no look, because a later reversal leads to it.
    covered: Vec<u32>,
    state: State,
}

impl Reversals {
    /// All reversals that bring this event forward.
    ///
    /// Candidates are the dependent events of other threads that do not happen before the late event's own
    /// predecessor. The latest come first. One that could not be reversed, because the late event cannot go on
    /// there, gives way to earlier ones; one that could covers all that happens before it.
    pub fn bring_forward(&mut self, path: &mut Path, late: Late) {
        self.list_candidates(path, &late);
        let mut candidates = std::mem::take(&mut self.candidates);
        self.covered.clear();
        for &early in &candidates {
            let thread = path.order.thread(early);
            if self.covered.get(thread).is_some_and(|&covered| covered >= path.order.number(early)) {
                continue;
            }
            if !self.is_possible(path, early, &late) {
                continue;
            }
            let clock = path.order.clock(early);
            self.covered.resize(clock.len().max(self.covered.len()), 0);
            self.covered.iter_mut().zip(clock).for_each(|(covered, &clock)| *covered = clock.max(*covered));
            self.plan(path, early, &late);
        }
        candidates.clear();
        self.candidates = candidates;
    }

    fn list_candidates(&mut self, path: &Path, late: &Late) {
        let previous =
            if late.step < path.order.len() { path.order.previous(late.step) } else { path.order.last_of(late.thread) };
        let previous = previous.or_else(|| path.start_of(late.thread));
        self.candidates.clear();
        for access in late.footprint.accesses() {
            let touching = path.order.touching(access.resource);
            let before = touching.partition_point(|&(step, _)| (step as usize) < late.step);
            for &(step, mode) in touching[..before].iter().rev() {
                let step = step as usize;
                if path.order.thread(step) == late.thread {
                    // Whatever came before this, and could be seen by the late event, happens before it.
                    if mode == access.mode || mode == Mode::Write {
                        break;
                    }
                    continue;
                }
                if !access.mode.conflicts(mode) {
                    continue;
                }
                if previous.is_some_and(|previous| path.order.happens_before(step, previous)) {
                    // So does whatever touched it before a write.
                    if mode == Mode::Write {
                        break;
                    }
                    continue;
                }
                self.candidates.push(step);
            }
        }
        self.candidates.sort_unstable_by(|a, b| b.cmp(a));
        self.candidates.dedup();
    }

    /// Whether the late event can go on before the early one, after all that does not depend on the early one.
    fn is_possible(&mut self, path: &Path, early: usize, late: &Late) -> bool {
        if !path.nodes[early].spinning.is_empty() && spins_on(path, early, late) {
            return false;
        }
        if !State::can_block(late.event) {
            return true;
        }
        // Before its start a thread is joined by another event, which waits for nothing.
        let is_start_of = |event: Event| event.kind == EventKind::Start && event.slot == late.event.slot;
        if late.event.kind == EventKind::Join && is_start_of(path.nodes[early].event) {
            return true;
        }
        // All events on one monitor are in order, so it is then as it was before the early one.
        if late.event.kind == EventKind::Lock {
            match path.nodes[early].event.kind {
                EventKind::Lock | EventKind::Wake => return true,
                // Those that may have taken nothing are followed.
                EventKind::Unlock | EventKind::Wait | EventKind::Notify | EventKind::NotifyAll => return false,
                _ => {}
            }
        }
        self.go_to(path, early, late);
        self.state.can_do(late.thread, late.event)
    }

    /// Follows what happens before the early event, and all that does not depend on it.
    fn go_to(&mut self, path: &Path, early: usize, late: &Late) {
        self.state.clear();
        for (step, node) in path.nodes[..early].iter().enumerate() {
            node.timed_out.iter().for_each(|thread| self.state.time_out(thread));
            self.state.apply(path.order.thread(step), node.event);
        }
        path.nodes[early].timed_out.iter().for_each(|thread| self.state.time_out(thread));
        for step in (early + 1..late.step).filter(|&step| !path.order.happens_before(early, step)) {
            self.state.apply(path.order.thread(step), path.nodes[step].event);
        }
        let announced = previous_step(path, late).map_or(0, |previous| previous + 1);
        let seen = path.nodes.len().min(late.step + 1);
        if path.nodes[announced.min(seen)..seen].iter().any(|node| node.allowed.contains(late.thread)) {
            self.state.allow(late.thread);
        }
    }

    /// What the late event touches where it comes before the early one.
    fn footprint(&mut self, path: &Path, early: usize, late: &Late) -> Footprint {
        match late.event.kind {
            // One that failed only read. Where it comes earlier it may succeed.
            EventKind::Update | EventKind::FailedUpdate => {
                path.state.footprint(late.thread, Event { kind: EventKind::Update, ..late.event })
            }
            EventKind::TryLock
            | EventKind::Wait
            | EventKind::ClearInterrupted
            | EventKind::Interrupt
            | EventKind::Attempt
            | EventKind::State => {
                self.go_to(path, early, late);
                self.state.footprint(late.thread, late.event)
            }
            _ => late.footprint,
        }
    }

    /// Leaves it to be explored that, in place of the early event, all that does not depend on it happens and then
    /// the late event; unless it can begin with what was explored, or is to be.
    fn plan(&mut self, path: &mut Path, early: usize, late: &Late) {
        let footprint = self.footprint(path, early, late);
        self.sequence.clear();
        for step in early + 1..late.step {
            if !path.order.happens_before(early, step) {
                self.sequence.push(path.order.thread(step), *path.order.footprint(step), Some(step));
            }
        }
        self.sequence.push(late.thread, footprint, None);
        let node = &path.nodes[early];
        let asleep = node.sleep.iter().map(|sleeper| sleeper.thread);
        let mut known = asleep.chain(node.branches.iter().filter_map(Guide::next));
        if !known.any(|thread| self.sequence.may_begin_with(path, thread)) {
            let guide = self.sequence.threads();
            path.kept += guide.bytes();
            path.nodes[early].branches.push(guide);
        }
    }
}

fn previous_step(path: &Path, late: &Late) -> Option<usize> {
    if late.step < path.order.len() { path.order.previous(late.step) } else { path.order.last_of(late.thread) }
}

/// Whether the late event's thread would spin if the late event came before the early one: it did there, and
/// nothing that comes first changes what it reads.
fn spins_on(path: &Path, early: usize, late: &Late) -> bool {
    let Some(&(_, round)) = path.nodes[early].spinning.iter().find(|&&(thread, _)| thread == late.thread) else {
        return false;
    };
    if previous_step(path, late).is_some_and(|previous| previous > early) {
        return false;
    }
    let reads: Vec<usize> = path.round(late.thread, early, round).collect();
    let changes = |step: usize| {
        let (event, footprint) = (path.nodes[step].event, path.order.footprint(step));
        reads.iter().any(|&own| lets_go_on(path.order.footprint(own), event, footprint))
    };
    !(early + 1..late.step).any(|step| !path.order.happens_before(early, step) && changes(step))
}
