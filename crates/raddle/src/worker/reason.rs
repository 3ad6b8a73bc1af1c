//! Why nothing can be said about a test case.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a job ended without a verdict. Whatever it is, it has cost this job and nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)] // Each is what its text says.
pub enum Reason {
    /// `System.exit`, `Runtime.exit` or `Runtime.halt`.
    Exit {
        status: i32,
    },
    /// Every execution has more events than are allowed.
    Endless {
        events: usize,
    },
    /// It ends after so many events, which are more than are allowed.
    Longer {
        events: usize,
    },
    /// The budget of the job has run out.
    TimedOut {
        millis: u64,
        standing: Standing,
    },
    OutOfMemory,
    /// The process has more memory than it may have, in the heap or outside.
    TooMuchMemory {
        megabytes: u64,
    },
    /// The files that it has written are more than they may be.
    TooManyFiles {
        megabytes: u64,
    },
    StackOverflow,
    ThreadDeath,
    /// A static initialiser has failed, with what it threw.
    Initialiser {
        thrown: String,
    },
    /// A thread was asked what it waits for where that is not told. The plan is run anew where it is, so this
    /// leaves no worker.
    Asked,
    /// A class that the code needs is not there.
    MissingClass {
        class: String,
    },
    /// Static state is not what any execution has left, and cannot be put back.
    Spoiled {
        what: String,
    },
    /// More threads than can be controlled.
    TooManyThreads,
    /// Threads that were started where nothing is under control, as in a static initialiser.
    Uncontrolled {
        threads: usize,
    },
    /// The virtual machine has crashed; with what it says about it.
    Crashed {
        detail: String,
    },
    /// Somebody else has ended the worker, as often as it was started again.
    Killed {
        signal: i32,
        times: u32,
    },
    /// The worker has ended without an answer.
    Ended {
        status: i32,
    },
    /// The worker has said what no worker says.
    Garbled {
        what: String,
    },
    /// A bug of ours.
    Internal {
        what: String,
    },
}

/// What a job was doing when its budget ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Standing {
    /// Classes were loaded or initialised, or static state put back.
    Preparing,
    /// An execution was under way. Its events may go on, or it may be in code without any.
    Running,
    /// An execution was under way, in code that neither accesses nor calls anything that would be seen.
    Computing,
    /// An execution was over, but threads did not leave.
    Leaving { threads: usize },
    /// The worker itself did not answer.
    Unknown,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Exit { status } => {
                write!(f, "the code under test asked the virtual machine to end with status {status}")
            }
            Reason::Endless { events } => write!(f, "no end after {events} events under any schedule"),
            Reason::Longer { events } => write!(f, "it has {events} events, which are more than are allowed"),
            Reason::TimedOut { millis, standing } => {
                write!(f, "no end within {} s, {standing}", *millis as f64 / 1000.0)
            }
            Reason::OutOfMemory => write!(f, "out of memory"),
            Reason::TooMuchMemory { megabytes } => write!(f, "the worker took more than {megabytes} MB of memory"),
            Reason::TooManyFiles { megabytes } => {
                write!(f, "the code under test wrote more than {megabytes} MB of files")
            }
            Reason::StackOverflow => write!(f, "stack overflow"),
            Reason::ThreadDeath => write!(f, "ThreadDeath was thrown"),
            Reason::Initialiser { thrown } => write!(f, "a static initialiser failed: {thrown}"),
            Reason::Asked => write!(f, "a thread was asked what it waits for"),
            Reason::MissingClass { class } => {
                write!(f, "class {class} is not on the class path: name its jar or folder with --classpath")
            }
            Reason::Spoiled { what } => write!(f, "{what}"),
            Reason::TooManyThreads => {
                write!(f, "more threads were started than the {} that can be controlled", schedule::MAX_THREADS)
            }
            Reason::Uncontrolled { threads } => {
                write!(f, "{threads} threads were started in static initialisers and are not under control")
            }
            Reason::Crashed { detail } => write!(f, "the virtual machine crashed: {detail}"),
            Reason::Killed { signal, times } => {
                write!(f, "the worker was killed from outside, {times} times (signal {signal})")
            }
            Reason::Ended { status } => write!(f, "the virtual machine was ended with status {status}"),
            Reason::Garbled { what } => write!(f, "the worker gave no answer that can be read: {what}"),
            Reason::Internal { what } => write!(f, "a bug in Raddle: {what}"),
        }
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Standing::Preparing => write!(f, "while classes were loaded or initialised"),
            Standing::Running => write!(f, "in the middle of an execution"),
            Standing::Computing => write!(f, "in code that accesses nothing"),
            Standing::Leaving { threads } => {
                write!(f, "because {threads} threads did not leave an execution that was over")
            }
            Standing::Unknown => write!(f, "and the worker did not answer"),
        }
    }
}
