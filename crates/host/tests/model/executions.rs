//! Whole executions: a first thread, two that live on from one to the next, and the machine with its lock table.
//!
//! Each of these changes to `control.rs` was tried, and fails here: batons passed to threads that do not wait for them (a pass
//! is left over, and a thread goes on too soon); `dismiss` without passing batons, or `finish` without releasing the first
//! thread (nobody can go on); `resume` without looking whether the execution is over.

use crate::control::{self, Ended, Standing};
use crate::held::Held;
use crate::machine::{Limits, Stop, plain};
use loom::sync::Arc;
use loom::thread;
use schedule::{Choice, Divergence, Event, EventKind, ObjectId, Scheduler, SiteId, ThreadId, Turn};

const SUFFIXES: u16 = 2;

/// Gives every thread one event at a time, so that control is handed over as often as can be.
struct Alternate;

impl Scheduler for Alternate {
    fn choose(&mut self, choice: &Choice<'_>) -> Result<Turn, Divergence> {
        let next = choice.threads().find(|&thread| Some(thread) > choice.last).or_else(|| choice.threads().next());
        Ok(Turn { thread: next.expect("internal bug: there is a choice"), events: 1 })
    }
}

fn on_object(kind: EventKind, object: u32) -> Event {
    Event { kind, object: ObjectId(object), slot: 0, site: SiteId::NONE }
}

/// What a suffix does: events one after the other, and touches what whoever has control may touch.
fn suffix(thread: u16, events: &[Event], held: &Held) {
    if control::await_start(ThreadId(thread), true).is_ok() {
        held.touch();
        for &event in events {
            if control::event(event).is_err() {
                break;
            }
            held.touch();
        }
    }
    control::finish();
}

/// One execution, in its first thread.
fn execution(held: &Held) -> Ended {
    control::begin(Box::new(Alternate), Limits::default(), control::Tables::default(), SUFFIXES as usize);
    held.touch();
    (1..=SUFFIXES).for_each(|thread| control::start_thread(ThreadId(thread)));
    for thread in 1..=SUFFIXES {
        if control::event(plain(EventKind::Join, thread as u32)).is_err() {
            control::dismiss_others();
            break;
        }
    }
    // Whoever had to leave has left.
    held.touch();
    let (ended, _) = control::end();
    held.touch();
    ended
}

/// Runs executions in every way, up to a number of preemptions, in which each suffix does these events.
fn model(preemptions: usize, events: [Vec<Event>; 2], executions: usize, check: fn(&Ended)) {
    let mut model = loom::model::Builder::new();
    (model.preemption_bound, model.max_branches) = (Some(preemptions), 20_000);
    model.check(move || {
        let held = Arc::new(Held::new());
        let threads: Vec<_> = (1..=SUFFIXES)
            .map(|thread| {
                let (held, events) = (held.clone(), events[thread as usize - 1].clone());
                thread::spawn(move || (0..executions).for_each(|_| suffix(thread, &events, &held)))
            })
            .collect();
        for _ in 0..executions {
            check(&execution(&held));
        }
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(control::standing(), Standing::Idle);
    });
}

/// The threads of the steps, in order.
fn order(ended: &Ended) -> Vec<u16> {
    ended.remains.trace.steps.iter().map(|step| step.thread.0).collect()
}

#[test]
fn one_schedule_gives_one_trace_in_one_execution_and_the_next() {
    let events = || vec![on_object(EventKind::Write, 0)];
    model(1, [events(), events()], 2, |ended| {
        assert_eq!(ended.stop, None);
        // Begin, write and end of each in turn; then the first thread's joins and its end.
        assert_eq!(order(ended), [1, 2, 1, 2, 1, 2, 0, 0, 0]);
    });
}

#[test]
fn a_lock_keeps_the_other_out() {
    let events = || [EventKind::Lock, EventKind::Unlock].map(|kind| on_object(kind, 0)).to_vec();
    model(2, [events(), events()], 1, |ended| {
        assert_eq!(ended.stop, None);
        let steps = &ended.remains.trace.steps;
        let locks = steps.iter().filter(|step| step.event.object == ObjectId(0));
        let owners: Vec<_> = locks.map(|step| (step.thread.0, step.event.kind)).collect();
        let turn = |thread| [(thread, EventKind::Lock), (thread, EventKind::Unlock)];
        assert_eq!(owners, [turn(1), turn(2)].concat());
    });
}

#[test]
fn a_deadlock_lets_all_threads_go() {
    let events = |first, second| [first, second].map(|object| on_object(EventKind::Lock, object)).to_vec();
    model(1, [events(0, 1), events(1, 0)], 2, |ended| {
        let Some(Stop::Deadlock(blocked)) = &ended.stop else { panic!("no deadlock: {:?}", ended.stop) };
        assert_eq!(blocked.len(), 3);
    });
}

#[test]
fn whoever_stops_an_execution_from_outside_stops_it_once() {
    let mut model = loom::model::Builder::new();
    (model.preemption_bound, model.max_branches) = (Some(1), 20_000);
    model.check(|| {
        let held = Arc::new(Held::new());
        let threads: Vec<_> = (1..=SUFFIXES)
            .map(|thread| {
                let held = held.clone();
                thread::spawn(move || suffix(thread, &[on_object(EventKind::Write, 0)], &held))
            })
            .collect();
        let outside = thread::spawn(|| control::stop(Stop::Exit(1)));
        let ended = execution(&held);
        let stopped = outside.join().unwrap();
        // It may have come when the execution was over, or before there was one.
        assert!(stopped || ended.stop.is_none());
        assert!(matches!(ended.stop, None | Some(Stop::Exit(1))));
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(control::standing(), Standing::Idle);
    });
}
