//! What real classes use and the papers leave out.

mod support;

use analysis::{ClassFacts, Through};
use support::*;

fn check(class: &str, check: impl Fn(&ClassFacts)) {
    for jdk in jdks() {
        let folder = fixtures(&jdk);
        check(&analyze(&class_path(&jdk, Some(folder.path())), class));
    }
}

fn parallel(facts: &ClassFacts, a: &str, b: &str) -> bool {
    pair(facts, a, b).parallel
}

#[test]
fn locks_of_java_util_concurrent() {
    check("Locks", |facts| {
        assert_eq!(lock_summary(facts, "add"), ["this.lock"]);
        assert_eq!(lock_summary(facts, "tryAdd"), ["this.lock"]);
        assert_eq!(lock_summary(facts, "tryCarelessly"), [""; 0]);
        assert_eq!(lock_summary(facts, "addByHand"), ["this.lock"]);
        // Taken anew in each round, so nothing keeps others from coming between.
        assert_eq!(lock_summary(facts, "addTwice"), [""; 0]);
        assert!(!parallel(facts, "add", "tryAdd") && !parallel(facts, "add", "addByHand"));
        assert!(parallel(facts, "add", "addTwice") && parallel(facts, "add", "tryCarelessly"));
        // A reader and a writer keep each other out, two readers do not.
        assert_eq!(
            (lock_summary(facts, "read"), lock_summary(facts, "write")),
            (vec!["this.both".into()], vec!["this.both".into()])
        );
        assert!(!parallel(facts, "read", "write") && !parallel(facts, "write", "write"));
        assert!(parallel(facts, "read", "read"));
    });
}

#[test]
fn static_state_classes_and_parameters_as_locks() {
    check("Locks", |facts| {
        assert_eq!(access_summary(facts, "count"), ["R Locks.shared", "W Locks.shared"]);
        assert_eq!(lock_summary(facts, "count"), ["Locks.class"]);
        assert!(!parallel(facts, "count", "countToo"));
        assert!(pair(facts, "count", "countElsewhere").is_pc());
        let own = |outer: &str, inner: &str| vec![(outer.to_owned(), inner.to_owned())];
        assert_eq!(double_locks(facts, "nested"), own("Locks.GLOBAL", "this"));
        assert_eq!(double_locks(facts, "nestedOtherwise"), own("this", "Locks.GLOBAL"));
        assert!(pair(facts, "nested", "nestedOtherwise").double_lock);
        assert_eq!(double_locks(facts, "reentrant"), []);
        // Whatever is passed, it is not known to be the lock of another call.
        assert_eq!(lock_summary(facts, "on"), ["mutex"]);
        assert!(parallel(facts, "on", "on"));
    });
}

#[test]
fn handles_atomics_lambdas_and_collections() {
    check("Accesses", |facts| {
        assert_eq!(access_summary(facts, "handle"), ["R Accesses.HANDLE", "U this.handled"]);
        assert_eq!(access_summary(facts, "update"), ["R Accesses.UPDATER", "U this.updated"]);
        assert_eq!(access_summary(facts, "flag"), ["W this.flag"]);
        assert!(facts.methods[method(facts, "flag")].accesses.iter().all(|access| access.ordered));
        assert!(access_summary(facts, "atomic").contains(&"U this.atomic.value".to_owned()));
        let list = access_summary(facts, "list");
        for expected in ["W this.list.elementData[]", "W this.list.size", "W this.list.modCount"] {
            assert!(list.contains(&expected.to_owned()), "{expected} in {list:?}");
        }
        assert_eq!(access_summary(facts, "cell"), ["R this.cells", "R this.cells[]", "W this.cells[]"]);
        for through in ["lambda", "reference"] {
            assert_eq!(access_summary(facts, through), ["R this.captured", "W this.captured"]);
        }
        assert_eq!(access_summary(facts, "sum"), ["R this.captured"]);
    });
}

#[test]
fn an_object_is_shared_once_it_is_published() {
    check("Accesses", |facts| {
        // What is written before nobody can see.
        assert_eq!(access_summary(facts, "push"), ["R this.head", "W this.head", "W this.head.seen"]);
        assert_eq!(facts.methods[method(facts, "leak")].publishes, ["this.cells"]);
        assert_eq!(facts.methods[method(facts, "view")].publishes, ["new Accesses$View over this.list"]);
    });
}

#[test]
fn a_wait_gives_up_the_lock() {
    check("Accesses", |facts| {
        assert_eq!(lock_summary(facts, "signal"), ["this"]);
        // What was read before the wait is not covered by the lock that is taken after it.
        assert_eq!(lock_summary(facts, "await"), [""; 0]);
        let signals = &facts.methods[method(facts, "await")].signals;
        assert!(signals.len() == 1 && signals[0].wait && signals[0].path == "this", "{signals:?}");
    });
}

#[test]
fn an_argument_may_be_the_subject_of_the_other() {
    check("Joined", |facts| {
        let (all, clear) = (method(facts, "addAll"), method(facts, "clear"));
        // On one subject its lock makes them safe.
        assert!(!pair(facts, "addAll", "clear").is_pc() && pair(facts, "addAll", "clear").second_share);
        let shares = facts.second_shares(all, clear);
        let [share] = &shares[..] else { panic!("{shares:?}") };
        assert_eq!(share.through, Through::Argument { number: 0, of_first: true });
        let paths = [share.conflict.first, share.conflict.second].map(|a| facts.locations[a.location].path.as_str());
        assert_eq!(paths, ["other.count", "this.count"]);
        assert_eq!(share.conflict.common.map(|lock| facts.locks[lock].path.as_str()), Some("other"));
        // In the other order the accesses are, too.
        let shares = facts.second_shares(clear, all);
        assert_eq!(shares[0].through, Through::Argument { number: 0, of_first: false });
        assert_eq!(facts.locations[shares[0].conflict.first.location].path, "this.count");
        // What is done under one lock of the argument is kept apart by it.
        assert!(!pair(facts, "addSize", "clear").second_share);
        assert!(!pair(facts, "size", "clear").second_share);
    });
}

#[test]
fn blind_writes_of_two_locations_conflict() {
    check("Blind", |facts| {
        assert!(pair(facts, "set", "reset").is_pc() && pair(facts, "set", "set").is_pc());
        // Whoever is the last at one field has set it as in some sequence.
        assert!(!pair(facts, "noon", "noon").conflict && !pair(facts, "noon", "set").conflict);
        // A lock keeps them apart, if both take it.
        assert!(!pair(facts, "setLocked", "resetLocked").is_pc() && pair(facts, "setLocked", "reset").is_pc());
        assert!(pair(facts, "ring", "ring").is_pc(), "elements are many");
    });
}

#[test]
fn calls_that_are_given_one_object_conflict_in_what_it_holds() {
    check("Tokens", |facts| {
        let of = |name: &str| facts.methods.iter().position(|method| method.name == name).unwrap();
        let common = |a: &str, b: &str| {
            let (a, b) = (of(a).min(of(b)), of(a).max(of(b)));
            let found = facts.common_arguments().into_iter().filter(move |it| it.methods == (a, b));
            found.map(|it| it.arguments).collect::<Vec<_>>()
        };
        assert_eq!(common("spend", "isSpent"), [(0, 0)]);
        // The subject's lock keeps these apart, and the token's own those.
        assert_eq!(common("spend", "isSpentLocked"), []);
        assert_eq!(common("use", "usesLocked"), []);
        let arguments = if of("use") < of("uses") { (1, 0) } else { (0, 1) };
        assert_eq!(common("use", "uses"), [arguments]);
        // Another field, two that only read, and one that never changes.
        assert_eq!(common("spend", "uses"), []);
        assert_eq!(common("isSpent", "isSpentLocked"), []);
        assert_eq!(common("spend", "number"), []);
    });
}

#[test]
fn constructors_that_touch_what_others_have() {
    check("Enrolled", |facts| {
        let constructors: Vec<String> =
            facts.methods.iter().filter(|method| method.is_constructor()).map(|method| method.signature()).collect();
        let of = |parameter: &str| format!("new Enrolled({parameter})");
        assert_eq!(constructors, ["int", "long", "Enrolled", "Enrolled$Office"].map(of));
        let [counting, locked, copy, office] = [0, 1, 2, 3].map(|number| &*constructors[number]);
        // The new object is nobody's subject.
        let accesses = access_summary(facts, counting);
        assert!(accesses.contains(&"W Enrolled.made".to_owned()), "{accesses:?}");
        assert!(accesses.iter().all(|access| !access.contains("number") && !access.contains("this")), "{accesses:?}");
        assert!(pair(facts, counting, counting).is_pc() && pair(facts, counting, "count").is_pc());
        assert!(pair(facts, counting, "countLocked").is_pc());
        assert_eq!(lock_summary(facts, locked), ["Enrolled.class"]);
        assert!(!parallel(facts, locked, "countLocked") && parallel(facts, locked, "count"));
        assert!(!pair(facts, counting, "rename").conflict, "another object");
        // What is copied is the subject of another call.
        let (rename, copy) = (method(facts, "rename"), method(facts, copy));
        let shares = facts.second_shares(rename, copy);
        assert!(shares.iter().any(|it| it.through == Through::Argument { number: 0, of_first: false }), "{shares:?}");
        let office = method(facts, office);
        let common = facts.common_arguments();
        assert!(common.iter().any(|it| it.methods == (office, office) && it.arguments == (0, 0)), "{common:?}");
        assert!(
            facts.methods[office].is_meant_by("new Enrolled") && !facts.methods[rename].is_meant_by("new Enrolled")
        );
    });
}
