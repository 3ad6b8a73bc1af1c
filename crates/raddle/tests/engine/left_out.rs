//! Every hook is needed: with any one left out, a fixture is not what it should be.

use crate::fixtures::{self, Fixture};
use crate::worker::Worker;
use crate::{ending, jdks};
use classpath::Jdk;
use raddle::worker::protocol::{Job, Plan, Report};
use std::path::Path;

/// For each hook, the folder and name of a fixture that notices when it does nothing.
const NOTICED_BY: &[(&str, &str, &str)] = &[
    ("parts", "fail", "ThreadPriority"),
    ("state", "fail", "ThreadState"),
    ("access", "fail", "Counter"),
    ("element", "fail", "IntArray"),
    ("statics", "fail", "StaticCounter"),
    ("enter", "fail", "LockLocals"),
    ("exit", "pass", "SynchronizedMethod"),
    ("initialises", "pass", "LateClass"),
    ("caught", "pass", "CatchAll"),
    ("raw", "fail", "UnsafeField"),
    ("waits", "pass", "NotifyOne"),
    ("notifies", "fail", "NotifyChoice"),
    ("notifiesAll", "pass", "NotifyOne"),
    ("parks", "pass", "ParkUnpark"),
    ("unparks", "pass", "ParkUnpark"),
    ("sleeps", "pass", "SleepClock"),
    ("sleepsNanos", "pass", "SleepClock"),
    ("uncaught", "fail", "UncaughtThrow"),
    ("initialized", "pass", "StaticState"),
    ("copies", "fail", "ArrayCopy"),
    ("clones", "fail", "ArrayClone"),
    ("touches", "fail", "StringOfChars"),
    ("looks", "fail", "InterruptLook"),
    ("looksOwn", "fail", "OwnInterruptLook"),
    ("hash", "fail", "IdentitySlot"),
    ("clock", "fail", "ClockSlot"),
    ("randoms", "fail", "RandomNames"),
    ("alive", "fail", "AliveOnly"),
    ("starting", "fail", "ThreadPair"),
    ("started", "pass", "ThreadPair"),
    ("interrupts", "fail", "InterruptForgotten"),
];

#[test]
fn a_fixture_notices_when_a_hook_is_left_out() {
    // Without `halts` the worker ends, which the tests of workers notice; without `failed` or `synchronizes` there
    // are more traces, which the certificates notice. A yield is only a place where others may go on, and there is
    // a test for it. What locks and conditions do without theirs is told in more steps, which the certificates
    // notice, too; and there is a test for pools. Without `joins` there are more traces as well. Without `quiet`
    // classes are loaded and method handles made under the schedule, which differs only in the first executions.
    let elsewhere = [
        "quiet",
        "joins",
        "halts",
        "failed",
        "synchronizes",
        "yields",
        "locksWithin",
        "awaits",
        "conditions",
        "blocks",
        "pauses",
        // What these tell matters to explorations, whose tests notice.
        "asksOfEnd",
        "copiesMemory",
        "endsWithThreads",
        "quietIn",
        "watchesElement",
        "watchesEnter",
        "watchesExit",
        "watchesField",
        "watchesNative",
        "watchesStatic",
    ];
    let mut hooks: Vec<_> = host::hooks().filter(|hook| !elsewhere.contains(hook)).collect();
    let mut listed: Vec<_> = NOTICED_BY.iter().map(|(hook, ..)| *hook).collect();
    hooks.sort();
    listed.sort();
    assert_eq!(hooks, listed, "each hook has a fixture that notices");
    let jdks = jdks();
    let newest = jdks.last().unwrap();
    // `sleep` takes milliseconds in older versions and nanoseconds in newer ones.
    let unused = if newest.feature < 19 { "sleepsNanos" } else { "sleeps" };
    left_out(newest, |hook| hook != unused);
    match jdks.iter().find(|jdk| (jdk.feature < 19) != (newest.feature < 19)) {
        Some(other) => left_out(other, |hook| hook == unused),
        None => println!("no JDK here uses {unused}"),
    }
}

/// Leaves out one hook after the other. Where one is missing, threads may block until nobody waits any longer: so several at once.
fn left_out(jdk: &Jdk, is_meant: impl Fn(&str) -> bool) {
    const LANES: usize = 4;
    let meant: Vec<_> = NOTICED_BY.iter().filter(|(hook, ..)| is_meant(hook)).collect();
    let find = |(_, folder, name): &(&str, &str, &str)| {
        fixtures::all(folder, jdk).into_iter().find(|fixture| fixture.name == *name).unwrap()
    };
    let compiled = tempfile::tempdir().unwrap();
    let folder_of = |kind: &str| compiled.path().join(kind);
    for kind in ["fail", "pass"] {
        let mut fixtures: Vec<_> = meant.iter().filter(|(_, folder, _)| *folder == kind).map(|it| find(it)).collect();
        // Some fixtures notice several.
        fixtures.sort_by(|a, b| a.name.cmp(&b.name));
        fixtures.dedup_by(|a, b| a.name == b.name);
        std::fs::create_dir(folder_of(kind)).unwrap();
        fixtures::compile(jdk, &fixtures, &folder_of(kind));
    }
    std::thread::scope(|scope| {
        for lane in 0..LANES {
            let mine = meant.iter().skip(lane).step_by(LANES);
            scope.spawn(|| {
                for it in mine {
                    let (hook, folder, name) = it;
                    let is_as_it_should_be = is_as_it_should_be(&find(it), hook, jdk, &folder_of(folder));
                    assert!(!is_as_it_should_be, "{name} does not need {hook}");
                    println!("JDK {}: {hook} is needed by {folder}/{name}", jdk.version);
                }
            });
        }
    });
}

#[test]
fn a_yield_and_a_spin_wait_are_events() {
    let Some(jdk) = jdks().into_iter().next_back() else { return };
    for name in ["YieldOnly", "SpinOnly"] {
        let compiled = tempfile::tempdir().unwrap();
        let fixture = fixtures::all("pass", &jdk).into_iter().find(|fixture| fixture.name == name).unwrap();
        fixtures::compile(&jdk, std::slice::from_ref(&fixture), compiled.path());
        let mut worker = Worker::start(&jdk, compiled.path(), &[]);
        let report = worker.run(&fixture.job(Plan::Random { seed: 0, executions: 1, exhaust: true }));
        let yields = report.shown.events.iter().filter(|event| event.contains(" yield ")).count();
        assert_eq!(yields, 2, "{name}: {:?}", report.shown.events);
    }
}

/// Whether a fixture fails as expected and replays, or never fails, as the case may be. With all hooks they do;
/// other tests show that.
fn is_as_it_should_be(fixture: &Fixture, left_out: &str, jdk: &Jdk, class_path: &Path) -> bool {
    let run = |job: Job| -> Option<Report> {
        // Where a hook is missing, threads may block forever.
        Worker::start_without(left_out, jdk, class_path).try_run(&job)
    };
    let Some(expected) = &fixture.expect else {
        let report = run(fixture.job(Plan::Random { seed: 0, executions: 300, exhaust: true }));
        return report.is_some_and(|report| report.failures + report.unstable == 0 && report.traces > 1);
    };
    let walk = Plan::Random { seed: 0, executions: 2000, exhaust: false };
    let Some(found) = run(fixture.job(walk)) else { return false };
    if found.failures == 0 || !ending(&found.shown).starts_with(expected.as_str()) {
        return false;
    }
    let replayed = run(fixture.replay(&found.shown, 50));
    replayed.is_some_and(|replayed| replayed.traces == 1 && replayed.shown.hash == found.shown.hash)
}
