//! Test cases that are of no use, and what is said of them.

use crate::support::{Bench, EXPLORE, construct, fixture, invoke, jdks, one_each};
use raddle::worker::protocol::{Answer, Check, Explore, FailureKind, Oracle, Plan, Rejected};
use raddle::worker::reason::Reason;
use testcase::Argument;

#[test]
fn what_fails_alone_is_rejected_and_nothing_is_explored() {
    for jdk in jdks() {
        let mut bench = Bench::new(&jdk);
        let stuck = |suffix, call| Rejected::SuffixStuck { suffix, call };
        let thrown = |call, thrown: &str| Rejected::Suffix { suffix: 1, call, thrown: thrown.into() };
        for (suffixes, rejected) in [
            (
                &[&["fine()V"][..], &["fine()V", "throwsAlone()V"]][..],
                thrown(1, "java.lang.IllegalStateException: always"),
            ),
            (&[&["fine()V"], &["failsInThread()V"]], thrown(0, "java.lang.UnsupportedOperationException: in a thread")),
            (&[&["fine()V"], &["exits()V"]], Rejected::Exits),
            (&[&["waits()V"], &["fine()V"]], stuck(0, 0)),
            (&[&["fine()V"], &["fine()V", "counts()V"]], Rejected::SuffixEndless { suffix: 1, call: 1 }),
            (&[&["fine()V"], &["fine()V", "spins()V"]], Rejected::SuffixSpins { suffix: 1, call: 1 }),
            (&[&["fine()V"; 20], &["fine()V"; 20]], Rejected::TooMany { linearizations: 137_846_528_820 }),
        ] {
            let outcome = bench.check("Broken", &fixture("Broken", suffixes, &[]), Oracle::Safety);
            assert_eq!(outcome.checked().rejected, Some(rejected), "{suffixes:?}");
            assert_eq!((outcome.0.executions, &outcome.0.explored), (0, &None));
        }
    }
}

#[test]
fn what_spins_alone_is_tried_beside_those_it_waits_for() {
    for jdk in jdks() {
        for waits in ["awaitTwo()V", "askForTwo()V"] {
            let mut bench = Bench::new(&jdk);
            let among = |light: &str| fixture("Lamps", &[&[waits], &[light], &[light]], &[]);
            let outcome = bench.check("Lamps", &among("lightAlone()V"), Oracle::Safety);
            assert_eq!((outcome.checked().rejected.clone(), outcome.kinds()), (None, vec![]), "{waits}");
            // One of two is lost, and the third waits for it.
            let outcome = bench.check("Lamps", &among("light()V"), Oracle::Safety);
            assert_eq!(outcome.kinds(), [FailureKind::Hang], "{waits}: {outcome:#?}");
            // Nobody lights a second one, in whatever order.
            let too_few = fixture("Lamps", &[&["lightAlone()V"], &[waits]], &[]);
            let outcome = bench.check("Lamps", &too_few, Oracle::Safety);
            assert_eq!(outcome.checked().rejected, Some(Rejected::SuffixSpins { suffix: 1, call: 0 }), "{waits}");
            assert_eq!(outcome.0.executions, 0);
        }
    }
}

#[test]
fn a_prefix_that_fails_is_rejected() {
    let broken = construct("Broken", "(I)V", vec![Argument::Int(-1)]);
    let fine = || invoke("Broken.fine()V", 0, vec![]);
    let waits = invoke("Broken.waits()V", 0, vec![]);
    for jdk in jdks() {
        let mut bench = Bench::new(&jdk);
        let outcome = bench.check("Broken", &one_each(vec![broken.clone()], vec![fine(), fine()]), Oracle::Safety);
        let thrown = "java.lang.IllegalArgumentException: number -1".to_owned();
        assert_eq!(outcome.checked().rejected, Some(Rejected::Prefix { call: 0, thrown }));
        let prefix = vec![construct("Broken", "()V", vec![]), waits.clone()];
        let outcome = bench.check("Broken", &one_each(prefix, vec![fine(), fine()]), Oracle::Safety);
        assert_eq!(outcome.checked().rejected, Some(Rejected::PrefixStuck { call: 1 }));
    }
}

#[test]
fn without_executions_suffixes_are_only_tried() {
    let explore = Explore { executions: 0, ..EXPLORE };
    let check = || Check { explore, oracle: Oracle::Safety, wanted: None, goals: vec![] };
    for jdk in jdks() {
        let mut bench = Bench::new(&jdk);
        let outcome = bench.ask("Tally", &fixture("Tally", &[&["next()I"], &["next()I"]], &[]), check());
        assert_eq!((outcome.0.executions, &outcome.0.explored, &outcome.checked().rejected), (0, &None, &None));
        let outcome = bench.ask("Broken", &fixture("Broken", &[&["throwsAlone()V"]], &[]), check());
        assert!(matches!(outcome.checked().rejected, Some(Rejected::Suffix { suffix: 0, call: 0, .. })));
    }
}

#[test]
fn what_runs_out_of_stack_or_memory_is_rejected_and_the_worker_goes_on() {
    for jdk in jdks() {
        let mut bench = Bench::with_heap(&jdk, 256);
        let exhausts = |what: &str| Some(Rejected::Exhausts { what: what.into() });
        let with = |method| fixture("Deep", &[&["fine()V"], &[method]], &[]);
        // A stack that has overflowed must be whole again, however often.
        for _ in 0..20 {
            let outcome = bench.check("Deep", &with("overflows()V"), Oracle::Safety);
            assert_eq!(outcome.checked().rejected, exhausts("stack overflow"));
            let in_some_order = fixture("Deep", &[&["deepen()V"], &["overflowsIfDeep()V"]], &[]);
            let outcome = bench.check("Deep", &in_some_order, Oracle::Safety);
            assert_eq!(outcome.checked().rejected, exhausts("stack overflow"));
            assert_eq!((outcome.0.executions, &outcome.0.explored), (0, &None));
        }
        for method in ["holdsMore()V", "holdsMost()V", "catches()V"] {
            // More than one in a hundred tests would be too many.
            let mut bench = Bench::with_heap(&jdk, 256);
            let outcome = bench.check("Deep", &with(method), Oracle::Safety);
            assert_eq!(outcome.checked().rejected, exhausts("out of memory"), "{method}");
            bench.check("Deep", &with("fine()V"), Oracle::Safety).assert_clean();
        }
    }
}

#[test]
fn a_worker_whose_memory_does_not_come_back_is_given_up() {
    let with = |method| fixture("Deep", &[&["fine()V"], &[method]], &[]);
    let check = || Check { explore: EXPLORE, oracle: Oracle::Safety, wanted: None, goals: vec![] };
    for jdk in jdks() {
        let mut bench = Bench::with_heap(&jdk, 256);
        let outcome = bench.check("Deep", &with("keeps()V"), Oracle::Safety);
        assert!(matches!(outcome.checked().rejected, Some(Rejected::Exhausts { .. })), "{outcome:?}");
        // What needs no memory has enough of it.
        bench.check("Deep", &with("fine()V"), Oracle::Safety).assert_clean();
        let answer = bench.answer("Deep", &with("holdsSome()V"), Plan::Check(check()));
        assert!(matches!(answer, Answer::Unknown(Reason::OutOfMemory)), "{answer:?}");
    }
}

#[test]
fn a_schedule_of_a_test_that_runs_out_of_stack_neither_passes_nor_fails() {
    let test = fixture("Deep", &[&["deepen()V"], &["overflowsIfDeep()V"]], &[]);
    let check = || Check { explore: EXPLORE, oracle: Oracle::Safety, wanted: None, goals: vec![] };
    for jdk in jdks() {
        let mut bench = Bench::new(&jdk);
        let plan = Plan::Recheck { check: check(), turns: vec![], timeouts: vec![] };
        let answer = bench.answer("Deep", &test, plan);
        assert!(matches!(answer, Answer::Unknown(Reason::StackOverflow)), "{answer:?}");
    }
}
