//! Whole calls, one after the other, each in the thread of its suffix.
//!
//! A call that cannot go on lets the others take their turns. When it can again, it does so once the call that runs then is
//! whole. What order there is after that the merge does not say, so there are several [`Manner`]s, and what a test shows in
//! any of them is something that an order of calls shows. A call whose thread spins counts as one that cannot go on; it may
//! have an end all the same: see [`CallByCall::patient`].
//!
//! Threads that the code under test has started are part of the call that waits for them: they run while it cannot go on. They may
//! run between calls, too, also between those of the prefix: see [`CallByCall::between`], [`CallByCall::also_in_prefix`].

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use host::calls_made;
use schedule::{Choice, Divergence, Scheduler, ThreadId, Turn, all_look, goes_round, is_idle};

/// What goes on first where the order of calls does not say it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Manner {
    /// Calls that could not go on do as soon as they can. If one could go on by the passing of time, time passes.
    Soon,
    /// The same, but calls that could not go on do when there is no other.
    Late,
    /// The same as soon, but time passes only when no call can go on.
    Untimed,
    /// Each time that a call which could not go on can, the next two bits decide: whether another begins before it, and
    /// whether of several the last goes on and not the first.
    Mixed(u32),
}

/// So many events may other threads do while a call waits, before it lets other calls go on.
const HELP: u32 = 5_000;
/// About so many calls has the first thread at the most, before and after the others.
const OTHER_CALLS: u64 = 8;
/// So many events may a call spin, if anyone has the patience. Whoever waits for another thread in the JDK spins for about two thousand
/// rounds, and sleeps then.
const PATIENCE: u32 = 10_000;

/// So many events has each thread in turn when all spin.
const TURN: u32 = 50;

/// Runs whole calls in a given order.
#[derive(Debug)]
pub struct CallByCall {
    manner: Manner,
    /// The threads of the test have numbers from 1 up to this.
    last: u16,
    /// So many calls there are.
    total: u64,
    /// Those that were not begun, by their threads.
    left: Vec<ThreadId>,
    /// The threads that are in the midst of a call, and how many they will have made then.
    begun: Vec<(ThreadId, u32)>,
    /// Whose call went on last.
    current: Option<ThreadId>,
    /// So many events may others still do for the call that waits.
    help: u32,
    /// So many events may a call spin.
    patience: u32,
    /// So many are left of those.
    patience_left: u32,
    /// So many calls were begun.
    calls: u32,
    /// So many had the first thread made when others had their turn before its next.
    made_by_first: u32,
    /// Whether those that were started have their turn before the first thread goes on.
    before_first: bool,
    /// Decides before which calls threads that were started run; None if before none.
    between: Option<u64>,
    /// Whether before those of the first thread, too.
    in_prefix: bool,
    /// So many events are left of a turn when all spin.
    turn_left: u32,
    /// The threads that went round, and since then nothing has changed that they may look at.
    spinning: Vec<ThreadId>,
    was_blocked: Arc<AtomicBool>,
    /// Calls that began while one that had waited could go on: by their threads, and how many those have made then.
    pushed_in: Arc<Mutex<Vec<(ThreadId, u32)>>>,
}

impl CallByCall {
    /// Calls of the suffixes with these numbers.
    pub fn new(order: &[usize], manner: Manner) -> CallByCall {
        let left: Vec<_> = order.iter().map(|&suffix| ThreadId(suffix as u16 + 1)).collect();
        let last = left.iter().map(|thread| thread.0).max().unwrap_or(0);
        CallByCall {
            manner,
            last,
            total: left.len() as u64,
            left,
            begun: Vec::new(),
            current: None,
            help: HELP,
            patience: 0,
            patience_left: 0,
            calls: 0,
            made_by_first: 0,
            before_first: false,
            between: None,
            in_prefix: false,
            turn_left: 0,
            spinning: Vec::new(),
            was_blocked: Arc::default(),
            pushed_in: Arc::default(),
        }
    }

    /// Before each call, some of the threads that were started run as far as they can: others for each seed.
    pub fn between(self, seed: u64) -> CallByCall {
        CallByCall { between: Some(seed), ..self }
    }

    /// Also before the calls of the prefix. Where there are many, little is left to be done then before the others.
    pub fn also_in_prefix(self) -> CallByCall {
        CallByCall { in_prefix: true, ..self }
    }

    /// A call that spins goes on for long before others have their turn: that may be all it waits for. All calls together
    /// spin for half of the events at the most: an execution that spins no longer than that is not without an end.
    pub fn patient(self, max_events: usize) -> CallByCall {
        let most = max_events as u64 / (2 * (self.total + 1));
        let patience = PATIENCE.min(u32::try_from(most).unwrap_or(PATIENCE));
        CallByCall { patience, patience_left: patience, ..self }
    }

    /// Is set when a call could not go on and another did.
    pub fn was_blocked(&self) -> Arc<AtomicBool> {
        self.was_blocked.clone()
    }

    /// Gets the calls that began while one that had waited could go on: their threads, and how many calls those have made
    /// once they are whole.
    pub fn pushed_in(&self) -> Arc<Mutex<Vec<(ThreadId, u32)>>> {
        self.pushed_in.clone()
    }

    /// The thread whose call went on last, if that is not whole yet.
    fn in_call(&self) -> Option<ThreadId> {
        let is_whole = |thread| self.begun.iter().all(|&(begun, whole)| begun != thread || calls_made(thread) >= whole);
        self.current.filter(|&current| !is_whole(current))
    }

    fn is_begun(&self, thread: ThreadId) -> bool {
        self.begun.iter().any(|&(begun, _)| begun == thread)
    }

    /// Notes who spins. Whoever does waits until another thread changes something: if two spin, each would otherwise go on
    /// because the other was the last to run.
    fn note_spinning(&mut self, choice: &Choice<'_>) {
        let Some(last) = choice.trace.steps.last() else { return };
        if !is_idle(last.event.kind) {
            self.spinning.clear();
        } else if !self.spinning.contains(&last.thread) && goes_round(choice, last.thread) {
            self.spinning.push(last.thread);
        }
    }

    fn spins(&self, thread: ThreadId) -> bool {
        self.spinning.contains(&thread)
    }

    /// A thread that the code under test has started, and that can go on.
    fn helper(&self, choice: &Choice<'_>, may: impl Fn(ThreadId) -> bool) -> Option<ThreadId> {
        let helps = |&thread: &ThreadId| thread.0 > self.last && !self.spins(thread) && may(thread);
        choice.threads().find(helps).filter(|_| self.help > 0)
    }

    /// Whether a thread runs before the call that comes next. By the seed: all of them do from some call on, all before one
    /// call only, each from one of its own on, or whichever by lot.
    fn is_between(&self, thread: ThreadId) -> bool {
        let Some(seed) = self.between else { return false };
        let calls = u64::from(self.calls);
        let lot = |what: u64| {
            let mixed = (seed << 32 ^ what << 16 ^ u64::from(thread.0)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (mixed ^ mixed >> 32).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32
        };
        match seed % 4 {
            0 => calls >= seed / 4,
            3 => calls == seed / 4,
            // Past the last call is never.
            1 => calls >= lot(0) % (self.total + if self.in_prefix { OTHER_CALLS } else { 2 }),
            _ => lot(calls) % 2 == 1,
        }
    }

    /// A thread that the code under test has started, and that runs before the next call of the first thread.
    fn before_next_of_first(&mut self, choice: &Choice<'_>) -> Option<ThreadId> {
        let made = calls_made(ThreadId(0));
        if std::mem::replace(&mut self.made_by_first, made) != made {
            (self.help, self.calls, self.before_first) = (HELP, self.calls + 1, true);
        }
        let helper = self.helper(choice, |thread| self.is_between(thread)).filter(|_| self.before_first);
        self.before_first = helper.is_some();
        self.help -= u32::from(helper.is_some());
        helper
    }

    /// The call that goes on where the last one is whole or waits.
    fn next_call(&mut self, choice: &Choice<'_>) -> Option<ThreadId> {
        let goes_on = |&thread: &ThreadId| choice.can_run(thread) && !self.spins(thread);
        let mut resumable = self.begun.iter().map(|&(thread, _)| thread).filter(goes_on);
        let first = resumable.next();
        let (mut is_late, mut resumed) = (self.manner == Manner::Late, first);
        if let (Manner::Mixed(bits), Some(_)) = (self.manner, first) {
            is_late = bits & 1 != 0;
            resumed = resumable.next_back().filter(|_| bits & 2 != 0).or(first);
            self.manner = Manner::Mixed(bits >> 2);
        }
        let new = self.left.iter().position(|&thread| !self.is_begun(thread) && choice.can_run(thread));
        match (resumed, new) {
            (Some(thread), Some(_)) if !is_late => Some(thread),
            (resumed, Some(place)) => {
                let thread = self.left.remove(place);
                let begun = (thread, calls_made(thread) + 1);
                if resumed.is_some() {
                    self.pushed_in.lock().unwrap_or_else(PoisonError::into_inner).push(begun);
                }
                self.begun.push(begun);
                (self.help, self.calls, self.patience_left) = (HELP, self.calls + 1, self.patience);
                Some(thread)
            }
            (resumed, None) => resumed,
        }
    }

    fn next(&mut self, choice: &Choice<'_>) -> ThreadId {
        self.note_spinning(choice);
        self.begun.retain(|&(thread, whole)| calls_made(thread) < whole);
        // A thread makes no more calls once one has thrown.
        self.left.retain(|&thread| calls_made(thread) < u32::MAX);
        let goes_on = |thread: ThreadId| choice.can_run(thread) && !self.spins(thread);
        // The first thread makes the prefix and the probes, and threads without calls have nothing to do but end.
        let is_idle = |thread: ThreadId| {
            thread.0 <= self.last && !self.is_begun(thread) && !self.left.contains(&thread) && goes_on(thread)
        };
        if let Some(thread) = choice.threads().find(|&thread| is_idle(thread)) {
            let helper = if thread.0 == 0 && self.in_prefix { self.before_next_of_first(choice) } else { None };
            return helper.unwrap_or(thread);
        }
        let in_call = self.in_call();
        if let Some(current) = in_call.filter(|&current| choice.can_run(current) && self.patience_left > 0) {
            self.patience_left -= u32::from(self.spins(current));
            return current;
        }
        if let Some(current) = in_call.filter(|&current| goes_on(current)) {
            return current;
        }
        let may_help = |thread| in_call.is_some() || self.is_between(thread);
        if let Some(helper) = self.helper(choice, may_help) {
            self.help -= 1;
            return helper;
        }
        if let Some(next) = self.next_call(choice) {
            self.was_blocked.fetch_or(in_call.is_some(), Ordering::Relaxed);
            self.current = Some(next);
            return next;
        }
        // Whoever is left spins, or was started and is waited for by nobody: each in turn, but not for an event only, for it
        // takes long to go from one thread to another.
        let last = choice.last.filter(|&last| choice.can_run(last) && self.turn_left > 0);
        self.turn_left = if last.is_some() { self.turn_left - 1 } else { TURN };
        let next = || choice.threads().find(|&thread| Some(thread) > choice.last);
        last.or_else(next).or_else(|| choice.threads().next()).expect("internal bug: a choice without threads")
    }
}

impl Scheduler for CallByCall {
    fn choose(&mut self, choice: &Choice<'_>) -> Result<Turn, Divergence> {
        // It is asked before each event, for a call may be whole after any.
        Ok(Turn { thread: self.next(choice), events: 1 })
    }

    fn waits_for_time(&mut self, choice: &Choice<'_>) -> bool {
        let waits = || {
            let current = self.in_call().filter(|&current| !choice.can_run(current));
            current.is_some() && self.help > 0 && self.helper(choice, |_| true).is_none()
        };
        all_look(choice) || self.manner != Manner::Untimed && waits()
    }
}
