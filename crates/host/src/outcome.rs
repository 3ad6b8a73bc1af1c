//! What an execution gave.

use crate::machine::{Blocked, Stop};
use crate::natives::monitor::MONITOR_OF_END;
use crate::silence::Unannounced;
use crate::unseen::Unseen;
use crate::value::Value;
use schedule::{Event, ObjectId, Schedule, SiteId, ThreadId, Trace, Turn};
use serde::{Deserialize, Serialize};

/// How one execution of a test case went.
#[derive(Debug, Clone, PartialEq)]
pub struct Execution {
    /// What happened.
    pub trace: Trace,
    /// How each call of the prefix ended; shorter than the prefix if one threw.
    pub prefix: Vec<CallResult>,
    /// How each call of each suffix ended; shorter than the suffix if one threw or was cut off.
    pub suffixes: Vec<Vec<CallResult>>,
    /// How many events there were when each of those calls ended.
    pub ends: Vec<Vec<usize>>,
    /// How each probe ended, likewise; none ran if the execution ended early.
    pub probes: Vec<CallResult>,
    /// Exceptions that nobody has caught, in threads that the code under test has started.
    pub uncaught: Vec<(ThreadId, Thrown)>,
    /// Why it ended early, if it did.
    pub stop: Option<Stop>,
    /// What threads that have not ended would have done next.
    pub pending: Vec<(ThreadId, Event)>,
    /// Whose waits were over because time has passed, with the number of events before that.
    pub timed_out: Vec<(usize, ThreadId)>,
    /// Threads that had not ended when the first had, and could not go on.
    pub left: Vec<Blocked>,
    /// Whether one of them is a daemon that could have gone on.
    pub abandoned: bool,
    /// Whether a thread has waited for what can be over by time, also if it was over otherwise.
    pub timed: bool,
    /// Whether attempts at what may have to wait are events of it.
    pub watched: bool,
    /// Whether identity hashes were mirrored.
    pub mirrored: bool,
    /// Whether an object was asked for its identity hash.
    pub hashed: bool,
    /// Whether a thread was asked what it waits for, though they are not.
    pub asked: bool,
    /// Why nothing is certified that rests on it, in words.
    pub doubts: Vec<String>,
    /// What was told of its steps, by their number, if that was asked for.
    pub told: Vec<(usize, Told)>,
    /// The names of threads that it has started, likewise.
    pub names: Vec<(ThreadId, String)>,
    /// Which objects the calls of the prefix gave, by the number of the call, if some event was about them; likewise.
    pub given: Vec<(usize, ObjectId)>,
    /// What is known of the objects that threads waited for, in a deadlock or at the end; in the order of the threads.
    pub awaited: Vec<Awaited>,
    /// Which thread was the first that had more calls in each other than it may, and how many events there were before.
    pub overflow: Option<(ThreadId, usize)>,
    /// Accesses that are no events, of places that several threads touch, one of them to write.
    pub unseen: Vec<Unseen>,
    /// Whether a thread was given what it takes for random.
    pub chance: bool,
    /// Sites of native methods of which nobody knows what they do.
    pub taints: Vec<SiteId>,
    /// Monitors that opaque code was seen to hold: the numbers of the places that are to be opened.
    pub held: Vec<u32>,
    /// Silent accesses, if it ran silently.
    pub silent: Unannounced,
}

impl Execution {
    /// Whether who waits in it may only do so because the end of a thread is no event that takes a monitor.
    pub fn doubts_ends(&self) -> bool {
        self.doubts.iter().any(|doubt| doubt == MONITOR_OF_END)
    }

    /// The decisions that lead to it again.
    pub fn schedule(&self) -> Schedule {
        Schedule::of(&self.trace).with_timeouts(&self.timed_out)
    }

    /// The decisions that lead to it again in an execution that does not run silently: each silent access is an event there.
    pub fn schedule_with_silent(&self) -> Schedule {
        let counts = &self.silent.counts;
        let after = |steps: usize| counts.get(steps).copied().unwrap_or(0) as usize;
        let mut schedule = Schedule::default();
        // How many events there are by then, and how many there will be with silent ones.
        let (mut steps, mut all) = (0, after(0));
        let mut timeouts = self.timed_out.iter().peekable();
        if let Some(first) = self.trace.steps.first().filter(|_| all > 0) {
            schedule.turns.push(Turn { thread: first.thread, events: all as u32 });
        }
        loop {
            while let Some((_, thread)) = timeouts.next_if(|(before, _)| *before <= steps) {
                schedule.timeouts.push((all, *thread));
            }
            let Some(step) = self.trace.steps.get(steps) else { break };
            // This event stands for silent writes, which are counted themselves.
            let events = usize::from(step.event.slot != Event::SILENT) + after(steps + 1);
            match schedule.turns.last_mut() {
                Some(turn) if turn.thread == step.thread => turn.events += events as u32,
                _ => schedule.turns.push(Turn { thread: step.thread, events: events as u32 }),
            }
            (steps, all) = (steps + 1, all + events);
        }
        schedule.turns.retain(|turn| turn.events > 0);
        schedule
    }

    /// All exceptions that calls and threads have ended with.
    pub fn thrown(&self) -> impl Iterator<Item = &Thrown> {
        let calls = self.suffixes.iter().flatten().chain(&self.prefix).chain(&self.probes);
        let thrown = calls.filter_map(|call| match call {
            CallResult::Threw(thrown) => Some(thrown),
            _ => None,
        });
        thrown.chain(self.uncaught.iter().map(|(_, thrown)| thrown))
    }
}

/// What a person wants to know of a step, beyond the event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Told {
    /// The calls that led to it, innermost first, as `StackTraceElement` writes them.
    pub frames: Vec<String>,
    /// The class of the object that it is about.
    pub class: Option<String>,
    /// What was read or written.
    pub value: Option<String>,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum CallResult {
    /// It returned.
    Returned(Value),
    /// It threw.
    Threw(Thrown),
    /// It was cut off because the execution ended.
    CutOff,
}

/// An exception.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Thrown {
    /// Its class: `java.lang.NullPointerException`.
    pub class: String,
    /// Its message, if it has one.
    pub message: Option<String>,
    /// Where it was thrown, innermost first, as `StackTraceElement` writes it; without our own frames and those of the
    /// machinery of reflection.
    pub frames: Vec<String>,
    /// What caused it.
    pub cause: Option<Box<Thrown>>,
    /// What was suppressed for it.
    pub suppressed: Vec<Thrown>,
}

/// What a thread of a deadlock waited for, where more is known than the events tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Awaited {
    /// Who waited.
    pub thread: ThreadId,
    /// The object whose monitor it wanted, that it waited on, or for which it was parked.
    pub object: ObjectId,
    /// The class of that object.
    pub class: String,
    /// Who owns it, if it is a lock of `java.util.concurrent` that has an owner.
    pub owner: Option<ThreadId>,
}
