//! The one door between exploration and execution.

use crate::event::{Event, ThreadId};
use crate::trace::Trace;

/// Decides which thread runs.
///
/// Every thread stops before its next event, which is known and did not happen yet. The host asks when
/// the turn it was given is over: it ran its events, or its thread cannot go on. It asks at least once in
/// an execution, and never again once all threads have ended or none can go on.
///
/// One value serves one execution. What it learns goes back to whoever made it.
pub trait Scheduler {
    /// Who runs now, and for how long.
    fn choose(&mut self, choice: &Choice<'_>) -> Result<Turn, Divergence>;

    /// Nothing could go on, so time has passed until the wait, sleep, park or join of this thread was over. Told
    /// before the next choice.
    fn timed_out(&mut self, _thread: ThreadId) {}

    /// The event that this thread has announced can go on without cause, for spurious or early wake-ups are
    /// allowed. Told before the next choice.
    fn unprompted(&mut self, _thread: ThreadId) {}

    /// Whether time should pass although these threads can go on, because all that they do is look for a change.
    /// Asked before a choice, as long as there is a wait that time would end.
    fn waits_for_time(&mut self, _choice: &Choice<'_>) -> bool {
        false
    }
}

/// What the scheduler may know when it is asked.
#[derive(Clone, Copy, Debug)]
pub struct Choice<'c> {
    /// What happened so far.
    pub trace: &'c Trace,
    /// Who had the last turn; None at the start.
    pub last: Option<ThreadId>,
    /// The threads that can go on, each with its next event, in ascending order; never empty.
    pub runnable: &'c [(ThreadId, Event)],
}

/// Up to this number of threads one is found sooner by looking at each.
const FEW: usize = 16;

impl Choice<'_> {
    /// Whether that thread can go on.
    pub fn can_run(&self, thread: ThreadId) -> bool {
        if self.runnable.len() <= FEW {
            return self.runnable.iter().any(|&(runnable, _)| runnable == thread);
        }
        self.runnable.binary_search_by_key(&thread, |&(runnable, _)| runnable).is_ok()
    }

    /// The threads that can go on.
    pub fn threads(&self) -> impl Iterator<Item = ThreadId> {
        self.runnable.iter().map(|&(thread, _)| thread)
    }
}

/// A thread and the number of events that it does before the scheduler is asked again. The host asks
/// earlier if the thread cannot go on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Turn {
    /// Who.
    pub thread: ThreadId,
    /// How many events; at least 1.
    pub events: u32,
}

impl Turn {
    /// As long as it can.
    pub const WHOLE: u32 = u32::MAX;
}

/// A schedule cannot be followed: the execution is not the one that it was recorded in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Divergence {
    /// How many events happened before.
    pub step: usize,
    /// The thread that should run; None if the schedule has ended and the execution has not.
    pub expected: Option<ThreadId>,
    /// The threads that could run.
    pub runnable: Vec<ThreadId>,
}

impl std::fmt::Display for Divergence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.expected {
            Some(thread) => write!(f, "after {} events {thread} should run, but", self.step)?,
            None => write!(f, "after {} events the schedule ends, but", self.step)?,
        }
        for (i, thread) in self.runnable.iter().enumerate() {
            write!(f, "{} {}", if i == 0 { " only" } else { "," }, thread.0)?;
        }
        f.write_str(" can run")
    }
}

impl std::error::Error for Divergence {}
