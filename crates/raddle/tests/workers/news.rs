//! What a job says while it goes on: how far it is, and what it has found, which outlives it.

use std::path::Path;

use raddle::supervisor::{Event, Pool, PoolSettings, PrivateFolders};
use raddle::worker::protocol::{Answer, Explore, Explorer, FailureKind, News, Plan};
use raddle::worker::reason::Reason;
use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Run, WorkerHandle, compile, fixtures, honest, jdk, job, name, random, task};

/// A job that finds a failure and then goes on for as long as it may.
fn fails_then_hangs() -> (Run, tempfile::TempDir) {
    let jdk = jdk();
    let source = fixtures("hostile").into_iter().find(|source| name(source) == "FailsThenHangs").unwrap();
    let classes = compile(&jdk, std::slice::from_ref(&source));
    (Run::new(&jdk, classes.path(), &[task("hangs", job(&source, random(0, 3)))]), classes)
}

#[test]
fn what_was_found_outlives_the_supervisor_and_is_not_found_twice() {
    let (run, _classes) = fails_then_hangs();
    let mut started = run.start(&["--jobs", "1", "--budget", "600"]);
    assert!(started.line().unwrap().starts_with("found in hangs: "));
    let workers = started.workers();
    started.child.kill().unwrap();
    started.child.wait().unwrap();
    workers.into_iter().for_each(WorkerHandle::await_end);
    let found = run.found();
    assert_eq!((found["hangs"].len(), run.outcomes().len()), (1, 0));
    // The budget belongs to the run and not to the job, so it is the same job.
    run.finish(&["--jobs", "1", "--budget", "2", "--resume"]);
    assert_eq!(run.found(), found);
    let outcome = &run.outcomes()["hangs"];
    assert!(matches!(outcome.answer, Answer::Unknown(Reason::TimedOut { .. })), "{:?}", outcome.answer);
    assert_eq!(run.report().matches("found before that").count(), 1, "{}", run.report());
}

#[test]
fn a_job_whose_workers_are_killed_again_and_again_is_given_up_and_what_it_found_is_not() {
    let (run, _classes) = fails_then_hangs();
    let mut started = run.start(&["--jobs", "1", "--budget", "600"]);
    for _ in 0..5 {
        // The job says by a file in its folder that it hangs, so none is killed before it has begun.
        let hangs =
            |worker: &WorkerHandle| std::fs::exists(format!("/proc/{}/cwd/hangs", worker.process)).unwrap_or(false);
        let worker = loop {
            if let Some(worker) = started.workers().into_iter().find(hangs) {
                break worker;
            }
            std::thread::yield_now();
        };
        assert!(worker.signal(Signal::KILL));
        worker.await_end();
    }
    assert_eq!(started.done().as_deref(), Some("1/1 hangs"));
    assert!(started.child.wait().unwrap().success());
    let killed = Reason::Killed { signal: Signal::KILL.as_raw(), times: 5 };
    assert_eq!(run.outcomes()["hangs"].answer, Answer::Unknown(killed));
    assert_eq!(run.found()["hangs"].len(), 1);
    let report = run.report();
    assert!(report.starts_with("hangs: unknown: the worker was killed from outside, 5 times (signal 9)\n"), "{report}");
    run.assert_tidy();
}

#[test]
fn a_run_that_is_stopped_reports_what_unfinished_jobs_have_found() {
    let (run, _classes) = fails_then_hangs();
    let mut started = run.start(&["--jobs", "1", "--budget", "600"]);
    assert!(started.line().unwrap().starts_with("found in hangs: "));
    kill_process(Pid::from_child(&started.child), Signal::INT).unwrap();
    assert_eq!(started.child.wait().unwrap().code(), Some(2));
    let report = run.report();
    assert!(report.starts_with("hangs: not done\n    found before that: java.lang."), "{report}");
}

/// A pool of one worker for the classes in a folder.
fn pool(classes: &Path, folder: &Path) -> Pool {
    let class_path = classes.to_str().unwrap().to_owned();
    let mut settings = PoolSettings::new(env!("CARGO_BIN_EXE_raddle").into(), jdk().home, class_path);
    (settings.workers, settings.attempts) = (1, 1);
    Pool::start(settings, PrivateFolders::new(folder).unwrap()).unwrap()
}

#[test]
fn a_job_tells_how_far_it_is() {
    let source = honest("pass/TwoLocks");
    let classes = compile(&jdk(), std::slice::from_ref(&source));
    let folder = tempfile::tempdir().unwrap();
    let mut pool = pool(classes.path(), folder.path());
    // It has no end, so it does not matter how fast this machine is.
    pool.submit(task("long", job(&source, random(0, u64::MAX))));
    let mut told = Vec::new();
    while told.len() < 3 {
        match pool.next().unwrap().unwrap() {
            Event::News(task, News::Progress(progress)) => {
                assert_eq!(task.key, "long");
                told.push(progress);
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(told[0].executions > 0 && told[0].traces > 0, "{told:?}");
    assert!(told.is_sorted_by_key(|progress| (progress.executions, progress.traces)), "{told:?}");
    assert!(told.iter().all(|progress| progress.traces <= progress.executions), "{told:?}");
    pool.stopper().stop();
    while let Some(event) = pool.next() {
        assert!(matches!(event, Ok(Event::News(..))), "{event:?}");
    }
}

#[test]
fn what_an_exploration_finds_is_told_when_it_is_found_and_again_when_it_is_explained() {
    let source = honest("fail/LockOrder");
    let classes = compile(&jdk(), std::slice::from_ref(&source));
    let folder = tempfile::tempdir().unwrap();
    let mut pool = pool(classes.path(), folder.path());
    let plan = Explore {
        explorer: Explorer::Auto,
        seed: 1,
        executions: 1_000,
        events: None,
        millis: None,
        first: false,
        explain_millis: 60_000,
        must_end: false,
        may_lengthen: false,
        events_alone: None,
    };
    pool.submit(task("explored", job(&source, Plan::Explore(plan))));
    let (mut told, mut report) = (Vec::new(), None);
    while let Some(event) = pool.next() {
        match event.unwrap() {
            Event::News(_, News::Found(finding)) => told.push(*finding),
            Event::News(..) => {}
            Event::Done(_, outcome) => report = Some(outcome.answer),
        }
    }
    let Some(Answer::Done(report)) = report else { panic!("{report:?}") };
    let findings = report.explored.unwrap().findings;
    let (found, explained): (Vec<_>, Vec<_>) = told.into_iter().partition(|finding| finding.as_found);
    assert_eq!(explained, findings, "each is told as it is known in the end");
    assert_eq!(found.len(), findings.len());
    for (found, explained) in found.iter().zip(&explained) {
        assert_eq!((&found.failure, found.executions_to_find), (&explained.failure, explained.executions_to_find));
        assert_eq!(found.failure.kind, FailureKind::Deadlock);
        assert!(!found.shown.steps.is_empty(), "the execution is told in full when it is found");
    }
}

#[test]
fn workers_outlive_the_thread_that_has_started_their_pool() {
    let source = honest("pass/TwoLocks");
    let classes = compile(&jdk(), std::slice::from_ref(&source));
    let folder = tempfile::tempdir().unwrap();
    // The kernel ends a worker with the thread that started it, which is not this one.
    let mut pool = std::thread::scope(|scope| scope.spawn(|| pool(classes.path(), folder.path())).join().unwrap());
    // The pool has one attempt at each, so a worker that is gone would be noticed.
    for key in ["first", "second"] {
        pool.submit(task(key, job(&source, random(0, 10))));
        let done = std::iter::from_fn(|| pool.next()).find_map(|event| match event.unwrap() {
            Event::Done(task, outcome) => Some((task.key.clone(), outcome.answer)),
            Event::News(..) => None,
        });
        assert!(matches!(&done, Some((done, Answer::Done(_))) if done == key), "{done:?}");
    }
}
