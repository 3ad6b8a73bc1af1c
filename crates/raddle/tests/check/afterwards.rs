//! What breaks while threads run, and shows only in a call that is made when they have ended.

use crate::support::{Bench, fixture, jdks};
use raddle::worker::protocol::{FailureKind, Oracle};

#[test]
fn what_fails_only_afterwards_is_found() {
    let cases = [
        ("audit()V", FailureKind::Exception),
        ("awaitTwo()V", FailureKind::Deadlock),
        ("watchForTwo()V", FailureKind::Hang),
    ];
    for jdk in jdks() {
        let mut bench = Bench::new(&jdk);
        for (last, kind) in cases {
            let test = fixture("Granary", &[&["put()V"], &["put()V"]], &[last]);
            let outcome = bench.check("Granary", &test, Oracle::Safety);
            assert_eq!(outcome.kinds(), [kind], "{last}");
            println!("JDK {} {last}: {}", jdk.version, outcome.findings()[0].failure.what);
            assert_eq!(outcome.checked().failing_probe, None);
        }
    }
}

/// Two calls that were both told "one sack" are told so by no order: a caller would look, and not call `audit`.
#[test]
fn whoever_was_told_before_that_something_is_wrong_is_not_believed_afterwards() {
    for jdk in jdks() {
        let mut bench = Bench::new(&jdk);
        for last in ["audit()V", "awaitTwo()V", "watchForTwo()V"] {
            let test = fixture("Granary", &[&["putAndCount()I"], &["putAndCount()I"]], &[last]);
            let outcome = bench.check("Granary", &test, Oracle::Safety);
            assert_eq!(outcome.kinds(), [], "{last}");
            assert!(outcome.0.explored.as_ref().unwrap().certificate.is_none(), "{last}: it was not judged");
        }
    }
}

/// A call that fails afterwards in every order says nothing about threads, and is named.
#[test]
fn a_call_that_always_fails_afterwards_is_named() {
    for jdk in jdks() {
        let mut bench = Bench::new(&jdk);
        let test = fixture("Granary", &[&["put()V"]], &["audit()V", "put()V"]);
        let outcome = bench.check("Granary", &test, Oracle::Safety);
        assert_eq!((outcome.kinds(), outcome.checked().failing_probe), (vec![], Some(0)));
    }
}
