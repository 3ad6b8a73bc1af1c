//! Probes that use what calls of suffixes have returned.

use host::CallResult;
use testcase::{Argument, Call, TestCase};

use crate::calls::{invoke, new, once, text, value, written};
use crate::jdks;
use crate::worker::Worker;

const QUEUE: &str = "java/util/ArrayDeque";

fn push(what: &str) -> Call {
    invoke(QUEUE, "push(Ljava/lang/Object;)V", value(0), vec![text(what)])
}

fn poll() -> Call {
    invoke(QUEUE, "poll()Ljava/lang/Object;", value(0), vec![])
}

fn add(what: Argument) -> Call {
    invoke(QUEUE, "add(Ljava/lang/Object;)Z", value(0), vec![what])
}

/// What probes give after these suffixes, which share a queue.
fn afterwards(worker: &mut Worker, suffixes: Vec<Vec<Call>>, probes: Vec<Call>) -> Vec<String> {
    let test = TestCase { prefix: vec![new(QUEUE)], suffixes, probes };
    worker.run(&once(&test, 0)).shown.probes.iter().map(written).collect()
}

#[test]
fn probes_have_what_suffixes_returned() {
    for jdk in jdks() {
        let mut worker = Worker::start(&jdk, std::path::Path::new("."), &[]);
        let returned = |suffix, call| Argument::Returned { suffix, call };
        let size = || invoke(QUEUE, "size()I", value(0), vec![]);
        let char_at = |at| invoke("java/lang/String", "charAt(I)C", text("xyz"), vec![at]);
        // A text is added once more, a number is an index, a text is asked for its length.
        let texts = || vec![push("a"), poll(), push("b"), poll()];
        let shown = afterwards(&mut worker, vec![texts()], vec![add(returned(0, 3)), poll()]);
        assert_eq!(shown, ["true", "\"b\""], "JDK {}", jdk.version);
        let shown = afterwards(&mut worker, vec![vec![push("a"), size()]], vec![char_at(returned(0, 1))]);
        assert_eq!(shown, ["'y'"], "JDK {}", jdk.version);
        let length = |of| invoke("java/lang/String", "length()I", of, vec![]);
        let shown = afterwards(&mut worker, vec![texts(), vec![size()]], vec![length(returned(0, 1))]);
        assert_eq!(shown, ["1"], "JDK {}", jdk.version);
    }
}

#[test]
fn no_probe_is_made_with_what_is_not_there() {
    for jdk in jdks() {
        let mut worker = Worker::start(&jdk, std::path::Path::new("."), &[]);
        let returned = |call| Argument::Returned { suffix: 0, call };
        // Null is looked at by whoever gets it, and nothing comes of a call that throws or was not made.
        let shown = afterwards(&mut worker, vec![vec![poll()]], vec![poll(), add(returned(0)), poll()]);
        assert_eq!(shown, ["null"], "JDK {}", jdk.version);
        let remove = || invoke(QUEUE, "remove()Ljava/lang/Object;", value(0), vec![]);
        for call in [0, 1] {
            let test = TestCase {
                prefix: vec![new(QUEUE)],
                suffixes: vec![vec![remove(), remove()]],
                probes: vec![poll(), add(returned(call))],
            };
            let shown = worker.run(&once(&test, 0)).shown;
            assert!(matches!(shown.suffixes[0][..], [CallResult::Threw(_)]), "JDK {}", jdk.version);
            assert_eq!(shown.probes.len(), 1, "JDK {}", jdk.version);
        }
    }
}
