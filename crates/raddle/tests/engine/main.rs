//! The engine on real JVMs: fixtures under random and fixed schedules.

mod accesses;
mod calls;
mod endings;
mod fixtures;
mod handed_over;
mod implement;
mod jdk_classes;
mod kept;
mod left_out;
mod opaque_methods;
mod pools;
mod queries;
mod unseen;
mod values;
mod worker;

use classpath::Jdk;
use fixtures::Fixture;
use host::CallResult;
use raddle::worker::protocol::{Plan, Shown};
use worker::Worker;

/// Every JDK on the machine; the tests need at least one.
fn jdks() -> Vec<Jdk> {
    let mut jdks = Jdk::installed();
    jdks.retain(|jdk| jdk.javac().is_file() && (17..=25).contains(&jdk.feature));
    assert!(!jdks.is_empty(), "these tests need a JDK: install one, or set JAVA_HOME");
    jdks
}

#[test]
fn fail_fixtures_fail_as_expected_and_replay_to_the_same_trace() {
    for jdk in jdks() {
        let fixtures = fixtures::all("fail", &jdk);
        let folder = tempfile::tempdir().unwrap();
        fixtures::compile(&jdk, &fixtures, folder.path());
        let mut worker = Worker::start(&jdk, folder.path(), &[]);
        let mut found = Vec::new();
        for fixture in &fixtures {
            let report = worker.run(&fixture.job(Plan::Random { seed: 0, executions: 2000, exhaust: false }));
            println!("JDK {} {}: {} executions", jdk.version, fixture.name, report.executions);
            assert!(report.failures > 0, "{} never failed\n{}", fixture.name, report.shown.events.join("\n"));
            check_failure(fixture, &report.shown);
            let replay = worker.run(&fixture.replay(&report.shown, 1000));
            assert_eq!((replay.failures, replay.traces), (1000, 1), "{}", fixture.name);
            assert_eq!(
                replay.shown.hash,
                report.shown.hash,
                "{}{}",
                fixture.name,
                difference(&replay.shown, &report.shown)
            );
            found.push(report.shown);
        }
        let mut interpreter = Worker::start(&jdk, folder.path(), &["-Xint"]);
        for (fixture, shown) in fixtures.iter().zip(found) {
            let replay = interpreter.run(&fixture.replay(&shown, 10));
            let difference = difference(&replay.shown, &shown);
            assert_eq!((replay.traces, replay.shown.hash), (1, shown.hash), "{} under -Xint{difference}", fixture.name);
        }
    }
}

#[test]
fn pass_fixtures_never_fail() {
    for jdk in jdks() {
        let fixtures = fixtures::all("pass", &jdk);
        let folder = tempfile::tempdir().unwrap();
        fixtures::compile(&jdk, &fixtures, folder.path());
        let mut worker = Worker::start(&jdk, folder.path(), &[]);
        for fixture in &fixtures {
            let report = worker.run(&fixture.job(Plan::Random { seed: 0, executions: 1000, exhaust: true }));
            println!("JDK {} {}: {} traces", jdk.version, fixture.name, report.traces);
            let failures = (report.failures, report.unstable);
            assert_eq!(failures, (0, 0), "{}: {:#?}", fixture.name, report.shown);
            // Who starts a thread and does nothing but wait for it has only one.
            assert!(report.traces > 1 || fixture.runs_one_method(), "{} has only one trace", fixture.name);
        }
    }
}

/// The failure is the one that the fixture tells of.
fn check_failure(fixture: &Fixture, shown: &Shown) {
    let expect = fixture.expect.as_deref().expect("a fail fixture says what is expected");
    let ending = ending(shown);
    assert!(ending.starts_with(expect), "{} ended with {ending}, not {expect}: {shown:#?}", fixture.name);
}

/// How an execution ended.
fn ending(shown: &Shown) -> &str {
    let thrown = shown.suffixes.iter().flatten().chain(&shown.probes).find_map(|result| match result {
        CallResult::Threw(thrown) => Some(thrown.class.as_str()),
        _ => None,
    });
    let uncaught = shown.uncaught.first().map(|(_, thrown)| thrown.class.as_str());
    shown.stop.as_deref().or(thrown).or(uncaught).unwrap_or("nothing")
}

/// Where two executions begin to differ.
fn difference(one: &Shown, other: &Shown) -> String {
    let same = one.events.iter().zip(&other.events).take_while(|(one, other)| one == other).count();
    let around = |shown: &Shown| shown.events[same.saturating_sub(3)..].iter().take(8).cloned().collect::<Vec<_>>();
    format!(" after {same} events:\n{}\nwas\n{}", around(one).join("\n"), around(other).join("\n"))
}
