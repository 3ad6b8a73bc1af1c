//! Complete exploration: every trace, none twice.

use crate::programs::*;
use crate::toy::{Extras, Num, Op, Outcome, Program, brute_force, explore, reachable, run};
use explore::{Dpor, DporCounts, DporSettings, Explorer, Learnt, partial_order};
use std::collections::BTreeSet;

pub struct Explored {
    pub counts: DporCounts,
    pub outcomes: BTreeSet<Outcome>,
    pub orders: BTreeSet<u64>,
}

/// Explores all of the program and checks that no trace comes twice.
pub fn all(program: &Program, extras: Extras, max_events_a_thread: u32) -> Explored {
    all_of_few(program, extras, max_events_a_thread, 2_000_000).expect("not complete")
}

/// The same; None if there are more executions than that.
pub fn all_of_few(program: &Program, extras: Extras, max_events_a_thread: u32, most: usize) -> Option<Explored> {
    let mut dpor = Dpor::new(DporSettings { max_events_a_thread: Some(max_events_a_thread) });
    let (mut outcomes, mut orders) = (BTreeSet::new(), BTreeSet::new());
    let executions = explore(program, &mut dpor, extras, 100_000, most, |ran, learnt| {
        assert_ne!(learnt, Learnt::Unexpected, "{program:?}\n{:?}", ran.trace);
        if learnt != Learnt::Redundant {
            let new = orders.insert(partial_order(&ran.execution()));
            assert!(new, "twice: {:?}\nof {program:?}", ran.trace);
            outcomes.insert(ran.outcome.clone());
        }
    });
    assert!(dpor.is_complete() || executions >= most, "not complete after {executions}");
    assert_eq!(dpor.counts().traces as usize, orders.len());
    dpor.is_complete().then(|| Explored { counts: dpor.counts(), outcomes, orders })
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
fn increments_of_two_threads() {
    for m in 1..=8 {
        check_traces(&atomic_increments(2, m), binomial(2 * m as u64, m as u64));
        check_traces(&locked_increments(2, m.min(6)), binomial(2 * m.min(6) as u64, m.min(6) as u64));
    }
}

#[test]
fn increments_of_three_threads() {
    // Orders of 3 x m steps that keep each thread's own: the multinomial coefficient.
    check_traces(&atomic_increments(3, 1), 6);
    check_traces(&atomic_increments(3, 2), 90);
    check_traces(&atomic_increments(3, 3), 1680);
    check_traces(&locked_increments(3, 2), 90);
    check_traces(&locked_increments(4, 1), 24);
}

#[test]
fn philosophers_have_an_order_for_each_fork() {
    for count in 2..=8 {
        // Of the two cycles of orders one is the deadlock and the other cannot be.
        check_traces(&philosophers(count, false), (1 << count) - 1);
    }
    let stuck = |explored: &Explored| explored.outcomes.iter().filter(|outcome| !outcome.stuck.is_empty()).count();
    assert_eq!(stuck(&all(&philosophers(3, false), Extras::default(), 100)), 1);
    let polite = all(&philosophers(3, true), Extras::default(), 100);
    assert_eq!((stuck(&polite), polite.counts.redundant), (0, 0));
}

#[test]
fn each_reader_reads_before_or_after_the_write() {
    for count in 1..=10 {
        check_traces(&readers(count), 1 << count);
    }
}

#[test]
fn indexer_threads_meet_in_three_places_each() {
    check_traces(&indexer(11), 1);
    check_traces(&indexer(12), 8);
    check_traces(&indexer(13), 64);
    check_traces(&indexer(14), 512);
    check_traces(&indexer(15), 4096);
}

#[test]
fn last_zero_as_published() {
    // The published numbers are 64 for 5, 3,328 for 10 and 147,456 for 15. It is the one program of these in which source sets are
    // not optimal; with them 7,204 executions are published for 10, and here, where threads are chosen in another order, there are 20,195.
    for count in 2..=10 {
        let explored = all(&last_zero(count), Extras::default(), 10_000);
        let traces = (count as u64 + 3) << (count - 2);
        assert_eq!(explored.counts.traces, traces);
        assert!(explored.counts.redundant < 6 * traces, "{:?}", explored.counts);
    }
}

#[test]
fn threads_are_known_by_who_started_them() {
    for renumber in [false, true] {
        let explored = all(&families(), Extras { renumber, ..Extras::default() }, 100);
        assert_eq!((explored.counts.traces, explored.counts.redundant), (2, 0));
        let outcomes = reachable(&families(), 1_000_000).unwrap();
        assert_eq!(explored.outcomes, outcomes);
    }
}

#[test]
fn one_notification_wakes_one_thread_and_any_of_them() {
    for program in [notified_once(), notified_wrong()] {
        let explored = all(&program, Extras::default(), 100);
        assert_eq!(explored.outcomes, reachable(&program, 1_000_000).unwrap());
        assert_eq!(explored.counts.redundant, 0);
    }
    let stuck: BTreeSet<Vec<usize>> = all(&notified_once(), Extras::default(), 100)
        .outcomes
        .iter()
        .map(|outcome| outcome.stuck.iter().map(|&(thread, _)| thread).filter(|&thread| thread != 0).collect())
        .collect();
    // One that is there is woken; who comes later, or second, is not.
    assert_eq!(stuck, BTreeSet::from([vec![1], vec![2], vec![1, 2]]));
}

#[test]
fn an_execution_that_is_not_the_expected_one_is_told() {
    let mut dpor = Dpor::new(DporSettings { max_events_a_thread: None });
    let programs = [increments(2, 2), atomic_increments(2, 2)];
    let mut unexpected = 0;
    for number in 0..10 {
        let Some(mut scheduler) = dpor.next() else { break };
        let ran = run(&programs[number % 2], &mut *scheduler);
        unexpected += (dpor.finish(&ran.execution()) == Learnt::Unexpected) as usize;
    }
    assert!(unexpected > 0 && !dpor.is_complete());
}

#[test]
fn known_programs_agree_with_brute_force() {
    for program in [
        increments(2, 1),
        philosophers(2, false),
        locked_increments(2, 1),
        readers(2),
        lost_notification(),
        publication(),
    ] {
        let brute = brute_force(&program, Extras::default(), 100, 1_000_000).unwrap();
        let explored = all(&program, Extras::default(), 100);
        assert_eq!((&explored.outcomes, &explored.orders), (&brute.outcomes, &brute.orders), "{program:?}");
    }
}

/// What is brought forward takes all that is independent along: a branch as deep as the execution is long.
#[test]
fn a_long_thread_beside_a_race_is_no_burden() {
    let long = vec![Op::Add { var: 1, value: 1, reg: 0 }, Op::IfNot { reg: 0, is: 100_000, to: 0 }];
    let (write, read) = (vec![Op::Write { var: 0, value: Num::Const(1) }], vec![Op::Read { var: 0, reg: 0 }]);
    let program = Program::new(2, vec![write, long, read]);
    let mut dpor = Dpor::new(DporSettings { max_events_a_thread: None });
    explore(&program, &mut dpor, Extras::default(), 1_000_000, 10, |_, _| {});
    assert!(dpor.is_complete());
    assert_eq!(dpor.counts().traces, 2);
}

/// Of an execution that was cut off only the beginning is looked at: the first thread below can meet the second at every event.
#[test]
fn executions_without_an_end_do_not_keep_it_busy() {
    let add = Op::Add { var: 0, value: 1, reg: 0 };
    let endless = vec![add, Op::Unpark(1), add, Op::IfNot { reg: 1, is: 1, to: 2 }];
    let program = Program::new(1, vec![vec![add, Op::Park], endless]);
    let mut dpor = Dpor::new(DporSettings { max_events_a_thread: None });
    let executions = explore(&program, &mut dpor, Extras::default(), 100_000, 20, |_, _| {});
    assert!(!dpor.is_complete());
    assert_eq!((executions, dpor.counts().cut), (20, 20));
}

/// All orders of a program that was too much for an earlier reduction.
#[track_caller]
fn check_outcomes(program: &Program, traces: u64) {
    for renumber in [false, true] {
        let explored = all(program, Extras { renumber, ..Extras::default() }, 100);
        assert_eq!(explored.counts.traces, traces);
        assert_eq!(explored.outcomes, reachable(program, 1_000_000).unwrap());
    }
}

#[test]
fn what_is_done_to_an_object_before_it_is_known_is_not_lost() {
    let program = Program::new(
        3,
        vec![
            vec![Op::Read { var: 2, reg: 2 }],
            vec![Op::Write { var: 0, value: Num::Const(1) }],
            vec![
                Op::Read { var: 1, reg: 1 },
                Op::Write { var: 2, value: Num::Const(1) },
                Op::Write { var: 2, value: Num::Const(0) },
                Op::Read { var: 0, reg: 0 },
            ],
        ],
    );
    // The read comes before, between or after the two writes, and the write before or after the last read.
    check_outcomes(&program, 6);
}

#[test]
fn what_comes_after_an_update_that_may_fail_is_not_lost() {
    let write = |value| Op::Write { var: 0, value: Num::Const(value) };
    let program = Program::new(
        1,
        vec![
            vec![Op::Read { var: 0, reg: 0 }],
            vec![Op::Read { var: 0, reg: 0 }],
            vec![Op::Cas { var: 0, expect: Num::Const(0), new: Num::Const(9), reg: 0 }, write(10)],
            vec![write(13), write(14)],
        ],
    );
    // Of the 180 orders of the six accesses.
    check_outcomes(&program, 123);
}

#[test]
fn what_wakes_a_sleeper_later_is_not_lost() {
    let condition = |lock| Op::Await { lock, condition: 0, nanos: None, interruptible: false };
    let program = Program::new(
        1,
        vec![
            vec![Op::TryLock { lock: 1, reg: 2 }, Op::IfNot { reg: 2, is: 1, to: 4 }, Op::Sleep(10), Op::Unlock(1)],
            vec![
                Op::TryLock { lock: 0, reg: 2 },
                Op::IfNot { reg: 2, is: 1, to: 6 },
                Op::Lock(1),
                condition(1),
                Op::Unlock(1),
                Op::Unlock(0),
            ],
            vec![Op::Lock(0), condition(0), Op::Unlock(0)],
            vec![
                Op::TryLock { lock: 1, reg: 2 },
                Op::IfNot { reg: 2, is: 1, to: 4 },
                Op::Read { var: 0, reg: 0 },
                Op::Unlock(1),
            ],
        ],
    );
    check_outcomes(&program, 25);
}
