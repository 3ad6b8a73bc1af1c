//! Classes of java.base tell of their own fields and locks; those that cannot are refused.

use crate::jdks;
use crate::worker::Worker;
use raddle::worker::protocol::{Answer, Job, Plan};
use testcase::{Argument, Call, Operation, TestCase};

fn call(operation: Operation, arguments: Vec<Argument>) -> Call {
    Call { operation, arguments }
}

fn construct(class: &str) -> Call {
    call(Operation::Construct { class: class.into(), descriptor: "()V".into() }, vec![])
}

fn invoke(class: &str, name: &str, descriptor: &str, receiver: usize, arguments: Vec<Argument>) -> Call {
    let (class, name, descriptor) = (class.into(), name.into(), descriptor.into());
    call(Operation::Virtual { class, name, descriptor, receiver: Argument::Value(receiver) }, arguments)
}

fn job(under_test: &str, prefix: Vec<Call>, suffix: Call) -> Job {
    let test = TestCase { prefix, suffixes: vec![vec![suffix.clone()], vec![suffix]], probes: vec![] };
    let plan = Plan::Random { seed: 1, executions: 1, exhaust: true };
    Job { test, under_test: vec![under_test.into()], plan, limits: host::Limits::default(), opened: vec![] }
}

#[test]
fn fields_and_locks_of_java_base_are_seen() {
    let text = || vec![Argument::String("x".into())];
    let pair = || vec![Argument::String("k".into()), Argument::String("v".into())];
    let map = "java/util/Map";
    let put = "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;";
    let synchronized_map = vec![
        construct("java/util/HashMap"),
        call(
            Operation::Static {
                class: "java/util/Collections".into(),
                name: "synchronizedMap".into(),
                descriptor: "(Ljava/util/Map;)Ljava/util/Map;".into(),
            },
            vec![Argument::Value(0)],
        ),
    ];
    let append = "(Ljava/lang/String;)Ljava/lang/StringBuffer;";
    let jobs = [
        (
            job(
                "java/lang/StringBuffer",
                vec![construct("java/lang/StringBuffer")],
                invoke("java/lang/StringBuffer", "append", append, 0, text()),
            ),
            ["write #0 java.lang.AbstractStringBuilder.count", "lock #0 0 at java.lang.StringBuffer.append"],
        ),
        (
            job(
                "java/util/Vector",
                vec![construct("java/util/Vector")],
                invoke("java/util/Vector", "add", "(Ljava/lang/Object;)Z", 0, text()),
            ),
            ["write #0 java.util.Vector.elementCount", "lock #0 0 at java.util.Vector.add"],
        ),
        (
            job(
                "java/util/Hashtable",
                vec![construct("java/util/Hashtable")],
                invoke("java/util/Hashtable", "put", put, 0, pair()),
            ),
            ["read #0 java.util.Hashtable.table", "lock #0 0 at java.util.Hashtable.put"],
        ),
        (
            job("java/util/Collections$SynchronizedMap", synchronized_map, invoke(map, "put", put, 1, pair())),
            [
                "read #1 java.util.Collections$SynchronizedMap.m",
                "lock #1 0 at java.util.Collections$SynchronizedMap.put",
            ],
        ),
    ];
    for jdk in jdks() {
        let folder = tempfile::tempdir().unwrap();
        let mut worker = Worker::start(&jdk, folder.path(), &[]);
        for (job, expected) in &jobs {
            let events = worker.run(job).shown.events;
            for expected in expected {
                let seen = events.iter().filter(|event| event.contains(expected)).count();
                assert!(seen >= 2, "JDK {}: {expected} seen {seen} times in\n{}", jdk.version, events.join("\n"));
            }
        }
    }
}

#[test]
fn a_class_under_test_that_was_not_rewritten_is_an_error() {
    for jdk in jdks() {
        let folder = tempfile::tempdir().unwrap();
        let mut worker = Worker::start(&jdk, folder.path(), &[]);
        let to_string = invoke("java/lang/Thread", "toString", "()Ljava/lang/String;", 0, vec![]);
        match worker.ask(&job("java/lang/Thread", vec![construct("java/lang/Thread")], to_string)) {
            Answer::Refused(reason) => assert_eq!(
                reason,
                "class java.lang.Thread was not rewritten: its package is one that the virtual machine stands on"
            ),
            other => panic!("a result for nothing: {other:?}"),
        }
    }
}
