//! The state of a toy program between two events.

mod announce;
mod effect;

use super::{Op, Program};
use schedule::{Event, EventKind, ObjectId, SiteId, ThreadId, ThreadSet, one_each};
use std::collections::BTreeMap;

/// What an execution may do beyond what it must.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Extras {
    /// Each variable has a method that reads it, so all reads of it are at one site.
    pub getters: bool,
    /// All threads run one piece of code, so what they do at one place of it is at one site.
    pub shared_code: bool,
    /// So often may each thread wake from a wait without cause.
    pub spurious: u32,
    /// So often may each thread's timed wait be over although others can go on.
    pub early: u32,
    /// Objects get their numbers by first touch, and threads that others start as they are started.
    pub renumber: bool,
    /// Attempts at what may have to wait are told.
    pub watched: bool,
}

/// What is left at the end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Outcome {
    pub variables: Vec<i64>,
    pub registers: Vec<[i64; 4]>,
    pub failed: bool,
    /// What the threads that cannot go on would do next, by kind.
    pub stuck: Vec<(usize, EventKind)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Machine<'p> {
    program: &'p Program,
    extras: Extras,
    threads: Vec<Thread>,
    variables: Vec<i64>,
    locks: BTreeMap<usize, (usize, u32)>,
    /// For each `notify` that has woken nobody yet: who waited then and still does.
    tokens: Vec<(usize, Vec<usize>)>,
    now: u64,
    tickets: u32,
    pub failed: bool,
    numbers: Vec<u32>,
    /// For each thread its place here, once it has a number.
    places: Vec<usize>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Thread {
    pc: usize,
    registers: [i64; 4],
    next: Option<Event>,
    op: Option<Op>,
    ended: bool,
    permit: bool,
    interrupted: bool,
    wait: Wait,
    /// How deep it held the monitor that it waits on.
    depth: u32,
    /// The so manyth that waits.
    ticket: u32,
    deadline: Option<u64>,
    spurious: u32,
    early: u32,
    begun: bool,
    ending: bool,
    /// Its attempt at the next event has failed.
    waiting: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum Wait {
    #[default]
    Not,
    Queued,
    Notified,
    Over,
}

const MONITORS: u32 = 1000;
/// Threads that are waited for are numbered from here.
const THREADS: u32 = 2000;

impl<'p> Machine<'p> {
    pub fn new(program: &'p Program, extras: Extras) -> Self {
        let count = 1 + program.threads.len() + program.children.len();
        let mut machine = Machine {
            program,
            extras,
            threads: vec![Thread::default(); count],
            variables: vec![0; program.variables],
            locks: BTreeMap::new(),
            tokens: Vec::new(),
            now: 0,
            tickets: 0,
            failed: false,
            numbers: Vec::new(),
            places: (0..if extras.renumber { 1 + program.threads.len() } else { count }).collect(),
        };
        machine.threads[0].begun = true;
        machine.announce(0);
        machine
    }

    fn ops(&self, thread: usize) -> &'p [Op] {
        let own = self.program.threads.len();
        match thread {
            0 => &self.program.prefix,
            _ if thread <= own => &self.program.threads[thread - 1],
            _ => &self.program.children[thread - own - 1],
        }
    }

    pub fn runnable(&self) -> Vec<(ThreadId, Event)> {
        let can = |&(thread, event): &(ThreadId, Event)| self.can_do(self.places[thread.0 as usize], event);
        self.pending().into_iter().filter(can).collect()
    }

    pub fn pending(&self) -> Vec<(ThreadId, Event)> {
        let next = |(number, &place): (usize, &usize)| Some((ThreadId(number as u16), self.threads[place].next?));
        self.places.iter().enumerate().filter_map(next).collect()
    }

    /// The number of a thread, given its place. One that is about to be started gets one.
    fn number_of(&mut self, place: usize) -> u32 {
        let known = self.places.iter().position(|&other| other == place);
        known.unwrap_or_else(|| {
            self.places.push(place);
            self.places.len() - 1
        }) as u32
    }

    /// Whether time would end some wait.
    pub fn has_timed(&self) -> bool {
        let timed = |thread: &Thread| thread.next.is_some() && thread.wait != Wait::Over && thread.deadline.is_some();
        self.threads.iter().any(timed)
    }

    /// Lets time pass. Says whose waits are over by that: all that end at the same time.
    pub fn let_time_pass(&mut self) -> Vec<ThreadId> {
        let waits = |thread: &Thread| thread.next.is_some() && thread.wait != Wait::Over;
        let deadlines = self.threads.iter().filter(|thread| waits(thread)).filter_map(|thread| thread.deadline);
        let Some(first) = deadlines.min() else { return Vec::new() };
        self.now = self.now.max(first);
        let over = |thread: &Thread| waits(thread) && thread.deadline.is_some_and(|deadline| deadline <= self.now);
        let places: Vec<usize> = (0..self.threads.len()).filter(|&place| over(&self.threads[place])).collect();
        for &place in &places {
            // What it was told it knows, and time makes no difference to that.
            if self.threads[place].wait != Wait::Notified {
                self.threads[place].wait = Wait::Over;
            }
            self.threads[place].deadline = None;
        }
        places.into_iter().map(|place| ThreadId(self.number_of(place) as u16)).collect()
    }

    /// Whether the thread can do what it has announced without cause, if the monitor is free.
    pub fn is_unprompted(&self, thread: ThreadId) -> bool {
        let state = &self.threads[self.places[thread.0 as usize]];
        let wakes = state.next.is_some_and(|event| event.kind == EventKind::Wake);
        state.deadline.is_some() && state.early < self.extras.early || wakes && state.spurious < self.extras.spurious
    }

    fn can_do(&self, thread: usize, event: Event) -> bool {
        let state = &self.threads[thread];
        let number = self.places.iter().position(|&place| place == thread).expect("it has a number");
        let early = self.is_unprompted(ThreadId(number as u16));
        match (event.kind, state.op) {
            (EventKind::Lock, Some(Op::Lock(monitor))) => self.is_free_for(monitor, thread),
            (EventKind::Wake, Some(op)) => {
                let (monitor, condition) = op.waits_at().expect("whoever wakes has waited");
                let on_monitor = |on: usize| condition == 0 && on == monitor;
                let chosen = self.tokens.iter().any(|(on, who)| on_monitor(*on) && who.contains(&thread));
                (state.wait != Wait::Queued || chosen || early) && self.is_free_for(monitor, thread)
            }
            (EventKind::LockWithin, Some(Op::LockWithin { lock, .. })) => {
                self.is_free_for(lock, thread) || state.interrupted || state.wait == Wait::Over || early
            }
            (EventKind::Join, _) => {
                let joined = self.places[event.slot as usize];
                self.threads[joined].ended || state.interrupted || state.wait == Wait::Over || early
            }
            (EventKind::Park, _) => state.permit || state.interrupted || state.wait == Wait::Over || early,
            (EventKind::Sleep, _) => state.interrupted || state.wait == Wait::Over || early,
            _ => true,
        }
    }

    fn is_free_for(&self, monitor: usize, thread: usize) -> bool {
        self.locks.get(&monitor).is_none_or(|&(owner, _)| owner == thread)
    }

    /// The thread does what it announced. Gives the event as the trace has it.
    pub fn perform(&mut self, id: ThreadId) -> Event {
        let thread = self.places[id.0 as usize];
        let mut event = self.threads[thread].next.take().expect("a thread does what it announced");
        let op = self.threads[thread].op;
        match (event.kind, op) {
            (EventKind::Begin, _) => {
                self.threads[thread].begun = true;
                return self.done(thread, event, false);
            }
            (EventKind::End, _) => {
                self.threads[thread].ended = true;
                return event;
            }
            (EventKind::Join, None) => {
                // The first thread waits for the next of the test's own.
                self.threads[thread].pc += 1;
                return self.done(thread, event, false);
            }
            (EventKind::Wait, Some(op)) => {
                let (monitor, condition) = op.waits_at().expect("it waits");
                let (interruptible, nanos) = match op {
                    Op::Await { interruptible, nanos, .. } => (interruptible, nanos),
                    Op::TimedWait(_, nanos) => (true, Some(nanos)),
                    _ => (true, None),
                };
                if condition != 0 && interruptible && std::mem::take(&mut self.threads[thread].interrupted) {
                    self.threads[thread].registers[3] = 1;
                    return self.done(thread, event, true);
                }
                let (_, depth) = self.locks.remove(&monitor).expect("whoever waits holds the monitor");
                self.tickets += 1;
                let state = &mut self.threads[thread];
                state.wait = if state.interrupted && interruptible { Wait::Over } else { Wait::Queued };
                (state.depth, state.ticket) = (depth, self.tickets);
                state.deadline = nanos.map(|nanos| self.now + nanos);
                state.next = Some(Event { kind: EventKind::Wake, ..event });
                return event;
            }
            (EventKind::Wake, _) => self.wake(thread),
            (EventKind::Attempt, Some(op)) => {
                let attempted = event.attempted().expect("it is an attempt");
                if !self.can_do(thread, attempted) {
                    self.threads[thread].waiting = true;
                    self.announce_op(thread, op, attempted);
                    return event;
                }
                self.effect(thread, op, &mut attempted.clone());
            }
            _ => self.effect(thread, op.expect("an event has its operation"), &mut event),
        }
        self.done(thread, event, true)
    }

    fn done(&mut self, thread: usize, event: Event, advance: bool) -> Event {
        self.threads[thread].pc += advance as usize;
        self.threads[thread].wait = Wait::Not;
        self.threads[thread].deadline = None;
        self.threads[thread].waiting = false;
        self.announce(thread);
        event
    }

    fn wake(&mut self, thread: usize) {
        let op = self.threads[thread].op.expect("whoever wakes has waited");
        let (monitor, condition) = op.waits_at().expect("whoever wakes has waited");
        let interruptible = !matches!(op, Op::Await { interruptible: false, .. });
        let mut was_told = self.threads[thread].wait == Wait::Notified;
        if self.threads[thread].wait == Wait::Queued {
            match self.tokens.iter().position(|(on, who)| condition == 0 && *on == monitor && who.contains(&thread)) {
                Some(token) => {
                    self.tokens.remove(token);
                    was_told = true;
                }
                None if self.threads[thread].spurious < self.extras.spurious => self.threads[thread].spurious += 1,
                None => self.threads[thread].early += 1,
            }
        } else if let Some(token) =
            self.tokens.iter().position(|(on, who)| condition == 0 && *on == monitor && who.contains(&thread))
        {
            // Told and out of time: it was told.
            self.tokens.remove(token);
            was_told = true;
        }
        self.leave(thread);
        // An interrupt of a thread that was told to wake is still to be noticed.
        if interruptible && !was_told && std::mem::take(&mut self.threads[thread].interrupted) && condition != 0 {
            self.threads[thread].registers[3] = 1;
        }
        let depth = self.threads[thread].depth;
        self.locks.insert(monitor, (thread, depth));
    }

    /// A thread that waits was interrupted. It was told to wake if others cannot take all that was told.
    fn interrupt(&mut self, thread: usize) {
        let own: Vec<usize> = (0..self.tokens.len()).filter(|&token| self.tokens[token].1.contains(&thread)).collect();
        let on = own.first().map(|&token| self.tokens[token].0);
        let others_take = |but: Option<usize>| {
            let rest =
                self.tokens.iter().enumerate().filter(|&(number, (at, _))| Some(*at) == on && Some(number) != but);
            let others = |who: &[usize]| who.iter().copied().filter(|&other| other != thread).collect::<ThreadSet>();
            one_each(&rest.map(|(_, (_, who))| others(who)).collect::<Vec<_>>())
        };
        let told = own.iter().copied().find(|&token| others_take(Some(token))).filter(|_| !others_take(None));
        self.threads[thread].wait = if told.is_some() { Wait::Notified } else { Wait::Over };
        told.map(|token| self.tokens.remove(token));
        self.leave(thread);
    }

    /// What a thread is seen to do, as [`Op::State`] says it. Of several threads that a notification may be for, it
    /// is for the one that has waited longest, once anybody looks at one of them.
    fn see(&mut self, thread: usize) -> i64 {
        let may_be_for_it = |(on, who): &(usize, Vec<usize>)| who.contains(&thread).then_some(*on);
        if let Some(monitor) = self.tokens.iter().find_map(may_be_for_it) {
            while let Some(token) = self.tokens.iter().position(|(on, _)| *on == monitor) {
                let (_, who) = self.tokens.remove(token);
                let longest = who.into_iter().min_by_key(|&thread| self.threads[thread].ticket);
                let longest = longest.expect("a notification is for somebody");
                self.threads[longest].wait = Wait::Notified;
                self.leave(longest);
            }
        }
        let state = &self.threads[thread];
        let or_timed = |waits| if state.deadline.is_some() { 4 } else { waits };
        match state.next.map(|event| event.kind) {
            _ if state.ended => 5,
            _ if !state.begun_or_announced() => 0,
            Some(EventKind::Wake) if state.wait == Wait::Notified => 2,
            Some(EventKind::Wake) => or_timed(3),
            Some(EventKind::Lock) if state.waiting => 2,
            Some(_) if state.waiting => or_timed(3),
            _ => 1,
        }
    }

    /// The thread is in no wait set.
    fn leave(&mut self, thread: usize) {
        self.tokens.iter_mut().for_each(|(_, who)| who.retain(|&other| other != thread));
        self.tokens.retain(|(_, who)| !who.is_empty());
    }

    /// Who waits there, in the order in which they came.
    fn queued(&self, monitor: usize, condition: usize) -> Vec<usize> {
        let waits = |thread: &usize| {
            let state = &self.threads[*thread];
            state.wait == Wait::Queued && state.op.and_then(Op::waits_at) == Some((monitor, condition))
        };
        let mut queued: Vec<usize> = (0..self.threads.len()).filter(waits).collect();
        queued.sort_by_key(|&thread| self.threads[thread].ticket);
        queued
    }

    pub fn outcome(&self) -> Outcome {
        let stuck = self.pending().into_iter().map(|(thread, event)| (self.places[thread.0 as usize], event.kind));
        let mut stuck: Vec<_> = stuck.collect();
        stuck.sort();
        Outcome {
            variables: self.variables.clone(),
            registers: self.threads.iter().map(|thread| thread.registers).collect(),
            failed: self.failed,
            stuck,
        }
    }
}

impl Thread {
    fn begun_or_announced(&self) -> bool {
        self.begun || self.next.is_some()
    }
}

fn plain(kind: EventKind, slot: u32, site: SiteId) -> Event {
    Event { kind, object: ObjectId::NONE, slot, site }
}
