//! Calls in each other that have no end, and some that only look so.

use crate::support::{Bench, EXPLORE, fixture, jdks};
use raddle::worker::protocol::{Answer, Check, Explore, FailureKind, Oracle, Plan};
use raddle::worker::reason::Reason;
use testcase::TestCase;

fn beside(method: &str) -> TestCase {
    fixture("Descent", &[&["opens()V"], &[method]], &[])
}

#[test]
fn without_end_is_a_stack_overflow_that_comes_at_the_same_place_every_time() {
    for jdk in jdks() {
        for (method, recurs) in [
            ("falls()I", "Descent.fall"),
            ("fallsSlowly()I", "Descent.fallSlowly"),
            // Every second thing that it does is to take a lock.
            ("fallsHeld()I", "Descent.fallHeld"),
        ] {
            let mut bench = Bench::new(&jdk);
            let test = beside(method);
            let outcome = bench.check("Descent", &test, Oracle::Safety);
            assert_eq!(outcome.kinds(), [FailureKind::Exception], "{method}");
            let finding = outcome.findings()[0].clone();
            assert!(finding.failure.is_recursion(), "{finding:?}");
            assert!(finding.failure.what.contains(&format!("{recurs} calls itself")), "{}", finding.failure.what);
            let explore = Explore { executions: 100, ..EXPLORE };
            let check = Check { explore, oracle: Oracle::Safety, wanted: Some(finding.failure), goals: vec![] };
            let plan = Plan::Recheck { check, turns: finding.shown.turns, timeouts: finding.shown.timeouts };
            let again = Bench::new(&jdk).run("Descent", &test, plan);
            assert_eq!((again.0.failures, again.0.traces), (100, 1), "{method}");
        }
    }
}

#[test]
fn with_an_end_or_for_the_text_of_itself_it_is_no_fault() {
    for jdk in jdks() {
        for method in ["fallsToTheGround()I", "fallsUntilItIsShut()I", "isTold()I"] {
            let outcome = Bench::new(&jdk).search("Descent", &beside(method));
            assert_eq!(
                (outcome.checked().rejected.clone(), outcome.kinds()),
                (None, vec![]),
                "{:#?}",
                outcome.findings()
            );
            // One of its executions was ended early.
            assert_eq!(outcome.0.explored.unwrap().certificate, None, "{method}");
        }
        Bench::new(&jdk).check("Descent", &beside("isAlwaysDeep()I"), Oracle::Safety).assert_clean();
    }
}

#[test]
fn a_thread_whose_stack_was_full_ends_all_the_same() {
    for jdk in jdks() {
        // Whether something was under way when it was full depends on what came before, so several tests are run in one worker.
        let mut bench = Bench::new(&jdk);
        for others in 0..12 {
            let calls = [&["opens()V"][..], &["fallsAndTells()I"]];
            let test = fixture("Descent", &calls, &vec!["falls()I"; others]);
            let outcome = bench.check("Descent", &test, Oracle::Safety);
            assert!(outcome.checked().rejected.is_some(), "{others}: {:?}", outcome.checked());
        }
    }
}

#[test]
fn it_is_shown_up_to_where_it_goes_on_without_end() {
    for jdk in jdks() {
        for method in ["falls()I", "fallsSlowly()I"] {
            let mut bench = Bench::new(&jdk);
            let test = beside(method);
            let wanted = bench.check("Descent", &test, Oracle::Safety).findings()[0].failure.clone();
            // As whoever makes it smaller asks for it.
            let explore = Explore { first: true, explain_millis: 600_000, ..EXPLORE };
            let check = Check { explore, oracle: Oracle::Safety, wanted: Some(wanted), goals: vec![] };
            let outcome = bench.within(100, "Descent", &test, Plan::Check(check));
            let finding = &outcome.findings()[0];
            assert_eq!((finding.as_found, finding.preemptions, finding.max_frames), (false, 1, Some(100)), "{method}");
            assert!(finding.shown.steps.iter().any(|step| step.frames.len() > 3), "{method}");
            let thrown = "throws java.lang.StackOverflowError".to_owned();
            assert_eq!(finding.shown.endings, [(2, thrown)], "{method}");
            // And confirms.
            let (turns, timeouts) = (finding.shown.turns.clone(), finding.shown.timeouts.clone());
            let wanted = Some(finding.failure.clone());
            let check =
                Check { explore: Explore { executions: 1, ..EXPLORE }, oracle: Oracle::Safety, wanted, goals: vec![] };
            let again = Bench::new(&jdk).within(100, "Descent", &test, Plan::Recheck { check, turns, timeouts });
            assert_eq!(again.0.failures, 1, "{method}");
        }
    }
}

/// What code does that goes on as if nothing had been is by how much room there was.
#[test]
fn where_nobody_sees_the_error_nothing_is_said() {
    let check = || Plan::Check(Check { explore: EXPLORE, oracle: Oracle::Safety, wanted: None, goals: vec![] });
    for jdk in jdks() {
        let outcome = Bench::new(&jdk).check("Descent", &beside("fallsInSilence()I"), Oracle::Safety);
        assert_eq!((outcome.kinds(), &outcome.0.explored.unwrap().certificate), (vec![], &None));
        // No error can be thrown where locks are taken, so a real stack may be full in the end.
        match Bench::new(&jdk).answer("Descent", &beside("fallsLocked()I"), check()) {
            Answer::Unknown(reason) => assert_eq!(reason, Reason::StackOverflow),
            Answer::Done(report) => {
                let explored = report.explored.unwrap();
                assert_eq!((explored.findings, explored.certificate), (vec![], None));
            }
            Answer::Refused(why) => panic!("{why}"),
        }
    }
}
