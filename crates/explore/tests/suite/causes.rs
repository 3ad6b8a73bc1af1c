//! Why executions fail.

use crate::programs::*;
use crate::toy::{Extras, Program, Ran, explore};
use explore::{Cause, Dpor, DporSettings, Execution, cause};
use schedule::EventKind;

/// The cause over all executions of the program.
fn cause_of(program: &Program, fails: impl Fn(&Ran) -> bool) -> Option<Cause> {
    let mut dpor = Dpor::new(DporSettings { max_events_a_thread: None });
    let (mut failing, mut passing) = (Vec::new(), Vec::new());
    explore(program, &mut dpor, Extras::default(), 10_000, 100_000, |ran, _| {
        if fails(ran) { failing.push(ran.clone()) } else { passing.push(ran.clone()) }
    });
    fn told(all: &[Ran]) -> Vec<Execution<'_>> {
        all.iter().map(Ran::execution).collect()
    }
    let cause = cause(&told(&failing), &told(&passing))?;
    assert!(cause.smallest);
    Some(cause)
}

/// Facts as thread, kind, number of earlier ones; before which.
fn told(cause: &Cause) -> Vec<[(u16, EventKind, u32); 2]> {
    let name = |o: explore::Occurrence| (o.thread.0, o.kind, o.earlier);
    let mut facts: Vec<_> = cause.facts.iter().map(|at| [name(at.fact.first), name(at.fact.second)]).collect();
    facts.sort();
    facts
}

#[test]
fn a_lost_update_is_two_reads_before_the_other_ones_write() {
    use EventKind::{Read, Write};
    let cause = cause_of(&increments(2, 1), |ran| ran.outcome.variables[0] == 1).unwrap();
    assert_eq!(told(&cause), [[(1, Read, 0), (2, Write, 0)], [(2, Read, 0), (1, Write, 0)]]);
    assert_eq!(cause.failing, 2);
}

#[test]
fn an_unfinished_publication_is_a_read_before_the_write() {
    let cause = cause_of(&publication(), |ran| ran.outcome.failed).unwrap();
    use EventKind::{Read, Write};
    // That the value is read at all says that the flag was seen.
    assert_eq!(told(&cause), [[(2, Read, 0), (1, Write, 0)]]);
    assert_eq!(cause.facts[0].object, schedule::ObjectId(0));
}

#[test]
fn a_deadlock_is_each_one_first_at_one_lock() {
    use EventKind::Lock;
    let cause = cause_of(&philosophers(2, false), |ran| ran.end == explore::End::Stuck).unwrap();
    assert_eq!(told(&cause), [[(1, Lock, 0), (2, Lock, 0)], [(2, Lock, 0), (1, Lock, 0)]]);
}

#[test]
fn a_lost_notification_is_one_fact() {
    let cause = cause_of(&lost_notification(), |ran| ran.end == explore::End::Stuck).unwrap();
    assert_eq!(cause.facts.len(), 1);
    assert_eq!((cause.facts[0].fact.first.thread.0, cause.facts[0].fact.second.thread.0), (2, 1));
}

#[test]
fn without_both_kinds_there_is_no_cause() {
    assert_eq!(cause_of(&increments(2, 1), |_| true), None);
    assert_eq!(cause_of(&increments(2, 1), |_| false), None);
}
