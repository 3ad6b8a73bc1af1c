//! Classes of the JDK: known deadlocks are found, and what one lock makes safe is in neither set.

mod support;

use analysis::{ClassFacts, Through};
use support::*;

fn check(class: &str, check: impl Fn(&ClassFacts)) {
    for jdk in jdks() {
        check(&analyze(&class_path(&jdk, None), class));
    }
}

fn double_lock(facts: &ClassFacts, a: &str, b: &str) {
    assert!(pair(facts, a, b).double_lock, "{}: {a} and {b}", facts.class);
}

/// All pairs of these methods are in neither set.
fn safe(facts: &ClassFacts, methods: &[&str]) {
    for a in methods {
        for b in methods {
            let pair = pair(facts, a, b);
            assert!(!pair.is_pc() && !pair.double_lock, "{}: {a} and {b}: {pair:?}", facts.class);
        }
    }
}

#[test]
fn string_buffer() {
    check("java.lang.StringBuffer", |facts| {
        let append = "append(StringBuffer)";
        double_lock(facts, append, append);
        let double = double_locks(facts, append);
        assert!(
            double.iter().any(|(outer, inner)| outer == "this" && (inner == "sb" || inner == "arg1")),
            "{double:?}"
        );
        // The length of the other is asked for, then its characters: it may have changed in between.
        let (first, other) = (method(facts, append), method(facts, "setLength"));
        assert!(!pair(facts, append, "setLength").is_pc() && pair(facts, append, "setLength").second_share);
        let shares = facts.second_shares(first, other);
        let count = shares.iter().find(|share| facts.locations[share.conflict.second.location].path == "this.count");
        assert_eq!(count.expect("a conflict").through, Through::Argument { number: 0, of_first: true });
        assert!(!pair(facts, "length", "setLength").second_share);
        safe(facts, &["append(int)", "append(char)", "length", "capacity", "charAt", "reverse", "setLength"]);
    });
}

#[test]
fn hashtable() {
    check("java.util.Hashtable", |facts| {
        double_lock(facts, "equals", "equals");
        double_lock(facts, "hashCode", "hashCode");
        double_lock(facts, "equals", "hashCode");
        assert!(!pair(facts, "equals", "size").double_lock);
        safe(facts, &["size", "isEmpty", "clear", "elements", "keys"]);
    });
}

#[test]
fn vector() {
    check("java.util.Vector", |facts| {
        double_lock(facts, "equals", "equals");
        double_lock(facts, "addAll(int, Collection)", "addAll(int, Collection)");
        double_lock(facts, "addAll(int, Collection)", "equals");
        safe(facts, &["add(Object)", "add(int, Object)", "get", "set", "size", "isEmpty", "clear", "elementAt"]);
        // The counter of changes is written before the lock is taken.
        let loose = pair(facts, "addAll(Collection)", "iterator");
        assert!(loose.parallel, "{loose:?}");
    });
}

#[test]
fn synchronized_map() {
    check("java.util.Collections$SynchronizedMap", |facts| {
        double_lock(facts, "equals", "equals");
        assert!(double_locks(facts, "equals").contains(&("this.mutex".into(), "o.mutex".into())));
        assert_eq!(lock_summary(facts, "put"), ["this.mutex"]);
        safe(facts, &["size", "isEmpty", "clear", "keySet"]);
    });
}
