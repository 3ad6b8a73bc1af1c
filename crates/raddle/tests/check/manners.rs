//! Calls that wait, in linearizations.

use crate::support::{Bench, fixture, jdks};
use raddle::worker::protocol::{FailureKind, Oracle};

/// Who is told within its time is so only if the other call runs inside its wait, and time does not pass first.
#[test]
fn a_wait_may_be_over_by_another_call_or_by_time() {
    let test = fixture("Meeting", &[&["await()Z"], &["tell()Z"]], &[]);
    for jdk in jdks() {
        let outcome = Bench::new(&jdk).check("Meeting", &test, Oracle::Linearizability);
        outcome.assert_clean();
    }
}

/// A sleep is no reason to let others go on: nobody but time ends it.
#[test]
fn a_call_that_sleeps_is_one_call() {
    let test = fixture("Meeting", &[&["sleepy()I"], &["sleepy()I"]], &[]);
    for jdk in jdks() {
        let outcome = Bench::new(&jdk).check("Meeting", &test, Oracle::Linearizability);
        assert_eq!(outcome.kinds(), [FailureKind::Linearizability]);
    }
}

#[test]
fn threads_that_a_call_waits_for_are_part_of_it() {
    let test = fixture("Meeting", &[&["byHelper()I"], &["byHelper()I", "byHelper()I"]], &[]);
    for jdk in jdks() {
        let outcome = Bench::new(&jdk).check("Meeting", &test, Oracle::Linearizability);
        assert_eq!((outcome.kinds(), outcome.checked().endings.len()), (vec![], 0), "{:?}", outcome.findings());
    }
}

/// Without a look at who spins, the second call would go on for ever in an order in which the first thread holds the lock.
#[test]
fn a_call_that_spins_lets_others_go_on() {
    let both = ["hold()V", "letGo()V"];
    let test = fixture("Meeting", &[&both, &both], &[]);
    for jdk in jdks() {
        let outcome = Bench::new(&jdk).check("Meeting", &test, Oracle::Linearizability);
        assert_eq!((outcome.kinds(), outcome.checked().endings.len()), (vec![], 0), "{:?}", outcome.checked());
    }
}

/// A call that waits and goes on late, after another has taken what it waited for, is as if it had begun then, and would wait. If it
/// throws instead, that is explained by no order of calls.
#[test]
fn a_call_that_waits_must_look_again() {
    for jdk in jdks() {
        let mut bench = Bench::new(&jdk);
        let test = fixture("Shelf", &[&["takeOnce()V"], &["takeOnce()V", "put()V", "takeOnce()V"]], &[]);
        let outcome = bench.check("Shelf", &test, Oracle::Safety);
        assert_eq!(outcome.kinds(), [FailureKind::Exception], "{:?}", outcome.checked());
        let test = fixture("Shelf", &[&["takeSurely()V"], &["takeSurely()V", "put()V", "takeSurely()V"]], &[]);
        bench.check("Shelf", &test, Oracle::Safety).assert_clean();
    }
}
