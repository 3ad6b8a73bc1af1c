//! Five hundred jobs, while workers are killed at random and the supervisor twice: the report is that of a run in peace.

use std::path::PathBuf;

use raddle::supervisor::Task;
use rustix::process::Signal;

use crate::support::{Run, WorkerHandle, compile, honest, jdk, job, name, random, task};

const JOBS: usize = 500;
/// After so many jobs the supervisor is killed, in its first and in its second life.
const KILLS: [usize; 2] = [150, 330];
const SEED: u64 = 4;

/// Small tests of many kinds: fields, locks, waits, atomics, collections, threads of their own.
const FIXTURES: [&str; 10] = [
    "fail/Counter",
    "fail/LockOrder",
    "fail/HashMapPut",
    "fail/WaitIf",
    "fail/AtomicInt",
    "pass/TwoLocks",
    "pass/Latch",
    "pass/ThreadJoin",
    "pass/IntArray",
    "pass/Reentrant",
];

fn tasks(sources: &[PathBuf]) -> Vec<Task> {
    let numbered = sources.iter().cycle().take(JOBS).zip(0..);
    numbered.map(|(source, n)| task(format!("{n} {}", name(source)), job(source, random(n, 20)))).collect()
}

/// xorshift, so that the same workers are killed after the same jobs in every run of this test.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

#[test]
fn a_disturbed_run_reports_what_an_undisturbed_one_does() {
    let jdk = jdk();
    let sources = FIXTURES.map(honest);
    let classes = compile(&jdk, &sources);
    let tasks = tasks(&sources);
    let undisturbed = Run::new(&jdk, classes.path(), &tasks);
    undisturbed.finish(&["--jobs", "2"]);
    let disturbed = Run::new(&jdk, classes.path(), &tasks);
    let mut random = Random(SEED);
    let mut killed = 0;
    for (life, kill) in KILLS.into_iter().chain([tasks.len()]).enumerate() {
        let arguments: &[&str] = if life == 0 { &["--jobs", "2"] } else { &["--jobs", "2", "--resume"] };
        let before = if life == 0 { 0 } else { disturbed.outcomes().len() };
        let mut started = disturbed.start(arguments);
        let mut next = 1 + random.below(12);
        let mut done = before;
        while done < kill {
            let line = started.done().expect("it ended early");
            assert_eq!(line.split('/').next(), Some((done + 1).to_string().as_str()), "{line}");
            done += 1;
            if done - before == next {
                next += 1 + random.below(12);
                let workers = started.workers();
                if !workers.is_empty() {
                    // It may have been replaced in between.
                    killed += workers[random.below(workers.len())].signal(Signal::KILL) as usize;
                }
            }
        }
        let workers = started.workers();
        if kill < tasks.len() {
            started.child.kill().unwrap();
        }
        let status = started.child.wait().unwrap();
        assert_eq!(status.success(), kill == tasks.len(), "{status}");
        workers.into_iter().for_each(WorkerHandle::await_end);
    }
    println!("{} jobs, {killed} workers and 2 supervisors killed", tasks.len());
    assert!(killed > 20, "only {killed} workers were killed");
    assert_eq!(disturbed.report(), undisturbed.report());
    // Looking at the journal also checks that nothing is in it twice.
    assert!(disturbed.outcomes() == undisturbed.outcomes(), "the outcomes differ in what the report does not show");
    assert!(disturbed.found() == undisturbed.found(), "something was lost, or found twice");
    disturbed.assert_tidy();
}
