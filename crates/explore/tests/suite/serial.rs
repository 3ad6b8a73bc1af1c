//! Serial orders and the sweep.

use crate::programs::*;
use crate::toy::{Extras, Num, Op, Program, explore};
use explore::{Explorer, Serial, Sweep};
use schedule::Schedule;

fn schedules(program: &Program, explorer: &mut dyn Explorer) -> Vec<Vec<(u16, u32)>> {
    let mut schedules = Vec::new();
    explore(program, explorer, Extras::default(), 10_000, 10_000, |ran, _| {
        let turns = Schedule::of(&ran.trace).turns;
        // What the first thread does is to wait for the others.
        schedules
            .push(turns.iter().filter(|turn| turn.thread.0 != 0).map(|turn| (turn.thread.0, turn.events)).collect());
    });
    schedules
}

#[test]
fn serial_orders_are_all_orders_of_whole_threads() {
    let orders = schedules(&increments(3, 1), &mut Serial::default());
    let threads: Vec<Vec<u16>> = orders.iter().map(|turns| turns.iter().map(|&(thread, _)| thread).collect()).collect();
    assert_eq!(threads, [[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]]);
    assert_eq!(schedules(&readers(6), &mut Serial::default()).len(), 7, "too many threads for all orders");
}

#[test]
fn a_blocked_thread_gives_way_and_a_spinning_one_too() {
    assert_eq!(schedules(&lost_notification(), &mut Serial::default()).len(), 2);
    for turns in schedules(&spin(true), &mut Serial::default()) {
        assert!(turns.iter().map(|&(_, events)| events).sum::<u32>() < 1000, "{turns:?}");
    }
}

#[test]
fn the_sweep_runs_each_thread_whole_at_each_point_of_each_other() {
    let mut sweep = schedules(&increments(2, 2), &mut Sweep::default());
    // A thread begins, does four accesses, ends: between any two of these accesses the other runs whole.
    let point = |outer, inner, events| vec![(outer, events), (inner, 6), (outer, 6 - events)];
    assert_eq!(sweep.remove(0), [(1, 6), (2, 6)], "one to see who there is");
    // That the thread is at its end is seen there.
    let mut expected: Vec<_> = (2..6).map(|events| point(1, 2, events)).collect();
    expected.extend((2..6).map(|events| point(2, 1, events)));
    assert_eq!(sweep, expected);
}

#[test]
fn the_sweep_goes_on_where_interference_makes_the_thread_end_early() {
    // The first thread does much only if it reads zero, which it does not once the other has written.
    let mut first = vec![Op::Yield, Op::Read { var: 0, reg: 0 }, Op::IfNot { reg: 0, is: 0, to: 8 }];
    first.extend(vec![Op::Write { var: 1, value: Num::Reg(0, 1) }; 5]);
    let second = vec![Op::Write { var: 0, value: Num::Const(1) }];
    let sweep = schedules(&Program::new(2, vec![first, second]), &mut Sweep::default());
    let stops: Vec<_> =
        sweep.iter().filter(|turns| turns[0].0 == 1 && turns.len() == 3).map(|turns| turns[0].1).collect();
    // Past the read nothing meets what the other does.
    assert_eq!(stops, [2, 3]);
}

#[test]
fn points_that_are_passed_over_come_to_the_same_as_others() {
    let programs = [
        increments(2, 2),
        increments(3, 1),
        check_then_act(2),
        publication(),
        accounts(),
        lost_notification(),
        readers(3),
        philosophers(3, false),
        philosophers(3, true),
    ];
    for (number, program) in programs.iter().enumerate() {
        let classes = |sweep: &mut Sweep| {
            let (mut classes, mut count) = (std::collections::BTreeSet::new(), 0);
            explore(program, sweep, Extras::default(), 10_000, 10_000, |ran, _| {
                count += 1;
                classes.insert(explore::partial_order(&ran.execution()));
            });
            (classes, count)
        };
        let (all, slow) = classes(&mut Sweep::at_every_point());
        let (some, fast) = classes(&mut Sweep::default());
        assert_eq!(some, all, "program {number}");
        assert!(fast <= slow, "program {number}");
    }
}

#[test]
fn the_sweep_does_not_follow_a_thread_that_spins() {
    assert!(schedules(&spin(true), &mut Sweep::default()).len() < 100);
}

#[test]
fn the_sweep_finds_what_one_preemption_breaks() {
    for program in [increments(2, 1), check_then_act(2), publication(), accounts()] {
        let mut serial_ends = std::collections::BTreeSet::new();
        explore(&program, &mut Serial::default(), Extras::default(), 1000, 1000, |ran, _| {
            serial_ends.insert((ran.outcome.variables.clone(), ran.outcome.failed));
        });
        let mut found = false;
        explore(&program, &mut Sweep::default(), Extras::default(), 1000, 1000, |ran, _| {
            found |= !serial_ends.contains(&(ran.outcome.variables.clone(), ran.outcome.failed));
        });
        assert!(found, "{program:?}");
    }
}
