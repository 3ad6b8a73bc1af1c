use super::*;
use schedule::RandomWalk;

fn on(kind: EventKind, object: u32) -> Event {
    Event { kind, object: ObjectId(object), slot: 0, site: SiteId(0) }
}

const LIMITS: Limits = Limits { max_events: 1000, spurious_wakeups: 0, early_timeouts: false };

/// Runs threads given as lists of events to the end.
fn run(programs: &[&[Event]], seed: u64) -> (Next, Trace) {
    run_within(programs, seed, LIMITS)
}

fn run_within(programs: &[&[Event]], seed: u64, limits: Limits) -> (Next, Trace) {
    let mut machine = Machine::new(Box::new(RandomWalk::new(seed)), limits);
    let mut left: Vec<_> = programs.iter().map(|program| program.iter()).collect();
    for program in &mut left {
        let thread = machine.add_thread();
        machine.announce(thread, *program.next().unwrap());
    }
    loop {
        match machine.next() {
            Next::Run(thread) => {
                machine.perform(thread);
                if let Some(event) = left[thread.0 as usize].next() {
                    machine.announce(thread, *event);
                }
            }
            end => return (end, machine.into_trace()),
        }
    }
}

#[test]
fn two_locks_in_two_orders_deadlock_under_some_schedules_only() {
    use EventKind::{Lock, Unlock};
    let one = [on(Lock, 1), on(Lock, 2), on(Unlock, 2), on(Unlock, 1)];
    let two = [on(Lock, 2), on(Lock, 1), on(Unlock, 1), on(Unlock, 2)];
    let ends: Vec<_> = (0..50).map(|seed| run(&[&one, &two], seed).0).collect();
    assert!(ends.contains(&Next::Done));
    let Some(Next::Stop(Stop::Deadlock(blocked))) = ends.iter().find(|end| **end != Next::Done) else {
        panic!("no deadlock in {ends:?}")
    };
    assert_eq!((blocked[0].holder, blocked[1].holder), (Some(ThreadId(1)), Some(ThreadId(0))));
    assert_eq!((&*blocked[0].holds, &*blocked[1].holds), (&[ObjectId(1)][..], &[ObjectId(2)][..]));
}

#[test]
fn a_lock_is_held_by_one_thread_at_a_time_and_more_than_once_by_it() {
    use EventKind::{Lock, Unlock, Write};
    let program = [on(Lock, 1), on(Lock, 1), on(Write, 7), on(Unlock, 1), on(Write, 8), on(Unlock, 1)];
    for seed in 0..50 {
        let (end, trace) = run(&[&program, &program], seed);
        assert_eq!(end, Next::Done);
        assert_eq!(trace.switches(), 1, "one thread runs whole before the other");
    }
}

#[test]
fn a_notification_before_the_wait_is_lost() {
    use EventKind::{Lock, Notify, Unlock, Wait, Wake};
    let waiter = [on(Lock, 1), on(Wait, 1), Event { slot: 1, ..on(Wake, 1) }, on(Unlock, 1)];
    let notifier = [on(Lock, 1), on(Notify, 1), on(Unlock, 1)];
    let ends: Vec<_> = (0..50).map(|seed| run(&[&waiter, &notifier], seed)).collect();
    for (end, trace) in &ends {
        let order = |kind| trace.steps.iter().position(|step| step.event.kind == kind).unwrap();
        assert_eq!(*end == Next::Done, order(Wait) < order(Notify), "{trace:?}");
    }
    assert!(ends.iter().any(|(end, _)| *end == Next::Done) && ends.iter().any(|(end, _)| *end != Next::Done));
}
const WAITER: [Event; 4] = [
    Event { kind: EventKind::Lock, object: ObjectId(1), slot: 0, site: SiteId(0) },
    Event { kind: EventKind::Wait, object: ObjectId(1), slot: 0, site: SiteId(0) },
    Event { kind: EventKind::Wake, object: ObjectId(1), slot: 1, site: SiteId(0) },
    Event { kind: EventKind::Unlock, object: ObjectId(1), slot: 0, site: SiteId(0) },
];

#[test]
fn any_thread_that_waited_by_then_may_take_a_notification_and_one_does() {
    use EventKind::{Lock, Notify, Unlock, Wait, Wake};
    let notifier = [on(Lock, 1), on(Notify, 1), on(Unlock, 1)];
    let mut woken_by_place = [0; 2];
    for seed in 0..200 {
        let (end, trace) = run(&[&WAITER, &WAITER, &notifier], seed);
        assert_ne!(end, Next::Done, "one notification cannot wake two threads");
        let of = |kind| trace.steps.iter().enumerate().filter(move |(_, step)| step.event.kind == kind);
        let notified = of(Notify).next().unwrap().0;
        let waiters: Vec<_> = of(Wait).filter(|&(at, _)| at < notified).map(|(_, step)| step.thread).collect();
        let woken: Vec<_> = of(Wake).map(|(_, step)| step.thread).collect();
        assert_eq!(woken.len(), waiters.len().min(1), "{trace:?}");
        if let ([first], 2) = (&*woken, waiters.len()) {
            woken_by_place[waiters.iter().position(|waiter| waiter == first).unwrap()] += 1;
        }
    }
    assert!(woken_by_place.iter().all(|&times| times > 0), "always the same: {woken_by_place:?}");
}

#[test]
fn waits_end_for_no_reason_as_often_as_allowed() {
    let allowed = |spurious_wakeups| Limits { spurious_wakeups, ..LIMITS };
    for seed in 0..50 {
        assert_eq!(run_within(&[&WAITER, &WAITER], seed, allowed(2)).0, Next::Done);
        let (end, trace) = run_within(&[&WAITER, &WAITER], seed, allowed(1));
        assert!(matches!(end, Next::Stop(Stop::Deadlock(blocked)) if blocked.len() == 1), "{trace:?}");
    }
}

#[test]
fn what_is_limited_in_time_is_over_last_or_at_any_moment() {
    // Whether the sleeper's event comes before the last of the other's.
    let early = |early_timeouts, seed| {
        let limits = Limits { early_timeouts, ..LIMITS };
        let mut machine = Machine::new(Box::new(RandomWalk::new(seed)), limits);
        let (sleeper, other) = (machine.add_thread(), machine.add_thread());
        machine.announce_within(sleeper, plain(EventKind::Sleep, 0), Some(5));
        let mut left = 3;
        machine.announce(other, on(EventKind::Write, left));
        while let Next::Run(thread) = machine.next() {
            machine.perform(thread);
            if thread == other && left > 0 {
                left -= 1;
                machine.announce(other, on(EventKind::Write, left));
            }
        }
        machine.into_trace().steps.last().unwrap().thread == other
    };
    assert!((0..50).all(|seed| !early(false, seed)));
    assert!((0..50).any(|seed| early(true, seed)) && (0..50).any(|seed| !early(true, seed)));
}
