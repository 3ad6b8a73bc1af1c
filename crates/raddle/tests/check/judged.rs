//! What is held against linearizations, and how it is told.

use crate::support::{Bench, EXPLORE, construct, fixture, invoke, jdks, one_each};
use raddle::worker::protocol::{Check, Explore, Failure, FailureKind, Oracle, Plan};
use testcase::{Argument, Behaviour, Call, Implementation, Operation, TestCase};

#[test]
fn lost_updates_are_a_matter_of_values() {
    let test = fixture("Tally", &[&["next()I"], &["next()I"]], &["count()I"]);
    let afterwards = fixture("Tally", &[&["add()V"], &["add()V"]], &["count()I"]);
    let locked = fixture("Tally", &[&["nextLocked()I", "nextLocked()I"], &["nextLocked()I"]], &[]);
    for jdk in jdks() {
        let mut bench = Bench::new(&jdk);
        bench.check("Tally", &test, Oracle::Safety).assert_clean();
        bench.check("Tally", &locked, Oracle::Linearizability).assert_clean();
        let outcome = bench.check("Tally", &test, Oracle::Linearizability);
        assert_eq!(outcome.kinds(), [FailureKind::Linearizability]);
        assert_eq!(
            outcome.findings()[0].failure.what,
            "no order of the calls gives what they did: thread 1: next() gave 1; thread 2: next() gave 1; \
             afterwards: count() gave 1"
        );
        let outcome = bench.check("Tally", &afterwards, Oracle::Linearizability);
        assert_eq!(outcome.kinds(), [FailureKind::Linearizability]);
        // The answer does not depend on what was run before.
        assert_eq!(bench.check("Tally", &afterwards, Oracle::Linearizability).0, outcome.0);
    }
}

/// A finding fails each time that its schedule is followed, also if its calls all return.
#[test]
fn a_schedule_can_be_held_against_linearizations_again() {
    let test = fixture("Tally", &[&["add()V"], &["add()V"]], &["count()I"]);
    for jdk in jdks() {
        let mut bench = Bench::new(&jdk);
        let found = bench.check("Tally", &test, Oracle::Linearizability).findings()[0].clone();
        for (oracle, failures) in [(Oracle::Linearizability, 20), (Oracle::Safety, 0)] {
            let check = Check { explore: Explore { executions: 20, ..EXPLORE }, oracle, wanted: None, goals: vec![] };
            let (turns, timeouts) = (found.shown.turns.clone(), found.shown.timeouts.clone());
            let outcome = bench.run("Tally", &test, Plan::Recheck { check, turns, timeouts });
            assert_eq!((outcome.0.executions, outcome.0.failures, outcome.0.traces), (20, failures, 1));
            assert_eq!((outcome.0.shown.hash, outcome.checked().overlaps), (found.shown.hash, 20));
        }
    }
}

#[test]
fn only_what_is_wanted_is_looked_for() {
    let test = fixture("Tally", &[&["next()I"], &["next()I"]], &[]);
    for jdk in jdks() {
        let mut bench = Bench::new(&jdk);
        let explore = Explore { explain_millis: 600_000, ..EXPLORE };
        let mut check = Check { explore, oracle: Oracle::Linearizability, wanted: None, goals: vec![] };
        let outcome = bench.ask("Tally", &test, check.clone());
        let found = outcome.findings()[0].clone();
        assert_eq!((found.preemptions, found.as_found), (1, false));
        assert!(!found.cause.is_empty() && !found.shown.steps.is_empty(), "{found:?}");
        check.wanted = Some(found.failure.clone());
        assert_eq!(bench.ask("Tally", &test, check.clone()).findings().len(), 1);
        check.wanted = Some(Failure { kind: FailureKind::Deadlock, ..found.failure });
        assert_eq!(bench.ask("Tally", &test, check.clone()).findings().len(), 0);
    }
}

/// The clock, hashes and random numbers are the same in every execution of a schedule, and not in every schedule.
#[test]
fn what_the_machine_decides_is_not_compared() {
    let test = fixture("Meeting", &[&["hash()I", "time()J"], &["hash()I", "who()I"]], &["time()J"]);
    for jdk in jdks() {
        let outcome = Bench::new(&jdk).check("Meeting", &test, Oracle::Linearizability);
        assert_eq!(outcome.kinds(), [], "{:?}", outcome.findings());
        let checked = outcome.checked();
        assert_eq!((&*checked.unsteady, &*checked.unsteady_probes), (&[(0, 0), (0, 1), (1, 0)][..], &[0][..]));
    }
}

#[test]
fn what_lists_hold_is_compared_and_which_lists_they_are_is_not() {
    let test = fixture("Meeting", &[&["copy()Ljava/util/List;"], &["copy()Ljava/util/List;"]], &[]);
    for jdk in jdks() {
        let outcome = Bench::new(&jdk).check("Meeting", &test, Oracle::Linearizability);
        outcome.assert_clean();
    }
}

/// Thread 1 has a canoe that was brought back. One of the two threads lends it again, in whatever order they come.
#[test]
fn what_was_given_back_is_used_by_whoever_gets_it_next() {
    const LEND: &str = "Canoes.lend()LCanoes$Canoe;";
    let prefix = vec![
        construct("Canoes", "()V", vec![]),
        invoke(LEND, 0, vec![]),
        invoke("Canoes.bringBack(LCanoes$Canoe;)V", 0, vec![Argument::Value(1)]),
        invoke(LEND, 0, vec![]),
    ];
    let paddles = invoke("Canoes$Canoe.paddle(I)I", 1, vec![Argument::Int(1)]);
    let suffixes = vec![vec![invoke(LEND, 0, vec![]), paddles], vec![invoke(LEND, 0, vec![])]];
    let test = TestCase { prefix, suffixes, probes: vec![] };
    for jdk in jdks() {
        let outcome = Bench::new(&jdk).check("Canoes", &test, Oracle::Safety);
        assert_eq!((outcome.checked().rejected.clone(), outcome.kinds()), (None, vec![]), "{:#?}", outcome.findings());
        // It did throw, and nothing is promised.
        assert_eq!(outcome.0.explored.unwrap().certificate, None);
    }
}

/// A number below one is no weight. Whoever complains of it has been given it by the test.
#[test]
fn what_the_tests_own_functions_give_may_be_complained_of() {
    let weigher = |weight: i32| {
        let does = Behaviour::Return(Argument::Int(weight));
        let (name, descriptor) = ("applyAsInt".into(), "(Ljava/lang/Object;)I".into());
        let methods = vec![Implementation { name, descriptor, does }];
        let (class, descriptor) = ("java/util/function/ToIntFunction".into(), "()V".into());
        Call { operation: Operation::Implement { class, descriptor, methods }, arguments: vec![] }
    };
    let test = |weight, asks| {
        let make = construct("Ballast", "(Ljava/util/function/ToIntFunction;)V", vec![Argument::Value(0)]);
        let pass = invoke("Ballast.pass(Ljava/lang/Object;)V", 1, vec![Argument::String("a".into())]);
        one_each(vec![weigher(weight), make], vec![pass, invoke(asks, 1, vec![])])
    };
    for jdk in jdks() {
        let mut bench = Bench::new(&jdk);
        bench.check("Ballast", &test(1, "Ballast.weigh()I"), Oracle::Safety).assert_clean();
        let outcome = bench.check("Ballast", &test(0, "Ballast.weigh()I"), Oracle::Safety);
        let certificate = outcome.0.explored.as_ref().map(|explored| explored.certificate.is_some());
        assert_eq!((outcome.kinds(), certificate), (vec![], Some(false)), "nothing is found, and nothing is promised");
        // Where the function gives what is asked for, a complaint is the class's own.
        let outcome = bench.check("Ballast", &test(1, "Ballast.rest()I"), Oracle::Safety);
        assert_eq!(outcome.kinds(), [FailureKind::Exception]);
    }
}
