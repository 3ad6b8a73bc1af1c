//! Silence changes how much is run, and nothing of what is found: a check by `auto`, which runs silently, and one by complete
//! reduction over all events come to the same.

use std::collections::BTreeSet;

use crate::support::{Bench, EXPLORE, construct, fixture, invoke, jdks};
use raddle::worker::protocol::{Check, Explore, Explorer, Finding, Oracle};
use testcase::{Argument, Call, TestCase};

/// What a check by an explorer finds, and how many executions it took to be certified.
fn found(bench: &mut Bench, class: &str, test: &TestCase, explorer: Explorer) -> (BTreeSet<String>, u64) {
    let explore = Explore { explorer, executions: 50_000, ..EXPLORE };
    let outcome =
        bench.ask(class, test, Check { explore, oracle: Oracle::Linearizability, wanted: None, goals: vec![] });
    assert_eq!(outcome.checked().rejected, None, "{class} {test:?}");
    // One failure of a kind and place is told, and which results that shows depends on which execution was the first.
    let name = |finding: &Finding| format!("{:?} {}", finding.failure.kind, finding.failure.place);
    let failures: BTreeSet<String> = outcome.findings().iter().map(name).collect();
    let explored = outcome.0.explored.as_ref().unwrap();
    assert!(explored.certificate.is_some() || !failures.is_empty(), "{class} {explorer:?} {test:?}: {explored:?}");
    (failures, outcome.0.executions)
}

/// Finds the same by both, and says how many executions each took.
fn compare(bench: &mut Bench, class: &str, test: &TestCase) -> (u64, u64) {
    let (silent, few) = found(bench, class, test, Explorer::Auto);
    let (aloud, many) = found(bench, class, test, Explorer::Dpor);
    assert_eq!(silent, aloud, "{class} {test:?}");
    (few, many)
}

fn text(value: &str) -> Vec<Argument> {
    vec![Argument::String(value.into())]
}

/// Every two of these calls, beside each other on one object.
fn pairs(class: &str, prefix: &[Call], calls: &[Call], probes: &[Call]) -> Vec<TestCase> {
    let mut tests = Vec::new();
    for (number, one) in calls.iter().enumerate() {
        for other in &calls[number..] {
            let prefix = [&[construct(class, "()V", vec![])], prefix].concat();
            let suffixes = vec![vec![one.clone()], vec![other.clone()]];
            tests.push(TestCase { prefix, suffixes, probes: probes.to_vec() });
        }
    }
    tests
}

#[test]
fn collections_show_the_same_silently() {
    let object = "Ljava/lang/Object;";
    let mut tests = Vec::new();
    for class in ["java/util/ArrayList", "java/util/Vector", "java/util/ArrayDeque"] {
        let add = |value| invoke(&format!("{class}.add({object})Z"), 0, text(value));
        let calls =
            [add("a"), invoke(&format!("{class}.size()I"), 0, vec![]), invoke(&format!("{class}.clear()V"), 0, vec![])];
        let probes = [invoke(&format!("{class}.size()I"), 0, vec![])];
        tests.extend(pairs(class, &[add("x")], &calls, &probes).into_iter().map(|test| (class, test)));
    }
    for class in ["java/util/HashMap", "java/util/Hashtable", "java/util/concurrent/ConcurrentHashMap"] {
        let put = |key: &str| {
            let arguments = vec![Argument::String(key.into()), Argument::String("v".into())];
            invoke(&format!("{class}.put({object}{object}){object}"), 0, arguments)
        };
        let remove = invoke(&format!("{class}.remove({object}){object}"), 0, text("a"));
        let get = invoke(&format!("{class}.get({object}){object}"), 0, text("a"));
        let probes = [invoke(&format!("{class}.size()I"), 0, vec![])];
        tests.extend(
            pairs(class, &[put("a")], &[put("a"), put("b"), remove, get], &probes).into_iter().map(|it| (class, it)),
        );
    }
    for jdk in jdks() {
        let mut bench = Bench::new(&jdk);
        let (mut few, mut many) = (0, 0);
        for (class, test) in &tests {
            let counts = compare(&mut bench, class, test);
            (few, many) = (few + counts.0, many + counts.1);
        }
        println!("JDK {}: {} tests, {few} executions silently, {many} with all events", jdk.version, tests.len());
    }
}

#[test]
fn fixtures_show_the_same_silently() {
    let tests = [
        fixture("Tally", &[&["next()I"], &["next()I"]], &["count()I"]),
        fixture("Tally", &[&["add()V"], &["add()V", "count()I"]], &["count()I"]),
        fixture("Tally", &[&["nextLocked()I", "nextLocked()I"], &["nextLocked()I", "next()I"]], &["count()I"]),
        fixture("Tally", &[&["next()I"], &["nextLocked()I"], &["count()I"]], &["count()I"]),
    ];
    for jdk in jdks() {
        let mut bench = Bench::new(&jdk);
        for test in &tests {
            compare(&mut bench, "Tally", test);
        }
    }
}
