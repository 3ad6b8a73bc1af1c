//! Every fail fixture is found, whatever the seed, and what is found replays.

use crate::fixtures;
use crate::worker::Worker;
use crate::{AUTO, jdks};
use raddle::worker::protocol::{Explore, Finding, Plan};

#[test]
fn fail_fixtures_are_found_whatever_the_seed_and_replay() {
    for jdk in jdks() {
        let fixtures = fixtures::all("fail", &jdk);
        let folder = tempfile::tempdir().unwrap();
        fixtures::compile(&jdk, &fixtures, folder.path());
        let mut worker = Worker::start(&jdk, folder.path(), &[]);
        for fixture in &fixtures {
            let expect = match fixture.expect.as_deref().expect("a fail fixture says what is expected") {
                "too many events" => "no end",
                other => other,
            };
            let mut explore = |first| {
                let plan = Explore { first, explain_millis: 10_000, ..AUTO };
                let findings = worker.run(&fixture.job(Plan::Explore(plan))).explored.unwrap().findings;
                findings.into_iter().find(|finding| finding.failure.what.starts_with(expect))
            };
            // Some can fail in several ways.
            let finding = explore(true).or_else(|| explore(false));
            let finding = finding.unwrap_or_else(|| panic!("{}: no {expect} was found", fixture.name));
            let Finding { shown, preemptions, proof, executions_to_find, .. } = &finding;
            println!(
                "JDK {} {}: found by {executions_to_find} executions, {preemptions} preemptions ({proof:?})",
                jdk.version, fixture.name
            );
            let replay = worker.run(&fixture.job(Plan::Replay {
                turns: shown.turns.clone(),
                timeouts: shown.timeouts.clone(),
                times: 100,
                must_end: false,
            }));
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
