//! All schedules within a bound on preemptions.

use crate::programs::*;
use crate::toy::{Extras, Machine, Outcome, Program, explore};
use explore::{Bounded, Explorer, interference};
use schedule::ThreadId;
use std::collections::BTreeSet;

/// The outcomes, and how many schedules there are, with at most so many preemptions, by trying all.
fn brute(machine: Machine<'_>, last: Option<ThreadId>, left: usize, outcomes: &mut BTreeSet<Outcome>) -> usize {
    let runnable = machine.runnable();
    if runnable.is_empty() {
        outcomes.insert(machine.outcome());
        return 1;
    }
    let goes_on = runnable.iter().any(|&(thread, _)| Some(thread) == last);
    let mut schedules = 0;
    for (thread, _) in runnable {
        let preempts = goes_on && Some(thread) != last;
        if preempts && left == 0 {
            continue;
        }
        let mut next = machine.clone();
        next.perform(thread);
        schedules += brute(next, Some(thread), left - preempts as usize, outcomes);
    }
    schedules
}

fn check(program: &Program, bound: usize) {
    let mut expected = BTreeSet::new();
    let schedules = brute(Machine::new(program, Extras::default()), None, bound, &mut expected);
    let (mut bounded, mut outcomes) = (Bounded::new(bound), BTreeSet::new());
    let mut traces = BTreeSet::new();
    let mut preemptions = 0;
    let executions = explore(program, &mut bounded, Extras::default(), 1000, 1_000_000, |ran, _| {
        let these = interference(&ran.execution()).preemptions;
        assert!(preemptions <= these && these <= bound, "fewer preemptions come first");
        preemptions = these;
        outcomes.insert(ran.outcome.clone());
        assert!(traces.insert(ran.trace.hash()), "twice");
    });
    assert_eq!((executions, &outcomes), (schedules, &expected), "{program:?} with {bound}");
    assert_eq!(bounded.completed(), Some(bound));
    assert!(bounded.next().is_none());
}

#[test]
fn every_schedule_within_the_bound_is_run_once() {
    for program in [increments(2, 1), increments(2, 2), increments(3, 1), philosophers(2, false), lost_notification()] {
        for bound in 0..=2 {
            check(&program, bound);
        }
    }
    check(&accounts(), 1);
}
