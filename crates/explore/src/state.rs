//! What can go on, as far as it follows from the events so far.
//!
//! Whoever runs an execution knows which threads can go on. An explorer must know it too, for states that no
//! execution has been in yet: whether a thread could take a lock *before* the event that came first. So this
//! follows monitors, wait sets, permits, interrupts and ends of threads through a sequence of events.
//!
//! What it does not know is time and wake-ups without cause. Both are told by the set of threads that can go on:
//! see [`State::time_out`] and [`State::allow`].

use crate::dependency::{Footprint, Mode, Space};
use schedule::FastMap;
use schedule::{Event, EventKind, ObjectId, ThreadSet, one_each};

/// Monitors and threads after some events.
#[derive(Clone, Debug, Default)]
pub struct State {
    threads: Vec<Thread>,
    monitors: FastMap<ObjectId, Monitor>,
    /// By the monitor and the condition of it.
    waits: FastMap<(ObjectId, u32), WaitSet>,
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
    /// What it waits on, from its wait to its wake-up.
    waits_on: Option<Waits>,
    /// What it waits to do, since an attempt at it has failed.
    waits_for: Option<Event>,
}

#[derive(Clone, Copy, Debug)]
struct Waits {
    at: (ObjectId, u32),
    interruptible: bool,
    /// How deep it held the monitor.
    depth: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Monitor {
    owner: Option<usize>,
    depth: u32,
}

#[derive(Clone, Debug, Default)]
struct WaitSet {
    /// The threads that wait and were neither told by `notifyAll` nor interrupted.
    waiting: ThreadSet,
    /// One for each `notify` that has woken nobody yet: the threads that waited then and still do. Each is used
    /// up by the first of them that wakes.
    tokens: Vec<ThreadSet>,
    /// The threads that `notifyAll` has told, or `notify` on a condition.
    told: ThreadSet,
    /// Who has waited on a condition, in the order in which they came.
    queue: Vec<usize>,
}

impl State {
    /// Back to the start, with memory kept.
    pub fn clear(&mut self) {
        self.threads.clear();
        self.monitors.clear();
        self.waits.clear();
    }

    /// Whether the thread can do the event now.
    pub fn can_do(&self, thread: usize, event: Event) -> bool {
        let state = self.threads.get(thread).copied().unwrap_or_default();
        let unprompted = state.timed_out || state.allowed;
        match event.kind {
            EventKind::Lock => self.is_free_for(event.object, thread),
            EventKind::LockWithin => unprompted || state.interrupted || self.is_free_for(event.object, thread),
            EventKind::Wake => {
                let interrupted = state.interrupted && event.is_interruptible();
                self.is_free_for(event.object, thread) && (unprompted || interrupted || self.is_notified(event, thread))
            }
            EventKind::Join => {
                let over = event.is_interruptible() && (unprompted || state.interrupted);
                over || self.threads.get(event.slot as usize).is_some_and(|t| t.ended)
            }
            EventKind::Park => unprompted || state.interrupted || state.permit,
            EventKind::Sleep => unprompted || state.interrupted,
            // Whether a monitor is free that opaque code takes, no event tells: nothing that rests on it is known.
            EventKind::LockInVain => false,
            _ => true,
        }
    }

    /// Whether the thread could do the event sooner or later only because another event makes it possible.
    pub fn can_block(event: Event) -> bool {
        use EventKind::{Join, Lock, LockWithin, Park, Sleep, Wake};
        matches!(event.kind, Lock | LockWithin | Wake | Join | Park | Sleep)
    }

    /// The wait of this thread is over because time has passed, which happens when nothing else can go on.
    pub fn time_out(&mut self, thread: usize) {
        let state = self.thread_mut(thread);
        state.timed_out = true;
        // A notification that it could have had it can still have, but no later one.
        if let Some(set) = state.waits_on.and_then(|waits| self.waits.get_mut(&waits.at)) {
            set.waiting.remove(thread);
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

    /// Whether some thread waits where the event notifies, and was not told to wake.
    pub fn has_waiting(&self, event: Event) -> bool {
        self.waits.get(&at(event)).is_some_and(|set| set.tokens.len() < set.waiting.len())
    }

    /// Whether the thread's wait, which the event ends, was ended by a notification.
    pub fn is_notified(&self, event: Event, thread: usize) -> bool {
        let told = |set: &WaitSet| set.told.contains(thread) || set.may_be_for(thread);
        self.waits.get(&at(event)).is_some_and(told)
    }

    /// What the event of that thread touches in this state.
    pub fn footprint(&self, thread: usize, event: Event) -> Footprint {
        let seen = |footprint: Footprint| footprint.and(Space::Status, ObjectId::NONE, thread as u32, Mode::Write);
        match (event.attempted(), self.threads.get(thread).and_then(|thread| thread.waits_for)) {
            // One that fails looks at what it would need. That the thread waits from here on can be seen.
            (Some(attempted), _) if !self.can_do(thread, attempted) => {
                seen(self.footprint_at(thread, attempted).looked_at())
            }
            (Some(attempted), _) => self.footprint_at(thread, attempted),
            (None, Some(_)) => seen(self.footprint_at(thread, event)),
            (None, None) => self.footprint_at(thread, event),
        }
    }

    /// The same where it does not matter whether others see the thread wait.
    fn footprint_at(&self, thread: usize, event: Event) -> Footprint {
        let (object, slot, own) = (event.object, event.slot, thread as u32);
        let memory = |mode| Footprint::one(Space::Memory, object, slot, mode);
        let monitor = || Footprint::one(Space::Monitor, object, 0, Mode::Write);
        let looked_at = || Footprint::one(Space::Monitor, object, 0, Mode::Read);
        let thread_part = |space, slot, mode| Footprint::one(space, ObjectId::NONE, slot, mode);
        // Others may see that a thread begins or ends to wait.
        let seen = |footprint: Footprint| footprint.and(Space::Status, ObjectId::NONE, own, Mode::Write);
        // What is done to a thread is another event before it was started.
        let status = |footprint: Footprint, mode| match object {
            ObjectId::NONE => footprint,
            _ => footprint.and(Space::Memory, object, Event::STATUS, mode),
        };
        match event.kind {
            // Of one resource with the locks that some of them are. They look whether the thread that uses them was
            // interrupted.
            EventKind::FailedUpdate if slot == Event::SYNCHRONIZER => {
                looked_at().and(Space::Interrupt, ObjectId::NONE, own, Mode::Read)
            }
            EventKind::Update if slot == Event::SYNCHRONIZER => {
                monitor().and(Space::Interrupt, ObjectId::NONE, own, Mode::Read)
            }
            EventKind::Read | EventKind::VolatileRead | EventKind::FailedUpdate => memory(Mode::Read),
            EventKind::Write | EventKind::VolatileWrite | EventKind::Update => memory(Mode::Write),
            // A lock that its thread holds already, and its release, are seen by nobody.
            EventKind::Lock | EventKind::TryLock if self.holder(object) == Some(thread) => Footprint::NONE,
            EventKind::LockWithin if self.holder(object) == Some(thread) => {
                thread_part(Space::Interrupt, own, Mode::Write)
            }
            EventKind::LockWithin => monitor().and(Space::Interrupt, ObjectId::NONE, own, Mode::Write),
            // One that finds the lock taken only looks.
            EventKind::TryLock if self.holder(object).is_some() => looked_at(),
            EventKind::Unlock if self.monitors.get(&object).is_some_and(|m| m.depth > 1) => Footprint::NONE,
            EventKind::Lock | EventKind::TryLock | EventKind::Unlock | EventKind::Notify | EventKind::NotifyAll => {
                monitor()
            }
            EventKind::Wait | EventKind::Wake if !event.is_interruptible() => seen(monitor()),
            // On a condition it is over at once, and the interrupt noticed.
            EventKind::Wait if event.condition() != 0 && self.is_interrupted(thread) => {
                monitor().and(Space::Interrupt, ObjectId::NONE, own, Mode::Write)
            }
            EventKind::Wait => seen(monitor().and(Space::Interrupt, ObjectId::NONE, own, Mode::Read)),
            EventKind::Wake => seen(monitor().and(Space::Interrupt, ObjectId::NONE, own, Mode::Write)),
            EventKind::Park => {
                thread_part(Space::Permit, own, Mode::Write).and(Space::Interrupt, ObjectId::NONE, own, Mode::Read)
            }
            EventKind::Unpark => status(thread_part(Space::Permit, slot, Mode::Set), Mode::Read),
            EventKind::Start => {
                let life = status(thread_part(Space::Life, slot, Mode::Write), Mode::Write);
                life.and(Space::Status, ObjectId::NONE, slot, Mode::Write)
            }
            EventKind::End => seen(thread_part(Space::Life, own, Mode::Write)),
            EventKind::Alive => status(thread_part(Space::Life, slot, Mode::Read), Mode::Read),
            EventKind::Join if !event.is_interruptible() => thread_part(Space::Life, slot, Mode::Read),
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
                    Some(Waits { at: (object, _), interruptible: true, .. }) => {
                        flag.and(Space::Monitor, object, 0, Mode::Write)
                    }
                    _ => flag,
                }
            }
            EventKind::State => self.seen_of(slot as usize),
            EventKind::Begin | EventKind::Yield | EventKind::LockInVain | EventKind::Attempt => Footprint::NONE,
        }
    }

    /// What somebody looks at who wants to know what a thread does.
    fn seen_of(&self, thread: usize) -> Footprint {
        let seen = Footprint::one(Space::Status, ObjectId::NONE, thread as u32, Mode::Read);
        let Some(state) = self.threads.get(thread) else { return seen };
        match (state.waits_on, state.waits_for) {
            // A notification is seen at once, and decides which of several threads it is for.
            (Some(Waits { at, .. }), _) => {
                let decides = self.waits.get(&at).is_some_and(|set| set.may_be_for(thread));
                seen.and(Space::Monitor, at.0, 0, if decides { Mode::Write } else { Mode::Read })
            }
            (None, Some(Event { kind: EventKind::Join, slot, .. })) => {
                seen.and(Space::Life, ObjectId::NONE, slot, Mode::Read)
            }
            _ => seen,
        }
    }

    /// The thread has done the event.
    pub fn apply(&mut self, thread: usize, event: Event) {
        if let Some(attempted) = event.attempted() {
            match self.can_do(thread, attempted) {
                true => self.apply(thread, attempted),
                false => self.thread_mut(thread).waits_for = Some(attempted),
            }
            return;
        }
        match event.kind {
            EventKind::Lock => self.lock(thread, event.object, 1),
            EventKind::LockWithin if self.is_interrupted(thread) => self.thread_mut(thread).interrupted = false,
            EventKind::TryLock | EventKind::LockWithin if self.is_free_for(event.object, thread) => {
                self.lock(thread, event.object, 1);
            }
            EventKind::Unlock => self.unlock(thread, event.object),
            EventKind::LockInVain => drop(self.give_up(thread, event.object)),
            EventKind::Wait => self.wait(thread, event),
            EventKind::Wake => self.wake(thread, event),
            EventKind::Notify => self.waits.entry(at(event)).or_default().notify(event.condition() != 0),
            EventKind::NotifyAll => self.waits.entry(at(event)).or_default().notify_all(),
            EventKind::Park => self.thread_mut(thread).permit = false,
            EventKind::Unpark => self.thread_mut(event.slot as usize).permit = true,
            EventKind::Join if !self.has_ended(event.slot as usize) => self.thread_mut(thread).interrupted = false,
            EventKind::Sleep | EventKind::ClearInterrupted => self.thread_mut(thread).interrupted = false,
            EventKind::Interrupt => self.interrupt(event.slot as usize),
            EventKind::End => self.thread_mut(thread).ended = true,
            EventKind::State => self.look(event.slot as usize),
            _ => {}
        }
        let state = self.thread_mut(thread);
        (state.timed_out, state.allowed, state.waits_for) = (false, false, None);
    }

    fn lock(&mut self, thread: usize, object: ObjectId, depth: u32) {
        if depth == 0 {
            return;
        }
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

    /// Gives up the monitor if the thread has it, and says how deep it had it.
    fn give_up(&mut self, thread: usize, object: ObjectId) -> u32 {
        let monitor = self.monitors.get_mut(&object).filter(|monitor| monitor.owner == Some(thread));
        monitor.map_or(0, |monitor| std::mem::take(monitor).depth)
    }

    fn wait(&mut self, thread: usize, event: Event) {
        let interrupted = self.is_interrupted(thread) && event.is_interruptible();
        if interrupted && event.condition() != 0 {
            self.thread_mut(thread).interrupted = false;
            return;
        }
        let depth = self.give_up(thread, event.object);
        let waits = Waits { at: at(event), interruptible: event.is_interruptible(), depth };
        self.thread_mut(thread).waits_on = Some(waits);
        if !interrupted {
            self.waits.entry(waits.at).or_default().enter(thread);
        }
    }

    fn wake(&mut self, thread: usize, event: Event) {
        let was_told = self.waits.get_mut(&at(event)).is_some_and(|set| set.wake(thread));
        let state = self.thread_mut(thread);
        let depth = state.waits_on.take().map_or(1, |waits| waits.depth);
        // An interrupt of a thread that was told to wake is still to be noticed.
        state.interrupted &= was_told || !event.is_interruptible();
        self.lock(thread, event.object, depth);
    }

    /// Somebody looks at what a thread does.
    fn look(&mut self, thread: usize) {
        let waits = self.threads.get(thread).and_then(|state| state.waits_on);
        if let Some(set) = waits.and_then(|waits| self.waits.get_mut(&waits.at)).filter(|set| set.may_be_for(thread)) {
            set.settle();
        }
    }

    fn interrupt(&mut self, thread: usize) {
        let state = self.thread_mut(thread);
        state.interrupted = true;
        let waits = state.waits_on.filter(|waits| waits.interruptible);
        if let Some(set) = waits.and_then(|waits| self.waits.get_mut(&waits.at)) {
            set.interrupt(thread);
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

impl WaitSet {
    fn enter(&mut self, thread: usize) {
        self.waiting.insert(thread);
        self.queue.retain(|&other| other != thread);
        self.queue.push(thread);
    }

    fn notify(&mut self, longest: bool) {
        if longest {
            if let Some(&first) = self.queue.iter().find(|&&thread| self.waiting.contains(thread)) {
                self.waiting.remove(first);
                self.told.insert(first);
            }
        } else if self.tokens.len() < self.waiting.len() {
            self.tokens.push(self.waiting.clone());
        }
    }

    fn notify_all(&mut self) {
        self.told.extend(&std::mem::take(&mut self.waiting));
        self.tokens.clear();
    }

    /// Whether a notification may be for a thread.
    fn may_be_for(&self, thread: usize) -> bool {
        self.tokens.iter().any(|token| token.contains(thread))
    }

    /// Each notification that could be for several threads is for the one that has waited longest, as HotSpot has it.
    fn settle(&mut self) {
        while !self.tokens.is_empty() {
            let token = self.tokens.remove(0);
            if let Some(&longest) = self.queue.iter().find(|&&thread| token.contains(thread)) {
                self.told.insert(longest);
                self.leave(longest);
            }
        }
    }

    /// A thread wakes, and uses up what it was told. Says whether it was.
    fn wake(&mut self, thread: usize) -> bool {
        let mut was_told = self.told.remove(thread);
        if !was_told && let Some(token) = self.tokens.iter().position(|token| token.contains(thread)) {
            self.tokens.remove(token);
            was_told = true;
        }
        self.leave(thread);
        was_told
    }

    /// A thread that waits was interrupted. What it could have been told goes to others. If they cannot take it all, it is the one that was told:
    /// on HotSpot a notification chooses its thread at once, and an interrupt that comes later does not end the wait.
    fn interrupt(&mut self, thread: usize) {
        let others_take = |but: Option<usize>| {
            let rest = self.tokens.iter().enumerate().filter(|&(number, _)| Some(number) != but);
            one_each(&rest.map(|(_, token)| without(token, thread)).collect::<Vec<_>>())
        };
        let its_own = |&number: &usize| self.tokens[number].contains(thread) && others_take(Some(number));
        if !others_take(None)
            && let Some(token) = (0..self.tokens.len()).find(its_own)
        {
            self.tokens.remove(token);
            self.told.insert(thread);
        }
        self.leave(thread);
    }

    /// A thread is no longer in the wait set. A notification that only it could have had is lost.
    fn leave(&mut self, thread: usize) {
        self.waiting.remove(thread);
        for token in &mut self.tokens {
            token.remove(thread);
        }
        self.tokens.retain(|token| !token.is_empty());
    }
}

/// Where an event waits, wakes or notifies.
fn at(event: Event) -> (ObjectId, u32) {
    (event.object, event.condition())
}

fn without(set: &ThreadSet, thread: usize) -> ThreadSet {
    let mut set = set.clone();
    set.remove(thread);
    set
}
