//! The virtual machine's threads and locks as the scheduler sees them.
//!
//! Every controlled thread announces its next event before doing it, and does it when its turn comes.
//! Whether it can go on follows from that event alone: a lock must be free, a thread to join must have
//! ended. So no thread is ever blocked inside an event, and when none can go on, that is a deadlock.
//!
//! Pure: it knows neither Java nor operating-system threads.

mod end;
mod seen;
mod thread;
mod wait_sets;
mod whole;

use crate::lock_table::LockTable;
pub use end::{Blocked, Limits, Next, Stop};
use schedule::{Choice, Event, EventKind, ObjectId, Scheduler, SiteId, Step, ThreadId, Trace, Turn};
pub use seen::Seen;
pub use thread::Woken;
use thread::{Thread, Waits};
use wait_sets::WaitSets;

/// Threads, locks and the trace of one execution.
pub struct Machine {
    threads: Vec<Thread>,
    locks: LockTable,
    waits: WaitSets,
    trace: Trace,
    scheduler: Box<dyn Scheduler + Send>,
    /// Who has the turn, and how many events are left of it.
    turn: Option<Turn>,
    last: Option<ThreadId>,
    limits: Limits,
    /// The time in nanoseconds since the start.
    now: u64,
    /// The latest that a thread has seen on the clock; one whose wait was over early is ahead of the others until
    /// they look.
    shown: u64,
    /// Whose waits were over because time has passed, with the number of events before that.
    timed_out: Vec<(usize, ThreadId)>,
    /// Whether a thread has waited for what can be over by time.
    timed: bool,
    /// Whether a thread was given what it takes for random.
    chance: bool,
    /// Whether the first thread has ended.
    first_ended: bool,
    /// Whether a thread was asked what it waits for, where that is not known.
    asked: bool,
    /// Whether an object was asked for its identity hash.
    hashed: bool,
    /// Why nothing is certified, in words.
    doubts: Vec<String>,
    /// Reused between decisions.
    runnable: Vec<(ThreadId, Event)>,
}

/// What is left of a machine once its execution is over.
#[derive(Debug)]
pub struct Remains {
    /// What happened.
    pub trace: Trace,
    /// What threads that have not ended would do next.
    pub pending: Vec<(ThreadId, Event)>,
    /// Whose waits were over because time has passed, with the number of events before that.
    pub timed_out: Vec<(usize, ThreadId)>,
    /// The threads that have not ended, though the first has.
    pub left: Vec<Blocked>,
    /// Whether one of them is a daemon that could have gone on.
    pub abandoned: bool,
    /// Whether a thread has waited for what can be over by time, also if it was over otherwise.
    pub timed: bool,
    /// Whether a thread was given what it takes for random.
    pub chance: bool,
    /// Whether a thread was asked what it waits for, where that is not known.
    pub asked: bool,
    /// Whether an object was asked for its identity hash.
    pub hashed: bool,
    /// Why nothing is certified, in words.
    pub doubts: Vec<String>,
}

/// The traces of small tests need not grow. More than a kilobyte would not come from what the C library keeps at hand for each thread.
const ROOM: usize = 1024 / size_of::<Step>();

/// Time is so much later in each variation: no number that would look like a difference of times.
const VARIED_NANOS: u64 = 12_345_678_901;

/// When only daemons are left, each may still do so many events, for they may be about to fail.
const LAST_EVENTS: u32 = 1000;

impl Machine {
    /// A machine with no threads yet.
    pub fn new(scheduler: Box<dyn Scheduler + Send>, limits: Limits) -> Self {
        Machine {
            threads: Vec::with_capacity(4),
            locks: LockTable::default(),
            waits: WaitSets::default(),
            trace: Trace { steps: Vec::with_capacity(ROOM) },
            scheduler,
            turn: None,
            last: None,
            limits,
            now: 0,
            shown: 0,
            timed_out: Vec::new(),
            timed: false,
            chance: false,
            first_ended: false,
            asked: false,
            hashed: false,
            doubts: Vec::new(),
            runnable: Vec::new(),
        }
    }

    /// Adds a thread that is there from the start. It can run once it has announced an event.
    pub fn add_thread(&mut self) -> ThreadId {
        let thread = Thread::own(self.threads.len());
        self.add(thread)
    }

    /// Adds a thread that another starts.
    pub fn add_child(&mut self, parent: ThreadId, daemon: bool) -> ThreadId {
        let mut thread = self.thread_mut(parent).child();
        (thread.daemon, thread.early) = (daemon, self.limits.early_of_started);
        self.add(thread)
    }

    fn add(&mut self, mut thread: Thread) -> ThreadId {
        thread.spurious = self.limits.spurious_wakeups;
        if self.limits.early_timeouts {
            thread.early = u32::MAX;
        }
        self.threads.push(thread);
        ThreadId(self.threads.len() as u16 - 1)
    }

    /// What threads see of time, hashes and random numbers becomes another. Only before anything happens.
    pub fn vary(&mut self, variation: u32) {
        self.now += u64::from(variation) * VARIED_NANOS;
        self.threads.iter_mut().for_each(|thread| thread.vary(variation));
    }

    /// How many events there were.
    pub fn steps(&self) -> usize {
        self.trace.steps.len()
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
        self.timed |= deadline.is_some();
        let holder = self.threads.get(event.slot as usize).filter(|_| event.kind == EventKind::LockInVain);
        let seen = holder.map_or(0, |holder| holder.done);
        let state = self.thread_mut(thread);
        (state.next, state.deadline, state.seen) = (Some(event), deadline, seen);
        state.untold = state.may_be_early() || event.kind == EventKind::Wake && state.spurious > 0;
    }

    /// A thread does what it announced. Says what the event found, where it looked for something.
    pub fn perform(&mut self, thread: ThreadId) -> Found {
        let event = self.thread_mut(thread).next.take().expect("internal bug: a thread performs what it announced");
        self.trace.steps.push(Step { thread, event });
        let found = self.apply(thread, event);
        let state = self.thread_mut(thread);
        (state.timed_out, state.untold) = (false, false);
        state.note_done(event.kind);
        (state.done, state.in_vain) = (state.done + 1, event.kind == EventKind::LockInVain);
        found
    }

    /// The update that a thread has just done found another value than it expected.
    pub fn fail_update(&mut self, thread: ThreadId) {
        if let Some(step) = self.trace.steps.last_mut()
            && (step.thread, step.event.kind) == (thread, EventKind::Update)
        {
            step.event.kind = EventKind::FailedUpdate;
        }
    }

    /// Who goes on. The cheap case is first: the turn is not over, and its thread can go on.
    pub fn next(&mut self) -> Next {
        loop {
            // Also when time has passed: who waited goes on with its turn.
            if let Some(turn) = self.turn
                && turn.events > 0
                && self.threads[turn.thread.0 as usize].next.is_some_and(|event| self.can_do(turn.thread, event))
            {
                return self.take_event(turn.thread);
            }
            self.list_runnable();
            let has_timed = self.threads.iter().any(Thread::waits_for_time) && !self.only_daemons_are_left();
            if self.runnable.is_empty() {
                if has_timed {
                    self.let_time_pass();
                    continue;
                }
                return match self.blocked() {
                    blocked if !self.first_ended && !blocked.is_empty() => Next::Stop(Stop::Deadlock(blocked)),
                    _ => Next::Done,
                };
            }
            // Nobody is asked who goes on where nobody does: whoever follows a schedule knows of no more events.
            if self.is_at_limit() {
                return Next::Stop(Stop::TooManyEvents);
            }
            let choice = Choice { trace: &self.trace, last: self.last, runnable: &self.runnable };
            if has_timed && self.scheduler.waits_for_time(&choice) {
                self.let_time_pass();
                continue;
            }
            for (number, thread) in self.threads.iter_mut().enumerate().filter(|(_, thread)| thread.untold) {
                self.scheduler.unprompted(ThreadId(number as u16));
                thread.untold = false;
            }
            return match self.scheduler.choose(&choice) {
                Ok(turn) => {
                    assert!(choice.can_run(turn.thread) && turn.events > 0, "internal bug: a scheduler chose {turn:?}");
                    self.turn = Some(turn);
                    self.last = Some(turn.thread);
                    self.take_event(turn.thread)
                }
                Err(divergence) => Next::Stop(Stop::Diverged(divergence)),
            };
        }
    }

    fn is_at_limit(&self) -> bool {
        self.trace.steps.len() >= self.limits.max_events
    }

    fn take_event(&mut self, thread: ThreadId) -> Next {
        if self.is_at_limit() {
            return Next::Stop(Stop::TooManyEvents);
        }
        if self.first_ended && self.only_daemons_are_left() {
            self.thread_mut(thread).last_events += 1;
        }
        let turn = self.turn.as_mut().expect("internal bug: events are taken from a turn");
        if turn.events != Turn::WHOLE {
            turn.events -= 1;
        }
        Next::Run(thread)
    }

    /// Whether the virtual machine would end now.
    fn only_daemons_are_left(&self) -> bool {
        self.first_ended && self.threads.iter().all(|thread| thread.daemon || thread.next.is_none())
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
        if state.last_events >= LAST_EVENTS {
            return false;
        }
        let over = || state.interrupted || state.timed_out || state.may_be_early();
        match event.kind {
            // Once in any case, so that whoever watches knows of it. Only who has the monitor can give it up.
            EventKind::LockInVain => {
                let holder = self.threads.get(event.slot as usize);
                !state.in_vain || holder.is_none_or(|holder| holder.done > state.seen)
            }
            EventKind::Lock => self.locks.is_free_for(event.object, thread),
            EventKind::LockWithin => over() || self.locks.is_free_for(event.object, thread),
            EventKind::Wake => {
                let interrupted = state.interrupted && event.is_interruptible();
                let over = interrupted || state.timed_out || state.may_be_early();
                self.locks.is_free_for(event.object, thread)
                    && (over || state.spurious > 0 || self.waits.is_notified(place(event), thread))
            }
            EventKind::Join => self.threads[event.slot as usize].ended || event.is_interruptible() && over(),
            EventKind::Park => state.permit || over(),
            EventKind::Sleep => over(),
            _ => true,
        }
    }

    /// Whether a thread need not wait for what it attempts.
    fn can_do_at_once(&self, thread: ThreadId, event: Event) -> bool {
        let state = &self.threads[thread.0 as usize];
        match event.kind {
            EventKind::Lock => self.locks.is_free_for(event.object, thread),
            EventKind::Join => self.threads[event.slot as usize].ended || event.is_interruptible() && state.interrupted,
            EventKind::Park => state.permit || state.interrupted,
            _ => state.interrupted,
        }
    }

    /// Time passes until the first wait is over by it; all that are over by then are over at once, for whoever sleeps as
    /// long as another may wake before or after it.
    fn let_time_pass(&mut self) {
        let timed = self.threads.iter().filter(|thread| thread.waits_for_time());
        let Some(first) = timed.filter_map(|thread| thread.deadline).min() else { return };
        self.now = self.now.max(first);
        for (number, thread) in self.threads.iter_mut().enumerate() {
            if thread.waits_for_time() && thread.deadline.is_some_and(|deadline| deadline <= self.now) {
                let id = ThreadId(number as u16);
                thread.timed_out = true;
                if let Some(waits) = thread.waits_on {
                    self.waits.time_out(waits.place, id);
                }
                self.timed_out.push((self.trace.steps.len(), id));
                self.scheduler.timed_out(id);
            }
        }
    }

    fn blocked(&self) -> Vec<Blocked> {
        let blocked = |(number, thread): (usize, &Thread)| {
            let id = ThreadId(number as u16);
            let event = thread.next?;
            let holder = match event.kind {
                EventKind::Lock | EventKind::LockWithin | EventKind::Wake => self.locks.owner(event.object),
                EventKind::LockInVain => Some(ThreadId(event.slot as u16)),
                _ => None,
            };
            Some(Blocked { thread: id, event, holder, holds: self.locks.held_by(id), daemon: thread.daemon })
        };
        self.threads.iter().enumerate().filter_map(blocked).collect()
    }

    fn apply(&mut self, thread: ThreadId, event: Event) -> Found {
        if let Some(attempted) = event.attempted() {
            // Also where it could be over early: one that does not wait at all is not over.
            let can = self.can_do_at_once(thread, attempted);
            self.thread_mut(thread).waits = !can;
            return if can { self.apply(thread, attempted) } else { Found(false) };
        }
        self.thread_mut(thread).waits = false;
        match event.kind {
            EventKind::Lock => self.locks.take(event.object, thread, 1),
            EventKind::Unlock => self.locks.give_up(event.object, thread),
            // It was held to have it, and has not.
            EventKind::LockInVain => drop(self.locks.give_up_wholly(event.object, thread)),
            EventKind::TryLock | EventKind::LockWithin => return Found(self.attempt(thread, event)),
            EventKind::Wait => return Found(self.wait(thread, event)),
            EventKind::Wake => return Found(self.end_wait(thread, event)),
            EventKind::Notify => self.waits.notify(place(event)),
            EventKind::NotifyAll => self.waits.notify_all(place(event)),
            EventKind::Park => {
                let state = self.thread_mut(thread);
                if !std::mem::take(&mut state.permit) && !state.interrupted {
                    state.goes_ahead();
                }
            }
            EventKind::Join if self.threads[event.slot as usize].ended => {}
            EventKind::Join | EventKind::Sleep => {
                let state = self.thread_mut(thread);
                let interrupted = std::mem::take(&mut state.interrupted);
                if !interrupted {
                    state.goes_ahead();
                }
                return Found(interrupted);
            }
            EventKind::Unpark => self.threads[event.slot as usize].permit = true,
            EventKind::Interrupt => {
                let state = &mut self.threads[event.slot as usize];
                state.interrupted = true;
                if let Some(waits) = state.waits_on.filter(|waits| waits.interruptible) {
                    self.waits.interrupt(waits.place, ThreadId(event.slot as u16));
                }
            }
            EventKind::Interrupted => return Found(self.threads[event.slot as usize].interrupted),
            EventKind::ClearInterrupted => return Found(std::mem::take(&mut self.thread_mut(thread).interrupted)),
            EventKind::State => self.look(ThreadId(event.slot as u16)),
            EventKind::Alive => return Found(!self.threads[event.slot as usize].ended),
            EventKind::Start => self.threads[event.slot as usize].started = true,
            EventKind::End => {
                self.thread_mut(thread).ended = true;
                if thread == ThreadId(0) {
                    self.first_ended = true;
                }
            }
            _ => {}
        }
        Found(false)
    }

    /// A thread takes a lock that is free for it, unless it is interrupted where that matters. Says whether it took it.
    fn attempt(&mut self, thread: ThreadId, event: Event) -> bool {
        let within = event.kind == EventKind::LockWithin;
        let free = self.locks.is_free_for(event.object, thread);
        let state = self.thread_mut(thread);
        if within && std::mem::take(&mut state.interrupted) {
            state.woken = Woken::Interrupted;
            return false;
        }
        if within && !free {
            state.woken = Woken::TimedOut;
            state.goes_ahead();
        } else {
            state.woken = Woken::Prompted;
        }
        if free {
            self.locks.take(event.object, thread, 1);
        }
        free
    }

    /// A thread gives up a lock and begins to wait. Says whether it does not, because it is interrupted: on a condition that
    /// is noticed at once, and elsewhere when it wakes.
    fn wait(&mut self, thread: ThreadId, event: Event) -> bool {
        let state = self.thread_mut(thread);
        let interrupted = state.interrupted && event.is_interruptible();
        if interrupted && event.condition() != 0 {
            state.interrupted = false;
            return true;
        }
        // Not at all, if opaque code has taken the monitor and told nobody.
        let depth = self.locks.give_up_wholly(event.object, thread);
        let waits = Waits { place: place(event), interruptible: event.is_interruptible(), depth };
        self.thread_mut(thread).waits_on = Some(waits);
        if !interrupted {
            self.waits.enter(waits.place, thread);
        }
        false
    }

    /// A thread takes back what it gave up, and stops waiting for the first reason that it has. Says whether that is an
    /// interrupt.
    fn end_wait(&mut self, thread: ThreadId, event: Event) -> bool {
        let was_told = self.waits.wake(place(event), thread);
        let state = self.thread_mut(thread);
        let depth = state.waits_on.take().map_or(1, |waits| waits.depth);
        // An interrupt of a thread that was told to wake is still to be noticed.
        let interrupted = !was_told && event.is_interruptible() && std::mem::take(&mut state.interrupted);
        state.woken = if interrupted { Woken::Interrupted } else { Woken::Prompted };
        if !was_told && !interrupted {
            if state.timed_out || state.may_be_early() {
                state.woken = Woken::TimedOut;
                state.goes_ahead();
            } else {
                state.spurious -= 1;
            }
        }
        self.locks.take(event.object, thread, depth);
        interrupted
    }

    /// A thread has written something that was no event.
    pub fn note_write(&mut self, thread: ThreadId) {
        self.note_silent(thread, EventKind::Write);
    }

    /// A thread has made an access that was no event.
    pub fn note_silent(&mut self, thread: ThreadId, kind: EventKind) {
        self.thread_mut(thread).note_done(kind);
    }

    /// How long a thread should sleep before it looks at the clock once more, if it should.
    pub fn nap(&mut self, thread: ThreadId) -> Option<u64> {
        self.thread_mut(thread).nap()
    }

    /// Nanoseconds since the start, as a thread sees it. A look at the clock takes a microsecond, and whoever looks
    /// later sees a later time: looks are events, so that follows from their order.
    pub fn look_at_clock(&mut self, thread: ThreadId) -> u64 {
        // A wait may have been over at the end of time.
        self.now = self.now.saturating_add(1000);
        self.shown = self.threads[thread.0 as usize].time(self.now).max(self.shown.saturating_add(1000));
        self.shown
    }

    /// The identity hash that a thread gives to an object.
    pub fn hash(&mut self, thread: ThreadId) -> i32 {
        self.hashed = true;
        let hash = self.thread_mut(thread).hash();
        // Zero means none to HotSpot.
        if self.limits.mirrored { (i32::MAX - hash).max(1) } else { hash }
    }

    /// The next of a thread's numbers that look random.
    pub fn random(&mut self, thread: ThreadId) -> u64 {
        self.chance = true;
        self.thread_mut(thread).random()
    }

    /// A thread looks at something that it takes for random.
    pub fn note_chance(&mut self) {
        self.chance = true;
    }

    /// What has ended the last wait of a thread, or its last attempt at a lock.
    pub fn woken(&self, thread: ThreadId) -> Woken {
        self.threads[thread.0 as usize].woken
    }

    /// Whether a thread's attempt at what it does next has failed.
    pub fn has_to_wait(&self, thread: ThreadId) -> bool {
        self.threads[thread.0 as usize].waits
    }

    /// Whether a thread was interrupted and has not found out.
    pub fn is_interrupted(&self, thread: ThreadId) -> bool {
        self.threads[thread.0 as usize].interrupted
    }

    /// A thread is still interrupted, though it did not look.
    pub fn keep_interrupt(&mut self, thread: ThreadId) {
        self.thread_mut(thread).interrupted = true;
    }

    /// Whether a thread was started.
    pub fn has_started(&self, thread: ThreadId) -> bool {
        self.threads.get(thread.0 as usize).is_some_and(|thread| thread.started)
    }

    /// Whether a thread has ended.
    pub fn has_ended(&self, thread: ThreadId) -> bool {
        self.threads.get(thread.0 as usize).is_some_and(|thread| thread.ended)
    }

    /// A thread that has begun and not ended, and is no daemon. Not the first.
    pub fn keeps_alive(&self) -> Option<ThreadId> {
        let lives = |thread: &Thread| !thread.daemon && !thread.ended && thread.next.is_some();
        let thread = self.threads.iter().skip(1).position(lives)?;
        Some(ThreadId(thread as u16 + 1))
    }

    /// Whether a thread waits on the monitor of an object.
    pub fn is_waited_on(&self, object: ObjectId) -> bool {
        self.waits.waiting((object, 0)) > 0
    }

    /// How deep a thread holds a lock.
    pub fn depth(&self, thread: ThreadId, object: ObjectId) -> u32 {
        self.locks.depth(object, thread)
    }

    /// What is left once the execution is over.
    pub fn into_remains(self) -> Remains {
        let next = |(number, thread): (usize, &Thread)| Some((ThreadId(number as u16), thread.next?));
        let pending = self.threads.iter().enumerate().filter_map(next).collect();
        let left = if self.first_ended { self.blocked() } else { Vec::new() };
        let abandoned = self.threads.iter().any(|thread| thread.last_events >= LAST_EVENTS && !thread.ended);
        let Machine { trace, timed_out, timed, asked, hashed, doubts, chance, .. } = self;
        Remains { trace, pending, timed_out, left, abandoned, timed, chance, asked, hashed, doubts }
    }

    fn thread_mut(&mut self, thread: ThreadId) -> &mut Thread {
        &mut self.threads[thread.0 as usize]
    }
}

/// What an event found: for a look at a flag, the flag; for a wait or sleep, whether it was interrupted; for an attempt at a
/// lock, whether it took it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found(pub bool);

/// Where an event waits, wakes or notifies.
fn place(event: Event) -> wait_sets::Place {
    (event.object, event.condition())
}

/// An event without site or object.
pub fn plain(kind: EventKind, slot: u32) -> Event {
    Event { kind, object: ObjectId::NONE, slot, site: SiteId::NONE }
}

#[cfg(test)]
mod tests;
