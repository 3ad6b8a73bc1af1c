//! Check jobs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use classpath::Jdk;
use host::Limits;
use raddle::worker::protocol::{
    Answer, Check, Checked, Explore, Explorer, FailureKind, Finding, Job, Oracle, Plan, Report,
};
use testcase::{Argument, Call, Operation, TestCase};

use crate::worker::Worker;

/// Every JDK on the machine; the tests need at least one.
pub fn jdks() -> Vec<Jdk> {
    let mut jdks = Jdk::installed();
    jdks.retain(|jdk| jdk.javac().is_file() && (17..=25).contains(&jdk.feature));
    assert!(!jdks.is_empty(), "these tests need a JDK: install one, or set JAVA_HOME");
    jdks
}

pub const EXPLORE: Explore = Explore {
    explorer: Explorer::Auto,
    seed: 1,
    executions: 3_000,
    events: None,
    millis: None,
    first: false,
    explain_millis: 0,
    must_end: false,
    may_lengthen: false,
    events_alone: None,
};

/// A worker that can run the fixtures of `check`.
pub struct Bench {
    worker: Worker,
}

/// Where the fixtures are, compiled by each JDK once.
static CLASSES: Mutex<BTreeMap<u32, PathBuf>> = Mutex::new(BTreeMap::new());

fn classes(jdk: &Jdk) -> PathBuf {
    let mut known = CLASSES.lock().unwrap();
    let compile = || {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/check");
        let sources = std::fs::read_dir(sources).unwrap().map(|entry| entry.unwrap().path());
        let classes = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("check-{}", jdk.feature));
        let mut javac = Command::new(jdk.javac());
        let output = javac.args(["-g", "-nowarn", "-d"]).arg(&classes).args(sources).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        classes
    };
    known.entry(jdk.feature).or_insert_with(compile).clone()
}

impl Bench {
    pub fn new(jdk: &Jdk) -> Bench {
        Bench { worker: Worker::start(jdk, &classes(jdk), &[]) }
    }

    /// With so many megabytes for objects.
    pub fn with_heap(jdk: &Jdk, megabytes: u32) -> Bench {
        Bench { worker: Worker::start(jdk, &classes(jdk), &[&format!("-Xmx{megabytes}m")]) }
    }

    pub fn check(&mut self, under_test: &str, test: &TestCase, oracle: Oracle) -> Outcome {
        self.ask(under_test, test, Check { explore: EXPLORE, oracle, wanted: None, goals: vec![] })
    }

    pub fn ask(&mut self, under_test: &str, test: &TestCase, check: Check) -> Outcome {
        self.run(under_test, test, Plan::Check(check))
    }

    pub fn run(&mut self, under_test: &str, test: &TestCase, plan: Plan) -> Outcome {
        Outcome(self.worker.run(&job(under_test, test, plan)))
    }

    /// Checks with as many events as a search allows.
    pub fn search(&mut self, under_test: &str, test: &TestCase) -> Outcome {
        let check = Check { explore: EXPLORE, oracle: Oracle::Safety, wanted: None, goals: vec![] };
        let mut job = job(under_test, test, Plan::Check(check));
        job.limits.max_events = 100_000;
        Outcome(self.worker.run(&job))
    }

    /// The same where so many calls may be in each other.
    pub fn within(&mut self, frames: u32, under_test: &str, test: &TestCase, plan: Plan) -> Outcome {
        let mut job = job(under_test, test, plan);
        job.limits.max_frames = Some(frames);
        Outcome(self.worker.run(&job))
    }

    /// What the worker answers, whatever it is.
    pub fn answer(&mut self, under_test: &str, test: &TestCase, plan: Plan) -> Answer {
        self.worker.ask(&job(under_test, test, plan))
    }
}

fn job(under_test: &str, test: &TestCase, plan: Plan) -> Job {
    let limits = Limits { max_events: 20_000, max_frames: Some(1_000), ..Limits::default() };
    Job { test: test.clone(), under_test: vec![under_test.into()], plan, limits, opened: vec![] }
}

/// What came of a check.
#[derive(Debug)]
pub struct Outcome(pub Report);

impl Outcome {
    pub fn checked(&self) -> &Checked {
        self.0.checked.as_ref().expect("the plan was to check")
    }

    pub fn findings(&self) -> &[Finding] {
        self.0.explored.as_ref().map_or(&[], |explored| &explored.findings)
    }

    /// The kinds of what was found, with the beginning of what is said.
    pub fn kinds(&self) -> Vec<FailureKind> {
        self.findings().iter().map(|finding| finding.failure.kind).collect()
    }

    /// Nothing was found though everything was run.
    pub fn assert_clean(&self) {
        assert_eq!(self.checked().rejected, None);
        assert_eq!((self.kinds(), self.0.failures, self.0.unstable), (vec![], 0, 0), "{:#?}", self.findings());
        let explored = self.0.explored.as_ref().unwrap();
        assert!(explored.certificate.is_some(), "{explored:?}");
        assert!(self.0.executions > 0);
    }
}

fn call(operation: Operation, arguments: Vec<Argument>) -> Call {
    Call { operation, arguments }
}

pub fn construct(class: &str, descriptor: &str, arguments: Vec<Argument>) -> Call {
    call(Operation::Construct { class: class.into(), descriptor: descriptor.into() }, arguments)
}

/// A call of a method, named with its class and descriptor: `java/util/Vector.size()I`.
pub fn invoke(method: &str, receiver: usize, arguments: Vec<Argument>) -> Call {
    let (class, rest) = method.split_once('.').unwrap();
    let (name, _) = rest.split_once('(').unwrap();
    let (class, name, descriptor) = (class.into(), name.into(), rest[name.len()..].into());
    call(Operation::Virtual { class, name, descriptor, receiver: Argument::Value(receiver) }, arguments)
}

pub fn bytes(values: &[i8]) -> Call {
    call(Operation::Array { element: "byte".into() }, values.iter().map(|&byte| Argument::Byte(byte)).collect())
}

/// A test case with one call a suffix, and no probes.
pub fn one_each(prefix: Vec<Call>, suffixes: Vec<Call>) -> TestCase {
    TestCase { prefix, suffixes: suffixes.into_iter().map(|call| vec![call]).collect(), probes: vec![] }
}

/// A test case on a fixture: methods without parameters, named with what they return, such as `next()I`.
pub fn fixture(class: &str, suffixes: &[&[&str]], probes: &[&str]) -> TestCase {
    let calls = |names: &[&str]| names.iter().map(|name| invoke(&format!("{class}.{name}"), 0, vec![])).collect();
    TestCase {
        prefix: vec![construct(class, "()V", vec![])],
        suffixes: suffixes.iter().map(|names| calls(names)).collect(),
        probes: calls(probes),
    }
}
