//! Failures, and the executions that show them.

use host::{CallResult, Limits, Thrown};
use serde::{Deserialize, Serialize};

/// A failure that was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// What kind it is, and how it is told from others.
    pub failure: Failure,
    /// How it is to be seen.
    pub shown: Shown,
    /// Preemptions of its schedule.
    pub preemptions: usize,
    /// What is known of smaller schedules.
    pub proof: Proof,
    /// So many executions ran until it was found.
    pub executions_to_find: u64,
    /// What tells failing executions from passing ones: each "this before that", as steps of what is shown and in
    /// words.
    pub cause: Vec<Fact>,
    /// It is as it was found, and was neither shrunk nor explained.
    pub as_found: bool,
    /// So many calls may be in each other where it shows, if there is a limit.
    pub max_frames: Option<u32>,
    /// Places that were opened: its schedule counts their accesses as events.
    #[serde(default)]
    pub opened: Vec<String>,
}

/// A failure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Failure {
    /// What kind it is.
    pub kind: FailureKind,
    /// What it is, in one line.
    pub what: String,
    /// Where it shows: of two failures of one kind at one place one is told.
    pub place: String,
    /// What threads wait for in a deadlock, wherever they do: each a kind of event and a class.
    #[serde(default)]
    pub awaited: String,
    /// Whether a call says that it was refused because others were at it, and nothing else is wrong.
    #[serde(default)]
    pub is_refusal: bool,
}

/// A failure that was seen, but could not be reproduced. It is no finding; but the test did not pass either.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unconfirmed {
    /// The failure.
    pub failure: Failure,
    /// Where it did not fail again.
    pub passed: Passed,
}

/// Where a failure was not seen again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Passed {
    /// Under the same schedule, in the same virtual machine.
    SameSchedule,
    /// In a fresh virtual machine.
    Fresh,
    /// The fresh virtual machine gave no verdict, for this reason.
    Unclear(String),
}

/// At most this many different unconfirmed failures are kept.
const MAX_UNCONFIRMED: usize = 16;

impl Unconfirmed {
    /// Adds it to others, unless they have the same failure or are too many.
    pub fn add_to(self, others: &mut Vec<Unconfirmed>) {
        if others.len() < MAX_UNCONFIRMED && !others.iter().any(|other| other.failure.is_same(&self.failure)) {
            others.push(self);
        }
    }
}

/// What is thrown when a stack is full.
pub const OVERFLOW: &str = "java.lang.StackOverflowError";

impl Failure {
    /// Whether it counts as the same as another.
    pub fn is_same(&self, other: &Failure) -> bool {
        (self.kind, &self.place) == (other.kind, &other.place)
    }

    /// Whether it is a recursion without an end.
    pub fn is_recursion(&self) -> bool {
        self.kind == FailureKind::Exception && self.place.split(' ').next() == Some(OVERFLOW)
    }
}

impl Finding {
    /// The limits under which its schedule is followed. What has no end is cut off where it was, and explorers do
    /// that early. Calls may be as deep in each other as they were allowed to be.
    pub fn limits(&self, of_job: Limits) -> Limits {
        let events = self.shown.turns.iter().map(|&(_, events)| events as usize).sum();
        let is_hang = self.failure.kind == FailureKind::Hang;
        let max_events = if is_hang { events } else { of_job.max_events };
        Limits {
            max_events,
            max_frames: self.max_frames,
            watched: self.shown.watched,
            mirrored: self.shown.mirrored,
            ..of_job
        }
    }

    /// Whether it says more than these of its job do. A job that was begun anew finds the same again.
    pub fn adds_to(&self, findings: &[Finding]) -> bool {
        let known = findings.iter().find(|known| known.failure.is_same(&self.failure));
        known.is_none_or(|known| known != self && (known.as_found || !self.as_found))
    }

    /// Takes its place among those of its job, if it says more than they do.
    pub fn add_to(self, findings: &mut Vec<Finding>) {
        if !self.adds_to(findings) {
            return;
        }
        match findings.iter_mut().find(|known| known.failure.is_same(&self.failure)) {
            Some(known) => *known = self,
            None => findings.push(self),
        }
    }
}

/// Kinds of failures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FailureKind {
    /// A call or a thread ended with an exception.
    #[default]
    Exception,
    /// No thread can go on.
    Deadlock,
    /// There is no end.
    Hang,
    /// Calls returned what they do in no linearization.
    Linearizability,
}

impl FailureKind {
    /// As documents have it.
    pub fn name(self) -> &'static str {
        match self {
            FailureKind::Exception => "exception",
            FailureKind::Deadlock => "deadlock",
            FailureKind::Hang => "hang",
            FailureKind::Linearizability => "linearizability",
        }
    }
}

/// What is known of schedules that are smaller than the one that is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Proof {
    /// All were run, and none fails.
    Smallest,
    /// All with fewer preemptions were run, and none fails.
    FewestPreemptions,
    /// Some were not run.
    #[default]
    None,
}

/// One event before another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// The step of the first event.
    pub first: usize,
    /// The step of the second; past the last if it never happened.
    pub second: usize,
    /// The first event.
    pub first_event: String,
    /// The second.
    pub second_event: String,
}

/// One execution, told whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// The seed of the random walk that led to it, or the number of the replay.
    pub seed: u64,
    /// Its hash.
    pub hash: u64,
    /// The schedule: thread and number of events, one after the other.
    pub turns: Vec<(u16, u32)>,
    /// Whose waits were over by time, each with the number of events before that.
    pub timeouts: Vec<(usize, u16)>,
    /// Its events, one a line.
    pub events: Vec<String>,
    /// How the calls ended.
    pub prefix: Vec<CallResult>,
    /// How the calls ended.
    pub suffixes: Vec<Vec<CallResult>>,
    /// How the calls ended.
    pub probes: Vec<CallResult>,
    /// Exceptions that nobody has caught, with their threads.
    pub uncaught: Vec<(u16, Thrown)>,
    /// Why it ended early, if it did.
    pub stop: Option<String>,
    /// Its steps one by one, if it was told in full.
    pub steps: Vec<ShownStep>,
    /// What threads that had not ended would have done next, likewise.
    pub pending: Vec<ShownStep>,
    /// The names of threads, likewise.
    pub names: Vec<(u16, String)>,
    /// How threads ended that did not simply end, likewise.
    pub endings: Vec<(u16, String)>,
    /// Which objects of the steps the calls of the prefix gave, each with the number of the call first.
    pub given: Vec<(usize, u32)>,
    /// Whether attempts at what may have to wait are events of it.
    pub watched: bool,
    /// Whether identity hashes are mirrored in it.
    #[serde(default)]
    pub mirrored: bool,
}

/// One step of an execution, with names instead of numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownStep {
    /// Who.
    pub thread: u16,
    /// What is done, as [`schedule::EventKind::name`] names it.
    pub kind: String,
    /// The object it is done to, and its class if that is known.
    pub object: Option<(u32, String)>,
    /// Which part of it.
    pub what: Option<String>,
    /// What was read or written.
    pub value: Option<String>,
    /// The calls that led to it, innermost first, as `StackTraceElement` writes them.
    pub frames: Vec<String>,
    /// Just before, time passed until waits were over.
    pub time_passed: bool,
    /// The step before is of another thread, which could have gone on.
    pub preempts: bool,
}
