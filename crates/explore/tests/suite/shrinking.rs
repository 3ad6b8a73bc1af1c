//! From a failing schedule to the smallest.

use crate::programs::*;
use crate::toy::{Program, Ran, run};
use explore::{Attempt, Interference, Proof, interference, shrink};
use schedule::RandomWalk;

fn attempt(ran: Ran, fails: impl Fn(&Ran) -> bool) -> Attempt {
    let fails = fails(&ran);
    Attempt { trace: ran.trace, pending: ran.pending, timed_out: ran.timed_out, end: ran.end, fails }
}

/// Shrinks the first failing random schedule, and gives how much it interfered and how much it does then.
fn shrunk(program: &Program, budget: usize, fails: impl Fn(&Ran) -> bool) -> (Interference, explore::Shrunk) {
    let failing = (0..).map(|seed| run(program, &mut RandomWalk::new(seed))).find(|ran| fails(ran)).unwrap();
    let failing = attempt(failing, &fails);
    let before = interference(&failing.execution());
    let shrunk = shrink(failing, budget, |mut scheduler| attempt(run(program, &mut *scheduler), &fails));
    assert!(shrunk.attempt.fails);
    assert_eq!(interference(&shrunk.attempt.execution()), shrunk.interference);
    assert!(shrunk.interference <= before);
    (before, shrunk)
}

#[test]
fn a_lost_update_needs_one_preemption_and_two_accesses() {
    let (before, shrunk) = shrunk(&increments(2, 3), 10_000, |ran| ran.outcome.variables[0] < 6);
    assert!(before.preemptions > 1, "{before:?}");
    assert_eq!(shrunk.proof, Proof::Smallest);
    // The whole of the other thread runs while the first waits, unless that costs another preemption.
    assert_eq!(shrunk.interference, Interference { preemptions: 1, events_between: 8 });
}

#[test]
fn losing_all_but_two_updates_needs_four_preemptions() {
    // Each thread's last write must be of what it read when the other's was long overwritten: a read kept from the
    // start, two rounds of the other, the old value written, read by the other, and so on.
    let (_, shrunk) = shrunk(&increments(2, 3), 20_000, |ran| ran.outcome.variables[0] == 2);
    assert_eq!((shrunk.interference.preemptions, shrunk.proof), (4, Proof::Smallest));
}

#[test]
fn a_deadlock_of_philosophers_needs_one_preemption() {
    // After the first, each is blocked by the one before it, which is no preemption.
    let (_, shrunk) = shrunk(&philosophers(3, false), 50_000, |ran| ran.end == explore::End::Stuck);
    assert_eq!((shrunk.interference.preemptions, shrunk.proof), (1, Proof::Smallest));
}

#[test]
fn what_fails_serially_needs_none() {
    let (_, shrunk) = shrunk(&lost_notification(), 1000, |ran| ran.end == explore::End::Stuck);
    assert_eq!(shrunk.interference, Interference { preemptions: 0, events_between: 0 });
    assert_eq!(shrunk.proof, Proof::Smallest);
}

#[test]
fn without_the_budget_nothing_is_proved() {
    let (before, shrunk) = shrunk(&increments(3, 4), 20, |ran| ran.outcome.variables[0] == 4);
    assert_eq!(shrunk.proof, Proof::None);
    assert!(shrunk.executions <= 20 && shrunk.interference < before);
}
