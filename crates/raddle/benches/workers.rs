//! What fence and supervision cost, in one run.
//!
//!     cargo bench -p raddle --bench workers
//!
//! The same job of many executions, over and over: in a worker that is spoken to directly, as the engine's benchmark does
//! it; in a pool of one worker without a fence; and in one with it, what comes of it written to a journal. All three have the
//! same options of the virtual machine, and are pinned to one core, or the kernel's choice of cores would decide.
//!
//! The three take turns in short rounds, because the speed of a machine changes within seconds. Compared is processor time
//! (of worker and supervisor together) besides the time on the clock, because other work on the machine adds less to it; and
//! the fastest round of each way, because other work can only make a round slower. One virtual machine compiles code
//! otherwise than the next and keeps that for life, so more rounds in the same workers would say the same again. So there
//! are many generations of workers, each gives one ratio, and the bounds are those of the median over the generations.
//!
//! Then how long it takes until a pool is warm, what a worker has of memory, and what the filter adds to one system call.

#[path = "shared/estimate.rs"]
mod estimate;
#[path = "shared/processor.rs"]
mod processor;
#[path = "shared/vector.rs"]
mod vector;
#[path = "../tests/engine/worker.rs"]
mod worker;

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use classpath::Jdk;
use estimate::estimate;
use raddle::fence::{Extent, Fence};
use raddle::journal::Journal;
use raddle::supervisor::{Event, Outcome, Pool, PoolSettings, PrivateFolders, Task, WorkerProcess};
use raddle::worker::protocol::{Answer, News};
use rustix::thread::{CpuSet, sched_setaffinity};
use vector::job;
use worker::Worker;

/// How the runs of the benchmark are cut.
struct Plans {
    generations: usize,
    /// Executions before the rounds of a generation.
    warm_up: u64,
    rounds: usize,
    executions: u64,
    starts: usize,
    calls: u32,
}

fn main() {
    // `cargo test` runs this too; then once is enough.
    let quick = !std::env::args().any(|argument| argument == "--bench");
    let plans = match quick {
        true => Plans { generations: 1, warm_up: 1, rounds: 1, executions: 10, starts: 1, calls: 10 },
        false => Plans { generations: 30, warm_up: 30_000, rounds: 12, executions: 5_000, starts: 5, calls: 20_000 },
    };
    for jdk in Jdk::installed().into_iter().filter(|jdk| jdk.javac().is_file()) {
        start(&jdk, &plans);
        pinned(|| compare(&jdk, &plans));
    }
    // The limits of the fence are those of a process, and nothing is measured after this.
    pinned(|| system_call(&plans));
}

/// Runs this on the first core, with all threads and processes that it starts.
fn pinned(body: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut first = CpuSet::new();
            first.set(0);
            sched_setaffinity(None, &first).unwrap();
            body();
        });
    });
}

/// Time on the clock and processor time, in seconds.
type Took = (f64, Option<f64>);

/// The same job, three ways.
fn compare(jdk: &Jdk, plans: &Plans) {
    let ways = ["supervised", "supervised, fenced and journaled"];
    let generations: Vec<_> = (0..plans.generations).map(|number| generation(jdk, plans, number)).collect();
    let rates = generations.iter().flatten().map(|round| plans.executions as f64 / round[0].0);
    let rates = estimate(rates).middle;
    println!("JDK {}: {rates:.0} executions a second in a worker alone", jdk.version);
    for (how, way) in ways.iter().zip(1..) {
        let more = |pick: &dyn Fn(&Took) -> Option<f64>| {
            let fastest = |rounds: &[[Took; 3]], way: usize| {
                rounds.iter().filter_map(|round| pick(&round[way])).min_by(f64::total_cmp)
            };
            let of_generation =
                |rounds: &Vec<[Took; 3]>| Some(100.0 * (fastest(rounds, way)? / fastest(rounds, 0)? - 1.0));
            estimate(generations.iter().filter_map(of_generation))
        };
        println!("JDK {}: {how}: {} of processor time", jdk.version, more(&|took| took.1));
        println!("JDK {}: {how}: {} of time on the clock", jdk.version, more(&|took| Some(took.0)));
    }
}

/// Three new workers, and some rounds in them.
fn generation(jdk: &Jdk, plans: &Plans, number: usize) -> Vec<[Took; 3]> {
    let folder = tempfile::tempdir().unwrap();
    let options = settings(jdk, false, 1).options(folder.path());
    let options: Vec<_> = options.iter().map(|option| &**option).collect();
    let task = |way: &str, executions| Task {
        key: way.to_owned(),
        job: job(executions),
        budget: None,
        until: None,
        fresh: false,
    };
    let mut alone = Worker::start(jdk, folder.path(), &options);
    alone.run(&job(plans.warm_up));
    let mut known = vec![];
    let alone_process = new_child(&mut known);
    let mut open = pool(jdk, &folder.path().join("open"), false, 1);
    run(&mut open, task("warm", plans.warm_up), None);
    let open_process = new_child(&mut known);
    let mut fenced = pool(jdk, &folder.path().join("fenced"), true, 1);
    run(&mut fenced, task("warm", plans.warm_up), None);
    let fenced_process = new_child(&mut known);
    let mut journal = Journal::open(&folder.path().join("fenced"), "bench", false).unwrap();
    let mut round = |number: usize| {
        let mut took = [(0.0, None); 3];
        for turn in 0..3 {
            // None is always first.
            let way = (turn + number) % 3;
            took[way] = match way {
                0 => measure(alone_process, || drop(alone.run(&job(plans.executions)))),
                1 => measure(open_process, || drop(run(&mut open, task("open", plans.executions), None))),
                _ => measure(fenced_process, || {
                    let key = format!("fenced {number}");
                    let (task, outcome) = run(&mut fenced, task(&key, plans.executions), Some(&mut journal));
                    journal.finish(&task, outcome).unwrap();
                }),
            };
        }
        took
    };
    (0..plans.rounds).map(|round_number| round(number + round_number)).collect()
}

/// The time that something takes, with the processor time of a process and this one.
fn measure(process: u32, body: impl FnOnce()) -> Took {
    let own = std::process::id();
    let (start, before) = (Instant::now(), [processor::used(own), processor::used(process)]);
    body();
    let (clock, after) = (start.elapsed(), [processor::used(own), processor::used(process)]);
    let used: Option<u64> = after.iter().zip(&before).map(|(after, before)| after.since(before)).sum();
    (clock.as_secs_f64(), used.map(|used| used as f64 / 1e9))
}

/// The child of this process that is not known yet.
fn new_child(known: &mut Vec<u32>) -> u32 {
    let threads = std::fs::read_dir("/proc/self/task").unwrap();
    let children = threads.flat_map(|thread| std::fs::read_to_string(thread.unwrap().path().join("children")));
    let text: String = children.collect::<Vec<_>>().join(" ");
    let mut numbers = text.split_whitespace().map(|number| number.parse().unwrap());
    let child = numbers.find(|number| !known.contains(number)).expect("a worker was just started");
    known.push(child);
    child
}

/// From nothing to the first outcome of each worker, and what one has of memory.
fn start(jdk: &Jdk, plans: &Plans) {
    let folder = tempfile::tempdir().unwrap();
    for (fence, workers) in [(false, 1), (true, 1), (true, 2)] {
        let started = || {
            let mut pool = pool(jdk, &folder.path().join("start"), fence, workers);
            (0..workers).for_each(|n| {
                pool.submit(Task { key: n.to_string(), job: job(1), budget: None, until: None, fresh: false })
            });
            while let Some(done) = pool.next() {
                done.unwrap();
            }
        };
        let seconds = estimate((0..plans.starts).map(|_| time(started).as_secs_f64())).middle;
        let how = if fence { "fenced" } else { "open" };
        println!("JDK {}: {workers} {how} workers warm and one execution done after {seconds:.2} s", jdk.version);
    }
    let folders = PrivateFolders::new(&folder.path().join("memory")).unwrap();
    let worker = WorkerProcess::start(&settings(jdk, true, 1), &folders, drop).unwrap();
    println!("JDK {}: {} MB of resident memory a worker", jdk.version, worker.memory().unwrap() >> 20);
}

/// What the fence adds to a system call that it lets pass whatever the arguments are, such as a futex.
fn system_call(plans: &Plans) {
    let folder = tempfile::tempdir().unwrap();
    let fence = Fence {
        private: folder.path().into(),
        readable: vec![],
        memory: 4 << 30,
        file_size: 64 << 20,
        extent: Extent::Whole,
    };
    let mut open = Caller::start(None, plans.calls);
    let mut fenced = Caller::start(Some(fence), plans.calls);
    // Each turn is shorter than what the kernel gives a thread at once, so some of them are not interrupted.
    for _ in 0..10 * plans.generations {
        open.call();
        fenced.call();
    }
    let nanos = |caller: &Caller| 1e9 * caller.fastest.as_secs_f64() / plans.calls as f64;
    println!("a system call: {:.1} ns open, {:.1} ns fenced", nanos(&open), nanos(&fenced));
}

/// A thread that makes so many system calls whenever it is told to, and says how long they took.
struct Caller {
    turns: Sender<()>,
    took: Receiver<Duration>,
    fastest: Duration,
}

impl Caller {
    fn start(fence: Option<Fence>, calls: u32) -> Caller {
        let ((turns, wait), (say, took)) = (channel(), channel());
        std::thread::spawn(move || {
            fence.iter().for_each(|fence| fence.enter().unwrap());
            while wait.recv().is_ok() {
                let call = |_| std::hint::black_box(rustix::process::getppid());
                say.send(time(|| assert_eq!((0..calls).filter_map(call).count(), calls as usize))).unwrap();
            }
        });
        Caller { turns, took, fastest: Duration::MAX }
    }

    fn call(&mut self) {
        self.turns.send(()).unwrap();
        self.fastest = self.fastest.min(self.took.recv().unwrap());
    }
}

fn time(body: impl FnOnce()) -> Duration {
    let start = Instant::now();
    body();
    start.elapsed()
}

fn settings(jdk: &Jdk, fence: bool, workers: usize) -> PoolSettings {
    let program = env!("CARGO_BIN_EXE_raddle").into();
    let mut settings = PoolSettings::new(program, jdk.home.clone(), String::new());
    settings.fence = fence.then_some(Extent::Whole);
    (settings.workers, settings.budget) = (workers, Duration::from_secs(600));
    settings
}

fn pool(jdk: &Jdk, folder: &Path, fence: bool, workers: usize) -> Pool {
    Pool::start(settings(jdk, fence, workers), PrivateFolders::new(&folder.join("workers")).unwrap()).unwrap()
}

/// Has a pool do a task, as a campaign does.
fn run(pool: &mut Pool, task: Task, mut journal: Option<&mut Journal>) -> (Arc<Task>, Outcome) {
    pool.submit(task);
    loop {
        match pool.next().unwrap().unwrap() {
            Event::Done(task, outcome) => {
                assert!(matches!(outcome.answer, Answer::Done(_)), "{:?}", outcome.answer);
                return (task, outcome);
            }
            Event::News(task, News::Found(finding)) => {
                if let Some(journal) = &mut journal {
                    journal.find(&task, &finding).unwrap();
                }
            }
            Event::News(..) => {}
        }
    }
}
