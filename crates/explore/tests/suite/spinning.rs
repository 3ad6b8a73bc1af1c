//! Loops that wait do not explode.

use crate::programs::*;
use crate::toy::{Extras, Num, Op, Program, explore, reachable, run};
use explore::{
    Auto, AutoSettings, Bounded, Dpor, DporCounts, DporSettings, End, Explorer, Learnt, Pct, Pos, Random, Serial, Surw,
    Sweep,
};
use schedule::Schedule;
use std::collections::BTreeSet;

fn counts(program: &Program) -> (DporCounts, BTreeSet<Vec<i64>>) {
    let mut dpor = Dpor::new(DporSettings { max_events_a_thread: Some(200) });
    let mut ends = BTreeSet::new();
    explore(program, &mut dpor, Extras::default(), 10_000, 20_000, |ran, learnt| {
        assert_ne!(learnt, Learnt::Unexpected);
        if learnt == Learnt::Counts {
            assert!(!ran.outcome.failed, "{:?}", ran.trace);
            ends.insert(ran.outcome.variables.clone());
        }
    });
    assert!(dpor.is_complete(), "{:?}", dpor.counts());
    (dpor.counts(), ends)
}

#[test]
fn a_thread_that_spins_reads_the_old_value_at_most_twice() {
    let (counts, _) = counts(&spin(true));
    // The flag is set before the first read, after it, or after the second.
    assert_eq!((counts.traces, counts.bounded), (3, 0));
    assert!(counts.held > 0);
}

#[test]
fn rounds_may_have_several_reads_and_yields() {
    let waits = vec![
        Op::VolatileRead { var: 0, reg: 0 },
        Op::Yield,
        Op::VolatileRead { var: 1, reg: 1 },
        Op::If { reg: 1, is: 0, to: 0 },
    ];
    let write = |var| Op::VolatileWrite { var, value: Num::Const(1) };
    let (counts, _) = counts(&Program::new(2, vec![waits, vec![write(0), write(1)]]));
    assert!(counts.traces < 20 && counts.bounded == 0, "{counts:?}");
}

#[test]
fn a_lock_made_of_updates_is_a_lock() {
    let (two, ends) = counts(&spin_lock(2));
    assert!(two.bounded == 0 && two.traces < 20, "{two:?}");
    assert_eq!(ends, BTreeSet::from([vec![0, 2]]));
    let (three, ends) = counts(&spin_lock(3));
    assert!(three.bounded == 0 && three.traces < 1000, "{three:?}");
    assert_eq!(ends, BTreeSet::from([vec![0, 3]]));
}

/// One spins until the other sets a flag, which it does after it has slept.
fn sleeper() -> Program {
    let waits = vec![Op::VolatileRead { var: 0, reg: 0 }, Op::If { reg: 0, is: 0, to: 0 }];
    let sleeps = vec![Op::Sleep(10), Op::VolatileWrite { var: 0, value: Num::Const(1) }];
    Program::new(1, vec![waits, sleeps])
}

#[test]
fn time_passes_where_all_threads_spin() {
    let (counts, ends) = counts(&sleeper());
    assert_eq!((counts.bounded, ends), (0, BTreeSet::from([vec![1]])));
    assert_eq!(counts.timed_out, counts.traces);
}

#[test]
fn where_time_has_passed_a_replay_lets_it_pass() {
    let mut dpor = Dpor::new(DporSettings { max_events_a_thread: Some(200) });
    let mut replayed = 0;
    explore(&sleeper(), &mut dpor, Extras::default(), 10_000, 100, |ran, learnt| {
        if learnt == Learnt::Counts {
            let again = run(&sleeper(), &mut Schedule::of(&ran.trace).with_timeouts(&ran.timed_out).replay());
            assert_eq!(again.trace, ran.trace);
            replayed += 1;
        }
    });
    assert!(replayed > 0);
}

#[test]
fn time_passes_under_every_scheduler() {
    let explorers: [Box<dyn Explorer>; 7] = [
        Box::new(Serial::default()),
        Box::new(Sweep::default()),
        Box::new(Bounded::new(1)),
        Box::new(Pos::new(1)),
        Box::new(Pct::new(1, 3)),
        Box::new(Surw::new(1)),
        Box::new(Auto::new(AutoSettings::default())),
    ];
    for mut explorer in explorers {
        let executions = explore(&sleeper(), &mut *explorer, Extras::default(), 5_000, 10, |ran, learnt| {
            assert!(ran.end == End::Done || learnt == Learnt::Redundant, "{:?}", ran.trace.steps.len());
        });
        assert!(executions > 0);
    }
}

#[test]
fn a_thread_that_waits_for_one_that_waits_for_it_goes_on_in_the_end() {
    // The first leaves its loop by itself after some rounds, which nobody can know.
    let again = vec![
        Op::VolatileRead { var: 0, reg: 0 },
        Op::Set { reg: 1, value: Num::Reg(1, 1) },
        Op::If { reg: 1, is: 20, to: 4 },
        Op::If { reg: 0, is: 0, to: 0 },
        Op::VolatileWrite { var: 1, value: Num::Const(1) },
    ];
    let waits = vec![Op::VolatileRead { var: 1, reg: 0 }, Op::If { reg: 0, is: 0, to: 0 }];
    let (counts, ends) = counts(&Program::new(2, vec![again, waits]));
    assert_eq!((counts.bounded, ends), (0, BTreeSet::from([vec![0, 1]])));
}

#[test]
fn calls_of_a_method_in_which_a_thread_has_spun_are_no_loop() {
    let get = Op::VolatileRead { var: 0, reg: 0 };
    let write = |var| Op::VolatileWrite { var, value: Num::Const(1) };
    let read = |var| Op::VolatileRead { var, reg: 1 };
    // It waits, reads some more, and meets the other one only if it is not held there.
    let waits = vec![
        get,
        Op::If { reg: 0, is: 0, to: 0 },
        get,
        get,
        get,
        write(1),
        read(2),
        Op::IfNot { reg: 1, is: 1, to: 9 },
        write(3),
    ];
    let sets = vec![
        write(0),
        read(1),
        Op::IfNot { reg: 1, is: 1, to: 6 },
        write(2),
        read(3),
        Op::IfNot { reg: 1, is: 0, to: 6 },
    ];
    let program = Program::new(4, vec![waits, sets]);
    let mut dpor = Dpor::new(DporSettings { max_events_a_thread: Some(200) });
    let mut ends = BTreeSet::new();
    explore(&program, &mut dpor, Extras { getters: true, ..Extras::default() }, 10_000, 20_000, |ran, learnt| {
        if learnt == Learnt::Counts {
            ends.insert(ran.outcome.clone());
        }
    });
    assert!(dpor.is_complete() && dpor.counts().held > 0, "{:?}", dpor.counts());
    assert_eq!(ends, reachable(&program, 20_000).unwrap());
}

/// Takes a lock to read a variable, until that is not zero.
fn polls(lock: usize, var: usize) -> Vec<Op> {
    vec![Op::Lock(lock), Op::Read { var, reg: 0 }, Op::Unlock(lock), Op::If { reg: 0, is: 0, to: 0 }]
}

fn sets(lock: usize, var: usize) -> Vec<Op> {
    vec![Op::Lock(lock), Op::Write { var, value: Num::Const(1) }, Op::Unlock(lock)]
}

#[test]
fn a_thread_that_takes_a_lock_to_look_is_held_like_one_that_only_looks() {
    let (one, _) = counts(&Program::new(1, vec![polls(0, 0), sets(0, 0)]));
    // The lock is taken to write before the first look, after it, or after the second.
    assert_eq!((one.traces, one.bounded), (3, 0));
    assert!(one.held > 0);
    let (two, ends) = counts(&Program::new(1, vec![polls(0, 0), polls(0, 0), sets(0, 0)]));
    assert!(two.bounded == 0 && two.traces < 100, "{two:?}");
    assert_eq!(ends, BTreeSet::from([vec![1]]));
}

#[test]
fn time_passes_where_a_thread_takes_a_lock_to_look() {
    let sleeps = [vec![Op::Sleep(10)], sets(0, 0)].concat();
    let (counts, ends) = counts(&Program::new(1, vec![polls(0, 0), sleeps]));
    assert_eq!((counts.bounded, ends), (0, BTreeSet::from([vec![1]])));
    assert_eq!(counts.timed_out, counts.traces);
}

#[test]
fn whoever_tries_to_take_a_lock_sees_as_many_rounds_of_a_loop_as_there_are() {
    // Each attempt fails only in a round of its own, for the lock is taken in between.
    let mut tries = Vec::new();
    for reg in 0..4 {
        let after = tries.len() + 3;
        tries.extend([Op::TryLock { lock: 0, reg }, Op::IfNot { reg, is: 1, to: after }, Op::Unlock(0)]);
        tries.extend([Op::Lock(0), Op::Unlock(0)]);
    }
    let program = Program::new(1, vec![polls(0, 0), [tries, sets(0, 0)].concat()]);
    let mut dpor = Dpor::new(DporSettings { max_events_a_thread: Some(200) });
    let mut ends = BTreeSet::new();
    explore(&program, &mut dpor, Extras::default(), 10_000, 100_000, |ran, learnt| {
        if learnt == Learnt::Counts {
            ends.insert(ran.outcome.clone());
        }
    });
    assert!(dpor.is_complete() && dpor.counts().held > 0, "{:?}", dpor.counts());
    let all = reachable(&program, 200_000).unwrap();
    assert!(all.iter().any(|outcome| outcome.registers[2] == [0; 4]), "all fail");
    assert_eq!(ends, all);
}

#[test]
fn threads_that_take_a_lock_to_look_end_under_every_explorer() {
    let sleeps = [vec![Op::Sleep(10)], sets(0, 0)].concat();
    // With a yield a round is as long as a part of a turn.
    let yields = [vec![Op::Yield], polls(0, 0)].concat();
    let yields: Vec<Op> = yields[..4].iter().copied().chain([Op::If { reg: 0, is: 0, to: 0 }]).collect();
    let program = Program::new(1, vec![yields.clone(), yields, sleeps]);
    let explorers: [(&str, Box<dyn Explorer>); 8] = [
        ("serial", Box::new(Serial::default())),
        ("sweep", Box::new(Sweep::default())),
        ("bounded", Box::new(Bounded::new(1))),
        ("pos", Box::new(Pos::new(1))),
        ("pct", Box::new(Pct::new(1, 3))),
        ("surw", Box::new(Surw::new(1))),
        ("random", Box::new(Random::new(1))),
        ("auto", Box::new(Auto::new(AutoSettings::default()))),
    ];
    for (name, mut explorer) in explorers {
        let executions = explore(&program, &mut *explorer, Extras::default(), 10_000, 20, |ran, learnt| {
            assert!(ran.end == End::Done || learnt == Learnt::Redundant, "{name}: {:?}", ran.end);
        });
        assert!(executions > 0, "{name}");
    }
}

#[test]
fn a_sample_lets_a_thread_go_on_for_which_another_spins() {
    // Of interest is the second variable, which the one writes before it sets the flag, and the other past its loop.
    let sets = vec![Op::Write { var: 1, value: Num::Const(1) }, Op::Write { var: 0, value: Num::Const(1) }];
    let waits = vec![
        Op::Read { var: 0, reg: 0 },
        Op::If { reg: 0, is: 0, to: 0 },
        Op::Write { var: 1, value: Num::Const(2) },
        Op::Write { var: 1, value: Num::Const(3) },
    ];
    let program = Program::new(2, vec![sets, waits]);
    explore(&program, &mut Surw::new(1), Extras::default(), 10_000, 50, |ran, _| assert_eq!(ran.end, End::Done));
}
