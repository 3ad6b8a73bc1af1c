//! How executions end, and what they may do before.

use schedule::{Divergence, Event, ObjectId, ThreadId};

/// What an execution may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Limits {
    /// With more events than this it is ended.
    pub max_events: usize,
    /// How many waits of each thread may end though nothing has happened, as the language allows.
    pub spurious_wakeups: u32,
    /// Whether what is limited in time may be over at any moment, and not only when nothing else can run.
    pub early_timeouts: bool,
    /// How many timed waits of each thread that others have started may be over at any moment: timers fire while
    /// others are in the midst of something.
    #[serde(default)]
    pub early_of_started: u32,
    /// With more calls in each other than this, a thread has a `StackOverflowError`, wherever the real stack ends. It has none of
    /// ours without.
    #[serde(default)]
    pub max_frames: Option<u32>,
    /// Whether attempts at what may have to wait are events, so that threads can be asked what they wait for.
    #[serde(default)]
    pub watched: bool,
    /// Whether identity hashes are such that of any two the other one is larger.
    #[serde(default)]
    pub mirrored: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            max_events: 100_000,
            spurious_wakeups: 0,
            early_timeouts: false,
            early_of_started: 0,
            max_frames: None,
            watched: false,
            mirrored: false,
        }
    }
}

/// What happens next.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// This thread does its event.
    Run(ThreadId),
    /// The first thread has ended, and no other has anything left to do.
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

/// A thread that cannot go on: what it waits for, and who has that.
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
    /// Whether the virtual machine would end without waiting for it.
    pub daemon: bool,
}
