//! Complete exploration: every trace, none twice.

use crate::programs::*;
use crate::toy::{Extras, Outcome, Program, brute_force, explore};
use explore::{Dpor, DporCounts, DporSettings, Learnt, partial_order};
use std::collections::BTreeSet;

pub struct Explored {
    pub counts: DporCounts,
    pub outcomes: BTreeSet<Outcome>,
    pub orders: BTreeSet<u64>,
}

/// Explores all of the program and checks that no trace comes twice.
pub fn all(program: &Program, extras: Extras, max_events_a_thread: u32) -> Explored {
    let mut dpor = Dpor::new(DporSettings {
        stable_objects: !extras.renumber,
        max_events_a_thread: Some(max_events_a_thread),
    });
    let (mut outcomes, mut orders) = (BTreeSet::new(), BTreeSet::new());
    let executions = explore(program, &mut dpor, extras, 100_000, 2_000_000, |ran, learnt| {
        assert_ne!(learnt, Learnt::Unexpected, "{program:?}\n{:?}", ran.trace);
        if learnt == Learnt::Counts {
            let new = orders.insert(partial_order(&ran.execution()));
            assert!(new, "twice: {:?}\nof {program:?}", ran.trace);
            outcomes.insert(ran.outcome.clone());
        }
    });
    assert!(dpor.is_complete(), "not complete after {executions}");
    assert_eq!(dpor.counts().traces as usize, orders.len());
    Explored { counts: dpor.counts(), outcomes, orders }
}

#[track_caller]
fn check_traces(program: &Program, traces: u64) {
    let explored = all(program, Extras::default(), 10_000);
    assert_eq!((explored.counts.traces, explored.counts.redundant), (traces, 0));
}

fn binomial(n: u64, k: u64) -> u64 {
    (0..k).fold(1, |product, i| product * (n - i) / (i + 1))
}

#[test]
fn conflicting_steps_of_two_threads_have_a_binomial_number_of_traces() {
    for m in 1..=8 {
        check_traces(&writes(2, m), binomial(2 * m as u64, m as u64));
    }
}

#[test]
fn small() {
    let program = increments(2, 1);
    let brute = brute_force(&program, Extras::default(), 100, 1_000_000).unwrap();
    let explored = all(&program, Extras::default(), 100);
    assert_eq!(explored.outcomes, brute.outcomes);
    assert_eq!(explored.orders, brute.orders);
}
