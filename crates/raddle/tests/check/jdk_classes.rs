//! Classes of the JDK: what is known to be wrong with some is found, and nothing with others.

use crate::support::{Bench, bytes, construct, invoke, jdks, one_each};
use raddle::worker::protocol::{FailureKind, Oracle};
use testcase::{Argument, TestCase};

const BOTH: [Oracle; 2] = [Oracle::Safety, Oracle::Linearizability];

#[test]
fn two_string_buffers_that_are_appended_to_each_other_deadlock() {
    let class = "java/lang/StringBuffer";
    let append = |to, what| {
        let method = "java/lang/StringBuffer.append(Ljava/lang/StringBuffer;)Ljava/lang/StringBuffer;";
        invoke(method, to, vec![Argument::Value(what)])
    };
    let prefix = vec![construct(class, "()V", vec![]), construct(class, "()V", vec![])];
    let test = one_each(prefix, vec![append(0, 1), append(1, 0)]);
    for jdk in jdks() {
        let outcome = Bench::new(&jdk).check(class, &test, Oracle::Safety);
        assert!(!outcome.findings().is_empty(), "{outcome:?}");
        for finding in outcome.findings() {
            assert_eq!(finding.failure.kind, FailureKind::Deadlock);
            assert!(finding.failure.place.contains("java/lang/StringBuffer."), "{:?}", finding.failure);
        }
        assert_eq!((outcome.checked().linearizations, outcome.checked().endings.len()), (2, 0));
        assert!(outcome.checked().overlaps > 0);
        let overlapped = outcome.checked().overlaps;
        assert!(overlapped < outcome.0.executions, "serial orders are among {} executions", outcome.0.executions);
    }
}

#[test]
fn an_element_that_is_gone_in_some_order_is_no_violation() {
    let class = "java/util/Vector";
    let get = invoke("java/util/Vector.get(I)Ljava/lang/Object;", 0, vec![Argument::Int(0)]);
    let remove = invoke("java/util/Vector.remove(I)Ljava/lang/Object;", 0, vec![Argument::Int(0)]);
    let add = invoke("java/util/Vector.add(Ljava/lang/Object;)Z", 0, vec![Argument::String("x".into())]);
    let test = one_each(vec![construct(class, "()V", vec![]), add], vec![get, remove]);
    for jdk in jdks() {
        let mut bench = Bench::new(&jdk);
        for oracle in BOTH {
            let outcome = bench.check(class, &test, oracle);
            outcome.assert_clean();
            assert_eq!(outcome.checked().endings, ["java.lang.ArrayIndexOutOfBoundsException"]);
        }
    }
}

/// In one thread the lock is entered again, so only orders in threads of their own show that it is stuck.
#[test]
fn a_lock_that_two_threads_take_is_no_violation() {
    let class = "java/util/concurrent/locks/ReentrantLock";
    let lock = || invoke("java/util/concurrent/locks/ReentrantLock.lock()V", 0, vec![]);
    let test = one_each(vec![construct(class, "()V", vec![])], vec![lock(), lock()]);
    for jdk in jdks() {
        let mut bench = Bench::new(&jdk);
        for oracle in BOTH {
            let outcome = bench.check(class, &test, oracle);
            assert_eq!((outcome.kinds(), outcome.checked().rejected.clone()), (vec![], None), "{outcome:?}");
            assert_eq!(outcome.checked().endings, ["stuck"]);
        }
    }
}

#[test]
fn a_queue_that_is_empty_in_some_order_is_no_violation() {
    let class = "java/util/concurrent/LinkedBlockingQueue";
    let take = || invoke("java/util/concurrent/LinkedBlockingQueue.take()Ljava/lang/Object;", 0, vec![]);
    let put = |text: &str| {
        let method = "java/util/concurrent/LinkedBlockingQueue.put(Ljava/lang/Object;)V";
        invoke(method, 0, vec![Argument::String(text.into())])
    };
    let prefix = || vec![construct(class, "()V", vec![]), put("a")];
    let size = || vec![invoke("java/util/concurrent/LinkedBlockingQueue.size()I", 0, vec![])];
    for jdk in jdks() {
        let mut bench = Bench::new(&jdk);
        for oracle in BOTH {
            let test = TestCase { probes: size(), ..one_each(prefix(), vec![take(), put("b")]) };
            let outcome = bench.check(class, &test, oracle);
            assert_eq!((outcome.kinds(), outcome.checked().endings.len()), (vec![], 0), "{outcome:?}");
            let outcome = bench.check(class, &one_each(prefix(), vec![take(), take()]), oracle);
            assert_eq!((outcome.kinds(), outcome.checked().rejected.clone()), (vec![], None), "{outcome:?}");
            assert_eq!(outcome.checked().endings, ["stuck"]);
            // One thread that takes twice would never come to its own put; three threads are not stuck.
            let test = TestCase { probes: size(), ..one_each(prefix(), vec![take(), take(), put("b")]) };
            let outcome = bench.check(class, &test, oracle);
            assert_eq!((outcome.kinds(), outcome.checked().endings.len()), (vec![], 0), "{outcome:?}");
        }
    }
}

#[test]
fn a_stream_that_is_closed_meanwhile_throws_what_it_says_or_is_wrong() {
    let class = "java/io/PushbackInputStream";
    let prefix = vec![
        bytes(&[1, 2, 3]),
        construct("java/io/ByteArrayInputStream", "([B)V", vec![Argument::Value(0)]),
        construct(class, "(Ljava/io/InputStream;)V", vec![Argument::Value(1)]),
    ];
    let suffixes = vec![
        invoke("java/io/PushbackInputStream.read()I", 2, vec![]),
        invoke("java/io/PushbackInputStream.close()V", 2, vec![]),
    ];
    for jdk in jdks() {
        let outcome = Bench::new(&jdk).check(class, &one_each(prefix.clone(), suffixes.clone()), Oracle::Safety);
        assert_eq!(outcome.checked().endings, ["java.io.IOException"], "a stream that is closed says so");
        let found: Vec<_> = outcome.findings().iter().map(|finding| finding.failure.what.as_str()).collect();
        assert!(!found.is_empty(), "JDK {}: {outcome:?}", jdk.version);
        assert!(found.iter().all(|what| what.starts_with("java.lang.NullPointerException")), "{found:?}");
    }
}
