//! Lists of jobs, and runs of `raddle jobs` on them.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Output, Stdio};

use classpath::Jdk;
use raddle::journal::{self, Entry};
use raddle::supervisor::{Outcome, Task};
use raddle::worker::protocol::{Finding, Job, Plan};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use tempfile::TempDir;
use testcase::{Argument, Call, Operation, TestCase};

/// Every JDK on the machine; the tests need at least one.
pub fn jdks() -> Vec<Jdk> {
    let mut jdks = Jdk::installed();
    jdks.retain(|jdk| jdk.javac().is_file() && (17..=25).contains(&jdk.feature));
    assert!(!jdks.is_empty(), "these tests need a JDK: install one, or set JAVA_HOME");
    jdks
}

/// The newest of them, for tests that do not depend on it.
pub fn jdk() -> Jdk {
    jdks().pop().unwrap()
}

pub fn fixtures(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(folder);
    let mut sources: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    sources.sort();
    sources
}

/// A fixture that is not hostile, such as `fail/Counter`.
pub fn honest(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(format!("{name}.java"))
}

pub fn name(source: &Path) -> String {
    source.file_stem().unwrap().to_str().unwrap().to_owned()
}

/// The value of a header comment `// key: value`.
pub fn header(source: &Path, key: &str) -> Option<String> {
    let text = std::fs::read_to_string(source).unwrap();
    let prefix = format!("// {key}: ");
    text.lines().find_map(|line| line.strip_prefix(&prefix).map(str::to_owned))
}

pub fn compile(jdk: &Jdk, sources: &[PathBuf]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut javac = Command::new(jdk.javac());
    let output = javac.args(["-g", "-nowarn", "-d"]).arg(folder.path()).args(sources).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder
}

/// A job that runs the methods `one`, `two` and maybe `three` of a new object concurrently, and `check` afterwards.
pub fn job(source: &Path, plan: Plan) -> Job {
    let (class, text) = (name(source), std::fs::read_to_string(source).unwrap());
    let calls = |names: &[&str]| -> Vec<Call> {
        let names = names.iter().filter(|name| text.contains(&format!("void {name}()")));
        names.map(|name| call(&class, name, "()V", vec![])).collect()
    };
    let construct = Operation::Construct { class: class.clone(), descriptor: "()V".into() };
    let test = TestCase {
        prefix: vec![Call { operation: construct, arguments: vec![] }],
        suffixes: calls(&["one", "two", "three"]).into_iter().map(|call| vec![call]).collect(),
        probes: calls(&["check"]),
    };
    let limits = host::Limits { max_events: 20_000, ..host::Limits::default() };
    Job { test, under_test: vec![class], plan, limits, opened: vec![] }
}

fn call(class: &str, name: &str, descriptor: &str, arguments: Vec<Argument>) -> Call {
    let (class, name, descriptor) = (class.into(), name.into(), descriptor.into());
    let receiver = Argument::Value(0);
    Call { operation: Operation::Virtual { class, name, descriptor, receiver }, arguments }
}

pub fn random(seed: u64, executions: u64) -> Plan {
    Plan::Random { seed, executions, exhaust: true }
}

pub fn task(key: impl Into<String>, job: Job) -> Task {
    Task { key: key.into(), job, budget: None, until: None, fresh: false }
}

/// A list of jobs, and where it is run.
pub struct Run {
    jdk: Jdk,
    class_path: PathBuf,
    folder: TempDir,
}

impl Run {
    pub fn new(jdk: &Jdk, class_path: &Path, tasks: &[Task]) -> Run {
        let run = Run { jdk: jdk.clone(), class_path: class_path.to_owned(), folder: tempfile::tempdir().unwrap() };
        run.write(tasks);
        run
    }

    /// Has other jobs from now on.
    pub fn write(&self, tasks: &[Task]) {
        let lines: Vec<_> = tasks.iter().map(|task| serde_json::to_string(task).unwrap()).collect();
        std::fs::write(self.folder.path().join("list"), lines.join("\n")).unwrap();
    }

    pub fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
        command.arg("jobs").arg(self.folder.path().join("list")).arg("--out").arg(self.out());
        command.arg("--java-home").arg(&self.jdk.home).arg("--classpath").arg(&self.class_path).args(arguments);
        command.stdin(Stdio::null());
        command
    }

    /// Runs to the end, which must be a good one.
    pub fn finish(&self, arguments: &[&str]) {
        let output = self.command(arguments).output().unwrap();
        assert!(output.status.success(), "{}: {}", output.status, stderr(&output));
    }

    /// Starts a run that can be watched.
    pub fn start(&self, arguments: &[&str]) -> Started {
        let mut child = self.command(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap());
        Started { child, lines }
    }

    /// What came of each job.
    pub fn outcomes(&self) -> HashMap<String, Outcome> {
        let mut outcomes = HashMap::new();
        for record in journal::read(&self.out()).unwrap() {
            if let Entry::Finished(outcome) = record.entry {
                assert_eq!(outcomes.insert(record.key.clone(), outcome), None, "{} was done twice", record.key);
            }
        }
        outcomes
    }

    /// What each job has found, in the order in which it was written down.
    pub fn found(&self) -> HashMap<String, Vec<Finding>> {
        let mut found: HashMap<String, Vec<Finding>> = HashMap::new();
        for record in journal::read(&self.out()).unwrap() {
            if let Entry::Found(finding) = record.entry {
                found.entry(record.key).or_default().push(*finding);
            }
        }
        found
    }

    pub fn report(&self) -> String {
        std::fs::read_to_string(self.out().join("report.txt")).unwrap()
    }

    /// Nothing but the journal, the report and the lock is left.
    pub fn assert_tidy(&self) {
        let mut files: Vec<_> = std::fs::read_dir(self.out())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort();
        assert_eq!(files, ["journal", "lock", "report.txt"]);
    }
}

/// A run that is under way.
pub struct Started {
    pub child: Child,
    lines: BufReader<ChildStderr>,
}

impl Started {
    /// The next line that it says about a job that is done, or another; None at its end.
    pub fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        (self.lines.read_line(&mut line).unwrap() > 0).then(|| line.trim_end().to_owned())
    }

    /// The next line about a job that is done, past those about what was found.
    pub fn done(&mut self) -> Option<String> {
        std::iter::from_fn(|| self.line()).find(|line| !line.starts_with("found in "))
    }

    /// Its workers.
    pub fn workers(&self) -> Vec<WorkerHandle> {
        let opened = self.children().into_iter().filter_map(WorkerHandle::open).collect::<Vec<_>>();
        // One that is a child after it was opened was it before, too: nobody else has got its number in between.
        let children = self.children();
        opened.into_iter().filter(|worker| children.contains(&worker.process)).collect()
    }

    fn children(&self) -> Vec<i32> {
        let Ok(threads) = std::fs::read_dir(format!("/proc/{}/task", self.child.id())) else { return vec![] };
        let children = threads.flat_map(|thread| std::fs::read_to_string(thread.unwrap().path().join("children")));
        children.flat_map(|text| text.split_whitespace().map(|id| id.parse().unwrap()).collect::<Vec<_>>()).collect()
    }
}

/// A worker of a run. It stays the same process, though its number may become that of another: fixtures start so many threads
/// that all numbers are used up within minutes.
pub struct WorkerHandle {
    pub process: i32,
    handle: OwnedFd,
}

impl WorkerHandle {
    /// None if it is gone.
    fn open(process: i32) -> Option<WorkerHandle> {
        let handle = pidfd_open(Pid::from_raw(process).unwrap(), PidfdFlags::empty()).ok()?;
        Some(WorkerHandle { process, handle })
    }

    /// Sends a signal, and says whether it was still there.
    pub fn signal(&self, signal: Signal) -> bool {
        pidfd_send_signal(&self.handle, signal).is_ok()
    }

    /// Waits until it is gone.
    pub fn await_end(self) {
        let patience = Timespec { tv_sec: 60, tv_nsec: 0 };
        let ended = poll(&mut [PollFd::new(&self.handle, PollFlags::IN)], Some(&patience)).unwrap();
        assert_eq!(ended, 1, "process {} goes on", self.process);
    }
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
