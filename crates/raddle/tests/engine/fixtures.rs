//! Fixtures: Java sources with their expectation in a header comment.

use classpath::Jdk;
use host::Limits;
use raddle::worker::protocol::{Job, Plan, Shown};
use std::path::{Path, PathBuf};
use std::process::Command;
use testcase::{Argument, Call, Operation, TestCase};

/// A fixture. Its class has a constructor without parameters, methods `one`, `two` and maybe `three`, which
/// run in a thread each, and maybe `check`, which runs afterwards.
#[derive(Debug, Clone)]
pub struct Fixture {
    pub name: String,
    pub source: PathBuf,
    #[allow(dead_code)] // Not for the benchmark.
    /// The exception or ending of its failing executions; None if it has none.
    pub expect: Option<String>,
    #[allow(dead_code)] // Only for what explores.
    /// Why not every trace of it can be told to have been run; None if it can.
    pub uncertified: Option<String>,
    /// The oldest Java that can run it.
    since: u32,
    limits: Limits,
    methods: Vec<String>,
}

/// The fixtures of a folder below `fixtures/` that a JDK can run. `RADDLE_FIXTURES` names another place to
/// look, for whoever writes new ones.
pub fn all(folder: &str, jdk: &Jdk) -> Vec<Fixture> {
    let usual = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let folder = std::env::var_os("RADDLE_FIXTURES").map_or_else(usual, PathBuf::from).join(folder);
    let mut fixtures: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| read(&entry.unwrap().path())).collect();
    fixtures.retain(|fixture| fixture.since <= jdk.feature);
    fixtures.sort_by(|a, b| a.name.cmp(&b.name));
    fixtures
}

fn read(source: &Path) -> Fixture {
    let text = std::fs::read_to_string(source).unwrap();
    let header = |key: &str| {
        let prefix = format!("// {key}: ");
        text.lines().find_map(|line| line.strip_prefix(&prefix).map(str::to_owned))
    };
    let methods = ["one", "two", "three", "check"].iter().filter(|name| text.contains(&format!("void {name}()")));
    Fixture {
        name: source.file_stem().unwrap().to_str().unwrap().to_owned(),
        source: source.to_owned(),
        expect: header("expect"),
        uncertified: header("uncertified"),
        limits: Limits {
            max_events: header("max events").map_or(20_000, |number| number.parse().unwrap()),
            spurious_wakeups: header("spurious wake-ups").map_or(0, |number| number.parse().unwrap()),
            early_timeouts: header("early timeouts").is_some(),
            early_of_started: 0,
            max_frames: None,
            watched: false,
            mirrored: false,
        },
        since: header("since").map_or(0, |since| since.parse().unwrap()),
        methods: methods.map(|name| name.to_string()).collect(),
    }
}

/// Compiles fixtures into a folder.
pub fn compile(jdk: &Jdk, fixtures: &[Fixture], folder: &Path) {
    if fixtures.is_empty() {
        return;
    }
    let sources = fixtures.iter().map(|fixture| &fixture.source);
    let output = Command::new(jdk.javac()).args(["-g", "-nowarn", "-d"]).arg(folder).args(sources).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

impl Fixture {
    #[allow(dead_code)] // Not for the benchmark.
    /// Whether all threads but one are those that it starts itself.
    pub fn runs_one_method(&self) -> bool {
        !self.methods.iter().any(|method| method == "two")
    }

    #[allow(dead_code)] // Not for the benchmark.
    /// Follows the schedule of an execution so many times.
    pub fn replay(&self, shown: &Shown, times: u64) -> Job {
        let (turns, timeouts) = (shown.turns.clone(), shown.timeouts.clone());
        let mut job = self.job(Plan::Replay { turns, timeouts, times, must_end: false });
        job.limits.watched = shown.watched;
        job
    }

    pub fn job(&self, plan: Plan) -> Job {
        let call = |name: &String| Call {
            operation: Operation::Virtual {
                class: self.name.clone(),
                name: name.clone(),
                descriptor: "()V".into(),
                receiver: Argument::Value(0),
            },
            arguments: vec![],
        };
        let construct = Operation::Construct { class: self.name.clone(), descriptor: "()V".into() };
        let (checks, threads): (Vec<_>, Vec<_>) = self.methods.iter().partition(|name| *name == "check");
        let test = TestCase {
            prefix: vec![Call { operation: construct, arguments: vec![] }],
            suffixes: threads.into_iter().map(|name| vec![call(name)]).collect(),
            probes: checks.into_iter().map(call).collect(),
        };
        Job { test, under_test: vec![self.name.clone()], plan, limits: self.limits, opened: vec![] }
    }
}
