//! The virtual machine's threads and locks as the scheduler sees them.
//!
//! Every controlled thread announces its next event before doing it, and does it when its turn comes.
//! Whether it can go on follows from that event alone: a lock must be free, a thread to join must have
//! ended. So no thread is ever blocked inside an event, and when none can go on, that is a deadlock.
//!
//! Pure: it knows neither Java nor operating-system threads.

use crate::lock_table::LockTable;
use schedule::{Choice, Divergence, Event, EventKind, ObjectId, Scheduler, SiteId, Step, ThreadId, Trace, Turn};
use std::collections::HashMap;

/// The slot of a `Lock` of a real monitor that opaque code holds. It can be tried again once another thread
/// has done something; it takes nothing.
pub const REAL: u32 = u32::MAX;

/// Threads, locks and the trace of one execution.
pub struct Machine {
    threads: Vec<Thread>,
    locks: LockTable,
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
            threads: Vec::with_capacity(4),
            locks: LockTable::default(),
            // Small tests fit, and their traces need not grow.
            trace: Trace { steps: Vec::with_capacity(64) },
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
            EventKind::Lock => self.locks.is_free_for(event.object, thread),
            EventKind::Wake => {
                self.locks.is_free_for(event.object, thread)
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
                EventKind::Lock | EventKind::Wake => self.locks.owner(event.object),
                _ => None,
            };
            Some(Blocked { thread: id, event, holder, holds: self.locks.held_by(id) })
        };
        self.threads.iter().enumerate().filter_map(blocked).collect()
    }

    fn apply(&mut self, thread: ThreadId, event: Event) -> Found {
        match event.kind {
            EventKind::Lock if event.slot == REAL => {}
            EventKind::Lock => self.locks.take(event.object, thread, 1),
            EventKind::Unlock => self.locks.give_up(event.object, thread),
            EventKind::Wait => {
                let place = self.trace.steps.len() as u64;
                let state = self.thread_mut(thread);
                state.wait = if state.interrupted { Wait::TimedOut } else { Wait::Queued { place } };
                self.locks.give_up_wholly(event.object);
            }
            EventKind::Wake => {
                let interrupted = self.end_wait(thread, event.object);
                self.locks.take(event.object, thread, event.slot);
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
        self.locks.depth(object, thread)
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
mod tests;
