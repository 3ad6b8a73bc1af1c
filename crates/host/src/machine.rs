//! The virtual machine's threads and locks as the scheduler sees them.
//!
//! Every controlled thread announces its next event before doing it, and does it when its turn comes.
//! Whether it can go on follows from that event alone: a lock must be free, a thread to join must have
//! ended. So no thread is ever blocked inside an event, and when none can go on, that is a deadlock.
//!
//! Pure: it knows neither Java nor operating-system threads.

use schedule::{Choice, Divergence, Event, EventKind, ObjectId, Scheduler, SiteId, Step, ThreadId, Trace, Turn};
use std::collections::HashMap;

/// The slot of a `Lock` of a real monitor that opaque code holds. It can be tried again once another thread
/// has done something; it takes nothing.
pub const REAL: u32 = u32::MAX;

/// Threads, locks and the trace of one execution.
pub struct Machine {
    threads: Vec<Thread>,
    locks: HashMap<ObjectId, Lock>,
    trace: Trace,
    scheduler: Box<dyn Scheduler + Send>,
    /// Who has the turn, and how many events are left of it.
    turn: Option<Turn>,
    last: Option<ThreadId>,
    limits: Limits,
    /// When each object was notified once for a thread that has not woken yet, as a number of events.
    notified: HashMap<ObjectId, Vec<u64>>,
    /// The time in nanoseconds since the start.
    now: u64,
    /// The state of a sequence of numbers that look random.
    random: u64,
    /// Reused between decisions.
    runnable: Vec<(ThreadId, Event)>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Thread {
    next: Option<Event>,
    ended: bool,
    permit: bool,
    interrupted: bool,
    wait: Wait,
    /// When the next event, or the wait that it ends, is over at the latest.
    deadline: Option<u64>,
    /// How many events there were when the next one was announced.
    announced: usize,
}

impl Thread {
    fn waits_on(&self, object: ObjectId) -> bool {
        matches!(self.wait, Wait::Queued { .. }) && self.next.is_some_and(|next| next.object == object)
    }
}

/// How a thread's wait stands, between its `Wait` and its `Wake`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Wait {
    #[default]
    Not,
    /// In the queue of an object, since so many events.
    Queued {
        place: u64,
    },
    Notified,
    TimedOut,
}

#[derive(Debug, Clone, Copy)]
struct Lock {
    owner: ThreadId,
    depth: u32,
}

/// What an execution may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Limits {
    /// With more events than this it is ended.
    pub max_events: usize,
    /// How many waits may end though nothing has happened, as the language allows.
    pub spurious_wakeups: u32,
    /// Whether what is limited in time may be over at any moment, and not only when nothing else can run.
    pub early_timeouts: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { max_events: 100_000, spurious_wakeups: 0, early_timeouts: false }
    }
}

/// What happens next.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// This thread does its event.
    Run(ThreadId),
    /// Every thread has ended.
    Done,
    /// The execution ends before its threads do.
    Stop(Stop),
}

/// Why an execution ended before its threads did.
#[derive(Debug, Clone, PartialEq)]
pub enum Stop {
    /// No thread can go on.
    Deadlock(Vec<Blocked>),
    /// It had as many events as were allowed.
    TooManyEvents,
    /// The scheduler could not go on.
    Diverged(Divergence),
    /// It started more threads than can be controlled.
    TooManyThreads,
    /// The code under test asked the virtual machine to end with this status; it was not obeyed.
    Exit(i32),
}

/// A thread of a deadlock: what it waits for, and who has that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocked {
    /// Who waits.
    pub thread: ThreadId,
    /// For what.
    pub event: Event,
    /// Who holds it, for a lock.
    pub holder: Option<ThreadId>,
    /// What the waiting thread holds itself.
    pub holds: Vec<ObjectId>,
}

impl Machine {
    /// A machine with no threads yet.
    pub fn new(scheduler: Box<dyn Scheduler + Send>, limits: Limits) -> Self {
        Machine {
            threads: Vec::new(),
            locks: HashMap::new(),
            trace: Trace::default(),
            scheduler,
            turn: None,
            last: None,
            limits,
            notified: HashMap::new(),
            now: 0,
            random: 0,
            runnable: Vec::new(),
        }
    }

    /// Adds a thread. It can run once it has announced an event.
    pub fn add_thread(&mut self) -> ThreadId {
        self.threads.push(Thread::default());
        ThreadId(self.threads.len() as u16 - 1)
    }

    /// How many threads there are.
    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    /// A thread announces what it does next.
    pub fn announce(&mut self, thread: ThreadId, event: Event) {
        self.announce_within(thread, event, None);
    }

    /// A thread announces what it does next, which can be over after so many nanoseconds.
    pub fn announce_within(&mut self, thread: ThreadId, event: Event, nanos: Option<u64>) {
        let deadline = nanos.map(|nanos| self.now.saturating_add(nanos));
        let announced = self.trace.steps.len();
        let state = self.thread_mut(thread);
        (state.next, state.deadline, state.announced) = (Some(event), deadline, announced);
    }

    /// A thread does what it announced. Says what the event found, where it looked for something.
    pub fn perform(&mut self, thread: ThreadId) -> Found {
        let event = self.thread_mut(thread).next.take().expect("internal bug: a thread performs what it announced");
        self.trace.steps.push(Step { thread, event });
        self.apply(thread, event)
    }

    /// Who goes on. The cheap case is first: the turn is not over, and its thread can go on.
    pub fn next(&mut self) -> Next {
        loop {
            if let Some(turn) = self.turn
                && turn.events > 0
                && self.threads[turn.thread.0 as usize].next.is_some_and(|event| self.can_do(turn.thread, event))
            {
                return self.take_event(turn.thread);
            }
            self.list_runnable();
            if !self.runnable.is_empty() {
                break;
            }
            if !self.let_time_pass() {
                return match self.blocked() {
                    blocked if blocked.is_empty() => Next::Done,
                    blocked => Next::Stop(Stop::Deadlock(blocked)),
                };
            }
        }
        let choice = Choice { trace: &self.trace, last: self.last, runnable: &self.runnable };
        match self.scheduler.choose(&choice) {
            Ok(turn) => {
                assert!(choice.can_run(turn.thread) && turn.events > 0, "internal bug: a scheduler chose {turn:?}");
                self.turn = Some(turn);
                self.last = Some(turn.thread);
                self.take_event(turn.thread)
            }
            Err(divergence) => Next::Stop(Stop::Diverged(divergence)),
        }
    }

    fn take_event(&mut self, thread: ThreadId) -> Next {
        if self.trace.steps.len() >= self.limits.max_events {
            return Next::Stop(Stop::TooManyEvents);
        }
        let turn = self.turn.as_mut().expect("internal bug: events are taken from a turn");
        if turn.events != Turn::WHOLE {
            turn.events -= 1;
        }
        Next::Run(thread)
    }

    fn list_runnable(&mut self) {
        let mut runnable = std::mem::take(&mut self.runnable);
        runnable.clear();
        for (number, thread) in self.threads.iter().enumerate() {
            let id = ThreadId(number as u16);
            if let Some(event) = thread.next
                && self.can_do(id, event)
            {
                runnable.push((id, event));
            }
        }
        self.runnable = runnable;
    }

    fn can_do(&self, thread: ThreadId, event: Event) -> bool {
        let state = &self.threads[thread.0 as usize];
        let over = || state.interrupted || state.wait == Wait::TimedOut || self.may_time_out(state);
        match event.kind {
            EventKind::Lock if event.slot == REAL => self.trace.steps.len() > state.announced,
            EventKind::Lock => self.is_free_for(event.object, thread),
            EventKind::Wake => {
                self.is_free_for(event.object, thread)
                    && match state.wait {
                        Wait::Queued { place } => {
                            self.notification(event.object, place).is_some()
                                || self.limits.spurious_wakeups > 0
                                || self.may_time_out(state)
                        }
                        _ => true,
                    }
            }
            EventKind::Join => self.threads[event.slot as usize].ended || over(),
            EventKind::Park => state.permit || over(),
            EventKind::Sleep => over(),
            _ => true,
        }
    }

    fn may_time_out(&self, state: &Thread) -> bool {
        self.limits.early_timeouts && state.deadline.is_some()
    }

    /// Which notification of an object a thread that waits since then may take: the oldest that came after.
    fn notification(&self, object: ObjectId, since: u64) -> Option<usize> {
        self.notified.get(&object)?.iter().position(|&place| place > since)
    }

    fn is_free_for(&self, object: ObjectId, thread: ThreadId) -> bool {
        self.locks.get(&object).is_none_or(|lock| lock.owner == thread)
    }

    /// When nothing else can run, the wait that is over first is over now. Says whether there was one.
    fn let_time_pass(&mut self) -> bool {
        let waiting = |thread: &&mut Thread| thread.next.is_some() && thread.wait != Wait::TimedOut;
        let first = self.threads.iter_mut().filter(waiting).filter(|thread| thread.deadline.is_some());
        match first.min_by_key(|thread| thread.deadline) {
            Some(thread) => {
                self.now = self.now.max(thread.deadline.unwrap_or(0));
                thread.wait = Wait::TimedOut;
                true
            }
            None => false,
        }
    }

    /// What a thread does is over by time, unless it was interrupted.
    fn pass_time_for(&mut self, thread: ThreadId) {
        let state = &self.threads[thread.0 as usize];
        if let Some(deadline) = state.deadline.filter(|_| !state.interrupted) {
            self.now = self.now.max(deadline);
        }
    }

    fn blocked(&self) -> Vec<Blocked> {
        let blocked = |(number, thread): (usize, &Thread)| {
            let id = ThreadId(number as u16);
            let event = thread.next?;
            let holder = match event.kind {
                EventKind::Lock | EventKind::Wake => self.locks.get(&event.object).map(|lock| lock.owner),
                _ => None,
            };
            let mut holds: Vec<_> =
                self.locks.iter().filter(|(_, l)| l.owner == id).map(|(&object, _)| object).collect();
            holds.sort();
            Some(Blocked { thread: id, event, holder, holds })
        };
        self.threads.iter().enumerate().filter_map(blocked).collect()
    }

    fn apply(&mut self, thread: ThreadId, event: Event) -> Found {
        match event.kind {
            EventKind::Lock if event.slot == REAL => {}
            EventKind::Lock => self.lock(thread, event.object, 1),
            EventKind::Unlock => self.unlock(thread, event.object),
            EventKind::Wait => {
                let place = self.trace.steps.len() as u64;
                let state = self.thread_mut(thread);
                state.wait = if state.interrupted { Wait::TimedOut } else { Wait::Queued { place } };
                self.locks.remove(&event.object);
            }
            EventKind::Wake => {
                let interrupted = self.end_wait(thread, event.object);
                self.lock(thread, event.object, event.slot);
                return Found(interrupted);
            }
            // Which of the waiting threads it is for is decided by who wakes first.
            EventKind::Notify if self.waits_on(event.object) => {
                let place = self.trace.steps.len() as u64;
                self.notified.entry(event.object).or_default().push(place);
            }
            EventKind::NotifyAll => self.notify_all(event.object),
            EventKind::Park => {
                if !self.threads[thread.0 as usize].permit {
                    self.pass_time_for(thread);
                }
                let state = self.thread_mut(thread);
                (state.permit, state.wait) = (false, Wait::Not);
            }
            EventKind::Join if self.threads[event.slot as usize].ended => self.thread_mut(thread).wait = Wait::Not,
            EventKind::Join | EventKind::Sleep => {
                self.pass_time_for(thread);
                let state = self.thread_mut(thread);
                state.wait = Wait::Not;
                return Found(std::mem::take(&mut state.interrupted));
            }
            EventKind::Unpark => self.threads[event.slot as usize].permit = true,
            EventKind::Interrupt => {
                let state = &mut self.threads[event.slot as usize];
                state.interrupted = true;
                if matches!(state.wait, Wait::Queued { .. }) {
                    state.wait = Wait::TimedOut;
                }
            }
            EventKind::Interrupted => return Found(self.threads[event.slot as usize].interrupted),
            EventKind::Alive => return Found(!self.threads[event.slot as usize].ended),
            EventKind::End => self.thread_mut(thread).ended = true,
            _ => {}
        }
        Found(false)
    }

    fn lock(&mut self, thread: ThreadId, object: ObjectId, depth: u32) {
        let lock = self.locks.entry(object).or_insert(Lock { owner: thread, depth: 0 });
        lock.depth += depth;
    }

    fn unlock(&mut self, thread: ThreadId, object: ObjectId) {
        if let Some(lock) = self.locks.get_mut(&object).filter(|lock| lock.owner == thread) {
            lock.depth -= 1;
            if lock.depth == 0 {
                self.locks.remove(&object);
            }
        }
    }

    /// A thread stops waiting, for the first reason that it has. Says whether that is an interrupt.
    fn end_wait(&mut self, thread: ThreadId, object: ObjectId) -> bool {
        let (notified, now, limits) = (&mut self.notified, &mut self.now, &mut self.limits);
        let state = &mut self.threads[thread.0 as usize];
        match std::mem::take(&mut state.wait) {
            // An interrupt that came later is still to be noticed.
            Wait::Notified => false,
            Wait::Queued { place } => {
                let places = notified.get_mut(&object);
                let taken = places.and_then(|places| Some((places.iter().position(|&p| p > place)?, places)));
                match (taken, state.deadline) {
                    (Some((first, places)), _) => drop(places.remove(first)),
                    (None, Some(deadline)) if limits.early_timeouts => *now = deadline.max(*now),
                    (None, _) => limits.spurious_wakeups -= 1,
                }
                false
            }
            Wait::Not | Wait::TimedOut => std::mem::take(&mut state.interrupted),
        }
    }

    fn waits_on(&self, object: ObjectId) -> bool {
        self.threads.iter().any(|thread| thread.waits_on(object))
    }

    fn notify_all(&mut self, object: ObjectId) {
        for thread in self.threads.iter_mut().filter(|thread| thread.waits_on(object)) {
            thread.wait = Wait::Notified;
        }
        self.notified.remove(&object);
    }

    /// Nanoseconds since the start. A look at the clock takes a microsecond.
    pub fn look_at_clock(&mut self) -> u64 {
        self.now += 1000;
        self.now
    }

    /// The next number of a sequence that looks random.
    pub fn random(&mut self) -> u64 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.random >> 33
    }

    /// A thread forgets that it was interrupted.
    pub fn forget_interrupt(&mut self, thread: ThreadId) {
        self.thread_mut(thread).interrupted = false;
    }

    /// Whether a thread has ended.
    pub fn has_ended(&self, thread: ThreadId) -> bool {
        self.threads.get(thread.0 as usize).is_some_and(|thread| thread.ended)
    }

    /// How deep a thread holds a lock.
    pub fn depth(&self, thread: ThreadId, object: ObjectId) -> u32 {
        self.locks.get(&object).filter(|lock| lock.owner == thread).map_or(0, |lock| lock.depth)
    }

    /// The trace so far.
    pub fn into_trace(self) -> Trace {
        self.trace
    }

    fn thread_mut(&mut self, thread: ThreadId) -> &mut Thread {
        &mut self.threads[thread.0 as usize]
    }
}

/// What an event found: for a look at a flag, the flag; for a wait or sleep, whether it was interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found(pub bool);

/// An event without site or object.
pub fn plain(kind: EventKind, slot: u32) -> Event {
    Event { kind, object: ObjectId::NONE, slot, site: SiteId::NONE }
}

#[cfg(test)]
mod tests {
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
}
