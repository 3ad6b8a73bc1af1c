//! All interleavings, one by one.

use super::{Extras, Machine, Outcome, Program};
use explore::{End, Execution, partial_order};
use schedule::{Step, ThreadId, Trace};
use std::collections::{BTreeSet, HashSet};

/// What all interleavings of a program give.
#[derive(Clone, Debug, Default)]
pub struct Brute {
    pub interleavings: u64,
    pub outcomes: BTreeSet<Outcome>,
    /// Hashes of the partial orders.
    pub orders: BTreeSet<u64>,
}

#[derive(Default)]
struct Search {
    brute: Brute,
    trace: Trace,
    timed_out: Vec<(usize, ThreadId)>,
    max_events_a_thread: usize,
    limit: u64,
}

/// Runs every interleaving in which no thread does more than so many events; None if there are more than so many.
pub fn brute_force(program: &Program, extras: Extras, max_events_a_thread: usize, limit: u64) -> Option<Brute> {
    let mut search = Search { max_events_a_thread, limit, ..Search::default() };
    search.go_on(Machine::new(program, extras)).then_some(search.brute)
}

/// The outcomes in which no thread can go on, by a search of all states. States count once, so loops that come back
/// to a state they were in do no harm.
pub fn reachable(program: &Program, limit: usize) -> Option<BTreeSet<Outcome>> {
    reachable_with(program, Extras::default(), limit)
}

/// The same, where executions may do more.
pub fn reachable_with(program: &Program, extras: Extras, limit: usize) -> Option<BTreeSet<Outcome>> {
    let (mut seen, mut outcomes) = (HashSet::new(), BTreeSet::new());
    let mut open = vec![Machine::new(program, extras)];
    while let Some(mut machine) = open.pop() {
        while machine.runnable().is_empty() && !machine.let_time_pass().is_empty() {}
        if seen.len() > limit {
            return None;
        }
        if !seen.insert(machine.clone()) {
            continue;
        }
        let runnable = machine.runnable();
        if runnable.is_empty() {
            outcomes.insert(machine.outcome());
        }
        for (thread, _) in runnable {
            let mut next = machine.clone();
            next.perform(thread);
            open.push(next);
        }
    }
    Some(outcomes)
}

impl Search {
    fn go_on(&mut self, mut machine: Machine<'_>) -> bool {
        let mut runnable = machine.runnable();
        let timed_out = self.timed_out.len();
        while runnable.is_empty() && machine.has_timed() {
            let over = machine.let_time_pass();
            self.timed_out.extend(over.into_iter().map(|thread| (self.trace.steps.len(), thread)));
            runnable = machine.runnable();
        }
        let can_run = !runnable.is_empty();
        let done = |thread: ThreadId| self.trace.steps.iter().filter(|step| step.thread == thread).count();
        runnable.retain(|&(thread, _)| done(thread) < self.max_events_a_thread);
        let within = if runnable.is_empty() { self.end(&machine, can_run) } else { self.branch(machine, &runnable) };
        self.timed_out.truncate(timed_out);
        within
    }

    fn branch(&mut self, machine: Machine<'_>, runnable: &[(ThreadId, schedule::Event)]) -> bool {
        for &(thread, _) in runnable {
            let mut next = machine.clone();
            let event = next.perform(thread);
            self.trace.steps.push(Step { thread, event });
            let within = self.go_on(next);
            self.trace.steps.pop();
            if !within {
                return false;
            }
        }
        true
    }

    fn end(&mut self, machine: &Machine<'_>, cut: bool) -> bool {
        let pending = machine.pending();
        let end = match (cut, pending.is_empty()) {
            (true, _) => End::Cut,
            (_, true) => End::Done,
            (_, false) => End::Stuck,
        };
        self.brute.interleavings += 1;
        self.brute.outcomes.insert(machine.outcome());
        let execution = Execution { trace: &self.trace, pending: &pending, timed_out: &self.timed_out, end };
        self.brute.orders.insert(partial_order(&execution));
        self.brute.interleavings <= self.limit
    }
}
