//! What can go on, as far as it follows from the events so far.
//!
//! Whoever runs an execution knows which threads can go on. An explorer must know it too, for states that no
//! execution has been in yet: whether a thread could take a lock *before* the event that came first. So this
//! follows monitors, wait sets, permits, interrupts and ends of threads through a sequence of events.
//!
//! What it does not know is time and wake-ups without cause. Both are told by the set of threads that can go on:
//! see [`State::time_out`] and [`State::allow`].

use crate::dependency::{Footprint, Mode, Space};
use crate::hash::FastMap;
use schedule::{Event, EventKind, ObjectId};

/// More threads than this are not followed.
pub const MAX_THREADS: usize = 64;

/// Monitors and threads after some events.
#[derive(Clone, Debug, Default)]
pub struct State {
    threads: Vec<Thread>,
    monitors: FastMap<ObjectId, Monitor>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Thread {
    ended: bool,
    permit: bool,
    interrupted: bool,
    /// Its wait, sleep, park or join is over by time.
    timed_out: bool,
    /// It can go on without cause: an early or spurious wake-up.
    allowed: bool,
    /// The object on which it waits, from its wait to its wake-up.
    waits_on: Option<ObjectId>,
}

#[derive(Clone, Debug, Default)]
struct Monitor {
    owner: Option<usize>,
    depth: u32,
    /// The threads that wait and were neither told by `notifyAll` nor interrupted.
    waiting: u64,
    /// One for each `notify` that has woken nobody yet: the threads that waited then and still do. Each is used
    /// up by the first of them that wakes.
    tokens: Vec<u64>,
    /// The threads that `notifyAll` has told.
    told: u64,
}

impl State {
    /// Back to the start, with memory kept.
    pub fn clear(&mut self) {
        self.threads.clear();
        self.monitors.clear();
    }

    /// Whether the thread can do the event now.
    pub fn can_do(&self, thread: usize, event: Event) -> bool {
        let state = self.threads.get(thread).copied().unwrap_or_default();
        let unprompted = state.timed_out || state.allowed;
        match event.kind {
            EventKind::Lock => self.is_free_for(event.object, thread),
            EventKind::Wake => {
                self.is_free_for(event.object, thread)
                    && (unprompted || state.interrupted || self.is_notified(event.object, thread))
            }
            EventKind::Join => {
                unprompted || state.interrupted || self.threads.get(event.slot as usize).is_some_and(|t| t.ended)
            }
            EventKind::Park => unprompted || state.interrupted || state.permit,
            EventKind::Sleep => unprompted || state.interrupted,
            _ => true,
        }
    }

    /// Whether the thread could do the event sooner or later only because another event makes it possible.
    pub fn can_block(event: Event) -> bool {
        matches!(event.kind, EventKind::Lock | EventKind::Wake | EventKind::Join | EventKind::Park | EventKind::Sleep)
    }

    /// The wait of this thread is over because time has passed, which happens when nothing else can go on.
    pub fn time_out(&mut self, thread: usize) {
        let state = self.thread_mut(thread);
        state.timed_out = true;
        // A notification that it could have had it can still have, but no later one.
        if let Some(monitor) = state.waits_on.and_then(|object| self.monitors.get_mut(&object)) {
            monitor.waiting &= !(1 << thread);
        }
    }

    /// The thread can do its next event without cause.
    pub fn allow(&mut self, thread: usize) {
        self.thread_mut(thread).allowed = true;
    }

    /// Whether the thread has ended.
    pub fn has_ended(&self, thread: usize) -> bool {
        self.threads.get(thread).is_some_and(|thread| thread.ended)
    }

    /// Whether the thread was interrupted and has not found out.
    pub fn is_interrupted(&self, thread: usize) -> bool {
        self.threads.get(thread).is_some_and(|thread| thread.interrupted)
    }

    /// Who holds the monitor.
    pub fn holder(&self, object: ObjectId) -> Option<usize> {
        self.monitors.get(&object).and_then(|monitor| monitor.owner)
    }

    /// Whether some thread waits on the object and was not told to wake.
    pub fn has_waiting(&self, object: ObjectId) -> bool {
        self.monitors.get(&object).is_some_and(|m| m.tokens.len() < m.waiting.count_ones() as usize)
    }

    /// Whether the thread's wait on the object was ended by a notification.
    pub fn is_notified(&self, object: ObjectId, thread: usize) -> bool {
        let bit = 1 << thread;
        self.monitors.get(&object).is_some_and(|m| m.told & bit != 0 || m.tokens.iter().any(|token| token & bit != 0))
    }

    /// What the event of that thread touches in this state.
    pub fn footprint(&self, thread: usize, event: Event) -> Footprint {
        let (object, slot, own) = (event.object, event.slot, thread as u32);
        let memory = |mode| Footprint::one(Space::Memory, object, slot, mode);
        let monitor = || Footprint::one(Space::Monitor, object, 0, Mode::Write);
        let thread_part = |space, slot, mode| Footprint::one(space, ObjectId::NONE, slot, mode);
        // What is done to a thread is another event before it was started.
        let status = |footprint: Footprint, mode| match object {
            ObjectId::NONE => footprint,
            _ => footprint.and(Space::Memory, object, Event::STATUS, mode),
        };
        match event.kind {
            EventKind::FailedUpdate if slot == Event::SYNCHRONIZER => {
                memory(Mode::Read).and(Space::Interrupt, ObjectId::NONE, own, Mode::Read)
            }
            EventKind::Read | EventKind::VolatileRead | EventKind::FailedUpdate => memory(Mode::Read),
            // Synchronizers look whether the thread that uses them was interrupted.
            EventKind::Update if slot == Event::SYNCHRONIZER => {
                memory(Mode::Write).and(Space::Interrupt, ObjectId::NONE, own, Mode::Read)
            }
            EventKind::Write | EventKind::VolatileWrite | EventKind::Update => memory(Mode::Write),
            // A lock that its thread holds already, and its release, are seen by nobody.
            EventKind::Lock if self.holder(object) == Some(thread) => Footprint::NONE,
            EventKind::Unlock if self.monitors.get(&object).is_some_and(|m| m.depth > 1) => Footprint::NONE,
            EventKind::Lock | EventKind::Unlock | EventKind::Notify | EventKind::NotifyAll => monitor(),
            EventKind::Wait => monitor().and(Space::Interrupt, ObjectId::NONE, own, Mode::Read),
            EventKind::Wake => monitor().and(Space::Interrupt, ObjectId::NONE, own, Mode::Write),
            EventKind::Park => {
                thread_part(Space::Permit, own, Mode::Write).and(Space::Interrupt, ObjectId::NONE, own, Mode::Read)
            }
            EventKind::Unpark => status(thread_part(Space::Permit, slot, Mode::Set), Mode::Read),
            EventKind::Start => status(thread_part(Space::Life, slot, Mode::Write), Mode::Write),
            EventKind::End => thread_part(Space::Life, own, Mode::Write),
            EventKind::Alive => status(thread_part(Space::Life, slot, Mode::Read), Mode::Read),
            EventKind::Join => {
                thread_part(Space::Life, slot, Mode::Read).and(Space::Interrupt, ObjectId::NONE, own, Mode::Write)
            }
            EventKind::Sleep => thread_part(Space::Interrupt, own, Mode::Write),
            // One that finds nothing clears nothing.
            EventKind::ClearInterrupted if self.is_interrupted(slot as usize) => {
                thread_part(Space::Interrupt, slot, Mode::Write)
            }
            EventKind::Interrupted | EventKind::ClearInterrupted => {
                status(thread_part(Space::Interrupt, slot, Mode::Read), Mode::Read)
            }
            EventKind::Interrupt => {
                let flag = status(thread_part(Space::Interrupt, slot, Mode::Set), Mode::Read);
                // Whoever is interrupted in a wait leaves the wait set, so that a notification goes elsewhere.
                match self.threads.get(slot as usize).and_then(|thread| thread.waits_on) {
                    Some(object) => flag.and(Space::Monitor, object, 0, Mode::Write),
                    None => flag,
                }
            }
            EventKind::Begin | EventKind::Yield | EventKind::LockInVain => Footprint::NONE,
        }
    }

    /// The thread has done the event.
    pub fn apply(&mut self, thread: usize, event: Event) {
        match event.kind {
            EventKind::Lock => self.lock(thread, event.object, 1),
            EventKind::Unlock => self.unlock(thread, event.object),
            EventKind::Wait => self.wait(thread, event.object),
            EventKind::Wake => self.wake(thread, event),
            EventKind::Notify => {
                let monitor = self.monitors.entry(event.object).or_default();
                if monitor.tokens.len() < monitor.waiting.count_ones() as usize {
                    monitor.tokens.push(monitor.waiting);
                }
            }
            EventKind::NotifyAll => {
                let monitor = self.monitors.entry(event.object).or_default();
                monitor.told |= std::mem::take(&mut monitor.waiting);
                monitor.tokens.clear();
            }
            EventKind::Park => self.thread_mut(thread).permit = false,
            EventKind::Unpark => self.thread_mut(event.slot as usize).permit = true,
            EventKind::Join if !self.has_ended(event.slot as usize) => self.thread_mut(thread).interrupted = false,
            EventKind::Sleep | EventKind::ClearInterrupted => self.thread_mut(thread).interrupted = false,
            EventKind::Interrupt => self.interrupt(event.slot as usize),
            EventKind::End => self.thread_mut(thread).ended = true,
            _ => {}
        }
        let state = self.thread_mut(thread);
        (state.timed_out, state.allowed) = (false, false);
    }

    fn lock(&mut self, thread: usize, object: ObjectId, depth: u32) {
        let monitor = self.monitors.entry(object).or_default();
        if monitor.owner != Some(thread) {
            (monitor.owner, monitor.depth) = (Some(thread), 0);
        }
        monitor.depth += depth;
    }

    fn unlock(&mut self, thread: usize, object: ObjectId) {
        if let Some(monitor) = self.monitors.get_mut(&object).filter(|monitor| monitor.owner == Some(thread)) {
            monitor.depth -= 1;
            if monitor.depth == 0 {
                monitor.owner = None;
            }
        }
    }

    fn wait(&mut self, thread: usize, object: ObjectId) {
        let interrupted = self.thread_mut(thread).interrupted;
        self.thread_mut(thread).waits_on = Some(object);
        let monitor = self.monitors.entry(object).or_default();
        (monitor.owner, monitor.depth) = (None, 0);
        if !interrupted {
            monitor.waiting |= 1 << thread;
        }
    }

    fn wake(&mut self, thread: usize, event: Event) {
        let bit = 1 << thread;
        let monitor = self.monitors.entry(event.object).or_default();
        let mut was_told = monitor.told & bit != 0;
        if was_told {
            monitor.told &= !bit;
        } else if let Some(token) = monitor.tokens.iter().position(|token| token & bit != 0) {
            monitor.tokens.remove(token);
            was_told = true;
        }
        monitor.leave(bit);
        let state = self.thread_mut(thread);
        // An interrupt of a thread that was told to wake is still to be noticed.
        (state.waits_on, state.interrupted) = (None, state.interrupted && was_told);
        self.lock(thread, event.object, event.slot);
    }

    fn interrupt(&mut self, thread: usize) {
        let state = self.thread_mut(thread);
        state.interrupted = true;
        if let Some(monitor) = state.waits_on.and_then(|object| self.monitors.get_mut(&object)) {
            monitor.leave(1 << thread);
        }
    }

    fn is_free_for(&self, object: ObjectId, thread: usize) -> bool {
        self.holder(object).is_none_or(|owner| owner == thread)
    }

    fn thread_mut(&mut self, thread: usize) -> &mut Thread {
        if thread >= self.threads.len() {
            self.threads.resize(thread + 1, Thread::default());
        }
        &mut self.threads[thread]
    }
}

impl Monitor {
    /// A thread is no longer in the wait set. A notification that only it could have had is lost.
    fn leave(&mut self, bit: u64) {
        self.waiting &= !bit;
        for token in &mut self.tokens {
            *token &= !bit;
        }
        self.tokens.retain(|&token| token != 0);
    }
}

/// The bits that are set, lowest first.
pub(crate) fn bits(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = mask.trailing_zeros() as usize;
        (mask != 0).then(|| {
            mask &= mask - 1;
            bit
        })
    })
}
