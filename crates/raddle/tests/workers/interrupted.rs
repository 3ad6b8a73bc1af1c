//! Runs that are ended early, and runs that are in each other's way.

use std::time::{Duration, Instant};

use raddle::journal::{Entry, Record};
use raddle::supervisor::{Outcome, Task};
use raddle::worker::protocol::Answer;
use raddle::worker::reason::{Reason, Standing};
use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Run, Started, WorkerHandle, compile, honest, jdk, job, random, stderr, task};

/// A job that is done at once, and one that goes on for minutes.
fn tasks() -> Vec<Task> {
    let endless =
        crate::support::fixtures("hostile").into_iter().find(|path| path.ends_with("EndlessWithNothing.java"));
    let endless =
        Task { budget: Some(Duration::from_secs(600)), ..task("endless", job(&endless.unwrap(), random(0, 1))) };
    vec![task("honest", job(&honest("fail/Counter"), random(0, 10))), endless]
}

fn run() -> (tempfile::TempDir, Run) {
    let jdk = jdk();
    let endless =
        crate::support::fixtures("hostile").into_iter().find(|path| path.ends_with("EndlessWithNothing.java"));
    let classes = compile(&jdk, &[honest("fail/Counter"), endless.unwrap()]);
    let run = Run::new(&jdk, classes.path(), &tasks());
    (classes, run)
}

/// Starts a run and waits until the one job is done.
fn start(run: &Run) -> Started {
    let mut started = run.start(&["--jobs", "1"]);
    assert_eq!(started.done().as_deref(), Some("1/2 honest"));
    started
}

#[test]
fn a_signal_ends_a_run_and_leaves_nothing_behind() {
    for signal in [Signal::INT, Signal::TERM] {
        let (_classes, run) = run();
        let mut started = start(&run);
        let workers = started.workers();
        assert_eq!(workers.len(), 1);
        let begin = Instant::now();
        kill_process(Pid::from_child(&started.child), signal).unwrap();
        let line = started.line().unwrap();
        assert!(line.contains("1 of 2 jobs") && line.contains("--resume"), "{line}");
        assert_eq!(started.line(), None);
        assert_eq!(started.child.wait().unwrap().code(), Some(2));
        println!("{signal:?}: ended after {} ms", begin.elapsed().as_millis());
        workers.into_iter().for_each(WorkerHandle::await_end);
        run.assert_tidy();
        assert!(run.report().contains("honest: done, ") && run.report().contains("endless: not done"));
        assert_eq!(run.outcomes().len(), 1);
    }
}

#[test]
fn two_runs_in_the_same_folder_exclude_each_other() {
    let (_classes, run) = run();
    let mut started = start(&run);
    let second = run.command(&["--resume"]).output().unwrap();
    let told = stderr(&second);
    assert_eq!((second.status.code(), told.lines().count()), (Some(2), 1), "{told}");
    assert!(told.contains("another run is using"), "{told}");
    assert!(run.out().join("workers").exists(), "the second must not touch what is the first's");
    kill_process(Pid::from_child(&started.child), Signal::TERM).unwrap();
    assert_eq!(started.child.wait().unwrap().code(), Some(2));
}

#[test]
fn a_killed_supervisor_takes_its_workers_along_and_the_next_run_tidies_up() {
    let (_classes, run) = run();
    let mut started = start(&run);
    let workers = started.workers();
    started.child.kill().unwrap();
    started.child.wait().unwrap();
    workers.into_iter().for_each(WorkerHandle::await_end);
    assert!(run.out().join("workers").exists());
    // The endless job is begun anew, and the other one is not.
    let mut resumed = run.start(&["--jobs", "1", "--resume", "--budget", "1"]);
    while resumed.workers().is_empty() {
        std::thread::yield_now();
    }
    kill_process(Pid::from_child(&resumed.child), Signal::INT).unwrap();
    assert!(resumed.line().unwrap().contains("1 of 2 jobs"));
    assert_eq!(resumed.child.wait().unwrap().code(), Some(2));
    run.assert_tidy();
}

#[test]
fn jobs_are_done_again_when_class_files_have_changed() {
    let jdk = jdk();
    let classes = compile(&jdk, &[honest("fail/Counter")]);
    let tasks = [task("counter", job(&honest("fail/Counter"), random(0, 20)))];
    let run = Run::new(&jdk, classes.path(), &tasks);
    run.finish(&["--jobs", "1"]);
    let failures = |record: &Record| match &record.entry {
        Entry::Finished(Outcome { answer: Answer::Done(report), .. }) => Some(report.failures),
        _ => None,
    };
    let again = || stderr(&run.command(&["--jobs", "1", "--resume"]).output().unwrap());
    assert_eq!(again(), "", "nothing has changed");
    // The corrected class has the name of the one that fails.
    let text = std::fs::read_to_string(honest("fail/Counter")).unwrap();
    let corrected = tempfile::tempdir().unwrap();
    let source = corrected.path().join("Counter.java");
    std::fs::write(&source, text.replace("public void ", "public synchronized void ")).unwrap();
    let corrected = compile(&jdk, &[source]);
    std::fs::copy(corrected.path().join("Counter.class"), classes.path().join("Counter.class")).unwrap();
    let told = again();
    assert!(told.starts_with("1 jobs are done again: class files, "), "{told}");
    let records = raddle::journal::read(&run.out()).unwrap();
    let failures: Vec<_> = records.iter().filter_map(failures).collect();
    assert!(failures.len() == 2 && failures[0] > 0 && failures[1] == 0, "{failures:?}");
    assert!(run.report().contains(" 0 failures"), "{}", run.report());
}

#[test]
fn a_worker_that_does_not_even_answer_is_ended() {
    let (_classes, run) = run();
    let mut tasks = tasks();
    // Long enough for the worker to be stopped before it can answer, also where much else goes on.
    tasks[1].budget = Some(Duration::from_secs(10));
    run.write(&tasks);
    let mut started = start(&run);
    let worker = started.workers().remove(0);
    // Not killed: it is there, and does nothing.
    assert!(worker.signal(Signal::STOP));
    assert_eq!(started.done().as_deref(), Some("2/2 endless"));
    assert!(started.child.wait().unwrap().success());
    worker.await_end();
    let expected = Reason::TimedOut { millis: 10_000, standing: Standing::Unknown };
    assert_eq!(run.outcomes()["endless"].answer, Answer::Unknown(expected));
}

#[test]
fn mistakes_are_told_in_one_line() {
    let jdk = jdk();
    let classes = tempfile::tempdir().unwrap();
    let twice =
        [task("a", job(&honest("fail/Counter"), random(0, 1))), task("a", job(&honest("fail/Counter"), random(0, 1)))];
    let cases = [
        (Run::new(&jdk, classes.path(), &[]), vec![], "there are no jobs"),
        (Run::new(&jdk, classes.path(), &twice), vec![], "there are two jobs"),
        (Run::new(&jdk, classes.path(), &tasks()), vec!["--jobs", "0"], "at least 1"),
    ];
    for (run, arguments, expected) in cases {
        let output = run.command(&arguments).output().unwrap();
        let told = stderr(&output);
        assert_eq!((output.status.code(), told.lines().count()), (Some(2), 1), "{told}");
        assert!(told.contains(expected), "{told}");
    }
}
