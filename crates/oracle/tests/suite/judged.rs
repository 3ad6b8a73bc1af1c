//! What is a violation, and what is not.

use crate::toy::{Value, call, number, run, run_both, test, threw};
use oracle::{Ended, Observation, Oracle, Place, Rank, Serial, Violation, linearizations};
use testcase::{Behaviour, Call, Implementation, Operation, TestCase};

/// All linearizations of a toy program.
fn serial(test: &TestCase) -> Serial<Value> {
    let mut serial = Serial::new(test);
    for linearization in linearizations(test) {
        run_both(test, &linearization).into_iter().for_each(|observation| serial.add(observation));
    }
    serial
}

fn judge(test: &TestCase, observation: &Observation<Value>) -> Option<Violation> {
    serial(test).judge(observation, Oracle::Linearizability)
}

fn returned(suffixes: Vec<Vec<Ended<Value>>>, probe: &[i32]) -> Observation<Value> {
    let probes = vec![Ended::Returned(Value::Stack(probe.to_vec()))];
    Observation { suffixes, probes, ..Observation::default() }
}

#[test]
fn an_exception_that_some_order_ends_with_is_none() {
    let test = test(&[&["pop"], &["push7"]]);
    let observation = returned(vec![vec![threw("Empty")], vec![number(1)]], &[7]);
    assert_eq!(judge(&test, &observation), None);
    let other = returned(vec![vec![threw("Broken")], vec![number(1)]], &[7]);
    let violation = Violation::Exception { at: Place::Suffix { suffix: 0, call: 0 }, class: "Broken".into() };
    assert_eq!(serial(&test).judge(&other, Oracle::Safety), Some(violation));
}

/// Whole threads one after the other would take both for violations.
#[test]
fn orders_within_threads_count() {
    let test = test(&[&["pop", "push1", "push2"], &["push3", "pop"]]);
    for order in [[1, 0, 0, 1, 0], [1, 0, 0, 0, 1]] {
        assert_eq!(judge(&test, &run(&test, &order, false)), None, "{order:?}");
    }
    let whole_threads = [[0, 0, 0, 1, 1], [1, 1, 0, 0, 0]];
    let mut two = Serial::new(&test);
    whole_threads.iter().for_each(|order| two.add(run(&test, order, false)));
    assert!(two.judge(&run(&test, &[1, 0, 0, 1, 0], false), Oracle::Linearizability).is_some());
    // An exception that only an order within threads has.
    let test = crate::toy::test(&[&["push1", "pop"], &["pop"]]);
    let observation = run(&test, &[0, 1, 0], false);
    assert_eq!(observation.suffixes, [vec![number(1), threw("Empty")], vec![number(1)]]);
    assert_eq!(serial(&test).judge(&observation, Oracle::Safety), None);
}

#[test]
fn calls_are_compared_together_and_not_one_by_one() {
    let test = test(&[&["push1"], &["push2"]]);
    // Each of them returns 1 in some order, and the stack is [1, 2] in another.
    let observation = returned(vec![vec![number(1)], vec![number(1)]], &[1, 2]);
    let violation = judge(&test, &observation).unwrap();
    let differs = vec![Place::Suffix { suffix: 1, call: 0 }];
    assert_eq!(violation, Violation::Values { rank: Rank::Scalar, differs });
    assert_eq!(serial(&test).judge(&observation, Oracle::Safety), None);
}

#[test]
fn probes_are_part_of_the_outcome_and_aggregates_rank_lower() {
    let test = test(&[&["push1"], &["push2"]]);
    let lost = returned(vec![vec![number(1)], vec![number(2)]], &[2]);
    let differs = vec![Place::Probe { call: 0 }];
    assert_eq!(judge(&test, &lost), Some(Violation::Values { rank: Rank::Aggregate, differs }));
    let swapped = returned(vec![vec![number(1)], vec![number(2)]], &[2, 1]);
    assert!(judge(&test, &swapped).is_some(), "this stack belongs to the other order");
}

#[test]
fn what_was_not_read_is_equal_to_everything() {
    let test = test(&[&["push1"], &["push2"]]);
    let unread = || Ended::Returned(Value::Unread);
    assert_eq!(judge(&test, &returned(vec![vec![number(1)], vec![unread()]], &[1, 2])), None);
    assert!(judge(&test, &returned(vec![vec![number(3)], vec![unread()]], &[1, 2])).is_some());
}

#[test]
fn what_differs_between_identical_runs_is_not_compared() {
    let test = test(&[&["push1"], &["size"]]);
    let mut serial = Serial::new(&test);
    for linearization in linearizations(&test) {
        let [one, mut other] = [run(&test, linearization.order(), true), run(&test, linearization.order(), true)];
        other.suffixes[1][0] = number(77);
        serial.add_twice(one, other);
    }
    assert_eq!(serial.unsteady().collect::<Vec<_>>(), [Place::Suffix { suffix: 1, call: 0 }]);
    let observation = |first, second| returned(vec![vec![number(first)], vec![number(second)]], &[1]);
    assert_eq!(serial.judge(&observation(1, 5), Oracle::Linearizability), None);
    assert!(serial.judge(&observation(2, 5), Oracle::Linearizability).is_some());
    // If it is not even certain which calls are made, nothing is.
    let mut broken = run(&test, &[0, 1], true);
    broken.suffixes[0][0] = threw("Now and then");
    serial.add_twice(run(&test, &[0, 1], true), broken.clone());
    assert_eq!(serial.judge(&observation(2, 5), Oracle::Linearizability), None);
    assert_eq!(serial.judge(&broken, Oracle::Safety), None);
}

#[test]
fn stuck_and_endless_are_violations_where_no_order_is() {
    let test = test(&[&["size"], &["size"]]);
    let cut = || vec![vec![Ended::CutOff], vec![Ended::CutOff]];
    let stuck = Observation { suffixes: cut(), stuck: true, ..Observation::default() };
    let endless = Observation { suffixes: cut(), endless: true, ..Observation::default() };
    let mut serial = serial(&test);
    assert_eq!(serial.judge(&stuck, Oracle::Safety), Some(Violation::Stuck));
    assert_eq!(serial.judge(&endless, Oracle::Safety), Some(Violation::Endless));
    serial.add(stuck.clone());
    assert_eq!(serial.judge(&stuck, Oracle::Linearizability), None);
    assert_eq!(serial.judge(&endless, Oracle::Safety), Some(Violation::Endless));
    serial.add(endless.clone());
    assert_eq!(serial.judge(&endless, Oracle::Linearizability), None);
}

/// One thread that takes a lock twice enters it again; two threads that take it are stuck. Without the second way to run an
/// order that would be a violation.
#[test]
fn an_order_run_in_threads_of_its_own_explains_what_one_thread_does_not() {
    let test = test(&[&["size"], &["size"]]);
    let mut in_one_thread = serial(&test);
    let suffixes = vec![vec![number(0)], vec![Ended::CutOff]];
    let stuck = Observation { suffixes, stuck: true, ..Observation::default() };
    assert_eq!(in_one_thread.judge(&stuck, Oracle::Safety), Some(Violation::Stuck));
    in_one_thread.add(stuck.clone());
    assert_eq!(in_one_thread.judge(&stuck, Oracle::Safety), None);
}

#[test]
fn exceptions_that_say_nothing_are_excused() {
    let methods = vec![Implementation {
        name: "run".into(),
        descriptor: "()V".into(),
        does: Behaviour::InTurn(vec![
            Behaviour::Nothing,
            Behaviour::Throw { class: "com/acme/Mine".into(), message: None },
        ]),
    }];
    let (class, descriptor) = ("java/lang/Runnable".into(), "()V".into());
    let implement = Call { operation: Operation::Implement { class, descriptor, methods }, arguments: vec![] };
    let test = TestCase { prefix: vec![implement], ..test(&[&["size"], &["size"]]) };
    for class in
        ["com.acme.Mine", "java.lang.OutOfMemoryError", "java.lang.ThreadDeath", "org.opentest4j.TestAbortedException"]
    {
        let observation = returned(vec![vec![threw(class)], vec![number(0)]], &[]);
        assert_eq!(judge(&test, &observation), None, "{class}");
        // It does not excuse another.
        let observation = Observation { uncaught: vec!["java.lang.Error".into()], ..observation };
        let violation = Violation::Exception { at: Place::Started { number: 0 }, class: "java.lang.Error".into() };
        assert_eq!(judge(&test, &observation), Some(violation));
    }
}

#[test]
fn texts_of_all_that_there_is_rank_lower_and_iterators_are_not_compared() {
    let with = |name: &str, descriptor: &str| {
        let mut call = call(name);
        let Operation::Static { descriptor: of, .. } = &mut call.operation else { unreachable!() };
        *of = descriptor.into();
        let test = TestCase { suffixes: vec![vec![call]], ..TestCase::default() };
        let mut serial = Serial::new(&test);
        serial.add(Observation { suffixes: vec![vec![number(1)]], ..Observation::default() });
        let other = Observation { suffixes: vec![vec![number(2)]], ..Observation::default() };
        serial.judge(&other, Oracle::Linearizability).map(|violation| match violation {
            Violation::Values { rank, .. } => rank,
            other => panic!("{other:?}"),
        })
    };
    assert_eq!(with("toString", "()Ljava/lang/String;"), Some(Rank::Aggregate));
    assert_eq!(with("get", "()Ljava/lang/String;"), Some(Rank::Scalar));
    assert_eq!(with("elements", "()Ljava/util/Enumeration;"), None);
    assert_eq!(with("lines", "()Ljava/util/stream/Stream;"), None);
}

#[test]
fn an_exception_after_a_result_of_no_order_does_not_count() {
    let test = test(&[&["push1", "pop"], &["push2"]]);
    let broken = |told: i32| {
        let first = vec![number(told), threw("Broken")];
        Observation { suffixes: vec![first, vec![number(1)]], ..Observation::default() }
    };
    let judge = |observation: &Observation<Value>| serial(&test).judge_by_results(observation, Oracle::Safety);
    let violation = Violation::Exception { at: Place::Suffix { suffix: 0, call: 1 }, class: "Broken".into() };
    // The stack has one or two elements after the first call, and never three.
    assert_eq!(judge(&broken(2)), Some(violation.clone()));
    assert_eq!(judge(&broken(3)), None);
    assert_eq!(serial(&test).judge(&broken(3), Oracle::Safety), Some(violation));
}

#[test]
fn what_another_thread_was_told_excuses_an_exception_only_if_it_went_on() {
    let test = test(&[&["push1", "pop"], &["push2", "pop"]]);
    let broken = |told: i32, went_on: bool| {
        let mut second = vec![number(told)];
        second.extend(went_on.then(|| number(1)));
        let first = vec![number(1), threw("Broken")];
        Observation { suffixes: vec![first, second], ..Observation::default() }
    };
    let judge = |observation: &Observation<Value>| serial(&test).judge_by_results(observation, Oracle::Safety);
    let violation = Violation::Exception { at: Place::Suffix { suffix: 0, call: 1 }, class: "Broken".into() };
    assert_eq!(judge(&broken(2, true)), Some(violation.clone()));
    assert_eq!(judge(&broken(7, true)), None, "whoever is told that has looked, and would not have gone on");
    assert_eq!(judge(&broken(7, false)), Some(violation), "it has done nothing after it");
}

#[test]
fn a_fault_comes_before_a_rejection() {
    let test = test(&[&["push1"], &["push2"]]);
    let both = returned(vec![vec![threw("RejectedPush")], vec![threw("Broken")]], &[]);
    let violation = Violation::Exception { at: Place::Suffix { suffix: 1, call: 0 }, class: "Broken".into() };
    assert_eq!(judge(&test, &both), Some(violation));
}
