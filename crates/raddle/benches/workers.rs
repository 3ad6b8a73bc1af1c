//! What fence and supervision cost, in one run.
//!
//!     cargo bench -p raddle --bench workers
//!
//! The same job of many executions, over and over: in a worker that is spoken to directly, as the engine's benchmark does
//! it; in a pool of one worker without a fence; and in one with it, its outcome written to a journal. All are pinned to one
//! core, or the kernel's choice of cores would decide. The three take turns, because the speed of a machine changes within
//! minutes, and what is compared is the ratio within a round. Then how long it takes until a pool is warm, and what a worker
//! has of memory.

#[path = "../tests/engine/worker.rs"]
mod worker;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use classpath::Jdk;
use raddle::journal::Journal;
use raddle::supervisor::{Event, Outcome, Pool, PoolSettings, PrivateFolders, Task, WorkerProcess};
use raddle::worker::protocol::{Answer, Job, Plan};
use rustix::thread::{CpuSet, sched_setaffinity};
use testcase::{Argument, Call, Operation, TestCase};
use worker::Worker;

/// How the runs of the benchmark are cut.
struct Plans {
    rounds: u64,
    executions: u64,
    starts: usize,
}

fn main() {
    // `cargo test` runs this too; then once is enough.
    let quick = std::env::args().any(|argument| argument == "--test");
    let plans = match quick {
        true => Plans { rounds: 1, executions: 10, starts: 1 },
        false => Plans { rounds: 40, executions: 10_000, starts: 5 },
    };
    for jdk in Jdk::installed().into_iter().filter(|jdk| jdk.javac().is_file()) {
        start(&jdk, &plans);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut first = CpuSet::new();
                first.set(0);
                // For this thread, and for all threads and processes that it starts.
                sched_setaffinity(None, &first).unwrap();
                compare(&jdk, &plans);
            });
        });
    }
}

/// Executions a second, three ways.
fn compare(jdk: &Jdk, plans: &Plans) {
    let folder = tempfile::tempdir().unwrap();
    let mut alone = Worker::start(jdk, folder.path(), &["-Xmx512m"]);
    let mut open = pool(jdk, &folder.path().join("open"), false, 1);
    let mut fenced = pool(jdk, &folder.path().join("fenced"), true, 1);
    let mut journal = Journal::open(&folder.path().join("fenced"), "bench", false).unwrap();
    let mut rounds = Vec::new();
    for round in 0..plans.rounds {
        let task = |way: &str| Task { key: format!("{way} {round}"), job: job(plans.executions), budget: None };
        let took = [
            time(|| assert_eq!(alone.run(&job(plans.executions)).executions, plans.executions)),
            time(|| drop(run(&mut open, task("open"), plans))),
            time(|| {
                let (task, outcome) = run(&mut fenced, task("fenced"), plans);
                journal.finish(&task, outcome).unwrap();
            }),
        ];
        rounds.push(took.map(|took| took.as_secs_f64()));
    }
    // The first rounds warm up.
    let rounds = &rounds[rounds.len() / 4..];
    let rate = plans.executions as f64 / median(rounds.iter().map(|round| round[0]));
    println!("JDK {}: {rate:.0} executions a second in a worker alone", jdk.version);
    for (way, how) in [(1, "supervised"), (2, "supervised, fenced and journaled")] {
        let more = |round: &[f64; 3]| 100.0 * (round[way] / round[0] - 1.0);
        let [low, middle, high] = quartiles(rounds.iter().map(more));
        println!("JDK {}: {middle:+.1} % time {how} (quartiles {low:+.1} and {high:+.1} %)", jdk.version);
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    quartiles(values)[1]
}

fn quartiles(values: impl Iterator<Item = f64>) -> [f64; 3] {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    [1, 2, 3].map(|quarter| values[(values.len() - 1) * quarter / 4])
}

/// From nothing to the first outcome of each worker, and what one has of memory.
fn start(jdk: &Jdk, plans: &Plans) {
    let folder = tempfile::tempdir().unwrap();
    for (fence, workers) in [(false, 1), (true, 1), (true, 2)] {
        let started = || {
            let mut pool = pool(jdk, &folder.path().join("start"), fence, workers);
            (0..workers).for_each(|n| pool.submit(Task { key: n.to_string(), job: job(1), budget: None }));
            while let Some(done) = pool.next() {
                done.unwrap();
            }
        };
        let seconds = median((0..plans.starts).map(|_| time(started).as_secs_f64()));
        let how = if fence { "fenced" } else { "open" };
        println!("JDK {}: {workers} {how} workers warm and one execution done after {seconds:.2} s", jdk.version);
    }
    let folders = PrivateFolders::new(&folder.path().join("memory")).unwrap();
    let worker = WorkerProcess::start(&settings(jdk, true, 1), &folders, drop).unwrap();
    println!("JDK {}: {} MB of resident memory a worker", jdk.version, worker.memory().unwrap() >> 20);
}

fn time(body: impl FnOnce()) -> Duration {
    let start = Instant::now();
    body();
    start.elapsed()
}

fn settings(jdk: &Jdk, fence: bool, workers: usize) -> PoolSettings {
    let program = env!("CARGO_BIN_EXE_raddle").into();
    let mut settings = PoolSettings::new(program, jdk.home.clone(), String::new());
    (settings.fence, settings.workers, settings.budget) = (fence, workers, Duration::from_secs(600));
    settings
}

fn pool(jdk: &Jdk, folder: &Path, fence: bool, workers: usize) -> Pool {
    Pool::start(settings(jdk, fence, workers), PrivateFolders::new(&folder.join("workers")).unwrap()).unwrap()
}

fn run(pool: &mut Pool, task: Task, plans: &Plans) -> (Arc<Task>, Outcome) {
    pool.submit(task);
    let (task, outcome) = loop {
        if let Event::Done(task, outcome) = pool.next().unwrap().unwrap() {
            break (task, outcome);
        }
    };
    assert!(
        matches!(&outcome.answer, Answer::Done(report) if report.executions == plans.executions),
        "{:?}",
        outcome.answer
    );
    (task, outcome)
}

/// Two threads call `add` on one `Vector` each.
fn job(executions: u64) -> Job {
    let vector = "java/util/Vector".to_owned();
    let add = |value: &str| Call {
        operation: Operation::Virtual {
            class: vector.clone(),
            name: "add".into(),
            descriptor: "(Ljava/lang/Object;)Z".into(),
            receiver: Argument::Value(0),
        },
        arguments: vec![Argument::String(value.into())],
    };
    let construct = Operation::Construct { class: vector.clone(), descriptor: "()V".into() };
    let test = TestCase {
        prefix: vec![Call { operation: construct, arguments: vec![] }],
        suffixes: vec![vec![add("a")], vec![add("b")]],
        probes: vec![],
    };
    let plan = Plan::Random { seed: 0, executions, exhaust: true };
    Job { test, under_test: vec![vector.clone()], plan, limits: host::Limits::default() }
}
