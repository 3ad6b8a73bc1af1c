//! Data races against happens-before worked out pair by pair.

use crate::programs::*;
use crate::random::{cases, monitor_program};
use crate::toy::{Program, Ran, run};
use explore::{RaceDetector, races};
use proptest::prelude::*;
use schedule::{EventKind, RandomWalk, Step, ThreadId};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// For each step the steps that happen before it, by the definition: edges, then all chains of them.
fn happens_before(steps: &[Step]) -> Vec<BTreeSet<usize>> {
    use EventKind::*;
    let mut before: Vec<BTreeSet<usize>> = Vec::new();
    for (later, step) in steps.iter().enumerate() {
        let mut set = BTreeSet::new();
        for (earlier, other) in steps[..later].iter().enumerate() {
            let (a, b) = (other.event, step.event);
            let same_place = a.object == b.object && a.slot == b.slot;
            let edge = other.thread == step.thread
                || matches!((a.kind, b.kind), (Unlock | Wait, Lock | Wake)) && a.object == b.object
                || matches!((a.kind, b.kind), (VolatileWrite | Update, VolatileRead | Update | FailedUpdate))
                    && same_place
                || a.kind == End && matches!(b.kind, Join | Alive) && b.slot == other.thread.0 as u32
                || a.kind == Interrupt && finds_out(steps, earlier, later);
            if edge {
                set.insert(earlier);
                set.extend(before[earlier].iter().copied());
            }
        }
        before.push(set);
    }
    before
}

/// Whether the later step sees that its thread was interrupted, by the earlier one among others.
fn finds_out(steps: &[Step], earlier: usize, later: usize) -> bool {
    let target = ThreadId(steps[earlier].event.slot as u16);
    let ended = |thread: u32, at: usize| {
        steps[..at].iter().any(|step| step.event.kind == EventKind::End && step.thread.0 as u32 == thread)
    };
    let clears = |at: usize| match steps[at].event.kind {
        EventKind::Wake | EventKind::Sleep | EventKind::ClearInterrupted => steps[at].thread == target,
        EventKind::Join => steps[at].thread == target && !ended(steps[at].event.slot, at),
        _ => false,
    };
    let looks = steps[later].thread == target
        && matches!(
            steps[later].event.kind,
            EventKind::Wake | EventKind::Sleep | EventKind::ClearInterrupted | EventKind::Join
        );
    // Interrupts of which the thread was told are over; whoever interrupted before that did so too.
    let set = (0..later)
        .rev()
        .take_while(|&at| !clears(at))
        .any(|at| steps[at].event.kind == EventKind::Interrupt && steps[at].event.slot == target.0 as u32);
    looks && set
}

thread_local! {
    /// One that has seen the executions of other programs.
    static USED: RefCell<RaceDetector> = RefCell::default();
}

fn check(ran: &Ran) -> Result<(), TestCaseError> {
    let steps = &ran.trace.steps;
    let before = happens_before(steps);
    let is_race = |first: usize, second: usize| {
        let (a, b) = (steps[first].event, steps[second].event);
        let plain = |kind| matches!(kind, EventKind::Read | EventKind::Write);
        a.kind.is_access()
            && b.kind.is_access()
            && (a.object, a.slot) == (b.object, b.slot)
            && (a.kind.is_write() || b.kind.is_write())
            && (plain(a.kind) || plain(b.kind))
            && !before[second].contains(&first)
    };
    let again = USED.with_borrow_mut(|used| used.races(&ran.execution()).to_vec());
    prop_assert_eq!(again, races(&ran.execution()));
    let mut places = BTreeSet::new();
    for race in races(&ran.execution()) {
        prop_assert!(is_race(race.first, race.second), "{race:?} of {steps:?}");
        prop_assert_eq!(race.first_site, steps[race.first].event.site);
        prop_assert_eq!(race.second_site, steps[race.second].event.site);
        places.insert(steps[race.first].event.object);
    }
    // Each place that has a race at all was told. Sites tell variables apart here, for each is of one operation.
    for second in 0..steps.len() {
        for first in 0..second {
            if is_race(first, second) {
                prop_assert!(places.contains(&steps[first].event.object), "{first} and {second} of {steps:?}");
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn races_are_those_of_the_definition(program in monitor_program(3, 4, true), seed in any::<u64>()) {
        check(&run(&program, &mut RandomWalk::new(seed)))?;
    }

    #[test]
    fn races_of_accesses_and_locks(program in monitor_program(3, 5, false), seed in any::<u64>()) {
        check(&run(&program, &mut RandomWalk::new(seed)))?;
    }
}

fn racy(program: &Program) -> bool {
    (0..50).any(|seed| !races(&run(program, &mut RandomWalk::new(seed)).execution()).is_empty())
}

#[test]
fn what_is_protected_does_not_race() {
    assert!(racy(&increments(2, 1)));
    assert!(!racy(&locked_increments(3, 2)));
    assert!(!racy(&atomic_increments(2, 2)));
    assert!(!racy(&spin(true)));
    assert!(!racy(&spin_lock(2)));
    assert!(racy(&publication()));
}
