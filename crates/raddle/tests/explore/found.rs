//! Every fail fixture is found, whatever the seed, and what is found replays.

use crate::fixtures;
use crate::worker::Worker;
use crate::{AUTO, jdks};
use raddle::worker::protocol::{Explore, Explorer, Finding, Job, Plan};

#[test]
fn fail_fixtures_are_found_whatever_the_seed_and_replay() {
    for jdk in jdks() {
        let fixtures = fixtures::all("fail", &jdk);
        let folder = tempfile::tempdir().unwrap();
        fixtures::compile(&jdk, &fixtures, folder.path());
        let mut worker = Worker::start(&jdk, folder.path(), &[]);
        for fixture in &fixtures {
            // Threads that go round and round without an end, and whatever else has none.
            let expect = match fixture.expect.as_deref().expect("a fail fixture says what is expected") {
                "too many events" => vec!["livelock", "no end"],
                other => vec![other],
            };
            let mut explore = |first| {
                let plan = Explore { first, explain_millis: 600_000, ..AUTO };
                let findings = worker.run(&fixture.job(Plan::Explore(plan))).explored.unwrap().findings;
                let is_it = |finding: &Finding| expect.iter().any(|what| finding.failure.what.starts_with(what));
                findings.into_iter().find(is_it)
            };
            // Some can fail in several ways.
            let finding = explore(true).or_else(|| explore(false));
            let finding = finding.unwrap_or_else(|| panic!("{}: no {expect:?} was found", fixture.name));
            let Finding { shown, preemptions, proof, executions_to_find, .. } = &finding;
            println!(
                "JDK {} {}: found by {executions_to_find} executions, {preemptions} preemptions ({proof:?})",
                jdk.version, fixture.name
            );
            let mut replay = fixture.replay(shown, 100);
            replay.limits = finding.limits(replay.limits);
            let replay = worker.run(&Job { opened: finding.opened.clone(), ..replay });
            assert_eq!((replay.failures, replay.traces), (100, 1), "{}", fixture.name);
            assert_eq!(replay.shown.hash, shown.hash, "{}", fixture.name);
            for seed in 2..=20 {
                let plan = Explore { first: true, seed, ..AUTO };
                let found = worker.run(&fixture.job(Plan::Explore(plan))).explored.unwrap().findings;
                assert!(!found.is_empty(), "{} with seed {seed}", fixture.name);
            }
        }
    }
}

/// What threads share must be in their events: whatever can fail is found by complete reduction alone, or it is not
/// certified.
#[test]
fn no_fail_fixture_is_certified_by_reduction_alone() {
    for jdk in jdks() {
        let fixtures = fixtures::all("fail", &jdk);
        let folder = tempfile::tempdir().unwrap();
        fixtures::compile(&jdk, &fixtures, folder.path());
        let mut worker = Worker::start(&jdk, folder.path(), &[]);
        let mut certified = Vec::new();
        for fixture in &fixtures {
            let plan = Explore { explorer: Explorer::Dpor, first: true, ..AUTO };
            let explored = worker.run(&fixture.job(Plan::Explore(plan))).explored.unwrap();
            match (explored.findings.is_empty(), explored.certificate) {
                (true, None) => println!("JDK {} {}: not found, and not certified", jdk.version, fixture.name),
                (true, Some(certificate)) => certified.push((&fixture.name, certificate.traces)),
                (false, _) => {}
            }
        }
        assert!(certified.is_empty(), "JDK {}: certified, though they can fail: {certified:?}", jdk.version);
    }
}

/// Deadlocks are told apart by where threads wait, also where the JDK's code is what waits.
#[test]
fn two_deadlocks_on_locks_are_two_findings() {
    for jdk in jdks() {
        let mut fixtures = fixtures::all("fail", &jdk);
        fixtures.retain(|fixture| fixture.name == "LockPairs");
        let folder = tempfile::tempdir().unwrap();
        fixtures::compile(&jdk, &fixtures, folder.path());
        let mut worker = Worker::start(&jdk, folder.path(), &[]);
        let explored = worker.run(&fixtures[0].job(Plan::Explore(AUTO))).explored.unwrap();
        assert_eq!(explored.findings.len(), 2, "{:#?}", explored.findings);
    }
}
