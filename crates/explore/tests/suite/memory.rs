//! What is kept has a bound, whatever the program is like.

use crate::programs::*;
use crate::toy::{Extras, Ran, explore, run};
use explore::{Bounded, Dpor, DporSettings, Execution, Explorer, Random, Serial, cause};

fn reduction() -> Dpor {
    Dpor::new(DporSettings { max_events_a_thread: None })
}

#[test]
fn reduction_that_would_keep_too_much_is_given_up_and_nothing_is_certified() {
    let program = increments(4, 10);
    let mut small = reduction().within(10_000);
    let executions = explore(&program, &mut small, Extras::default(), 10_000, 20_000, |_, _| {});
    assert!(small.is_exhausted() && !small.is_complete() && small.next().is_none());
    assert!(executions > 1 && executions < 20_000, "given up after {executions}");
    assert_eq!((small.waiting(), small.explored_part()), (0, None));
    let mut large = reduction();
    explore(&increments(2, 3), &mut large, Extras::default(), 10_000, 20_000, |_, _| {});
    assert!(large.is_complete() && !large.is_exhausted());
}

#[test]
fn one_execution_with_very_many_reversals_is_enough_to_give_up() {
    let mut dpor = Dpor::from_random_walk(DporSettings { max_events_a_thread: None }, 1).within(10_000);
    explore(&increments(10, 60), &mut dpor, Extras::default(), 10_000, 1, |_, _| {});
    assert!(dpor.is_exhausted() && dpor.next().is_none());
}

#[test]
fn schedules_that_wait_have_a_bound() {
    let mut bounded = Bounded::new(2);
    let executions = explore(&increments(40, 20), &mut bounded, Extras::default(), 10_000, 200, |_, _| {});
    assert!(executions < 200 && bounded.next().is_none(), "{executions}");
    assert_eq!((bounded.waiting(), bounded.completed()), (0, None), "not all without preemptions were run");
}

#[test]
fn a_cause_is_found_among_more_pairs_of_events_than_are_kept() {
    let program = increments(10, 40);
    let (mut failing, mut passing): (Vec<Ran>, Vec<Ran>) = (Vec::new(), Vec::new());
    explore(&program, &mut Random::new(1), Extras::default(), 10_000, 20, |ran, _| failing.push(ran.clone()));
    explore(&program, &mut Serial::default(), Extras::default(), 10_000, 10, |ran, _| passing.push(ran.clone()));
    assert!(failing.iter().all(|ran| ran.outcome.variables[0] < 400));
    assert!(passing.iter().all(|ran| ran.outcome.variables[0] == 400));
    fn told(all: &[Ran]) -> Vec<Execution<'_>> {
        all.iter().map(Ran::execution).collect()
    }
    let cause = cause(&told(&failing), &told(&passing)).expect("they differ in the order of nearly everything");
    assert!(!cause.smallest, "not all pairs were looked at");
    assert!(cause.failing >= 1 && !cause.facts.is_empty());
}

#[test]
fn a_thousand_threads_that_have_nothing_to_do_with_each_other_have_one_trace() {
    let program = independent(1_000);
    let mut dpor = reduction();
    explore(&program, &mut dpor, Extras::default(), 10_000, 10, |_, _| {});
    assert!(dpor.is_complete());
    assert_eq!(dpor.counts().traces, 1);
    let mut walk = explore::Pos::new(1);
    let ran = run(&program, &mut *walk.next().unwrap());
    assert!(ran.outcome.variables.iter().all(|&variable| variable == 1));
}
