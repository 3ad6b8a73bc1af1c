//! Why executions do not end.

use crate::programs::*;
use crate::toy::{Extras, Op, Program, explore};
use explore::{Dpor, DporSettings, Hang, hang};

/// The kinds of hangs that a program has.
fn kinds(program: &Program) -> Vec<Hang> {
    let mut dpor = Dpor::new(DporSettings { max_events_a_thread: Some(60) });
    let mut kinds = Vec::new();
    explore(program, &mut dpor, Extras::default(), 10_000, 10_000, |ran, _| kinds.extend(hang(&ran.execution())));
    assert!(dpor.is_complete());
    kinds
}

#[test]
fn philosophers_hang_in_a_cycle_of_all() {
    let kinds = kinds(&philosophers(3, false));
    let [Hang::ResourceCycle(cycle)] = &kinds[..] else { panic!("{kinds:?}") };
    let mut threads: Vec<_> = cycle.iter().map(|held| held.thread.0).collect();
    threads.sort();
    assert_eq!(threads, [1, 2, 3]);
    assert!(kinds.len() == 1 && self::kinds(&philosophers(3, true)).is_empty());
}

#[test]
fn a_notification_before_the_wait_is_lost() {
    let kinds = kinds(&lost_notification());
    assert!(matches!(kinds[..], [Hang::LostNotification { thread, .. }] if thread.0 == 1), "{kinds:?}");
}

#[test]
fn waiting_for_what_nobody_does_is_a_matter_of_communication() {
    let parks = Program::new(0, vec![vec![Op::Park], vec![Op::Yield]]);
    assert!(matches!(&kinds(&parks)[..], [Hang::Communication(threads)] if threads.len() == 2));
    let waits = Program::new(0, vec![vec![Op::Lock(0), Op::Wait(0), Op::Unlock(0)], vec![Op::Lock(0), Op::Unlock(0)]]);
    assert!(kinds(&waits).iter().all(|kind| matches!(kind, Hang::Communication(_))));
}

#[test]
fn a_monitor_held_while_waiting_on_another_is_no_cycle() {
    let nested = Program::new(
        0,
        vec![
            vec![Op::Lock(0), Op::Lock(1), Op::Wait(1), Op::Unlock(1), Op::Unlock(0)],
            vec![Op::Lock(0), Op::Lock(1), Op::Notify(1), Op::Unlock(1), Op::Unlock(0)],
        ],
    );
    let kinds = kinds(&nested);
    assert!(kinds.iter().any(|kind| matches!(kind, Hang::Communication(_))), "{kinds:?}");
    assert!(!kinds.iter().any(|kind| matches!(kind, Hang::ResourceCycle(_))), "{kinds:?}");
}

#[test]
fn threads_that_spin_for_ever_are_a_livelock_and_others_an_endless_loop() {
    assert!(matches!(&kinds(&livelock())[..], [Hang::Livelock(threads)] if threads.len() == 2));
    let endless = kinds(&endless());
    assert!(!endless.is_empty() && endless.iter().all(|kind| *kind == Hang::EndlessLoop), "{endless:?}");
}

#[test]
fn threads_that_take_a_lock_to_look_for_ever_are_a_livelock() {
    let polls = vec![Op::Lock(0), Op::Read { var: 0, reg: 0 }, Op::Unlock(0), Op::If { reg: 0, is: 0, to: 0 }];
    let kinds = kinds(&Program::new(1, vec![polls.clone(), polls]));
    assert!(!kinds.is_empty());
    assert!(kinds.iter().all(|kind| matches!(kind, Hang::Livelock(threads) if !threads.is_empty())), "{kinds:?}");
}
