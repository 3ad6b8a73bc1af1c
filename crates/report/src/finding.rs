//! Findings: violations with all that is known of them.

use crate::step::{Object, Step};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// A violation, and the execution that shows it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// Of what kind it is.
    pub kind: FindingKind,
    /// What is wrong, in a line: the exception with its message, or who waits for what.
    pub what: String,
    /// What was explored or checked: `com.acme.AccountTest#transfer`, `java.lang.StringBuffer`.
    pub target: String,
    /// The version of Java that it ran on.
    pub java: String,
    /// The version of Raddle that found it.
    pub raddle: String,
    /// Where the classes are.
    pub class_path: Vec<String>,
    /// Further options of the virtual machine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub java_options: Vec<String>,
    /// Where the JDK was.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub java_home: String,
    /// Of random choices.
    pub seed: u64,
    /// So many executions ran until it showed.
    pub executions_to_find: u64,
    /// Switches away from a thread that could have gone on, in [`Finding::steps`].
    pub preemptions: u64,
    /// What is known of smaller schedules.
    pub proof: Proof,
    /// What tells failing executions from passing ones; empty if that is not known.
    pub cause: Vec<Fact>,
    /// It is as it was found: nobody has tried to make it smaller, or to find its cause.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub as_found: bool,
    /// What it was held against, if it was against the linearizations of its test: `safety`, `linearizability`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oracle: Option<String>,
    /// The test in Java, if it was written by Raddle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub java_test: Option<JavaTest>,
    /// What each thread is called or runs, by its number; names that are missing are not known.
    pub threads: Vec<String>,
    /// What happened, in order.
    pub steps: Vec<Step>,
    /// What threads that had not ended would have done next.
    pub pending: Vec<Step>,
    /// How threads ended; one that is not in it ended.
    #[serde(default)]
    pub endings: BTreeMap<u16, Ending>,
    /// The schedule: threads, and how many events each did in turn.
    pub schedule: Vec<(u16, u32)>,
    /// Whose waits were over because time has passed, in order: the number of steps before that, and the thread.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub timeouts: Vec<(usize, u16)>,
    /// Of the trace. A replay must come to the same.
    pub hash: String,
    /// The test as whoever replays it needs it.
    pub test: Value,
    /// The limits under which it ran, likewise.
    pub limits: Value,
    /// Places inside the JDK whose accesses count as events of its schedule, likewise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opened: Vec<String>,
    /// What whoever found it calls it; else its name is made of what it is. See [`Finding::id`].
    #[serde(skip)]
    pub name: Option<String>,
}

/// A test in Java, a statement a line.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct JavaTest {
    /// What is done first.
    pub prefix: Vec<String>,
    /// What each thread does then, without semicolons.
    pub threads: Vec<Vec<String>>,
    /// What is asked afterwards, likewise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// The number that the object has in steps which a statement of the prefix gives, by the number of the statement.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub objects: BTreeMap<usize, u32>,
}

/// What kinds of violations there are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingKind {
    /// An exception that should not be, failed assertions among them.
    Exception,
    /// Threads wait for each other, or for what nobody is left to do.
    Deadlock,
    /// There was no end within the events that are allowed.
    Hang,
    /// Results that no order of the calls gives.
    Linearizability,
    /// A call that should be one step was interfered with.
    Atomicity,
    /// Accesses that nothing orders, one of them a write.
    Race,
}

/// One step before another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Fact {
    /// A place in [`Finding::steps`].
    pub first: usize,
    /// A place in [`Finding::steps`]; past their end, in [`Finding::pending`]: it never happened.
    pub second: usize,
}

/// What is known of schedules that are smaller.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Proof {
    /// All were run, and none fails.
    Smallest,
    /// All with fewer preemptions were run, and none fails.
    FewestPreemptions,
    /// Some were not run.
    None,
}

/// How a thread ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// As it should.
    Ended,
    /// By an exception, with its message.
    Threw(String),
    /// It did not: `waits to lock StringBuffer#4, held by thread 2`.
    Waits(String),
    /// It was stopped on the way.
    CutOff,
}

impl Finding {
    /// A finding of which nothing else is known.
    pub fn new(kind: FindingKind, target: &str, what: &str) -> Finding {
        Finding {
            kind,
            what: what.into(),
            target: target.into(),
            java: String::new(),
            raddle: String::new(),
            class_path: Vec::new(),
            java_options: Vec::new(),
            java_home: String::new(),
            seed: 0,
            executions_to_find: 0,
            preemptions: 0,
            proof: Proof::None,
            cause: Vec::new(),
            as_found: false,
            oracle: None,
            java_test: None,
            threads: Vec::new(),
            steps: Vec::new(),
            pending: Vec::new(),
            endings: BTreeMap::new(),
            schedule: Vec::new(),
            timeouts: Vec::new(),
            hash: String::new(),
            test: Value::Null,
            limits: Value::Null,
            opened: Vec::new(),
            name: None,
        }
    }

    /// The step with that number as facts have it, those that never happened included.
    pub(crate) fn step(&self, number: usize) -> Option<&Step> {
        self.steps.get(number).or_else(|| self.pending.get(number.checked_sub(self.steps.len())?))
    }

    /// The object with that number, if a step is about it.
    pub(crate) fn object(&self, number: u32) -> Option<&Object> {
        let objects = self.steps.iter().chain(&self.pending).filter_map(|step| step.object.as_ref());
        objects.into_iter().find(|object| object.number == number)
    }

    /// The class that [`Finding::target`] names.
    pub(crate) fn target_class(&self) -> &str {
        self.target.split('#').next().unwrap_or_default()
    }

    /// What a thread is called or runs; empty if that is not known.
    pub(crate) fn thread_name(&self, thread: u16) -> &str {
        self.threads.get(thread as usize).map_or("", String::as_str)
    }
}

impl FindingKind {
    /// The name in reports and documents.
    pub fn name(self) -> &'static str {
        match self {
            FindingKind::Exception => "exception",
            FindingKind::Deadlock => "deadlock",
            FindingKind::Hang => "hang",
            FindingKind::Linearizability => "linearizability",
            FindingKind::Atomicity => "atomicity",
            FindingKind::Race => "race",
        }
    }
}
