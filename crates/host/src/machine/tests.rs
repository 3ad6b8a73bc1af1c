use super::*;
use schedule::{RandomWalk, Schedule};

fn on(kind: EventKind, object: u32) -> Event {
    Event { kind, object: ObjectId(object), slot: 0, site: SiteId(0) }
}

const LIMITS: Limits = Limits {
    max_events: 1000,
    spurious_wakeups: 0,
    early_timeouts: false,
    early_of_started: 0,
    max_frames: None,
    watched: false,
    mirrored: false,
};

/// Runs threads given as lists of events to the end.
fn run(programs: &[&[Event]], seed: u64) -> (Next, Trace) {
    run_within(programs, seed, LIMITS)
}

fn run_within(programs: &[&[Event]], seed: u64, limits: Limits) -> (Next, Trace) {
    run_under(programs, Box::new(RandomWalk::new(seed)), limits)
}

fn run_under(programs: &[&[Event]], scheduler: Box<dyn Scheduler + Send>, limits: Limits) -> (Next, Trace) {
    let mut machine = Machine::new(scheduler, limits);
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
            end => return (end, machine.into_remains().trace),
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
fn what_was_cut_off_is_cut_off_again() {
    let program = [on(EventKind::Read, 1); 10];
    let limits = Limits { max_events: 7, ..LIMITS };
    for seed in 0..50 {
        let (end, trace) = run_within(&[&program, &program], seed, limits);
        let replay = Schedule::of(&trace).replay();
        let (again, same) = run_under(&[&program, &program], Box::new(replay), limits);
        assert_eq!((&end, trace.steps.len()), (&Next::Stop(Stop::TooManyEvents), 7));
        assert_eq!((again, same.hash()), (end, trace.hash()));
    }
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
    let waiter = [on(Lock, 1), on(Wait, 1), on(Wake, 1), on(Unlock, 1)];
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
    Event { kind: EventKind::Wake, object: ObjectId(1), slot: 0, site: SiteId(0) },
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
        // What one thread has used up is no other's.
        assert_eq!(run_within(&[&WAITER, &WAITER], seed, allowed(1)).0, Next::Done);
        let twice = [WAITER, WAITER].concat();
        assert_eq!(run_within(&[&twice], seed, allowed(2)).0, Next::Done);
        let (end, trace) = run_within(&[&twice, &WAITER], seed, allowed(1));
        assert!(matches!(end, Next::Stop(Stop::Deadlock(blocked)) if blocked.len() == 1), "{trace:?}");
    }
}

#[test]
fn a_turn_goes_on_when_time_has_passed() {
    let turns = vec![Turn { thread: ThreadId(0), events: 2 }];
    let mut machine = Machine::new(Box::new(schedule::Schedule { turns, timeouts: Vec::new() }.replay()), LIMITS);
    let thread = machine.add_thread();
    machine.announce(thread, on(EventKind::Write, 1));
    assert_eq!(machine.next(), Next::Run(thread));
    machine.perform(thread);
    machine.announce_within(thread, plain(EventKind::Sleep, 0), Some(5));
    assert_eq!(machine.next(), Next::Run(thread), "the replay would not choose in the midst of a turn");
}

#[test]
fn who_sleeps_equally_long_wakes_in_any_order() {
    let first = |seed| {
        let mut machine = Machine::new(Box::new(RandomWalk::new(seed)), LIMITS);
        let sleepers = [machine.add_thread(), machine.add_thread(), machine.add_thread()];
        for (thread, nanos) in sleepers.into_iter().zip([5, 5, 6]) {
            machine.announce_within(thread, plain(EventKind::Sleep, 0), Some(nanos));
        }
        while let Next::Run(thread) = machine.next() {
            machine.perform(thread);
        }
        let remains = machine.into_remains();
        assert_eq!(remains.timed_out, [(0, sleepers[0]), (0, sleepers[1]), (2, sleepers[2])]);
        remains.trace.steps[0].thread
    };
    let firsts: Vec<_> = (0..50).map(first).collect();
    assert!([0, 1].iter().all(|&thread| firsts.contains(&ThreadId(thread))), "{firsts:?}");
    assert!(!firsts.contains(&ThreadId(2)), "who sleeps longer wakes later");
}

#[test]
fn what_a_thread_sees_does_not_depend_on_what_others_do() {
    let seen = |others: usize| {
        let mut machine = Machine::new(Box::new(schedule::InOrder), LIMITS);
        let (one, other) = (machine.add_thread(), machine.add_thread());
        for _ in 0..others {
            machine.hash(other);
            machine.random(other);
            machine.add_child(other, false);
        }
        let child = machine.add_child(one, false);
        (machine.hash(one), machine.random(one), machine.hash(child))
    };
    assert_eq!(seen(0), seen(3));
    let (hash, random, of_child) = seen(0);
    assert_ne!(hash, of_child);
    assert_ne!(random as i32, hash);
}

#[test]
fn who_only_looks_at_the_clock_sleeps_ever_longer() {
    let mut machine = Machine::new(Box::new(schedule::InOrder), LIMITS);
    let thread = machine.add_thread();
    let mut naps = Vec::new();
    for _ in 0..40 {
        if let Some(nanos) = machine.nap(thread) {
            naps.push(nanos);
            machine.announce_within(thread, plain(EventKind::Sleep, 0), Some(nanos));
            assert_eq!(machine.next(), Next::Run(thread));
            machine.perform(thread);
        }
    }
    assert_eq!(naps, [1_000_000, 2_000_000]);
    assert_eq!(machine.look_at_clock(thread), 3_001_000);
    machine.announce(thread, on(EventKind::Write, 1));
    assert_eq!(machine.next(), Next::Run(thread));
    machine.perform(thread);
    assert!((0..16).all(|_| machine.nap(thread).is_none()));
    assert_eq!(machine.nap(thread), Some(1_000_000));
}

#[test]
fn an_interrupt_of_a_thread_that_was_told_is_noticed_later() {
    use EventKind::{Interrupt, Lock, NotifyAll, Sleep, Unlock, Wait};
    let sleep = plain(Sleep, 0);
    let waiter = [&WAITER[..], &[sleep]].concat();
    let teller = [on(Lock, 1), on(NotifyAll, 1), plain(Interrupt, 0), on(Unlock, 1)];
    let mut done = 0;
    for seed in 0..50 {
        let (end, trace) = run(&[&waiter, &teller], seed);
        let order = |kind| trace.steps.iter().position(|step| step.event.kind == kind).unwrap();
        // Told and interrupted, it wakes normally, and its sleep is what the interrupt ends.
        if order(Wait) < order(NotifyAll) {
            assert_eq!(end, Next::Done, "{trace:?}");
            done += 1;
        }
    }
    assert!(done > 0);
}

#[test]
fn what_is_left_when_the_first_thread_has_ended_is_no_deadlock() {
    let mut machine = Machine::new(Box::new(schedule::InOrder), LIMITS);
    let (first, other) = (machine.add_thread(), machine.add_thread());
    machine.announce(first, plain(EventKind::End, 0));
    machine.announce(other, plain(EventKind::Park, 0));
    assert_eq!(machine.next(), Next::Run(first));
    machine.perform(first);
    assert_eq!(machine.next(), Next::Done);
    let remains = machine.into_remains();
    assert_eq!(remains.left.iter().map(|blocked| blocked.thread).collect::<Vec<_>>(), [other]);
    assert_eq!(remains.pending, [(other, plain(EventKind::Park, 0))]);
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
        machine.into_remains().trace.steps.last().unwrap().thread == other
    };
    assert!((0..50).all(|seed| !early(false, seed)));
    assert!((0..50).any(|seed| early(true, seed)) && (0..50).any(|seed| !early(true, seed)));
}

#[test]
fn a_thread_that_was_started_may_be_over_early_so_many_times() {
    // How many sleeps of a thread were over before the other one had ended.
    let early = |early_of_started, is_started: bool, seed| {
        let limits = Limits { early_of_started, ..LIMITS };
        let mut machine = Machine::new(Box::new(RandomWalk::new(seed)), limits);
        let other = machine.add_thread();
        let sleeper = if is_started { machine.add_child(other, false) } else { machine.add_thread() };
        machine.announce_within(sleeper, plain(EventKind::Sleep, 0), Some(5));
        let (mut left, mut slept) = (9, 0);
        machine.announce(other, on(EventKind::Write, left));
        while let Next::Run(thread) = machine.next() {
            machine.perform(thread);
            if thread == sleeper {
                slept += u32::from(left > 0);
                machine.announce_within(sleeper, plain(EventKind::Sleep, 0), Some(5));
            } else if left > 0 {
                left -= 1;
                machine.announce(other, on(EventKind::Write, left));
            } else {
                break;
            }
        }
        slept
    };
    let most = |early_of_started, is_started| (0..50).map(|seed| early(early_of_started, is_started, seed)).max();
    assert_eq!((most(0, true), most(2, false)), (Some(0), Some(0)));
    assert_eq!((most(1, true), most(2, true)), (Some(1), Some(2)));
}

#[test]
fn whoever_looks_at_the_clock_after_one_that_was_early_sees_a_later_time() {
    let limits = Limits { early_of_started: 1, ..LIMITS };
    let mut machine = Machine::new(Box::new(schedule::InOrder), limits);
    let other = machine.add_thread();
    let sleeper = machine.add_child(other, false);
    let before = machine.look_at_clock(other);
    machine.announce_within(sleeper, plain(EventKind::Sleep, 0), Some(1_000_000));
    machine.perform(sleeper);
    assert!(machine.look_at_clock(other) < before + 1_000_000, "nobody has seen the later time");
    let late = machine.look_at_clock(sleeper);
    assert!(late >= before + 1_000_000 && machine.look_at_clock(other) > late);
}

#[test]
fn on_a_condition_whoever_has_waited_longest_is_told() {
    use EventKind::{Lock, Notify, Unlock, Wait, Wake};
    let at = |kind| Event { slot: 1, ..on(kind, 1) };
    let waiter = [on(Lock, 1), at(Wait), at(Wake), on(Unlock, 1)];
    let notifier = [on(Lock, 1), at(Notify), on(Unlock, 1)];
    let mut both = 0;
    for seed in 0..200 {
        let (end, trace) = run(&[&waiter, &waiter, &notifier], seed);
        assert_ne!(end, Next::Done, "one signal cannot wake two threads");
        let of = |kind| trace.steps.iter().enumerate().filter(move |(_, step)| step.event.kind == kind);
        let told = of(Notify).next().unwrap().0;
        let first = of(Wait).next().filter(|&(at, _)| at < told).map(|(_, step)| step.thread);
        assert_eq!(of(Wake).next().map(|(_, step)| step.thread), first, "{trace:?}");
        both += (of(Wait).filter(|&(at, _)| at < told).count() == 2) as u32;
    }
    assert!(both > 0, "two never waited");
}

#[test]
fn an_attempt_takes_a_lock_only_if_it_is_free() {
    use EventKind::{Lock, LockWithin, TryLock, Unlock};
    for attempt in [TryLock, LockWithin] {
        let mut machine = Machine::new(Box::new(schedule::InOrder), LIMITS);
        let (one, two) = (machine.add_thread(), machine.add_thread());
        let mut does = |thread, event| {
            machine.announce(thread, event);
            machine.perform(thread)
        };
        does(one, on(Lock, 1));
        assert_eq!(does(two, on(attempt, 1)), Found(false));
        assert_eq!(does(one, on(attempt, 1)), Found(true), "its own lock is free for it");
        does(one, on(Unlock, 1));
        does(one, on(Unlock, 1));
        does(one, plain(EventKind::Interrupt, two.0 as u32));
        let takes = attempt == TryLock;
        assert_eq!(does(two, on(attempt, 1)), Found(takes), "who is interrupted takes nothing if it would wait");
    }
}

/// The first thread has monitor 1 by opaque code; the second was let take it, and finds it taken.
fn in_vain(owner: u32) -> Event {
    Event { slot: owner, ..on(EventKind::LockInVain, 1) }
}

#[test]
fn who_finds_a_monitor_taken_gives_back_what_it_was_let_take() {
    use EventKind::{Lock, Unlock};
    for seed in 0..50 {
        // The owner's code asks for the monitor, too.
        let owner = [on(Lock, 1), on(Unlock, 1)];
        let other = [on(Lock, 1), in_vain(0), on(Lock, 1), on(Unlock, 1)];
        let (end, trace) = run(&[&owner, &other], seed);
        assert_eq!(end, Next::Done, "{trace:?}");
    }
}

#[test]
fn only_the_owner_of_a_monitor_is_a_reason_to_look_again() {
    for seed in 0..50 {
        let looks = [in_vain(0); 3];
        let other = [in_vain(0), in_vain(0)];
        let (end, trace) = run(&[&[on(EventKind::Join, 0)], &looks, &other], seed);
        let Next::Stop(Stop::Deadlock(blocked)) = end else { panic!("{trace:?}") };
        assert_eq!(trace.steps.len(), 2, "each says it once: {trace:?}");
        assert_eq!((blocked[1].holder, blocked[2].holder), (Some(ThreadId(0)), Some(ThreadId(0))));
    }
}

#[test]
fn a_wait_gives_up_and_takes_back_only_what_events_took() {
    use EventKind::{Lock, NotifyAll, Unlock, Wait, Wake};
    let waiter = [on(Wait, 1), on(Wake, 1)];
    let notifier = [on(Lock, 1), on(NotifyAll, 1), on(Unlock, 1), on(Lock, 1), on(Unlock, 1)];
    let ends: Vec<Next> = (0..50).map(|seed| run(&[&waiter, &notifier], seed).0).collect();
    assert!(ends.contains(&Next::Done));
    let is_stuck = |end: &&Next| matches!(end, Next::Stop(Stop::Deadlock(blocked)) if blocked.len() == 1 && blocked[0].thread.0 == 0);
    // Who comes too late waits for good, and nobody with it.
    assert_eq!(ends.iter().filter(is_stuck).count() + ends.iter().filter(|end| **end == Next::Done).count(), 50);
}
