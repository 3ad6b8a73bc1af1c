//! The figures of the papers: what their authors say of these classes must come out.

mod support;

use analysis::{ClassFacts, Owner, Through};
use support::*;

/// Analyses a fixture with every JDK.
fn check(class: &str, check: impl Fn(&ClassFacts)) {
    for jdk in jdks() {
        let folder = fixtures(&jdk);
        check(&analyze(&class_path(&jdk, Some(folder.path())), class));
    }
}

/// Conflict, parallel and double-lock dependency of a pair.
fn dependencies(facts: &ClassFacts, a: &str, b: &str) -> (bool, bool, bool) {
    let pair = pair(facts, a, b);
    (pair.conflict, pair.parallel, pair.double_lock)
}

#[test]
fn buffered_stream_of_depcon() {
    check("BufferedStream", |facts| {
        assert_eq!(access_summary(facts, "mark"), ["R this.pos", "W this.marklimit", "W this.markpos"]);
        assert_eq!(lock_summary(facts, "mark"), ["this"]);
        assert_eq!(lock_summary(facts, "close"), [""; 0]);
        assert_eq!(dependencies(facts, "available", "available"), (false, false, false));
        assert_eq!(dependencies(facts, "mark", "read"), (true, false, false));
        assert_eq!(dependencies(facts, "close", "mark"), (false, true, false));
        assert_eq!(dependencies(facts, "close", "read"), (true, true, false));
        let evidence = facts.conflicts(method(facts, "close"), method(facts, "read"));
        let buf = evidence.iter().find(|conflict| facts.locations[conflict.first.location].path == "this.buf").unwrap();
        assert_eq!((buf.first.site.method.as_str(), buf.first.site.line), ("close", Some(55)));
        assert_eq!(buf.second.site.method, "read");
        assert_eq!(buf.common, None);
    });
}

#[test]
fn hashtable_of_depcon() {
    check("Table", |facts| {
        assert_eq!(double_locks(facts, "equals"), [("this".to_owned(), "o".to_owned())]);
        assert_eq!(double_locks(facts, "size"), []);
        assert!(dependencies(facts, "equals", "equals").2);
        assert!(!dependencies(facts, "equals", "size").2);
        assert!(!dependencies(facts, "size", "size").2);
    });
}

#[test]
fn motivating_example_of_autocontest() {
    check("Motivating", |facts| {
        assert_eq!(access_summary(facts, "m3"), ["R this.x", "R this.z", "W this.x"]);
        assert_eq!(access_summary(facts, "m5"), ["R this.y", "W this.z"]);
        assert_eq!(lock_summary(facts, "m3"), [""; 0]);
        // The first bug: m4 without the lock. The second: m5 reads y again and again.
        assert_eq!(dependencies(facts, "m1", "m3"), (true, true, false));
        assert_eq!(dependencies(facts, "m3", "m3"), (true, true, false));
        assert_eq!(dependencies(facts, "m5", "m7"), (true, true, false));
        assert_eq!(dependencies(facts, "m2", "m5"), (true, true, false));
        assert_eq!(dependencies(facts, "m3", "m5"), (true, true, false));
        assert_eq!(dependencies(facts, "m1", "m2"), (false, false, false));
        assert_eq!(dependencies(facts, "m1", "m1"), (false, false, false));
        assert_eq!(dependencies(facts, "m7", "m7"), (true, false, false));
        assert_eq!(accesses(facts, "m6", &[Owner::Parameter]), ["R holder.held", "W holder.held.x"]);
    });
}

#[test]
fn classes_of_intruder() {
    check("Account", |facts| {
        assert_eq!(access_summary(facts, "foo"), ["R this.f", "R this.f.count", "W this.f.count"]);
        assert_eq!(lock_summary(facts, "foo"), ["this"]);
        assert_eq!(double_locks(facts, "foo"), [("this".to_owned(), "this.f".to_owned())]);
        assert_eq!(dependencies(facts, "foo", "foo"), (true, false, false));
        assert_eq!(dependencies(facts, "foo", "setF"), (true, false, false));
        assert_eq!(dependencies(facts, "bar", "bar"), (true, false, false));
        assert_eq!(dependencies(facts, "bar", "zee"), (true, true, false));
        // Each increment of zee is under the lock of g: in M_pc by the definition, and last in line.
        assert_eq!(dependencies(facts, "zee", "zee"), (true, true, false));
        assert_eq!(pair(facts, "zee", "zee").score, 1);
    });
}

#[test]
fn what_intruder_shares_by_a_setter() {
    check("Account", |facts| {
        // Two accounts with one counter: the lock of the account keeps nobody out.
        let foo = method(facts, "foo");
        assert!(pair(facts, "foo", "foo").second_share);
        let shares = facts.second_shares(foo, foo);
        let [share] = &shares[..] else { panic!("{shares:?}") };
        let Through::Field(field) = share.through else { panic!("{share:?}") };
        assert_eq!(facts.locations[share.conflict.first.location].path, "this.f.count");
        assert_eq!(facts.setters[field].path, "this.f");
        let by: Vec<_> = facts.setters[field].by.iter().map(|by| (by.method.as_str(), by.argument)).collect();
        assert_eq!(by, [("setF(Account$Counter)", 0)]);
        // Each access is under the counter's own lock, which is given up in between.
        assert_eq!(share.conflict.common.map(|lock| facts.locks[lock].path.as_str()), Some("this.f"));
        // Nobody can set g.
        assert!(!pair(facts, "bar", "bar").second_share && !pair(facts, "bar", "zee").second_share);
    });
}
