//! What supervisor and worker say to each other: messages of a length and postcard bytes each.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::time::Duration;

use crate::fence::Fence;
use crate::worker::reason::Reason;
use host::{CallResult, Limits, Thrown};
pub use oracle::Oracle;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use testcase::TestCase;

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
    /// So many executions at the most.
    pub executions: u64,
    /// So many events at the most, in all executions together; and so many again to shrink and explain what was found. Unlike
    /// time, they end in the same place in every run.
    pub events: Option<u64>,
    /// So many milliseconds at the most.
    pub millis: Option<u64>,
    /// Whether one failure is enough.
    pub first: bool,
    /// So many milliseconds may it take to shrink all findings and look for their causes, and no more than a fifth of
    /// `millis` past its end. With 0 findings stay as they were found.
    pub explain_millis: u64,
    /// Whether threads that are left waiting when the test itself is over are a failure, daemons aside.
    pub must_end: bool,
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
    /// An execution failed, and did so again under its schedule. The same failure may be told once more when it is better
    /// known: the later takes the place of the earlier.
    Found(Box<Finding>),
    /// How far it is.
    Progress(Progress),
    /// The operating system has refused something to the code under test.
    Refused(String),
    /// Where the time of a check went. No part of the answer, which is the same however long it took.
    Spent(Spent),
}

/// Where the time of a check went, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Suffixes alone, and linearizations.
    pub serial: u64,
    /// Schedules.
    pub exploring: u64,
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

/// No job tells of findings more often than this: a plan that could find more tells of the first. What runs in a worker may
/// write to its pipe, and must not fill the disk through the journal.
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
    /// How much work it was, in events of all executions, also of those that are not counted. Unlike time it is the same in every run.
    #[serde(default)]
    pub effort: u64,
    /// The first that failed or, if none did, one of those that ran; but not of a check, which is one of thousands.
    pub shown: Shown,
    /// What an exploration has come to, if the plan was to explore.
    pub explored: Option<Explored>,
    /// What the linearizations have shown, if the plan was to check.
    pub checked: Option<Checked>,
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
    /// Suffixes and calls whose results differ between identical linearizations. They are not compared.
    pub unsteady: Vec<(usize, usize)>,
    /// Such calls of the prefix.
    pub unsteady_prefix: Vec<usize>,
    /// Such probes.
    pub unsteady_probes: Vec<usize>,
    /// What linearizations end with: classes of exceptions, `stuck`, `endless`.
    pub endings: Vec<String>,
    /// The operating system has refused something.
    pub refused: bool,
    /// In so many executions an exception was not held to be a violation, because something was refused that was not refused to
    /// linearizations.
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
    /// A call of the prefix is stuck or has no end.
    PrefixStuck { call: usize },
    /// A call of a suffix is, when the others are not there.
    SuffixStuck { suffix: usize, call: usize },
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
    /// Every schedule with at most so many preemptions was run, if any number is known. Told where there is no certificate.
    pub covered: Option<u32>,
    /// Executions that complete reduction began in vain.
    pub redundant: u64,
    /// Executions that did not go as they had to.
    pub unexpected: u64,
    /// Executions that were ended before their threads had: by `System.exit`, or because they had too many events.
    pub cut: u64,
    /// Daemon threads that could have gone on when all else was over were left.
    pub abandoned: bool,
    /// Different failures, in the order in which they were found.
    pub findings: Vec<Finding>,
    /// A class that uses accesses which Java orders less than volatile ones, if there is one: executions do not show all that they allow.
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
    /// There were interrupts and notifications. Where a thread that waits gets both, one way of two for that to end was run.
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
    /// What tells failing executions from passing ones: each "this before that", as steps of what is shown and in words.
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
    /// The limits under which its schedule is followed. What has no end is cut off where it was, and explorers do that early. Calls may
    /// be as deep in each other as they were allowed to be.
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

/// Messages are never longer: what runs in a worker may write to its pipe, and must not fill the supervisor's memory.
const MAX_MESSAGE: u32 = 256 << 20;
/// So many bytes in front of a message say how long it is.
const LENGTH: usize = 4;

/// What a worker writes to standard error once a job is done, so that what it printed can be told from what the next
/// job prints.
pub fn end_of_output(job: u64) -> Vec<u8> {
    format!("\0raddle: end of job {job}\0").into_bytes()
}

/// Writes a message. At once: whoever listens is woken by every part of it.
pub fn send(to: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    to.write_all(&bytes(message)?)?;
    to.flush()
}

/// A message as it is written.
pub fn bytes(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = postcard::to_extend(message, vec![0; LENGTH]).map_err(io::Error::other)?;
    let length = (bytes.len() - LENGTH) as u32;
    bytes[..LENGTH].copy_from_slice(&length.to_le_bytes());
    Ok(bytes)
}

/// Reads on to the reply, for whoever does not care for news; None at the end of the stream.
pub fn receive_reply(from: &mut impl Read) -> io::Result<Option<Reply>> {
    loop {
        match receive::<Word>(from)? {
            Some(Word::News(_)) => {}
            Some(Word::Reply(reply)) => return Ok(Some(reply)),
            None => return Ok(None),
        }
    }
}

/// Reads a message; None at the end of the stream.
pub fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<T>> {
    let mut length = [0; LENGTH];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let mut bytes = vec![0; checked(length)?];
    from.read_exact(&mut bytes)?;
    postcard::from_bytes(&bytes).map(Some).map_err(io::Error::other)
}

/// Takes a message out of what was read so far; None if it is not whole yet.
pub fn take<T: DeserializeOwned>(bytes: &mut Vec<u8>) -> io::Result<Option<T>> {
    let Some((length, rest)) = bytes.split_first_chunk() else { return Ok(None) };
    let length = checked(*length)?;
    let Some(message) = rest.get(..length) else { return Ok(None) };
    let message = postcard::from_bytes(message).map_err(io::Error::other)?;
    bytes.drain(..LENGTH + length);
    Ok(Some(message))
}

/// How long a message is, if it may be so long.
fn checked(length: [u8; LENGTH]) -> io::Result<usize> {
    match u32::from_le_bytes(length) {
        length if length > MAX_MESSAGE => Err(io::Error::other(format!("a message of {length} bytes"))),
        length => Ok(length as usize),
    }
}
