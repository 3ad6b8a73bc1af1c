//! What supervisor and worker say to each other.
//!
//! The supervisor sends a job. The worker sends news while it works, and one reply at the end. [`finding`] describes a
//! failure, and [`wire`] writes and reads messages.

mod finding;
mod wire;

use std::path::PathBuf;
use std::time::Duration;

use crate::fence::Fence;
use crate::worker::reason::Reason;
pub use finding::{Fact, Failure, FailureKind, Finding, OVERFLOW, Passed, Proof, Shown, ShownStep, Unconfirmed};
use host::Limits;
pub use oracle::Oracle;
use serde::{Deserialize, Serialize};
use testcase::TestCase;
pub use wire::{bytes, end_of_output, receive, receive_reply, send, take};

/// The first message to a worker: the virtual machine that it hosts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Setup {
    /// The JDK.
    pub java_home: PathBuf,
    /// The class path of the classes under test.
    pub class_path: String,
    /// A private folder of the worker.
    pub folder: PathBuf,
    /// Further options of the virtual machine.
    pub options: Vec<String>,
    /// Hooks that do nothing. For tests that show that each is needed.
    pub left_out: Vec<String>,
    /// The fence around the worker, if there is to be one.
    pub fence: Option<Fence>,
    /// Who the supervisor is: the worker ends when that process does.
    pub supervisor: Option<u32>,
}

/// The first message of a worker: its virtual machine runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ready {
    /// Why it does not, if it does not.
    pub failure: Option<String>,
}

/// How long a job may take. Sent with it.
pub type Budget = Option<Duration>;

/// All other messages to a worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    /// What to run.
    pub test: TestCase,
    /// The classes that must tell of their events, as class files name them.
    pub under_test: Vec<String>,
    /// Which executions to run.
    pub plan: Plan,
    /// What the executions may do.
    pub limits: Limits,
    /// Places whose accesses by opaque code are events, as `Host::open` names them. An exploration opens more.
    #[serde(default)]
    pub opened: Vec<String>,
}

impl Plan {
    /// Whether there are always others that may be run instead.
    pub fn is_one_of_many(&self) -> bool {
        match self {
            Plan::Scout { .. } => true,
            Plan::Check(check) => check.wanted.is_none(),
            _ => false,
        }
    }
}

/// Which executions to run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Plan {
    /// Random walks with seeds from `seed` on, until one fails or `executions` have run.
    Random {
        /// The first seed.
        seed: u64,
        /// How many at the most.
        executions: u64,
        /// Whether to go on after a failure.
        exhaust: bool,
    },
    /// Every schedule that matters.
    Explore(Explore),
    /// Every schedule that matters, held against the linearizations of the test case.
    Check(Check),
    /// One schedule, held against the linearizations of the test case, as often as `check` has executions.
    Recheck {
        /// What it is held against.
        check: Check,
        /// The schedule: thread and number of events, one after the other.
        turns: Vec<(u16, u32)>,
        /// Whose waits were over by time, each with the number of events before that.
        timeouts: Vec<(usize, u16)>,
    },
    /// No schedule at all: the calls of the only suffix, in one thread, to see where they get.
    Scout {
        /// The places that somebody wants to know of, by their numbers.
        wanted: Vec<u64>,
    },
    /// One schedule, so many times.
    Replay {
        /// The schedule: thread and number of events, one after the other.
        turns: Vec<(u16, u32)>,
        /// Whose waits were over by time, each with the number of events before that.
        timeouts: Vec<(usize, u16)>,
        /// How often.
        times: u64,
        /// Whether threads that are left waiting at the end are a failure, daemons aside.
        must_end: bool,
    },
    /// One schedule, once, as the first execution of its virtual machine: nothing can be left from before.
    ReplayFirst {
        /// The schedule: thread and number of events, one after the other.
        turns: Vec<(u16, u32)>,
        /// Whose waits were over by time, each with the number of events before that.
        timeouts: Vec<(usize, u16)>,
        /// Whether threads that are left waiting at the end are a failure, daemons aside.
        must_end: bool,
    },
}

/// How to explore.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Explore {
    /// By what.
    pub explorer: Explorer,
    /// For what is chosen at random.
    pub seed: u64,
    /// The most executions.
    pub executions: u64,
    /// The most events that all executions together may have. Shrinking and explaining findings may have as many again.
    /// Unlike a limit of time, this one ends every run in the same place.
    pub events: Option<u64>,
    /// The most milliseconds.
    pub millis: Option<u64>,
    /// Whether one failure is enough.
    pub first: bool,
    /// So many milliseconds may it take to shrink all findings and look for their causes, and no more than a fifth of
    /// `millis` past its end. With 0 findings stay as they were found.
    pub explain_millis: u64,
    /// Whether threads that are left waiting when the test itself is over are a failure, daemons aside.
    pub must_end: bool,
    /// Whether a program that ends, but has more events than are allowed, is told to whoever can allow more.
    pub may_lengthen: bool,
    /// Upper bound on the events of a suffix that runs alone, where it is lower than that of other executions: for calls that
    /// have had no end before.
    #[serde(default)]
    pub events_alone: Option<usize>,
}

impl Plan {
    /// Whether it is a part of a check.
    pub fn is_of_check(&self) -> bool {
        matches!(self, Plan::Check(_) | Plan::Recheck { .. } | Plan::Scout { .. })
    }
}

/// How to check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// How to explore. With 0 executions each suffix is only tried alone.
    pub explore: Explore,
    /// What executions are held against.
    pub oracle: Oracle,
    /// Look for nothing but this: for whoever makes a test case smaller.
    pub wanted: Option<Failure>,
    /// Places in the code that are to be noticed when they are reached: two by two threads, or one if the second is 0.
    #[serde(default)]
    pub goals: Vec<(u64, u64)>,
}

/// What decides which schedule is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Explorer {
    /// All of them in turn, the cheap ones first.
    Auto,
    /// Each thread whole, at each point of each other.
    Sweep,
    /// Complete reduction.
    Dpor,
    /// Few changes of priority, at random.
    Pct,
    /// Partial order sampling.
    Pos,
    /// The selectively uniform random walk.
    Surw,
    /// A random walk.
    Random,
}

/// All other messages of a worker: any number of news about a job, then the reply to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Word {
    /// The job goes on.
    News(News),
    /// The job is over.
    Reply(Reply),
}

/// What is said about a job that is under way. Whatever becomes of the job later, it stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum News {
    /// An execution failed, and did so again under its schedule. The same failure may be told once more when it is
    /// better known: the later takes the place of the earlier.
    Found(Box<Finding>),
    /// How far it is.
    Progress(Progress),
    /// The operating system has refused something to the code under test.
    Refused(String),
    /// Where the time of a check went. No part of the answer, which is the same however long it took.
    Spent(Spent),
}

/// Where the time of a check went, in microseconds, and how many executions it was for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Suffixes alone, and linearizations.
    pub serial: u64,
    /// Schedules.
    pub exploring: u64,
    /// All executions, also those that no report counts.
    pub executions: u64,
}

/// How far a job is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// How many executions ran.
    pub executions: u64,
    /// How many different traces there were.
    pub traces: u64,
    /// About how many of a thousand traces were run, if that can be said.
    pub explored_part: Option<u16>,
}

/// No job tells of findings more often than this: a plan that could find more tells of the first. What runs in a
/// worker may write to its pipe, and must not fill the disk through the journal.
pub const MOST_FOUND: usize = 64;

/// What is said about a job in the end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The answer.
    pub answer: Answer,
    /// All that the operating system has refused to the code under test, news or not.
    pub refused: Vec<String>,
}

/// The answer to a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// The job was done.
    Done(Box<Report>),
    /// It could not be, and why.
    Refused(String),
    /// It was begun and nothing can be said. The worker is not to be used again.
    Unknown(Reason),
}

/// What a job has shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// How many executions ran.
    pub executions: u64,
    /// How many of them failed.
    pub failures: u64,
    /// How many failed and did not fail in the same way when their schedule was followed once more. They are
    /// not among the failures.
    pub unstable: u64,
    /// What is wrong with those, each once.
    #[serde(default)]
    pub unconfirmed: Vec<Unconfirmed>,
    /// Static state that executions left behind for others, and why it was not put back.
    #[serde(default)]
    pub unrestored: Option<String>,
    /// How many different traces there were, by their hashes.
    pub traces: u64,
    /// How much work it was, in events of all executions, also of those that are not counted. Unlike time it is the
    /// same in every run.
    #[serde(default)]
    pub effort: u64,
    /// The first that failed or, if none did, one of those that ran; but not of a check, which is one of thousands.
    pub shown: Shown,
    /// What an exploration has come to, if the plan was to explore.
    pub explored: Option<Explored>,
    /// What the linearizations have shown, if the plan was to check.
    pub checked: Option<Checked>,
    /// Where calls have got, if the plan was to see that.
    #[serde(default)]
    pub scouted: Option<Scouted>,
}

/// Where calls of one thread have got.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scouted {
    /// The call of the prefix that did not return, if one did not.
    pub failed_in_prefix: Option<usize>,
    /// The first call at each of the places, in the order in which they were reached.
    pub hits: Vec<(usize, u64)>,
    /// Which calls have returned, of those that were made.
    pub returned: Vec<bool>,
    /// The path of each call.
    pub paths: Vec<u64>,
}

/// What was found out about a test case before it was explored, and how it went.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    /// Why it is of no use, if it is not. Then nothing was explored.
    pub rejected: Option<Rejected>,
    /// So many linearizations there are. All were run.
    pub linearizations: u64,
    /// In so many executions calls of different suffixes really overlapped: an event of one lay between two of another.
    pub overlaps: u64,
    /// Where threads have met: numbers that mean the same in every worker.
    pub contacts: Vec<u64>,
    /// The goals that were reached, by their numbers.
    #[serde(default)]
    pub reached: Vec<usize>,
    /// Suffixes and calls whose results differ between identical linearizations. They are not compared.
    pub unsteady: Vec<(usize, usize)>,
    /// Such calls of the prefix.
    pub unsteady_prefix: Vec<usize>,
    /// Such probes.
    pub unsteady_probes: Vec<usize>,
    /// The first probe that returns in no linearization.
    #[serde(default)]
    pub failing_probe: Option<usize>,
    /// Suffixes and calls that throw what the test's own objects throw, even if the others are not there.
    #[serde(default)]
    pub thrown: Vec<(usize, usize)>,
    /// What linearizations end with: classes of exceptions, `stuck`, `endless`.
    pub endings: Vec<String>,
    /// The operating system has refused something.
    pub refused: bool,
    /// In so many executions an exception was not held to be a violation, because something was refused that was
    /// not refused to linearizations.
    pub excused: u64,
    /// A class that an exception was thrown for in some execution, because it is not there.
    #[serde(default)]
    pub missing: Option<String>,
    /// Such a class of which the exception would else be a violation.
    #[serde(default)]
    pub lacks: Option<String>,
}

/// Why a test case is of no use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Rejected {
    /// A call of the prefix throws.
    Prefix { call: usize, thrown: String },
    /// A call of the prefix gives an object of that class where one of the class under test was expected.
    Another { call: usize, class: String },
    /// A call of a suffix throws when the others are not there.
    Suffix { suffix: usize, call: usize, thrown: String },
    /// A call of the prefix waits for what nobody does.
    PrefixStuck { call: usize },
    /// A call of the prefix has no end.
    PrefixEndless { call: usize },
    /// A call of a suffix waits for what nobody does, when the others are not there.
    SuffixStuck { suffix: usize, call: usize },
    /// A call of a suffix looks again and again whether others have done something, when they are not there.
    SuffixSpins { suffix: usize, call: usize },
    /// A call of a suffix has no end, when the others are not there; or a thread has none that it has started.
    SuffixEndless { suffix: usize, call: usize },
    /// It asks the virtual machine to end.
    Exits,
    /// In some order of its calls there is not enough memory or stack.
    Exhausts { what: String },
    /// It has more linearizations than are run.
    TooMany { linearizations: u64 },
}

/// What an exploration has come to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Explored {
    /// Everything was run, and this is what is known by that.
    pub certificate: Option<Certificate>,
    /// Every schedule with at most so many preemptions was run, if any number is known. Told where there is no
    /// certificate.
    pub covered: Option<u32>,
    /// Executions that complete reduction began in vain.
    pub redundant: u64,
    /// Executions that did not go as they had to.
    pub unexpected: u64,
    /// Executions that were ended before their threads had: by `System.exit`, or because they had too many events.
    pub cut: u64,
    /// Complete reduction was given up after so many events, because what it has to keep takes more memory than it may. Samples
    /// went on.
    #[serde(default)]
    pub exhausted: Option<u64>,
    /// Daemon threads that could have gone on when all else was over were left.
    pub abandoned: bool,
    /// Different failures, in the order in which they were found.
    pub findings: Vec<Finding>,
    /// A class that uses accesses which Java orders less than volatile ones, if there is one: executions do not
    /// show all that they allow.
    pub weak: Option<String>,
    /// Data races: two accesses of one place that nothing orders, in words.
    pub races: Vec<(String, String)>,
    /// What threads did that others may have seen and that is no event, in words. Then nothing is certified.
    #[serde(default)]
    pub unseen: Vec<String>,
}

/// Every execution ran, up to equivalence and within these bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Certificate {
    /// So many classes of equivalent executions there are.
    pub traces: u64,
    /// No execution had a data race or an access weaker than volatile, so the result holds under the Java memory model.
    pub race_free: bool,
    /// A thread had more events than this, and what came after was not run.
    pub events_a_thread: Option<u32>,
    /// There were waits that can be over by time, and they were only when nothing else could go on.
    pub timeouts: bool,
    /// Spurious and early wake-ups were run as often as was allowed.
    pub wakeups: bool,
    /// There were waits that Java allows to end without cause, and none did.
    pub no_wakeups: bool,
    /// There were interrupts and notifications. Where a thread that waits gets both, one way of two for that to end
    /// was run.
    pub interrupts: bool,
    /// Threads that go round and round were held.
    pub loops: bool,
    /// Random numbers, identity hashes or the clock were looked at. They had one value each.
    #[serde(default)]
    pub chance: bool,
    /// A class names references that the garbage collector clears, or has a finalizer. It did neither.
    #[serde(default)]
    pub references: bool,
}
