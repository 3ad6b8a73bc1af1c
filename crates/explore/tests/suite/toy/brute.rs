//! All interleavings, one by one.

use super::{Extras, Machine, Outcome, Program};
use explore::{End, Execution, partial_order};
use schedule::{Step, Trace};
use std::collections::BTreeSet;

/// What all interleavings of a program give that are not cut short.
#[derive(Clone, Debug, Default)]
pub struct Brute {
    pub interleavings: u64,
    pub outcomes: BTreeSet<Outcome>,
    /// Hashes of the partial orders.
    pub orders: BTreeSet<u64>,
}

/// Runs every interleaving; None if there are more than so many.
pub fn brute_force(program: &Program, extras: Extras, max_events: usize, limit: u64) -> Option<Brute> {
    let mut brute = Brute::default();
    let mut trace = Trace::default();
    go_on(Machine::new(program, extras), &mut trace, max_events, limit, &mut brute).then_some(brute)
}

fn go_on(mut machine: Machine<'_>, trace: &mut Trace, max_events: usize, limit: u64, brute: &mut Brute) -> bool {
    let mut runnable = machine.runnable();
    while runnable.is_empty() && machine.let_time_pass().is_some() {
        runnable = machine.runnable();
    }
    if runnable.is_empty() || trace.steps.len() == max_events {
        let pending = machine.pending();
        let end = match (runnable.is_empty(), pending.is_empty()) {
            (false, _) => End::Cut,
            (true, true) => End::Done,
            (true, false) => End::Stuck,
        };
        brute.interleavings += 1;
        if end == End::Cut {
            return brute.interleavings <= limit;
        }
        brute.outcomes.insert(machine.outcome());
        brute.orders.insert(partial_order(&Execution { trace, pending: &pending, end }));
        return brute.interleavings <= limit;
    }
    for (thread, _) in runnable {
        let mut next = machine.clone();
        let event = next.perform(thread);
        trace.steps.push(Step { thread, event });
        let within = go_on(next, trace, max_events, limit, brute);
        trace.steps.pop();
        if !within {
            return false;
        }
    }
    true
}
